//! The dense lists in which a text search adds up its scores.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::index::SegmentId;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::engine::bits::Bits;
use crate::engine::lengths::Lengths;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::matched::Matched;
use crate::search::text::postings::Postings;
use crate::search::text::text_matches::TextMatches;

/// Positions that are added up together.
pub const WINDOW: usize = 1024;
/// Of these, positions that are blended and harvested together.
pub const BLOCK: usize = 64;
/// Cached (segment, field) lengths per thread.
const LENGTHS_MAX: usize = 4096;
/// Of lists that have more than this share of the documents it is not asked which have the clause often: they weigh little.
const OFTEN: usize = 8;
/// Entries of postings that are read before they are added up, and kept from one search to the next, per thread; over more
/// documents as many as these.
const ENTRIES_MAX: usize = 1 << 17;
/// Sets of documents of each kind that are kept from one search to the next, per thread.
const SETS_MAX: usize = 128;

/// The lists that a search adds up in; they are kept from one search to the next.
#[derive(Default)]
pub struct Scratch {
    /// Per position of a window: weighted frequency of the clause at hand.
    pub frequencies: Vec<f32>,
    /// Positions in the window of the documents of the clause at hand, and room for one more.
    pub touched: Vec<u16>,
    /// Per position: the combined field's denominator part. They are kept from one search to the next over the same view and
    /// fields.
    pub norms: Vec<f32>,
    /// Per window of each segment whether its `norms` are known.
    pub norms_known: Vec<bool>,
    /// What `norms` belongs to: a generation, and the weight of each field.
    norms_of: (u64, Vec<(Field, u32)>),
    /// Per position of a window, or of the view when `is_whole`: score of the combined field.
    pub combined: Vec<f32>,
    /// Per field, and position as in `combined`: score of the field alone. All zero between searches.
    pub fields: Vec<Vec<f32>>,
    /// Whether sums are kept for all positions of the view.
    pub is_whole: bool,
    /// Whether they hold what was added up before.
    pub has_sums: bool,
    /// Lists of postings: those of a clause one after the other, by field.
    pub postings: Vec<Postings>,
    /// The documents of the clause at hand.
    pub documents: Bits,
    /// Per clause of a pair and field: its documents.
    pub known: Vec<Bits>,
    /// By the same numbers, those that have it more than once; without room where that was not asked.
    pub often: Vec<Bits>,
    /// The documents of which the score is wanted in any case.
    pub also: Bits,
    /// The words of each match, when they are wanted.
    pub matched: Option<Matched>,
    lengths: HashMap<LengthsOf, Lengths>,
    /// Documents of a state of a segment that are deleted.
    deleted: Vec<DocId>,
    deleted_of: Option<(SegmentId, u32)>,
    /// The lists of matches of an earlier search, empty.
    spare: (Vec<u32>, Vec<f32>),
    /// Those of what their fields score.
    spare_sums: (Vec<f32>, Vec<f32>),
}

/// A field of a segment of which so many documents are deleted.
type LengthsOf = (SegmentId, u32, Field);

impl Scratch {
    /// Takes back the lists in which it was kept what matches have.
    pub fn take_back(&mut self, mut matched: Matched) {
        if self.known.is_empty() {
            self.known = std::mem::take(&mut matched.having);
            self.known.truncate(SETS_MAX);
        }
        matched.titles.clear();
        matched.bodies.clear();
        self.spare_sums = (matched.titles, matched.bodies);
    }

    /// A place for what matches have.
    pub fn begin_matched(&mut self) {
        let mut matched = Matched::default();
        (matched.titles, matched.bodies) = std::mem::take(&mut self.spare_sums);
        self.matched = Some(matched);
    }

    /// Takes back the lists of matches.
    pub fn take_back_matches(&mut self, matches: TextMatches) {
        if matches.positions.capacity() > self.spare.0.capacity() {
            self.spare = (matches.positions, matches.scores);
            self.spare.0.clear();
            self.spare.1.clear();
        }
    }

    /// Empty lists of matches.
    pub fn take_spare(&mut self) -> (Vec<u32>, Vec<f32>) {
        std::mem::take(&mut self.spare)
    }

    /// Makes the lists long enough for windows, or for all positions.
    pub fn make_room(&mut self, documents: usize, fields: usize, is_whole: bool) {
        self.is_whole = is_whole;
        self.frequencies.resize(WINDOW, 0.0);
        self.touched.resize(WINDOW + 1, 0);
        let length = WINDOW + if is_whole { documents } else { 0 };
        if self.fields.len() < fields {
            self.fields.resize_with(fields, Vec::new);
        }
        let lists = self.fields[..fields].iter_mut();
        for list in lists.chain([&mut self.combined]) {
            if list.len() < length {
                list.resize(length, 0.0);
            }
        }
        if self.norms.len() < documents + WINDOW {
            self.norms.resize(documents + WINDOW, 0.0);
        }
    }

    /// Where the sums of a window begin.
    pub fn place_of(&self, window: &Range<u32>) -> usize {
        if self.is_whole {
            window.start as usize
        } else {
            0
        }
    }

    /// Forgets what `norms` hold unless they belong to these.
    pub fn keep_norms(&mut self, of: (u64, Vec<(Field, u32)>)) {
        if self.norms_of != of {
            self.norms_known.clear();
            self.norms_of = of;
        }
    }

    /// Keeps the documents of a clause, given where its postings begin; or also those that have it often.
    pub fn remember(
        &mut self,
        clause: usize,
        postings: Range<usize>,
        documents: usize,
        often: bool,
    ) {
        let fields = postings.len();
        let end = (clause + 1) * fields;
        for sets in [&mut self.known, &mut self.often] {
            if sets.len() < end {
                sets.resize_with(end, Bits::default);
            }
        }
        let own = clause * fields..end;
        let sets = self.known[own.clone()].iter_mut().zip(&mut self.often[own]);
        for ((known, more), postings) in sets.zip(&self.postings[postings]) {
            // A set without room has no documents either.
            let is_used = !postings.positions.is_empty();
            known.reset(if is_used { documents } else { 0 });
            let is_split = often && is_used && postings.positions.len() * OFTEN < documents;
            more.reset(if is_split { documents } else { 0 });
            if is_split {
                known.set_both(more, &postings.positions, &postings.frequencies);
            } else {
                known.set_all(&postings.positions);
            }
        }
    }

    /// Keeps the documents of a clause in `documents`, and counts them; those of its fields are known where it was remembered
    /// under this number.
    pub fn count_documents(
        &mut self,
        remembered: Option<usize>,
        postings: Range<usize>,
        room: usize,
    ) -> usize {
        let fields = postings.len();
        self.documents.reset(room);
        match remembered {
            Some(clause) => {
                let known = self.known[clause * fields..(clause + 1) * fields].iter();
                let lists = known.zip(&self.postings[postings]);
                let used = lists.filter(|(_, list)| !list.positions.is_empty());
                used.for_each(|(bits, _)| self.documents.or(bits));
            }
            None => {
                let lists = self.postings[postings].iter();
                lists.for_each(|list| self.documents.set_all(&list.positions));
            }
        }
        self.documents.count()
    }

    /// Forgets postings and sets of which there are more than are worth keeping.
    pub fn trim(&mut self, documents: usize) {
        self.known.truncate(SETS_MAX);
        self.often.truncate(SETS_MAX);
        let most = entries_max(documents);
        let mut kept = 0;
        for list in &mut self.postings {
            kept += list.positions.capacity();
            if kept > most {
                kept -= list.positions.capacity();
                *list = Postings::default();
            }
        }
    }

    /// Lengths of a field over the live documents of a view.
    pub fn lengths_of(&mut self, snapshot: &Snapshot, field: Field) -> Result<Lengths, Failure> {
        let mut sum = Lengths {
            least: u8::MAX,
            ..Lengths::default()
        };
        for segment in &snapshot.segments {
            let own = self.lengths_in(&segment.reader, field)?;
            sum.tokens += own.tokens;
            sum.documents += own.documents;
            sum.least = sum.least.min(own.least);
        }
        Ok(sum)
    }

    /// Those of a segment. Each write that replaces a document of a large one makes another state of it: its documents
    /// are counted once, and in each state those that are deleted.
    fn lengths_in(&mut self, reader: &SegmentReader, field: Field) -> Result<Lengths, Failure> {
        // What is deleted stays so: as many are the same ones.
        let (id, state) = (reader.segment_id(), reader.num_deleted_docs());
        if let Some(known) = self.lengths.get(&(id, state, field)) {
            return Ok(*known);
        }
        let whole = match self.lengths.get(&(id, 0, field)) {
            Some(known) => *known,
            None => {
                let counted = Lengths::count(reader, field, 0..reader.max_doc())?;
                self.keep_lengths((id, 0, field), counted)
            }
        };
        let Some(alive) = reader.alive_bitset() else {
            return Ok(whole);
        };
        if self.deleted_of != Some((id, state)) {
            let all = 0..reader.max_doc();
            self.deleted.clear();
            self.deleted
                .extend(all.filter(|document| alive.is_deleted(*document)));
            self.deleted_of = Some((id, state));
        }
        let deleted = Lengths::count(reader, field, self.deleted.iter().copied())?;
        Ok(self.keep_lengths((id, state, field), whole.without(deleted)))
    }

    fn keep_lengths(&mut self, of: LengthsOf, lengths: Lengths) -> Lengths {
        if self.lengths.len() >= LENGTHS_MAX {
            self.lengths.clear();
        }
        self.lengths.insert(of, lengths);
        lengths
    }
}

/// Entries of postings that are read before they are added up.
pub fn entries_max(documents: usize) -> usize {
    2 * documents.max(ENTRIES_MAX)
}
