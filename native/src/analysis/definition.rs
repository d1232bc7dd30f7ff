//! An analyzer as the definition of an index writes it, and what can be said of one before it is built.

use serde::Deserialize;

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
    pub(super) tokenizer: TokenizerDefinition,
    #[serde(default)]
    pub(super) filters: Vec<FilterDefinition>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum TokenizerDefinition {
    Name(String),
    Options(TokenizerOptions),
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct TokenizerOptions {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) min: Option<usize>,
    pub(super) max: Option<usize>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum FilterDefinition {
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

impl AnalyzerDefinition {
    /// Whether names with signs in them (`C++`, `U.S.`) are words beside those without: in texts that are read as words, by any
    /// capitals.
    pub(super) fn reads_names(&self) -> bool {
        let lowers = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Lowercase);
        self.tokenizer.is_one_of(&["standard"]) && self.filters.iter().any(lowers)
    }

    /// Whether it stems a language.
    pub(super) fn stems(&self, name: &str) -> bool {
        let stems = |filter: &FilterDefinition| matches!(filter, FilterDefinition::Stemmer { language } if language == name);
        self.filters.iter().any(stems)
    }

    /// What nouns have behind their stems, where compounds are looked for; pieces of words are none.
    pub(super) fn compound_endings(&self) -> &'static [&'static str] {
        let mut languages = WITH_COMPOUNDS.iter();
        let known = languages.find(|(language, _)| self.stems(language));
        let known = known.filter(|_| !self.tokenizer.cuts());
        known.map_or(&[], |(_, endings)| endings)
    }
}

impl TokenizerDefinition {
    /// Whether it is one of these, as they are.
    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        matches!(self, TokenizerDefinition::Name(name) if names.contains(&name.as_str()))
    }

    /// Whether it cuts words into pieces.
    pub(super) fn cuts(&self) -> bool {
        let (TokenizerDefinition::Name(name)
        | TokenizerDefinition::Options(TokenizerOptions { kind: name, .. })) = self;
        ["ngram", "edge_ngram"].contains(&name.as_str())
    }
}

impl FilterDefinition {
    /// Whether it takes accents off letters.
    pub(super) fn folds(&self) -> bool {
        matches!(self, FilterDefinition::Asciifolding)
    }
}
