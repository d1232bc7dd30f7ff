//! The long words of a segment, by their beginnings and by their ends: what compounds begin and end with.

use std::cmp::Ordering;

use tantivy::InvertedIndexReader;

use crate::failure::Failure;

/// Letters of the shortest of them.
const LETTERS_MIN: usize = 6;
/// Letters that the first comparison of two ends looks at, in bytes.
const KEY_BYTES: usize = 8;

/// Words of six letters and more, in their order. A dictionary on disk is read from the beginnings of its words alone, and too
/// slowly for every word of a query: a walk through all of 60 000 words takes 10 ms.
#[derive(Default)]
pub struct LongWords {
    /// One behind the other.
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// Documents of each, deleted ones included.
    documents: Vec<u32>,
    /// Their numbers, ordered by their letters from behind.
    from_behind: Vec<u32>,
    /// The last letters of each, in that order: a look for an end stays within these.
    keys: Vec<u64>,
}

impl LongWords {
    /// Reads those of a dictionary, for as long as `go_on` lets it.
    pub fn read(
        words: &InvertedIndexReader,
        mut go_on: impl FnMut() -> Result<(), Failure>,
    ) -> Result<LongWords, Failure> {
        let mut read = LongWords::default();
        let mut stream = words.terms().stream()?;
        while stream.advance() {
            go_on()?;
            if let Ok(word) = std::str::from_utf8(stream.key()) {
                if !read.add(word, stream.value().doc_freq) {
                    break;
                }
            }
        }
        read.order();
        Ok(read)
    }

    /// Adds the next word, if it is a long one; gives whether there is room for others.
    fn add(&mut self, word: &str, documents: u32) -> bool {
        if word.len() < LETTERS_MIN || !is_word(word) || word.chars().count() < LETTERS_MIN {
            return true;
        }
        let Ok(end) = u32::try_from(self.text.len() + word.len()) else {
            return false;
        };
        self.text.push_str(word);
        self.ends.push(end);
        self.documents.push(documents);
        true
    }

    fn order(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.documents.shrink_to_fit();
        let mut keyed: Vec<(u64, u32)> = (0..self.ends.len())
            .map(|nth| (key_of(self.word(nth)), nth as u32))
            .collect();
        keyed.sort_unstable_by(|a, b| {
            let rest = || from_behind(self.word(a.1 as usize), self.word(b.1 as usize));
            a.0.cmp(&b.0).then_with(rest)
        });
        (self.keys, self.from_behind) = keyed.into_iter().unzip();
    }

    fn word(&self, nth: usize) -> &str {
        let from = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from as usize..self.ends[nth] as usize]
    }

    /// Those that begin with a word, and how many documents have each, deleted ones included.
    pub fn beginning_with<'a>(&'a self, start: &'a str) -> impl Iterator<Item = (&'a str, u32)> {
        let first = first_from(self.ends.len(), |nth| self.word(nth) < start);
        let known = (first..self.ends.len()).map(|nth| (self.word(nth), self.documents[nth]));
        known.take_while(move |(word, _)| word.starts_with(start))
    }

    /// As `beginning_with`, of those that end with a word.
    pub fn ending_with<'a>(&'a self, end: &'a str) -> impl Iterator<Item = (&'a str, u32)> {
        let key = key_of(end);
        let from = self.keys.partition_point(|known| *known < key);
        let alike = match end.len() > KEY_BYTES {
            true => self.keys[from..].partition_point(|known| *known == key),
            false => 0,
        };
        let before = |nth: u32| from_behind(self.word(nth as usize), end).is_lt();
        let alike = &self.from_behind[from..from + alike];
        let first = from + alike.partition_point(|nth| before(*nth));
        let known = self.from_behind[first..].iter().map(|nth| *nth as usize);
        let known = known.map(|nth| (self.word(nth), self.documents[nth]));
        known.take_while(move |(word, _)| word.ends_with(end))
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * (3 * size_of::<u32>() + size_of::<u64>())
    }
}

/// Whether it is made of letters alone.
pub(crate) fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic)
}

/// The first of so many numbers that does not lie before what is looked for.
fn first_from(count: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from + (to - from) / 2;
        match is_before(middle) {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    from
}

/// The order of two words by their letters from behind; one that ends another comes before it.
fn from_behind(a: &str, b: &str) -> Ordering {
    a.bytes().rev().cmp(b.bytes().rev())
}

/// The last letters of a word, as a number in the order of `from_behind`.
fn key_of(word: &str) -> u64 {
    let mut key = [0; KEY_BYTES];
    for (own, byte) in key.iter_mut().zip(word.bytes().rev()) {
        *own = byte;
    }
    u64::from_be_bytes(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::folder::Folder;

    #[test]
    fn long_words_are_known_by_both_ends() {
        let words = [
            "haus",
            "hausboot",
            "haustür",
            "hausé",
            "kaufhaus",
            "rathaus",
            "rathaus1",
            "äußerstmaus",
            "überhaus",
        ];
        let mut known = LongWords::default();
        for (word, documents) in words.into_iter().zip(1..) {
            assert!(known.add(word, documents));
        }
        known.order();
        let beginning = |start| known.beginning_with(start).collect::<Vec<_>>();
        let ending = |end| known.ending_with(end).collect::<Vec<_>>();
        assert_eq!(beginning("haus"), [("hausboot", 2), ("haustür", 3)]);
        assert_eq!(beginning("über"), [("überhaus", 9)]);
        assert_eq!(beginning("z"), []);
        let houses = [("rathaus", 6), ("kaufhaus", 5), ("überhaus", 9)];
        let mut found = ending("haus");
        found.sort_unstable_by_key(|(_, documents)| *documents);
        let mut sorted = houses;
        sorted.sort_unstable_by_key(|(_, documents)| *documents);
        assert_eq!(found, sorted);
        assert_eq!(ending("äußerstmaus"), [("äußerstmaus", 8)]);
        assert_eq!(ending("boot"), [("hausboot", 2)]);
        assert_eq!(ending("x"), []);
        assert!(known.bytes() > 50);
    }

    #[test]
    fn words_that_share_a_long_end_are_in_order() {
        let mut known = LongWords::default();
        for word in [
            "abverarbeitung",
            "bverarbeitung",
            "datenverarbeitung",
            "verarbeitung",
        ] {
            known.add(word, 1);
        }
        known.order();
        let found: Vec<&str> = known.ending_with("verarbeitung").map(|(w, _)| w).collect();
        assert_eq!(
            found,
            [
                "verarbeitung",
                "bverarbeitung",
                "abverarbeitung",
                "datenverarbeitung"
            ]
        );
    }

    #[test]
    fn long_words_are_read_ahead_once_somebody_asked_for_them() {
        let definition = r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), definition).unwrap();
        let write = |ord: u64| {
            let documents = [r#"{ "a": "b" }"#.to_owned()];
            engine.apply(&[ord], &documents, &[], &[], &[]).unwrap();
            engine.commit(ord).unwrap();
        };
        let known = || -> Vec<bool> {
            let view = engine.views.current();
            let segments = view.segments.iter();
            segments.map(|s| s.long_words.get().is_some()).collect()
        };
        write(1);
        write(2);
        assert_eq!(known(), [false, false]);
        engine.views.current().long_words(0, || Ok(())).unwrap();
        assert_eq!(known(), [true, false]);
        write(3);
        assert_eq!(known(), [true, true, true]);
        engine.close();
    }
}
