//! Where words begin and end. What `script.rs` tells of characters decides it.

pub mod grams;
#[cfg(test)]
mod tests;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::analysis::compose::{compose, is_cyrillic, SOFT_HYPHEN};
use crate::analysis::emoji::{boxed_at, emoji_at, fold, Boxed, KEYCAP};
use crate::analysis::script::{
    char_at, is_ideograph, is_katakana, is_mark, is_syllabic, is_word, syllable_end, voiced_end,
};

/// Splits text into words: runs of letters, digits and marks, and runs of katakana. `3.14` and `1,000` stay whole,
/// `don't` and `комп'ютер` too, the `'s` of a possessive is left out, and each ideograph, each emoji and each syllable of the
/// scripts that put no spaces between words is a word of its own. Accented letters are composed; soft hyphens, and selectors
/// and skin tones of emoji, are left out.
#[derive(Clone, Default)]
pub struct WordTokenizer {
    token: Token,
}

/// Splits text into runs of letters.
#[derive(Clone, Default)]
pub struct LetterTokenizer {
    token: Token,
}

/// Where a word stands.
struct Span {
    from: usize,
    to: usize,
    /// Where to go on.
    next: usize,
    is_emoji: bool,
}

impl Span {
    fn word(from: usize, to: usize, next: usize) -> Span {
        Span {
            from,
            to,
            next,
            is_emoji: false,
        }
    }

    fn emoji(from: usize, to: usize, next: usize) -> Span {
        Span {
            from,
            to,
            next,
            is_emoji: true,
        }
    }
}

/// Finds the next word at or after an offset.
type Next = fn(&str, usize) -> Option<Span>;

/// The stream of `WordTokenizer` and `LetterTokenizer`.
pub struct SpanStream<'a> {
    text: &'a str,
    at: usize,
    next: Next,
    token: &'a mut Token,
}

impl<'a> SpanStream<'a> {
    fn new(text: &'a str, next: Next, token: &'a mut Token) -> Self {
        token.reset();
        SpanStream {
            text,
            at: 0,
            next,
            token,
        }
    }
}

impl TokenStream for SpanStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1);
        match (self.next)(self.text, self.at) {
            None => false,
            Some(span) => {
                self.at = span.next;
                self.token.offset_from = span.from;
                self.token.offset_to = span.to;
                self.token.text.push_str(&self.text[span.from..span.to]);
                if span.is_emoji {
                    fold(&mut self.token.text);
                } else {
                    compose(&mut self.token.text);
                }
                true
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = SpanStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpanStream<'a> {
        SpanStream::new(text, next_word, &mut self.token)
    }
}

impl Tokenizer for LetterTokenizer {
    type TokenStream<'a> = SpanStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpanStream<'a> {
        SpanStream::new(text, next_letters, &mut self.token)
    }
}

/// What comes first.
enum Start {
    /// Where a word begins.
    Word(usize),
    Emoji(Span),
}

fn next_start(text: &str, mut at: usize) -> Option<Start> {
    loop {
        let c = char_at(text, at)?;
        let after = at + c.len_utf8();
        if c == KEYCAP {
            match boxed_at(text, at) {
                None => return Some(Start::Word(at)),
                Some(Boxed::Sign(from)) => {
                    return Some(Start::Emoji(Span::emoji(from, after, after)))
                }
                Some(Boxed::Digit) => {}
            }
        } else if is_word(c) {
            return Some(Start::Word(at));
        } else if !c.is_ascii() {
            if let Some((end, next)) = emoji_at(text, at) {
                return Some(Start::Emoji(Span::emoji(at, end, next)));
            }
        }
        at = after;
    }
}

fn next_word(text: &str, at: usize) -> Option<Span> {
    let from = match next_start(text, at)? {
        Start::Word(from) => from,
        Start::Emoji(span) => return Some(span),
    };
    let mut at = from;
    let mut last = ' ';
    let of_katakana = char_at(text, from).is_some_and(is_katakana);
    while let Some(c) = char_at(text, at) {
        if is_ideograph(c) {
            let end = if at == from {
                voiced_end(text, from + c.len_utf8())
            } else {
                at
            };
            return Some(Span::word(from, end, end));
        }
        if is_syllabic(c) {
            let end = if at == from {
                syllable_end(text, from)
            } else {
                at
            };
            return Some(Span::word(from, end, end));
        }
        if c == SOFT_HYPHEN {
            at += c.len_utf8();
            continue;
        }
        if is_word(c) {
            // Nothing else stands between the words of `USBケーブル`.
            if (c == KEYCAP && last.is_ascii_digit()) || is_katakana(c) != of_katakana {
                break;
            }
            last = c;
            at += c.len_utf8();
            continue;
        }
        let after = at + c.len_utf8();
        match c {
            '.' | ',' if last.is_ascii_digit() => match char_at(text, after) {
                Some(next) if next.is_ascii_digit() => at = after,
                _ => break,
            },
            '\'' | '\u{2019}' if is_cyrillic(last) => match char_at(text, after) {
                Some(next) if is_cyrillic(next) => at = after,
                _ => break,
            },
            '\'' | '\u{2019}' if last.is_alphabetic() => {
                let (to, next) = shortened_end(text, at, after);
                return Some(Span::word(from, to, next));
            }
            _ => break,
        }
    }
    Some(Span::word(from, at, at))
}

/// Where a word before an apostrophe ends, and where the text goes on: `dog's` is `dog`, `don't` is one word.
fn shortened_end(text: &str, apostrophe: usize, after: usize) -> (usize, usize) {
    let end = run_end(text, after);
    match &text[after..end] {
        "s" | "S" => (apostrophe, end),
        "t" | "ll" | "ve" | "re" | "d" | "m" | "T" | "LL" | "VE" | "RE" | "D" | "M" => (end, end),
        _ => (apostrophe, apostrophe),
    }
}

fn run_end(text: &str, mut at: usize) -> usize {
    while let Some(c) = char_at(text, at).filter(|c| is_word(*c)) {
        at += c.len_utf8();
    }
    at
}

fn next_letters(text: &str, mut at: usize) -> Option<Span> {
    let from = loop {
        let c = char_at(text, at)?;
        if c.is_alphabetic() {
            break at;
        }
        at += c.len_utf8();
    };
    let stands_inside = |c: &char| c.is_alphabetic() || is_mark(*c) || *c == SOFT_HYPHEN;
    while let Some(c) = char_at(text, at).filter(stands_inside) {
        at += c.len_utf8();
    }
    Some(Span::word(from, at, at))
}
