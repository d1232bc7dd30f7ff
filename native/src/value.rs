//! Values of requests as what a column holds: words, numbers, dates, yes or no; and numbers as JSON.

use serde_json::{json, Number, Value};

use crate::date::{from_epoch_ms, parse_date};

/// A value as an exact string, numbers as the service writes them.
pub fn word_of(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => written(number),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// A number as the service writes it, which is as JavaScript does: the library that reads JSON here
/// writes some of the very small and the very large ones in another way.
pub fn written(number: &Number) -> Option<String> {
    if number.is_i64() {
        return Some(number.to_string());
    }
    let number = number.as_f64()?;
    let text = number_value(number).to_string();
    let has_exponent = text.contains('e') || number.abs() >= i64::MAX as f64;
    Some(if has_exponent { laid_out(number) } else { text })
}

/// The shortest digits of a finite number, laid out as ECMAScript lays them out (`Number::toString`).
fn laid_out(number: f64) -> String {
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    // Where the point stands, counted from before the first digit.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let sign = if number < 0.0 { "-" } else { "" };
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    let len = digits.len() as i32;
    match point {
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        1..=21 if len <= point => format!("{sign}{digits}{}", zeros(point - len)),
        1..=21 => format!(
            "{sign}{}.{}",
            &digits[..point as usize],
            &digits[point as usize..]
        ),
        _ => format!("{sign}{mantissa}e{:+}", point - 1),
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
    let written = written(&Number::from_f64(number)?)?;
    (written == word).then_some(number)
}

/// A value as microseconds since 1970: ISO 8601 or epoch milliseconds.
pub fn date_of(value: &Value) -> Option<i64> {
    match value {
        Value::String(word) => {
            parse_date(word).or_else(|| from_epoch_ms(word.trim().parse().ok()?))
        }
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
    fn numbers_are_written_as_javascript_writes_them() {
        for word in [
            "0.000001",
            "0.0000015",
            "1e-7",
            "1.5e-7",
            "5e-324",
            "0.1",
            "-0.00001",
            "1000000000000000.5",
            "9223372036854776000",
            "10000000000000000000",
            "-18446744073709552000",
            "123456789012345680000",
            "1e+21",
            "1.7976931348623157e+308",
            "2",
            "-3",
        ] {
            let number: Value = serde_json::from_str(word).unwrap();
            assert_eq!(word_of(&number).as_deref(), Some(word));
            assert_eq!(number_written(word), number.as_f64(), "{word}");
        }
        for word in ["1e-6", "1e19", "1e+20", "1e21", "2.0", "01"] {
            assert_eq!(number_written(word), None, "{word}");
        }
    }

    #[test]
    fn dates_in_milliseconds_may_have_space_around_them_as_other_numbers() {
        assert_eq!(date_of(&json!(" 1500 ")), Some(1_500_000));
    }

    #[test]
    fn whole_numbers_around_a_value_are_found() {
        assert_eq!(whole_of(&json!(1.5)), Some((1, 2)));
        assert_eq!(whole_of(&json!("7")), Some((7, 7)));
    }
}
