//! Other forms that a word of a text has beside its term: what folding behind the stemmer makes of its accents, and the one
//! word that several are elsewhere.

use std::iter::Peekable;
use std::ops::Range;

use tantivy::tokenizer::TextAnalyzer;

use crate::analysis::term::Term;

/// Whether a text holds letters of which folding takes something away: Latin ones with marks.
pub(super) fn is_accented(text: &str) -> bool {
    let folds = |letter: char| matches!(letter, '\u{c0}'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{1e00}'..='\u{1eff}');
    !text.is_ascii() && text.chars().any(folds)
}

/// What a word of a text is when it is folded last, if that is another term than `own`.
pub(super) fn other_form(
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
pub(super) struct InOrder(Peekable<std::vec::IntoIter<Term>>);

impl InOrder {
    /// Those, in the order of the text.
    pub(super) fn of(words: Vec<Term>) -> InOrder {
        InOrder(words.into_iter().peekable())
    }

    /// The one around a place, which lies behind those that were asked for before.
    pub(super) fn around(&mut self, at: usize) -> Option<Term> {
        while self.0.next_if(|word| word.to <= at).is_some() {}
        self.0.next_if(|word| word.from <= at)
    }
}
