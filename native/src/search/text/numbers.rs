//! Numbers that are written in other ways: `Part II` for `part 2`, `Fifth Avenue` for `5th avenue`, `Rocky V` for `rocky 5`.

use crate::search::text::apart::add_row;
use crate::search::text::expansion::{Expansion, VARIANT_WEIGHT};

/// Longest query, in words, of which numbers are looked for in other ways: in a longer one, they say little, and `two` stands
/// in most long texts.
const QUERY_WORDS_MAX: usize = 6;
/// A number in digits, in words and in Roman ones, and its ordinal. No 1, and no single Roman letter, of which texts are
/// full for other reasons: `one`, `I`.
const NUMBERS: [(&[&str], &[&str]); 11] = [
    (&["2", "two", "ii"], &["2nd", "second"]),
    (&["3", "three", "iii"], &["3rd", "third"]),
    (&["4", "four", "iv"], &["4th", "fourth"]),
    (&["5", "five"], &["5th", "fifth"]),
    (&["6", "six", "vi"], &["6th", "sixth"]),
    (&["7", "seven", "vii"], &["7th", "seventh"]),
    (&["8", "eight", "viii"], &["8th", "eighth"]),
    (&["9", "nine", "ix"], &["9th", "ninth"]),
    (&["10", "ten"], &["10th", "tenth"]),
    (&["11", "eleven", "xi"], &["11th", "eleventh"]),
    (&["12", "twelve", "xii"], &["12th", "twelfth"]),
];
/// Numbers whose Roman form is a single letter. They are one only behind the same word: texts are full of such letters.
const LETTERS: [(&str, &str); 3] = [("1", "i"), ("5", "v"), ("10", "x")];
/// The first, whose number is left alone.
const FIRST: [&str; 2] = ["1st", "first"];

/// Gives such a number its other forms as other ways to find it, which count less than what is written, where words
/// are English.
pub(crate) fn add_numbers(part: &mut Expansion) {
    if part.placed.len() > QUERY_WORDS_MAX {
        return;
    }
    add_letters(part);
    for place in part.placed.iter_mut() {
        let word = part.plain.text[place.from..place.to].to_lowercase();
        for other in forms_of(&word).iter().filter(|form| **form != word) {
            place.add_variant(&part.scope.english_terms_of(other));
        }
    }
}

/// Gives such a number with the word before it, in whichever way it is written, the other one behind that word.
fn add_letters(part: &mut Expansion) {
    let text = part.plain.text;
    for nth in 1..part.placed.len() {
        let (before, place) = (&part.placed[nth - 1], &part.placed[nth]);
        let Some(other) = letter_of(&text[place.from..place.to].to_lowercase()) else {
            continue;
        };
        let is_word = text[before.from..before.to]
            .chars()
            .all(char::is_alphabetic);
        let between = text.get(before.to..place.from);
        if is_word && between.is_some_and(|between| between.trim().is_empty()) {
            let pieces = [&text[before.from..before.to], other];
            let analyzers = part.scope.analyzers;
            add_row(
                analyzers,
                &mut part.placed[nth],
                &pieces,
                VARIANT_WEIGHT,
                true,
            );
        }
    }
}

fn letter_of(word: &str) -> Option<&'static str> {
    let mut both = LETTERS
        .iter()
        .flat_map(|(digits, letter)| [(digits, letter), (letter, digits)]);
    both.find(|(own, _)| **own == word).map(|(_, other)| *other)
}

fn forms_of(word: &str) -> &'static [&'static str] {
    if FIRST.contains(&word) {
        return &FIRST;
    }
    let mut forms = NUMBERS
        .iter()
        .flat_map(|(counted, ranked)| [*counted, *ranked]);
    forms
        .find(|forms| forms.contains(&word))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::forms_of;

    #[test]
    fn a_number_has_its_forms_and_no_others() {
        assert_eq!(forms_of("ii"), ["2", "two", "ii"]);
        assert_eq!(forms_of("5th"), ["5th", "fifth"]);
        assert_eq!(forms_of("first"), ["1st", "first"]);
        for word in ["1", "one", "i", "v", "x", "22", ""] {
            assert!(forms_of(word).is_empty(), "{word}");
        }
    }
}
