//! The words of a query where they stand, with the ways to find each.

use crate::analysis::Analyzer;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::postings::{FieldReader, Postings};
use crate::search::text::search_field::SearchField;

/// What an occurrence of a word counts that is less like a word of the query than others of the index are.
pub(crate) const FAR_WEIGHT: f32 = 0.1;
/// What an occurrence of another spelling of a word counts that documents have as it is written, too.
pub(crate) const VARIANT_WEIGHT: f32 = 0.3;

/// A clause with its byte range in the part of the query that it came from.
pub(crate) struct Placed {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The ways to find it, per analyzer of the plan.
    pub ways: Vec<Vec<Way>>,
}

/// The term of a word, if an analyzer takes it for one.
pub(crate) fn only_term(analyzer: &Analyzer, word: &str) -> Option<String> {
    let mut terms = analyzer.terms(word);
    (terms.len() == 1).then(|| terms.remove(0).text)
}

/// Adds a word, given its term per analyzer.
pub(crate) fn add_terms(place: &mut Placed, terms: &[Option<String>], weight: f32, is_far: bool) {
    for (ways, term) in place.ways.iter_mut().zip(terms) {
        if let Some(text) = term {
            let way = Way::term(text.clone(), weight);
            add_way(ways, Way { is_far, ..way });
        }
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

/// Whether any document has what is looked for in any of these ways, given per analyzer.
pub(crate) fn occurs(
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
