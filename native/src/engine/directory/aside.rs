//! A directory for one segment: its files go where those of all segments go, and the lists that the library keeps beside
//! them stay here. So segments are made side by side, and what comes to nothing leaves no file.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::directory::error::{DeleteError, OpenReadError, OpenWriteError};
use tantivy::directory::{FileHandle, WatchCallback, WatchHandle, WritePtr};
use tantivy::Directory;

use crate::engine::directory::WriteBehind;

/// Where one segment is made; clones share what is kept beside it.
#[derive(Debug, Clone)]
pub struct Aside {
    to: WriteBehind,
    beside: Arc<Mutex<Beside>>,
}

#[derive(Debug, Default)]
struct Beside {
    lists: HashMap<PathBuf, Vec<u8>>,
    /// Files that were begun.
    files: Vec<PathBuf>,
}

impl Aside {
    /// For a new segment of this directory.
    pub fn of(to: &WriteBehind) -> Aside {
        Aside {
            to: to.clone(),
            beside: Arc::default(),
        }
    }

    /// Removes the files that were made: the segment is not to be.
    pub fn discard(&self) {
        for file in self.beside.lock().files.drain(..) {
            // Those that were not finished have gone by themselves.
            let _ = self.to.delete(&file);
        }
    }
}

impl Directory for Aside {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.to.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.to.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.to.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.to.open_write(path)?;
        self.beside.lock().files.push(path.to_path_buf());
        Ok(file)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let list = self.beside.lock().lists.get(path).cloned();
        list.ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_path_buf()))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let list = (path.to_path_buf(), data.to_vec());
        self.beside.lock().lists.extend([list]);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.to.watch(callback)
    }
}
