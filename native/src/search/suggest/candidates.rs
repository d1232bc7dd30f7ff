//! Words of all indices that may be suggested.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::suggest::beside::Beside;
use crate::search::suggest::known::{are_sought, vocabularies};
use crate::search::text::words::{self, Word};

/// Words that are looked at more than are wanted: some belong to deleted documents only, some are stop words.
pub const SPARE: usize = 48;

/// A word that may be suggested.
pub struct Candidate {
    /// As the indices have it.
    pub text: String,
    /// Live documents of all indices that have it, at least one.
    pub documents: u64,
    /// Edits between it and the word that was typed.
    pub distance: u8,
    /// How it stands to the words around it.
    pub beside: Beside,
}

impl Candidate {
    /// Nearest first, then what belongs most to the words around it, then by number of documents, then in order.
    pub fn rank(&self, other: &Self) -> Ordering {
        let (own, others) = (self.beside.affinity(), other.beside.affinity());
        let order = self.distance.cmp(&other.distance);
        let order = order.then(others.total_cmp(&own));
        let order = order.then(other.documents.cmp(&self.documents));
        order.then_with(|| self.text.cmp(&other.text))
    }
}

/// Those of the words that live documents have, each with how it stands to others.
pub fn candidates(
    snapshots: &[(u64, Arc<Snapshot>)],
    found: Vec<Word>,
    besides: Vec<Beside>,
) -> Result<Vec<Candidate>, Failure> {
    let mut all = Vec::with_capacity(found.len());
    for (word, beside) in found.into_iter().zip(besides) {
        let documents = documents_of(snapshots, &word)?;
        if documents > 0 {
            all.push(Candidate {
                text: word.text,
                documents,
                distance: word.distance,
                beside,
            });
        }
    }
    Ok(all)
}

/// The words of every index, each once; at most `most`. Each costs a look into the dictionaries of all indices, as there may
/// be documents with it where it is none of the first words.
pub fn gather(
    snapshots: &[(u64, Arc<Snapshot>)],
    most: usize,
    find: impl Fn(&Snapshot) -> Result<Vec<Word>, Failure>,
) -> Result<Vec<Word>, Failure> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<Word> = Vec::new();
    for (_, snapshot) in snapshots {
        deadline::look()?;
        for word in find(snapshot)? {
            match known.get(&word.text) {
                Some(at) => all[*at].documents += word.documents,
                None => {
                    known.insert(word.text.clone(), all.len());
                    all.push(word);
                }
            }
        }
    }
    if all.len() > most {
        all.sort_unstable_by(words::rank);
        all.truncate(most);
    }
    Ok(all)
}

/// Those of the words that a search looks for in an index that has them. To go on with a stop word leads to nothing.
pub fn searched(
    snapshots: &[(u64, Arc<Snapshot>)],
    mut words: Vec<Word>,
) -> Result<Vec<Word>, Failure> {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let mut sought = are_sought(&vocabularies(snapshots)?, &texts)?.into_iter();
    words.retain(|_| sought.next() == Some(true));
    Ok(words)
}

/// Live documents that have a word that was found; a single index has told how many.
fn documents_of(snapshots: &[(u64, Arc<Snapshot>)], word: &Word) -> Result<u64, Failure> {
    match snapshots {
        [_] => Ok(u64::from(word.documents)),
        _ => {
            let mut sum = 0;
            for (_, snapshot) in snapshots {
                sum += u64::from(words::live_with(snapshot, &word.text)?);
            }
            Ok(sum)
        }
    }
}
