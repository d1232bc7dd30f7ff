//! Stemming with a memory: words repeat, and looking a stem up is many times cheaper than making it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::mem;

use frostem::Algorithm;
use tantivy::tokenizer::{Token, TokenFilter, TokenStream, Tokenizer};

use crate::analysis::endings::{
    arabic_letter, is_korean, persian_letter, russian_letter, without_long_vowel, without_particles,
};
use crate::failure::Failure;
use crate::space::hashed::TermHash;

/// Words remembered by a thread for one language.
const WORDS_MAX: usize = 16_384;
/// Longer words are rare: they are stemmed each time.
const REMEMBERED_BYTES_MAX: usize = 24;

type Stems = HashMap<Box<str>, Box<str>, TermHash>;

thread_local! {
    static STEMS: RefCell<Vec<(Algorithm, Stems)>> = const { RefCell::new(Vec::new()) };
}

/// Replaces each token by its Snowball stem; tokens are in lower case. As a rule they are folded, too: `informacoes` comes for
/// every `informações`, and only the word's other form (`analysis/forms.rs`) has its accents. A word in another script than that of the language
/// is stemmed as one of the language that most write in it: no stemmer knows the letters of two, so that it would be left
/// as it is, and found in that form alone. Korean and katakana, which Snowball does not read, lose their endings, too.
#[derive(Clone, Copy)]
pub struct StemFilter {
    algorithm: Algorithm,
}

impl StemFilter {
    /// The stemmer of a language; BAD_DEFINITION when there is none.
    pub fn new(language: &str) -> Result<StemFilter, Failure> {
        match Algorithm::from_name(&language.to_lowercase()) {
            Ok(algorithm) => Ok(StemFilter { algorithm }),
            Err(_) => Err(Failure::bad_definition(format!(
                "there is no stemmer for {language}"
            ))),
        }
    }
}

impl TokenFilter for StemFilter {
    type Tokenizer<T: Tokenizer> = StemTokenizer<T>;

    fn transform<T: Tokenizer>(self, inner: T) -> StemTokenizer<T> {
        StemTokenizer {
            algorithm: self.algorithm,
            inner,
        }
    }
}

/// The languages of which Snowball knows the words in the script of a word, if that is not Latin: first the one that most
/// write in it.
fn of_script(word: &str) -> Option<&'static [Algorithm]> {
    let first = word.bytes().next()?;
    // Latin letters come before U+0340.
    if first < 0xCD {
        return None;
    }
    match word.chars().next()? as u32 {
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Some(&[Algorithm::Greek]),
        0x0400..=0x052F => Some(&[Algorithm::Russian, Algorithm::Serbian]),
        0x0530..=0x058F => Some(&[Algorithm::Armenian]),
        0x0600..=0x06FF | 0x0750..=0x077F => Some(&[Algorithm::Arabic, Algorithm::Persian]),
        0x0900..=0x097F => Some(&[Algorithm::Hindi, Algorithm::Nepali]),
        0x0B80..=0x0BFF => Some(&[Algorithm::Tamil]),
        _ => None,
    }
}

/// The stem of a word for an index in the language of `algorithm`. What Snowball does not know of a language's inflections is
/// said here: before it (a letter, an ending), or in its place. A rule for words that mean the same in queries alone, as
/// `mice` and `mouse`, is one of `search/text/rules.rs`.
fn stem_of(algorithm: Algorithm, stemmer: &frostem::Stemmer, word: &str) -> String {
    if is_korean(word) {
        return without_particles(word).to_owned();
    }
    if word.starts_with(|first| ('\u{30A1}'..='\u{30FF}').contains(&first)) {
        return without_long_vowel(word).to_owned();
    }
    let Some(languages) = of_script(word) else {
        return stemmer.stem(word).into_owned();
    };
    let known = languages.iter().find(|language| **language == algorithm);
    let language = *known.unwrap_or(&languages[0]);
    let letter = match language {
        Algorithm::Russian => russian_letter,
        Algorithm::Arabic => arabic_letter,
        Algorithm::Persian => persian_letter,
        _ => |letter| letter,
    };
    let word: String = word.chars().map(letter).collect();
    frostem::Stemmer::new(language).stem(&word).into_owned()
}

/// A tokenizer that gives stems.
#[derive(Clone)]
pub struct StemTokenizer<T> {
    algorithm: Algorithm,
    inner: T,
}

impl<T: Tokenizer> Tokenizer for StemTokenizer<T> {
    type TokenStream<'a> = StemStream<T::TokenStream<'a>>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Self::TokenStream<'a> {
        StemStream {
            algorithm: self.algorithm,
            stemmer: frostem::Stemmer::new(self.algorithm),
            stems: borrow(self.algorithm),
            tail: self.inner.token_stream(text),
        }
    }
}

/// The stream of `StemTokenizer`; holds the thread's memory while it runs.
pub struct StemStream<T> {
    algorithm: Algorithm,
    stemmer: frostem::Stemmer,
    stems: Stems,
    tail: T,
}

impl<T: TokenStream> TokenStream for StemStream<T> {
    fn advance(&mut self) -> bool {
        if !self.tail.advance() {
            return false;
        }
        let token = self.tail.token_mut();
        if let Some(stem) = self.stems.get(token.text.as_str()) {
            token.text.clear();
            token.text.push_str(stem);
            return true;
        }
        let stem = stem_of(self.algorithm, &self.stemmer, &token.text);
        if token.text.len() <= REMEMBERED_BYTES_MAX {
            if self.stems.len() >= WORDS_MAX {
                self.stems.clear();
            }
            self.stems
                .insert(token.text.as_str().into(), stem.as_str().into());
        }
        token.text = stem;
        true
    }

    fn token(&self) -> &Token {
        self.tail.token()
    }

    fn token_mut(&mut self) -> &mut Token {
        self.tail.token_mut()
    }
}

impl<T> Drop for StemStream<T> {
    fn drop(&mut self) {
        let stems = mem::take(&mut self.stems);
        // While the thread ends its memory may be gone already.
        let _ = STEMS.try_with(|all| {
            let Ok(mut all) = all.try_borrow_mut() else {
                return;
            };
            match all.iter_mut().find(|entry| entry.0 == self.algorithm) {
                Some(entry) if entry.1.len() < stems.len() => entry.1 = stems,
                Some(_) => {}
                None => all.push((self.algorithm, stems)),
            }
        });
    }
}

fn borrow(algorithm: Algorithm) -> Stems {
    STEMS.with(|all| {
        let mut all = all.borrow_mut();
        let found = all.iter_mut().find(|entry| entry.0 == algorithm);
        found.map_or_else(Stems::default, |entry| mem::take(&mut entry.1))
    })
}

#[cfg(test)]
mod tests {
    use tantivy::tokenizer::{Language, Stemmer, TextAnalyzer, WhitespaceTokenizer};

    use super::*;

    #[test]
    fn a_remembered_stem_is_the_stem() {
        let words = WhitespaceTokenizer::default;
        let filter = StemFilter::new("English").unwrap();
        let mut ours = TextAnalyzer::builder(words()).filter(filter).build();
        let plain = Stemmer::new(Language::English);
        let mut theirs = TextAnalyzer::builder(words()).filter(plain).build();
        let text = "running runs ran generously happiness the dying skies skies running";
        for _ in 0..2 {
            let (mut a, mut b) = (ours.token_stream(text), theirs.token_stream(text));
            while b.advance() {
                assert!(a.advance());
                assert_eq!(a.token(), b.token());
            }
            assert!(!a.advance());
        }
        assert!(StemFilter::new("klingon").is_err());
    }

    #[test]
    fn words_of_another_script_have_its_stems() {
        let stems = |language: &str, text: &str| {
            let mut found = Vec::new();
            let filter = StemFilter::new(language).unwrap();
            TextAnalyzer::builder(WhitespaceTokenizer::default())
                .filter(filter)
                .build()
                .token_stream(text)
                .process(&mut |token| found.push(token.text.clone()));
            found
        };
        let text = "running книгами книга книги βιβλίων βιβλία लड़कियों लड़की";
        let english = stems("english", text);
        assert_eq!(english[0], "run");
        assert_eq!(english[1..4], ["книг", "книг", "книг"].map(String::from));
        assert_eq!(english[4], english[5]);
        assert_eq!(english[6], english[7]);
        let others = "столів столи містами місто 비밀번호를 비밀번호 サーバー サーバ";
        let others = stems("english", others);
        others
            .chunks(2)
            .for_each(|pair| assert_eq!(pair[0], pair[1]));
        let serbian = stems("serbian", "књигама књига");
        assert_eq!(serbian[0], serbian[1]);
        // A language has its own.
        let russian = stems("russian", text);
        assert_eq!(russian[0], "running");
        assert_eq!(russian[1..], english[1..]);
    }
}
