//! Files on their way to the disk: what a checkpoint makes durable, and what becomes of the files then.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::directory::files::{DiskFile, MemoryFile};
use crate::engine::directory::{WriteBehind, META};
use crate::engine::manifest::FileRecord;
use crate::engine::room;

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

impl WriteBehind {
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
                    self.inner.writable()?;
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
        if !unlink.is_empty() {
            // The library goes on knowing each file that was ever mapped, until it is asked for what it knows.
            self.inner.disk.get_cache_info();
        }
        for path in unlink {
            // A file that stays behind is swept at the next open.
            let _ = fs::remove_file(self.inner.root.join(path));
        }
        moved
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
