//! Chains of a tokenizer and filters, as Tantivy runs them: that of a definition, and others over the same texts that an
//! analyzer needs beside it. A new tokenizer goes into `tokenizer`, a new filter into `chain`.

use tantivy::tokenizer::{
    AsciiFoldingFilter, RawTokenizer, RemoveLongFilter, StopWordFilter, TextAnalyzer,
    TextAnalyzerBuilder, WhitespaceTokenizer,
};

use crate::analysis::compose::ComposeFilter;
use crate::analysis::definition::{AnalyzerDefinition, FilterDefinition, TokenizerDefinition};
use crate::analysis::each_word::EachWord;
use crate::analysis::fold::FoldFilter;
use crate::analysis::length::LengthFilter;
use crate::analysis::lower::{as_lowered, LowerFilter};
use crate::analysis::stem::StemFilter;
use crate::analysis::tokenizer::grams::GramTokenizer;
use crate::analysis::tokenizer::{LetterTokenizer, WordTokenizer};
use crate::failure::Failure;

/// The tokenizer of a definition; BAD_DEFINITION when there is none of that name.
pub(super) fn tokenizer(definition: &TokenizerDefinition) -> Result<TextAnalyzerBuilder, Failure> {
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

/// Filters behind a tokenizer, in their order; synonyms are none of the chain (`own_synonyms.rs`).
pub(super) fn chain(
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

/// The analyzer without its stop words, where texts of these alone keep them.
pub(super) fn alone(definition: &AnalyzerDefinition) -> Result<Option<TextAnalyzer>, Failure> {
    let keeps = |filter: &&FilterDefinition| matches!(filter, FilterDefinition::Stop { unless_alone, .. } if *unless_alone);
    if !definition.filters.iter().any(|filter| keeps(&filter)) {
        return Ok(None);
    }
    let others = definition.filters.iter().filter(|filter| !keeps(filter));
    let others: Vec<FilterDefinition> = others.cloned().collect();
    chain(tokenizer(&definition.tokenizer)?, &others).map(Some)
}

/// The filters over one word, where names that have signs in them are read.
pub(super) fn one_word(definition: &AnalyzerDefinition) -> Result<Option<TextAnalyzer>, Failure> {
    if !definition.reads_names() {
        return Ok(None);
    }
    let word = TextAnalyzer::builder(RawTokenizer::default()).dynamic();
    chain(word, &definition.filters).map(Some)
}

/// The analyzer of one word that folds behind its stemmer, where `definition` folds before it.
pub(super) fn folded_late(
    definition: &AnalyzerDefinition,
) -> Result<Option<TextAnalyzer>, Failure> {
    let filters = &definition.filters;
    let stems = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Stemmer { .. });
    let fold = filters.iter().position(FilterDefinition::folds);
    let is_early = fold.is_some_and(|at| filters[at..].iter().any(stems));
    let of_words = definition
        .tokenizer
        .is_one_of(&["standard", "whitespace", "letter"]);
    if !is_early || !of_words {
        return Ok(None);
    }
    let others = filters.iter().filter(|filter| !filter.folds()).cloned();
    let filters: Vec<FilterDefinition> = others.chain([FilterDefinition::Asciifolding]).collect();
    let word = TextAnalyzer::builder(RawTokenizer::default()).filter(EachWord(ComposeFilter));
    chain(word.dynamic(), &filters).map(Some)
}

/// The chain of plain words: lower case, below `bytes_max`, folded if that is wanted.
pub(super) fn plain_words(folds: bool, bytes_max: usize) -> TextAnalyzer {
    let words = TextAnalyzer::builder(WordTokenizer::default()).filter(EachWord(LowerFilter));
    let short = RemoveLongFilter::limit(bytes_max + 1);
    match folds {
        true => {
            let folds = FoldFilter { simplifies: false };
            let folded = words.filter(AsciiFoldingFilter).filter(EachWord(folds));
            folded.filter(short).build()
        }
        false => words.filter(short).build(),
    }
}

/// The chain of one plain word that texts have in several pieces.
pub(super) fn plain_word() -> TextAnalyzer {
    // Letters of acronyms and of verbs with a particle have no accents.
    let word = TextAnalyzer::builder(RawTokenizer::default()).filter(EachWord(LowerFilter));
    word.build()
}
