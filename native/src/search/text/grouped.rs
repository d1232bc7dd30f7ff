//! Numbers with signs between their thousands, and without: `10,000` for `10000`, `250 000` for `250000`; and with a point or a
//! comma before their fraction: `38.5` for `38,5`.

use std::ops::RangeInclusive;

use crate::failure::Failure;
use crate::search::text::apart::add_row;
use crate::search::text::decimal::decimal;
use crate::search::text::expansion::{Expansion, VARIANT_WEIGHT};

/// Longest query, in words, whose numbers are looked for in other ways.
const QUERY_WORDS_MAX: usize = 12;
/// Digits of a number before its point: fewer have no thousands, more are a code.
const DIGITS: RangeInclusive<usize> = 4..=15;
/// Digits from which on thousands are looked for as words of their own: `2024` is a year, `2 024` two numbers.
const APART_MIN: usize = 5;

/// Gives a number its other spellings as other ways to find it, which count less where documents have it as it is written.
pub(crate) fn add_grouped(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    if part.placed.len() > QUERY_WORDS_MAX {
        return Ok(());
    }
    for place in part.placed.iter_mut() {
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        let (decimal, number) = (decimal(word.text), number_of(word.text));
        if decimal.is_none() && number.is_none() {
            continue;
        }
        let is_known = word.is_in(&scope.vocabulary)?;
        let weight = if is_known { VARIANT_WEIGHT } else { 1.0 };
        if let Some(other) = decimal {
            if scope.vocabulary.has(&other)? {
                place.add(&scope.terms_of(&other), weight, is_known);
            }
        }
        let Some((digits, fraction)) = number else {
            continue;
        };
        let thousands = thousands_of(&digits);
        for whole in [thousands.concat(), thousands.join(","), thousands.join(".")] {
            let other = whole + fraction;
            if other != word.text && scope.vocabulary.has(&other)? {
                place.add(&scope.terms_of(&other), weight, is_known);
            }
        }
        if digits.len() >= APART_MIN && fraction.is_empty() {
            add_row(scope.analyzers, place, &thousands, weight, is_known);
        }
    }
    Ok(())
}

/// The digits of a number before its point or comma, and what stands from there on; none of other words, and of numbers
/// without thousands. What could be either is taken for thousands: `1.500`.
fn number_of(word: &str) -> Option<(String, &str)> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !word.starts_with(|first: char| ('1'..='9').contains(&first)) {
        return None;
    }
    let last = word.rfind([',', '.']);
    let sign = last.map(|at| &word[at..=at]);
    // The last sign stands before a fraction where it comes once, and before another number of digits or behind another sign.
    let fraction = last.filter(|at| {
        let before = &word[..*at];
        let is_other = before.contains([',', '.']);
        sign.is_some_and(|sign| !before.contains(sign)) && (is_other || word.len() - at != 4)
    });
    let (whole, fraction) = word.split_at(fraction.unwrap_or(word.len()));
    if !fraction.is_empty() && !is_digits(&fraction[1..]) {
        return None;
    }
    let mut signs = whole.bytes().filter(|byte| !byte.is_ascii_digit());
    let first = signs.next();
    if first.is_some_and(|first| !b",.".contains(&first) || signs.any(|sign| sign != first)) {
        return None;
    }
    let parts: Vec<&str> = whole.split([',', '.']).collect();
    let is_grouped = parts[0].len() <= 3 && parts[1..].iter().all(|part| part.len() == 3);
    let digits = parts.concat();
    let is_number = is_digits(&digits) && (parts.len() == 1 || is_grouped);
    (is_number && DIGITS.contains(&digits.len())).then_some((digits, fraction))
}

/// The digits of a number in threes from behind.
fn thousands_of(digits: &str) -> Vec<&str> {
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let threes = (0..rest.len()).step_by(3).map(|at| &rest[at..at + 3]);
    [first].into_iter().chain(threes).collect()
}

#[cfg(test)]
mod tests {
    use super::{number_of, thousands_of};

    #[test]
    fn a_number_has_thousands_and_maybe_a_fraction() {
        let number = |word| number_of(word).map(|(digits, fraction)| digits + "|" + fraction);
        for (word, expected) in [
            ("10000", "10000|"),
            ("10,000", "10000|"),
            ("1.500.000", "1500000|"),
            ("1.500", "1500|"),
            ("1,299.99", "1299|.99"),
            ("1.299,99", "1299|,99"),
            ("1299.99", "1299|.99"),
            ("1,299.995", "1299|.995"),
        ] {
            assert_eq!(number(word).as_deref(), Some(expected), "{word}");
        }
        for word in [
            "",
            "999",
            "3.14",
            "0.125",
            "2.10.3",
            "1,2,3",
            "10,00",
            "12345,678,9",
            "007",
            "1e6",
            "10,000kg",
            "1.2.3.4",
        ] {
            assert_eq!(number(word), None, "{word}");
        }
        assert_eq!(thousands_of("1500000"), ["1", "500", "000"]);
        assert_eq!(thousands_of("250000"), ["250", "000"]);
    }
}
