//! Text → terms: an `Analyzer` reads texts as they are indexed, and queries as they are looked for.
//!
//! | step | file | what it does |
//! |---|---|---|
//! | what is declared | `definition.rs` | the tokenizer and the filters of a definition; `chain.rs` makes a chain of Tantivy's of them |
//! | words | `tokenizer.rs`, `script.rs` | where words begin and end; accented letters are composed (`compose.rs`), emoji are one sign (`emoji.rs`) |
//! | letters | `lower.rs`, `fold.rs`, `han.rs` | one by one: small ones, without marks, Chinese ones as simplified |
//! | inflections | `stem.rs`, `endings.rs` | Snowball's stems, and rules of our own beside it; words come folded |
//! | forms beside the term | `forms.rs`, `signs.rs`, `acronym.rs`, `particle.rs` | accents that the stemmer knows, `C++`, `U.S.`, `log in` |
//! | synonyms | `own_synonyms.rs`, `synonyms.rs` | of queries alone |
//!
//! All of it but synonyms decides what is indexed: with a change of it, `CHANGES` in `engine/format.rs` gets a line, and indices
//! are built anew.
//! What only a query is to find in other ways too is a rule of `search/text/rules.rs`, for which no index is built anew.

pub mod acronym;
mod chain;
pub mod compose;
mod definition;
pub mod each_word;
pub mod emoji;
pub mod endings;
pub mod fold;
mod forms;
pub mod han;
pub mod length;
pub mod lower;
mod own_synonyms;
pub mod particle;
pub mod respelt;
pub mod script;
pub mod signs;
pub mod stem;
pub mod synonyms;
pub mod term;
#[cfg(test)]
mod tests;
pub mod tokenizer;

use tantivy::tokenizer::TextAnalyzer;

pub use definition::AnalyzerDefinition;

use crate::analysis::acronym::acronyms;
use crate::analysis::chain::{
    alone, chain, folded_late, one_word, plain_word, plain_words, tokenizer,
};
use crate::analysis::definition::FilterDefinition;
use crate::analysis::forms::{is_accented, other_form, InOrder};
use crate::analysis::own_synonyms::OwnSynonyms;
use crate::analysis::particle::particles;
use crate::analysis::signs::{has_signs, signed};
use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::{each_of, single, terms_of, words_of, OneWord, QueryTerm, Step, Term};
use crate::failure::Failure;

/// Longest plain word in bytes; longer ones are not completed or corrected.
pub const WORD_BYTES_MAX: usize = 64;

/// A ready analyzer, shared by all threads.
pub struct Analyzer {
    /// Everything but synonyms.
    full: TextAnalyzer,
    /// The analyzer over one word, folded behind its stemmer and not before it.
    folded_late: Option<TextAnalyzer>,
    /// Everything but synonyms and stop words, for texts of these alone, where such texts keep them.
    alone: Option<TextAnalyzer>,
    /// The filters over one word that texts have in several pieces, where acronyms and particles are known.
    one_word: Option<TextAnalyzer>,
    synonyms: Option<OwnSynonyms>,
    /// Whether names with signs behind them (`C++`) have a form with these.
    pub signs: bool,
    /// Whether it stems English.
    pub stems_english: bool,
    /// What nouns have behind their stems, where it stems a language that writes compounds in one word; nothing elsewhere.
    pub compound_endings: &'static [&'static str],
    /// Whether it cuts words into pieces, of which a short text may have very many.
    pub cuts: bool,
    /// Whether letters lose their accents.
    pub folds: bool,
}

impl Analyzer {
    /// Builds an analyzer; an unknown word in it is BAD_DEFINITION.
    pub fn build(definition: &AnalyzerDefinition) -> Result<Analyzer, Failure> {
        Ok(Analyzer {
            full: chain(tokenizer(&definition.tokenizer)?, &definition.filters)?,
            folded_late: folded_late(definition)?,
            alone: alone(definition)?,
            one_word: one_word(definition)?,
            synonyms: OwnSynonyms::read(definition)?,
            signs: definition.reads_names(),
            stems_english: definition.stems("english"),
            compound_endings: definition.compound_endings(),
            cuts: definition.tokenizer.cuts(),
            folds: definition.filters.iter().any(FilterDefinition::folds),
        })
    }

    /// Calls `each` with every term of a text but its stop words, and its word number: a word of two forms is two terms.
    pub fn for_each(&self, text: &str, mut each: impl FnMut(&str, usize)) {
        self.for_each_while(text, |term, position| {
            each(term, position);
            true
        });
    }

    /// As `for_each`, for as long as `each` wants another one; gives whether there was any.
    pub fn for_each_while(&self, text: &str, mut each: impl FnMut(&str, usize) -> bool) -> bool {
        let mut any = false;
        let mut each = |term: &str, position| {
            any = true;
            each(term, position)
        };
        if self.has_other_forms(text) {
            let mut forms = self.said_forms(text).into_iter();
            while forms.next().is_some_and(|t| each(&t.text, t.position)) {}
            return any;
        }
        let mut one_words = InOrder::of(self.one_words_of(text));
        each_of(&self.full, text, |token| {
            let one_word = one_words.around(token.offset_from);
            let goes_on = one_word.is_none_or(|one| each(&one.text, token.position));
            goes_on && each(&token.text, token.position)
        });
        any
    }

    /// Calls `each` with every term of a text of stop words alone, and its word number, where such texts keep them.
    pub fn for_each_alone(&self, text: &str, mut each: impl FnMut(&str, usize)) {
        for term in self.alone_terms(text) {
            each(&term.text, term.position);
        }
    }

    /// The terms of a text, one for each word.
    pub fn terms(&self, text: &str) -> Vec<Term> {
        terms_of(&self.full, text)
    }

    /// The terms of a text, as it is indexed: also those of words that have another form, and stop words where there is no
    /// other word.
    pub fn forms(&self, text: &str) -> Vec<Term> {
        let forms = self.said_forms(text);
        match forms.is_empty() {
            true => self.alone_terms(text),
            false => forms,
        }
    }

    /// The terms of a text without its stop words, whatever else it has; also those of words that have another form.
    ///
    /// Stemmers know endings by their accents (`informações`), and people leave accents out. So what is stemmed and then
    /// folded is found beside what is folded and then stemmed, where the two differ. `C++` is found by its letter, too, `U.S.A.`
    /// by `USA`, which stands where its first letter does that is no stop word, and so `log in` by `login`.
    pub fn said_forms(&self, text: &str) -> Vec<Term> {
        let terms = self.terms(text);
        if !self.has_forms(text) {
            return terms;
        }
        let mut late = self.folded_late.clone();
        let mut one_words = InOrder::of(self.one_words_of(text));
        let mut forms = Vec::with_capacity(terms.len());
        for term in terms {
            let one_word = one_words.around(term.from);
            forms.extend(one_word.map(|one| Term {
                position: term.position,
                ..one
            }));
            let other = other_form(late.as_mut(), text, term.from..term.to, &term.text);
            let signed = signed(text, term.from..term.to).filter(|_| self.signs);
            let others = other.into_iter().chain(signed).map(|text| Term {
                text,
                ..term.clone()
            });
            let others: Vec<Term> = others.collect();
            forms.push(term);
            forms.extend(others);
        }
        forms
    }

    /// Whether a text may have words of two forms by themselves.
    fn has_other_forms(&self, text: &str) -> bool {
        self.folded_late.is_some() && is_accented(text) || self.signs && has_signs(text)
    }

    fn has_forms(&self, text: &str) -> bool {
        self.has_other_forms(text)
            || self.one_word.is_some()
                && (!acronyms(text).is_empty() || particles(text).next().is_some())
    }

    /// What of a text is one word elsewhere, as acronyms and verbs with a particle are, as words without their places.
    fn one_words_of(&self, text: &str) -> Vec<Term> {
        let Some(one_word) = &self.one_word else {
            return Vec::new();
        };
        let mut found: Vec<OneWord> = acronyms(text).into_iter().chain(particles(text)).collect();
        if found.is_empty() {
            return Vec::new();
        }
        found.sort_by_key(|one| one.range.start);
        let terms = found.into_iter().filter_map(|one| {
            Some(Term {
                text: words_of(one_word, &one.letters).pop()?,
                position: 0,
                from: one.range.start,
                to: one.range.end,
            })
        });
        terms.collect()
    }

    /// The terms of a query of stop words alone, as texts of these alone have them; none where such texts have none.
    pub fn alone_terms(&self, text: &str) -> Vec<Term> {
        let Some(alone) = &self.alone else {
            return Vec::new();
        };
        let mut terms = terms_of(alone, text);
        terms
            .iter_mut()
            .for_each(|term| term.text.insert(0, ALONE_MARK));
        terms
    }

    /// The terms of a query: synonyms are alternatives at one place; `more` beside the analyzer's own.
    pub fn query_terms(&self, text: &str, more: &Synonyms) -> Vec<QueryTerm> {
        let mut terms = match &self.synonyms {
            Some(own) => own.expand(text),
            None => self.terms(text).into_iter().map(single).collect(),
        };
        if self.has_forms(text) {
            self.add_forms(&mut terms, text);
        }
        more.apply(terms)
    }

    /// Adds the other forms of the query's own words.
    fn add_forms(&self, terms: &mut [QueryTerm], text: &str) {
        let mut late = self.folded_late.clone();
        let one_words = self.one_words_of(text);
        for term in terms {
            let Some([own]) = term.alternatives.first().map(Vec::as_slice) else {
                continue;
            };
            let other = other_form(late.as_mut(), text, term.from..term.to, &own.text);
            // A text that has it need not have its letters.
            let around = one_words
                .iter()
                .find(|one| (one.from..one.to).contains(&term.from));
            for text in other.into_iter().chain(around.map(|a| a.text.clone())) {
                let row = vec![Step { offset: 0, text }];
                if !term.alternatives.contains(&row) {
                    term.alternatives.push(row);
                }
            }
        }
    }

    /// Rules about the words of a query, as this analyzer reads them.
    pub fn read_synonyms(&self, rules: &[Vec<String>]) -> Synonyms {
        Synonyms::read(rules.iter(), false, |words| self.terms(words))
    }
}

/// The analyzer of plain words: lower case, at most 64 bytes, folded if that is wanted.
pub fn words_analyzer(folds: bool) -> Analyzer {
    Analyzer {
        full: plain_words(folds, WORD_BYTES_MAX),
        folded_late: None,
        alone: None,
        one_word: Some(plain_word()),
        synonyms: None,
        signs: false,
        stems_english: false,
        compound_endings: &[],
        cuts: false,
        folds,
    }
}

/// What terms of stop words begin with, and no others: `its` is stemmed to `it`, too.
const ALONE_MARK: char = '\u{1}';
