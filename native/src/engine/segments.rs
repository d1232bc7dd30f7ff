//! The committed segments of an index, and what is deleted in them. Tantivy's own writer has such a list, too, with a thread
//! that changes it, one that writes and one that merges: a commit of a few documents would be handed over four times.

use std::collections::HashSet;
use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use parking_lot::{Condvar, Mutex};
use tantivy::directory::OwnedBytes;
use tantivy::fastfield::{write_alive_bitset, AliveBitSet};
use tantivy::index::{IndexMeta, SegmentComponent, SegmentId, SegmentMeta};
use tantivy::{BitSet, Directory, DocId, Index, Segment, SegmentReader, TantivyError};

use crate::engine::changes::Changes;
use crate::engine::directory::aside::Aside;
use crate::engine::directory::image::Image;
use crate::engine::directory::{WriteBehind, META};
use crate::engine::facts::Facts;
use crate::engine::long_words::LongWords;
use crate::engine::segment::{Numbers, SegmentView, NONE};
use crate::failure::Failure;
use crate::vectors::VectorSet;

/// The segments, shared with the thread that merges them.
pub(super) struct Segments {
    index: Index,
    directory: WriteBehind,
    pub(super) list: Mutex<List>,
    /// Nothing is being merged any more, or somebody commits.
    pub(super) moved_on: Condvar,
}

/// Which segments there are.
pub(super) struct List {
    pub(super) listed: Vec<Listed>,
    /// Whether some of them are being merged: by one thread at a time.
    pub(super) is_merging: bool,
    /// How many commits there were.
    pub(super) commits: u64,
    /// Vector set that the slots belong to.
    slots_of: Option<Arc<VectorSet>>,
    /// Number of the newest deletion.
    edition: u64,
}

/// A committed segment: what is deleted in it, and what the views of the last time had of it.
#[derive(Clone)]
pub(super) struct Listed {
    pub(super) segment: Segment,
    pub(super) numbers: Numbers,
    /// Absent while nothing is deleted.
    deletions: Option<Deletions>,
    /// The edition of them that the directory has a file of.
    saved: Option<u64>,
    reader: Option<Arc<SegmentReader>>,
    slots: Option<Arc<Vec<u32>>>,
    facts: Arc<OnceLock<Facts>>,
    long_words: Arc<OnceLock<LongWords>>,
}

/// What is deleted in a segment.
#[derive(Clone)]
struct Deletions {
    alive: AliveBitSet,
    /// As the file of them has it.
    bytes: OwnedBytes,
    /// Names the file: later ones have a larger number.
    edition: u64,
}

impl Deletions {
    fn open(bytes: OwnedBytes, edition: u64) -> Deletions {
        Deletions {
            alive: AliveBitSet::open(bytes.clone()),
            bytes,
            edition,
        }
    }
}

impl Listed {
    pub(super) fn new(segment: Segment, numbers: Numbers) -> Listed {
        Listed {
            segment,
            numbers,
            deletions: None,
            saved: None,
            reader: None,
            slots: None,
            facts: Arc::default(),
            long_words: Arc::default(),
        }
    }

    pub(super) fn id(&self) -> SegmentId {
        self.segment.id()
    }

    /// The documents that are not deleted; `None` while that is all of them.
    pub(super) fn alive(&self) -> Option<&AliveBitSet> {
        self.deletions.as_ref().map(|deletions| &deletions.alive)
    }

    /// How many that are.
    pub(super) fn live(&self) -> u32 {
        let all = self.segment.meta().max_doc();
        self.alive().map_or(all, |a| a.num_alive_docs() as u32)
    }

    pub(super) fn is_live(&self, document: DocId) -> bool {
        self.alive().is_none_or(|a| a.is_alive(document))
    }

    /// By which deletions of before are told from those of now.
    pub(super) fn edition(&self) -> Option<u64> {
        self.deletions.as_ref().map(|deletions| deletions.edition)
    }

    /// As the list of segments has it, and whoever decides what to merge.
    pub(super) fn meta(&self) -> SegmentMeta {
        let meta = self.segment.meta().clone();
        match self.edition() {
            None => meta,
            Some(edition) => {
                let deleted = meta.max_doc() - self.live();
                meta.with_delete_meta(deleted, edition)
            }
        }
    }

    /// Deletes documents; the caller takes a number for it from the list.
    pub(super) fn delete(&mut self, documents: &[DocId], edition: u64) -> Result<(), Failure> {
        let mut set = BitSet::with_max_value_and_full(self.segment.meta().max_doc());
        if let Some(alive) = self.alive() {
            set.intersect_update(alive.bitset());
        }
        for document in documents {
            set.remove(*document);
        }
        let mut bytes = Vec::new();
        write_alive_bitset(&set, &mut bytes)?;
        self.deletions = Some(Deletions::open(OwnedBytes::new(bytes), edition));
        self.reader = None;
        Ok(())
    }

    /// Name of the file of an edition of its deletions.
    fn file_of(&self, edition: u64) -> PathBuf {
        let meta = self.segment.meta().clone().with_delete_meta(0, edition);
        meta.relative_path(SegmentComponent::Delete)
    }
}

impl Segments {
    /// Those of an index as it was opened or made.
    pub(super) fn open(index: Index, directory: WriteBehind) -> Result<Segments, Failure> {
        let meta = index.load_metas()?;
        let mut listed = Vec::with_capacity(meta.segments.len());
        for known in meta.segments {
            // Deletions are ours: the library would look for its own file of them.
            let segment = index.segment(index.new_segment_meta(known.id(), known.max_doc()));
            let reader = SegmentReader::open(&segment)?;
            let mut one = Listed::new(segment, Numbers::read(&reader)?);
            if let Some(edition) = known.delete_opstamp() {
                let file = directory.open_read(&one.file_of(edition));
                let bytes = file.map_err(TantivyError::from)?.read_bytes()?;
                one.deletions = Some(Deletions::open(bytes, edition));
                one.saved = Some(edition);
            } else {
                one.reader = Some(Arc::new(reader));
            }
            listed.push(one);
        }
        Ok(Segments {
            index,
            directory,
            list: Mutex::new(List {
                listed,
                is_merging: false,
                commits: 0,
                slots_of: None,
                edition: meta.opstamp,
            }),
            moved_on: Condvar::new(),
        })
    }

    /// An index for one new segment.
    pub(super) fn begin(&self) -> Result<(Aside, Index), Failure> {
        let aside = Aside::of(&self.directory);
        let (schema, settings) = (self.index.schema(), self.index.settings().clone());
        let mut index = Index::create(aside.clone(), schema, settings)?;
        index.set_tokenizers(self.index.tokenizers().clone());
        Ok((aside, index))
    }

    /// A segment that was made aside.
    pub(super) fn segment(&self, meta: &SegmentMeta) -> Segment {
        let meta = self.index.new_segment_meta(meta.id(), meta.max_doc());
        self.index.segment(meta)
    }

    pub(super) fn directory(&self) -> &WriteBehind {
        &self.directory
    }

    /// Takes changes into the list.
    pub(super) fn commit(&self, changes: Changes) -> Result<(), Failure> {
        let mut list = self.list.lock();
        list.delete(&changes.deletes)?;
        for written in changes.written {
            let documents = written.documents;
            let numbers = Numbers::of(documents.ords);
            let mut one = Listed::new(self.segment(&written.meta), numbers);
            if !documents.dead.is_empty() {
                let dead: Vec<DocId> = documents.dead.into_iter().collect();
                one.delete(&dead, list.next_edition())?;
            }
            written.aside.keep();
            list.listed.push(one);
        }
        list.commits += 1;
        self.moved_on.notify_all();
        if !list.is_merging {
            self.drop_empty(&mut list);
        }
        Ok(())
    }

    /// Drops the segments of which nothing is left.
    pub(super) fn drop_empty(&self, list: &mut List) {
        let (kept, empty) = take(&mut list.listed)
            .into_iter()
            .partition(|one| one.live() > 0);
        list.listed = kept;
        self.remove_files(&empty);
    }

    /// Removes the files of segments that are not in the list any more.
    pub(super) fn remove_files(&self, gone: &[Listed]) {
        let ids: HashSet<String> = gone.iter().map(|one| one.id().uuid_string()).collect();
        self.directory.delete_segments(&ids);
    }

    /// What a view is made of: readers and columns are those of the view before, as far as nothing changed.
    pub(super) fn views(&self, vectors: &Arc<VectorSet>) -> Result<Vec<SegmentView>, Failure> {
        let mut list = self.list.lock();
        let same = list.slots_of.as_ref();
        if !same.is_some_and(|before| Arc::ptr_eq(before, vectors)) {
            list.forget_slots();
            list.slots_of = Some(vectors.clone());
        }
        let mut base = 0;
        let views = list.listed.iter_mut().map(|one| {
            let reader = match &one.reader {
                Some(reader) => reader.clone(),
                None => {
                    let alive = one.alive().cloned();
                    let opened = SegmentReader::open_with_custom_alive_set(&one.segment, alive)?;
                    one.reader.insert(Arc::new(opened)).clone()
                }
            };
            let slots = one.slots.get_or_insert_with(|| {
                let ords = one.numbers.ords.iter();
                Arc::new(ords.map(|o| vectors.slot_of(*o).unwrap_or(NONE)).collect())
            });
            let view = SegmentView {
                base,
                numbers: one.numbers.clone(),
                slots: slots.clone(),
                facts: one.facts.clone(),
                long_words: one.long_words.clone(),
                reader,
            };
            base += one.numbers.ords.len() as u32;
            Ok(view)
        });
        views.collect()
    }

    /// Whether a view has other segments than these.
    pub(super) fn differ_from(&self, view: &[SegmentView]) -> bool {
        let list = self.list.lock();
        let ids = list.listed.iter().map(Listed::id);
        !ids.eq(view.iter().map(|segment| segment.reader.segment_id()))
    }

    /// Vectors were given to documents that were published without one.
    pub(super) fn forget_slots(&self) {
        self.list.lock().forget_slots();
    }

    /// Files of these segments went from memory to disk: the next view reads them there.
    pub(super) fn forget_readers(&self, ids: &HashSet<String>) {
        for one in &mut self.list.lock().listed {
            if ids.contains(&one.id().uuid_string()) {
                one.reader = None;
                one.facts = Arc::default();
            }
        }
    }

    /// Has the directory show the list as it is: deletions, and the file that names all others. Gives what is to be made
    /// durable, before a merge can take files away that the list names.
    pub(super) fn save(&self) -> Result<Image, Failure> {
        let mut list = self.list.lock();
        for one in &mut list.listed {
            let Some(deletions) = &one.deletions else {
                continue;
            };
            let edition = Some(deletions.edition);
            if one.saved != edition {
                let file = one.file_of(deletions.edition);
                self.directory.atomic_write(&file, &deletions.bytes)?;
                if let Some(before) = one.saved {
                    // Gone already, where it never came to disk.
                    let _ = self.directory.delete(&one.file_of(before));
                }
                one.saved = edition;
            }
        }
        let meta = IndexMeta {
            index_settings: self.index.settings().clone(),
            segments: list.listed.iter().map(Listed::meta).collect(),
            opstamp: list.edition,
            ..IndexMeta::with_schema(self.index.schema())
        };
        let json = serde_json::to_vec(&meta).map_err(io::Error::from)?;
        self.directory.atomic_write(META.as_ref(), &json)?;
        Ok(self.directory.image()?)
    }
}

impl List {
    /// A number for deletions that are about to be.
    pub(super) fn next_edition(&mut self) -> u64 {
        self.edition += 1;
        self.edition
    }

    fn delete(&mut self, ords: &[u64]) -> Result<(), Failure> {
        let mut documents: Vec<Vec<DocId>> = vec![Vec::new(); self.listed.len()];
        for ord in ords {
            // One document of a number is live, at most.
            for (one, documents) in self.listed.iter().zip(&mut documents).rev() {
                let found = one.numbers.document_of(*ord);
                if let Some(document) = found.filter(|document| one.is_live(*document)) {
                    documents.push(document);
                    break;
                }
            }
        }
        for (one, documents) in self.listed.iter_mut().zip(documents) {
            if !documents.is_empty() {
                self.edition += 1;
                one.delete(&documents, self.edition)?;
            }
        }
        Ok(())
    }

    fn forget_slots(&mut self) {
        for one in &mut self.listed {
            one.slots = None;
        }
    }
}
