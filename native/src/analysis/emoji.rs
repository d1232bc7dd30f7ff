//! Emoji: pictures that stand between words, each of one or more characters.
//!
//! What belongs to one emoji is what Unicode says (UTS #51, ED-17, and UAX #29, WB3c): a picture with its
//! selector, its skin tone or its tags, and more pictures that are joined to it; two letters of a flag.

const JOINER: char = '\u{200D}';
/// The box around a digit, `#` or `*`.
pub const KEYCAP: char = '\u{20E3}';
const PICTURE_SELECTOR: char = '\u{FE0F}';

/// The emoji that begins at an offset: where it ends, and where to go on, which is behind a joiner that joins nothing.
pub fn emoji_at(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut rest = text[at..].chars();
    let first = rest.next()?;
    if is_flag_letter(first) {
        let second = rest.next().filter(|c| is_flag_letter(*c));
        let end = at + first.len_utf8() + second.map_or(0, char::len_utf8);
        return Some((end, end));
    }
    let is_shown = rest.next() == Some(PICTURE_SELECTOR) && is_picture_if_selected(first);
    if !is_picture(first) && !is_shown {
        return None;
    }
    let mut end = at + first.len_utf8();
    loop {
        let more = text[end..].chars().take_while(|c| is_modifier(*c));
        end += more.map(char::len_utf8).sum::<usize>();
        let mut joined = text[end..].chars();
        if joined.next() != Some(JOINER) {
            return Some((end, end));
        }
        let next = end + JOINER.len_utf8();
        match joined.next() {
            Some(c) if is_picture(c) || is_picture_if_selected(c) => end = next + c.len_utf8(),
            _ => return Some((end, next)),
        }
    }
}

/// What a box at an offset is around.
pub enum Boxed {
    /// A digit, which is a word itself.
    Digit,
    /// `#` or `*`, and where it stands.
    Sign(usize),
}

/// What the character at an offset is the box of; none if it is no box, or around something else.
pub fn boxed_at(text: &str, at: usize) -> Option<Boxed> {
    if !text[at..].starts_with(KEYCAP) {
        return None;
    }
    let before = text[..at].trim_end_matches(PICTURE_SELECTOR);
    match before.as_bytes().last()? {
        b'0'..=b'9' => Some(Boxed::Digit),
        b'#' | b'*' => Some(Boxed::Sign(before.len() - 1)),
        _ => None,
    }
}

/// Whether a word is an emoji.
pub fn is_emoji(word: &str) -> bool {
    word.chars().next().is_some_and(|c| {
        is_picture(c) || is_flag_letter(c) || is_picture_if_selected(c) || c == '#' || c == '*'
    })
}

/// Leaves out of an emoji how it is to be shown: people look for a picture, not for its colours, and a selector is not
/// even seen.
pub fn fold(emoji: &mut String) {
    emoji.retain(|c| !matches!(c, '\u{FE0E}' | PICTURE_SELECTOR | '\u{1F3FB}'..='\u{1F3FF}'));
}

/// What changes the picture before it: selectors, skin tones, tags.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{FE0E}' | PICTURE_SELECTOR | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}')
}

fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Emoji, and the other symbols of their blocks (stars, hearts, ticks, notes, cards), but for letters and digits. Skin
/// tones and the letters of flags are none by themselves.
fn is_picture(c: char) -> bool {
    matches!(c as u32,
        0x231A..=0x231B | 0x2328 | 0x23CF | 0x23E9..=0x23F3 | 0x23F8..=0x23FA | 0x25FD..=0x25FE
        | 0x2600..=0x2767 | 0x2794..=0x27BF | 0x2B1B..=0x2B1C | 0x2B50 | 0x2B55
        | 0x1F000..=0x1F1E5 | 0x1F200..=0x1F3FA | 0x1F400..=0x1FAFF | 0x1FC00..=0x1FFFD)
        && !c.is_alphanumeric()
}

/// Signs of text (`©`, `™`, arrows, `▶`), which are pictures only where a selector or a joiner makes them.
fn is_picture_if_selected(c: char) -> bool {
    matches!(c as u32,
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2194..=0x2199 | 0x21A9..=0x21AA
        | 0x25AA..=0x25AB | 0x25B6 | 0x25C0 | 0x25FB..=0x25FC | 0x2934..=0x2935 | 0x2B05..=0x2B07
        | 0x3030 | 0x303D | 0x3297 | 0x3299)
}
