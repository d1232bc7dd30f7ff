//! The plain words of a query, and which of them documents have.

use std::cell::Cell;
use std::sync::Arc;

use tantivy::fastfield::AliveBitSet;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, InvertedIndexReader, TERMINATED};

use crate::analysis::term::Term;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;

/// The words that documents of a view have.
pub(crate) struct Vocabulary<'a> {
    /// The view.
    pub snapshot: &'a Snapshot,
    segments: Vec<(Arc<InvertedIndexReader>, Option<&'a AliveBitSet>)>,
}

impl<'a> Vocabulary<'a> {
    /// Opens the dictionaries of a view.
    pub fn open(snapshot: &'a Snapshot) -> Result<Self, Failure> {
        let mut segments = Vec::with_capacity(snapshot.segments.len());
        for segment in &snapshot.segments {
            let words = segment.reader.inverted_index(snapshot.definition.words)?;
            segments.push((words, segment.reader.alive_bitset()));
        }
        Ok(Self { snapshot, segments })
    }

    /// Whether a document that is not deleted has the word.
    pub fn has(&self, word: &str) -> Result<bool, Failure> {
        for (words, alive) in &self.segments {
            let is_live = match alive {
                None => words.terms().term_ord(word)?.is_some(),
                Some(alive) => match words.terms().get(word)? {
                    Some(info) => is_any_live(words, &info, alive)?,
                    None => false,
                },
            };
            if is_live {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether any document of a word is not deleted. Nearly always the first one is not.
fn is_any_live(
    words: &InvertedIndexReader,
    info: &TermInfo,
    alive: &AliveBitSet,
) -> Result<bool, Failure> {
    let mut postings = words.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    while postings.doc() != TERMINATED {
        if alive.is_alive(postings.doc()) {
            return Ok(true);
        }
        postings.advance();
    }
    Ok(false)
}

/// A part of a query, with its plain words in their order.
pub(crate) struct PlainText<'a> {
    /// The part as it was sent.
    pub text: &'a str,
    /// Its words.
    pub words: Vec<Term>,
    known: Vec<Cell<Option<bool>>>,
}

impl<'a> PlainText<'a> {
    /// Reads a part as the plain words of an index are read.
    pub fn read(snapshot: &Snapshot, text: &'a str) -> Self {
        let words = snapshot.definition.words_analyzer.terms(text);
        let known = vec![Cell::new(None); words.len()];
        Self { text, words, known }
    }

    /// The word that stands in a range of bytes, if it is the only one.
    pub fn only_word(&self, from: usize, to: usize) -> Option<PlainWord<'_>> {
        let first = self.words.partition_point(|word| word.from < from);
        let mut within = self.words[first..].iter().take_while(|word| word.to <= to);
        let text = within.next()?.text.as_str();
        let known = &self.known[first];
        within.next().is_none().then_some(PlainWord { text, known })
    }
}

/// A plain word of a query. Several parts of a plan ask whether documents have it: it is looked up once.
pub(crate) struct PlainWord<'a> {
    /// The word.
    pub text: &'a str,
    known: &'a Cell<Option<bool>>,
}

impl PlainWord<'_> {
    /// Whether a document that is not deleted has it.
    pub fn is_in(&self, vocabulary: &Vocabulary) -> Result<bool, Failure> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let has = vocabulary.has(self.text)?;
        self.known.set(Some(has));
        Ok(has)
    }
}
