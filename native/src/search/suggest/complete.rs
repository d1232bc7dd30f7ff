//! How the last word of a text may go on.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use crate::analysis::script::is_ideograph;
use crate::analysis::term::Term;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::suggest::beside::{beside, Beside};
use crate::search::suggest::candidates::{candidates, gather, searched, Candidate, SPARE};
use crate::search::suggest::correct::{correct, Correction};
use crate::search::suggest::known::{has, said, vocabularies, WORDS_MAX};
use crate::search::suggest::written::{as_written, Writer};
use crate::search::text::words::{self, Word};

/// Words that are held against those before them.
const BESIDE_MAX: usize = 200;

/// A text whose last word was completed.
#[derive(Serialize)]
pub struct Completion {
    text: String,
    documents: u64,
}

/// What the last word of `prefix` is the beginning of, beside the words before it; at most `limit`.
pub fn complete(
    snapshots: &[(u64, Arc<Snapshot>)],
    prefix: &str,
    limit: usize,
    writer: &mut Writer,
) -> Result<Vec<Completion>, Failure> {
    let Some((_, first)) = snapshots.first() else {
        return Ok(Vec::new());
    };
    let Some(last) = first.definition.words_analyzer.terms(prefix).pop() else {
        return Ok(Vec::new());
    };
    // Behind a space, a hyphen or the like begins another word, of which nothing is known yet. A character that is a word
    // by itself goes on to none.
    let is_ended = last.to < prefix.len() && !prefix.ends_with(char::is_alphanumeric);
    if is_ended || last.text.starts_with(is_ideograph) {
        return Ok(Vec::new());
    }
    let before = &prefix[..last.from];
    let most = limit + SPARE;
    let most = if before.is_empty() {
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
    let found = searched(snapshots, found)?;
    let (before, besides) = behind(snapshots, before, &found, writer)?;
    let mut found = candidates(snapshots, found, besides)?;
    // Where some stand beside the words before, others are no way to go on.
    if found.iter().any(|word| word.beside.is_somewhere()) {
        found.retain(|word| !word.beside.is_nowhere());
    }
    found.sort_by(Candidate::rank);
    found.truncate(limit);
    let typed = as_written(&prefix[last.from..last.to]);
    let typed = (typed != last.text).then_some(typed.as_str());
    let mut completions: Vec<Completion> = Vec::new();
    for word in found {
        let written = writer.written(&word.text, typed)?;
        let text = format!("{before}{written}");
        let documents = word.documents;
        // One index may fold what another one writes.
        match completions.iter_mut().find(|known| known.text == text) {
            Some(known) => known.documents += documents,
            None => completions.push(Completion { text, documents }),
        }
    }
    Ok(completions)
}

/// How each word stands to the text before it; and that text, with its unknown words corrected where one of them goes on to
/// what documents have altogether.
fn behind<'a>(
    snapshots: &[(u64, Arc<Snapshot>)],
    typed: &'a str,
    found: &[Word],
    writer: &mut Writer,
) -> Result<(Cow<'a, str>, Vec<Beside>), Failure> {
    if typed.is_empty() {
        return Ok((typed.into(), vec![Beside::default(); found.len()]));
    }
    let beside_words_of = |text: &str| {
        let context = words_of(snapshots, text)?;
        let context: Vec<&str> = context.iter().map(String::as_str).collect();
        beside(snapshots, &context, found, 1)
    };
    if let Some(Correction { text, .. }) = correct(snapshots, typed, 1, writer)?.pop() {
        let besides = beside_words_of(&text)?;
        if besides.iter().any(|beside| beside.all > 0) {
            return Ok((text.into(), besides));
        }
    }
    Ok((typed.into(), beside_words_of(typed)?))
}

/// Those of a text's words that documents have, each once. What no search looks for says nothing beside others that are
/// looked for.
fn words_of(snapshots: &[(u64, Arc<Snapshot>)], text: &str) -> Result<Vec<String>, Failure> {
    let Some((_, first)) = snapshots.first() else {
        return Ok(Vec::new());
    };
    let vocabularies = vocabularies(snapshots)?;
    let mut known: Vec<String> = Vec::new();
    for Term { text: word, .. } in first.definition.words_analyzer.terms(text) {
        if known.len() < WORDS_MAX && !known.contains(&word) && has(&vocabularies, &word)? {
            known.push(word);
        }
    }
    said(&vocabularies, known)
}
