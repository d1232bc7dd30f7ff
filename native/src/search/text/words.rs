//! The plain words of an index: what begins like a word and what is nearly a word.

use std::cmp::Ordering;
use std::collections::HashMap;

use tantivy::fastfield::AliveBitSet;
use tantivy::postings::TermInfo;
use tantivy::query::FuzzyTermQuery;
use tantivy::schema::IndexRecordOption;
use tantivy::termdict::TermMerger;
use tantivy::{DocSet, InvertedIndexReader, Term, TERMINATED};

use crate::analysis::emoji::is_emoji;
use crate::engine::bits::Bits;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline::Steps;

/// A word of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word, in lower case, and folded where a searched field of the index folds.
    pub text: String,
    /// Live documents that have it, at least one.
    pub documents: u32,
    /// Edits between it and the word asked for; a swap of neighbours is one edit.
    pub distance: u8,
}

/// Words that are kept beside the first ones before these are looked for.
const SPARE_WORDS: usize = 256;

/// The words that begin with `prefix`, by number of documents, then in order; at most `limit`.
pub fn completions(snapshot: &Snapshot, prefix: &str, limit: usize) -> Result<Vec<Word>, Failure> {
    let end = behind_all(prefix);
    let mut readers = Vec::with_capacity(snapshot.segments.len());
    for segment in &snapshot.segments {
        readers.push(segment.reader.inverted_index(snapshot.definition.words)?);
    }
    let mut streams = Vec::with_capacity(readers.len());
    for words in &readers {
        streams.push(words.terms().range().ge(prefix).lt(&end).into_stream()?);
    }
    let mut dictionary = TermMerger::new(streams);
    let mut found: Vec<Word> = Vec::new();
    // Nearly all of many words stand behind the first ones; which these are is known ahead where no document is deleted.
    let is_exact = snapshot.live == snapshot.documents;
    let mut least = 0;
    let mut steps = Steps::default();
    while dictionary.advance() {
        steps.step()?;
        let infos = dictionary.current_segment_ords_and_term_infos();
        let documents = infos.map(|(_, info)| info.doc_freq).sum();
        if documents <= least {
            continue;
        }
        if let Ok(word) = std::str::from_utf8(dictionary.key()) {
            found.push(Word {
                text: word.to_owned(),
                documents,
                distance: 0,
            });
        }
        if is_exact && limit > 0 && found.len() >= limit + SPARE_WORDS {
            found.select_nth_unstable_by(limit - 1, rank);
            found.truncate(limit);
            // They come in their order: a later one with as many documents is behind.
            least = found[limit - 1].documents;
        }
    }
    first_live(snapshot, found, limit)
}

/// The smallest key behind all that begin with a prefix: UTF-8 never holds 0xff.
fn behind_all(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    end.push(0xff);
    end
}

/// How often words stand beside those of a context, in live documents of an index.
pub struct Company {
    /// Documents of each word of the context.
    pub context: Vec<u32>,
    /// Of each word; nothing of one that was not looked at.
    pub shared: Vec<Option<Shared>>,
}

/// Documents that have a word beside those of a context.
#[derive(Clone)]
pub struct Shared {
    /// Beside all of them.
    pub all: u32,
    /// Beside each of them.
    pub each: Vec<u32>,
}

/// How often each of `words` stands beside those of `context`, 32 at most. What would take more than `steps_max` steps is
/// not looked at: rare words, which say most, come first.
pub fn beside(
    snapshot: &Snapshot,
    context: &[&str],
    words: &[Word],
    steps_max: usize,
) -> Result<Company, Failure> {
    debug_assert!(context.len() <= 32);
    let live = Bits::live(snapshot);
    // Of each document a bit for each word of the context that it has.
    let mut had = vec![0u32; snapshot.documents as usize];
    let mut documents = vec![0; context.len()];
    for (at, word) in context.iter().enumerate() {
        each_document(snapshot, word, |position| {
            let is_live = live.get(position);
            had[position as usize] |= u32::from(is_live) << at;
            documents[at] += u32::from(is_live);
        })?;
    }
    let none = Shared {
        all: 0,
        each: vec![0; context.len()],
    };
    let mut company = Company {
        shared: vec![None; words.len()],
        context: documents,
    };
    if company.context.iter().all(|documents| *documents == 0) {
        company.shared.fill(Some(none));
        return Ok(company);
    }
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|at| words[*at].documents);
    let mut steps = 0;
    for at in order {
        steps += words[at].documents as usize;
        if steps > steps_max {
            break;
        }
        let mut shared = none.clone();
        each_document(snapshot, &words[at].text, |position| {
            let mut rest = had[position as usize];
            shared.all += u32::from(rest.count_ones() as usize == context.len());
            while rest != 0 {
                shared.each[rest.trailing_zeros() as usize] += 1;
                rest &= rest - 1;
            }
        })?;
        company.shared[at] = Some(shared);
    }
    Ok(company)
}

/// The numbers of the first `most` live documents that have the word.
pub fn first_documents(snapshot: &Snapshot, word: &str, most: usize) -> Result<Vec<u64>, Failure> {
    let mut first = Vec::new();
    for segment in &snapshot.segments {
        let words = segment.reader.inverted_index(snapshot.definition.words)?;
        let Some(mut postings) = words.read_postings(
            &Term::from_field_text(snapshot.definition.words, word),
            IndexRecordOption::Basic,
        )?
        else {
            continue;
        };
        while postings.doc() != TERMINATED {
            if first.len() == most {
                return Ok(first);
            }
            if segment.is_live(postings.doc()) {
                first.push(segment.numbers.ords[postings.doc() as usize]);
            }
            postings.advance();
        }
    }
    Ok(first)
}

/// Calls `each` with the position of every document that has the word, deleted ones included.
fn each_document(
    snapshot: &Snapshot,
    word: &str,
    mut each: impl FnMut(u32),
) -> Result<(), Failure> {
    for segment in &snapshot.segments {
        let words = segment.reader.inverted_index(snapshot.definition.words)?;
        let Some(info) = words.terms().get(word)? else {
            continue;
        };
        let mut block = words.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic)?;
        while !block.docs().is_empty() {
            block
                .docs()
                .iter()
                .for_each(|document| each(segment.base + document));
            block.advance();
        }
    }
    Ok(())
}

/// The words at most `edits` (1 or 2) away from `word`, itself included, nearest first, then by
/// number of documents; at most `limit`. An emoji is near to itself alone.
pub fn near(
    snapshot: &Snapshot,
    word: &str,
    edits: u8,
    limit: usize,
) -> Result<Vec<Word>, Failure> {
    near_from(snapshot, word, "", edits, limit)
}

/// As `near`, of the words that begin with `start`: with one letter a tenth of the walk through the dictionary.
pub fn near_from(
    snapshot: &Snapshot,
    word: &str,
    start: &str,
    edits: u8,
    limit: usize,
) -> Result<Vec<Word>, Failure> {
    let end = behind_all(start);
    let field = snapshot.definition.words;
    // Another picture is no misspelling of this one, though it may share most of its characters.
    let edits = if is_emoji(word) { 0 } else { edits.min(2) };
    let query = FuzzyTermQuery::new(Term::from_field_text(field, word), edits, true);
    let automaton = query.automaton()?;
    let mut found: HashMap<String, u32> = HashMap::new();
    let mut steps = Steps::default();
    for segment in &snapshot.segments {
        let words = segment.reader.inverted_index(field)?;
        let near = words.terms().search(&automaton);
        let mut stream = near.ge(start).lt(&end).into_stream()?;
        while stream.advance() {
            steps.step()?;
            if let Ok(word) = std::str::from_utf8(stream.key()) {
                add(&mut found, word, stream.value().doc_freq);
            }
        }
    }
    let words = found.into_iter().map(|(text, documents)| Word {
        distance: distance(word, &text),
        text,
        documents,
    });
    first_live(snapshot, words.collect(), limit)
}

/// Live documents that have the word.
pub fn live_with(snapshot: &Snapshot, word: &str) -> Result<u32, Failure> {
    let mut live = 0;
    for segment in &snapshot.segments {
        let words = segment.reader.inverted_index(snapshot.definition.words)?;
        let Some(info) = words.terms().get(word)? else {
            continue;
        };
        live += live_in(&words, &info, segment.reader.alive_bitset())?;
    }
    Ok(live)
}

/// Live documents that have a word in a segment: block by block, as that takes a third of one document after the other.
pub(super) fn live_in(
    words: &InvertedIndexReader,
    info: &TermInfo,
    alive: Option<&AliveBitSet>,
) -> Result<u32, Failure> {
    let Some(alive) = alive else {
        return Ok(info.doc_freq);
    };
    let mut block = words.read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
    let mut live = 0;
    while !block.docs().is_empty() {
        let documents = block.docs().iter();
        live += documents
            .map(|d| u32::from(alive.is_alive(*d)))
            .sum::<u32>();
        block.advance();
    }
    Ok(live)
}

fn add(found: &mut HashMap<String, u32>, word: &str, documents: u32) {
    match found.get_mut(word) {
        Some(sum) => *sum += documents,
        None => {
            found.insert(word.to_owned(), documents);
        }
    }
}

/// Nearest first, then by number of documents, then in order.
pub(crate) fn rank(a: &Word, b: &Word) -> Ordering {
    let by_frequency = b.documents.cmp(&a.documents);
    let order = a.distance.cmp(&b.distance).then(by_frequency);
    order.then_with(|| a.text.cmp(&b.text))
}

/// The first words by what live documents have, given words whose numbers still count deleted
/// documents: whether these were merged away must not be seen in what a search finds.
pub(super) fn first_live(
    snapshot: &Snapshot,
    mut words: Vec<Word>,
    limit: usize,
) -> Result<Vec<Word>, Failure> {
    words.sort_unstable_by(rank);
    if snapshot.live == snapshot.documents {
        words.truncate(limit);
        return Ok(words);
    }
    let mut first: Vec<Word> = Vec::new();
    for mut word in words {
        // Without its deleted documents a word can only fall back.
        if first.len() >= limit && first.last().is_none_or(|last| rank(last, &word).is_lt()) {
            break;
        }
        word.documents = live_with(snapshot, &word.text)?;
        if word.documents > 0 {
            let at = first.partition_point(|other| rank(other, &word).is_lt());
            first.insert(at, word);
            first.truncate(limit);
        }
    }
    Ok(first)
}

/// Edits between two words: insert, delete, replace, swap of neighbours (optimal string
/// alignment; Damerau 1964).
pub fn distance(a: &str, b: &str) -> u8 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + change).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    u8::try_from(last[b.len()]).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_a_swap_as_one_edit() {
        assert_eq!(distance("search", "search"), 0);
        assert_eq!(distance("serach", "search"), 1);
        assert_eq!(distance("sarch", "search"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("größe", "grösse"), 2);
    }
}
