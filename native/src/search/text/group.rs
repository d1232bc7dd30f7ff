//! Clauses whose scores are added up together, and what they can add.

use crate::bm25::saturated;
use crate::search::text::blend::blend;
use crate::search::text::postings::Postings;
use crate::search::text::reach::Part;
use crate::search::text::scorer::Scorer;
use crate::search::text::scratch::Scratch;
use crate::search::text::text_matches::largest;

/// Clauses that are added up together, in their order.
#[derive(Default)]
pub struct Group {
    /// Where they occur, clause by clause.
    pub lists: Vec<List>,
    /// Per clause: what its frequency in the combined field, saturated, counts.
    pub combined: Vec<f32>,
    /// Entries of all lists.
    pub entries: usize,
}

/// Where a clause occurs in a field.
pub struct List {
    /// Number of its clause.
    pub clause: usize,
    /// Number of the field.
    pub field: usize,
    /// Number of its postings.
    pub postings: usize,
    /// Entries that are added up already.
    pub done: usize,
    /// What its frequency, saturated, counts.
    pub factor: f32,
}

impl Group {
    /// Adds a clause with its lists, in the order of the fields: field, number of the postings, factor.
    pub fn add(&mut self, combined: f32, lists: impl Iterator<Item = (usize, usize, f32)>) {
        let clause = self.combined.len();
        self.combined.push(combined);
        self.lists
            .extend(lists.map(|(field, postings, factor)| List {
                clause,
                field,
                postings,
                done: 0,
                factor,
            }));
    }

    /// How many clauses there are.
    pub fn clauses(&self) -> usize {
        self.combined.len()
    }

    /// What each list of the first clauses can add to a score: it says its clause nowhere more often than it does anywhere, no
    /// text is shorter than the shortest, and `blend` makes no more of several lists than of each by itself.
    pub fn parts(&self, clauses: usize, scorer: &Scorer, scratch: &Scratch) -> Vec<Part> {
        let lists = self.lists.iter().filter(|list| list.clause < clauses);
        let parts = lists.map(|list| {
            let field = &scorer.fields[list.field];
            let most_of = |frequency: f32| {
                let combined = saturated(field.field.weight * frequency, scorer.least);
                let own = list.factor * saturated(frequency, field.norm(field.least));
                blend(self.combined[list.clause] * combined, own, own)
            };
            let frequencies = &scratch.postings[list.postings].frequencies;
            let most = largest(frequencies).unwrap_or(0.0);
            let is_split = scratch.often[list.postings].has_room();
            Part {
                list: list.postings,
                once: most_of(if is_split { most.min(1.0) } else { most }),
                most: most_of(most),
            }
        });
        parts.collect()
    }

    /// The numbers of the postings of all clauses from one on.
    pub fn postings_from(&self, clause: usize) -> impl Iterator<Item = usize> + '_ {
        let behind = self.lists.iter().filter(move |list| list.clause >= clause);
        behind.map(|list| list.postings)
    }

    /// Forgets all clauses.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.combined.clear();
        self.entries = 0;
    }

    /// The first position that is not added up yet.
    pub fn next(&self, postings: &[Postings]) -> Option<u32> {
        let left = self.lists.iter();
        let next = left.filter_map(|list| postings[list.postings].positions.get(list.done));
        next.min().copied()
    }
}
