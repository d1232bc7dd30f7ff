//! What a text search looks for: clauses, the ways to satisfy each, and pairs of neighbouring words.

use std::collections::HashMap;

use crate::analysis::term::Step;

/// One place in a row of words.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Distance in words from the first place.
    pub offset: u32,
    /// Terms of which any may stand there.
    pub terms: Vec<String>,
}

/// One way to satisfy a clause: a term, or a row of terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The places; one place = a plain term.
    pub slots: Vec<Slot>,
    /// What an occurrence counts, 1 for the word itself; `ways` says what rows do.
    pub weight: f32,
    /// Places that a row may be moved by in all.
    pub slop: u32,
    /// Whether it is less like the query than another way that documents have: how rare the clause is does not go by it.
    pub is_far: bool,
}

impl Way {
    /// A plain term.
    pub fn term(text: String, weight: f32) -> Way {
        let terms = vec![text];
        Way {
            slots: vec![Slot { offset: 0, terms }],
            weight,
            slop: 0,
            is_far: false,
        }
    }

    /// A row as it is said.
    pub(crate) fn row(steps: &[Step]) -> Way {
        let first = steps.first().map_or(0, |step| step.offset);
        let slots = steps.iter().map(|step| Slot {
            offset: step.offset - first,
            terms: vec![step.text.clone()],
        });
        Way::of(slots.collect())
    }

    /// Two terms side by side.
    pub(crate) fn pair(first: &str, second: &str) -> Way {
        let slots = [(0, first), (1, second)].map(|(offset, term)| Slot {
            offset,
            terms: vec![term.to_owned()],
        });
        Way::of(slots.into())
    }

    fn of(slots: Vec<Slot>) -> Way {
        Way {
            slots,
            weight: 1.0,
            slop: 0,
            is_far: false,
        }
    }
}

/// One part of a query; it scores as one term whatever the way it is found.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The part as it stands in the query.
    pub text: String,
    /// The ways to find it, per analyzer of the plan.
    pub ways: Vec<Vec<Way>>,
    /// How often it stands in the query.
    pub count: f32,
    /// Whether every match must have it.
    pub required: bool,
}

impl Clause {
    /// Whether any way to find it is less like the query than another one.
    pub(crate) fn has_far_ways(&self) -> bool {
        self.ways.iter().flatten().any(|way| way.is_far)
    }
}

/// Two words that stand side by side in the query: documents where they do so too score more.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Number of the first word's clause.
    pub first: usize,
    /// Number of the second word's clause.
    pub second: usize,
    /// Both in a row, per analyzer; what it counts is small beside a word.
    pub clause: Clause,
}

/// Clauses, of which equal ones are one that counts as often as they stand in the query.
#[derive(Default)]
pub struct Merged {
    /// Each once, in the order in which they came.
    pub list: Vec<Clause>,
    known: HashMap<String, usize>,
}

impl Merged {
    /// Adds a clause; gives its number.
    pub fn add(&mut self, clause: Clause) -> usize {
        let next = self.list.len();
        let number = *self.known.entry(key_of(&clause)).or_insert(next);
        match self.list.get_mut(number) {
            Some(same) => {
                same.count += clause.count;
                same.required |= clause.required;
            }
            None => self.list.push(clause),
        }
        number
    }
}

fn key_of(clause: &Clause) -> String {
    let mut key = String::new();
    for ways in &clause.ways {
        for way in ways {
            for slot in &way.slots {
                for term in &slot.terms {
                    key.push_str(term);
                    key.push('\u{1}');
                }
                key.push_str(&slot.offset.to_string());
                key.push('\u{2}');
            }
            key.push_str(&way.weight.to_string());
            key.push('\u{3}');
        }
        key.push('\u{4}');
    }
    key
}

/// The term of a clause as it stands in the query, if it is one.
pub fn plain_term(ways: &[Way]) -> Option<&str> {
    match ways.first()?.slots.as_slice() {
        [slot] => slot.terms.first().map(String::as_str),
        _ => None,
    }
}
