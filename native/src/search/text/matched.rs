//! Which words of a query each document has: kept from the scoring of the words, for features.

use tantivy::schema::Field;

use crate::engine::bits::Bits;
use crate::engine::definition::FieldKind;
use crate::search::text::clause::Pair;
use crate::search::text::plan::Plan;
use crate::search::text::search_field::SearchField;

/// Distinct words of a query that are told apart; the ones after them count as not asked.
pub const TERMS_MAX: usize = 64;

/// The documents of each word in each field, and of each pair of neighbouring words.
#[derive(Default)]
pub struct Matched {
    /// Distinct words of the query.
    pub distinct: usize,
    /// Words of the query as the title's analyzer reads them, repetitions counted.
    pub words: f32,
    /// The words that are told apart.
    terms: usize,
    /// Searched fields that hold any text.
    fields: usize,
    /// The number of the title among them: the text field of the greatest weight.
    title: Option<(usize, Field)>,
    /// Word by word, field by field.
    pub(crate) having: Vec<Bits>,
    /// What each pair weighs, and the documents that have it, positions ascending.
    pairs: Vec<(f32, Vec<u32>)>,
    /// What the title of each match scores by itself, in their order.
    pub(crate) titles: Vec<f32>,
    /// What all other fields of each score, added up.
    pub(crate) bodies: Vec<f32>,
}

impl Matched {
    /// Begins with the words of a plan over searched fields.
    pub(crate) fn begin(&mut self, plan: &Plan, fields: &[&SearchField]) {
        self.distinct = plan.clauses.len();
        self.terms = plan.clauses.len().min(TERMS_MAX);
        self.fields = fields.len();
        let weights = fields.iter().enumerate().map(|(number, field)| {
            let text = field.entry.kind == FieldKind::Text;
            (text, field.weight, number)
        });
        let better = |a: &(bool, f32, usize), b: &(bool, f32, usize)| (b.0, b.1) > (a.0, a.1);
        let title = weights.reduce(|a, b| if better(&a, &b) { b } else { a });
        let Some((_, _, title)) = title else { return };
        self.title = Some((title, fields[title].field));
        let group = fields[title].group;
        let words = plan.clauses.iter().map(|clause| {
            let row = clause.ways[group].first();
            clause.count * row.map_or(0, |way| way.slots.len()) as f32
        });
        self.words = words.sum();
    }

    /// The number of the title among the searched fields.
    pub(crate) fn title_number(&self) -> Option<usize> {
        self.title.map(|(number, _)| number)
    }

    /// Keeps the documents that have a pair in any field.
    pub(crate) fn add_pair<'a>(
        &mut self,
        pair: &Pair,
        found: impl Iterator<Item = &'a [u32]>,
        idf: impl Fn(usize) -> f32,
    ) {
        let mut documents: Vec<u32> = found.flatten().copied().collect();
        documents.sort_unstable();
        documents.dedup();
        let weight = pair.clause.count * idf(documents.len());
        self.pairs.push((weight, documents));
    }

    /// The title: the text field of the greatest weight.
    pub fn title(&self) -> Option<Field> {
        self.title.map(|(_, field)| field)
    }

    /// Whether every word of the query is told apart.
    pub fn is_whole(&self) -> bool {
        self.terms == self.distinct
    }

    /// The share of the query's words that the document has in any field.
    pub fn share(&self, position: u32) -> f32 {
        let fields = self.fields.max(1);
        let having = self.having.chunks(fields).take(self.terms);
        let found = having.filter(|fields| fields.iter().any(|bits| bits.get(position)));
        found.count() as f32 / self.terms.max(1) as f32
    }

    /// The share of the query's words that the document has in its title.
    pub fn title_share(&self, position: u32) -> f32 {
        let Some((title, _)) = self.title else {
            return 0.0;
        };
        let having = self.having.iter().skip(title).step_by(self.fields);
        let found = having.take(self.terms).filter(|bits| bits.get(position));
        found.count() as f32 / self.terms.max(1) as f32
    }

    /// What the title of the match of this number scores by itself, and all other fields together.
    pub fn title_and_body(&self, number: usize) -> (f32, f32) {
        (self.titles[number], self.bodies[number])
    }

    /// The share of the query's pairs of neighbouring words that stand side by side in the
    /// document too, each pair by its weight.
    pub fn pair_share(&self, position: u32) -> f32 {
        let (mut own, mut all) = (0.0, 0.0);
        for (weight, documents) in &self.pairs {
            all += weight;
            if documents.binary_search(&position).is_ok() {
                own += weight;
            }
        }
        if all > 0.0 {
            own / all
        } else {
            0.0
        }
    }
}
