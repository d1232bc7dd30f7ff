//! Lower case, in which a dotted capital I is an i.

use std::mem;

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// The mark that Unicode leaves on an `i` that was `İ`. It is written as well, by programs that lower the case of texts.
const DOT: char = '\u{307}';

/// Writes each token in lower case. `İstanbul` is `istanbul`, without a second dot above its first letter.
#[derive(Clone, Copy)]
pub struct LowerFilter;

impl TokenFilter for LowerFilter {
    type Tokenizer<T: Tokenizer> = LowerTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> LowerTokenizer<T> {
        LowerTokenizer {
            inner,
            buffer: String::new(),
        }
    }
}

/// A tokenizer that gives words in lower case.
#[derive(Clone)]
pub struct LowerTokenizer<T> {
    inner: T,
    buffer: String,
}

impl<T: Tokenizer> Tokenizer for LowerTokenizer<T> {
    type TokenStream<'a> = LowerStream<'a, T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        LowerStream {
            tail: self.inner.token_stream(text),
            buffer: &mut self.buffer,
        }
    }
}

/// The stream of `LowerTokenizer`.
pub struct LowerStream<'a, T> {
    tail: T,
    buffer: &'a mut String,
}

impl<T: TokenStream> TokenStream for LowerStream<'_, T> {
    fn advance(&mut self) -> bool {
        if !self.tail.advance() {
            return false;
        }
        let text = &mut self.tail.token_mut().text;
        if text.is_ascii() {
            text.make_ascii_lowercase();
        } else {
            lower(text, self.buffer);
            mem::swap(text, self.buffer);
        }
        true
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}

fn lower(text: &str, out: &mut String) {
    out.clear();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter != DOT || !out.ends_with('i') {
            out.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};

    use super::*;

    #[test]
    fn words_are_lowered_in_every_script_and_a_dotted_i_is_an_i() {
        let words = TextAnalyzer::builder(WhitespaceTokenizer::default());
        let mut analyzer = words.filter(LowerFilter).build();
        let mut stream = analyzer
            .token_stream("ABC Straße ÉTÉ МОСКВА İSTANBUL i\u{307}zmir I\u{307}zmir q\u{307} 東京");
        let mut found = Vec::new();
        while stream.advance() {
            found.push(stream.token().text.clone());
        }
        let expected = "abc straße été москва istanbul izmir izmir q\u{307} 東京";
        assert_eq!(found.join(" "), expected);
    }
}
