//! The rows of words that a phrase stands for, given its synonyms.

use crate::analysis::term::{QueryTerm, Step};
use crate::search::text::clause::Slot;

/// Most rows of words that a phrase stands for, given its synonyms.
const ROWS_MAX: usize = 16;

/// A phrase that is being put together.
#[derive(Clone, Default)]
struct Row {
    slots: Vec<Slot>,
    /// Words that it is longer than what the query says so far.
    longer: i64,
}

/// The rows that a phrase stands for, its own words first: alternatives of one word share a place, each of several words
/// makes rows of its own.
pub fn rows_of(terms: &[QueryTerm]) -> Vec<Vec<Slot>> {
    let Some(first) = terms.first().map(|term| term.position) else {
        return Vec::new();
    };
    let mut rows = vec![Row::default()];
    for term in terms {
        let options = options_of(term);
        let mut longer = Vec::with_capacity(rows.len() * options.len());
        // By options: the rows with the query's own words stay the first.
        for option in &options {
            longer.extend(rows.iter().map(|row| extended(row, term, option, first)));
        }
        longer.truncate(ROWS_MAX);
        rows = longer;
    }
    let slots = rows.into_iter().map(|row| {
        let first = row.slots.first().map_or(0, |slot| slot.offset);
        let moved = row.slots.into_iter().map(|slot| Slot {
            offset: slot.offset.saturating_sub(first),
            ..slot
        });
        moved.collect()
    });
    slots.collect()
}

/// What may stand at a place of a phrase, in the order of its alternatives.
fn options_of(term: &QueryTerm) -> Vec<Vec<Slot>> {
    let is_word = |row: &&Vec<Step>| matches!(row.as_slice(), [Step { offset: 0, .. }]);
    let words = term.alternatives.iter().filter(is_word);
    let words: Vec<String> = words.map(|row| row[0].text.clone()).collect();
    let mut options: Vec<Vec<Slot>> = Vec::new();
    for row in &term.alternatives {
        if is_word(&row) {
            if row[0].text == words[0] {
                let terms = words.clone();
                options.push(vec![Slot { offset: 0, terms }]);
            }
            continue;
        }
        let slots = row.iter().map(|step| Slot {
            offset: step.offset,
            terms: vec![step.text.clone()],
        });
        options.push(slots.collect());
    }
    options
}

fn extended(row: &Row, term: &QueryTerm, option: &[Slot], first: usize) -> Row {
    let start = (term.position - first) as i64 + row.longer;
    let mut next = row.clone();
    next.slots.extend(option.iter().map(|slot| Slot {
        offset: (start + i64::from(slot.offset)).max(0) as u32,
        terms: slot.terms.clone(),
    }));
    let span = option.last().map_or(0, |slot| i64::from(slot.offset) + 1);
    next.longer += span - term.span as i64;
    next
}
