//! What was applied since the last commit: segments that no view shows yet, and what is to be deleted in those that views
//! show.

use std::collections::{BTreeSet, HashMap};

use tantivy::index::SegmentMeta;
use tantivy::indexer::{AddOperation, SegmentWriter};
use tantivy::{DocId, Index, Segment, TantivyDocument};

use crate::engine::directory::aside::Aside;
use crate::failure::Failure;

/// Memory that a segment may take while it is written; then another begins.
const SEGMENT_BYTES_MAX: usize = 32_000_000;
/// Memory by which the table of its terms is made: it grows with them. One for half a million terms costs as much as a small
/// batch.
const FIRST_BYTES: usize = 1_000_000;

/// The changes since the last commit. Dropped, they leave no file.
#[derive(Default)]
pub(super) struct Changes {
    /// Segments that are complete.
    pub(super) written: Vec<Written>,
    open: Option<NewSegment>,
    /// Documents of committed segments to delete.
    pub(super) deletes: Vec<u64>,
}

/// A segment that was written and is not committed.
pub(super) struct Written {
    pub(super) meta: SegmentMeta,
    pub(super) documents: Newcomers,
    pub(super) aside: Aside,
}

/// The documents of such a segment.
#[derive(Default)]
pub(super) struct Newcomers {
    pub(super) ords: Vec<u64>,
    places: HashMap<u64, DocId>,
    /// Those that were deleted since.
    pub(super) dead: BTreeSet<DocId>,
}

impl Newcomers {
    fn push(&mut self, ord: u64) {
        self.places.insert(ord, self.ords.len() as DocId);
        self.ords.push(ord);
    }

    /// Deletes a document; gives whether it was there.
    fn delete(&mut self, ord: u64) -> bool {
        let place = self.places.get(&ord);
        place.is_some_and(|document| self.dead.insert(*document))
    }
}

struct NewSegment {
    segment: Segment,
    writer: SegmentWriter,
    documents: Newcomers,
    aside: Aside,
}

impl NewSegment {
    fn begin(aside: Aside, index: &Index) -> Result<NewSegment, Failure> {
        let segment = index.new_segment();
        let writer = SegmentWriter::for_segment(FIRST_BYTES, segment.clone())?;
        Ok(NewSegment {
            segment,
            writer,
            documents: Newcomers::default(),
            aside,
        })
    }

    fn finish(self) -> Result<Written, Failure> {
        let documents = self.writer.max_doc();
        self.writer.finalize()?;
        Ok(Written {
            meta: self.segment.with_max_doc(documents).meta().clone(),
            documents: self.documents,
            aside: self.aside,
        })
    }
}

impl Changes {
    /// Adds a document; `begin` makes the index of a new segment.
    pub(super) fn add(
        &mut self,
        ord: u64,
        document: TantivyDocument,
        begin: impl FnOnce() -> Result<(Aside, Index), Failure>,
    ) -> Result<(), Failure> {
        // A segment has each number once.
        let open = self.open.as_ref();
        if open.is_some_and(|open| open.documents.places.contains_key(&ord)) {
            self.finish_open()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let (aside, index) = begin()?;
                none.insert(NewSegment::begin(aside, &index)?)
            }
        };
        let opstamp = 0;
        open.writer
            .add_document(AddOperation { opstamp, document })?;
        open.documents.push(ord);
        if open.writer.mem_usage() >= SEGMENT_BYTES_MAX {
            self.finish_open()?;
        }
        Ok(())
    }

    /// Deletes a document as it is now: what is added later under its number stays.
    pub(super) fn delete(&mut self, ord: u64) {
        let open = self.open.iter_mut().map(|open| &mut open.documents);
        let written = self.written.iter_mut().rev().map(|one| &mut one.documents);
        if !open.chain(written).any(|documents| documents.delete(ord)) {
            self.deletes.push(ord);
        }
    }

    /// Completes the segment that is being written.
    pub(super) fn finish_open(&mut self) -> Result<(), Failure> {
        if let Some(open) = self.open.take() {
            self.written.push(open.finish()?);
        }
        Ok(())
    }
}
