//! What the formula of a text search needs to know of a view: its fields with their lengths.

use crate::bm25::norm;
use crate::engine::lengths::length_of;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::plan::Plan;
use crate::search::text::postings::FieldReader;
use crate::search::text::scratch::Scratch;
use crate::search::text::search_field::SearchField;

/// One searched field with what its formula needs.
pub struct FieldScorer<'a> {
    /// The field.
    pub field: &'a SearchField<'a>,
    /// Its postings.
    pub reader: FieldReader,
    /// Mean length over the live documents that have the field.
    pub mean: f32,
    /// Code of a length that no document is shorter than.
    pub least: u8,
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
    pub by_rank: Vec<usize>,
    /// Mean weighted length over all live documents.
    pub mean: f32,
    /// The combined field's denominator part is nowhere less.
    pub least: f32,
    /// Live documents.
    pub documents: f32,
}

impl FieldScorer<'_> {
    /// The denominator part of a length code.
    #[inline]
    pub fn norm(&self, code: u8) -> f32 {
        self.norms[code as usize]
    }

    /// What orders fields by how well they tell what a document is about: the heaviest first, of as heavy ones the shortest, as
    /// names and labels are.
    pub fn rank(&self) -> (f32, f32) {
        (-self.field.weight, self.mean)
    }
}

impl<'a> Scorer<'a> {
    /// Opens the fields of a plan that hold any text.
    pub fn open_with(
        snapshot: &'a Snapshot,
        plan: &'a Plan,
        scratch: &mut Scratch,
    ) -> Result<Scorer<'a>, Failure> {
        let mut fields = Vec::with_capacity(plan.fields.len());
        let (mut tokens, mut everywhere) = (0.0, Vec::with_capacity(plan.fields.len()));
        for field in &plan.fields {
            let lengths = scratch.lengths_of(snapshot, field.field)?;
            if lengths.tokens == 0 {
                continue;
            }
            let mean = lengths.tokens as f32 / lengths.documents as f32;
            tokens += f64::from(field.weight) * lengths.tokens as f64;
            everywhere.push(lengths.documents == u64::from(snapshot.live));
            fields.push(FieldScorer {
                field,
                reader: FieldReader::open(snapshot, field.field)?,
                mean,
                least: lengths.least,
                norms: table(|length| norm(length, mean)),
                shares: table(|_| 0.0),
            });
        }
        let mean = (tokens / f64::from(snapshot.live.max(1))) as f32;
        let mut least = norm(0.0, 1.0);
        for (field, everywhere) in fields.iter_mut().zip(everywhere) {
            let weight = field.field.weight;
            field.shares = table(|length| norm(weight * length, mean) - norm(0.0, mean));
            least += if everywhere {
                field.shares[field.least as usize]
            } else {
                0.0
            };
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
            least,
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
}

/// What a function of lengths gives for each length code.
fn table(of: impl Fn(f32) -> f32) -> Box<[f32; 256]> {
    let mut values = Box::new([0.0; 256]);
    for (code, value) in values.iter_mut().enumerate() {
        *value = of(length_of(code as u8));
    }
    values
}
