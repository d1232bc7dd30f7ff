//! Latent semantic analysis: a vector space learned from the term counts of an index.
//!
//! Deerwester et al. 1990, with the randomised truncated decomposition of Halko, Martinsson and
//! Tropp 2011 (algorithm 4.4). A vector is the weighted terms times V, not damped by the singular
//! values, so that a document folded in later gets the vector it would have got in the fit.

mod dense;
mod held_out;
mod sparse;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::failure::Failure;
use crate::space::hashed::TermHash;
use crate::space::reader::Reader;
use crate::vectors::{half, normalize};
use dense::Matrix;
use sparse::Sparse;

/// Columns are kept in multiples of this many numbers, which the kernels like.
const LANES: usize = 16;
/// Pairs of documents whose cosines give the cut.
const CUT_PAIRS: usize = 20_000;
/// Documents that the pairs are drawn from.
const CUT_DOCUMENTS: usize = 2_000;
const CUT_MIN: f32 = 0.05;
/// What vectors count beside words where nothing tells how good they are. With plain BM25 .30 is best over many collections;
/// the text leg here (combined field, best field, pairs) finds more than that, and counts for more.
pub(super) const SHARE: f32 = 0.25;
/// Within these lay the best share of nearly every collection tried.
const SHARE_MIN: f64 = 0.2;
const SHARE_MAX: f64 = 0.45;
/// Of fewer documents for each number of a vector nothing is measured: the numbers hold nearly each document by itself.
const DOCUMENTS_EACH: usize = 4;
/// How fast the share follows what both legs find, whose span is small.
const SHARPNESS: i32 = 4;
/// How much more vectors must find than plain BM25 to be worth as much as the text leg.
const PARITY: f64 = 1.15;
/// Up to the first of these the measurement says nothing, from the second on all that it says counts. What words find of
/// documents that lost them, they find because these say things twice; short ones hardly do, and real queries have words that
/// are still there.
const TELLING: (f64, f64) = (0.1, 0.2);

/// Term counts of the documents that are learned from, as compressed sparse rows.
#[derive(Clone, Default)]
pub struct Counts {
    /// Term id → the analysed term.
    pub terms: Vec<String>,
    /// Term id → documents of the whole index that have it.
    pub document_frequencies: Vec<u32>,
    /// Row r has the entries `starts[r]..starts[r + 1]`; one more than there are rows.
    pub starts: Vec<usize>,
    /// Term id of each entry, each at most once a row.
    pub ids: Vec<u32>,
    /// Occurrences of that term in that document.
    pub frequencies: Vec<u32>,
}

impl Counts {
    /// Counts from postings: for each term its frequency in the index and its (row, occurrences).
    /// A row may come more than once for a term (several fields): the occurrences are added up.
    pub fn from_postings(
        rows: usize,
        postings: impl Iterator<Item = (String, u32, Vec<(u32, u32)>)>,
    ) -> Self {
        let mut counts = Self::default();
        let mut entries: Vec<(u32, u32, u32)> = Vec::new();
        for (term, document_frequency, mut found) in postings {
            let id = counts.terms.len() as u32;
            counts.terms.push(term);
            counts.document_frequencies.push(document_frequency);
            found.sort_unstable();
            for (row, frequency) in found {
                match entries.last_mut() {
                    Some(last) if last.0 == row && last.1 == id => last.2 += frequency,
                    _ => entries.push((row, id, frequency)),
                }
            }
        }
        counts.starts = vec![0; rows + 1];
        for entry in &entries {
            counts.starts[entry.0 as usize + 1] += 1;
        }
        for row in 0..rows {
            counts.starts[row + 1] += counts.starts[row];
        }
        let mut ends = counts.starts.clone();
        counts.ids = vec![0; entries.len()];
        counts.frequencies = vec![0; entries.len()];
        for (row, id, frequency) in entries {
            let at = &mut ends[row as usize];
            counts.ids[*at] = id;
            counts.frequencies[*at] = frequency;
            *at += 1;
        }
        counts
    }

    /// Documents in the counts.
    pub fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The (term id, occurrences) of a document.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        let frequencies = &self.frequencies[range.clone()];
        self.ids[range]
            .iter()
            .copied()
            .zip(frequencies.iter().copied())
    }
}

/// How to fit; the defaults are the measured ones.
#[derive(Clone, Debug)]
pub struct Options {
    /// Numbers in a vector. With fewer documents or terms the rest stays zero.
    pub dimensions: usize,
    /// Further columns carried through the iterations and dropped at the end.
    pub oversampling: usize,
    /// Passes that sharpen the decomposition.
    pub power_iterations: usize,
    /// The same counts, options and machine give the same model.
    pub seed: u64,
    /// Terms kept at most, the most frequent ones.
    pub vocabulary_max: usize,
    /// Documents that must have a term for it to be kept.
    pub df_min: u32,
    /// Threads of the matrix products; the result does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dimensions: 256,
            oversampling: 10,
            power_iterations: 4,
            seed: 20_111,
            vocabulary_max: 50_000,
            df_min: 2,
            threads: 2,
        }
    }
}

/// A fitted model: what turns term counts into a vector.
pub struct Model {
    pub(crate) dimensions: usize,
    /// Documents of the whole index at the fit.
    pub(crate) documents: usize,
    /// What the cosine of two random documents rarely exceeds.
    pub(crate) cut: f32,
    /// What vectors count beside words, 0 … 1.
    pub(crate) share: f32,
    /// Term → row of `weights` and `axes`.
    pub(crate) terms: HashMap<Box<str>, u32, TermHash>,
    /// ln((N + 1) / (df + 1)) of each term.
    pub(crate) weights: Vec<f32>,
    /// V, one row a term; scaled as a whole to keep half precision away from its subnormals.
    pub(crate) axes: Vec<u16>,
}

impl Model {
    /// Numbers in a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The id of a term in this model, which is not its id in any `Counts`.
    pub fn term(&self, term: &str) -> Option<u32> {
        self.terms.get(term).copied()
    }

    /// Writes the unit vector of a document or query given by (term id of this model, occurrences),
    /// each term once. `false`, with `out` unspecified, when nothing of it has a direction.
    pub fn embed(&self, terms: impl Iterator<Item = (u32, u32)>, out: &mut [f32]) -> bool {
        out.fill(0.0);
        for (term, frequency) in terms {
            let term = term as usize;
            let Some(weight) = self.weights.get(term).filter(|_| frequency > 0) else {
                continue;
            };
            let row = &self.axes[term * self.dimensions..(term + 1) * self.dimensions];
            half::add_scaled((1.0 + (frequency as f32).ln()) * weight, row, out);
        }
        normalize(out)
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        let names: usize = self.terms.keys().map(|term| term.len() + 32).sum();
        names + self.weights.capacity() * 4 + self.axes.capacity() * 2
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let mut names = vec![""; self.terms.len()];
        for (term, at) in &self.terms {
            names[*at as usize] = term;
        }
        bytes.extend((self.documents as u32).to_le_bytes());
        bytes.extend((names.len() as u32).to_le_bytes());
        for (name, weight) in names.iter().zip(&self.weights) {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend(weight.to_le_bytes());
        }
        for half in &self.axes {
            bytes.extend(half.to_le_bytes());
        }
    }

    pub(crate) fn read(
        reader: &mut Reader,
        dimensions: usize,
        cut: f32,
        share: f32,
    ) -> Option<Self> {
        let documents = reader.number()? as usize;
        let count = reader.number()?;
        let mut terms = HashMap::default();
        let mut weights = Vec::new();
        for term in 0..count {
            let length = reader.number()? as usize;
            let name = std::str::from_utf8(reader.bytes(length)?).ok()?;
            weights.push(reader.float()?);
            terms.insert(name.into(), term);
        }
        let bytes = reader.bytes((count as usize).checked_mul(dimensions)?.checked_mul(2)?)?;
        let axes: Vec<u16> = bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u16::from_le_bytes(*pair))
            .collect();
        let sound =
            terms.len() == count as usize && axes.iter().all(|half| half & 0x7c00 != 0x7c00);
        sound.then_some(Self {
            dimensions,
            documents,
            cut,
            share,
            terms,
            weights,
            axes,
        })
    }
}

/// Learns a model. `total_documents` is the size of the whole index, of which `counts` may be a sample; some of its
/// documents lose a few words, by which the vectors are judged. Deterministic; nothing in `counts` is required: without
/// usable terms no document gets a vector. `go_on` is asked every second or so; its failure ends the work and is the
/// result.
pub fn fit(
    counts: &mut Counts,
    total_documents: usize,
    options: &Options,
    go_on: &dyn Fn() -> Result<(), Failure>,
) -> Result<Model, Failure> {
    let kept = vocabulary(counts, options);
    let weights: Vec<f32> = kept
        .iter()
        .map(|id| {
            let frequency = f64::from(counts.document_frequencies[*id as usize]);
            ((total_documents as f64 + 1.0) / (frequency + 1.0))
                .ln()
                .max(0.0) as f32
        })
        .collect();
    let terms = invert(&kept, counts.terms.len());
    let few = counts.rows() < DOCUMENTS_EACH * options.dimensions;
    let held_out = match few {
        true => Vec::new(),
        false => held_out::draw(counts, &terms, &mut Random(options.seed ^ 0x10c)),
    };
    held_out::take_out(counts, &held_out);
    let matrix = weigh(counts, &kept, &weights);
    let axes = decompose(&matrix, options, go_on)?;
    let mut model = Model {
        dimensions: options.dimensions,
        documents: total_documents,
        cut: CUT_MIN,
        share: if few { SHARE_MIN as f32 } else { SHARE },
        terms: kept
            .iter()
            .zip(0..)
            .map(|(id, term)| (counts.terms[*id as usize].as_str().into(), term))
            .collect(),
        weights,
        axes: pack(&axes, kept.len(), options.dimensions),
    };
    model.cut = random_cut(&model, counts, &kept, options.seed);
    if !held_out.is_empty() {
        let found = held_out::measure(&model, counts, &terms, &held_out, go_on)?;
        model.share = share_of(found);
    }
    Ok(model)
}

/// What vectors count that find as much as `found` says, in hundredths, so that explanations stay short.
fn share_of(found: held_out::Found) -> f32 {
    let text = (PARITY * found.text).powi(SHARPNESS);
    let vector = found.vector.powi(SHARPNESS);
    let share = match text + vector > 0.0 {
        true => vector / (text + vector),
        false => f64::from(SHARE),
    };
    let told = found.text.max(found.vector / 2.0);
    let sure = ((told - TELLING.0) / (TELLING.1 - TELLING.0)).clamp(0.0, 1.0);
    let share = SHARE_MIN + sure * (share.clamp(SHARE_MIN, SHARE_MAX) - SHARE_MIN);
    (share * 100.0).round() as f32 / 100.0
}

/// The kept terms' ids, ascending.
fn vocabulary(counts: &Counts, options: &Options) -> Vec<u32> {
    let frequency = |id: &u32| counts.document_frequencies[*id as usize];
    let mut kept: Vec<u32> = (0..counts.terms.len() as u32)
        .filter(|id| frequency(id) >= options.df_min)
        .collect();
    if kept.len() > options.vocabulary_max {
        kept.sort_unstable_by_key(|id| (std::cmp::Reverse(frequency(id)), *id));
        kept.truncate(options.vocabulary_max);
        kept.sort_unstable();
    }
    kept
}

/// The weighted matrix, its rows of length one.
fn weigh(counts: &Counts, kept: &[u32], weights: &[f32]) -> Sparse {
    let terms = invert(kept, counts.terms.len());
    let mut matrix = Sparse::new(kept.len());
    let mut row = Vec::new();
    for at in 0..counts.rows() {
        row.clear();
        for (id, frequency) in counts.row(at) {
            let term = terms[id as usize];
            if term != u32::MAX && frequency > 0 {
                row.push((
                    term,
                    (1.0 + (frequency as f32).ln()) * weights[term as usize],
                ));
            }
        }
        let norm = row
            .iter()
            .map(|entry| f64::from(entry.1).powi(2))
            .sum::<f64>()
            .sqrt() as f32;
        if norm > 0.0 {
            row.iter_mut().for_each(|entry| entry.1 /= norm);
        } else {
            row.clear();
        }
        matrix.push_row(&row);
    }
    matrix
}

fn invert(kept: &[u32], ids: usize) -> Vec<u32> {
    let mut terms = vec![u32::MAX; ids];
    for (id, term) in kept.iter().zip(0..) {
        terms[*id as usize] = term;
    }
    terms
}

/// The right singular vectors, as columns in descending order of their singular values.
fn decompose(
    matrix: &Sparse,
    options: &Options,
    go_on: &dyn Fn() -> Result<(), Failure>,
) -> Result<Matrix, Failure> {
    let wanted = options.dimensions + options.oversampling;
    let columns = wanted
        .min(matrix.rows())
        .min(matrix.columns())
        .next_multiple_of(LANES);
    if columns == 0 {
        return Ok(Matrix::zeros(matrix.columns(), 0));
    }
    let threads = options.threads.max(1);
    let transposed = matrix.transposed();
    let mut terms = Matrix::random(matrix.columns(), columns, options.seed);
    let step = |from: &Sparse, by: &Matrix| -> Result<Matrix, Failure> {
        go_on()?;
        let mut product = from.times(by, threads);
        go_on()?;
        dense::orthonormalize(&mut product, threads);
        Ok(product)
    };
    let mut documents = step(matrix, &terms)?;
    for _ in 0..options.power_iterations {
        terms = step(&transposed, &documents)?;
        documents = step(matrix, &terms)?;
    }
    go_on()?;
    dense::orthonormalize(&mut documents, threads);
    terms = transposed.times(&documents, threads);
    go_on()?;
    dense::left_singular_vectors(&mut terms, threads);
    Ok(terms)
}

fn pack(axes: &Matrix, terms: usize, dimensions: usize) -> Vec<u16> {
    let scale = (terms as f32).sqrt();
    let columns = axes.columns().min(dimensions);
    let mut packed = vec![0; terms * dimensions];
    let mut row = vec![0.0; columns];
    for (term, out) in packed.chunks_exact_mut(dimensions.max(1)).enumerate() {
        for (value, axis) in row.iter_mut().zip(axes.row(term)) {
            *value = axis * scale;
        }
        half::encode(&row, &mut out[..columns]);
    }
    packed
}

/// Mean plus two standard deviations of the cosines of random pairs, among documents drawn at random.
fn random_cut(model: &Model, counts: &Counts, kept: &[u32], seed: u64) -> f32 {
    let terms = invert(kept, counts.terms.len());
    let mut random = Random(seed ^ 0x5eed);
    let mut drawn: Vec<usize> = (0..counts.rows()).collect();
    for at in 0..drawn.len().min(CUT_DOCUMENTS) {
        let other = at + random.below(drawn.len() - at);
        drawn.swap(at, other);
    }
    drawn.truncate(CUT_DOCUMENTS);
    let mut vectors = Vec::new();
    let mut vector = vec![0.0; model.dimensions];
    for row in drawn {
        let row = counts
            .row(row)
            .map(|(id, frequency)| (terms[id as usize], frequency));
        if model.embed(row, &mut vector) {
            vectors.push(vector.clone());
        }
    }
    if vectors.len() < 2 {
        return CUT_MIN;
    }
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..CUT_PAIRS {
        let left = random.below(vectors.len());
        let right = (left + 1 + random.below(vectors.len() - 1)) % vectors.len();
        let pairs = vectors[left].iter().zip(&vectors[right]);
        let cosine: f64 = pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        sum += cosine;
        squares += cosine * cosine;
    }
    let mean = sum / CUT_PAIRS as f64;
    let deviation = (squares / CUT_PAIRS as f64 - mean * mean).max(0.0).sqrt();
    ((mean + 2.0 * deviation) as f32).clamp(CUT_MIN, 0.95)
}

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Uniform in −1..1.
    pub(crate) fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}
