//! Words cut into pieces of a few characters, by which they are found from their middle or their beginning.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::analysis::emoji::fold;
use crate::analysis::script::{char_at, is_unspaced};
use crate::analysis::tokenizer::{next_word, Span};

/// Splits text into words and each word into pieces of `min` to `max` characters: all of them, or only those at its
/// beginning. All pieces of a word have the word's position. Chinese and Japanese characters that stand side by side are
/// one word here, and so are syllables of Thai and its like. An emoji is one piece, however few characters it has, and so
/// is a word of those that is shorter than `min`.
#[derive(Clone)]
pub struct GramTokenizer {
    min: usize,
    max: usize,
    edge: bool,
    token: Token,
}

impl GramTokenizer {
    /// Pieces at every place of a word.
    pub fn all(min: usize, max: usize) -> Self {
        GramTokenizer::new(min, max, false)
    }

    /// Pieces at the beginning of a word.
    pub fn edge(min: usize, max: usize) -> Self {
        GramTokenizer::new(min, max, true)
    }

    fn new(min: usize, max: usize, edge: bool) -> Self {
        GramTokenizer {
            min,
            max,
            edge,
            token: Token::default(),
        }
    }
}

impl Tokenizer for GramTokenizer {
    type TokenStream<'a> = GramStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> GramStream<'a> {
        self.token.reset();
        GramStream {
            min: self.min,
            max: self.max,
            edge: self.edge,
            text,
            at: 0,
            bounds: Vec::new(),
            first: 0,
            length: 0,
            is_emoji: false,
            token: &mut self.token,
        }
    }
}

/// The stream of `GramTokenizer`.
pub struct GramStream<'a> {
    min: usize,
    max: usize,
    edge: bool,
    text: &'a str,
    at: usize,
    /// Offsets of the characters of the current word, and its end.
    bounds: Vec<usize>,
    first: usize,
    length: usize,
    is_emoji: bool,
    token: &'a mut Token,
}

impl TokenStream for GramStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            let characters = self.bounds.len().saturating_sub(1);
            let begin = self.first;
            if self.length <= self.max && begin + self.length <= characters && self.length > 0 {
                let (from, to) = (self.bounds[begin], self.bounds[begin + self.length]);
                self.token.text.clear();
                self.token.text.push_str(&self.text[from..to]);
                if self.is_emoji {
                    fold(&mut self.token.text);
                }
                self.token.offset_from = from;
                self.token.offset_to = to;
                self.length += 1;
                return true;
            }
            if !self.edge && begin + 1 + self.min <= characters {
                self.first += 1;
                self.length = self.min;
                continue;
            }
            let Some(span) = next_run(self.text, self.at) else {
                return false;
            };
            let (from, to) = (span.from, span.to);
            self.at = span.next;
            self.token.position = self.token.position.wrapping_add(1);
            self.bounds.clear();
            let word = &self.text[from..to];
            self.is_emoji = span.is_emoji;
            if self.is_emoji {
                self.bounds.push(from);
                self.length = 1;
            } else {
                self.bounds
                    .extend(word.char_indices().map(|(i, _)| from + i));
                let is_short = self.bounds.len() < self.min;
                self.length = if is_short && word.starts_with(is_unspaced) {
                    self.bounds.len().min(self.max)
                } else {
                    self.min
                };
            }
            self.bounds.push(to);
            self.first = 0;
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// The next word, or the next row of those that are written without spaces between them.
fn next_run(text: &str, at: usize) -> Option<Span> {
    let mut span = next_word(text, at)?;
    if span.is_emoji || !text[span.from..span.to].ends_with(is_unspaced) {
        return Some(span);
    }
    while char_at(text, span.next).is_some_and(is_unspaced) {
        let Some(more) = next_word(text, span.next) else {
            break;
        };
        (span.to, span.next) = (more.to, more.next);
    }
    Some(span)
}
