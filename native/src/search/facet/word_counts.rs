//! How many documents of match sets have each word of a field that holds words alone: counted by code, so that a word is
//! read only when it may be among the first.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::BinaryHeap;

use tantivy::columnar::Cardinality;

use crate::engine::column::Column;
use crate::engine::segment::NONE;
use crate::failure::Failure;
use crate::search::deadline::{self, Steps};
use crate::search::facet::most::Most;

/// The words of some columns, one for each segment that was counted.
#[derive(Default)]
pub struct WordCounts {
    columns: Vec<Counted>,
}

struct Counted {
    column: Column,
    /// By code.
    counts: Vec<u32>,
}

/// Words of one column, in their order, each with its documents.
#[derive(Default)]
struct Run {
    counts: Vec<u32>,
    /// All words in a row, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl WordCounts {
    /// Counts each of some documents of a segment once for each of its words.
    pub fn count(&mut self, column: &Column, base: u32, positions: &[u32]) {
        let words = column.words().unwrap_or(0);
        let mut counts = vec![0; words];
        if column.codes.get_cardinality() == Cardinality::Multivalued {
            // The document that each word was last counted for: a list may say it twice.
            let mut last = vec![NONE; words];
            column.for_each_code(base, positions, |document, code| {
                let last = &mut last[code as usize];
                counts[code as usize] += u32::from(std::mem::replace(last, document) != document);
            });
        } else {
            column.for_each_code(base, positions, |_, code| counts[code as usize] += 1);
        }
        let column = column.clone();
        self.columns.push(Counted { column, counts });
    }

    /// How many documents have each of the `size` words that most have, those of as many in their own order.
    pub fn first(self, size: usize) -> Result<Vec<(u64, String)>, Failure> {
        match self.columns.as_slice() {
            _ if size == 0 => Ok(Vec::new()),
            [] => Ok(Vec::new()),
            [only] => only.first(size),
            several => first_of_all(several, size),
        }
    }
}

impl Counted {
    /// Codes are in the order of words: none need be read to tell which come first.
    fn first(&self, size: usize) -> Result<Vec<(u64, String)>, Failure> {
        let mut first = Most::new(size);
        for (code, count) in self.counts.iter().enumerate() {
            first.push(u64::from(*count), code as u64);
        }
        let first = first.finish();
        let mut codes: Vec<u64> = first.iter().map(|(_, code)| *code).collect();
        codes.sort_unstable();
        let mut words = Vec::with_capacity(codes.len());
        self.column
            .for_each_word(&codes, |word| words.push(word.to_owned()))?;
        let named = first.into_iter().filter_map(|(count, code)| {
            let at = codes.binary_search(&code).ok()?;
            Some((count, std::mem::take(words.get_mut(at)?)))
        });
        Ok(named.collect())
    }

    /// The words that any document was counted for.
    fn run(&self) -> Result<Run, Failure> {
        let all = self.counts.iter().zip(0u64..);
        let codes: Vec<u64> = all
            .filter(|(count, _)| **count > 0)
            .map(|pair| pair.1)
            .collect();
        let mut run = Run {
            counts: codes
                .iter()
                .map(|code| self.counts[*code as usize])
                .collect(),
            ends: Vec::with_capacity(codes.len()),
            ..Run::default()
        };
        self.column.for_each_word(&codes, |word| {
            run.bytes.extend_from_slice(word.as_bytes());
            run.ends.push(run.bytes.len());
        })?;
        Ok(run)
    }
}

impl Run {
    fn word(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[start..end])
    }
}

/// The first words of all columns, met side by side in their order.
fn first_of_all(columns: &[Counted], size: usize) -> Result<Vec<(u64, String)>, Failure> {
    let mut runs = Vec::with_capacity(columns.len());
    for counted in columns {
        deadline::look()?;
        runs.push(counted.run()?);
    }
    let mut first = Most::new(size);
    let mut places = vec![0; runs.len()];
    let heads = runs.iter().enumerate();
    let heads = heads.filter_map(|(number, run)| Some(Reverse((run.word(0)?, number))));
    let mut heads: BinaryHeap<Reverse<(&[u8], usize)>> = heads.collect();
    let mut sum: Option<(&[u8], u64)> = None;
    let mut steps = Steps::default();
    while let Some(mut head) = heads.peek_mut() {
        steps.step()?;
        let Reverse((word, number)) = *head;
        let (run, at) = (&runs[number], &mut places[number]);
        let count = u64::from(run.counts[*at]);
        *at += 1;
        match &mut sum {
            Some((same, sum)) if *same == word => *sum += count,
            other => {
                let before = other.replace((word, count));
                before
                    .into_iter()
                    .for_each(|(word, sum)| first.push(sum, word));
            }
        }
        match run.word(*at) {
            Some(next) => head.0 .0 = next,
            None => drop(PeekMut::pop(head)),
        }
    }
    sum.into_iter()
        .for_each(|(word, sum)| first.push(sum, word));
    let named = first.finish().into_iter();
    let named = named.map(|(sum, word)| (sum, String::from_utf8_lossy(word).into_owned()));
    Ok(named.collect())
}
