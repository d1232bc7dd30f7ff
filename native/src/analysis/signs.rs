//! Names that end in signs: `C++`, `C#`.

use std::ops::Range;

/// Longest word that a `#` belongs to: behind a longer one it is a number sign.
const SHARP_LETTERS_MAX: usize = 2;
/// Lengths of words that `++` belongs to: one letter, or a name. Those between are ions (`Ca++`).
const PLUS_LETTERS: [std::ops::RangeInclusive<usize>; 2] = [1..=1, 5..=16];

/// Whether a text may hold such a name.
pub fn has_signs(text: &str) -> bool {
    text.as_bytes().contains(&b'#') || text.contains("++")
}

/// A word of a text with the signs behind it, in lower case, if they make another name of it.
pub fn signed(text: &str, word: Range<usize>) -> Option<String> {
    let behind = text.get(word.end..)?;
    let word = text.get(word)?;
    let letters = word.len();
    let (signs, fits) = match behind.as_bytes() {
        [b'+', b'+', ..] => ("++", PLUS_LETTERS.iter().any(|fit| fit.contains(&letters))),
        [b'#', ..] => ("#", letters <= SHARP_LETTERS_MAX),
        _ => return None,
    };
    let is_name = fits && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let next = behind[signs.len()..].chars().next();
    let ends = next.is_none_or(|next| !next.is_alphabetic() && !signs.contains(next));
    let begins = word.starts_with(|first: char| first.is_ascii_alphabetic());
    (is_name && begins && ends).then(|| word.to_ascii_lowercase() + signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str, word: &str) -> Option<String> {
        let from = text.find(word).unwrap();
        signed(text, from..from + word.len())
    }

    #[test]
    fn signs_that_end_a_name_belong_to_it() {
        assert_eq!(name("learn C++ now", "C").as_deref(), Some("c++"));
        assert_eq!(name("C++17", "C").as_deref(), Some("c++"));
        assert_eq!(name("(C#)", "C").as_deref(), Some("c#"));
        assert_eq!(name("Notepad++.", "Notepad").as_deref(), Some("notepad++"));
    }

    #[test]
    fn other_signs_do_not() {
        for (text, word) in [
            ("C", "C"),
            ("C + 1", "C"),
            ("C+", "C"),
            ("C+++", "C"),
            ("Ca++", "Ca"),
            ("a++b", "a"),
            ("issue#5", "issue"),
            ("5++", "5"),
            ("#C", "C"),
        ] {
            assert_eq!(name(text, word), None, "{text}");
        }
        assert!(has_signs("C#") && has_signs("C++") && !has_signs("C + C"));
    }
}
