//! Text → terms: tokenizers, filters, stemmers, synonyms.

pub mod acronym;
pub mod compose;
pub mod each_word;
pub mod emoji;
pub mod endings;
pub mod fold;
pub mod han;
pub mod length;
pub mod lower;
pub mod particle;
pub mod respelt;
pub mod signs;
pub mod stem;
pub mod synonyms;
pub mod term;
pub mod tokenizer;

use std::iter::Peekable;
use std::ops::Range;

use serde::Deserialize;
use tantivy::tokenizer::{
    AsciiFoldingFilter, RawTokenizer, RemoveLongFilter, StopWordFilter, TextAnalyzer,
    TextAnalyzerBuilder, Token, WhitespaceTokenizer,
};

use crate::analysis::acronym::acronyms;
use crate::analysis::compose::ComposeFilter;
use crate::analysis::each_word::EachWord;
use crate::analysis::fold::FoldFilter;
use crate::analysis::length::LengthFilter;
use crate::analysis::lower::{as_lowered, LowerFilter};
use crate::analysis::particle::particles;
use crate::analysis::signs::{has_signs, signed};
use crate::analysis::stem::StemFilter;
use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::{OneWord, QueryTerm, Step, Term};
use crate::analysis::tokenizer::{GramTokenizer, LetterTokenizer, WordTokenizer};
use crate::failure::Failure;

/// Longest plain word in bytes; longer ones are not completed or corrected.
pub const WORD_BYTES_MAX: usize = 64;
/// Languages that write compounds in one word, and whose documents are found better by their parts, each with what a noun may
/// have behind its stem.
const WITH_COMPOUNDS: [(&str, &[&str]); 5] = [
    ("danish", &["", "e", "en", "er", "et", "n", "r"]),
    ("dutch", &["", "e", "en", "s"]),
    ("german", &["", "e", "en", "er", "es", "n", "s"]),
    ("norwegian", &["", "a", "e", "en", "er", "et", "r"]),
    (
        "swedish",
        &["", "a", "an", "ar", "en", "er", "et", "n", "or"],
    ),
];

/// An analyzer as the definition writes it.
#[derive(Debug, Clone, Deserialize)]
pub struct AnalyzerDefinition {
    tokenizer: TokenizerDefinition,
    #[serde(default)]
    filters: Vec<FilterDefinition>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum TokenizerDefinition {
    Name(String),
    Options(TokenizerOptions),
}

#[derive(Debug, Clone, Deserialize)]
struct TokenizerOptions {
    #[serde(rename = "type")]
    kind: String,
    min: Option<usize>,
    max: Option<usize>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum FilterDefinition {
    Lowercase,
    Asciifolding,
    Length {
        #[serde(default)]
        min: usize,
        max: usize,
    },
    /// Words of one's own, or the list of a language.
    Stop {
        #[serde(default)]
        words: Vec<String>,
        language: Option<String>,
        /// Texts that have no other words keep them.
        #[serde(default, rename = "unlessAlone")]
        unless_alone: bool,
    },
    Synonym {
        rules: Vec<Vec<String>>,
    },
    Stemmer {
        language: String,
    },
}

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
    synonyms: Option<Expansion>,
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

/// An analyzer's own synonyms: they stand between its filters.
struct Expansion {
    /// The tokenizer and the filters before the synonyms.
    before: TextAnalyzer,
    /// The filters after them, over one word.
    after: TextAnalyzer,
    rules: Synonyms,
}

impl Analyzer {
    /// Builds an analyzer; an unknown word in it is BAD_DEFINITION.
    pub fn build(definition: &AnalyzerDefinition) -> Result<Analyzer, Failure> {
        let filters = &definition.filters;
        let full = chain(tokenizer(&definition.tokenizer)?, filters)?;
        let folded_late = folded_late(definition)?;
        let at = filters
            .iter()
            .position(|f| matches!(f, FilterDefinition::Synonym { .. }));
        let synonyms = match at {
            None => None,
            Some(at) => {
                let before = chain(tokenizer(&definition.tokenizer)?, &filters[..at])?;
                let raw = TextAnalyzer::builder(RawTokenizer::default()).dynamic();
                let after = chain(raw, &filters[at..])?;
                let rules = filters.iter().filter_map(|f| match f {
                    FilterDefinition::Synonym { rules } => Some(rules),
                    _ => None,
                });
                // Where texts are analysed like queries, the left side becomes the right one in both, so that each
                // finds the other. Here texts stay as they are: a query must say both.
                let rules = Synonyms::read(rules.flatten(), true, |words| terms_of(&before, words));
                Some(Expansion {
                    before,
                    after,
                    rules,
                })
            }
        };
        Ok(Analyzer {
            full,
            folded_late,
            alone: alone(definition)?,
            one_word: one_word(definition)?,
            synonyms,
            signs: reads_names(definition),
            stems_english: stems(filters, "english"),
            compound_endings: compound_endings(definition),
            cuts: is_cutting(&definition.tokenizer),
            folds: filters.iter().any(is_fold),
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
            Some(expansion) => expansion.expand(text),
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

/// A term of a query that is said in one way.
pub(crate) fn single(term: Term) -> QueryTerm {
    let step = Step {
        offset: 0,
        text: term.text,
    };
    QueryTerm {
        alternatives: vec![vec![step]],
        position: term.position,
        span: 1,
        from: term.from,
        to: term.to,
    }
}

/// The analyzer of plain words: lower case, at most 64 bytes, folded if that is wanted.
pub fn words_analyzer(folds: bool) -> Analyzer {
    let words = TextAnalyzer::builder(WordTokenizer::default()).filter(EachWord(LowerFilter));
    // Letters of acronyms and of verbs with a particle have no accents.
    let one_word = TextAnalyzer::builder(RawTokenizer::default()).filter(EachWord(LowerFilter));
    let short = RemoveLongFilter::limit(WORD_BYTES_MAX + 1);
    let full = match folds {
        true => {
            let folds = FoldFilter { simplifies: false };
            let folded = words.filter(AsciiFoldingFilter).filter(EachWord(folds));
            folded.filter(short).build()
        }
        false => words.filter(short).build(),
    };
    Analyzer {
        full,
        folded_late: None,
        alone: None,
        one_word: Some(one_word.build()),
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

/// The analyzer without its stop words, where texts of these alone keep them.
fn alone(definition: &AnalyzerDefinition) -> Result<Option<TextAnalyzer>, Failure> {
    let keeps = |filter: &&FilterDefinition| matches!(filter, FilterDefinition::Stop { unless_alone, .. } if *unless_alone);
    if !definition.filters.iter().any(|filter| keeps(&filter)) {
        return Ok(None);
    }
    let others = definition.filters.iter().filter(|filter| !keeps(filter));
    let others: Vec<FilterDefinition> = others.cloned().collect();
    chain(tokenizer(&definition.tokenizer)?, &others).map(Some)
}

/// The filters over one word, where names that have signs in them are read.
fn one_word(definition: &AnalyzerDefinition) -> Result<Option<TextAnalyzer>, Failure> {
    if !reads_names(definition) {
        return Ok(None);
    }
    let word = TextAnalyzer::builder(RawTokenizer::default()).dynamic();
    chain(word, &definition.filters).map(Some)
}

/// Whether names with signs in them (`C++`, `U.S.`) are words beside those without: in texts that are read as words, by any
/// capitals.
fn reads_names(definition: &AnalyzerDefinition) -> bool {
    let lowers = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Lowercase);
    is_named(&definition.tokenizer, &["standard"]) && definition.filters.iter().any(lowers)
}

fn is_named(tokenizer: &TokenizerDefinition, names: &[&str]) -> bool {
    matches!(tokenizer, TokenizerDefinition::Name(name) if names.contains(&name.as_str()))
}

fn stems(filters: &[FilterDefinition], name: &str) -> bool {
    let stems = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Stemmer { language } if language == name);
    filters.iter().any(stems)
}

/// What nouns have behind their stems, where compounds are looked for; pieces of words are none.
fn compound_endings(definition: &AnalyzerDefinition) -> &'static [&'static str] {
    let mut languages = WITH_COMPOUNDS.iter();
    let known = languages.find(|(language, _)| stems(&definition.filters, language));
    let known = known.filter(|_| !is_cutting(&definition.tokenizer));
    known.map_or(&[], |(_, endings)| endings)
}

fn is_fold(filter: &FilterDefinition) -> bool {
    matches!(filter, FilterDefinition::Asciifolding)
}

/// The analyzer of one word that folds behind its stemmer, where `definition` folds before it.
fn folded_late(definition: &AnalyzerDefinition) -> Result<Option<TextAnalyzer>, Failure> {
    let filters = &definition.filters;
    let stems = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Stemmer { .. });
    let fold = filters.iter().position(is_fold);
    let is_early = fold.is_some_and(|at| filters[at..].iter().any(stems));
    let of_words = is_named(&definition.tokenizer, &["standard", "whitespace", "letter"]);
    if !is_early || !of_words {
        return Ok(None);
    }
    let others = filters.iter().filter(|filter| !is_fold(filter)).cloned();
    let filters: Vec<FilterDefinition> = others.chain([FilterDefinition::Asciifolding]).collect();
    let word = TextAnalyzer::builder(RawTokenizer::default()).filter(EachWord(ComposeFilter));
    chain(word.dynamic(), &filters).map(Some)
}

/// Whether a text holds letters of which folding takes something away: Latin ones with marks.
fn is_accented(text: &str) -> bool {
    let folds = |letter: char| matches!(letter, '\u{c0}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{1e00}'..='\u{1eff}');
    !text.is_ascii() && text.chars().any(folds)
}

/// What a word of a text is when it is folded last, if that is another term than `own`.
fn other_form(
    late: Option<&mut TextAnalyzer>,
    text: &str,
    range: Range<usize>,
    own: &str,
) -> Option<String> {
    let written = text.get(range).filter(|word| is_accented(word))?;
    let mut stream = late?.token_stream(written);
    let other = stream.advance().then(|| &stream.token().text)?;
    (other != own).then(|| other.clone())
}

/// Words of several pieces, each handed out once, to the first of its pieces that is asked for.
struct InOrder(Peekable<std::vec::IntoIter<Term>>);

impl InOrder {
    fn of(words: Vec<Term>) -> InOrder {
        InOrder(words.into_iter().peekable())
    }

    /// The one around a place, which lies behind those that were asked for before.
    fn around(&mut self, at: usize) -> Option<Term> {
        while self.0.next_if(|word| word.to <= at).is_some() {}
        self.0.next_if(|word| word.from <= at)
    }
}

/// Calls `each` with the terms of a text, for as long as it wants another one.
fn each_of(analyzer: &TextAnalyzer, text: &str, mut each: impl FnMut(&Token) -> bool) {
    let mut analyzer = analyzer.clone();
    let mut stream = analyzer.token_stream(text);
    while stream.advance() && each(stream.token()) {}
}

fn terms_of(analyzer: &TextAnalyzer, text: &str) -> Vec<Term> {
    let mut analyzer = analyzer.clone();
    let mut stream = analyzer.token_stream(text);
    let mut terms = Vec::new();
    while stream.advance() {
        let token = stream.token();
        terms.push(Term {
            text: token.text.clone(),
            position: token.position,
            from: token.offset_from,
            to: token.offset_to,
        });
    }
    terms
}

fn words_of(analyzer: &TextAnalyzer, text: &str) -> Vec<String> {
    terms_of(analyzer, text)
        .into_iter()
        .map(|t| t.text)
        .collect()
}

fn is_cutting(definition: &TokenizerDefinition) -> bool {
    let (TokenizerDefinition::Name(name)
    | TokenizerDefinition::Options(TokenizerOptions { kind: name, .. })) = definition;
    ["ngram", "edge_ngram"].contains(&name.as_str())
}

fn tokenizer(definition: &TokenizerDefinition) -> Result<TextAnalyzerBuilder, Failure> {
    let (kind, min, max) = match definition {
        TokenizerDefinition::Name(name) => (name.as_str(), None, None),
        TokenizerDefinition::Options(o) => (o.kind.as_str(), o.min, o.max),
    };
    let (min, max) = (min.unwrap_or(1), max.unwrap_or(2).max(min.unwrap_or(1)));
    if min == 0 || max > 64 {
        return Err(Failure::bad_definition("n-grams have 1 to 64 characters"));
    }
    // Words and runs of letters are composed where they are found.
    let composed = |builder: TextAnalyzerBuilder| builder.filter_dynamic(EachWord(ComposeFilter));
    Ok(match kind {
        "standard" => TextAnalyzer::builder(WordTokenizer::default()).dynamic(),
        "whitespace" => composed(TextAnalyzer::builder(WhitespaceTokenizer::default()).dynamic()),
        "keyword" => composed(TextAnalyzer::builder(RawTokenizer::default()).dynamic()),
        "letter" => TextAnalyzer::builder(LetterTokenizer::default()).dynamic(),
        "ngram" => composed(TextAnalyzer::builder(GramTokenizer::all(min, max)).dynamic()),
        "edge_ngram" => composed(TextAnalyzer::builder(GramTokenizer::edge(min, max)).dynamic()),
        other => {
            let message = format!("there is no tokenizer {other}");
            return Err(Failure::bad_definition(message));
        }
    })
}

/// The stop words of a language, if it has a list; BAD_DEFINITION for what is none that has a stemmer.
fn stop_words(name: &str) -> Result<Option<StopWordFilter>, Failure> {
    let mut capital = name.to_lowercase();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    match serde_json::from_value(serde_json::Value::String(capital)) {
        Ok(language) => Ok(StopWordFilter::new(language)),
        Err(_) => StemFilter::new(name).map(|_| None),
    }
}

fn chain(
    start: TextAnalyzerBuilder,
    filters: &[FilterDefinition],
) -> Result<TextAnalyzer, Failure> {
    let mut builder = start;
    for filter in filters {
        builder = match filter {
            FilterDefinition::Lowercase => builder.filter_dynamic(EachWord(LowerFilter)),
            FilterDefinition::Asciifolding => builder
                .filter_dynamic(AsciiFoldingFilter)
                .filter_dynamic(EachWord(FoldFilter { simplifies: true })),
            FilterDefinition::Length { min, max } => {
                builder.filter_dynamic(EachWord(LengthFilter::between(*min, *max)))
            }
            FilterDefinition::Stop {
                language: Some(name),
                ..
            } => match stop_words(name)? {
                Some(filter) => builder.filter_dynamic(filter),
                // A language that has a stemmer and no list of stop words.
                None => builder,
            },
            FilterDefinition::Stop { words, .. } => {
                let lowered = words.iter().map(|word| as_lowered(word));
                let all = words.iter().cloned().chain(lowered);
                builder.filter_dynamic(StopWordFilter::remove(all))
            }
            FilterDefinition::Synonym { .. } => builder,
            FilterDefinition::Stemmer { language } => {
                builder.filter_dynamic(StemFilter::new(language)?)
            }
        };
    }
    Ok(builder.build())
}

impl Expansion {
    fn expand(&self, text: &str) -> Vec<QueryTerm> {
        let terms = terms_of(&self.before, text).into_iter().map(single);
        let expanded = self.rules.apply(terms.collect()).into_iter();
        expanded.filter_map(|term| self.finish(term)).collect()
    }

    /// The rows as they are indexed; what later filters leave out leaves a gap.
    fn finish(&self, mut term: QueryTerm) -> Option<QueryTerm> {
        let mut ready: Vec<Vec<Step>> = Vec::with_capacity(term.alternatives.len());
        for row in &term.alternatives {
            let row: Vec<Step> = row.iter().flat_map(|step| self.finish_step(step)).collect();
            if !row.is_empty() && !ready.contains(&row) {
                ready.push(row);
            }
        }
        term.alternatives = ready;
        (!term.alternatives.is_empty()).then_some(term)
    }

    fn finish_step(&self, step: &Step) -> impl Iterator<Item = Step> {
        let offset = step.offset;
        let words = words_of(&self.after, &step.text).into_iter();
        words.map(move |text| Step { offset, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analyzer(json: &str) -> Analyzer {
        Analyzer::build(&serde_json::from_str(json).unwrap()).unwrap()
    }

    fn ways(analyzer: &Analyzer, query: &str) -> Vec<Vec<String>> {
        let terms = analyzer
            .query_terms(query, &Synonyms::default())
            .into_iter();
        terms
            .map(|t| t.alternatives.iter().map(|row| said(row)).collect())
            .collect()
    }

    /// A row with an underline for each gap.
    fn said(row: &[Step]) -> String {
        let mut words: Vec<&str> = Vec::new();
        for step in row {
            words.resize(step.offset as usize, "_");
            words.push(&step.text);
        }
        words.join(" ")
    }

    const ENGLISH: &str = r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},
        {"type":"asciifolding"},{"type":"length","max":10},{"type":"stop","words":["the"]},
        {"type":"synonym","rules":[["car","automobile"],["tv, telly => television"],
            ["united states","usa"],["Déjà vu => repeat, déjà vu"]]},
        {"type":"stemmer","language":"english"}]}"#;

    #[test]
    fn filters_work_in_their_order_and_gaps_are_kept() {
        let english = analyzer(ENGLISH);
        let terms = english.terms("The Running CATS of the Café, incomprehensibly");
        let found: Vec<_> = terms
            .iter()
            .map(|t| (t.text.as_str(), t.position))
            .collect();
        assert_eq!(found, [("run", 1), ("cat", 2), ("of", 3), ("cafe", 5)]);
    }

    #[test]
    fn a_word_is_found_by_its_stem_whether_its_accents_are_written_or_not() {
        let language = |name: &str| {
            analyzer(&format!(
                r#"{{"tokenizer":"standard","filters":[{{"type":"lowercase"}},{{"type":"asciifolding"}},
                {{"type":"synonym","rules":[["moto","vélo"]]}},{{"type":"stemmer","language":"{name}"}}]}}"#
            ))
        };
        let finds = |analyzer: &Analyzer, query: &str, text: &str| {
            let mut said = ways(analyzer, query).into_iter().flatten();
            let terms: Vec<Term> = analyzer.forms(text);
            said.any(|way| terms.iter().any(|term| term.text == way))
        };
        for (name, words) in [
            ("portuguese", ["informações", "informação", "informacao"]),
            ("french", ["achetée", "acheté", "achetee"]),
            ("turkish", ["kızlar", "kız", "kiz"]),
        ] {
            let analyzer = language(name);
            let [inflected, plain, typed] = words;
            assert!(finds(&analyzer, plain, inflected), "{plain} {inflected}");
            assert!(finds(&analyzer, inflected, plain), "{inflected} {plain}");
            let without_accents = [plain, inflected];
            let without_accents = without_accents.iter().filter(|word| fold(word) == typed);
            without_accents
                .for_each(|word| assert!(finds(&analyzer, typed, word), "{typed} {word}"));
        }
        let french = language("french");
        let places = french.forms("une moto achetée hier");
        let places: Vec<_> = places
            .iter()
            .map(|t| (t.text.as_str(), t.position))
            .collect();
        assert_eq!(
            places,
            [
                ("une", 0),
                ("moto", 1),
                ("achete", 2),
                ("achet", 2),
                ("hi", 3)
            ]
        );
        assert_eq!(
            ways(&french, "Vélo achetée"),
            [vec!["velo", "moto"], vec!["achete", "achet"]]
        );
    }

    fn fold(word: &str) -> String {
        words_analyzer(true).terms(word).remove(0).text
    }

    #[test]
    fn acronyms_with_points_are_one_word_beside_their_letters() {
        let english = analyzer(ENGLISH);
        let forms = |analyzer: &Analyzer, text: &str| -> Vec<(String, usize, usize, usize)> {
            let all = analyzer.forms(text).into_iter();
            all.map(|t| (t.text, t.position, t.from, t.to)).collect()
        };
        let term = |text: &str, position, from, to| (text.to_owned(), position, from, to);
        assert_eq!(
            forms(&english, "The U.S. law"),
            [
                term("us", 1, 4, 8),
                term("u", 1, 4, 5),
                term("s", 2, 6, 7),
                term("law", 3, 9, 12)
            ]
        );
        // Where its first letter is a stop word it stands at the next.
        let stops = analyzer(
            r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"stop","words":["a"]}]}"#,
        );
        assert_eq!(
            forms(&stops, "A.I."),
            [term("ai", 1, 0, 4), term("i", 1, 2, 3)]
        );
        assert_eq!(
            words_analyzer(true).forms("U.K.")[0],
            Term {
                text: "uk".into(),
                position: 0,
                from: 0,
                to: 4
            }
        );
        let plain = analyzer(r#"{"tokenizer":"standard"}"#);
        assert_eq!(forms(&plain, "U.K.").len(), 2);
        assert_eq!(ways(&stops, "A.I. law"), [vec!["i", "ai"], vec!["law"]]);
    }

    #[test]
    fn synonyms_are_other_ways_to_say_the_same_place() {
        let english = analyzer(ENGLISH);
        assert_eq!(ways(&english, "fast Cars"), [["fast"], ["car"]]);
        assert_eq!(
            ways(&english, "fast car"),
            [vec!["fast"], vec!["car", "automobil"]]
        );
        assert_eq!(ways(&english, "TV"), [["tv", "televis"]]);
        assert_eq!(ways(&english, "television"), [["televis", "tv", "telli"]]);
        assert_eq!(ways(&english, "telly"), [["telli", "televis"]]);
        let long = ways(&english, "the United States Army");
        assert_eq!(long, [vec!["unit state", "usa"], vec!["armi"]]);
        assert_eq!(ways(&english, "usa"), [["usa", "unit state"]]);
        assert_eq!(ways(&english, "deja vu"), [["deja vu", "repeat"]]);
        assert_eq!(
            english.terms("car")[0].text,
            "car",
            "the index has no synonyms"
        );
    }

    #[test]
    fn rows_keep_the_gaps_that_stop_words_leave() {
        for filters in [
            r#"{"type":"stop","words":["of","the"]},{"type":"synonym","rules":R}"#,
            r#"{"type":"synonym","rules":R},{"type":"stop","words":["of","the"]}"#,
        ] {
            let filters = filters.replace(
                'R',
                r#"[["head of state","president"],["the beatles","fab four"]]"#,
            );
            let one = analyzer(&format!(
                r#"{{"tokenizer":"standard","filters":[{filters}]}}"#
            ));
            assert_eq!(ways(&one, "president"), [["president", "head _ state"]]);
            let head = ways(&one, "a head of state speaks");
            assert_eq!(
                head,
                [vec!["a"], vec!["head _ state", "president"], vec!["speaks"]]
            );
            assert_eq!(ways(&one, "head state"), [["head"], ["state"]]);
            let fab = ways(&one, "fab four");
            assert_eq!(fab[0][0], "fab four");
            assert!(fab[0][1].ends_with("beatles"), "{fab:?}");
        }
    }

    #[test]
    fn rules_of_a_query_stand_beside_those_of_the_analyzer() {
        let english = analyzer(ENGLISH);
        let rules = [vec!["cars", "vehicle of love"], vec!["bike => tandem"]];
        let rules = rules.map(|rule| rule.into_iter().map(str::to_owned).collect());
        let more = english.read_synonyms(&rules);
        let said_of = |query: &str| -> Vec<Vec<String>> {
            let terms = english.query_terms(query, &more).into_iter();
            let rows = |t: QueryTerm| t.alternatives.iter().map(|row| said(row)).collect();
            terms.map(rows).collect()
        };
        assert_eq!(
            said_of("fast car"),
            [vec!["fast"], vec!["car", "automobil", "vehicl of love"]]
        );
        assert_eq!(said_of("vehicles of love"), [["vehicl of love", "car"]]);
        assert_eq!(said_of("vehicle"), [["vehicl"]]);
        assert_eq!(said_of("bikes"), [["bike", "tandem"]]);
        assert_eq!(said_of("tandem"), [["tandem"]], "one way only");
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_is_one_in_lists_of_stop_words_too() {
        let greek = analyzer(
            r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"stop","words":["τους"]}]}"#,
        );
        let found = words_of(&greek.full, "ΤΟΥΣ τους ΟΔΟΣ οδος");
        assert_eq!(found, ["οδοσ", "οδοσ"]);
    }

    #[test]
    fn how_long_a_word_may_be_is_told_in_characters() {
        let six = analyzer(r#"{"tokenizer":"standard","filters":[{"type":"length","max":6}]}"#);
        let found = words_of(&six.full, "sixths seventh გრძელი გრძელია");
        assert_eq!(found, ["sixths", "გრძელი"]);
        let some =
            analyzer(r#"{"tokenizer":"standard","filters":[{"type":"length","min":3,"max":6}]}"#);
        let found = words_of(&some.full, "it ten sixths seventh და დაა გრძელია");
        assert_eq!(found, ["ten", "sixths", "დაა"]);
    }

    #[test]
    fn every_language_with_a_stemmer_is_known() {
        for language in [
            "arabic",
            "danish",
            "dutch",
            "english",
            "finnish",
            "french",
            "german",
            "greek",
            "hungarian",
            "italian",
            "norwegian",
            "portuguese",
            "romanian",
            "russian",
            "spanish",
            "swedish",
            "tamil",
            "turkish",
        ] {
            let json = format!(
                r#"{{"tokenizer":"standard","filters":[{{"type":"stemmer","language":"{language}"}}]}}"#
            );
            assert_eq!(analyzer(&json).terms("a b").len(), 2);
        }
    }

    #[test]
    fn all_tokenizers_are_known() {
        let count = |tokenizer: &str, text: &str| {
            analyzer(&format!(r#"{{"tokenizer":{tokenizer}}}"#))
                .terms(text)
                .len()
        };
        assert_eq!(count(r#""whitespace""#, "a-b c"), 2);
        assert_eq!(count(r#""keyword""#, "a-b c"), 1);
        assert_eq!(count(r#""letter""#, "a1b c"), 3);
        assert_eq!(count(r#"{"type":"ngram","min":2,"max":3}"#, "abcd"), 5);
        assert_eq!(count(r#"{"type":"edge_ngram","min":1,"max":3}"#, "abcd"), 3);
    }
}
