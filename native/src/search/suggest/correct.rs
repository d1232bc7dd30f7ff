//! What unknown words of a query may have been meant to be.

use std::sync::Arc;

use serde::Serialize;

use crate::analysis::term::Term;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::query::Request;
use crate::search::suggest::beside::{beside, Beside};
use crate::search::suggest::candidates::{candidates, gather, searched, Candidate, SPARE};
use crate::search::suggest::known::{has, said, vocabularies, WORDS_MAX};
use crate::search::suggest::written::Writer;
use crate::search::text::expansion::Scope;
use crate::search::text::joined::runs;
use crate::search::text::kept::{keeps, readers};
use crate::search::text::plan::plan;
use crate::search::text::vocabulary::Vocabulary;
use crate::search::text::within::headed_by;
use crate::search::text::words::{self, Word};

/// Unknown words that are held against those around them, at most: a query has seldom more.
const BESIDE_MAX: usize = 4;

/// A text with its unknown words replaced.
#[derive(Serialize)]
pub struct Correction {
    pub text: String,
    documents: u64,
    distance: u8,
}

/// A word of a query that no document has.
struct Unknown {
    from: usize,
    to: usize,
    /// What it may have been meant to be, best first.
    found: Vec<Candidate>,
}

/// The query with one unknown word after the other replaced by the nearest known ones.
pub fn correct(
    snapshots: &[(u64, Arc<Snapshot>)],
    query: &str,
    limit: usize,
    writer: &mut Writer,
) -> Result<Vec<Correction>, Failure> {
    let Some((_, first)) = snapshots.first() else {
        return Ok(Vec::new());
    };
    let words = first.definition.words_analyzer.terms(query);
    let is_alone = words.len() == 1;
    let vocabularies = vocabularies(snapshots)?;
    let mut joined: Option<Vec<bool>> = None;
    let mut known: Vec<String> = Vec::new();
    let mut unknown: Vec<Unknown> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let length = word.text.chars().count();
        if has(&vocabularies, &word.text)? {
            if known.len() < WORDS_MAX && !known.contains(&word.text) {
                known.push(word.text.clone());
            }
            continue;
        }
        if length < 3 || unknown.len() >= WORDS_MAX {
            continue;
        }
        if joined.is_none() {
            joined = Some(are_joined(&vocabularies, query, &words)?);
        }
        if joined.as_ref().is_some_and(|joined| joined[at]) {
            continue;
        }
        let written = &query[word.from..word.to];
        if is_found(snapshots, written)? || ends_compounds(snapshots, (written, &word.text))? {
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
        let besides = vec![Beside::default(); found.len()];
        let mut found = candidates(snapshots, found, besides)?;
        found.sort_by(Candidate::rank);
        if !found.is_empty() {
            let (from, to) = (word.from, word.to);
            unknown.push(Unknown { from, to, found });
        }
    }
    prefer_beside(snapshots, &said(&vocabularies, known)?, &mut unknown)?;
    write(query, &unknown, limit, writer)
}

/// Whether a search for a word finds another form of it: where documents write `books`, `book` is no mistake.
fn is_found(snapshots: &[(u64, Arc<Snapshot>)], written: &str) -> Result<bool, Failure> {
    let request = Request::by_words(written)?;
    for (_, snapshot) in snapshots {
        deadline::look()?;
        if plan(snapshot, &request)?.is_known(snapshot)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether documents have compounds that end with a word, as a search then finds these: in a shop with an `Abendkleid`, `Kleid` is
/// no misspelt `klein`.
fn ends_compounds(snapshots: &[(u64, Arc<Snapshot>)], word: (&str, &str)) -> Result<bool, Failure> {
    for (_, snapshot) in snapshots {
        let scope = Scope {
            vocabulary: Vocabulary::open(snapshot)?,
            fields: &[],
            analyzers: &readers(&snapshot.definition),
        };
        if !headed_by(&scope, word, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of each word of a query whether it is a part of a word that documents have, as a search then finds that.
fn are_joined(
    vocabularies: &[Vocabulary],
    query: &str,
    words: &[Term],
) -> Result<Vec<bool>, Failure> {
    let definitions = || vocabularies.iter().map(|words| &words.snapshot.definition);
    let is_sought =
        |word: &Term| definitions().any(|definition| keeps(&readers(definition), &word.text));
    let mut joined = vec![false; words.len()];
    for run in runs(query, words, is_sought) {
        if has(vocabularies, &run.joined)? {
            joined[run.words].fill(true);
        }
    }
    Ok(joined)
}

/// Ranks what is equally near to an unknown word by what stands beside the known words and the best of the other unknown
/// ones. Where some do, others that are no nearer and stand there nowhere go.
fn prefer_beside(
    snapshots: &[(u64, Arc<Snapshot>)],
    known: &[String],
    unknown: &mut [Unknown],
) -> Result<(), Failure> {
    let count = unknown.len().min(BESIDE_MAX);
    for at in 0..count {
        let others = unknown[..count].iter().enumerate();
        let others = others.filter(|(other, _)| *other != at);
        let best = others.map(|(_, word)| word.found[0].text.as_str());
        let known = known.iter().map(String::as_str);
        let context: Vec<&str> = best.chain(known).take(WORDS_MAX).collect();
        let words: Vec<Word> = unknown[at].found.iter().map(as_word).collect();
        let besides = beside(snapshots, &context, &words, count)?;
        let found = &mut unknown[at].found;
        for (word, beside) in found.iter_mut().zip(besides) {
            word.beside = beside;
        }
        let beside = found.iter().filter(|word| word.beside.is_somewhere());
        let nearest = beside.map(|word| word.distance).min().unwrap_or(u8::MAX);
        found.retain(|word| word.distance < nearest || !word.beside.is_nowhere());
        found.sort_by(Candidate::rank);
    }
    Ok(())
}

fn as_word(candidate: &Candidate) -> Word {
    Word {
        text: candidate.text.clone(),
        documents: u32::try_from(candidate.documents).unwrap_or(u32::MAX),
        distance: candidate.distance,
    }
}

/// All unknown words by their best candidate; then, word by word, the next candidates.
fn write(
    query: &str,
    unknown: &[Unknown],
    limit: usize,
    writer: &mut Writer,
) -> Result<Vec<Correction>, Failure> {
    let mut corrections: Vec<Correction> = Vec::new();
    let deepest = unknown.iter().map(|word| word.found.len()).max();
    for depth in 0..deepest.unwrap_or(0) {
        let changed = if depth == 0 { 0..1 } else { 0..unknown.len() };
        for at in changed {
            if corrections.len() >= limit {
                return Ok(corrections);
            }
            if depth >= unknown[at].found.len() {
                continue;
            }
            let (mut text, mut end) = (String::new(), 0);
            let (mut distance, mut documents) = (0u8, u64::MAX);
            for (number, Unknown { from, to, found }) in unknown.iter().enumerate() {
                let chosen = &found[if number == at { depth } else { 0 }];
                text.push_str(&query[end..*from]);
                text.push_str(&writer.written(&chosen.text, None)?);
                end = *to;
                distance = distance.saturating_add(chosen.distance);
                documents = documents.min(chosen.documents);
            }
            text.push_str(&query[end..]);
            // One index may fold what another one writes.
            if corrections.iter().all(|known| known.text != text) {
                corrections.push(Correction {
                    text,
                    documents,
                    distance,
                });
            }
        }
    }
    Ok(corrections)
}
