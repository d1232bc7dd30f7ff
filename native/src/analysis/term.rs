//! Terms as analysis gives them: those of a text, each with its place, and what a query says at each of its places.

use std::ops::Range;

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
