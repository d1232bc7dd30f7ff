//! Letters of other scripts than Latin that are written in several ways.

use std::mem;

use unicode_normalization::char::{compose, decompose_canonical};

use crate::analysis::each_word::WordFilter;
use crate::analysis::han::simplified;

/// Writes each token as most people type it: without the marks that Hebrew and Arabic leave out, `е` for `ё`, old Greek
/// with the accents of today, one spelling of Hindi's nasals, digits of any script as `0` to `9`, and Chinese characters as simplified ones.
#[derive(Clone, Copy)]
pub struct FoldFilter {
    /// Whether Chinese characters are simplified. Words that are shown to people keep theirs.
    pub simplifies: bool,
}

impl WordFilter for FoldFilter {
    fn apply(self, word: &mut String, buffer: &mut String) -> bool {
        if !word.is_ascii() {
            fold(word, buffer, self.simplifies);
            // A word of marks alone stays what it is.
            if !buffer.is_empty() {
                mem::swap(word, buffer);
            }
        }
        true
    }
}

/// What one letter is written as.
enum Folded {
    Same,
    Other(char),
    Nothing,
}

fn fold(text: &str, out: &mut String, simplifies: bool) {
    out.clear();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let folded = match letter as u32 {
            0..=0x3FF => Folded::Same,
            0x400..=0x52F if letter == 'ё' => Folded::Other('е'),
            0x591..=0x6FF => semitic(letter),
            0x1F00..=0x1FFF => polytonic(letter),
            0x93C => Folded::Nothing,
            0x901 => Folded::Other(ANUSVARA),
            0x94D if is_nasal_before(out, letters.peek().copied()) => {
                out.pop();
                Folded::Other(ANUSVARA)
            }
            0x4E00..=0x9FFF if simplifies => Folded::Other(simplified(letter)),
            _ => digit(letter),
        };
        match folded {
            Folded::Same => out.push(letter),
            Folded::Other(other) => out.push(other),
            Folded::Nothing => {}
        }
    }
}

/// Hebrew and Arabic: marks of vowels are seldom written. How an alef is written the stemmer must see.
fn semitic(letter: char) -> Folded {
    match letter as u32 {
        0x591..=0x5BD | 0x5BF | 0x5C1..=0x5C2 | 0x5C4..=0x5C5 | 0x5C7 => Folded::Nothing,
        0x610..=0x61A | 0x640 | 0x64B..=0x65F | 0x670 => Folded::Nothing,
        _ => digit(letter),
    }
}

/// Accents of old Greek that are one today: varia, oxia, perispomeni.
const ACCENTS: [char; 3] = ['\u{300}', '\u{301}', '\u{342}'];
const TONOS: char = '\u{301}';

/// Old Greek: breathings and the iota below a letter are not written any more.
fn polytonic(letter: char) -> Folded {
    let (mut base, mut has_accent) = (letter, false);
    decompose_canonical(letter, |part| {
        if part.is_alphabetic() && base == letter {
            base = part;
        }
        has_accent |= ACCENTS.contains(&part);
    });
    match (base == letter, has_accent) {
        (true, _) => Folded::Same,
        (false, true) => Folded::Other(compose(base, TONOS).unwrap_or(base)),
        (false, false) => Folded::Other(base),
    }
}

/// The sign of a nasal in Devanagari.
const ANUSVARA: char = '\u{902}';

/// Whether what is written is a nasal without a vowel, and what follows a letter that is spoken at the same place:
/// `हिन्दी` is `हिंदी`.
fn is_nasal_before(written: &str, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    match written.chars().last() {
        Some('ङ') => ('क'..='घ').contains(&next),
        Some('ञ') => ('च'..='झ').contains(&next),
        Some('ण') => ('ट'..='ढ').contains(&next),
        Some('न') => ('त'..='ध').contains(&next),
        Some('म') => ('प'..='भ').contains(&next),
        _ => false,
    }
}

/// The zeros of scripts that have digits of their own; the other nine stand behind each.
const ZEROS: [u32; 17] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0,
];

fn digit(letter: char) -> Folded {
    let code = letter as u32;
    if !(ZEROS[0]..=ZEROS[ZEROS.len() - 1] + 9).contains(&code) {
        return Folded::Same;
    }
    let value = ZEROS
        .iter()
        .find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10));
    value
        .and_then(|value| char::from_digit(value, 10))
        .map_or(Folded::Same, Folded::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut out = String::new();
        fold(text, &mut out, true);
        out
    }

    #[test]
    fn letters_are_as_most_people_type_them() {
        for (written, typed) in [
            ("ёлка", "елка"),
            ("שָׁלוֹם", "שלום"),
            ("أَحْمَد", "أحمد"),
            ("إعـــادة", "إعادة"),
            ("हिन्दी", "हिंदी"),
            ("लम्बा", "लंबा"),
            ("गाँव", "गांव"),
            ("हेडफ\u{93C}ोन", "हेडफोन"),
            ("तुम्हारा", "तुम्हारा"),
            ("١٢٨", "128"),
            ("१०", "10"),
            ("๒๕", "25"),
            ("ὅμηρος", "όμηρος"),
            ("ᾠδῇ", "ωδή"),
            ("ῥαψῳδία", "ραψωδία"),
            ("ἀνήρ", "ανήρ"),
            ("όμηρος", "όμηρος"),
            ("電", "电"),
            ("안녕", "안녕"),
        ] {
            assert_eq!(folded(written), typed, "{written}");
        }
        let mut out = String::new();
        fold("電", &mut out, false);
        assert_eq!(out, "電");
    }
}
