//! Words that are too long to be any, or too short for who declared so.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// Leaves out tokens of more, or fewer, than so many characters. Not bytes: a letter of most scripts has two or three, so that
/// words of twenty-two letters would be left out in Hindi or Georgian that are found in English.
#[derive(Clone, Copy)]
pub struct LengthFilter {
    min: usize,
    max: usize,
}

impl LengthFilter {
    /// Keeps tokens of `min` to `max` characters.
    pub fn between(min: usize, max: usize) -> LengthFilter {
        LengthFilter { min, max }
    }

    fn keeps(self, text: &str) -> bool {
        // Most words have fewer bytes than they may have characters: of these nothing is counted.
        if self.min <= 1 && text.len() <= self.max {
            return true;
        }
        (self.min..=self.max).contains(&text.chars().count())
    }
}

impl TokenFilter for LengthFilter {
    type Tokenizer<T: Tokenizer> = LengthTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> LengthTokenizer<T> {
        LengthTokenizer {
            inner,
            filter: self,
        }
    }
}

/// A tokenizer that gives no words of another length.
#[derive(Clone)]
pub struct LengthTokenizer<T> {
    inner: T,
    filter: LengthFilter,
}

impl<T: Tokenizer> Tokenizer for LengthTokenizer<T> {
    type TokenStream<'a> = LengthStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        LengthStream {
            tail: self.inner.token_stream(text),
            filter: self.filter,
        }
    }
}

/// The stream of `LengthTokenizer`.
pub struct LengthStream<T> {
    tail: T,
    filter: LengthFilter,
}

impl<T: TokenStream> TokenStream for LengthStream<T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            if self.filter.keeps(&self.tail.token().text) {
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
