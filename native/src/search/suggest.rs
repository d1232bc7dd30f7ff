//! Suggestions: how the last word may go on, and what a word may have been meant to be.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::analysis::term::Term;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::text::kept::{keeps, readers};
use crate::search::text::vocabulary::Vocabulary;
use crate::search::text::words::{self, Word};

const LIMIT_MAX: usize = 100;
/// Words that are looked at more than are wanted: some belong to deleted documents only, some are stop words.
const SPARE: usize = 48;
/// Words of a query that are corrected, or that a completion may stand beside, at most.
const WORDS_MAX: usize = 32;
/// Words that are held against those before them.
const BESIDE_MAX: usize = 200;

/// What suggestions are asked for.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The beginning of a query, whose last word goes on.
    pub prefix: Option<String>,
    /// A whole query, whose unknown words are corrected.
    pub query: Option<String>,
    /// Most suggestions of each kind.
    #[serde(default = "limit")]
    pub limit: usize,
}

fn limit() -> usize {
    10
}

#[derive(Serialize)]
struct Completion {
    text: String,
    documents: u64,
}

#[derive(Serialize)]
struct Correction {
    text: String,
    documents: u64,
    distance: u8,
}

#[derive(Serialize)]
struct Suggestions {
    completions: Vec<Completion>,
    corrections: Vec<Correction>,
}

impl Request {
    /// Reads a request; BAD_REQUEST when it is none.
    pub fn parse(json: &str) -> Result<Request, Failure> {
        let request: Request =
            serde_json::from_str(json).map_err(|e| Failure::bad_request(e.to_string()))?;
        if request.limit > LIMIT_MAX {
            let message = format!("at most {LIMIT_MAX} suggestions");
            return Err(Failure::bad_request(message));
        }
        Ok(request)
    }
}

/// Completions and corrections as JSON. Their text is the whole text asked for, with the word in
/// its place; `documents` counts live documents with the word.
pub fn suggest(snapshots: &[(u64, Arc<Snapshot>)], request: &Request) -> Result<String, Failure> {
    let mut suggestions = Suggestions {
        completions: Vec::new(),
        corrections: Vec::new(),
    };
    if let Some(prefix) = &request.prefix {
        suggestions.completions = complete(snapshots, prefix, request.limit)?;
    }
    // A beginning that nothing goes on from may be misspelt.
    let stuck = suggestions.completions.is_empty();
    let prefix = request.prefix.as_ref().filter(|_| stuck);
    if let Some(query) = request.query.as_ref().or(prefix) {
        suggestions.corrections = correct(snapshots, query, request.limit)?;
    }
    serde_json::to_string(&suggestions).map_err(|error| Failure::internal(error.to_string()))
}

fn complete(
    snapshots: &[(u64, Arc<Snapshot>)],
    prefix: &str,
    limit: usize,
) -> Result<Vec<Completion>, Failure> {
    let Some((_, first)) = snapshots.first() else {
        return Ok(Vec::new());
    };
    let mut terms = first.definition.words_analyzer.terms(prefix);
    let Some(last) = terms.pop() else {
        return Ok(Vec::new());
    };
    // Behind a space, a hyphen or the like begins another word, of which nothing is known yet.
    if last.to < prefix.len() && !prefix.ends_with(char::is_alphanumeric) {
        return Ok(Vec::new());
    }
    let context = known_words(snapshots, terms)?;
    let most = limit + SPARE;
    let most = if context.is_empty() {
        most
    } else {
        most.max(BESIDE_MAX)
    };
    // Of each index as its own words are written, with accents or without.
    let found = gather(snapshots, most, |snapshot| {
        match snapshot.definition.words_analyzer.terms(prefix).pop() {
            Some(last) => words::completions(snapshot, &last.text, most),
            None => Ok(Vec::new()),
        }
    })?;
    let mut completions = Vec::new();
    let found = searched(snapshots, found)?;
    for (word, together) in found.iter().zip(beside(snapshots, &context, &found)?) {
        let documents = documents_of(snapshots, word)?;
        if documents > 0 {
            let completion = Completion {
                text: format!("{}{}", &prefix[..last.from], word.text),
                documents,
            };
            completions.push((affinity(together, documents), completion));
        }
    }
    completions.sort_by(|(near_a, a), (near_b, b)| {
        let order = near_b.total_cmp(near_a);
        let order = order.then(b.documents.cmp(&a.documents));
        order.then_with(|| a.text.cmp(&b.text))
    });
    completions.truncate(limit);
    Ok(completions.into_iter().map(|(_, one)| one).collect())
}

/// Those of the words that a search looks for in an index that has them. To go on with a stop word leads to nothing.
fn searched(
    snapshots: &[(u64, Arc<Snapshot>)],
    mut words: Vec<Word>,
) -> Result<Vec<Word>, Failure> {
    let mut left_out = vec![true; words.len()];
    for (_, snapshot) in snapshots {
        let vocabulary = Vocabulary::open(snapshot)?;
        let readers = readers(&snapshot.definition);
        for (word, left_out) in words.iter().zip(&mut left_out) {
            // Most indices of many have none of it: that is told sooner than what they keep. A single one has all.
            let is_alone = snapshots.len() == 1;
            if *left_out && (is_alone || vocabulary.has(&word.text)?) {
                *left_out = !keeps(&readers, &word.text);
            }
        }
    }
    let mut left_out = left_out.into_iter();
    words.retain(|_| left_out.next() != Some(true));
    Ok(words)
}

/// Those of the words before the last one that documents have, each once.
fn known_words(
    snapshots: &[(u64, Arc<Snapshot>)],
    terms: Vec<Term>,
) -> Result<Vec<String>, Failure> {
    let vocabularies = vocabularies(snapshots)?;
    let mut known: Vec<String> = Vec::new();
    for Term { text, .. } in terms {
        if known.len() < WORDS_MAX && !known.contains(&text) && has(&vocabularies, &text)? {
            known.push(text);
        }
    }
    Ok(known)
}

/// Of each word, in how many documents it stands beside all of `context`.
fn beside(
    snapshots: &[(u64, Arc<Snapshot>)],
    context: &[String],
    found: &[Word],
) -> Result<Vec<u64>, Failure> {
    let mut sums = vec![0; found.len()];
    if context.is_empty() {
        return Ok(sums);
    }
    for (_, snapshot) in snapshots {
        let counts = words::beside(snapshot, context, found)?;
        let pairs = sums.iter_mut().zip(counts);
        pairs.for_each(|(sum, count)| *sum += u64::from(count));
    }
    Ok(sums)
}

/// How much a word belongs to those before it: the share of its documents that have them, for each of these documents. A
/// word that stands everywhere stands beside them, too, and says nothing.
fn affinity(together: u64, documents: u64) -> f64 {
    (together * together) as f64 / documents as f64
}

/// The query with one unknown word after the other replaced by the nearest known ones.
fn correct(
    snapshots: &[(u64, Arc<Snapshot>)],
    query: &str,
    limit: usize,
) -> Result<Vec<Correction>, Failure> {
    let Some((_, first)) = snapshots.first() else {
        return Ok(Vec::new());
    };
    // Per unknown word its candidates, best first.
    let mut unknown: Vec<(usize, usize, Vec<Correction>)> = Vec::new();
    let words = first.definition.words_analyzer.terms(query);
    let is_alone = words.len() == 1;
    let vocabularies = vocabularies(snapshots)?;
    for word in words {
        let length = word.text.chars().count();
        let known = has(&vocabularies, &word.text)?;
        if known || length < 3 || unknown.len() >= WORDS_MAX {
            continue;
        }
        let edits = if length < 5 { 1 } else { 2 };
        let most = limit + SPARE;
        let found = gather(snapshots, most, |snapshot| {
            words::near(snapshot, &word.text, edits, most)
        })?;
        // Beside others, a stop word may well be what was meant; by itself it finds nothing.
        let found = match is_alone {
            true => searched(snapshots, found)?,
            false => found,
        };
        let mut candidates = Vec::new();
        for near in found {
            let documents = documents_of(snapshots, &near)?;
            if documents > 0 {
                candidates.push(Correction {
                    text: near.text,
                    documents,
                    distance: near.distance,
                });
            }
        }
        candidates.sort_by(|a, b| {
            let order = a.distance.cmp(&b.distance);
            let order = order.then(b.documents.cmp(&a.documents));
            order.then_with(|| a.text.cmp(&b.text))
        });
        if !candidates.is_empty() {
            unknown.push((word.from, word.to, candidates));
        }
    }
    Ok(combine(query, &unknown, limit))
}

/// All unknown words by their best candidate; then, word by word, the next candidates.
fn combine(
    query: &str,
    unknown: &[(usize, usize, Vec<Correction>)],
    limit: usize,
) -> Vec<Correction> {
    let mut corrections = Vec::new();
    let deepest = unknown.iter().map(|(_, _, found)| found.len()).max();
    for depth in 0..deepest.unwrap_or(0) {
        let changed: Vec<usize> = if depth == 0 {
            vec![0]
        } else {
            (0..unknown.len()).collect()
        };
        for at in changed {
            if depth >= unknown[at].2.len() {
                continue;
            }
            let (mut text, mut end) = (String::new(), 0);
            let (mut distance, mut documents) = (0u8, u64::MAX);
            for (number, (from, to, found)) in unknown.iter().enumerate() {
                let chosen = &found[if number == at { depth } else { 0 }];
                text.push_str(&query[end..*from]);
                text.push_str(&chosen.text);
                end = *to;
                distance = distance.saturating_add(chosen.distance);
                documents = documents.min(chosen.documents);
            }
            text.push_str(&query[end..]);
            corrections.push(Correction {
                text,
                documents,
                distance,
            });
        }
    }
    corrections.truncate(limit);
    corrections
}

/// The words of every index, each once; at most `most`. Each costs a look into the dictionaries of all indices, as there may
/// be documents with it where it is none of the first words.
fn gather(
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

fn vocabularies(snapshots: &[(u64, Arc<Snapshot>)]) -> Result<Vec<Vocabulary<'_>>, Failure> {
    let opened = snapshots
        .iter()
        .map(|(_, snapshot)| Vocabulary::open(snapshot));
    opened.collect()
}

/// Whether a document of any index has the word.
fn has(vocabularies: &[Vocabulary], word: &str) -> Result<bool, Failure> {
    for vocabulary in vocabularies {
        if vocabulary.has(word)? {
            return Ok(true);
        }
    }
    Ok(false)
}
