//! How much of the disk the files of an index may take. Records come first: from records an index is built again, and
//! only their removal makes room on a full disk.

use std::io;
use std::path::Path;

/// Bytes that writes of records leave free, as `src/store/space.ts` has it; of a small disk a
/// share.
const RESERVE_BYTES: u64 = 32 << 20;
const RESERVE_PARTS: u64 = 20;
/// The files of indices may use half of that; removals of records have the rest.
const LEFT_PARTS: u64 = 2;

/// Fails as a full disk does when this many more bytes would leave too little of it.
pub fn refuse_beyond(folder: &Path, bytes: u64) -> io::Result<()> {
    match free_and_whole(folder) {
        Some((free, whole)) if bytes.saturating_add(left_of(whole)) > free => {
            Err(io::Error::from_raw_os_error(libc::ENOSPC))
        }
        _ => Ok(()),
    }
}

fn left_of(whole: u64) -> u64 {
    RESERVE_BYTES.min(whole / RESERVE_PARTS) / LEFT_PARTS
}

/// Bytes that are free on the disk of a folder, and that it has; none where it does not say.
#[cfg(unix)]
#[allow(
    clippy::unnecessary_cast,
    reason = "the numbers have other widths on other systems"
)]
fn free_and_whole(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends with a zero byte, and the call fills what it is given when it answers 0.
    let found = unsafe {
        if libc::statvfs(path.as_ptr(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    let block = found.f_frsize as u64;
    Some((
        (found.f_bavail as u64).saturating_mul(block),
        (found.f_blocks as u64).saturating_mul(block),
    ))
}

#[cfg(not(unix))]
fn free_and_whole(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_reserve_is_left_and_of_a_small_disk_a_fortieth() {
        assert_eq!(left_of(1 << 40), 16 << 20);
        assert_eq!(left_of(40 << 20), 1 << 20);
    }

    #[test]
    fn more_than_the_disk_has_is_refused_as_by_a_full_disk() {
        let folder = std::env::temp_dir();
        let refused = refuse_beyond(&folder, u64::MAX).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::ENOSPC));
        assert!(refuse_beyond(Path::new("/no/such/folder"), u64::MAX).is_ok());
    }
}
