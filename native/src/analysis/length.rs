//! Words that are too long to be any.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// Leaves out tokens of more than so many characters. Not bytes: a letter of most scripts has two or three, so that
/// words of twenty-two letters would be left out in Hindi or Georgian that are found in English.
#[derive(Clone, Copy)]
pub struct LengthFilter {
    max: usize,
}

impl LengthFilter {
    /// Keeps tokens of up to `max` characters.
    pub fn at_most(max: usize) -> LengthFilter {
        LengthFilter { max }
    }
}

impl TokenFilter for LengthFilter {
    type Tokenizer<T: Tokenizer> = LengthTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> LengthTokenizer<T> {
        LengthTokenizer {
            inner,
            max: self.max,
        }
    }
}

/// A tokenizer that gives no long words.
#[derive(Clone)]
pub struct LengthTokenizer<T> {
    inner: T,
    max: usize,
}

impl<T: Tokenizer> Tokenizer for LengthTokenizer<T> {
    type TokenStream<'a> = LengthStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        LengthStream {
            tail: self.inner.token_stream(text),
            max: self.max,
        }
    }
}

/// The stream of `LengthTokenizer`.
pub struct LengthStream<T> {
    tail: T,
    max: usize,
}

impl<T: TokenStream> TokenStream for LengthStream<T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            let text = &self.tail.token().text;
            // Few words have more bytes than they may have characters: only those are counted.
            if text.len() <= self.max || text.chars().count() <= self.max {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}
