//! Which words documents have, and which of them searches look for.

use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::text::kept::{keeps, readers};
use crate::search::text::vocabulary::Vocabulary;

/// Words of a query that are corrected, or that others may stand beside, at most.
pub(crate) const WORDS_MAX: usize = 32;

/// The words of each index.
pub(crate) fn vocabularies(
    snapshots: &[(u64, Arc<Snapshot>)],
) -> Result<Vec<Vocabulary<'_>>, Failure> {
    let opened = snapshots
        .iter()
        .map(|(_, snapshot)| Vocabulary::open(snapshot));
    opened.collect()
}

/// Whether a document of any index has the word.
pub(crate) fn has(vocabularies: &[Vocabulary], word: &str) -> Result<bool, Failure> {
    for vocabulary in vocabularies {
        if vocabulary.has(word)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of each word whether a search looks for it in an index that has it.
pub(crate) fn are_sought(
    vocabularies: &[Vocabulary],
    words: &[&str],
) -> Result<Vec<bool>, Failure> {
    let mut sought = vec![false; words.len()];
    for vocabulary in vocabularies {
        let readers = readers(&vocabulary.snapshot.definition);
        for (word, sought) in words.iter().zip(&mut sought) {
            // Most indices of many have none of it: that is told sooner than what they keep. A single one has all.
            let is_alone = vocabularies.len() == 1;
            if !*sought && (is_alone || vocabulary.has(word)?) {
                *sought = keeps(&readers, word);
            }
        }
    }
    Ok(sought)
}

/// Those of the words that searches look for; all where they look for none.
pub(crate) fn said(
    vocabularies: &[Vocabulary],
    words: Vec<String>,
) -> Result<Vec<String>, Failure> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let sought = are_sought(vocabularies, &texts)?;
    if !sought.contains(&true) {
        return Ok(words);
    }
    let pairs = words.into_iter().zip(sought);
    Ok(pairs
        .filter_map(|(word, is_sought)| is_sought.then_some(word))
        .collect())
}
