//! What analyzers keep of the words of a query: stop words, for one, they leave out.

use std::sync::Arc;

use crate::analysis::Analyzer;
use crate::engine::definition::Definition;
use crate::engine::snapshot::Snapshot;
use crate::search::text::plan::Plan;

/// What the searched fields of an index keep of a query; that of several indices is the greatest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Nobody looked: no words are asked for, or no field is searched.
    #[default]
    Unasked,
    /// It has no words: signs are none, nor is what is too long.
    NoWords,
    /// None of its words.
    Nothing,
    /// Something that can be looked for.
    Something,
}

impl Kept {
    /// What a plan keeps of the query that it was made of, given whether anything was found by it.
    pub fn by(plan: &Plan, snapshot: &Snapshot, query: &str, is_found: bool) -> Kept {
        if plan.fields.is_empty() {
            return Kept::Unasked;
        }
        if plan.keeps_words() && (is_found || !plan.alone) {
            return Kept::Something;
        }
        match snapshot.definition.words_analyzer.terms(query).is_empty() {
            true => Kept::NoWords,
            false => Kept::Nothing,
        }
    }

    /// The word for it on the wire, where nothing was looked for though it was asked.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Kept::NoWords => Some("noWords"),
            Kept::Nothing => Some("nothing"),
            Kept::Unasked | Kept::Something => None,
        }
    }
}

/// The analyzers that read the words of a search that names no fields, each once.
pub fn readers(definition: &Definition) -> Vec<&Arc<Analyzer>> {
    let mut readers: Vec<&Arc<Analyzer>> = Vec::new();
    for field in definition.searched() {
        let Some(analyzer) = &field.search_analyzer else {
            continue;
        };
        if !readers.iter().any(|known| Arc::ptr_eq(known, analyzer)) {
            readers.push(analyzer);
        }
    }
    readers
}

/// Whether any of some analyzers keeps a word.
pub fn keeps(readers: &[&Arc<Analyzer>], word: &str) -> bool {
    readers.iter().any(|reader| !reader.terms(word).is_empty())
}
