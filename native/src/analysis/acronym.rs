//! Acronyms with points: `U.S.A.` is `USA`, too.

use crate::analysis::term::OneWord;

/// Most letters of one.
const LETTERS_MAX: usize = 8;
/// What nobody looks for, and many texts have.
const SAID_BY_THE_WAY: [&str; 2] = ["eg", "ie"];

/// The acronyms of a text, in order, each with the point behind it and its letters as they are written: two letters of A to Z and more, with a point behind each; behind the last one there
/// may be none, as it may end a sentence.
pub fn acronyms(text: &str) -> Vec<OneWord> {
    let mut found = Vec::new();
    let mut free = 0;
    for (point, _) in text.match_indices('.') {
        if point > free && is_single(text, point - 1) {
            if let Some(acronym) = acronym_at(text, point - 1) {
                free = acronym.range.end;
                found.push(acronym);
            }
        }
    }
    found
}

/// Whether a letter begins here, with no letter, digit or point before it.
fn is_single(text: &str, at: usize) -> bool {
    text.as_bytes()[at].is_ascii_alphabetic() && {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '.')
    }
}

fn acronym_at(text: &str, from: usize) -> Option<OneWord> {
    let mut letters = String::new();
    let mut end = from;
    while let Some(letter) = text[end..].chars().next().filter(char::is_ascii_alphabetic) {
        match text[end + 1..].chars().next() {
            Some('.') => end += 2,
            Some(next) if next.is_alphanumeric() => break,
            _ => end += 1,
        }
        letters.push(letter);
        if !text[..end].ends_with('.') {
            break;
        }
    }
    let is_said = SAID_BY_THE_WAY
        .iter()
        .any(|said| letters.eq_ignore_ascii_case(said));
    let is_name = (2..=LETTERS_MAX).contains(&letters.len()) && !is_said;
    is_name.then_some(OneWord {
        range: from..end,
        letters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, String)> {
        let all = acronyms(text).into_iter();
        all.map(|acronym| (&text[acronym.range], acronym.letters))
            .collect()
    }

    #[test]
    fn letters_with_points_behind_them_are_acronyms() {
        for (text, range, letters) in [
            ("The U.S. economy", "U.S.", "US"),
            ("in the U.S.A.", "U.S.A.", "USA"),
            ("the “U.S” here", "U.S", "US"),
            ("at 9 a.m., or so", "a.m.", "am"),
            ("a.s.a.p", "a.s.a.p", "asap"),
            ("9 a.m", "a.m", "am"),
            ("(A.I.)", "A.I.", "AI"),
            ("U.S.-led", "U.S.", "US"),
            ("the U.S.'s", "U.S.", "US"),
            ("J.R.R. Tolkien", "J.R.R.", "JRR"),
            ("the U.S.Army", "U.S.", "US"),
        ] {
            assert_eq!(found(text), [(range, letters.to_owned())], "{text}");
        }
        let two = found("U.S. and U.K. law");
        assert_eq!(two, [("U.S.", "US".into()), ("U.K.", "UK".into())]);
    }

    #[test]
    fn other_points_make_none() {
        for text in [
            "This is plan A. B is another.",
            "Dr. X.",
            "node.js",
            "t.co",
            "Ph.D.",
            "3.a.",
            "v2.1.0",
            "E.g. poodles, i.e. small ones",
            "end.A.B.",
            "é.U.S",
            "a.b.c.d.e.f.g.h.i.",
            ".",
            "",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
