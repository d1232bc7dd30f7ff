//! Characters by how their scripts put words together: with spaces between them, in one run, or each a word by itself.

use unicode_normalization::char::is_combining_mark;

/// Says in Burmese that the letter before ends a syllable.
const VOWEL_KILLER: char = '\u{103A}';

/// The character that begins at an offset; `None` at the end.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 128 {
        return Some(byte as char);
    }
    text[at..].chars().next()
}

/// Whether a character stands inside words.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)))
}

/// Combining marks and the joiners that stand inside words: vowel signs, and what takes a vowel away, of all scripts.
/// Not selectors, which are no part of a word.
pub(super) fn is_mark(c: char) -> bool {
    match c as u32 {
        0..=0x02FF => false,
        0x200C..=0x200D => true,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => false,
        _ => is_combining_mark(c),
    }
}

/// Characters that are words by themselves: Chinese characters and Japanese syllables.
pub fn is_ideograph(c: char) -> bool {
    let code = c as u32;
    code >= 0x3040
        && matches!(code,
            0x3040..=0x3096 | 0x309B..=0x309F | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
            | 0x20000..=0x3FFFF)
}

/// Katakana, of full or half width, with the signs that stand inside their words.
pub fn is_katakana(c: char) -> bool {
    let code = c as u32;
    code >= 0x3099
        && matches!(code,
            0x3099..=0x309A | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF
            | 0xFF66..=0xFF9F)
}

/// Letters and marks of Thai, Lao, Burmese and Khmer, which put no spaces between words.
pub(super) fn is_syllabic(c: char) -> bool {
    let code = c as u32;
    code >= 0x0E01
        && matches!(code,
            0x0E01..=0x0E3E | 0x0E40..=0x0E4E | 0x0E81..=0x0ECF | 0x0EDC..=0x0EDF
            | 0x1000..=0x103F | 0x1050..=0x108F | 0x109A..=0x109D
            | 0x1780..=0x17D3 | 0x17D7 | 0x17DC..=0x17DD)
}

/// Whether a word that begins so is a piece of a script without spaces, of which a word as people count them has several.
pub fn stands_alone(c: char) -> bool {
    is_ideograph(c) || is_syllabic(c)
}

/// Characters of words that have no spaces between them: Chinese and Japanese ones, katakana and the sign of a long
/// vowel among them, and those of Thai and its like.
pub(super) fn is_unspaced(c: char) -> bool {
    is_ideograph(c) || is_katakana(c) || is_syllabic(c)
}

/// Where the syllable ends that begins with one of these: vowels that are written before or behind a letter go with it,
/// as marks do, and letters that stand below another one or, in Burmese, have no vowel.
///
/// Not always a whole syllable as it is spoken: where a letter says no vowel, only a dictionary knows to which it belongs.
/// What matters is that a text and a query are cut alike, wherever their words begin.
pub(super) fn syllable_end(text: &str, mut at: usize) -> usize {
    // A vowel that is written before its letter; a letter that is to stand below the one before.
    let leads = |c: char| matches!(c as u32, 0x0E40..=0x0E44 | 0x0EC0..=0x0EC4 | 0x1039 | 0x17D2);
    let trails = |c: char| {
        is_combining_mark(c)
            || matches!(c as u32, 0x0E30 | 0x0E32..=0x0E33 | 0x0E45..=0x0E46
                | 0x0EB0 | 0x0EB2..=0x0EB3 | 0x0EBD | 0x0EC6 | 0x17D7)
    };
    let mut is_led = true;
    while let Some(c) = char_at(text, at).filter(|c| is_syllabic(*c)) {
        let after = at + c.len_utf8();
        let is_closing = char_at(text, after) == Some(VOWEL_KILLER);
        if !is_led && !trails(c) && !is_closing {
            break;
        }
        is_led = leads(c);
        at = after;
    }
    at
}

/// Where the marks end that are written behind a letter for itself, as in file names of some systems (`か\u{3099}`).
pub(super) fn voiced_end(text: &str, mut at: usize) -> usize {
    while char_at(text, at).is_some_and(|c| matches!(c as u32, 0x3099..=0x309A)) {
        at += 3;
    }
    at
}
