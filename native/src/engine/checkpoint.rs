//! What makes a commit durable: the files of text, vectors and space, and the manifest that counts on them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::iter;
use std::sync::atomic::Ordering;
use std::sync::Arc;

use super::directory::image::Image;
use super::directory::segment_of;
use super::writing::Writing;
use super::{room, Engine, Vectors};
use crate::engine::manifest::{self, FileRecord, Manifest, VectorsRecord};
use crate::failure::Failure;
use crate::space::Space;
use crate::vectors::Saved;

/// Dead vectors that are worth a new set.
const COMPACT_MIN: u32 = 256;

/// What a checkpoint made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checkpointed {
    /// The sequence that the files contain.
    pub sequence: u64,
    /// Files written, 0 when nothing had changed.
    pub files: u32,
    /// Bytes of the text files and the manifest that were written.
    pub bytes: u64,
}

/// What the folder holds.
#[derive(Default)]
pub(super) struct Durable {
    pub(super) mark: String,
    pub(super) meta: Arc<[u8]>,
    pub(super) sequence: u64,
    pub(super) number: u64,
    pub(super) vectors: Option<Saved>,
    pub(super) space: Option<FileRecord>,
    pub(super) space_id: u32,
    pub(super) valid: bool,
}

impl Durable {
    /// Bytes of the files of the vectors and their space.
    fn bytes_beside_text(&self) -> u64 {
        let space = self.space.iter().map(|file| file.bytes);
        let vectors = self.vectors.iter();
        let files = vectors.flat_map(|saved| iter::once(&saved.flat).chain(&saved.graph));
        space.chain(files.map(|mark| mark.bytes)).sum()
    }

    /// Whether nothing changed since these files were written.
    fn holds(&self, image: &Image, sequence: u64, vectors: &Vectors) -> bool {
        self.valid
            && self.meta == image.meta
            && self.sequence == sequence
            && self.number == vectors.number
            && self.space_id == vectors.space.id()
            && self
                .vectors
                .as_ref()
                .is_some_and(|saved| vectors.set.is_held_by(saved))
    }
}

impl Engine {
    /// Makes the last commit durable: text, vectors, space and manifest.
    pub fn checkpoint(&self) -> Result<Checkpointed, Failure> {
        self.write_files(None, &mut || {})
    }

    /// `checkpoint` under a mark, by which whoever opens the folder knows what it is of. Where nothing
    /// had changed, the files keep the mark that they have.
    pub fn checkpoint_as(&self, mark: String) -> Result<Checkpointed, Failure> {
        self.write_files(Some(mark), &mut || {})
    }

    /// `checkpoint` with a call between any two changes of the folder: a crash there must leave
    /// either the state before or the state after.
    pub fn checkpoint_by_steps(&self, step: &mut dyn FnMut()) -> Result<Checkpointed, Failure> {
        self.write_files(None, step)
    }

    pub(super) fn note_durable(&self, durable: &mut Durable, now: Durable) {
        let bytes = now.bytes_beside_text();
        self.bytes_beside_text.store(bytes, Ordering::Relaxed);
        *durable = now;
    }

    fn write_files(
        &self,
        mark: Option<String>,
        step: &mut dyn FnMut(),
    ) -> Result<Checkpointed, Failure> {
        let mut durable = self.durable.lock();
        self.views.release_old();
        let mut writing = self.write()?;
        self.compact(&mut writing)?;
        let image = self.segments.save()?;
        let sequence = writing.sequence;
        let vectors = self.vectors.read().clone();
        drop(writing);
        if durable.holds(&image, sequence, &vectors) {
            return Ok(Checkpointed {
                sequence,
                ..Checkpointed::default()
            });
        }
        let mark = mark.unwrap_or_else(|| durable.mark.clone());
        let of = (mark, sequence);
        let (manifest, written) = self
            .write_parts(&image, &vectors, &durable, of, step)
            .inspect_err(|_| self.directory.withdraw(&image))?;
        Manifest::put_in_place(&self.root)?;
        step();
        let now = Durable {
            mark: manifest.mark.clone(),
            meta: image.meta.clone(),
            sequence,
            number: vectors.number,
            vectors: Some(manifest.vectors.saved.clone()),
            space: Some(manifest.space.clone()),
            space_id: vectors.space.id(),
            valid: true,
        };
        self.note_durable(&mut durable, now);
        let moved: HashSet<String> = self
            .directory
            .settle(image)
            .iter()
            .filter_map(|path| Some(segment_of(path)?.to_owned()))
            .collect();
        step();
        self.remove_stale(&manifest.names());
        self.segments.forget_readers(&moved);
        Ok(written)
    }

    /// What the manifest will name, and the manifest, beside the one that still counts. Where one of them can't be
    /// written, none is to stay.
    fn write_parts(
        &self,
        image: &Image,
        vectors: &Vectors,
        durable: &Durable,
        (mark, sequence): (String, u64),
        step: &mut dyn FnMut(),
    ) -> io::Result<(Manifest, Checkpointed)> {
        let persisted = self.directory.persist(image, step)?;
        let flat = format!("vectors-{}.flat", vectors.number);
        let graph = format!("vectors-{}.graph", vectors.number);
        let saved =
            vectors
                .set
                .save(&self.root.join(&flat), &self.root.join(&graph), &|bytes| {
                    room::refuse_beyond(&self.root, bytes)
                })?;
        step();
        let space = match &durable.space {
            Some(known) if durable.space_id == vectors.space.id() => known.clone(),
            _ => self.save_space(&vectors.space)?,
        };
        step();
        // Names first, then the manifest that counts on them.
        manifest::sync_folder(&self.root)?;
        let manifest = Manifest::new(
            self.definition.hash.clone(),
            mark,
            sequence,
            String::from_utf8_lossy(&image.meta).into_owned(),
            persisted.files,
            space,
            VectorsRecord { flat, graph, saved },
        );
        let bytes = manifest.write_beside(&self.root)?;
        let written = Checkpointed {
            sequence,
            files: persisted.written + 2,
            bytes: persisted.bytes + bytes,
        };
        Ok((manifest, written))
    }

    /// Leaves dead vectors behind when more than half are dead.
    fn compact(&self, writing: &mut Writing) -> Result<(), Failure> {
        let current = self.views.current();
        let vectors = self.vectors.read().clone();
        let all = vectors.set.len() as u32;
        let dead = all - current.live_vectors.min(all);
        let is_whole = writing.uncommitted == 0 && !writing.lost;
        if !is_whole || dead < COMPACT_MIN || dead <= all / 2 {
            return Ok(());
        }
        let kept = vectors
            .set
            .retain(|slot| current.position_of_slot(slot).is_some());
        self.replace_vectors(kept, vectors.space);
        let sequence = writing.sequence;
        self.publish(writing, sequence)?;
        Ok(())
    }

    fn save_space(&self, space: &Space) -> io::Result<FileRecord> {
        let bytes = space.to_bytes();
        let name = format!("space-{}.bin", space.id());
        room::refuse_beyond(&self.root, bytes.len() as u64)?;
        let mut file = fs::File::create(self.root.join(&name))?;
        io::Write::write_all(&mut file, &bytes)?;
        file.sync_all()?;
        Ok(FileRecord {
            name,
            bytes: bytes.len() as u64,
            hash: crc32fast::hash(&bytes),
        })
    }

    /// Removes vectors and spaces that the manifest doesn't name any more.
    fn remove_stale(&self, names: &HashSet<&str>) {
        let Ok(entries) = fs::read_dir(&self.root) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let ours = name.starts_with("vectors-") || name.starts_with("space-");
            if ours && !names.contains(name) {
                // What stays is swept at the next open.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The number in the name of a set's files.
pub(super) fn number_of(flat: &str) -> u64 {
    let digits = flat
        .trim_start_matches("vectors-")
        .trim_end_matches(".flat");
    digits.parse().unwrap_or(1)
}
