//! Lower case, in which a dotted capital I is an i, and a sigma is a sigma wherever it stands.

use std::mem;

use crate::analysis::each_word::WordFilter;

/// The mark that Unicode leaves on an `i` that was `İ`. It is written as well, by programs that lower the case of texts.
const DOT: char = '\u{307}';

/// The sigma at the end of a word, whose capital is that of the other one.
const FINAL_SIGMA: char = 'ς';
const SIGMA: char = 'σ';

/// Writes each token in lower case. `ΟΔΟΣ` and `οδος` are one word, and `İstanbul` is `istanbul`, without a second dot
/// above its first letter.
#[derive(Clone, Copy)]
pub struct LowerFilter;

impl WordFilter for LowerFilter {
    fn apply(self, word: &mut String, buffer: &mut String) -> bool {
        if word.is_ascii() {
            word.make_ascii_lowercase();
        } else {
            lower(word, buffer);
            mem::swap(word, buffer);
        }
        true
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
    use crate::analysis::each_word::EachWord;

    #[test]
    fn words_are_lowered_in_every_script() {
        let words = TextAnalyzer::builder(WhitespaceTokenizer::default());
        let mut analyzer = words.filter(EachWord(LowerFilter)).build();
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
