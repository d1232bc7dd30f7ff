//! The codes of values that a field is to equal.

use serde_json::Value;
use tantivy::columnar::{ColumnType, StrColumn};

use crate::date::parse_date;
use crate::engine::codes::CodeSet;
use crate::engine::column::bounds::Bound;
use crate::engine::column::{Column, Place};
use crate::failure::Failure;
use crate::value::word_of;

/// To look a word of a column up costs as much as to pass over so many: its block is read from the beginning.
const LOOKUP_WORDS: usize = 256;

/// Values that a field is compared with, made ready once for the columns of all segments.
pub struct Wanted<'a> {
    values: &'a [Value],
    /// As words, sorted, each once; without dates where the path is dynamic: these are found in the shadow column, if a
    /// segment has one.
    words: Vec<String>,
    /// The codes in columns of one type that is not that of words.
    numbers: Vec<(ColumnType, CodeSet)>,
}

impl<'a> Wanted<'a> {
    /// Values of a place.
    pub fn of(values: &'a [Value], place: &Place) -> Wanted<'a> {
        let dynamic = matches!(place, Place::Dynamic(_));
        let words = values.iter().filter_map(word_of);
        let words = words.filter(|word| !dynamic || parse_date(word).is_none());
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        words.dedup();
        Wanted {
            values,
            words,
            numbers: Vec::new(),
        }
    }

    /// The values as words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Hands the codes of those that a column may hold to `found`.
    pub fn in_column(
        &mut self,
        column: &Column,
        found: impl FnOnce(&CodeSet),
    ) -> Result<(), Failure> {
        if let Some(strings) = &column.strings {
            found(&codes_of_words(strings, &self.words)?);
            return Ok(());
        }
        let known = self
            .numbers
            .iter()
            .position(|(kind, _)| *kind == column.kind);
        let at = match known {
            Some(at) => at,
            None => {
                let codes = column.codes_of(self.values)?;
                self.numbers.push((column.kind, codes));
                self.numbers.len() - 1
            }
        };
        found(&self.numbers[at].1);
        Ok(())
    }
}

/// The codes of those of some sorted words that a column holds: looked up one by one when they are few, else met in the
/// order of the dictionary.
fn codes_of_words(strings: &StrColumn, words: &[String]) -> Result<CodeSet, Failure> {
    let dictionary = strings.dictionary();
    let end = dictionary.num_terms();
    let mut codes = Vec::new();
    if words.len() * LOOKUP_WORDS < end {
        for word in words {
            codes.extend(dictionary.term_ord(word)?);
        }
        return Ok(CodeSet::of_words(codes, end));
    }
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Ok(CodeSet::of_words(codes, end));
    };
    let mut known = dictionary.range().ge(first).le(last).into_stream()?;
    let mut wanted = words.iter().map(String::as_bytes).peekable();
    while wanted.peek().is_some() && known.advance() {
        while wanted.next_if(|word| *word < known.key()).is_some() {}
        if wanted.peek() == Some(&known.key()) {
            codes.push(known.term_ord());
        }
    }
    Ok(CodeSet::of_words(codes, end))
}

impl Column {
    /// The codes of some values that is none of words: whether the column holds them is not asked.
    fn codes_of(&self, values: &[Value]) -> Result<CodeSet, Failure> {
        let mut codes = Vec::new();
        for value in values.iter().filter(|value| self.may_equal(value)) {
            let low = self.bound(value, Bound::From)?;
            let high = self.bound(value, Bound::To)?;
            // The bounds meet in the code of the value, if the column may hold it.
            if let (Some((low, most)), Some((least, high))) = (low, high) {
                if low == high && least <= low && low <= most {
                    codes.push(low);
                }
            }
        }
        Ok(CodeSet::of_numbers(codes))
    }
}
