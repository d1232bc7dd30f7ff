//! One immutable, published view of an index: text and vectors appear in it together.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use tantivy::DocId;

use crate::analysis::Analyzer;
use crate::engine::column::{self, Columns, Place};
use crate::engine::definition::Definition;
use crate::engine::facts::Facts;
use crate::engine::long_words::LongWords;
use crate::engine::rates::Editions;
use crate::engine::segment::{SegmentView, NONE};
use crate::failure::Failure;
use crate::space::{Kind, Space};
use crate::vectors::{Links, VectorSet};

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
    /// By which neighbours are found among them: as they were when this view was built, so that its lists stay as they are.
    pub links: Option<Arc<Links>>,
    /// The vector space of `vectors`.
    pub space: Arc<Space>,
    /// Vector slot → global position, `NONE` when the slot isn't live in this view. The view
    /// knows the slots below `slot_positions.len()`; later ones belong to later views.
    pub slot_positions: Vec<u32>,
    /// Vectors that are live in this view.
    pub live_vectors: u32,
    /// Mean cosine of documents of this view, once a search over hashed vectors asked for it.
    pub(crate) likeness: OnceLock<f32>,
    /// Click rates of the documents; the views of an index share them.
    pub rates: Arc<Editions>,
    /// The generation from which on the index shows this: its own, unless it was merged since, or opened again as it had been
    /// closed.
    pub(crate) since: AtomicU64,
    /// The generation that took this one's place, `u64::MAX` while it is the newest.
    pub(crate) superseded: AtomicU64,
    /// Milliseconds since the process began when that was.
    pub(crate) superseded_ms: AtomicU64,
    /// Milliseconds since the process began when it was last searched, 0 = never.
    pub(crate) searched: AtomicU64,
    /// The greatest `Use` so far.
    pub(crate) used: AtomicU8,
}

/// Pairs of documents whose cosines tell how alike the documents of a view are.
const LIKENESS_PAIRS: usize = 128;
/// What an open segment of a few documents takes, its text in memory included.
const READER_BYTES: usize = 32 * 1024;

fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared) as usize
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
        self.segments[segment].numbers.ords[document as usize]
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

    /// The columns of a place in every segment, in the order of segments.
    pub fn columns(&self, place: &Place) -> Result<Vec<Columns>, Failure> {
        let segments = self.segments.iter();
        column::open(segments.map(|s| (s.base, s.reader.as_ref())), place)
    }

    /// Lengths and dates of the documents of a segment.
    pub fn facts(&self, segment: usize) -> Result<&Facts, Failure> {
        let segment = &self.segments[segment];
        if let Some(known) = segment.facts.get() {
            return Ok(known);
        }
        let opened = Facts::open(&self.definition, &segment.reader)?;
        Ok(segment.facts.get_or_init(|| opened))
    }

    /// The long words of a segment, which views read once, for as long as `go_on` lets them: that takes longer than a search.
    pub fn long_words(
        &self,
        segment: usize,
        go_on: impl FnMut() -> Result<(), Failure>,
    ) -> Result<&LongWords, Failure> {
        let segment = &self.segments[segment];
        if let Some(known) = segment.long_words.get() {
            return Ok(known);
        }
        let words = segment.reader.inverted_index(self.definition.words)?;
        let read = LongWords::read(&words, go_on)?;
        Ok(segment.long_words.get_or_init(|| read))
    }

    /// Whether anybody asked for the long words of this view.
    pub(super) fn has_long_words(&self) -> bool {
        let mut segments = self.segments.iter();
        segments.any(|segment| segment.long_words.get().is_some())
    }

    /// Reads those of all segments ahead, so that no search waits for them: a large segment's take .1 s.
    pub(super) fn read_long_words(&self) -> Result<(), Failure> {
        (0..self.segments.len())
            .try_for_each(|segment| self.long_words(segment, || Ok(())).map(drop))
    }

    /// The unit vector of a text in the space of this view, and of terms besides that it means; `None` when the space knows
    /// nothing of it, and always in a given space.
    pub fn embed_query(&self, text: &str, meant: &[String]) -> Option<Vec<f32>> {
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
            for term in analyzer.said_forms(text) {
                *own.entry(term.text).or_default() += 1;
            }
            for (term, count) in own {
                let known = counts.entry(term).or_default();
                *known = count.max(*known);
            }
        }
        for term in meant {
            counts.entry(term.clone()).or_insert(1);
        }
        let mut out = vec![0.0; self.space.dimensions()];
        let mut terms = counts.iter().map(|(term, count)| (term.as_str(), *count));
        self.space.embed(&mut terms, &mut out).then_some(out)
    }

    /// Whether its vectors are made of words, and do not come from outside.
    pub fn makes_vectors(&self) -> bool {
        self.space.kind() != Kind::Given
    }

    /// The cosine above which a document counts as a neighbour: that of the space, and where its vectors are hashed at
    /// least what any two documents have. Nothing weighs words there, so long texts are all alike, and each would be
    /// near whatever is near one of them.
    pub fn cut(&self) -> f32 {
        let cut = self.space.cut();
        match self.space.kind() {
            Kind::Hashed => cut.max(*self.likeness.get_or_init(|| self.mean_cosine())),
            _ => cut,
        }
    }

    /// Mean cosine of pairs of live documents, spread over all of them; 0 without a pair.
    fn mean_cosine(&self) -> f32 {
        let slots = 0..self.slot_positions.len() as u32;
        let slots: Vec<u32> = slots
            .filter(|slot| self.slot_positions[*slot as usize] != NONE)
            .collect();
        let count = slots.len();
        if count < 2 {
            return 0.0;
        }
        let mut vector = vec![0.0; self.space.dimensions()];
        let cosines = (0..LIKENESS_PAIRS).map(|pair| {
            let first = pair * count / LIKENESS_PAIRS;
            // Never the same one; the prime takes it to others each time round.
            let second = (first + 1 + pair * 7919 % (count - 1)) % count;
            self.vectors.copy_into(slots[first], &mut vector);
            self.vectors.cosine(slots[second], &vector)
        });
        cosines.sum::<f32>() / LIKENESS_PAIRS as f32
    }

    /// Whether its lists are those of another view: what a merge makes differs in nothing that a list shows.
    pub(crate) fn shows_as(&self, other: &Snapshot) -> bool {
        let links = [self, other].map(|view| view.links.as_ref().map(address));
        self.sequence == other.sequence
            && self.live_vectors == other.live_vectors
            && links[0] == links[1]
            && Arc::ptr_eq(&self.space, &other.space)
    }

    /// How many vectors its links know.
    pub(crate) fn linked(&self) -> u32 {
        self.links.as_ref().map_or(0, |links| links.indexed())
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
            let documents = segment.numbers.ords.len();
            bytes += size_of::<SegmentView>();
            if seen.insert(address(&segment.reader)) {
                bytes += READER_BYTES + documents / 8;
            }
            if seen.insert(address(&segment.numbers.ords)) {
                let sorted = segment
                    .numbers
                    .by_ord
                    .as_ref()
                    .map_or(0, |sorted| sorted.len());
                bytes += documents * 8 + sorted * 16;
            }
            if seen.insert(address(&segment.long_words)) {
                bytes += segment.long_words.get().map_or(0, LongWords::bytes);
            }
            if seen.insert(address(&segment.slots)) {
                bytes += documents * 4;
            }
        }
        if seen.insert(address(&self.vectors)) {
            bytes += self.vectors.bytes();
            seen.extend(self.vectors.links().as_ref().map(address));
        }
        if let Some(links) = &self.links {
            if seen.insert(address(links)) {
                bytes += links.bytes();
            }
        }
        if seen.insert(address(&self.space)) {
            bytes += self.space.memory_bytes();
        }
        bytes
    }
}
