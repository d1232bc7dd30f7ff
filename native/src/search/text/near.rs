//! The words nearly the words of a query, of many words at once: one walk through the dictionary finds those near each of
//! them, where an automaton for each walks through most of it again and again. What is found is the same.

use std::collections::HashMap;
use std::sync::Arc;

use tantivy::postings::TermInfo;
use tantivy::termdict::TermMerger;
use tantivy::InvertedIndexReader;

use crate::analysis::emoji::is_emoji;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline::{self, Steps};
use crate::search::text::words::{self, rank, Word};

/// Most different words of a query that near ones are looked for. No text of the greatest length has more, only one that
/// an analyzer cuts into ngrams.
pub const WORDS_MAX: usize = 2048;
/// What one walk for all words takes, in walks of an automaton for a word that is one edit away. Measured over the 60 000
/// words of SciFact: a walk for all 10 ms, one for a word .25 ms and, with two edits, .8.
const WALK: usize = 50;
const TWO_EDITS: usize = 3;
/// Words that one walk looks for: what it knows of their letters should stay in the caches.
const AT_ONCE: usize = 512;
/// Longest word whose beginnings, the empty one among them, are the bits of a number.
const CHARACTERS_MAX: usize = 63;

/// A word, and how many edits (1 or 2) another may be away from it.
pub type Wanted = (String, u8);

/// The words near each of `wanted`, as `words::near` finds them; at most `limit` of each.
pub fn near_each(
    snapshot: &Snapshot,
    wanted: &[Wanted],
    limit: usize,
) -> Result<HashMap<String, Vec<Word>>, Failure> {
    let mut found = HashMap::with_capacity(wanted.len());
    let one_by_one: usize = wanted.iter().map(|&(_, edits)| walks_of(edits)).sum();
    let is_walked = |(word, _): &&Wanted| {
        one_by_one > WALK && !is_emoji(word) && word.chars().count() <= CHARACTERS_MAX
    };
    let (many, few): (Vec<&Wanted>, Vec<&Wanted>) = wanted.iter().partition(is_walked);
    for (word, edits) in few {
        deadline::look()?;
        let near = words::near(snapshot, word, *edits, limit)?;
        found.insert(word.clone(), near);
    }
    let mut readers = Vec::with_capacity(snapshot.segments.len());
    for segment in &snapshot.segments {
        readers.push(segment.reader.inverted_index(snapshot.definition.words)?);
    }
    for some in many.chunks(AT_ONCE) {
        let near = walk(snapshot, &readers, some, limit)?;
        found.extend(some.iter().map(|(word, _)| word.clone()).zip(near));
    }
    Ok(found)
}

fn walks_of(edits: u8) -> usize {
    if edits > 1 {
        TWO_EDITS
    } else {
        1
    }
}

/// The words near each of some, by one walk through the dictionaries of all segments.
fn walk(
    snapshot: &Snapshot,
    readers: &[Arc<InvertedIndexReader>],
    some: &[&Wanted],
    limit: usize,
) -> Result<Vec<Vec<Word>>, Failure> {
    let mut best: Vec<Vec<Word>> = vec![Vec::new(); some.len()];
    let mut nearness = Nearness::to(some);
    let mut near = Vec::new();
    let mut places: Vec<(usize, TermInfo)> = Vec::new();
    let streams: Result<Vec<_>, _> = readers.iter().map(|r| r.terms().stream()).collect();
    let mut dictionary = TermMerger::new(streams?);
    let mut steps = Steps::default();
    while dictionary.advance() {
        steps.step()?;
        let Ok(text) = std::str::from_utf8(dictionary.key()) else {
            continue;
        };
        nearness.measure(text, &mut near);
        if near.is_empty() {
            continue;
        }
        places.clear();
        places.extend(dictionary.current_segment_ords_and_term_infos());
        // Without its deleted documents a word can only fall back: they are counted where they may decide.
        let at_most = places.iter().map(|(_, info)| info.doc_freq).sum();
        let mut live = None;
        for (number, distance) in near.drain(..) {
            let best = &mut best[number];
            let is_behind = |worst: &Word| {
                let by_frequency = worst.documents.cmp(&at_most);
                let order = distance.cmp(&worst.distance).then(by_frequency);
                order.then_with(|| text.cmp(&worst.text)).is_gt()
            };
            if best.len() >= limit && best.last().is_none_or(is_behind) {
                continue;
            }
            let documents = match live {
                Some(known) => known,
                None => *live.insert(live_at(snapshot, readers, &places)?),
            };
            if documents > 0 {
                let text = text.to_owned();
                let word = Word {
                    text,
                    documents,
                    distance,
                };
                let at = best.partition_point(|other| rank(other, &word).is_lt());
                best.insert(at, word);
                best.truncate(limit);
            }
        }
    }
    Ok(best)
}

/// Live documents that have a word, given where it stands.
fn live_at(
    snapshot: &Snapshot,
    readers: &[Arc<InvertedIndexReader>],
    places: &[(usize, TermInfo)],
) -> Result<u32, Failure> {
    let mut live = 0;
    for (segment, info) in places {
        let alive = snapshot.segments[*segment].reader.alive_bitset();
        live += words::live_in(&readers[*segment], info, alive)?;
    }
    Ok(live)
}

/// How near the words of a dictionary, given in their order, are to some others: what is known of the letters that a word
/// has in common with the one before it is not reckoned anew.
struct Nearness {
    words: Vec<Other>,
    /// Per letter and word, bit i: the i-th letter of the word is this one.
    letters: HashMap<char, Vec<u64>>,
    nowhere: Vec<u64>,
    /// The letters that are read, and which of the words can still be reached after each number of them.
    read: Vec<char>,
    reached: Vec<Vec<Reached>>,
    next: Vec<char>,
}

/// A word that others may be near to.
struct Other {
    length: usize,
    edits: usize,
}

/// How far a word is reached by the letters read so far: bit i of the n-th number says that its first i letters are, by n
/// edits at most (the automaton of Wu and Manber 1992, with swaps of neighbours as one edit).
#[derive(Clone)]
struct Reached {
    number: usize,
    now: [u64; 3],
    /// Before the last letter, and where the word has that.
    before: [u64; 3],
    letter: u64,
}

impl Nearness {
    fn to(some: &[&Wanted]) -> Nearness {
        let mut letters: HashMap<char, Vec<u64>> = HashMap::new();
        for (number, (word, _)) in some.iter().enumerate() {
            for (at, letter) in word.chars().enumerate() {
                let of_letter = letters.entry(letter).or_insert_with(|| vec![0; some.len()]);
                of_letter[number] |= 2 << at;
            }
        }
        let others = some.iter().map(|(word, edits)| Other {
            length: word.chars().count(),
            edits: usize::from(*edits),
        });
        let words: Vec<Other> = others.collect();
        let start = words.iter().enumerate().map(|(number, word)| Reached {
            number,
            now: [0, 1, 2].map(|edits| match edits <= word.edits {
                true => ((2 << edits) - 1) & word.all(),
                false => 0,
            }),
            before: [0; 3],
            letter: 0,
        });
        Nearness {
            letters,
            nowhere: vec![0; some.len()],
            read: Vec::new(),
            reached: vec![start.collect()],
            next: Vec::new(),
            words,
        }
    }

    /// Gives the numbers of those that a word is near to, and how far it is from each.
    fn measure(&mut self, text: &str, near: &mut Vec<(usize, u8)>) {
        self.next.clear();
        self.next.extend(text.chars());
        let both = self.read.iter().zip(&self.next);
        let common = both.take_while(|(a, b)| a == b).count();
        self.read.truncate(common);
        for letter in &self.next[common..] {
            let length = self.read.len();
            if self.reached[length].is_empty() {
                return;
            }
            if self.reached.len() == length + 1 {
                self.reached.push(Vec::new());
            }
            let (known, more) = self.reached.split_at_mut(length + 1);
            let letters = self.letters.get(letter).unwrap_or(&self.nowhere);
            let further = known[length]
                .iter()
                .map(|r| r.further(letters[r.number], &self.words[r.number]));
            more[0].clear();
            more[0].extend(further.filter(|r| r.now != [0; 3]));
            self.read.push(*letter);
        }
        for reached in &self.reached[self.read.len()] {
            let end = 1 << self.words[reached.number].length;
            if let Some(edits) = reached.now.iter().position(|now| now & end != 0) {
                near.push((reached.number, edits as u8));
            }
        }
    }
}

impl Other {
    /// Bits of all its beginnings.
    fn all(&self) -> u64 {
        u64::MAX >> (CHARACTERS_MAX - self.length)
    }
}

impl Reached {
    /// The reach after one more letter, which the word has where the bits of `letter` are.
    #[inline]
    fn further(&self, letter: u64, word: &Other) -> Reached {
        let mut now = [(self.now[0] << 1) & letter, 0, 0];
        for edits in 1..=word.edits {
            let fewer = self.now[edits - 1];
            let same = (self.now[edits] << 1) & letter;
            let inserted_or_replaced = fewer | (fewer << 1);
            let left_out = now[edits - 1] << 1;
            let swapped = (self.before[edits - 1] << 2) & self.letter & (letter << 1);
            now[edits] = (same | inserted_or_replaced | left_out | swapped) & word.all();
        }
        Reached {
            number: self.number,
            now,
            before: self.now,
            letter,
        }
    }
}
