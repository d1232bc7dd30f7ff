//! The text leg: BM25 over weighted fields, all matches at once.
//!
//! Term by term, postings are added up in dense lists by global position. Everything that goes
//! into a score (document counts, lengths) counts live documents only, and each document's sums
//! are made in the order of the query, so a score does not depend on segments or merges.

use std::cell::RefCell;

use crate::bm25::{idf, norm, saturated};
use crate::engine::bits::Bits;
use crate::engine::lengths::length_of;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::clause::{Clause, Pair, Way};
use crate::search::text::matched::{Matched, TERMS_MAX};
use crate::search::text::plan::Plan;
use crate::search::text::postings::{FieldReader, Postings};
use crate::search::text::scratch::{Scratch, BLOCK};
use crate::search::text::search_field::SearchField;
use crate::search::text::text_matches::TextMatches;

/// Documents whose words' places are read for pairs, per search and view.
const PAIR_DOCUMENTS_MAX: usize = 1024;

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
    /// Their numbers, the most telling first.
    by_rank: Vec<usize>,
    /// Mean weighted length over all live documents.
    pub mean: f32,
    /// Live documents.
    pub documents: f32,
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

/// As `score`, with the words that each document has; hand them to `give_back` afterwards.
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
pub fn give_back(matched: Matched) {
    SCRATCH.with_borrow_mut(|scratch| scratch.take_back(matched));
}

impl FieldScorer<'_> {
    /// The denominator part of a length code.
    pub fn norm(&self, code: u8) -> f32 {
        self.norms[code as usize]
    }

    /// What orders fields by how well they tell what a document is about: the heaviest first, of as heavy ones the shortest, as
    /// names and labels are.
    fn rank(&self) -> (f32, f32) {
        (-self.field.weight, self.mean)
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
        let mut by_rank: Vec<usize> = (0..fields.len()).collect();
        by_rank.sort_by(|a, b| {
            let (a, b) = (fields[*a].rank(), fields[*b].rank());
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        Ok(Scorer {
            snapshot,
            fields,
            by_rank,
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
            let counted = self.read(clause, &mut scratch.postings)?;
            let mut pairs = plan.pairs.iter();
            let wanted = scratch.matched.is_some() && number < TERMS_MAX;
            if wanted || pairs.any(|p| p.first == number || p.second == number) {
                scratch.remember(number, self.fields.len(), documents);
            }
            self.add_fields(clause.count, scratch);
            self.add_combined(clause.count, counted, scratch);
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
        let mut matches = scratch.harvest(documents, fields, required.as_ref(), filter);
        if let Some(matched) = &mut scratch.matched {
            matched.sums = scratch.fields.drain(..fields).collect();
        }
        matches.pairs = pairs;
        Ok(matches)
    }

    /// Reads where a clause occurs, field by field. Gives how many documents have it in a way that is not far, if any is, and
    /// any document does: by those, it is told how rare it is.
    pub fn read(&self, clause: &Clause, into: &mut [Postings]) -> Result<Option<usize>, Failure> {
        for (field, postings) in self.fields.iter().zip(into.iter_mut()) {
            let ways = &clause.ways[field.field.group];
            field.reader.read(self.snapshot, ways, postings)?;
        }
        if !clause.has_far_ways() {
            self.count_by_rank(into);
            return Ok(None);
        }
        let mut any = Bits::new(self.snapshot.documents as usize);
        let mut meant = Postings::default();
        for (field, postings) in self.fields.iter().zip(into.iter_mut()) {
            let ways = clause.ways[field.field.group].iter();
            let ways: Vec<Way> = ways.filter(|way| !way.is_far).cloned().collect();
            field.reader.read(self.snapshot, &ways, &mut meant)?;
            any.set_all(&meant.positions);
            if meant.counted > 0 {
                postings.counted = meant.counted;
            }
        }
        self.count_by_rank(into);
        Ok(Some(any.count()).filter(|documents| *documents > 0))
    }

    /// Lets a clause be no rarer in a field than in any that tells more: what nearly all titles have says little, in the few
    /// contents that have it, too. Not the other way round: what many contents have may well say much in a title.
    fn count_by_rank(&self, postings: &mut [Postings]) {
        let (mut before, mut most, mut rank) = (0, 0, None);
        for number in &self.by_rank {
            let own = Some(self.fields[*number].rank());
            if rank != own {
                (before, rank) = (most, own);
            }
            let counted = &mut postings[*number].counted;
            most = most.max(*counted);
            *counted = before.max(*counted);
        }
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
        self.count_by_rank(&mut scratch.postings);
        if scratch.postings.iter().any(|p| !p.positions.is_empty()) {
            if let Some(matched) = &mut scratch.matched {
                let found = scratch.postings.iter().map(|p| p.positions.as_slice());
                matched.add_pair(pair, found, |documents| idf(self.documents, documents));
            }
            self.add_fields(pair.clause.count, scratch);
            self.add_combined(pair.clause.count, None, scratch);
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
            let factor = count * field.field.boost * idf(self.documents, postings.counted);
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

    /// Adds the clause's score in the combined field (BM25F), by `counted` documents if not all are to tell how rare it is;
    /// leaves its documents in `touched`.
    fn add_combined(&self, count: f32, counted: Option<usize>, scratch: &mut Scratch) {
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
        let factor = count * idf(self.documents, counted.unwrap_or(touched.len()));
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

/// What a function of lengths gives for each length code.
fn table(of: impl Fn(f32) -> f32) -> Box<[f32; 256]> {
    let mut values = Box::new([0.0; 256]);
    for (code, value) in values.iter_mut().enumerate() {
        *value = of(length_of(code as u8));
    }
    values
}
