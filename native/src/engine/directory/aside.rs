//! A directory for one segment: its files go where those of all segments go, and the lists that the library keeps beside
//! them stay here. So segments are made side by side, and what comes to nothing leaves no file.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{FileHandle, WatchCallback, WatchHandle, WritePtr};
use tantivy::Directory;

use crate::engine::directory::WriteBehind;

/// Where one segment is made. Clones are one: with the last of them go the files of a segment that was not kept, also
/// where a panic or a full disk came between.
#[derive(Debug, Clone)]
pub struct Aside(Arc<Making>);

#[derive(Debug)]
struct Making {
    to: WriteBehind,
    lists: Mutex<HashMap<PathBuf, Vec<u8>>>,
    /// Files that were begun.
    files: Mutex<Vec<PathBuf>>,
    is_kept: AtomicBool,
}

impl Aside {
    /// For a new segment of this directory.
    pub fn of(to: &WriteBehind) -> Aside {
        Aside(Arc::new(Making {
            to: to.clone(),
            lists: Mutex::default(),
            files: Mutex::default(),
            is_kept: AtomicBool::new(false),
        }))
    }

    /// The segment goes into the list: its files are the directory's from now on.
    pub fn keep(&self) {
        self.0.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            self.to.remove_unlisted(self.files.get_mut());
        }
    }
}

impl Directory for Aside {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.to.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.to.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.to.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.0.to.open_write(path)?;
        self.0.files.lock().push(path.to_path_buf());
        Ok(file)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let list = self.0.lists.lock().get(path).cloned();
        list.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_path_buf()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let list = (path.to_path_buf(), data.to_vec());
        self.0.lists.lock().extend([list]);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.to.watch(callback)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tantivy::directory::TerminatingWrite;

    use super::*;
    use crate::folder::Folder;

    /// Makes a small file, which stays in memory, and a large one, which goes to disk.
    fn make(aside: &Aside, small: &str, large: &str) {
        for (name, bytes) in [(small, 8), (large, 5000)] {
            let mut file = aside.open_write(Path::new(name)).unwrap();
            file.write_all(&vec![7; bytes]).unwrap();
            file.terminate().unwrap();
        }
    }

    #[test]
    fn files_of_what_is_not_kept_go_from_memory_and_from_the_disk() {
        let folder = Folder::new();
        let directory = WriteBehind::open(folder.path(), &[], None, 4000).unwrap();
        let (kept, dropped) = (Aside::of(&directory), Aside::of(&directory));
        make(&kept, "a.small", "a.large");
        make(&dropped, "b.small", "b.large");
        assert_eq!(directory.names().len(), 4);
        assert!(folder.join("b.large").exists());
        kept.keep();
        let same = dropped.clone();
        drop((kept, dropped));
        assert_eq!(directory.names().len(), 4);
        drop(same);
        let names: Vec<PathBuf> = directory.names().into_iter().collect();
        assert_eq!(names, [Path::new("a.large"), Path::new("a.small")]);
        assert!(folder.join("a.large").exists());
        assert!(!folder.join("b.large").exists());
    }
}
