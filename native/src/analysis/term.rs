//! Terms as analysis gives them: those of a text, each with its place, and what a query says at each of its places. A chain of
//! Tantivy's gives them by `terms_of`.

use std::ops::Range;

use tantivy::tokenizer::{TextAnalyzer, Token};

/// A term of a text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The term as it is indexed.
    pub text: String,
    /// Its word number in the text (stop words keep theirs, so that phrases know gaps).
    pub position: usize,
    /// Byte offsets in the text.
    pub from: usize,
    /// End of the byte range.
    pub to: usize,
}

/// A term in a row of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Step {
    /// Distance in words from the first place of the row.
    pub offset: u32,
    /// The term as it is indexed.
    pub text: String,
}

/// What stands at one place of an analysed query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// Ways to say it, the words of the query first; each way is one term or, for a synonym of
    /// several words, several in a row.
    pub alternatives: Vec<Vec<Step>>,
    /// Word number of its first word in the query.
    pub position: usize,
    /// Words that it takes in the query, gaps included.
    pub span: usize,
    /// Byte offsets in the query.
    pub from: usize,
    /// End of the byte range.
    pub to: usize,
}

/// Words of a text that are one word elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneWord {
    /// Where they stand, with what belongs to them.
    pub range: Range<usize>,
    /// The letters of that word.
    pub letters: String,
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

/// Calls `each` with the terms of a text, for as long as it wants another one.
pub(super) fn each_of(analyzer: &TextAnalyzer, text: &str, mut each: impl FnMut(&Token) -> bool) {
    let mut analyzer = analyzer.clone();
    let mut stream = analyzer.token_stream(text);
    while stream.advance() && each(stream.token()) {}
}

/// The terms that a chain gives of a text.
pub(super) fn terms_of(analyzer: &TextAnalyzer, text: &str) -> Vec<Term> {
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

/// The terms without their places.
pub(super) fn words_of(analyzer: &TextAnalyzer, text: &str) -> Vec<String> {
    terms_of(analyzer, text)
        .into_iter()
        .map(|t| t.text)
        .collect()
}
