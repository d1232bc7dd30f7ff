//! Where the words of a row stand in a text: each at its distance from the others, or moved by some places.

use std::collections::HashMap;

use crate::search::text::clause::{Slot, Way};

/// A row of words that is looked for.
pub(crate) struct Sought<'a> {
    /// The different words, each the terms of which any may stand there.
    pub words: Vec<&'a [String]>,
    slots: &'a [Slot],
    /// Which of the words stands at each place.
    word_of: Vec<usize>,
    /// The place before that has the same word, for each place.
    before: Vec<Option<usize>>,
    slop: u32,
}

impl<'a> Sought<'a> {
    pub fn of(way: &'a Way) -> Sought<'a> {
        let mut known: HashMap<&[String], usize> = HashMap::with_capacity(way.slots.len());
        let mut words = Vec::new();
        let mut last = Vec::new();
        let mut before = Vec::with_capacity(way.slots.len());
        let word_of = way.slots.iter().enumerate().map(|(at, slot)| {
            let word = *known.entry(&slot.terms).or_insert_with(|| {
                words.push(slot.terms.as_slice());
                last.push(None);
                words.len() - 1
            });
            before.push(last[word].replace(at));
            word
        });
        let word_of = word_of.collect();
        Sought {
            words,
            slots: &way.slots,
            word_of,
            before,
            slop: way.slop,
        }
    }

    /// Calls `found` for each time that the row stands in a text, given where each of its words does, ascending: with
    /// the number of its word's place for each place of the row, and by how many places words are moved in all. Each
    /// place of a word serves one row, and a word that comes again in a row has another place each time.
    pub fn each(&self, places: &[Vec<u32>], mut found: impl FnMut(&[usize], u64)) {
        let mut cursors = vec![0usize; self.slots.len()];
        // Where the furthest word wants the row to begin: no other may want it further before that than slop allows.
        let mut most = i64::MIN;
        loop {
            let mut least = i64::MAX;
            for (at, slot) in self.slots.iter().enumerate() {
                if let Some(before) = self.before[at] {
                    cursors[at] = cursors[at].max(cursors[before] + 1);
                }
                let from = most.saturating_sub(i64::from(self.slop));
                let begins = |place: &u32| i64::from(*place) - i64::from(slot.offset);
                let rest = places[self.word_of[at]].get(cursors[at]..);
                let rest = rest.unwrap_or_default();
                let Some(behind) = rest.iter().position(|place| begins(place) >= from) else {
                    return;
                };
                cursors[at] += behind;
                let begin = begins(&rest[behind]);
                (least, most) = (least.min(begin), most.max(begin));
            }
            let moved = (most - least) as u64;
            if moved <= u64::from(self.slop) {
                found(&cursors, moved);
                cursors.iter_mut().for_each(|cursor| *cursor += 1);
            }
        }
    }

    /// The number of the word that stands at each place.
    pub fn word_of(&self) -> &[usize] {
        &self.word_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with a word of its own, or a given one, at each offset.
    fn row(words: &[(u32, &str)], slop: u32) -> Way {
        let slots = words.iter().map(|(offset, word)| Slot {
            offset: *offset,
            terms: vec![(*word).to_owned()],
        });
        Way {
            slots: slots.collect(),
            weight: 1.0,
            slop,
            is_far: false,
        }
    }

    /// By how many places the words of each row that is found are moved.
    fn moves(words: &[(u32, &str)], places: &[Vec<u32>], slop: u32) -> Vec<u64> {
        let way = row(words, slop);
        let mut moves = Vec::new();
        Sought::of(&way).each(places, |_, moved| moves.push(moved));
        moves
    }

    const TWO: [(u32, &str); 2] = [(0, "a"), (1, "b")];

    #[test]
    fn a_row_is_found_only_in_its_order() {
        assert_eq!(moves(&TWO, &[vec![3, 9], vec![4, 7]], 0), [0]);
        assert!(moves(&TWO, &[vec![4], vec![3]], 0).is_empty());
        assert_eq!(moves(&TWO, &[vec![0, 2, 4], vec![1, 3, 5]], 0), [0, 0, 0]);
    }

    #[test]
    fn slop_lets_words_move() {
        assert!(moves(&TWO, &[vec![3], vec![5]], 0).is_empty());
        assert_eq!(moves(&TWO, &[vec![3], vec![5]], 1), [1]);
        assert_eq!(moves(&TWO, &[vec![4], vec![3]], 2), [2]);
    }

    #[test]
    fn a_word_that_comes_again_in_a_row_stands_at_another_place_each_time() {
        let twice = [(0, "a"), (1, "a")];
        assert!(moves(&twice, &[vec![4]], 1).is_empty());
        assert!(moves(&twice, &[vec![4]], 100).is_empty());
        assert_eq!(moves(&twice, &[vec![4, 5]], 0), [0]);
        assert_eq!(moves(&twice, &[vec![4, 6]], 1), [1]);
        assert!(moves(&twice, &[vec![4, 6]], 0).is_empty());
        let around = [(0, "a"), (1, "b"), (2, "a")];
        assert!(moves(&around, &[vec![4], vec![5]], 9).is_empty());
        assert_eq!(moves(&around, &[vec![4, 7], vec![5]], 1), [1]);
    }

    /// The same, the plainest way: of the words of a row the one furthest behind goes on to its next place.
    fn one_by_one(offsets: &[u32], places: &[Vec<u32>], slop: u32) -> Vec<u64> {
        let mut cursors = vec![0usize; offsets.len()];
        let mut found = Vec::new();
        loop {
            let begins = cursors.iter().enumerate().map(|(slot, cursor)| {
                let place = *places[slot].get(*cursor)?;
                Some(i64::from(place) - i64::from(offsets[slot]))
            });
            let Some(begins) = begins.collect::<Option<Vec<i64>>>() else {
                return found;
            };
            let (least, most) = (begins.iter().min().unwrap(), begins.iter().max().unwrap());
            let moved = most - least;
            if moved <= i64::from(slop) {
                found.push(moved as u64);
                cursors.iter_mut().for_each(|cursor| *cursor += 1);
            } else {
                cursors[begins.iter().position(|begin| begin == least).unwrap()] += 1;
            }
        }
    }

    #[test]
    fn rows_are_those_that_are_found_one_by_one() {
        let mut seed = 7u64;
        let mut below = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % most
        };
        for _ in 0..20_000 {
            let words = 1 + below(4);
            let offsets: Vec<u32> = (0..words).map(|_| below(5) as u32).collect();
            let places = offsets.iter().map(|_| {
                let mut places: Vec<u32> = (0..below(8)).map(|_| below(12) as u32).collect();
                places.sort_unstable();
                places
            });
            let (places, slop) = (places.collect::<Vec<_>>(), below(4) as u32);
            let named = offsets.iter().copied().zip(["a", "b", "c", "d"]);
            let expected = one_by_one(&offsets, &places, slop);
            assert_eq!(
                moves(&named.collect::<Vec<_>>(), &places, slop),
                expected,
                "{offsets:?} {places:?} {slop}"
            );
        }
    }
}
