//! Words of a query that others write as several: `AB1234x` for `AB-1234/x`, `wifi` for `Wi-Fi`, `32gb` for `32 GB`.

use std::sync::Arc;

use crate::analysis::term::{QueryTerm, Step};
use crate::analysis::Analyzer;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::codes::{groups_of, groups_of_isbn, is_isbn};
use crate::search::text::decimal::decimal;
use crate::search::text::expansion::{Expansion, Placed, VARIANT_WEIGHT};
use crate::search::text::vocabulary::{PlainText, Vocabulary};

/// Most words that a code is taken apart into: more are no name that somebody knows by heart.
const PIECES_MAX: usize = 6;
/// Longest word, in characters, that is cut in two wherever documents have both parts.
const CUT_MAX: usize = 32;
/// Most ways in which a word is cut, but for those that begin alike.
const CUTS_MAX: usize = 4;
/// Longest query, in words, whose measures of several sides are looked for in several words, and others, and codes, also where
/// documents have them in one: small numbers and `x` stand at very many places.
const QUERY_WORDS_MAX: usize = 12;
/// Sides of a measure, at most.
const SIDES_MAX: usize = 4;
/// Particles that verbs are a noun with, in one word or apart: `setup`, `drop-off`. Those that are stop words leave no row.
const PARTICLES: [&str; 6] = ["back", "down", "off", "out", "over", "up"];
/// Letters of the shortest verb with one.
const VERB_LETTERS_MIN: usize = 3;
/// What several things have behind them.
const PLURAL: &str = "s";
/// Letters from which on the last part of a word is looked for in its other number, too.
const NUMBERED_MIN: usize = 3;
/// What stands before a thing that is electronic, in one word with it or apart: `email`, `e-mail`.
const ELECTRONIC: &str = "e";
/// Letters of the shortest thing that it is looked for before, as in `ebook`.
const THING_LETTERS_MIN: usize = 4;
/// Digits from which on a number says enough by itself, where only stop words stand beside it.
const TELLING_DIGITS_MIN: usize = 3;
/// Digits from which on a number may be cut, as those of telephones and orders are; shorter ones are one number.
pub(crate) const LONG_NUMBER_MIN: usize = 7;

/// Gives each word of a query that no document has its pieces in a row as other ways to say it, so that what is written
/// `AB-1234/x` or `wi-fi` is found; what is found by the word itself stays as it is.
pub(crate) fn add_pieces(
    vocabulary: &Vocabulary,
    analyzer: &Analyzer,
    plain: &PlainText,
    terms: &mut [QueryTerm],
) -> Result<(), Failure> {
    if analyzer.cuts {
        // It looks for parts of words anyway, of which a query may have very many.
        return Ok(());
    }
    for term in terms {
        let Some(word) = plain.only_word(term.from, term.to) else {
            continue;
        };
        if is_measure(word.text) || word.is_in(vocabulary)? {
            continue;
        }
        let pieces = pieces_of(&plain.text[term.from..term.to]);
        let mut rows = Vec::new();
        if (2..=PIECES_MAX).contains(&pieces.len()) {
            rows.push(pieces);
        }
        rows.extend(cuts_of(vocabulary, word.text)?);
        rows.extend(groups_of(word.text, |group| vocabulary.has(group))?);
        for pieces in &rows {
            let row = row_of(analyzer, pieces);
            let row = row.filter(|row| !term.alternatives.contains(row));
            term.alternatives.extend(row);
        }
    }
    Ok(())
}

/// As `add_pieces`, of words that begin with a digit, and of measures: a number with its unit in a row, which texts have by
/// chance, too, so that it counts less. These are found so as well where documents have the word, as one catalogue has both.
pub(crate) fn add_measures(part: &mut Expansion) -> Result<(), Failure> {
    let (vocabulary, plain) = (&part.scope.vocabulary, part.plain);
    let analyzers = part.scope.analyzers;
    let is_short = part.placed.len() <= QUERY_WORDS_MAX;
    for place in part.placed.iter_mut() {
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        let sides = match is_short {
            true => sides_of(word.text),
            false => Vec::new(),
        };
        if sides.is_empty() && !is_measure(word.text) {
            continue;
        }
        let is_known = word.is_in(vocabulary)?;
        let has_both = !sides.is_empty() || unit_of(word.text).is_some() || is_isbn(word.text);
        let is_split = is_short && has_both;
        if is_known && !is_split {
            continue;
        }
        let codes = match is_known {
            true => groups_of_isbn(word.text, |group| vocabulary.has(group))?,
            false => groups_of(word.text, |group| vocabulary.has(group))?,
        };
        for pieces in cuts_of(vocabulary, word.text)? {
            add_row(analyzers, place, &pieces, VARIANT_WEIGHT, is_known);
        }
        if let Some(other) = decimal(word.text) {
            let sides = if is_short {
                sides_of(&other)
            } else {
                Vec::new()
            };
            let cuts = cuts_of(vocabulary, &other)?;
            for pieces in cuts.into_iter().chain(rows_of_sides(&sides)) {
                add_row(analyzers, place, &pieces, VARIANT_WEIGHT, is_known);
            }
        }
        for pieces in codes.into_iter().chain(rows_of_sides(&sides)) {
            // No text has three groups of a code in a row by chance.
            let is_telling = !is_known && pieces.len() > 2;
            let weight = if is_telling { 1.0 } else { VARIANT_WEIGHT };
            add_row(analyzers, place, &pieces, weight, is_known);
        }
    }
    Ok(())
}

/// As `add_pieces`, of words that documents have: one catalogue has `covid19` and `COVID-19`, `getUserById` and
/// `get_user_by_id`, `email` and `e-mail`, `setup` and `set up`. Only words with digits or capitals inside are looked at, and
/// those that may begin with an `e` for electronic, or end with a particle; others say too seldom where they are cut.
pub(crate) fn add_known_pieces(part: &mut Expansion) -> Result<(), Failure> {
    let (vocabulary, plain) = (&part.scope.vocabulary, part.plain);
    if part.placed.len() > QUERY_WORDS_MAX {
        return Ok(());
    }
    for place in part.placed.iter_mut() {
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        let pieces = pieces_of(&plain.text[place.from..place.to]);
        if (2..=PIECES_MAX).contains(&pieces.len()) {
            if word.is_in(vocabulary)? {
                add_row(part.scope.analyzers, place, &pieces, VARIANT_WEIGHT, true);
            }
        } else if let Some((first, last)) = electronic(word.text).or_else(|| verb(word.text)) {
            let telling = if first == ELECTRONIC { last } else { first };
            if vocabulary.has(telling)? && word.is_in(vocabulary)? {
                let pieces = [first, last];
                add_row(part.scope.analyzers, place, &pieces, VARIANT_WEIGHT, true);
            }
        }
    }
    Ok(())
}

/// The `e` for electronic that stands before something, and what that is.
fn electronic(word: &str) -> Option<(&str, &str)> {
    let thing = word.strip_prefix(ELECTRONIC)?;
    let is_long = thing.chars().nth(THING_LETTERS_MIN - 1).is_some();
    (is_long && thing.chars().all(char::is_alphabetic)).then_some((ELECTRONIC, thing))
}

/// What may be a verb, and the particle behind it.
fn verb(word: &str) -> Option<(&str, &str)> {
    let word = word.strip_suffix(PLURAL).unwrap_or(word);
    let mut ends = PARTICLES.iter();
    let verbs = ends.find_map(|particle| Some((word.strip_suffix(particle)?, *particle)));
    verbs.filter(|(verb, _)| verb.len() >= VERB_LETTERS_MIN)
}

/// Adds a row of pieces as another way to say a word.
pub(crate) fn add_row(
    analyzers: &[&Arc<Analyzer>],
    place: &mut Placed,
    pieces: &[&str],
    weight: f32,
    is_far: bool,
) {
    for (ways, analyzer) in place.ways.iter_mut().zip(analyzers) {
        let row = row_of(analyzer, pieces).filter(|_| !analyzer.cuts);
        let way = row.map(|row| Way {
            weight,
            is_far,
            ..Way::row(&row)
        });
        let way = way.filter(|way| !ways.iter().any(|known| known.slots == way.slots));
        ways.extend(way);
    }
}

/// Whether a word is a number, and maybe its unit.
fn is_measure(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.contains(|sign: char| !sign.is_ascii_digit())
        || word.len() >= LONG_NUMBER_MIN && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The unit behind a number.
fn unit_of(word: &str) -> Option<&str> {
    let unit = word.trim_start_matches(|sign: char| sign.is_ascii_digit() || ",.".contains(sign));
    let is_unit =
        unit.len() < word.len() && !unit.is_empty() && unit.chars().all(char::is_alphabetic);
    is_unit.then_some(unit)
}

/// The sides of a measure: `3` and `5cm` of `3x5cm`; none of other words, and of numbers like `0x1f`.
fn sides_of(word: &str) -> Vec<&str> {
    let mut sides = Vec::new();
    let mut from = 0;
    for (at, _) in word.match_indices('x') {
        let is_digit = |sign: char| sign.is_ascii_digit();
        if word[..at].ends_with(is_digit) && word[at + 1..].starts_with(is_digit) {
            sides.push(&word[from..at]);
            from = at + 1;
        }
    }
    if sides.is_empty() || sides == ["0"] || sides.len() >= SIDES_MAX {
        return Vec::new();
    }
    sides.push(&word[from..]);
    sides
}

/// The ways in which texts have these sides in several words: with `x` between them, and without where they have another
/// sign (`3 × 5`), each with its unit as a part of the last one, and behind it.
fn rows_of_sides<'a>(sides: &[&'a str]) -> Vec<Vec<&'a str>> {
    let Some((last, before)) = sides.split_last() else {
        return Vec::new();
    };
    let mut ends = vec![vec![*last]];
    if let Some(unit) = unit_of(last) {
        let number = &last[..last.len() - unit.len()];
        ends.push(vec![number, unit]);
    }
    let mut rows = Vec::new();
    for end in ends {
        let crossed = before.iter().flat_map(|side| [*side, "x"]);
        rows.push(crossed.chain(end.iter().copied()).collect());
        rows.push(before.iter().chain(&end).copied().collect());
    }
    rows
}

/// The pieces as an analyzer has them. One that is left out, as a stop word is, leaves a gap where the others say enough:
/// two of them, or a number (`a100` for `A-100`).
fn row_of(analyzer: &Analyzer, pieces: &[&str]) -> Option<Vec<Step>> {
    let mut row = Vec::with_capacity(pieces.len());
    for (piece, offset) in pieces.iter().zip(0..) {
        let mut terms = analyzer.terms(piece);
        let last = terms.pop();
        if !terms.is_empty() {
            return None;
        }
        row.extend(last.map(|term| Step {
            offset,
            text: term.text,
        }));
    }
    let is_number = |text: &str| {
        text.len() >= TELLING_DIGITS_MIN && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let says_enough = match row.as_slice() {
        [] => false,
        [only] => is_number(&only.text),
        _ => true,
    };
    says_enough.then_some(row)
}

/// The ways to cut a word in words that documents have: two, or three of a long number. Where these stand in a row is seen
/// when they are looked for.
fn cuts_of<'a>(vocabulary: &Vocabulary, word: &'a str) -> Result<Vec<Vec<&'a str>>, Failure> {
    let mut cuts = Vec::new();
    if word.chars().count() > CUT_MAX {
        return Ok(cuts);
    }
    let is_long_number =
        word.len() >= LONG_NUMBER_MIN && word.bytes().all(|byte| byte.is_ascii_digit());
    for (at, sign) in word.char_indices().skip(1) {
        let (before, behind) = word.split_at(at);
        let in_number = sign.is_ascii_digit() && before.ends_with(|c: char| c.is_ascii_digit());
        let is_cut = !in_number || is_long_number || is_code_cut(before, behind);
        if !is_cut || !vocabulary.has(before)? {
            continue;
        }
        if is_known(vocabulary, behind)? {
            cuts.push(vec![before, behind]);
        } else if is_long_number {
            for at in 1..behind.len() {
                let (middle, last) = behind.split_at(at);
                if vocabulary.has(middle)? && vocabulary.has(last)? {
                    cuts.push(vec![before, middle, last]);
                }
            }
        }
        if cuts.len() >= CUTS_MAX {
            break;
        }
    }
    Ok(cuts)
}

/// Whether documents have the last part of a word, or its other number: of `giftcard` one has `gift cards`.
fn is_known(vocabulary: &Vocabulary, part: &str) -> Result<bool, Failure> {
    if vocabulary.has(part)? {
        return Ok(true);
    }
    let is_numbered = part.len() >= NUMBERED_MIN && part.bytes().all(|b| b.is_ascii_lowercase());
    match part.strip_suffix(PLURAL) {
        _ if !is_numbered => Ok(false),
        Some(one) => vocabulary.has(one),
        None => vocabulary.has(&format!("{part}{PLURAL}")),
    }
}

/// Whether a code may be cut before a digit that stands behind another one: where both parts have letters and digits, as those of
/// a postcode do, or one of them does and the other is a number of several digits (`62042rs` for `6204-2RS`).
fn is_code_cut(before: &str, behind: &str) -> bool {
    let is_long = |part: &str| part.len() >= TELLING_DIGITS_MIN;
    match (is_mixed(before), is_mixed(behind)) {
        (true, true) => true,
        (false, true) => is_long(before),
        (true, false) => is_long(behind),
        (false, false) => false,
    }
}

/// Whether it has letters and digits.
fn is_mixed(part: &str) -> bool {
    part.contains(char::is_alphabetic) && part.contains(|sign: char| sign.is_ascii_digit())
}

/// The stretches of letters and of numbers that a word is made of, in turns, and those that begin with a capital behind a
/// small letter (`maxRetryCount`); none if it has other signs in it. It begins with a letter: a number with its unit behind
/// it is cut where documents have both.
fn pieces_of(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    if !word.starts_with(char::is_alphabetic) {
        return pieces;
    }
    let (mut from, mut last, mut is_small) = (0, None, false);
    for (at, sign) in word.char_indices() {
        let is_number = sign.is_ascii_digit() || (last == Some(true) && matches!(sign, '.' | ','));
        if !is_number && !sign.is_alphabetic() {
            return Vec::new();
        }
        let is_hump = is_small && sign.is_uppercase();
        if is_hump || last.is_some_and(|last| last != is_number) {
            pieces.push(&word[from..at]);
            from = at;
        }
        last = Some(is_number);
        is_small = sign.is_lowercase();
    }
    pieces.push(&word[from..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::{pieces_of, rows_of_sides, sides_of};

    #[test]
    fn measures_have_sides() {
        let rows = |word| -> Vec<String> {
            let rows = rows_of_sides(&sides_of(word));
            rows.iter().map(|row| row.join(" ")).collect()
        };
        assert_eq!(rows("3x5"), ["3 x 5", "3 5"]);
        let with_unit = ["3 x 5cm", "3 5cm", "3 x 5 cm", "3 5 cm"];
        assert_eq!(rows("3x5cm"), with_unit);
        assert_eq!(rows("2.5x3x4"), ["2.5 x 3 x 4", "2.5 3 4"]);
        assert_eq!(rows("m8x50"), ["m8 x 50", "m8 50"]);
        for word in ["0x1f", "x5", "5x", "box", "1x1x1x1x1", ""] {
            assert!(rows(word).is_empty(), "{word}");
        }
    }

    #[test]
    fn letters_and_numbers_stand_apart() {
        assert_eq!(pieces_of("AB1234x"), ["AB", "1234", "x"]);
        assert_eq!(pieces_of("v2.5beta"), ["v", "2.5", "beta"]);
        assert_eq!(pieces_of("größe40"), ["größe", "40"]);
        assert_eq!(pieces_of("drill"), ["drill"]);
        assert_eq!(pieces_of("maxRetryCount"), ["max", "Retry", "Count"]);
        assert_eq!(pieces_of("HTTPServer"), ["HTTPServer"]);
        assert!(pieces_of("5mg").is_empty());
        assert!(pieces_of("don't4").is_empty());
    }
}
