//! How far a learned space is to be trusted beside words: documents lose some words before it is learned, and these look for
//! what is left of them, once by words and once by vectors (the inverse cloze task of Lee, Chang and Toutanova 2019).

use std::collections::HashMap;

use super::{Counts, Model, Random};
use crate::bm25::{idf, norm, saturated};
use crate::failure::Failure;

/// Words that a document loses: what people type is about as long.
const WORDS: usize = 6;
/// Different words that it must have.
const DIFFERENT_MIN: usize = 3 * WORDS;
/// Documents that lose words, at most, and one of so many: the space is learned from what is left.
const DOCUMENTS_MAX: usize = 512;
const ONE_OF: usize = 4;
/// With fewer, chance says more than they do.
const DOCUMENTS_MIN: usize = 100;
/// Documents that are looked through, at most.
const CANDIDATES_MAX: usize = 10_000;
/// Only the first hits count, each by its rank (nDCG@10 with one relevant document).
const DEPTH: f64 = 10.0;

/// The words that a document has lost, by their ids in the counts.
pub(super) struct Query {
    row: usize,
    words: Vec<u32>,
}

/// How well words and vectors find what they are to find, 0 … 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) text: f64,
    pub(super) vector: f64,
}

/// Documents drawn at random, with words that each of them loses, of those for which `terms` has a term. None where too few
/// are long enough to tell anything.
pub(super) fn draw(counts: &Counts, terms: &[u32], random: &mut Random) -> Vec<Query> {
    let most = DOCUMENTS_MAX.min(counts.rows() / ONE_OF);
    let mut rows: Vec<usize> = (0..counts.rows()).collect();
    let mut queries = Vec::new();
    for at in 0..rows.len() {
        if queries.len() == most {
            break;
        }
        let other = at + random.below(rows.len() - at);
        rows.swap(at, other);
        let found = counts.row(rows[at]);
        let found = found.filter(|(id, n)| terms[*id as usize] != u32::MAX && *n > 0);
        let mut words: Vec<u32> = found.map(|(id, _)| id).collect();
        if words.len() < DIFFERENT_MIN {
            continue;
        }
        for at in 0..WORDS {
            let other = at + random.below(words.len() - at);
            words.swap(at, other);
        }
        words.truncate(WORDS);
        queries.push(Query {
            row: rows[at],
            words,
        });
    }
    if queries.len() < DOCUMENTS_MIN {
        queries.clear();
    }
    queries
}

/// Takes one occurrence of each word out of its document.
pub(super) fn take_out(counts: &mut Counts, queries: &[Query]) {
    for query in queries {
        let range = counts.starts[query.row]..counts.starts[query.row + 1];
        let ids = counts.ids[range.clone()].iter();
        for (id, frequency) in ids.zip(&mut counts.frequencies[range]) {
            *frequency -= u32::from(query.words.contains(id));
        }
    }
}

/// What both legs find in counts from which the words were taken out. `terms`: id → term of the model.
pub(super) fn measure(
    model: &Model,
    counts: &Counts,
    terms: &[u32],
    queries: &[Query],
    go_on: &dyn Fn() -> Result<(), Failure>,
) -> Result<Found, Failure> {
    let take = counts.rows().min(CANDIDATES_MAX);
    let mut rows: Vec<usize> = (0..take).map(|at| at * counts.rows() / take).collect();
    rows.extend(queries.iter().map(|query| query.row));
    rows.sort_unstable();
    rows.dedup();
    go_on()?;
    let words = Words::of(counts, &rows, queries);
    let vectors = Vectors::of(model, counts, terms, &rows);
    let mut found = Found {
        text: 0.0,
        vector: 0.0,
    };
    for query in queries {
        go_on()?;
        let own = rows.partition_point(|row| *row < query.row);
        found.text += gain(&words.scores(query), own) / queries.len() as f64;
        let asked = query.words.iter().map(|id| (terms[*id as usize], 1));
        found.vector += gain(&vectors.scores(model, asked), own) / queries.len() as f64;
    }
    Ok(found)
}

/// nDCG@10 of the document at a place, given the scores of all. Of its equals half stand before it.
fn gain(scores: &[f32], own: usize) -> f64 {
    let score = scores[own];
    if score <= 0.0 {
        return 0.0;
    }
    let above = scores.iter().filter(|other| **other > score).count();
    let equal = scores.iter().filter(|other| **other == score).count() - 1;
    let rank = above as f64 + equal as f64 / 2.0;
    match rank < DEPTH {
        true => 1.0 / (rank + 2.0).log2(),
        false => 0.0,
    }
}

/// BM25 over some documents, of the words of the queries.
struct Words {
    lengths: Vec<f32>,
    mean: f32,
    postings: HashMap<u32, Vec<(usize, f32)>>,
}

impl Words {
    fn of(counts: &Counts, rows: &[usize], queries: &[Query]) -> Self {
        let words = queries.iter().flat_map(|query| &query.words);
        let mut postings: HashMap<u32, Vec<(usize, f32)>> =
            words.map(|id| (*id, Vec::new())).collect();
        let mut lengths = vec![0.0; rows.len()];
        for (at, row) in rows.iter().enumerate() {
            for (id, frequency) in counts.row(*row).filter(|entry| entry.1 > 0) {
                lengths[at] += frequency as f32;
                if let Some(found) = postings.get_mut(&id) {
                    found.push((at, frequency as f32));
                }
            }
        }
        let tokens: f64 = lengths.iter().map(|length| f64::from(*length)).sum();
        Self {
            mean: (tokens / rows.len().max(1) as f64) as f32,
            lengths,
            postings,
        }
    }

    fn scores(&self, query: &Query) -> Vec<f32> {
        let documents = self.lengths.len() as f32;
        let mut scores = vec![0.0; self.lengths.len()];
        for id in &query.words {
            let found = &self.postings[id];
            let idf = idf(documents, found.len());
            for (at, frequency) in found {
                let norm = norm(self.lengths[*at], self.mean);
                scores[*at] += idf * saturated(*frequency, norm);
            }
        }
        scores
    }
}

/// The vectors of some documents, one after the other.
struct Vectors {
    rows: Vec<f32>,
    dimensions: usize,
}

impl Vectors {
    fn of(model: &Model, counts: &Counts, terms: &[u32], rows: &[usize]) -> Self {
        let dimensions = model.dimensions.max(1);
        let mut all = vec![0.0; rows.len() * dimensions];
        for (row, out) in rows.iter().zip(all.chunks_exact_mut(dimensions)) {
            let row = counts.row(*row);
            if !model.embed(row.map(|(id, n)| (terms[id as usize], n)), out) {
                out.fill(0.0);
            }
        }
        Self {
            rows: all,
            dimensions,
        }
    }

    fn scores(&self, model: &Model, asked: impl Iterator<Item = (u32, u32)>) -> Vec<f32> {
        let rows = self.rows.chunks_exact(self.dimensions);
        let mut vector = vec![0.0; self.dimensions];
        if !model.embed(asked, &mut vector) {
            vector.fill(0.0);
        }
        rows.map(|row| product(&vector, row)).collect()
    }
}

/// The sum of products, many at a time.
fn product(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (left, rest) = left.as_chunks::<16>();
    let (right, other) = right.as_chunks::<16>();
    for (a, b) in left.iter().zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = rest.iter().zip(other).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
