//! Numbers with a point or a comma before their fraction: `38.5`, `38,5`.

/// A number with a fraction as others write it, with a comma for its point or the other way round, whatever stands behind it;
/// none of what may be thousands.
pub(crate) fn decimal(word: &str) -> Option<String> {
    let is_sign = |sign: char| matches!(sign, ',' | '.');
    let (whole, behind) = word.split_once(is_sign)?;
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    let is_whole = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_thousands = digits == 3 && whole != "0";
    if !is_whole || digits == 0 || may_be_thousands || behind.contains(is_sign) {
        return None;
    }
    let sign = if word[whole.len()..].starts_with(',') {
        '.'
    } else {
        ','
    };
    Some(format!("{whole}{sign}{behind}"))
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn a_fraction_stands_behind_a_point_or_a_comma() {
        for (word, other) in [
            ("38,5", "38.5"),
            ("38.5", "38,5"),
            ("0,125", "0.125"),
            ("1.8m", "1,8m"),
            ("4,5x60", "4.5x60"),
        ] {
            assert_eq!(decimal(word).as_deref(), Some(other), "{word}");
        }
        for word in [
            "", "38", "1,500", "1.500kg", "1.2.3", "1,299.99", "v1.2", "1.", ".5",
        ] {
            assert_eq!(decimal(word), None, "{word}");
        }
    }
}
