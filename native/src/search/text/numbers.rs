//! Numbers that are written in other ways: `Part II` for `part 2`, `Fifth Avenue` for `5th avenue`.

use crate::search::text::expansion::Expansion;

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
/// The first, whose number is left alone.
const FIRST: [&str; 2] = ["1st", "first"];

/// Gives such a number its other forms as other ways to find it, which count less than what is written, where words
/// are English.
pub(crate) fn add_numbers(part: &mut Expansion) {
    if part.placed.len() > QUERY_WORDS_MAX {
        return;
    }
    for place in part.placed.iter_mut() {
        let word = part.plain.text[place.from..place.to].to_lowercase();
        for other in forms_of(&word).iter().filter(|form| **form != word) {
            place.add_variant(&part.scope.english_terms_of(other));
        }
    }
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
