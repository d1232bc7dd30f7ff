//! Words of a query that others write as several: `AB1234x` for `AB-1234/x`, `wifi` for `Wi-Fi`, `32gb` for `32 GB`.

use crate::analysis::term::{QueryTerm, Step};
use crate::analysis::Analyzer;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::codes::groups_of;
use crate::search::text::expansion::{Expansion, VARIANT_WEIGHT};
use crate::search::text::vocabulary::{PlainText, Vocabulary};

/// Most words that a code is taken apart into: more are no name that somebody knows by heart.
const PIECES_MAX: usize = 6;
/// Longest word, in characters, that is cut in two wherever documents have both parts.
const CUT_MAX: usize = 32;
/// Most ways in which a word is cut, but for those that begin alike.
const CUTS_MAX: usize = 4;
/// Digits from which on a number says enough by itself, where only stop words stand beside it.
const TELLING_DIGITS_MIN: usize = 3;
/// Digits from which on a number may be cut, as those of telephones and orders are; shorter ones are one number.
const LONG_NUMBER_MIN: usize = 7;

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

/// As `add_pieces`, of words that begin with a digit: a number with its unit in a row, which texts have by chance, too, so
/// that it counts less.
pub(crate) fn add_measures(part: &mut Expansion) -> Result<(), Failure> {
    let (vocabulary, plain) = (&part.scope.vocabulary, part.plain);
    for place in part.placed.iter_mut() {
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        if !is_measure(word.text) || word.is_in(vocabulary)? {
            continue;
        }
        let measures = cuts_of(vocabulary, word.text)?;
        let measures = measures.into_iter().map(|cut| (cut, VARIANT_WEIGHT));
        // No text has three groups of a code in a row by chance.
        let codes = groups_of(word.text, |group| vocabulary.has(group))?;
        let codes = codes.into_iter().map(|groups| (groups, 1.0));
        for (pieces, weight) in measures.chain(codes) {
            for (ways, analyzer) in place.ways.iter_mut().zip(part.scope.analyzers) {
                let row = row_of(analyzer, &pieces).filter(|_| !analyzer.cuts);
                let way = row.map(|row| Way {
                    weight,
                    ..Way::row(&row)
                });
                let way = way.filter(|way| !ways.iter().any(|known| known.slots == way.slots));
                ways.extend(way);
            }
        }
    }
    Ok(())
}

/// Whether a word is a number, and maybe its unit.
fn is_measure(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.contains(|sign: char| !sign.is_ascii_digit())
        || word.len() >= LONG_NUMBER_MIN && word.bytes().all(|byte| byte.is_ascii_digit())
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
        let is_cut = !in_number || is_long_number || (is_mixed(before) && is_mixed(behind));
        if !is_cut || !vocabulary.has(before)? {
            continue;
        }
        if vocabulary.has(behind)? {
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

/// Whether it has letters and digits, as both halves of a postcode do: in others, a digit behind a digit is no beginning.
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
    use super::pieces_of;

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
