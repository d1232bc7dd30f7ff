//! The frame that Tantivy wants of a filter, for all that look at one word after the other.

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// What is done to each word of a text by itself.
pub trait WordFilter: Copy + Send + Sync + 'static {
    /// Changes a word where it stands; false leaves it out. `buffer` is there for whoever writes the word anew: it holds
    /// anything.
    fn apply(self, word: &mut String, buffer: &mut String) -> bool;
}

/// A filter of Tantivy's that does this to each token. Tokens keep their places in the text.
#[derive(Clone, Copy)]
pub struct EachWord<F>(pub F);

impl<F: WordFilter> TokenFilter for EachWord<F> {
    type Tokenizer<T: Tokenizer> = EachWordTokenizer<F, T>;

    fn transform<T: Tokenizer>(self, inner: T) -> EachWordTokenizer<F, T> {
        EachWordTokenizer {
            filter: self.0,
            inner,
            buffer: String::new(),
        }
    }
}

/// A tokenizer that gives the words that are left, as they are then.
#[derive(Clone)]
pub struct EachWordTokenizer<F, T> {
    filter: F,
    inner: T,
    buffer: String,
}

impl<F: WordFilter, T: Tokenizer> Tokenizer for EachWordTokenizer<F, T> {
    type TokenStream<'a> = EachWordStream<'a, F, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        EachWordStream {
            filter: self.filter,
            tail: self.inner.token_stream(text),
            buffer: &mut self.buffer,
        }
    }
}

/// The stream of `EachWordTokenizer`.
pub struct EachWordStream<'a, F, T> {
    filter: F,
    tail: T,
    buffer: &'a mut String,
}

impl<F: WordFilter, T: TokenStream> TokenStream for EachWordStream<'_, F, T> {
    fn advance(&mut self) -> bool {
        while self.tail.advance() {
            if self
                .filter
                .apply(&mut self.tail.token_mut().text, self.buffer)
            {
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
