//! Files that this process holds. The system lets go of them when it ends, however that is, and knows of them whoever
//! asks: processes of one container see none of another's.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

static HELD: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

/// Holds a file until `let_go`, or the end of the process. False where somebody holds it; true, too, where the file
/// system knows no such thing.
pub fn hold(path: &Path) -> io::Result<bool> {
    // There a lock keeps others from reading, the record store itself among them.
    if cfg!(windows) {
        return Ok(true);
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Ok(false);
    }
    HELD.lock().push((path.to_owned(), file));
    Ok(true)
}

/// Lets go of a file.
pub fn let_go(path: &Path) {
    HELD.lock().retain(|(held, _)| held != path);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn a_file_is_held_by_one_at_a_time() {
        let folder = Folder::new();
        let path = folder.join("held");
        std::fs::write(&path, "").unwrap();
        assert!(hold(&path).unwrap());
        assert!(!hold(&path).unwrap());
        let_go(&path);
        assert!(hold(&path).unwrap());
        let_go(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(hold(&path).is_err());
    }
}
