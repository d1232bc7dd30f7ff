//! What hits are sorted by: values, and their codes within a segment.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use tantivy::columnar::{ColumnType, TermOrdHit};
use tantivy::f64_to_u64;

use crate::date::parse_date;
use crate::engine::column::{self, Column, Columns, Place};
use crate::failure::Failure;
use crate::search::query::{SortKey, SCORE};
use crate::search::view::View;

/// A value to sort by. Numbers (dates and booleans are numbers here) come before text, and what
/// has no value comes last in both directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Key {
    /// No value.
    #[serde(rename = "-")]
    Missing,
    /// The bits of a number that keep its order: JSON would not keep all of them.
    #[serde(rename = "n")]
    Number(u64),
    /// A word.
    #[serde(rename = "t")]
    Text(String),
}

/// The order of two values.
pub fn compare(a: &Key, b: &Key, descending: bool) -> Ordering {
    let order = match (a, b) {
        (Key::Missing, Key::Missing) => return Ordering::Equal,
        (Key::Missing, _) => return Ordering::Greater,
        (_, Key::Missing) => return Ordering::Less,
        (Key::Number(a), Key::Number(b)) => a.cmp(b),
        (Key::Text(a), Key::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Key::Number(_), Key::Text(_)) => Ordering::Less,
        (Key::Text(_), Key::Number(_)) => Ordering::Greater,
    };
    if descending {
        order.reverse()
    } else {
        order
    }
}

/// Where a sort key comes from, and the codes of its values: numbers that order like them within a segment. A value has the same
/// code in `codes`, which reads many, and in `code`, which reads one; `keys` gives back what a code stands for, and `code_of`
/// finds where a list goes on.
pub struct Source {
    descending: bool,
    /// Columns per segment; `None` = the score.
    columns: Option<Vec<Columns>>,
}

/// The code of a document without a value: behind all others.
const LAST: u128 = u128::MAX;
/// Above the code of any value.
const MIDDLE: u128 = 1 << 100;

impl Source {
    /// Opens the columns of a key; BAD_REQUEST for analysed text.
    pub fn open(view: &View, key: &SortKey) -> Result<Source, Failure> {
        let columns = if key.field == SCORE {
            None
        } else {
            let place = column::place(&view.snapshot.definition, &key.field);
            if let Place::Analysed(field) = place {
                return Err(Failure::bad_request(format!(
                    "{} is analysed text; sort by a keyword field",
                    field.name
                )));
            }
            Some(view.snapshot.columns(&place)?)
        };
        Ok(Source {
            descending: key.descending,
            columns,
        })
    }

    fn directed(&self, code: u128) -> u128 {
        if self.descending {
            MIDDLE - code
        } else {
            code
        }
    }

    /// The codes of several documents at ascending positions, as `code` gives them one by one; without scores, the key is none.
    pub fn codes(
        &self,
        segment: usize,
        positions: &[u32],
        scores: Option<&[f64]>,
        into: &mut Vec<u128>,
    ) -> Result<(), Failure> {
        into.clear();
        into.resize(positions.len(), LAST);
        let Some(columns) = &self.columns else {
            for (code, score) in into.iter_mut().zip(scores.unwrap_or_default()) {
                *code = self.directed(u128::from(f64_to_u64(*score)));
            }
            return Ok(());
        };
        let Some(columns) = columns.get(segment) else {
            return Ok(());
        };
        if columns.dates().is_some() {
            for (code, position) in into.iter_mut().zip(positions) {
                *code = self.code(segment, position - columns.base, 0.0)?;
            }
            return Ok(());
        }
        for column in &columns.columns {
            let mut at = 0;
            column.for_each_code(columns.base, positions, |document, code| {
                while positions[at] - columns.base < document {
                    at += 1;
                }
                let code = match column.number(code) {
                    Some(number) => u128::from(f64_to_u64(number)),
                    None => text_code(2 * u128::from(code) + 1),
                };
                into[at] = into[at].min(self.directed(code));
            });
        }
        Ok(())
    }

    /// The code of a document: the least value, or when descending the greatest.
    #[inline]
    pub fn code(&self, segment: usize, document: u32, score: f64) -> Result<u128, Failure> {
        let Some(columns) = &self.columns else {
            return Ok(self.directed(u128::from(f64_to_u64(score))));
        };
        let mut best = LAST;
        let Some(columns) = columns.get(segment) else {
            return Ok(best);
        };
        for column in &columns.columns {
            if column.kind == ColumnType::Str {
                best = best.min(self.code_of_words(columns, column, document)?);
                continue;
            }
            let codes = column.codes.values_for_doc(document);
            for number in codes.filter_map(|code| column.number(code)) {
                best = best.min(self.directed(u128::from(f64_to_u64(number))));
            }
        }
        Ok(best)
    }

    /// The code of a document's words, those left out that are dates and have a code as such.
    fn code_of_words(
        &self,
        columns: &Columns,
        column: &Column,
        document: u32,
    ) -> Result<u128, Failure> {
        let directed = |word: u64| self.directed(text_code(2 * u128::from(word) + 1));
        let words = || column.codes.values_for_doc(document);
        let dates = columns.dates();
        let dates = dates.map_or(0, |dates| dates.codes.values_for_doc(document).count());
        if dates == 0 {
            return Ok(words().map(directed).min().unwrap_or(LAST));
        }
        // Dates come before words, as numbers do.
        if !self.descending || dates == words().count() {
            return Ok(LAST);
        }
        let mut best = LAST;
        for word in words() {
            if parse_date(&column.word(word)?).is_none() {
                best = best.min(directed(word));
            }
        }
        Ok(best)
    }

    /// The values that codes of a segment stand for.
    pub fn keys(
        &self,
        segment: usize,
        codes: impl Iterator<Item = u128>,
    ) -> Result<Vec<Key>, Failure> {
        let mut words = Vec::new();
        let keys = codes.enumerate().map(|(at, code)| {
            if code == LAST {
                return Key::Missing;
            }
            let code = self.directed(code);
            match code.checked_sub(text_code(1)) {
                None => Key::Number(code as u64),
                Some(twice) => {
                    words.push(((twice / 2) as u64, at));
                    Key::Missing
                }
            }
        });
        let mut keys: Vec<Key> = keys.collect();
        // In the order of the dictionary: to look a word up by itself is to read its block from the beginning.
        words.sort_unstable();
        let (words, places): (Vec<u64>, Vec<usize>) = words.into_iter().unzip();
        let columns = self.columns.as_ref().and_then(|c| c.get(segment));
        let mut columns = columns.into_iter().flat_map(Columns::values);
        if let Some(column) = columns.find(|column| column.kind == ColumnType::Str) {
            let mut places = places.into_iter();
            column.for_each_word(&words, |word| {
                if let Some(at) = places.next() {
                    keys[at] = Key::Text(word.to_owned());
                }
            })?;
        }
        Ok(keys)
    }

    /// The code of a value that may not exist in the segment: then between its neighbours.
    pub fn code_of(&self, segment: usize, key: &Key) -> Result<u128, Failure> {
        let word = match key {
            Key::Missing => return Ok(LAST),
            Key::Number(bits) => return Ok(self.directed(u128::from(*bits))),
            Key::Text(word) => word,
        };
        let columns = self.columns.as_ref().and_then(|c| c.get(segment));
        let mut code = 0;
        for column in columns.into_iter().flat_map(Columns::values) {
            match column.find(word)? {
                Some(TermOrdHit::Exact(ord)) => code = 2 * u128::from(ord) + 1,
                Some(TermOrdHit::Next(ord)) => code = 2 * u128::from(ord),
                None => {}
            }
        }
        Ok(self.directed(text_code(code)))
    }
}

fn text_code(code: u128) -> u128 {
    (1 << 64) + code
}
