//! How many documents have each value of a field whose values are all of one type.

use tantivy::columnar::ColumnType;
use tantivy::{f64_to_u64, u64_to_i64};

use crate::engine::column::{is_number, Column, Columns};
use crate::failure::Failure;
use crate::search::facet::code_counts::CodeCounts;
use crate::search::facet::value::FacetValue;
use crate::search::facet::word_counts::WordCounts;

/// Values of one type, which are what they are counted as: those that differ are different values.
pub enum AlikeValues {
    /// Words, none of which may be a date.
    Words(WordCounts),
    /// Numbers of any kind.
    Numbers(CodeCounts),
    /// Dates of mapped fields.
    Dates(CodeCounts),
    /// True and false.
    Truths(CodeCounts),
}

impl AlikeValues {
    /// `None` where values may be of several types, or words may be dates.
    pub fn of(columns: &[Vec<Columns>]) -> Option<AlikeValues> {
        let are = |is_one: fn(&Column) -> bool| {
            let mut columns = columns.iter().flatten().flat_map(|own| &own.columns);
            columns.all(|column| is_one(column) && !column.dates)
        };
        if are(|column| column.kind == ColumnType::Str) {
            return Some(AlikeValues::Words(WordCounts::default()));
        }
        if are(|column| is_number(column.kind)) {
            return Some(AlikeValues::Numbers(CodeCounts::default()));
        }
        if are(|column| column.kind == ColumnType::DateTime) {
            return Some(AlikeValues::Dates(CodeCounts::default()));
        }
        let truths = are(|column| column.kind == ColumnType::Bool);
        truths.then(|| AlikeValues::Truths(CodeCounts::default()))
    }

    /// Counts each of some documents of a segment once for each of its values.
    pub fn count(&mut self, column: &Column, base: u32, positions: &[u32]) {
        match self {
            AlikeValues::Words(counts) => counts.count(column, base, positions),
            AlikeValues::Numbers(counts) => counts.count(column, base, positions, |code| {
                f64_to_u64(column.number(code).unwrap_or_default())
            }),
            AlikeValues::Dates(counts) | AlikeValues::Truths(counts) => {
                counts.count(column, base, positions, |code| code);
            }
        }
    }

    /// The `size` values that most documents have.
    pub fn first(self, size: usize) -> Result<Vec<(u64, FacetValue)>, Failure> {
        let (counts, key): (_, fn(u64) -> FacetValue) = match self {
            AlikeValues::Words(counts) => {
                let first = counts.first(size)?.into_iter();
                return Ok(first
                    .map(|(count, word)| (count, FacetValue::Text(word)))
                    .collect());
            }
            AlikeValues::Numbers(counts) => (counts, FacetValue::Number),
            AlikeValues::Dates(counts) => (counts, |code| FacetValue::Date(u64_to_i64(code))),
            AlikeValues::Truths(counts) => (counts, |code| FacetValue::Bool(code > 0)),
        };
        let first = counts.first(size).into_iter();
        Ok(first.map(|(count, value)| (count, key(value))).collect())
    }
}
