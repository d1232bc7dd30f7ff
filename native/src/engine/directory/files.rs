//! Which files a directory has: in memory, on disk, and still being written.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;
use tantivy::directory::MmapDirectory;

/// A file that lies on disk.
#[derive(Clone, Copy)]
pub(super) struct DiskFile {
    pub(super) bytes: u64,
    pub(super) hash: u32,
    pub(super) synced: bool,
}

/// A file that lies in memory.
#[derive(Clone)]
pub(super) struct MemoryFile {
    pub(super) bytes: Arc<[u8]>,
    pub(super) hash: u32,
}

/// The files by their names.
#[derive(Default)]
pub(super) struct State {
    pub(super) memory: HashMap<PathBuf, MemoryFile>,
    pub(super) disk: HashMap<PathBuf, DiskFile>,
    /// Deleted here, still named by the manifest on disk.
    pub(super) tombs: HashSet<PathBuf>,
    pub(super) writing: HashSet<PathBuf>,
}

/// What clones of a directory share.
pub(super) struct Inner {
    pub(super) root: PathBuf,
    pub(super) disk: MmapDirectory,
    pub(super) state: RwLock<State>,
    pub(super) closed: AtomicBool,
    pub(super) frozen: AtomicBool,
    pub(super) spill_bytes: usize,
}

impl Inner {
    /// Bytes of the files that are not on disk.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        let state = self.state.read();
        state.memory.values().map(|f| f.bytes.len() as u64).sum()
    }

    /// Refuses where the index is closed.
    pub(super) fn writable(&self) -> io::Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(io::Error::other("the index is closed"));
        }
        Ok(())
    }
}

/// A file of these bytes.
pub(super) fn in_memory(bytes: &[u8]) -> MemoryFile {
    MemoryFile {
        hash: crc32fast::hash(bytes),
        bytes: Arc::from(bytes),
    }
}
