//! What the rules of `rules.rs` work on: the words of a query where they stand, each with the ways to find it.

use std::sync::Arc;

use crate::analysis::Analyzer;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::postings::{FieldReader, Postings};
use crate::search::text::search_field::SearchField;
use crate::search::text::vocabulary::{PlainText, Vocabulary};

/// What an occurrence of a word counts that is less like a word of the query than others of the index are.
pub(crate) const FAR_WEIGHT: f32 = 0.1;
/// What an occurrence of another spelling of a word counts that documents have as it is written, too.
pub(crate) const VARIANT_WEIGHT: f32 = 0.3;

/// A part of a query, to whose words rules add other ways to say them.
pub(crate) struct Expansion<'a> {
    /// What the words are looked for in.
    pub scope: &'a Scope<'a>,
    /// The part, and its words as none of the analyzers changes them.
    pub plain: &'a PlainText<'a>,
    /// The words that are looked for.
    pub placed: &'a mut [Placed],
    /// Terms that words of the query mean, and that it has no words for: the vector goes by them, too.
    pub meant: &'a mut Vec<String>,
}

impl Expansion<'_> {
    /// Whether any document has one of the words, given by its place among them: as it is written, or in a way found so far.
    pub fn is_known(&self, nth: usize) -> Result<bool, Failure> {
        let place = &self.placed[nth];
        match self.plain.only_word(place.from, place.to) {
            Some(word) if word.is_in(&self.scope.vocabulary)? => Ok(true),
            _ => self.scope.has(&place.ways),
        }
    }

    /// Gives one of the words another form, given its term per analyzer: it counts less where documents have the word, and
    /// is what is meant where none has.
    pub fn add_form(&mut self, nth: usize, terms: Vec<Option<String>>, is_known: bool) {
        let place = &mut self.placed[nth];
        if is_known {
            place.add_variant(&terms);
        } else {
            place.add(&terms, 1.0, false);
            self.meant.extend(terms.into_iter().flatten());
        }
    }
}

/// What the words of a query are looked for in: some fields of the documents of a view.
pub(crate) struct Scope<'a> {
    /// The words that documents have.
    pub vocabulary: Vocabulary<'a>,
    /// The fields, each with the number of its analyzer.
    pub fields: &'a [SearchField<'a>],
    /// The analyzers that read the query, each once.
    pub analyzers: &'a [&'a Arc<Analyzer>],
}

impl Scope<'_> {
    /// The term of a word, per analyzer: none where it takes the word for several, or leaves it out.
    pub fn terms_of(&self, word: &str) -> Vec<Option<String>> {
        let terms = self
            .analyzers
            .iter()
            .map(|analyzer| only_term(analyzer, word));
        terms.collect()
    }

    /// As `terms_of`, where words are English; none elsewhere.
    pub fn english_terms_of(&self, word: &str) -> Vec<Option<String>> {
        self.terms_where(word, |analyzer| analyzer.stems_english)
    }

    /// As `terms_of`, where words are of a language that writes compounds in one word; none elsewhere.
    pub fn compound_terms_of(&self, word: &str) -> Vec<Option<String>> {
        self.terms_where(word, |analyzer| !analyzer.compound_endings.is_empty())
    }

    fn terms_where(&self, word: &str, reads: impl Fn(&Analyzer) -> bool) -> Vec<Option<String>> {
        let terms = self.analyzers.iter().map(|analyzer| {
            let reader = Some(analyzer).filter(|analyzer| reads(analyzer));
            reader.and_then(|analyzer| only_term(analyzer, word))
        });
        terms.collect()
    }

    /// Whether any document has what is looked for in any of these ways, given per analyzer.
    pub fn has(&self, ways: &[Vec<Way>]) -> Result<bool, Failure> {
        is_any_in(self.vocabulary.snapshot, self.fields, ways)
    }
}

/// Whether any document of a view has in these fields what is looked for in any of these ways, given per analyzer.
pub(crate) fn is_any_in(
    snapshot: &Snapshot,
    fields: &[SearchField],
    ways: &[Vec<Way>],
) -> Result<bool, Failure> {
    let mut found = Postings::default();
    for field in fields {
        let reader = FieldReader::open(snapshot, field.field)?;
        reader.read(snapshot, &ways[field.group], &mut found)?;
        if found.counted > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The term of a word, if an analyzer takes it for one.
pub(crate) fn only_term(analyzer: &Analyzer, word: &str) -> Option<String> {
    let mut terms = analyzer.terms(word);
    (terms.len() == 1).then(|| terms.remove(0).text)
}

/// A word with its byte range in the part of the query that it stands in.
pub(crate) struct Placed {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The ways to find it, per analyzer of the plan.
    pub ways: Vec<Vec<Way>>,
}

impl Placed {
    /// Adds another word, given its term per analyzer, and what an occurrence of it counts.
    pub fn add(&mut self, terms: &[Option<String>], weight: f32, is_far: bool) {
        for (ways, term) in self.ways.iter_mut().zip(terms) {
            if let Some(text) = term {
                let way = Way::term(text.clone(), weight);
                add_way(ways, Way { is_far, ..way });
            }
        }
    }

    /// Adds another spelling of a word that documents have, or may have, as it is written.
    pub fn add_variant(&mut self, terms: &[Option<String>]) {
        self.add(terms, VARIANT_WEIGHT, true);
    }
}

fn add_way(ways: &mut Vec<Way>, way: Way) {
    match ways.iter_mut().find(|known| known.slots == way.slots) {
        Some(known) => {
            known.weight = known.weight.max(way.weight);
            known.is_far &= way.is_far;
        }
        None => ways.push(way),
    }
}
