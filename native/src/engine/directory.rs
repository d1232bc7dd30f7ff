//! A write-behind directory for the text index. New files live in memory (large ones on disk, not
//! yet synced) until a checkpoint makes them durable. The text index deletes and replaces files as
//! it likes; what the last manifest names stays on disk until the next manifest is in place.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, RwLock};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};
use tantivy::Directory;

use crate::engine::manifest::FileRecord;
use crate::engine::room;

/// The file that lists the segments; it lives in memory and, by the manifest, on disk.
pub const META: &str = "meta.json";
const MANAGED: &str = ".managed.json";
/// Files above this size go to disk while they are written.
pub const SPILL_BYTES: usize = 4 << 20;
/// Memory that the files of an index may take where the disk has no room for those that are large.
const UNSPILLED_BYTES_MAX: u64 = 256 << 20;
/// Bytes of such a file that are written between two looks at the room on the disk.
const ROOM_STEP_BYTES: u64 = 1 << 20;
const LOCK_WAIT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy)]
struct DiskFile {
    bytes: u64,
    hash: u32,
    synced: bool,
}

#[derive(Clone)]
struct MemoryFile {
    bytes: Arc<[u8]>,
    hash: u32,
}

#[derive(Default)]
struct State {
    memory: HashMap<PathBuf, MemoryFile>,
    disk: HashMap<PathBuf, DiskFile>,
    /// Deleted here, still named by the manifest on disk.
    tombs: HashSet<PathBuf>,
    writing: HashSet<PathBuf>,
}

struct Inner {
    root: PathBuf,
    disk: MmapDirectory,
    state: RwLock<State>,
    locks: Mutex<HashSet<PathBuf>>,
    unlocked: Condvar,
    closed: AtomicBool,
    frozen: AtomicBool,
    spill_bytes: usize,
}

impl Inner {
    fn bytes_in_memory(&self) -> u64 {
        let state = self.state.read();
        state.memory.values().map(|f| f.bytes.len() as u64).sum()
    }
}

/// The directory; clones share one state.
#[derive(Clone)]
pub struct WriteBehind {
    inner: Arc<Inner>,
}

impl fmt::Debug for WriteBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriteBehind({:?})", self.inner.root)
    }
}

/// What a checkpoint makes durable: the list of segments as it was at one moment, and the files
/// that it names.
pub struct Image {
    /// The text of the segment list.
    pub meta: Arc<[u8]>,
    files: Vec<(PathBuf, Place)>,
    tombs: Vec<PathBuf>,
}

impl Image {
    fn bytes_in_memory(&self) -> u64 {
        let bytes = self.files.iter().map(|(_, place)| match place {
            Place::Memory(file) => file.bytes.len() as u64,
            Place::Disk(_) => 0,
        });
        bytes.sum()
    }
}

enum Place {
    Memory(MemoryFile),
    Disk(DiskFile),
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
            let mut managed: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
            managed.push(META);
            let managed = serde_json::to_vec(&managed)?;
            state.memory.insert(META.into(), in_memory(meta.as_bytes()));
            state.memory.insert(MANAGED.into(), in_memory(&managed));
        }
        let disk = MmapDirectory::open(root).map_err(io::Error::other)?;
        Ok(WriteBehind {
            inner: Arc::new(Inner {
                root: root.to_path_buf(),
                disk,
                state: RwLock::new(state),
                locks: Mutex::default(),
                unlocked: Condvar::new(),
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

    /// The state to make durable. Only files that the list of segments names are in it: segments
    /// that are still being made stay where they are.
    pub fn image(&self) -> io::Result<Image> {
        let state = self.inner.state.read();
        let meta = state
            .memory
            .get(Path::new(META))
            .ok_or_else(|| io::Error::other("the index has no list of segments"))?;
        let named = named_by(&meta.bytes)?;
        let memory = state
            .memory
            .iter()
            .filter(|(path, _)| is_named(path, &named))
            .map(|(path, file)| (path.clone(), Place::Memory(file.clone())));
        let disk = state
            .disk
            .iter()
            .filter(|(path, _)| is_named(path, &named) && !state.tombs.contains(*path))
            .map(|(path, file)| (path.clone(), Place::Disk(*file)));
        Ok(Image {
            meta: meta.bytes.clone(),
            files: memory.chain(disk).collect(),
            tombs: state.tombs.iter().cloned().collect(),
        })
    }

    /// Writes and syncs the files of an image, with a call of `step` after each. The manifest may
    /// name them afterwards. Nothing is written where the disk has no room for all.
    pub fn persist(&self, image: &Image, step: &mut dyn FnMut()) -> io::Result<Persisted> {
        let mut out = Persisted::default();
        room::refuse_beyond(&self.inner.root, image.bytes_in_memory())?;
        for (path, place) in &image.files {
            let (bytes, hash) = match place {
                Place::Memory(file) => {
                    self.writable()?;
                    let mut target = File::create(self.inner.root.join(path))?;
                    target.write_all(&file.bytes)?;
                    target.sync_data()?;
                    out.written += 1;
                    out.bytes += file.bytes.len() as u64;
                    step();
                    (file.bytes.len() as u64, file.hash)
                }
                Place::Disk(file) => {
                    if !file.synced {
                        File::open(self.inner.root.join(path))?.sync_data()?;
                        out.written += 1;
                        out.bytes += file.bytes;
                    }
                    (file.bytes, file.hash)
                }
            };
            out.files.push(FileRecord {
                name: path.to_string_lossy().into_owned(),
                bytes,
                hash,
            });
        }
        out.files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(out)
    }

    /// Call when no manifest is to name the image's files after all: what `persist` wrote goes, and stays in memory.
    pub fn withdraw(&self, image: &Image) {
        for (path, place) in &image.files {
            if matches!(place, Place::Memory(_)) {
                // What stays behind is written over the next time, or swept at the next open.
                let _ = fs::remove_file(self.inner.root.join(path));
            }
        }
    }

    /// Call once the manifest that names the image's files is durable: forgets the copies in
    /// memory and removes the files that only the manifest before needed. Returns the names that
    /// went from memory to disk.
    pub fn settle(&self, image: Image) -> Vec<PathBuf> {
        let mut moved = Vec::new();
        let mut unlink = Vec::new();
        {
            let mut state = self.inner.state.write();
            for path in image.tombs {
                if state.tombs.remove(&path) {
                    state.disk.remove(&path);
                    unlink.push(path);
                }
            }
            for (path, place) in image.files {
                match place {
                    Place::Memory(file) => {
                        let known = DiskFile {
                            bytes: file.bytes.len() as u64,
                            hash: file.hash,
                            synced: true,
                        };
                        state.disk.insert(path.clone(), known);
                        if state.memory.remove(&path).is_some() {
                            moved.push(path);
                        } else {
                            // Deleted while it was written: the new manifest still names it.
                            state.tombs.insert(path);
                        }
                    }
                    Place::Disk(_) => {
                        if let Some(file) = state.disk.get_mut(&path) {
                            file.synced = true;
                        }
                    }
                }
            }
        }
        for path in unlink {
            // A file that stays behind is swept at the next open.
            let _ = fs::remove_file(self.inner.root.join(path));
        }
        moved
    }

    fn writable(&self) -> io::Result<()> {
        if self.inner.closed.load(Ordering::SeqCst) {
            return Err(io::Error::other("the index is closed"));
        }
        Ok(())
    }
}

/// What `persist` did.
#[derive(Default)]
pub struct Persisted {
    /// All files of the image.
    pub files: Vec<FileRecord>,
    /// Files written or synced now.
    pub written: u32,
    /// Their bytes.
    pub bytes: u64,
}

fn in_memory(bytes: &[u8]) -> MemoryFile {
    MemoryFile {
        hash: crc32fast::hash(bytes),
        bytes: Arc::from(bytes),
    }
}

/// Segments of a list of segments: id without dashes → stamp of its delete file.
fn named_by(meta: &[u8]) -> io::Result<HashMap<String, Option<u64>>> {
    let meta: serde_json::Value = serde_json::from_slice(meta)?;
    let segments = meta["segments"].as_array();
    let named = segments.into_iter().flatten().filter_map(|segment| {
        let id = segment["segment_id"].as_str()?.replace('-', "");
        Some((id, segment["deletes"]["opstamp"].as_u64()))
    });
    Ok(named.collect())
}

fn is_named(path: &Path, named: &HashMap<String, Option<u64>>) -> bool {
    let Some((id, rest)) = path.to_str().and_then(|name| name.split_once('.')) else {
        return false;
    };
    match named.get(id) {
        None => false,
        Some(deletes) => match rest.strip_suffix(".del") {
            Some(stamp) => stamp.parse().ok() == *deletes,
            None => rest != "store.temp",
        },
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
        self.writable()
            .map_err(|error| OpenWriteError::wrap_io_error(error, path.to_path_buf()))?;
        let mut state = self.inner.state.write();
        // A buried file keeps its name until the next manifest: nothing may be written over it.
        if state.memory.contains_key(path)
            || state.disk.contains_key(path)
            || !state.writing.insert(path.to_path_buf())
        {
            return Err(OpenWriteError::FileAlreadyExists(path.to_path_buf()));
        }
        Ok(BufWriter::new(Box::new(Growing {
            path: path.to_path_buf(),
            directory: self.clone(),
            buffer: Vec::new(),
            file: None,
            bytes: 0,
            roomy: self.inner.spill_bytes as u64,
            hash: crc32fast::Hasher::new(),
            done: false,
        })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        match self.inner.state.read().memory.get(path) {
            Some(file) => Ok(file.bytes.to_vec()),
            None => Err(OpenReadError::FileDoesNotExist(path.to_path_buf())),
        }
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.writable()?;
        let file = in_memory(data);
        self.inner.state.write().memory.insert(path.into(), file);
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let mut held = self.inner.locks.lock();
        while held.contains(&lock.filepath) {
            if !lock.is_blocking
                || self
                    .inner
                    .unlocked
                    .wait_for(&mut held, LOCK_WAIT)
                    .timed_out()
            {
                return Err(LockError::LockBusy);
            }
        }
        held.insert(lock.filepath.clone());
        Ok(DirectoryLock::from(Box::new(Held {
            inner: self.inner.clone(),
            path: lock.filepath.clone(),
        })))
    }

    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

struct Held {
    inner: Arc<Inner>,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.inner.locks.lock().remove(&self.path);
        self.inner.unlocked.notify_all();
    }
}

/// A file that is being written: in memory until it is large.
struct Growing {
    path: PathBuf,
    directory: WriteBehind,
    buffer: Vec<u8>,
    file: Option<File>,
    bytes: u64,
    /// Up to this length it may grow where it is.
    roomy: u64,
    hash: crc32fast::Hasher,
    done: bool,
}

impl Growing {
    /// To be called before the file grows beyond `roomy`: from there on it is on disk, or stays
    /// in memory where the disk has no room. So an index whose files hold less than the records
    /// can be opened on a full disk, too.
    fn go_on(&mut self, more: usize) -> io::Result<()> {
        let inner = &self.directory.inner;
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
            self.directory.writable()?;
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
        let inner = &self.directory.inner;
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
        let mut state = self.directory.inner.state.write();
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
        self.directory
            .inner
            .state
            .write()
            .writing
            .remove(&self.path);
        if self.file.take().is_some() {
            let _ = fs::remove_file(self.directory.inner.root.join(&self.path));
        }
    }
}
