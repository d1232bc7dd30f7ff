//! Values of fields that are looked up as they are: of each type those that can be one of it.

use serde_json::Value;
use tantivy::schema::Field;
use tantivy::TantivyDocument;

use crate::date::as_indexed;
use crate::engine::definition::{FieldEntry, FieldKind, EXACT_BYTES_MAX};
use crate::engine::exact_terms::value_term;
use crate::value::{bool_of, date_of, number_of, word_of};

/// Adds a value to its field, where it can be one of that type, and a keyword to the terms.
pub(super) fn add_exact(
    fields: &mut TantivyDocument,
    entry: &FieldEntry,
    value: &Value,
    terms: Field,
) {
    let Some(field) = entry.exact else {
        return;
    };
    match entry.kind {
        FieldKind::Text => {}
        FieldKind::Keyword => {
            if let Some(text) = word_of(value).filter(|text| text.len() <= EXACT_BYTES_MAX) {
                fields.add_bytes(terms, &value_term(entry.number, &text));
                fields.add_text(field, text);
            }
        }
        FieldKind::Integer | FieldKind::Long => {
            if let Some(number) = integer_of(value) {
                fields.add_i64(field, number);
            }
        }
        FieldKind::Float | FieldKind::Double => {
            if let Some(number) = number_of(value) {
                fields.add_f64(field, number);
            }
        }
        FieldKind::Boolean => {
            if let Some(yes) = bool_of(value) {
                fields.add_bool(field, yes);
            }
        }
        FieldKind::Date => {
            if let Some(micros) = date_of(value) {
                fields.add_date(field, as_indexed(micros));
            }
        }
    }
}

fn integer_of(value: &Value) -> Option<i64> {
    let whole = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    whole.or_else(|| {
        number_of(value)
            .filter(|number| number.fract() == 0.0 && number.abs() < 9.2e18)
            .map(|number| number as i64)
    })
}
