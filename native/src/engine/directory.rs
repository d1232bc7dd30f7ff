//! A write-behind directory for the text index. New files live in memory (large ones on disk, not
//! yet synced) until a checkpoint makes them durable. The text index deletes and replaces files as
//! it likes; what the last manifest names stays on disk until the next manifest is in place.

pub mod aside;
mod files;
mod growing;
pub mod image;

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    FileHandle, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::Directory;

use crate::engine::directory::files::{in_memory, DiskFile, Inner, State};
use crate::engine::directory::growing::Growing;
use crate::engine::manifest::FileRecord;

/// The file that lists the segments; it lives in memory and, by the manifest, on disk.
pub const META: &str = "meta.json";
/// Files above this size go to disk while they are written.
pub const SPILL_BYTES: usize = 4 << 20;

/// The segment that a file belongs to: what its name begins with.
pub fn segment_of(path: &Path) -> Option<&str> {
    Some(path.to_str()?.split_once('.')?.0)
}

/// The directory; clones share one state. Nobody asks it for locks: the list of segments says which files go, and when.
#[derive(Clone)]
pub struct WriteBehind {
    inner: Arc<Inner>,
}

impl fmt::Debug for WriteBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteBehind({:?})", self.inner.root)
    }
}

impl WriteBehind {
    /// Opens a folder that exists. `files` are the durable files, verified by the caller; `meta`
    /// is the list of segments that goes with them, absent for a new index.
    pub fn open(
        root: &Path,
        files: &[FileRecord],
        meta: Option<&str>,
        spill_bytes: usize,
    ) -> io::Result<WriteBehind> {
        let mut state = State::default();
        for file in files {
            let known = DiskFile {
                bytes: file.bytes,
                hash: file.hash,
                synced: true,
            };
            state.disk.insert(PathBuf::from(&file.name), known);
        }
        if let Some(meta) = meta {
            state.memory.insert(META.into(), in_memory(meta.as_bytes()));
        }
        let disk = MmapDirectory::open(root).map_err(io::Error::other)?;
        Ok(WriteBehind {
            inner: Arc::new(Inner {
                root: root.to_path_buf(),
                disk,
                state: RwLock::new(state),
                closed: AtomicBool::new(false),
                frozen: AtomicBool::new(false),
                spill_bytes,
            }),
        })
    }

    /// From now on nothing is written to the folder any more.
    pub fn close(&self) {
        self.inner.closed.store(true, Ordering::SeqCst);
    }

    /// Makes no file from now on, and lets those under way come to nothing: a merge fails, and
    /// its segments stay. What is there can still be made durable.
    pub fn freeze(&self) {
        self.inner.frozen.store(true, Ordering::SeqCst);
    }

    /// Deletes all files of segments, by their ids.
    pub fn delete_segments(&self, ids: &HashSet<String>) {
        if ids.is_empty() {
            return;
        }
        let of_one = |path: &&PathBuf| segment_of(path).is_some_and(|id| ids.contains(id));
        let files: Vec<PathBuf> = {
            let state = self.inner.state.read();
            let all = state.memory.keys().chain(state.disk.keys());
            all.filter(of_one).cloned().collect()
        };
        for file in files {
            // Deleted before, and still on disk until the next manifest.
            let _ = self.delete(&file);
        }
    }

    /// Removes files of a segment that no list has ever named, at once: a full disk has room again, and no manifest
    /// needs them.
    fn remove_unlisted(&self, files: &[PathBuf]) {
        let mut state = self.inner.state.write();
        for file in files {
            state.tombs.remove(file);
            // Those that were not finished have gone by themselves.
            if state.memory.remove(file).is_none() && state.disk.remove(file).is_some() {
                // What stays is swept at the next open.
                let _ = fs::remove_file(self.inner.root.join(file));
            }
        }
    }

    /// Names of the files that the index has.
    #[cfg(test)]
    pub(super) fn names(&self) -> std::collections::BTreeSet<PathBuf> {
        let state = self.inner.state.read();
        let disk = state
            .disk
            .keys()
            .filter(|path| !state.tombs.contains(*path));
        state.memory.keys().chain(disk).cloned().collect()
    }

    /// (bytes in memory, bytes on disk) of the files that the index still has.
    pub fn bytes(&self) -> (u64, u64) {
        let memory = self.inner.bytes_in_memory();
        let state = self.inner.state.read();
        let disk = state
            .disk
            .iter()
            .filter(|(path, _)| !state.tombs.contains(*path))
            .map(|(_, file)| file.bytes)
            .sum();
        (memory, disk)
    }
}

impl Directory for WriteBehind {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let state = self.inner.state.read();
        if let Some(file) = state.memory.get(path) {
            return Ok(Arc::new(OwnedBytes::new(file.bytes.clone())));
        }
        if !state.disk.contains_key(path) || state.tombs.contains(path) {
            return Err(OpenReadError::FileDoesNotExist(path.to_path_buf()));
        }
        drop(state);
        self.inner.disk.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut state = self.inner.state.write();
        if state.memory.remove(path).is_some() {
            return Ok(());
        }
        // On disk it stays until the next manifest is in place: the last one may name it, and a
        // checkpoint may be about to.
        if state.disk.contains_key(path) && state.tombs.insert(path.to_path_buf()) {
            return Ok(());
        }
        Err(DeleteError::FileDoesNotExist(path.to_path_buf()))
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        let state = self.inner.state.read();
        Ok(state.memory.contains_key(path)
            || state.writing.contains(path)
            || (state.disk.contains_key(path) && !state.tombs.contains(path)))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner
            .writable()
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_path_buf()))?;
        let mut state = self.inner.state.write();
        // A buried file keeps its name until the next manifest: nothing may be written over it.
        if state.memory.contains_key(path)
            || state.disk.contains_key(path)
            || !state.writing.insert(path.to_path_buf())
        {
            return Err(OpenWriteError::FileAlreadyExists(path.to_path_buf()));
        }
        let growing = Growing::new(self.inner.clone(), path.to_path_buf());
        Ok(BufWriter::new(Box::new(growing)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        match self.inner.state.read().memory.get(path) {
            Some(file) => Ok(file.bytes.to_vec()),
            None => Err(OpenReadError::FileDoesNotExist(path.to_path_buf())),
        }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.writable()?;
        let file = in_memory(data);
        self.inner.state.write().memory.insert(path.into(), file);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
