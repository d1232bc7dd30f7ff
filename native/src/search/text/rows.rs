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
        // Rows are copied only while they become more, a few times at most: copied for each word, a phrase of some
        // thousand words (or ngrams) would keep its thread for minutes.
        let is_full = rows.len() >= ROWS_MAX;
        if let Some(own) = options.first().filter(|_| is_full || options.len() == 1) {
            for row in &mut rows {
                extend(row, term, own, first);
            }
            continue;
        }
        let mut more = Vec::with_capacity(rows.len() * options.len());
        // By options: the rows with the query's own words stay the first.
        for option in &options {
            more.extend(rows.iter().cloned().map(|mut row| {
                extend(&mut row, term, option, first);
                row
            }));
        }
        more.truncate(ROWS_MAX);
        rows = more;
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

fn extend(row: &mut Row, term: &QueryTerm, option: &[Slot], first: usize) {
    let start = (term.position - first) as i64 + row.longer;
    row.slots.extend(option.iter().map(|slot| Slot {
        offset: (start + i64::from(slot.offset)).max(0) as u32,
        terms: slot.terms.clone(),
    }));
    let span = option.last().map_or(0, |slot| i64::from(slot.offset) + 1);
    row.longer += span - term.span as i64;
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn term(position: usize, ways: &[&[&str]]) -> QueryTerm {
        let step = |(offset, text): (usize, &&str)| Step {
            text: (*text).to_owned(),
            offset: offset as u32,
        };
        let rows = ways
            .iter()
            .map(|way| way.iter().enumerate().map(step).collect());
        QueryTerm {
            alternatives: rows.collect(),
            position,
            span: 1,
            from: 0,
            to: 0,
        }
    }

    fn said(row: &[Slot]) -> String {
        let words = row
            .iter()
            .map(|slot| format!("{}:{}", slot.offset, slot.terms.join("|")));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rows_begin_with_the_words_of_the_query_and_are_sixteen_at_most() {
        let says: [&[&str]; 2] = [&["ny"], &["new", "york"]];
        let rows = rows_of(&[term(0, &says), term(1, &[&["taxi"], &["cab"]])]);
        let rows: Vec<String> = rows.iter().map(|row| said(row)).collect();
        assert_eq!(rows, ["0:ny 1:taxi|cab", "0:new 1:york 2:taxi|cab"]);
        let many: Vec<QueryTerm> = (0..6).map(|at| term(at, &says)).collect();
        let rows = rows_of(&many);
        assert_eq!(rows.len(), ROWS_MAX);
        assert_eq!(said(&rows[0]), "0:ny 1:ny 2:ny 3:ny 4:ny 5:ny");
        assert_eq!(said(&rows[1]), "0:new 1:york 2:ny 3:ny 4:ny 5:ny 6:ny");
    }

    #[test]
    fn a_phrase_of_very_many_words_is_put_together_at_once() {
        let terms: Vec<QueryTerm> = (0..100_000).map(|at| term(at, &[&["word"]])).collect();
        let began = Instant::now();
        assert_eq!(rows_of(&terms)[0].len(), 100_000);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
