//! What a facet counts: values, the same whatever segment and column they are from.

use serde_json::Value;
use tantivy::columnar::ColumnType;
use tantivy::{f64_to_u64, u64_to_f64, u64_to_i64};

use crate::date::{iso, parse_date};
use crate::engine::column::Column;
use crate::value::{number_value, number_written};

/// A value, the same for values that a filter takes for equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FacetValue {
    /// Bits that keep the order of numbers.
    Number(u64),
    /// Microseconds since 1970.
    Date(i64),
    /// A word.
    Text(String),
    /// True or false.
    Bool(bool),
}

impl FacetValue {
    /// The value of a code of a column that has no words.
    pub fn of_code(column: &Column, code: u64) -> FacetValue {
        match column.kind {
            ColumnType::Bool => FacetValue::Bool(code > 0),
            ColumnType::DateTime => FacetValue::Date(u64_to_i64(code)),
            _ => FacetValue::Number(f64_to_u64(column.number(code).unwrap_or_default())),
        }
    }

    /// The value that a column's word is.
    pub fn of_word(column: &Column, word: &str) -> FacetValue {
        let date = column.dynamic.then(|| parse_date(word)).flatten();
        if let Some(micros) = date {
            return FacetValue::Date(micros);
        }
        match (number_written(word), word) {
            (Some(number), _) => FacetValue::Number(f64_to_u64(number)),
            (None, "true") => FacetValue::Bool(true),
            (None, "false") => FacetValue::Bool(false),
            (None, word) => FacetValue::Text(word.to_owned()),
        }
    }

    /// As answers have it.
    pub fn json(&self) -> Value {
        match self {
            FacetValue::Number(bits) => number_value(u64_to_f64(*bits)),
            FacetValue::Date(micros) => Value::String(iso(*micros)),
            FacetValue::Text(text) => Value::String(text.clone()),
            FacetValue::Bool(yes) => Value::Bool(*yes),
        }
    }
}
