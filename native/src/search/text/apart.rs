//! Codes of letters and digits in a row, which others write as several words: `AB1234x`.

use crate::analysis::term::{QueryTerm, Step};
use crate::analysis::Analyzer;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::words;

/// Most words that one is taken apart into: more are no name that somebody knows by heart.
const PIECES_MAX: usize = 6;

/// Gives each such word of a query that no document has its pieces in a row as another way to say it: what is written
/// `AB-1234/x` is found, and what is found by the word itself stays as it is.
pub fn add_pieces(
    snapshot: &Snapshot,
    analyzer: &Analyzer,
    query: &str,
    terms: &mut [QueryTerm],
) -> Result<(), Failure> {
    for term in terms {
        let Some(written) = query.get(term.from..term.to) else {
            continue;
        };
        let pieces = pieces_of(written);
        if !(2..=PIECES_MAX).contains(&pieces.len()) || is_known(snapshot, written)? {
            continue;
        }
        let row = pieces.iter().zip(0..).map(|(piece, offset)| {
            let mut terms = analyzer.terms(piece);
            // One that is left out, as a stop word is, would leave too little to go by.
            let text = terms.pop().filter(|_| terms.is_empty())?.text;
            Some(Step { offset, text })
        });
        let row = row.collect::<Option<Vec<Step>>>();
        let row = row.filter(|row| !term.alternatives.contains(row));
        term.alternatives.extend(row);
    }
    Ok(())
}

/// Whether any live document has the word, as it is written but for its case and its accents.
fn is_known(snapshot: &Snapshot, written: &str) -> Result<bool, Failure> {
    let found = snapshot.definition.words_analyzer.terms(written);
    for word in &found {
        if words::live_documents(snapshot, &word.text)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The stretches of letters and of numbers that a word is made of, in turns; none if it has other signs in it. It begins
/// with a letter: a number with its unit behind it (`5mg`) is rare in a row, and says little of what a text is about.
fn pieces_of(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    if !word.starts_with(char::is_alphabetic) {
        return pieces;
    }
    let (mut from, mut last) = (0, None);
    for (at, sign) in word.char_indices() {
        let is_number = sign.is_ascii_digit() || (last == Some(true) && matches!(sign, '.' | ','));
        if !is_number && !sign.is_alphabetic() {
            return Vec::new();
        }
        if last.is_some_and(|last| last != is_number) {
            pieces.push(&word[from..at]);
            from = at;
        }
        last = Some(is_number);
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
        assert!(pieces_of("5mg").is_empty());
        assert!(pieces_of("don't4").is_empty());
    }
}
