//! One spelling of accented letters.

use unicode_normalization::{is_nfc, UnicodeNormalization};

use crate::analysis::each_word::WordFilter;

/// Where a line may end within a word; pages for browsers are full of it, and nobody sees or types it.
pub const SOFT_HYPHEN: char = '\u{AD}';

/// Signs that are written for an apostrophe, which is part of a word in Ukrainian (`комп'ютер`).
pub const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{2BC}'];

/// Whether a letter is Cyrillic.
pub fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{52F}').contains(&letter)
}

/// The micro sign of Latin keyboards, and the Greek letter that it is: they look alike, and Unicode has both.
const MICRO: (char, &str) = ('\u{B5}', "\u{3BC}");

/// Writes a word with composed letters and without soft hyphens; katakana of half a width, which old systems write, are
/// whole ones, `µ` is one letter, and Cyrillic words have no apostrophe, for which there are several signs, and which many
/// leave out.
pub fn compose(word: &mut String) {
    if word.is_ascii() {
        return;
    }
    if word.contains(SOFT_HYPHEN) && word.chars().any(|c| c != SOFT_HYPHEN) {
        word.retain(|c| c != SOFT_HYPHEN);
    }
    if word.contains(MICRO.0) {
        *word = word.replace(MICRO.0, MICRO.1);
    }
    if word.starts_with(is_cyrillic) && word.contains(APOSTROPHES) {
        word.retain(|c| !APOSTROPHES.contains(&c));
    }
    if word.chars().any(|c| matches!(c, '\u{ff66}'..='\u{ff9f}')) {
        *word = word.nfkc().collect();
    } else if !is_nfc(word) {
        *word = word.nfc().collect();
    }
}

/// A word as people see it written: letters composed, without soft hyphens.
pub fn seen(word: &str) -> String {
    word.chars().filter(|c| *c != SOFT_HYPHEN).nfc().collect()
}

/// Writes each token with composed letters (Unicode NFC): `u` and a mark above it, as some systems
/// write file names, is the same `ü`. Tokens keep their places in the text.
#[derive(Clone, Copy)]
pub struct ComposeFilter;

impl WordFilter for ComposeFilter {
    fn apply(self, word: &mut String, _buffer: &mut String) -> bool {
        compose(word);
        true
    }
}
