//! Fields that say what the query says and nothing else: names and titles that were typed whole, or but for a word.
//!
//! Whatever fits a thing names it, too, in its title and in its description (`Case for Phone X 14 Pro`), and would come
//! before the thing itself, as the scores of fields add up. So where every word of a field is one of the query, the query
//! as a whole counts as a further word, with the idf of all its words together times `WEIGHT`. How often it occurs there:
//! 2c - 1 times, where c is the share of the query's words that the field has, 0 for half of them or fewer; by as much less
//! as these words have a smaller part of the idf. A field of no more than half as many words is none of these.

use std::ops::Range;

use crate::engine::lengths::{code_above, length_of};
use crate::search::text::clause::Clause;
use crate::search::text::postings::Postings;
use crate::search::text::scorer::{FieldScorer, Scorer};
use crate::search::text::text_matches::{Whole, WholeIn};

/// What a query, found as a whole, counts against all of its words.
const WEIGHT: f32 = 0.75;

/// What is known of a clause in a field.
#[derive(Clone, Copy)]
struct Part {
    /// Words that it stands for in the query, repetitions counted.
    words: f32,
    /// Words that it stands for in a text at most: one of two forms is two terms there.
    most: f32,
    /// Words that one occurrence stands for.
    each: f32,
    /// Its idf, as often as it stands in the query.
    idf: f32,
}

/// What a document has of the query in a field.
struct Entry {
    position: u32,
    /// Words of the field.
    length: f32,
    /// Of these, words of the query.
    said: f32,
    /// Words of the query that are said.
    covered: f32,
    /// The idf of these.
    idf: f32,
}

impl Entry {
    fn add(&mut self, part: &Part, frequency: f32) {
        let said = frequency * part.each;
        self.said += said.min(part.most);
        self.covered += said.min(part.words);
        self.idf += part.idf * (said / part.words).min(1.0);
    }
}

/// Looks for the query as a whole, while its clauses are read.
pub struct Seeker {
    combined: f32,
    fields: Vec<SeekerIn>,
    /// How many clauses have their idf.
    known: usize,
    /// Of these, how many have no lists any more.
    gone: usize,
}

struct SeekerIn {
    /// Clause by clause.
    parts: Vec<Part>,
    /// Words of the query.
    words: f32,
    /// Codes of the lengths of texts that may be it.
    codes: Range<u8>,
    /// What documents have of the clauses whose lists are gone, clause by clause.
    entries: Vec<Entry>,
}

impl Seeker {
    /// Looks for these clauses.
    pub fn new(scorer: &Scorer, clauses: &[Clause]) -> Seeker {
        let fields = scorer.fields.iter().map(|field| {
            let parts = clauses.iter().map(|clause| {
                let ways = &clause.ways[field.field.group];
                let each = ways.first().map_or(0, |way| way.slots.len()) as f32;
                let words = clause.count * each;
                Part {
                    words,
                    most: words * ways.len().min(2) as f32,
                    each,
                    idf: 0.0,
                }
            });
            let parts: Vec<Part> = parts.collect();
            let words = parts.iter().map(|part| part.words).sum();
            let most: f32 = parts.iter().map(|part| part.most).sum();
            // A row that is said in fewer words, too, counts by how many: who says it so, twice, is not told from who says it.
            let of_field = clauses.iter().map(|clause| &clause.ways[field.field.group]);
            let mut own = of_field.filter_map(|ways| ways.first());
            let most = if own.any(|way| way.weight > 1.0) {
                0.0
            } else {
                most
            };
            SeekerIn {
                words,
                codes: code_above(words / 2.0).max(field.least)..code_above(most),
                parts,
                entries: Vec::new(),
            }
        });
        Seeker {
            combined: 0.0,
            fields: fields.collect(),
            known: 0,
            gone: 0,
        }
    }

    /// Takes the idf of the next clause in the combined field, and in each field, all as often as it stands in the query.
    pub fn weigh(&mut self, combined: f32, own: impl Iterator<Item = f32>) {
        self.combined += WEIGHT * combined;
        for (field, idf) in self.fields.iter_mut().zip(own) {
            let part = &mut field.parts[self.known];
            part.idf = if part.words > 0.0 { idf } else { 0.0 };
        }
        self.known += 1;
    }

    /// Keeps what the last clauses tell, whose lists, by clause and then by field, are about to go.
    pub fn let_go(&mut self, scorer: &Scorer, lists: &[Postings]) {
        let fields = self.fields.len();
        for (number, (own, field)) in self.fields.iter_mut().zip(&scorer.fields).enumerate() {
            for (clause, lists) in (self.gone..self.known).zip(lists.chunks(fields)) {
                own.begin(scorer, field, clause, &lists[number]);
            }
        }
        self.gone = self.known;
    }

    /// What is found, given the lists that are left.
    pub fn find(self, scorer: &Scorer, lists: &[Postings]) -> Whole {
        let count = self.fields.len();
        let fields = self.fields.into_iter().zip(&scorer.fields).enumerate();
        let fields = fields.map(|(number, (own, field))| {
            let own_lists = lists.iter().skip(number).step_by(count);
            let left = (self.gone..self.known).zip(own_lists);
            own.find(scorer, field, left.collect())
        });
        Whole {
            fields: fields.collect(),
            combined: self.combined,
        }
    }
}

impl SeekerIn {
    /// What is found, given the clauses that have lists.
    fn find(
        mut self,
        scorer: &Scorer,
        field: &FieldScorer,
        mut lists: Vec<(usize, &Postings)>,
    ) -> WholeIn {
        if self.codes.is_empty() {
            return WholeIn::default();
        }
        lists.sort_by_key(|(_, list)| list.positions.len());
        // Who has more than half of the words has one of any that are half of them: the rarest are looked through.
        let left = lists.iter().map(|(clause, _)| self.parts[*clause].words);
        let mut left: f32 = left.sum();
        let mut lists = lists.into_iter();
        while 2.0 * left > self.words {
            let Some((clause, list)) = lists.next() else {
                break;
            };
            self.begin(scorer, field, clause, list);
            left -= self.parts[clause].words;
        }
        self.entries.sort_by_key(|entry| entry.position);
        self.entries.dedup_by(|next, entry| {
            let is_same = next.position == entry.position;
            if is_same {
                entry.said += next.said;
                entry.covered += next.covered;
                entry.idf += next.idf;
            }
            is_same
        });
        let rest = lists.clone().map(|(clause, _)| self.parts[clause].most);
        let mut rest: f32 = rest.sum();
        for (clause, list) in lists {
            let part = self.parts[clause];
            self.keep_hopeful(rest, left);
            (rest, left) = (rest - part.most, left - part.words);
            for entry in &mut self.entries {
                let frequency = list.frequency_at(entry.position);
                if frequency > 0.0 {
                    entry.add(&part, frequency);
                }
            }
        }
        self.keep_hopeful(0.0, 0.0);
        let idf: f32 = self.parts.iter().map(|part| part.idf).sum();
        let frequencies = self.entries.iter().map(|entry| {
            let covered = (entry.covered / self.words).min(1.0);
            (2.0 * covered - 1.0) * (entry.idf / idf).min(1.0)
        });
        WholeIn {
            factor: WEIGHT * idf * field.field.boost,
            frequencies: frequencies.collect(),
            positions: self.entries.iter().map(|entry| entry.position).collect(),
        }
    }

    /// Begins with the documents of a clause, but for those whose text is too short or too long.
    fn begin(&mut self, scorer: &Scorer, field: &FieldScorer, clause: usize, list: &Postings) {
        let part = self.parts[clause];
        let mut rest = list.positions.iter().zip(&list.frequencies).peekable();
        for (number, segment) in scorer.snapshot.segments.iter().enumerate() {
            let end = segment.base + segment.reader.max_doc();
            let Some(reader) = field.reader.segment(number) else {
                continue;
            };
            while let Some((position, frequency)) = rest.next_if(|(position, _)| **position < end) {
                let code = reader.length_code(position - segment.base);
                if self.codes.contains(&code) {
                    let mut entry = Entry {
                        position: *position,
                        length: length_of(code),
                        said: 0.0,
                        covered: 0.0,
                        idf: 0.0,
                    };
                    entry.add(&part, *frequency);
                    self.entries.push(entry);
                }
            }
        }
    }

    /// Leaves out what lacks too much, though it have all of what is left: so many words of a text, and of the query.
    fn keep_hopeful(&mut self, said: f32, covered: f32) {
        self.entries.retain(|entry| {
            entry.said + said >= entry.length && 2.0 * (entry.covered + covered) > self.words
        });
    }
}
