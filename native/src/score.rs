//! The text leg: BM25 over weighted fields, all matches at once.
//!
//! Term by term, postings are added up in dense lists by global position. Everything that goes
//! into a score (document counts, lengths) counts live documents only, and each document's sums
//! are made in the order of the query, so a score does not depend on segments or merges.

use std::cell::RefCell;
use std::collections::HashMap;

use tantivy::index::SegmentId;
use tantivy::schema::Field;

use crate::bits::Bits;
use crate::clause::Pair;
use crate::failure::Failure;
use crate::lengths::{length_of, Lengths};
use crate::matched::{Matched, TERMS_MAX};
use crate::plan::{Plan, SearchField};
use crate::postings::{FieldReader, Postings};
use crate::snapshot::Snapshot;

/// Saturation of term frequencies (Robertson & Zaragoza 2009).
const K1: f32 = 1.2;
/// How much lengths count.
const B: f32 = 0.75;
/// What the fields besides the best one add.
const OTHERS: f32 = 0.5;
/// Documents whose words' places are read for pairs, per search and view.
const PAIR_DOCUMENTS_MAX: usize = 1024;
/// Cached (segment, field) lengths per thread.
const LENGTHS_MAX: usize = 4096;
/// Lists of the sums of fields that are kept for later searches, per thread.
const FIELDS_MAX: usize = 64;
/// Scores that are compared side by side.
const LANES: usize = 16;
/// Positions that are marked and harvested together.
const BLOCK: usize = 64;

/// The matches of a text search, positions ascending.
#[derive(Default, Debug)]
pub struct TextMatches {
    /// Global positions.
    pub positions: Vec<u32>,
    /// b(d) of each.
    pub scores: Vec<f32>,
    /// The numbers of the pairs that count: all, as long as they are cheap enough.
    pub pairs: Vec<usize>,
    /// The largest b(d).
    most: f32,
}

impl TextMatches {
    /// b(d) of the document at a position, if it matches.
    pub fn score_at(&self, position: u32) -> Option<f32> {
        let at = self.positions.binary_search(&position).ok()?;
        Some(self.scores[at])
    }

    /// The largest b(d), 0 without a match.
    pub fn max(&self) -> f32 {
        self.most
    }

    /// The list of some positions, ascending, and the score of each.
    pub fn new(positions: Vec<u32>, scores: Vec<f32>) -> TextMatches {
        TextMatches {
            most: largest(&scores).unwrap_or(0.0).max(0.0),
            positions,
            scores,
            pairs: Vec::new(),
        }
    }
}

/// The largest of some scores, `None` of none.
pub fn largest<S: Copy + PartialOrd>(scores: &[S]) -> Option<S> {
    // Side by side: one after the other each comparison would wait for the one before.
    let mut lanes = [*scores.first()?; LANES];
    let chunks = scores.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks.chain([rest]) {
        for (most, score) in lanes.iter_mut().zip(chunk) {
            *most = if *score > *most { *score } else { *most };
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for at in 0..width {
            let other = lanes[at + width];
            lanes[at] = if other > lanes[at] { other } else { lanes[at] };
        }
        width /= 2;
    }
    Some(lanes[0])
}

/// One searched field with what its formula needs.
pub struct FieldScorer<'a> {
    /// The field.
    pub field: &'a SearchField<'a>,
    /// Its postings.
    pub reader: FieldReader,
    /// Mean length over the live documents that have the field.
    pub mean: f32,
    /// Length code → the part of BM25's denominator that depends on the length.
    norms: Box<[f32; 256]>,
    /// Length code → what the field adds to that part of the combined field.
    shares: Box<[f32; 256]>,
}

/// The figures of one search over one view.
pub struct Scorer<'a> {
    /// The view.
    pub snapshot: &'a Snapshot,
    /// The searched fields that hold any text.
    pub fields: Vec<FieldScorer<'a>>,
    /// Mean weighted length over all live documents.
    pub mean: f32,
    /// Live documents.
    pub documents: f32,
}

#[derive(Default)]
struct Scratch {
    /// Per position: weighted frequency of the clause at hand.
    frequencies: Vec<f32>,
    /// Per position: the combined field's denominator part, 0 = not yet known. They are kept from
    /// one search to the next over the same view and fields.
    norms: Vec<f32>,
    /// What `norms` belongs to: a generation, and the weight of each field.
    norms_of: (u64, Vec<(Field, u32)>),
    /// Per position: score of the combined field.
    combined: Vec<f32>,
    /// Per field, per position: score of the field alone. All zero between searches, those of
    /// one with features once they are given back.
    fields: Vec<Vec<f32>>,
    /// Per block of positions whether any of it matches a clause.
    marks: Vec<bool>,
    /// One list of postings per field.
    postings: Vec<Postings>,
    /// The documents of the clause at hand.
    touched: Vec<u32>,
    /// Per clause of a pair and field: its documents.
    known: Vec<Bits>,
    /// The words of each match, when they are wanted.
    matched: Option<Matched>,
    lengths: HashMap<(SegmentId, Option<u64>, Field), Lengths>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// All live documents that match the plan (and the filter), with their scores.
pub fn score(
    snapshot: &Snapshot,
    plan: &Plan,
    filter: Option<&Bits>,
) -> Result<TextMatches, Failure> {
    if plan.clauses.is_empty() {
        return Ok(TextMatches::default());
    }
    // Taken out while in use: a panic or an error leaves a fresh one behind, never a dirty one.
    let mut scratch = SCRATCH.take();
    let scorer = Scorer::open_with(snapshot, plan, &mut scratch)?;
    let matches = scorer.run(plan, filter, &mut scratch)?;
    SCRATCH.replace(scratch);
    Ok(matches)
}

/// The same with the words that each document has; `give_back` when they were looked at.
pub fn score_with_words(
    snapshot: &Snapshot,
    plan: &Plan,
    filter: Option<&Bits>,
) -> Result<(TextMatches, Matched), Failure> {
    SCRATCH.with_borrow_mut(|scratch| scratch.matched = Some(Matched::default()));
    let found = score(snapshot, plan, filter);
    let matched = SCRATCH.with_borrow_mut(|scratch| scratch.matched.take());
    Ok((found?, matched.unwrap_or_default()))
}

/// Takes back the memory of what `score_with_words` found.
pub fn give_back(mut matched: Matched) {
    SCRATCH.with_borrow_mut(|scratch| {
        for sums in &mut matched.sums {
            for block in &matched.blocks {
                let end = sums.len().min(block + BLOCK);
                sums[*block..end].fill(0.0);
            }
        }
        if scratch.fields.len() < FIELDS_MAX {
            scratch.fields.append(&mut matched.sums);
        }
        if scratch.known.is_empty() {
            scratch.known = matched.into_having();
        }
    });
}

/// idf of a term that n of N documents have.
pub fn idf(documents: f32, with_term: usize) -> f32 {
    let n = with_term as f32;
    (1.0 + (documents - n + 0.5) / (n + 0.5)).ln()
}

/// The saturated frequency, given the part of the denominator that depends on the length.
#[inline]
pub fn saturated(frequency: f32, norm: f32) -> f32 {
    frequency * (K1 + 1.0) / (frequency + norm)
}

fn norm(length: f32, mean: f32) -> f32 {
    K1 * (1.0 - B + B * length / mean.max(f32::MIN_POSITIVE))
}

fn table(of: impl Fn(f32) -> f32) -> Box<[f32; 256]> {
    let mut values = Box::new([0.0; 256]);
    for (code, value) in values.iter_mut().enumerate() {
        *value = of(length_of(code as u8));
    }
    values
}

/// Half the combined field, half the best field with a part of the others.
#[inline]
pub fn blend(combined: f32, best: f32, sum: f32) -> f32 {
    quantized(0.5 * combined + 0.5 * (best + OTHERS * (sum - best)))
}

/// Rounds to 17 significant bits, so that the last bits of a sum don't decide an order.
fn quantized(score: f32) -> f32 {
    f32::from_bits((score.to_bits() + 0x40) & !0x7f)
}

impl FieldScorer<'_> {
    /// The denominator part of a length code.
    pub fn norm(&self, code: u8) -> f32 {
        self.norms[code as usize]
    }
}

impl<'a> Scorer<'a> {
    /// Opens the fields of a plan.
    pub fn open(snapshot: &'a Snapshot, plan: &'a Plan) -> Result<Scorer<'a>, Failure> {
        SCRATCH.with_borrow_mut(|scratch| Scorer::open_with(snapshot, plan, scratch))
    }

    fn open_with(
        snapshot: &'a Snapshot,
        plan: &'a Plan,
        scratch: &mut Scratch,
    ) -> Result<Scorer<'a>, Failure> {
        let mut fields = Vec::with_capacity(plan.fields.len());
        let mut tokens = 0.0;
        for field in &plan.fields {
            let lengths = scratch.lengths_of(snapshot, field.field)?;
            if lengths.tokens == 0 {
                continue;
            }
            let mean = lengths.tokens as f32 / lengths.documents as f32;
            tokens += f64::from(field.weight) * lengths.tokens as f64;
            fields.push(FieldScorer {
                field,
                reader: FieldReader::open(snapshot, field.field)?,
                mean,
                norms: table(|length| norm(length, mean)),
                shares: table(|_| 0.0),
            });
        }
        let mean = (tokens / f64::from(snapshot.live.max(1))) as f32;
        for field in &mut fields {
            let weight = field.field.weight;
            field.shares = table(|length| norm(weight * length, mean) - norm(0.0, mean));
        }
        Ok(Scorer {
            snapshot,
            fields,
            mean,
            documents: snapshot.live as f32,
        })
    }

    /// Weighted length of a document over all fields.
    pub fn length(&self, segment: usize, document: u32) -> f32 {
        let mut length = 0.0;
        for field in &self.fields {
            if let Some(segment) = field.reader.segment(segment) {
                length += field.field.weight * length_of(segment.length_code(document));
            }
        }
        length
    }

    /// The combined field's denominator part for a document.
    #[inline]
    pub fn norm(&self, segment: usize, document: u32) -> f32 {
        let mut sum = norm(0.0, 1.0);
        for field in &self.fields {
            if let Some(segment) = field.reader.segment(segment) {
                sum += field.shares[segment.length_code(document) as usize];
            }
        }
        sum
    }

    fn run(
        &self,
        plan: &Plan,
        filter: Option<&Bits>,
        scratch: &mut Scratch,
    ) -> Result<TextMatches, Failure> {
        let documents = self.snapshot.documents as usize;
        scratch.make_room(documents, self.fields.len());
        let weights = self.fields.iter().map(|f| (f.field.field, f.field.weight));
        let weights = weights.map(|(field, weight)| (field, weight.to_bits()));
        let norms_of = (self.snapshot.generation, weights.collect());
        if scratch.norms_of != norms_of {
            scratch.norms[..documents].fill(0.0);
            scratch.norms_of = norms_of;
        }
        let mut required: Option<Bits> = None;
        for (number, clause) in plan.clauses.iter().enumerate() {
            for (field, postings) in self.fields.iter().zip(&mut scratch.postings) {
                let ways = &clause.ways[field.field.group];
                field.reader.read(self.snapshot, ways, postings)?;
            }
            let mut pairs = plan.pairs.iter();
            let wanted = scratch.matched.is_some() && number < TERMS_MAX;
            if wanted || pairs.any(|p| p.first == number || p.second == number) {
                scratch.remember(number, self.fields.len(), documents);
            }
            self.add_fields(clause.count, scratch);
            self.add_combined(clause.count, scratch);
            if clause.required {
                let mut bits = Bits::new(documents);
                scratch.touched.iter().for_each(|p| bits.set(*p));
                match &mut required {
                    Some(all) => all.and(&bits),
                    None => required = Some(bits),
                }
            }
        }
        let pairs = self.add_pairs(plan, scratch)?;
        if let Some(matched) = &mut scratch.matched {
            let having = std::mem::take(&mut scratch.known);
            let fields: Vec<&SearchField> = self.fields.iter().map(|f| f.field).collect();
            matched.keep(plan, &fields, having);
        }
        let fields = self.fields.len();
        let matches = scratch.harvest(documents, fields, required.as_ref(), filter);
        if let Some(matched) = &mut scratch.matched {
            matched.sums = scratch.fields.drain(..fields).collect();
        }
        Ok(TextMatches { pairs, ..matches })
    }

    /// Adds the scores of pairs to documents that match already. The pairs that the fewest
    /// documents can have tell the most: they come first while the budget lasts.
    fn add_pairs(&self, plan: &Plan, scratch: &mut Scratch) -> Result<Vec<usize>, Failure> {
        let fields = self.fields.len();
        let mut costs: Vec<(usize, usize)> = Vec::with_capacity(plan.pairs.len());
        for (at, pair) in plan.pairs.iter().enumerate() {
            let both = (0..fields).map(|field| {
                let first = &scratch.known[pair.first * fields + field];
                first.count_common(&scratch.known[pair.second * fields + field])
            });
            costs.push((both.sum(), at));
        }
        costs.sort_unstable();
        let mut budget = PAIR_DOCUMENTS_MAX;
        costs.retain(|(cost, _)| {
            let affordable = *cost > 0 && *cost <= budget;
            budget -= if affordable { *cost } else { 0 };
            affordable
        });
        // Added in the order of the query, whatever the costs: sums come out the same.
        costs.sort_unstable_by_key(|(_, at)| *at);
        for (_, at) in &costs {
            self.add_pair(&plan.pairs[*at], scratch)?;
        }
        Ok(costs.into_iter().map(|(_, at)| at).collect())
    }

    fn add_pair(&self, pair: &Pair, scratch: &mut Scratch) -> Result<(), Failure> {
        let fields = self.fields.len();
        let mut both = Vec::new();
        for (number, field) in self.fields.iter().enumerate() {
            let first = &scratch.known[pair.first * fields + number];
            first.common(&scratch.known[pair.second * fields + number], &mut both);
            let row = pair.clause.ways[field.field.group].first();
            let terms = row.and_then(|row| match row.slots.as_slice() {
                [a, b] => Some((a.terms[0].as_str(), b.terms[0].as_str())),
                _ => None,
            });
            let both = if terms.is_some() {
                both.as_slice()
            } else {
                &[]
            };
            let terms = terms.unwrap_or_default();
            let postings = &mut scratch.postings[number];
            field
                .reader
                .read_pair(self.snapshot, terms, both, postings)?;
        }
        if scratch.postings.iter().any(|p| !p.positions.is_empty()) {
            if let Some(matched) = &mut scratch.matched {
                let found = scratch.postings.iter().map(|p| p.positions.as_slice());
                matched.add_pair(pair, found, |documents| idf(self.documents, documents));
            }
            self.add_fields(pair.clause.count, scratch);
            self.add_combined(pair.clause.count, scratch);
        }
        Ok(())
    }

    /// Adds the clause's score in each field by itself.
    fn add_fields(&self, count: f32, scratch: &mut Scratch) {
        for (number, field) in self.fields.iter().enumerate() {
            let postings = &scratch.postings[number];
            if postings.positions.is_empty() {
                continue;
            }
            let factor = count * field.field.boost * idf(self.documents, postings.positions.len());
            let scores = &mut scratch.fields[number];
            let mut start = 0;
            for (index, end) in postings.ends.iter().enumerate() {
                let Some(segment) = field.reader.segment(index) else {
                    continue;
                };
                let base = self.snapshot.segments[index].base;
                let positions = &postings.positions[start..*end];
                let frequencies = &postings.frequencies[start..*end];
                for (position, frequency) in positions.iter().zip(frequencies) {
                    let code = segment.length_code(position - base);
                    let part = saturated(*frequency, field.norms[code as usize]);
                    scores[*position as usize] += factor * part;
                }
                start = *end;
            }
        }
    }

    /// Adds the clause's score in the combined field (BM25F); leaves its documents in `touched`.
    fn add_combined(&self, count: f32, scratch: &mut Scratch) {
        let touched = &mut scratch.touched;
        touched.clear();
        for (field, postings) in self.fields.iter().zip(&scratch.postings) {
            let weight = field.field.weight;
            let known = touched.len();
            touched.resize(known + postings.positions.len(), 0);
            let mut end = known;
            for (position, frequency) in postings.positions.iter().zip(&postings.frequencies) {
                let sum = &mut scratch.frequencies[*position as usize];
                // Written always, kept if it is new: no branch to guess wrong.
                touched[end] = *position;
                end += usize::from(*sum == 0.0);
                *sum += weight * frequency;
            }
            touched.truncate(end);
        }
        let factor = count * idf(self.documents, touched.len());
        let (mut segment, mut bounds) = (0, 0..0);
        for position in touched.iter() {
            let at = *position as usize;
            if scratch.norms[at] == 0.0 {
                if !bounds.contains(position) {
                    (segment, _) = self.snapshot.locate(*position);
                    let view = &self.snapshot.segments[segment];
                    bounds = view.base..view.base + view.reader.max_doc();
                }
                scratch.norms[at] = self.norm(segment, position - bounds.start);
            }
            scratch.marks[at / BLOCK] = true;
            let frequency = std::mem::take(&mut scratch.frequencies[at]);
            let part = factor * saturated(frequency, scratch.norms[at]);
            // A match scores something, were it ever so little: that is how it is known.
            scratch.combined[at] += part.max(f32::MIN_POSITIVE);
        }
    }
}

impl Scratch {
    fn make_room(&mut self, documents: usize, fields: usize) {
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
    fn remember(&mut self, clause: usize, fields: usize, documents: usize) {
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
    fn harvest(
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

    fn lengths_of(&mut self, snapshot: &Snapshot, field: Field) -> Result<Lengths, Failure> {
        let mut sum = Lengths::default();
        for segment in &snapshot.segments {
            let reader = &segment.reader;
            let key = (reader.segment_id(), reader.delete_opstamp(), field);
            let known = match self.lengths.get(&key) {
                Some(known) => *known,
                None => {
                    let counted = Lengths::count(reader, field)?;
                    if self.lengths.len() >= LENGTHS_MAX {
                        self.lengths.clear();
                    }
                    self.lengths.insert(key, counted);
                    counted
                }
            };
            sum.tokens += known.tokens;
            sum.documents += known.documents;
        }
        Ok(sum)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_term_weighs_more_and_every_term_weighs_something() {
        assert!(idf(1000.0, 3) > idf(1000.0, 300));
        assert!(idf(10.0, 10) > 0.0);
    }

    #[test]
    fn rounding_keeps_order_and_is_stable() {
        let score = 12.345_678;
        assert_eq!(quantized(quantized(score)), quantized(score));
        assert!((quantized(score) - score).abs() < score * 1e-5);
        assert_eq!(quantized(0.0), 0.0);
    }
}
