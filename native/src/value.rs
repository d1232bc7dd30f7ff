//! Values of requests as what a column holds: words, numbers, dates, yes or no; and numbers as JSON.

use serde_json::{json, Value};

use crate::date::{from_epoch_ms, parse_date};

/// A value as an exact string, numbers as the service writes them.
pub fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) if number.is_i64() => Some(number.to_string()),
        Value::Number(number) => Some(number_value(number.as_f64()?).to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// A value as yes or no, from a string too.
pub fn bool_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::String(word) => word.parse().ok(),
        _ => None,
    }
}

/// A value as a finite number, from a string too. There is one zero: JSON of documents has no other.
pub fn number_of(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(word) => word.trim().parse().ok(),
        _ => None,
    };
    number
        .filter(|number| number.is_finite())
        .map(|number| number + 0.0)
}

/// The whole numbers at or below and at or above a value.
pub fn whole_of(value: &Value) -> Option<(i64, i64)> {
    let whole = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(word) => word.trim().parse().ok(),
        _ => None,
    };
    if let Some(whole) = whole {
        return Some((whole, whole));
    }
    // Casts saturate, so bounds beyond the whole numbers still hold.
    let number = number_of(value)?;
    Some((number.floor() as i64, number.ceil() as i64))
}

/// The number that a word is, written as the service writes it; `None` for other words.
pub fn number_written(word: &str) -> Option<f64> {
    let first = word.as_bytes().first()?;
    let number: f64 = match first {
        b'-' | b'0'..=b'9' => word.parse().ok()?,
        _ => return None,
    };
    let written = number_value(number).to_string();
    (written == word).then_some(number)
}

/// A value as microseconds since 1970: ISO 8601 or epoch milliseconds.
pub fn date_of(value: &Value) -> Option<i64> {
    match value {
        Value::String(word) => parse_date(word).or_else(|| from_epoch_ms(word.parse().ok()?)),
        Value::Number(number) => from_epoch_ms(number.as_f64()?),
        _ => None,
    }
}

/// A number as JSON, without a fraction when it has none.
pub fn number_value(number: f64) -> Value {
    // From 2^63 on, a cast would stop there.
    if number.fract() == 0.0 && number.abs() < i64::MAX as f64 {
        json!(number as i64)
    } else {
        json!(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_has_no_sign() {
        for zero in [json!(0), json!(-0.0), json!("-0"), json!("-0.0")] {
            assert_eq!(number_of(&zero).map(f64::to_bits), Some(0), "{zero}");
        }
    }

    #[test]
    fn whole_numbers_around_a_value_are_found() {
        assert_eq!(whole_of(&json!(1.5)), Some((1, 2)));
        assert_eq!(whole_of(&json!("7")), Some((7, 7)));
    }
}
