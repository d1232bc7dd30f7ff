//! The dense lists in which a text search adds up its scores.

use std::collections::HashMap;

use tantivy::index::SegmentId;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::engine::bits::Bits;
use crate::engine::lengths::Lengths;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::blend::blend;
use crate::search::text::matched::Matched;
use crate::search::text::postings::Postings;
use crate::search::text::text_matches::TextMatches;

/// Cached (segment, field) lengths per thread.
const LENGTHS_MAX: usize = 4096;
/// Lists of the sums of fields that are kept for later searches, per thread.
const FIELDS_MAX: usize = 64;
/// Positions that are marked and harvested together.
pub const BLOCK: usize = 64;

/// The lists that a search adds up in; they are kept from one search to the next.
#[derive(Default)]
pub struct Scratch {
    /// Per position: weighted frequency of the clause at hand.
    pub frequencies: Vec<f32>,
    /// Per position: the combined field's denominator part, 0 = not yet known. They are kept from
    /// one search to the next over the same view and fields.
    pub norms: Vec<f32>,
    /// What `norms` belongs to: a generation, and the weight of each field.
    pub norms_of: (u64, Vec<(Field, u32)>),
    /// Per position: score of the combined field.
    pub combined: Vec<f32>,
    /// Per field, per position: score of the field alone. All zero between searches, those of
    /// one with features once they are given back.
    pub fields: Vec<Vec<f32>>,
    /// Per block of positions whether any of it matches a clause.
    pub marks: Vec<bool>,
    /// One list of postings per field.
    pub postings: Vec<Postings>,
    /// The documents of the clause at hand.
    pub touched: Vec<u32>,
    /// Per clause of a pair and field: its documents.
    pub known: Vec<Bits>,
    /// The words of each match, when they are wanted.
    pub matched: Option<Matched>,
    lengths: HashMap<LengthsOf, Lengths>,
    /// Documents of a state of a segment that are deleted.
    deleted: Vec<DocId>,
    deleted_of: Option<(SegmentId, Option<u64>)>,
}

/// A field of a segment in one state of its deletions; `None` stands for all documents.
type LengthsOf = (SegmentId, Option<u64>, Field);

impl Scratch {
    /// Takes back lists of sums that were wanted, all zero again.
    pub fn take_back(&mut self, mut matched: Matched) {
        for sums in &mut matched.sums {
            for block in &matched.blocks {
                let end = sums.len().min(block + BLOCK);
                sums[*block..end].fill(0.0);
            }
        }
        if self.fields.len() < FIELDS_MAX {
            self.fields.append(&mut matched.sums);
        }
        if self.known.is_empty() {
            self.known = matched.into_having();
        }
    }

    /// Makes the lists long enough.
    pub fn make_room(&mut self, documents: usize, fields: usize) {
        if self.combined.len() < documents {
            self.frequencies.resize(documents, 0.0);
            self.norms.resize(documents, 0.0);
            self.combined.resize(documents, 0.0);
        }
        if self.fields.len() < fields {
            self.fields.resize_with(fields, Vec::new);
        }
        for scores in &mut self.fields[..fields] {
            if scores.len() < documents {
                scores.resize(documents, 0.0);
            }
        }
        self.postings.resize_with(fields, Postings::default);
        self.marks
            .resize(self.combined.len().div_ceil(BLOCK), false);
    }

    /// Keeps the documents of a clause for its pairs.
    pub fn remember(&mut self, clause: usize, fields: usize, documents: usize) {
        let end = (clause + 1) * fields;
        if self.known.len() < end {
            self.known.resize_with(end, Bits::default);
        }
        let known = &mut self.known[clause * fields..end];
        for (bits, postings) in known.iter_mut().zip(&self.postings) {
            bits.reset(documents);
            bits.set_all(&postings.positions);
        }
    }

    /// Makes the list of matches and leaves all sums at zero again, but for those of fields when
    /// they are wanted: then it tells where they are not zero.
    pub fn harvest(
        &mut self,
        documents: usize,
        fields: usize,
        required: Option<&Bits>,
        filter: Option<&Bits>,
    ) -> TextMatches {
        let (mut positions, mut all) = (Vec::new(), Vec::new());
        let passes = |bits: Option<&Bits>, position| bits.is_none_or(|bits| bits.get(position));
        let mut scores = [0.0; BLOCK];
        for (block, mark) in self.marks.iter_mut().enumerate() {
            if !std::mem::take(mark) {
                continue;
            }
            let range = block * BLOCK..documents.min((block + 1) * BLOCK);
            let combined = &mut self.combined[range.clone()];
            let fields = self.fields[..fields].iter_mut();
            let sums = fields.map(|f| &mut f[range.clone()]);
            blend_block(combined, sums, self.matched.is_some(), &mut scores);
            if let Some(matched) = &mut self.matched {
                matched.blocks.push(range.start);
            }
            // Written always, kept if it is a match: no branch to guess wrong.
            let (mut found, mut count) = ([0usize; BLOCK], 0);
            for (at, combined) in combined.iter_mut().enumerate() {
                found[count] = at;
                count += usize::from(std::mem::take(combined) > 0.0);
            }
            for at in &found[..count] {
                let position = (range.start + at) as u32;
                if passes(required, position) && passes(filter, position) {
                    positions.push(position);
                    all.push(scores[*at]);
                }
            }
        }
        TextMatches::new(positions, all)
    }

    /// Lengths of a field over the live documents of a view.
    pub fn lengths_of(&mut self, snapshot: &Snapshot, field: Field) -> Result<Lengths, Failure> {
        let mut sum = Lengths::default();
        for segment in &snapshot.segments {
            let own = self.lengths_in(&segment.reader, field)?;
            sum.tokens += own.tokens;
            sum.documents += own.documents;
        }
        Ok(sum)
    }

    /// Those of a segment. Each write that replaces a document of a large one makes another state of it: its documents
    /// are counted once, and in each state those that are deleted.
    fn lengths_in(&mut self, reader: &SegmentReader, field: Field) -> Result<Lengths, Failure> {
        let (id, state) = (reader.segment_id(), reader.delete_opstamp());
        if let Some(known) = self.lengths.get(&(id, state, field)) {
            return Ok(*known);
        }
        let whole = match self.lengths.get(&(id, None, field)) {
            Some(known) => *known,
            None => {
                let counted = Lengths::count(reader, field, 0..reader.max_doc())?;
                self.keep_lengths((id, None, field), counted)
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

/// The blends of all places of a block; leaves the fields' sums at zero unless `kept`. Whole blocks, matches or
/// not: that goes many at a time.
fn blend_block<'a>(
    combined: &[f32],
    fields: impl Iterator<Item = &'a mut [f32]>,
    kept: bool,
    scores: &mut [f32; BLOCK],
) {
    let (mut best, mut sum) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    for scores in fields {
        for ((score, best), sum) in scores.iter().zip(&mut best).zip(&mut sum) {
            *best = if *score > *best { *score } else { *best };
            *sum += score;
        }
        if !kept {
            scores.fill(0.0);
        }
    }
    let parts = combined.iter().zip(best).zip(sum);
    for (score, ((combined, best), sum)) in scores.iter_mut().zip(parts) {
        *score = blend(*combined, best, sum);
    }
}
