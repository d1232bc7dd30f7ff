//! Reading postings: where the ways of a clause occur in one field, over all segments of a view.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use tantivy::fastfield::AliveBitSet;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings as _, SegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, InvertedIndexReader, TERMINATED};

use crate::engine::bits::Bits;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline::{self, Steps};
use crate::search::text::clause::{Slot, Way};
use crate::search::text::occurrences::Sought;

/// Occurrences of a clause in a field: live documents only, positions ascending.
#[derive(Default)]
pub struct Postings {
    /// Global positions of the documents.
    pub positions: Vec<u32>,
    /// How often, weighed by the way it was found.
    pub frequencies: Vec<f32>,
    /// How many documents say how rare the clause is: all of them, except those that have it in
    /// a far way only, and as many as in a field that tells more (`Scorer::read`).
    pub counted: usize,
}

impl Postings {
    fn clear(&mut self) {
        self.positions.clear();
        self.frequencies.clear();
    }

    /// Takes what was found otherwise: positions ascending, and how often it occurs in each.
    pub fn copy(&mut self, positions: &[u32], frequencies: &[f32]) {
        self.clear();
        self.positions.extend_from_slice(positions);
        self.frequencies.extend_from_slice(frequencies);
        self.counted = positions.len();
    }

    /// How often the clause occurs in the document at a position.
    pub fn frequency_at(&self, position: u32) -> f32 {
        match self.positions.binary_search(&position) {
            Ok(at) => self.frequencies[at],
            Err(_) => 0.0,
        }
    }
}

/// The postings and lengths of one field in every segment of a view.
pub struct FieldReader {
    segments: Vec<Option<SegmentField>>,
}

/// The postings and lengths of one field in one segment.
pub struct SegmentField {
    inverted: Arc<InvertedIndexReader>,
    lengths: FieldNormReader,
    /// Terms that were read, with where their postings lie: those of pairs are wanted again, and a look into the dictionary
    /// walks through all letters of a term.
    known: RefCell<Vec<(String, TermInfo)>>,
}

/// Terms of a field that are known, enough for all pairs.
const KNOWN_MAX: usize = 64;

impl SegmentField {
    /// The code of the length of the field in a document (see `FieldNormReader`).
    #[inline]
    pub fn length_code(&self, document: DocId) -> u8 {
        self.lengths.fieldnorm_id(document)
    }
}

impl FieldReader {
    /// Opens a field; segments without any text in it are left out.
    pub fn open(snapshot: &Snapshot, field: Field) -> Result<FieldReader, Failure> {
        let mut segments = Vec::with_capacity(snapshot.segments.len());
        for segment in &snapshot.segments {
            let lengths = segment.reader.fieldnorms_readers().get_field(field)?;
            let Some(lengths) = lengths else {
                segments.push(None);
                continue;
            };
            let inverted = segment.reader.inverted_index(field)?;
            let used = inverted.total_num_tokens() > 0;
            segments.push(used.then(|| SegmentField {
                inverted,
                lengths,
                known: RefCell::default(),
            }));
        }
        Ok(FieldReader { segments })
    }

    /// The field in the segment of this number.
    pub fn segment(&self, index: usize) -> Option<&SegmentField> {
        self.segments[index].as_ref()
    }

    /// Reads the occurrences of any of the ways into `into`.
    pub fn read(
        &self,
        snapshot: &Snapshot,
        ways: &[Way],
        into: &mut Postings,
    ) -> Result<(), Failure> {
        into.clear();
        for (segment, view) in self.segments.iter().zip(&snapshot.segments) {
            deadline::look()?;
            let start = into.positions.len();
            let mut found = 0;
            for way in ways {
                let Some(segment) = segment else { break };
                let before = into.positions.len();
                let live = Live {
                    base: view.base,
                    alive: view.reader.alive_bitset(),
                };
                match way.slots.as_slice() {
                    [Slot { terms, .. }] if terms.len() == 1 => {
                        segment.read_term(&terms[0], way.weight, &live, into)?;
                    }
                    _ => segment.read_row(way, &live, into)?,
                }
                found += usize::from(into.positions.len() > before);
            }
            if found > 1 {
                merge_from(start, view.base..view.base + view.reader.max_doc(), into);
            }
        }
        into.counted = into.positions.len();
        Ok(())
    }
}

impl FieldReader {
    /// Reads where two terms stand side by side, among documents (ascending positions, all of
    /// them live) that have both.
    pub fn read_pair(
        &self,
        snapshot: &Snapshot,
        terms: (&str, &str),
        both: &[u32],
        into: &mut Postings,
    ) -> Result<(), Failure> {
        into.clear();
        let mut rest = both;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (segment, view) in self.segments.iter().zip(&snapshot.segments) {
            let end = view.base + view.reader.max_doc();
            let (here, behind) = rest.split_at(rest.partition_point(|p| *p < end));
            rest = behind;
            if let Some(segment) = segment.as_ref().filter(|_| !here.is_empty()) {
                let a = segment.open_known(terms.0)?;
                let b = segment.open_known(terms.1)?;
                let (Some(mut a), Some(mut b)) = (a, b) else {
                    continue;
                };
                for position in here {
                    let document = position - view.base;
                    if reach(&mut a, document) != document || reach(&mut b, document) != document {
                        continue;
                    }
                    first.clear();
                    second.clear();
                    a.append_positions_with_offset(0, &mut first);
                    b.append_positions_with_offset(0, &mut second);
                    let count = side_by_side(&first, &second);
                    if count > 0 {
                        into.positions.push(*position);
                        into.frequencies.push(count as f32);
                    }
                }
            }
        }
        into.counted = into.positions.len();
        Ok(())
    }
}

/// How many places of the first list are right before one of the second; both ascend.
fn side_by_side(first: &[u32], second: &[u32]) -> usize {
    let mut second = second.iter().peekable();
    let follows = first.iter().filter(|place| {
        while second.next_if(|next| **next <= **place).is_some() {}
        second.peek().is_some_and(|next| **next == **place + 1)
    });
    follows.count()
}

struct Live<'a> {
    base: u32,
    alive: Option<&'a AliveBitSet>,
}

impl Live<'_> {
    #[inline]
    fn holds(&self, document: DocId) -> bool {
        self.alive.is_none_or(|alive| alive.is_alive(document))
    }
}

impl SegmentField {
    fn read_term(
        &self,
        term: &str,
        weight: f32,
        live: &Live,
        into: &mut Postings,
    ) -> Result<(), Failure> {
        let Some(info) = self.inverted.terms().get(term)? else {
            return Ok(());
        };
        let mut known = self.known.borrow_mut();
        if known.len() < KNOWN_MAX {
            known.push((term.to_owned(), info.clone()));
        }
        let option = IndexRecordOption::WithFreqs;
        let inverted = &self.inverted;
        let mut block = inverted.read_block_postings_from_terminfo(&info, option)?;
        into.positions.reserve(info.doc_freq as usize);
        into.frequencies.reserve(info.doc_freq as usize);
        while !block.docs().is_empty() {
            let (documents, frequencies) = (block.docs(), block.freqs());
            let known = into.positions.len();
            into.positions
                .extend(documents.iter().map(|d| live.base + d));
            into.frequencies
                .extend(frequencies.iter().map(|f| weight * *f as f32));
            if let Some(alive) = live.alive {
                let mut end = known;
                for (at, document) in documents.iter().enumerate() {
                    // Moved always, kept if it is live: no branch to guess wrong.
                    into.positions[end] = into.positions[known + at];
                    into.frequencies[end] = into.frequencies[known + at];
                    end += usize::from(alive.is_alive(*document));
                }
                into.positions.truncate(end);
                into.frequencies.truncate(end);
            }
            block.advance();
        }
        Ok(())
    }

    /// Rows of terms: documents that have all, then their positions.
    fn read_row(&self, way: &Way, live: &Live, into: &mut Postings) -> Result<(), Failure> {
        // A word that comes again is read once: a long row of one word would else hold its places in a long text as
        // often as it has the word.
        let row = Sought::of(way);
        let mut readers = Vec::with_capacity(row.words.len());
        for terms in row.words.iter().copied() {
            let reader = self.open_terms(terms)?;
            if reader.postings.is_empty() {
                return Ok(());
            }
            readers.push(reader);
        }
        let mut target = 0;
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); readers.len()];
        let mut steps = Steps::default();
        'documents: loop {
            steps.step()?;
            for reader in &mut readers {
                let document = reader.seek(target);
                if document == TERMINATED {
                    return Ok(());
                }
                if document > target {
                    target = document;
                    continue 'documents;
                }
            }
            if live.holds(target) {
                for (reader, places) in readers.iter_mut().zip(&mut places) {
                    reader.places(target, places);
                }
                let frequency = rows_in(&row, &places);
                if frequency > 0.0 {
                    into.positions.push(live.base + target);
                    into.frequencies.push(way.weight * frequency);
                }
            }
            target += 1;
        }
    }

    fn open_terms(&self, terms: &[impl AsRef<[u8]>]) -> Result<SlotReader, Failure> {
        let mut postings = Vec::new();
        for term in terms {
            postings.extend(self.open_term(term.as_ref())?);
        }
        Ok(SlotReader { postings })
    }

    fn open_term(&self, term: &[u8]) -> Result<Option<SegmentPostings>, Failure> {
        let info = self.inverted.terms().get(term)?;
        info.map(|info| self.open(&info)).transpose()
    }

    /// As `open_term`, for one that mostly was read before.
    fn open_known(&self, term: &str) -> Result<Option<SegmentPostings>, Failure> {
        let known = self.known.borrow();
        match known.iter().find(|(own, _)| own == term) {
            Some((_, info)) => Ok(Some(self.open(info)?)),
            None => self.open_term(term.as_bytes()),
        }
    }

    fn open(&self, info: &TermInfo) -> Result<SegmentPostings, Failure> {
        let option = IndexRecordOption::WithFreqsAndPositions;
        Ok(self.inverted.read_postings_from_terminfo(info, option)?)
    }
}

/// The first document at `target` or behind it, and behind what was read already.
#[inline]
fn reach(postings: &mut SegmentPostings, target: DocId) -> DocId {
    if postings.doc() < target {
        postings.seek(target)
    } else {
        postings.doc()
    }
}

/// The terms of one place of a row, read together.
struct SlotReader {
    postings: Vec<SegmentPostings>,
}

impl SlotReader {
    /// The first document at `target` or behind it.
    fn seek(&mut self, target: DocId) -> DocId {
        let documents = self.postings.iter_mut().map(|p| reach(p, target));
        documents.min().unwrap_or(TERMINATED)
    }

    fn places(&mut self, document: DocId, into: &mut Vec<u32>) {
        into.clear();
        let here = self.postings.iter_mut().filter(|p| p.doc() == document);
        let mut lists = 0;
        for postings in here {
            postings.append_positions_with_offset(0, into);
            lists += 1;
        }
        if lists > 1 {
            into.sort_unstable();
            into.dedup();
        }
    }
}

/// How often a row occurs, given where each of its words is. With slop a row whose words are moved by s in all counts
/// 1/(1 + s).
fn rows_in(row: &Sought, places: &[Vec<u32>]) -> f32 {
    let mut sum = 0.0;
    row.each(places, |_, moved| sum += 1.0 / (1.0 + moved as f32));
    sum
}

/// Where entries stand so close together, they are added up in a list of all documents: to sort them takes longer.
const APART: usize = 32;

thread_local! {
    /// Per document of a segment what its entries add up to; all zero between two uses.
    static SUMS: RefCell<Vec<f32>> = RefCell::default();
}

/// Sorts the entries from `start` on, all of documents at some positions, and adds up those of one document, in the order
/// they came.
fn merge_from(start: usize, documents: Range<u32>, into: &mut Postings) {
    if (into.positions.len() - start) * APART >= documents.len() {
        return add_up(start, documents, into);
    }
    let found = into.positions[start..]
        .iter()
        .zip(&into.frequencies[start..]);
    let mut pairs: Vec<(u32, f32)> = found.map(|(p, f)| (*p, *f)).collect();
    pairs.sort_by_key(|pair| pair.0);
    into.positions.truncate(start);
    into.frequencies.truncate(start);
    for (position, frequency) in pairs {
        match into.frequencies.last_mut() {
            Some(sum) if into.positions[start..].last() == Some(&position) => *sum += frequency,
            _ => {
                into.positions.push(position);
                into.frequencies.push(frequency);
            }
        }
    }
}

/// As `merge_from`, without sorting.
fn add_up(start: usize, documents: Range<u32>, into: &mut Postings) {
    // Taken out while in use: a panic leaves a fresh one behind, never a dirty one.
    let mut sums = SUMS.take();
    if sums.len() < documents.len() {
        sums.resize(documents.len(), 0.0);
    }
    let mut seen = Bits::new(documents.len());
    let found = into.positions[start..]
        .iter()
        .zip(&into.frequencies[start..]);
    for (position, frequency) in found {
        let document = position - documents.start;
        sums[document as usize] += frequency;
        seen.set(document);
    }
    into.positions.truncate(start);
    into.frequencies.truncate(start);
    for document in seen.iter() {
        into.positions.push(documents.start + document);
        let sum = std::mem::take(&mut sums[document as usize]);
        into.frequencies.push(sum);
    }
    SUMS.replace(sums);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn words_are_side_by_side_where_one_follows_the_other() {
        assert_eq!(side_by_side(&[1, 5, 9], &[2, 9, 10]), 2);
        assert_eq!(side_by_side(&[2], &[1, 3]), 1);
        assert_eq!(side_by_side(&[1, 2, 3], &[1, 2, 3]), 2);
        assert_eq!(side_by_side(&[4], &[]), 0);
    }

    #[test]
    fn rows_whose_words_are_moved_count_less() {
        let slots = ["a", "b"].iter().zip(0..).map(|(word, offset)| Slot {
            offset,
            terms: vec![(*word).to_owned()],
        });
        let way = Way {
            slots: slots.collect(),
            slop: 2,
            ..Way::term(String::new(), 1.0)
        };
        let row = Sought::of(&way);
        assert_eq!(rows_in(&row, &[vec![3, 9], vec![4, 11]]), 1.5);
        assert_eq!(rows_in(&row, &[vec![4], vec![3]]), 1.0 / 3.0);
    }

    #[test]
    fn entries_of_a_document_are_added_up_in_the_order_they_came() {
        let mut number = 7u32;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number >> 8
        };
        for (entries, documents) in [(3, 1000), (40, 1000), (900, 1000), (5000, 1000), (2, 1)] {
            let mut found = Postings::default();
            // What stands before belongs to another segment.
            found.positions.extend([3, 99]);
            found.frequencies.extend([1.0, 2.0]);
            let pairs: Vec<(u32, f32)> = (0..entries)
                .map(|_| (100 + next() % documents, (1 + next() % 50) as f32 / 7.0))
                .collect();
            found.positions.extend(pairs.iter().map(|pair| pair.0));
            found.frequencies.extend(pairs.iter().map(|pair| pair.1));
            merge_from(2, 100..100 + documents, &mut found);
            let mut sums = BTreeMap::from([(3, 1.0), (99, 2.0)]);
            for (position, frequency) in pairs {
                *sums.entry(position).or_insert(0.0) += frequency;
            }
            let merged = found.positions.into_iter().zip(found.frequencies);
            assert_eq!(merged.collect::<Vec<(u32, f32)>>(), Vec::from_iter(sums));
        }
    }
}
