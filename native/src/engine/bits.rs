//! Sets of documents as bits by global position.

use std::ops::Range;

use crate::engine::snapshot::Snapshot;

/// From this mean distance on, positions are added one by one: which share a word of bits could only be guessed.
const APART: usize = 16;

/// A set of global positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set with room for `length` positions.
    pub fn new(length: usize) -> Bits {
        Bits {
            words: vec![0; length.div_ceil(64)],
        }
    }

    /// Empties the set and gives it room for `length` positions.
    pub fn reset(&mut self, length: usize) {
        self.words.clear();
        self.words.resize(length.div_ceil(64), 0);
    }

    /// All live documents of a view.
    pub fn live(snapshot: &Snapshot) -> Bits {
        let mut bits = Bits::new(snapshot.documents as usize);
        bits.set_range(0, snapshot.documents);
        for segment in &snapshot.segments {
            let Some(alive) = segment.reader.alive_bitset() else {
                continue;
            };
            for document in 0..segment.reader.max_doc() {
                if alive.is_deleted(document) {
                    bits.unset(segment.base + document);
                }
            }
        }
        bits
    }

    /// Whether it has room for any position.
    pub fn has_room(&self) -> bool {
        !self.words.is_empty()
    }

    /// Adds a position.
    #[inline]
    pub fn set(&mut self, position: u32) {
        self.words[position as usize / 64] |= 1 << (position % 64);
    }

    /// Adds ascending positions. Where they lie close together this is the faster way.
    pub fn set_all(&mut self, positions: &[u32]) {
        let (Some(first), Some(last)) = (positions.first(), positions.last()) else {
            return;
        };
        if (last - first) as usize / APART >= positions.len() {
            return positions.iter().for_each(|position| self.set(*position));
        }
        let (mut at, mut word) = (0, 0u64);
        for position in positions {
            let next = *position as usize / 64;
            if next != at {
                self.words[at] |= word;
                (at, word) = (next, 0);
            }
            word |= 1 << (position % 64);
        }
        if word != 0 {
            self.words[at] |= word;
        }
    }

    /// Adds positions, and to another set those of which there is more than one.
    pub fn set_both(&mut self, more: &mut Bits, positions: &[u32], counts: &[f32]) {
        for (position, count) in positions.iter().zip(counts) {
            let at = *position as usize / 64;
            self.words[at] |= 1 << (position % 64);
            more.words[at] |= u64::from(*count > 1.0) << (position % 64);
        }
    }

    #[inline]
    fn unset(&mut self, position: u32) {
        self.words[position as usize / 64] &= !(1 << (position % 64));
    }

    fn set_range(&mut self, from: u32, to: u32) {
        for position in from..to.min(from.next_multiple_of(64)) {
            self.set(position);
        }
        let mut at = from.next_multiple_of(64);
        while at + 64 <= to {
            self.words[at as usize / 64] = u64::MAX;
            at += 64;
        }
        for position in at..to {
            self.set(position);
        }
    }

    /// Whether the position is in the set; false for one beyond its room.
    #[inline]
    pub fn get(&self, position: u32) -> bool {
        let word = self.words.get(position as usize / 64);
        word.is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// The bits of positions in a row, as many of them as fit in so many words.
    #[inline(always)]
    pub fn window<const WORDS: usize>(&self, range: &Range<u32>) -> [u64; WORDS] {
        let (first, shift) = (range.start as usize / 64, range.start % 64);
        let words = self.words.get(first..).unwrap_or_default();
        match words.first_chunk() {
            Some(words) if shift == 0 && range.len() >= 64 * WORDS => *words,
            _ => shifted(words, shift, range.len() as u32),
        }
    }

    /// Keeps what is in both.
    pub fn and(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds the other's positions.
    pub fn or(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Removes the other's positions.
    pub fn without(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// The positions that are in both, ascending, put into `into`.
    pub fn common(&self, other: &Bits, into: &mut Vec<u32>) {
        into.clear();
        for (at, (a, b)) in self.words.iter().zip(&other.words).enumerate() {
            let mut rest = a & b;
            while rest != 0 {
                into.push((at * 64) as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }

    /// How many positions are in both.
    pub fn count_common(&self, other: &Bits) -> usize {
        let both = self.words.iter().zip(&other.words);
        both.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// How many positions are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The positions as a list, ascending.
    pub fn list(&self) -> Vec<u32> {
        let mut list = Vec::with_capacity(self.count());
        for (base, word) in (0u32..).step_by(64).zip(&self.words) {
            if *word == u64::MAX {
                list.extend(base..base + 64);
                continue;
            }
            let mut rest = *word;
            while rest != 0 {
                list.push(base + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        list
    }

    /// The positions, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.range(0, u32::MAX)
    }

    /// The positions from `from` to `to` (exclusive), ascending.
    pub fn range(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let first = from as usize / 64;
        let end = (to as usize).div_ceil(64).min(self.words.len());
        let words = self.words.get(first..end).unwrap_or_default();
        words.iter().enumerate().flat_map(move |(i, word)| {
            let base = ((first + i) * 64) as u32;
            let mut rest = *word;
            if base < from {
                rest &= u64::MAX << (from - base);
            }
            if to - base < 64 {
                rest &= (1 << (to - base)) - 1;
            }
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    base + bit
                })
            })
        })
    }
}

/// The words of so many bits that begin at a place of the first word.
#[inline(never)]
fn shifted<const WORDS: usize>(words: &[u64], shift: u32, bits: u32) -> [u64; WORDS] {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    std::array::from_fn(|at| {
        let end = bits.saturating_sub(64 * at as u32);
        let low = word(at) >> shift;
        // Shifted twice: by all 64 at once nothing would move.
        let high = word(at + 1) << (63 - shift) << 1;
        let inside = if end < 64 { (1 << end) - 1 } else { u64::MAX };
        (low | high) & inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_what_was_put_in() {
        let mut bits = Bits::new(200);
        bits.set_range(3, 130);
        bits.unset(64);
        assert_eq!(bits.count(), 126);
        assert!(!bits.get(2) && bits.get(3) && bits.get(129) && !bits.get(130) && !bits.get(64));
        assert!(!bits.get(5_000));
        let some: Vec<u32> = bits.range(60, 67).collect();
        assert_eq!(some, [60, 61, 62, 63, 65, 66]);
        assert_eq!(bits.iter().count(), 126);
        assert_eq!(bits.list(), bits.iter().collect::<Vec<u32>>());
    }

    #[test]
    fn a_window_has_the_bits_of_its_range_wherever_it_begins() {
        let mut bits = Bits::new(700);
        for position in (0..700).filter(|position| position % 7 * position % 5 < 2) {
            bits.set(position);
        }
        for (from, length) in [
            (0, 192),
            (1, 192),
            (63, 100),
            (64, 64),
            (130, 1),
            (600, 192),
        ] {
            let window: [u64; 3] = bits.window(&(from..from + length));
            for place in 0..192 {
                let own = window[place as usize / 64] >> (place % 64) & 1 == 1;
                let expected = place < length && bits.get(from + place);
                assert_eq!(own, expected, "{from} {place}");
            }
        }
    }
}
