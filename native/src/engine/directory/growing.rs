//! A file of the text index while it is written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::Arc;

use tantivy::directory::{AntiCallToken, TerminatingWrite};

use crate::engine::directory::files::{DiskFile, Inner, MemoryFile};
use crate::engine::room;

/// Memory that the files of an index may take where the disk has no room for those that are large.
const UNSPILLED_BYTES_MAX: u64 = 256 << 20;

/// Bytes of such a file that are written between two looks at the room on the disk.
const ROOM_STEP_BYTES: u64 = 1 << 20;

/// A file that is being written: in memory until it is large.
pub(super) struct Growing {
    path: PathBuf,
    inner: Arc<Inner>,
    buffer: Vec<u8>,
    file: Option<File>,
    bytes: u64,
    /// Up to this length it may grow where it is.
    roomy: u64,
    hash: crc32fast::Hasher,
    done: bool,
}

impl Growing {
    /// An empty one; the caller has noted that it is being written.
    pub(super) fn new(inner: Arc<Inner>, path: PathBuf) -> Growing {
        Growing {
            path,
            roomy: inner.spill_bytes as u64,
            inner,
            buffer: Vec::new(),
            file: None,
            bytes: 0,
            hash: crc32fast::Hasher::new(),
            done: false,
        }
    }

    /// To be called before the file grows beyond `roomy`: from there on it is on disk, or stays
    /// in memory where the disk has no room. So an index whose files hold less than the records
    /// can be opened on a full disk, too.
    fn go_on(&mut self, more: usize) -> io::Result<()> {
        let inner = &self.inner;
        let wanted = self.bytes + more as u64 + ROOM_STEP_BYTES;
        let on_disk = if self.file.is_some() { self.bytes } else { 0 };
        let room = room::refuse_beyond(&inner.root, wanted - on_disk);
        if self.file.is_some() || inner.bytes_in_memory() + wanted > UNSPILLED_BYTES_MAX {
            room?;
        } else if room.is_err() {
            self.roomy = wanted;
            return Ok(());
        }
        if self.file.is_none() {
            inner.writable()?;
            let mut file = File::create(inner.root.join(&self.path))?;
            file.write_all(&self.buffer)?;
            self.buffer = Vec::new();
            self.file = Some(file);
        }
        self.roomy = wanted;
        Ok(())
    }
}

impl Write for Growing {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let inner = &self.inner;
        if inner.frozen.load(Ordering::Relaxed) {
            return Err(io::Error::other("no file of the index is made any more"));
        }
        if self.bytes + data.len() as u64 > self.roomy {
            self.go_on(data.len())?;
        }
        match &mut self.file {
            Some(file) => file.write_all(data)?,
            None => self.buffer.extend_from_slice(data),
        }
        self.hash.update(data);
        self.bytes += data.len() as u64;
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for Growing {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let hash = self.hash.clone().finalize();
        let mut state = self.inner.state.write();
        state.writing.remove(&self.path);
        if self.file.take().is_some() {
            let file = DiskFile {
                bytes: self.bytes,
                hash,
                synced: false,
            };
            state.disk.insert(self.path.clone(), file);
        } else {
            let bytes = Arc::from(std::mem::take(&mut self.buffer));
            let file = MemoryFile { bytes, hash };
            state.memory.insert(self.path.clone(), file);
        }
        self.done = true;
        Ok(())
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.inner.state.write().writing.remove(&self.path);
        if self.file.take().is_some() {
            let _ = fs::remove_file(self.inner.root.join(&self.path));
        }
    }
}
