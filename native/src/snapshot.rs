//! One immutable, published view of an index: text and vectors appear in it together.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use tantivy::{DocId, SegmentReader};

use crate::analysis::Analyzer;
use crate::definition::Definition;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::rates::Editions;
use crate::space::Space;
use crate::vectors::VectorSet;

/// Stands for "no slot" and "no position".
pub const NONE: u32 = u32::MAX;

/// What a view was used for: the later in this list, the longer it is held for more of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Somebody searched it.
    Searched,
    /// Somebody may go on in it: it was named, or a page of it was not the last.
    Offered,
    /// Somebody went on in it.
    Continued,
}

/// A published view. A search works on one of these from its first to its last step.
pub struct Snapshot {
    /// The number of the publication, unique in the process and ascending over all indices.
    pub generation: u64,
    /// The sequence of the records that this view contains.
    pub sequence: u64,
    /// Fields and analyzers.
    pub definition: Arc<Definition>,
    /// Segments in order; a global position is `base + doc id`.
    pub segments: Vec<SegmentView>,
    /// All positions, deleted documents included (the sum of `max_doc`).
    pub documents: u32,
    /// Documents that are not deleted.
    pub live: u32,
    /// The vectors; only those that `slot_positions` maps belong to this view.
    pub vectors: Arc<VectorSet>,
    /// The vector space of `vectors`.
    pub space: Arc<Space>,
    /// Vector slot → global position, `NONE` when the slot isn't live in this view. The view
    /// knows the slots below `slot_positions.len()`; later ones belong to later views.
    pub slot_positions: Vec<u32>,
    /// Vectors that are live in this view.
    pub live_vectors: u32,
    /// Click rates of the documents; the views of an index share them.
    pub rates: Arc<Editions>,
    /// The generation that took this one's place, `u64::MAX` while it is the newest.
    pub(crate) superseded: AtomicU64,
    /// Milliseconds since the process began when that was.
    pub(crate) superseded_ms: AtomicU64,
    /// Milliseconds since the process began when it was last searched, 0 = never.
    pub(crate) searched: AtomicU64,
    /// The greatest `Use` so far.
    pub(crate) used: AtomicU8,
}

/// What an open segment of a few documents takes, its text in memory included.
const READER_BYTES: usize = 32 * 1024;

fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared) as usize
}

/// One segment inside a snapshot.
#[derive(Clone)]
pub struct SegmentView {
    /// The text of the segment; views share it as long as nothing of it is deleted.
    pub reader: Arc<SegmentReader>,
    /// Global position of its document 0.
    pub base: u32,
    /// Document → ord.
    pub ords: Arc<Vec<u64>>,
    /// (ord, document), sorted; `None` when `ords` itself ascends.
    pub by_ord: Option<Arc<Vec<(u64, u32)>>>,
    /// Document → vector slot, `NONE` for a document without a vector.
    pub slots: Arc<Vec<u32>>,
    /// Smallest and largest ord, deleted documents included.
    pub range: (u64, u64),
    /// Once they were asked for.
    pub(crate) facts: Arc<OnceLock<Facts>>,
}

impl SegmentView {
    /// The document of an ord in this segment, deleted or not.
    pub fn document_of(&self, ord: u64) -> Option<DocId> {
        if ord < self.range.0 || ord > self.range.1 {
            return None;
        }
        match &self.by_ord {
            Some(sorted) => sorted
                .binary_search_by_key(&ord, |pair| pair.0)
                .ok()
                .map(|i| sorted[i].1),
            None => self.place_of(ord).map(|i| i as u32),
        }
    }

    /// The place of an ord among ascending ones, given that it is within their range. Each ord is
    /// there once: only those that are missing move it from where counting up would find it.
    fn place_of(&self, ord: u64) -> Option<usize> {
        let last = self.ords.len() - 1;
        let behind = usize::try_from(self.range.1 - ord).unwrap_or(usize::MAX);
        let before = usize::try_from(ord - self.range.0).unwrap_or(usize::MAX);
        let (least, most) = (last.saturating_sub(behind), last.min(before));
        let found = self.ords[least..=most].binary_search(&ord);
        found.ok().map(|at| least + at)
    }

    /// Whether the document is not deleted.
    pub fn is_live(&self, document: DocId) -> bool {
        !self.reader.is_deleted(document)
    }
}

impl Snapshot {
    /// Global position of a live document.
    pub fn position_of(&self, ord: u64) -> Option<u32> {
        self.segments.iter().rev().find_map(|segment| {
            let document = segment.document_of(ord)?;
            segment.is_live(document).then_some(segment.base + document)
        })
    }

    /// (index of the segment, document in it) of a global position below `documents`.
    pub fn locate(&self, position: u32) -> (usize, DocId) {
        let index = self
            .segments
            .partition_point(|segment| segment.base <= position)
            .saturating_sub(1);
        (index, position - self.segments[index].base)
    }

    /// The ord at a global position below `documents`.
    pub fn ord_of(&self, position: u32) -> u64 {
        let (segment, document) = self.locate(position);
        self.segments[segment].ords[document as usize]
    }

    /// The vector slot of the document at a position, `NONE` without a vector.
    pub fn slot_at(&self, position: u32) -> u32 {
        let (segment, document) = self.locate(position);
        self.segments[segment].slots[document as usize]
    }

    /// Whether the document at a position is not deleted.
    pub fn is_live(&self, position: u32) -> bool {
        let (segment, document) = self.locate(position);
        self.segments[segment].is_live(document)
    }

    /// The position of a slot that is live in this view.
    pub fn position_of_slot(&self, slot: u32) -> Option<u32> {
        self.slot_positions
            .get(slot as usize)
            .copied()
            .filter(|position| *position != NONE)
    }

    /// Lengths and dates of the documents of a segment.
    pub fn facts(&self, segment: usize) -> Result<&Facts, Failure> {
        let segment = &self.segments[segment];
        if let Some(known) = segment.facts.get() {
            return Ok(known);
        }
        let opened = Facts::open(&self.definition, segment)?;
        Ok(segment.facts.get_or_init(|| opened))
    }

    /// The unit vector of a text in the space of this view; `None` when the space knows nothing of
    /// it, and always in a given space.
    pub fn embed_query(&self, text: &str) -> Option<Vec<f32>> {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut used: Vec<&Arc<Analyzer>> = Vec::new();
        for analyzer in self
            .definition
            .vectorized()
            .filter_map(|f| f.search_analyzer.as_ref())
        {
            if used.iter().any(|other| Arc::ptr_eq(other, analyzer)) {
                continue;
            }
            used.push(analyzer);
            let mut own: BTreeMap<String, u32> = BTreeMap::new();
            analyzer.for_each(text, |term, _| {
                *own.entry(term.to_owned()).or_default() += 1
            });
            for (term, count) in own {
                let known = counts.entry(term).or_default();
                *known = count.max(*known);
            }
        }
        let mut out = vec![0.0; self.space.dimensions()];
        let mut terms = counts.iter().map(|(term, count)| (term.as_str(), *count));
        self.space.embed(&mut terms, text, &mut out).then_some(out)
    }

    pub(crate) fn mark_used(&self, what: Use, now_ms: u64) {
        self.searched.store(now_ms.max(1), Ordering::Relaxed);
        self.used.fetch_max(what as u8, Ordering::Relaxed);
    }

    /// Bytes of what it holds beside the parts whose addresses were seen before, which views share;
    /// adds its own to them. What the reader of a segment holds is an estimate.
    pub(crate) fn bytes_beyond(&self, seen: &mut HashSet<usize>) -> usize {
        let mut bytes = self.slot_positions.len() * 4;
        for segment in &self.segments {
            let documents = segment.ords.len();
            bytes += size_of::<SegmentView>();
            if seen.insert(address(&segment.reader)) {
                bytes += READER_BYTES + documents / 8;
            }
            if seen.insert(address(&segment.ords)) {
                let sorted = segment.by_ord.as_ref().map_or(0, |sorted| sorted.len());
                bytes += documents * 8 + sorted * 16;
            }
            if seen.insert(address(&segment.slots)) {
                bytes += documents * 4;
            }
        }
        if seen.insert(address(&self.vectors)) {
            bytes += self.vectors.bytes();
        }
        if seen.insert(address(&self.space)) {
            bytes += self.space.memory_bytes();
        }
        bytes
    }
}
