//! Lower case, in which a dotted capital I is an i, and a sigma is a sigma wherever it stands.

use std::mem;

use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

/// The mark that Unicode leaves on an `i` that was `İ`. It is written as well, by programs that lower the case of texts.
const DOT: char = '\u{307}';

/// The sigma at the end of a word, whose capital is that of the other one.
const FINAL_SIGMA: char = 'ς';
const SIGMA: char = 'σ';

/// Writes each token in lower case. `ΟΔΟΣ` and `οδος` are one word, and `İstanbul` is `istanbul`, without a second dot
/// above its first letter.
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

/// A word of a list, as it stands in texts that were written in lower case.
pub fn as_lowered(word: &str) -> String {
    word.replace(FINAL_SIGMA, "σ")
}

fn lower(text: &str, out: &mut String) {
    out.clear();
    for letter in text.chars().flat_map(char::to_lowercase) {
        match letter {
            DOT if out.ends_with('i') => {}
            FINAL_SIGMA => out.push(SIGMA),
            _ => out.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};

    use super::*;

    #[test]
    fn words_are_lowered_in_every_script() {
        let words = TextAnalyzer::builder(WhitespaceTokenizer::default());
        let mut analyzer = words.filter(LowerFilter).build();
        let mut stream = analyzer.token_stream(
            "ABC Straße ÉTÉ МОСКВА ΟΔΟΣ οδος Σας İSTANBUL i\u{307}zmir I\u{307}zmir q\u{307} 東京",
        );
        let mut found = Vec::new();
        while stream.advance() {
            found.push(stream.token().text.clone());
        }
        let expected = "abc straße été москва οδοσ οδοσ σασ istanbul izmir izmir q\u{307} 東京";
        assert_eq!(found.join(" "), expected);
    }
}
