//! The places of single documents in the lists of a search, counted instead of sorted: a document
//! stands behind all that score more, and behind equal ones of an earlier view or smaller number.
//!
//! One pass over the lists counts for all documents that are asked for. Most of what it passes is
//! left out many entries at a time, since places far behind are not told apart: a score that
//! enough others exceed is forgotten.

use std::cmp::Ordering;

/// Places of a list that are told apart.
pub const PLACES_MAX: usize = 32;
/// Entries of a list that are passed over together.
const BLOCK: usize = 32;

/// The places of some scores in a list over several views.
pub struct Places<S> {
    /// The scores, falling, without those behind the first places.
    scores: Vec<S>,
    /// Entries that score more than each of them, but not more than the one before it.
    above: Vec<usize>,
    /// Entries that score more than the last of them.
    counted: usize,
    /// Entries that score the same as one of them: their score, view and position.
    equal: Vec<(S, usize, u32)>,
}

impl<S: Copy + PartialOrd> Places<S> {
    /// Asks for the places of the documents that have these scores in the list.
    pub fn asked(scores: impl Iterator<Item = S>) -> Places<S> {
        let mut scores: Vec<S> = scores.collect();
        scores.sort_unstable_by(|a, b| b.partial_cmp(a).unwrap_or(Ordering::Equal));
        scores.dedup();
        Places {
            above: vec![0; scores.len()],
            counted: 0,
            equal: Vec::with_capacity(scores.len()),
            scores,
        }
    }

    /// Counts entries of a view, a score for each position.
    pub fn add(&mut self, view: usize, positions: &[u32], scores: &[S]) {
        for (scores, positions) in scores.chunks(BLOCK).zip(positions.chunks(BLOCK)) {
            let Some(mut least) = self.least() else {
                return;
            };
            // All are compared: that goes many at a time, and few blocks have one.
            if !scores.iter().fold(false, |any, own| any | (*own >= least)) {
                continue;
            }
            for (score, position) in scores.iter().zip(positions) {
                if *score >= least {
                    self.count(view, *position, *score);
                    let Some(risen) = self.least() else { return };
                    least = risen;
                }
            }
        }
    }

    /// Counts one entry of a view.
    #[inline]
    pub fn add_one(&mut self, view: usize, position: u32, score: S) {
        if self.least().is_some_and(|least| score >= least) {
            self.count(view, position, score);
        }
    }

    /// The last of the scores: what lies below counts for none of them.
    #[inline]
    fn least(&self) -> Option<S> {
        self.scores.last().copied()
    }

    fn count(&mut self, view: usize, position: u32, score: S) {
        let larger = self.scores.iter().filter(|own| **own > score).count();
        let mut next = larger;
        if self.scores[larger] == score {
            self.equal.push((score, view, position));
            next += 1;
        }
        let Some(above) = self.above.get_mut(next) else {
            return;
        };
        *above += 1;
        self.counted += 1;
        while self.counted >= PLACES_MAX {
            self.scores.pop();
            self.counted -= self.above.pop().unwrap_or(self.counted);
        }
    }

    /// The place, from 1 on, of a document of the list, whose score was asked for, given the number
    /// of the document at a position of a view; `None` behind the first `PLACES_MAX`.
    pub fn of(
        &self,
        (view, position): (usize, u32),
        score: S,
        ord_of: impl Fn(usize, u32) -> u64,
    ) -> Option<usize> {
        let at = self.scores.iter().position(|own| *own == score)?;
        let larger: usize = self.above[..=at].iter().sum();
        let own = (view, position);
        let equals = self.equal.iter().filter(|(other, ..)| *other == score);
        let others = equals.filter(|(_, view, position)| (*view, *position) != own);
        let before = others.filter(|(_, other, at)| {
            (*other, ord_of(*other, *at)) < (view, ord_of(view, position))
        });
        let place = larger + before.count() + 1;
        (place <= PLACES_MAX).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *seed >> 33
    }

    /// Compares all places of random lists with those of the sorted list.
    fn compare(seed: u64, lengths: &[u32], different: u64) {
        let mut seed = seed;
        let ord_of = |view: usize, position: u32| u64::from(position ^ 5) * 3 + view as u64;
        let mut lists = Vec::new();
        let mut sorted = Vec::new();
        for (view, length) in lengths.iter().enumerate() {
            let positions: Vec<u32> = (0..*length).map(|at| 2 * at).collect();
            let scores = positions.iter();
            let scores: Vec<f32> = scores
                .map(|_| (number(&mut seed) % different) as f32 / 7.0)
                .collect();
            sorted.extend(positions.iter().zip(&scores).map(|(p, s)| (*s, view, *p)));
            lists.push((positions, scores));
        }
        sorted.sort_by(|(a, view, x), (b, other, y)| {
            let by_score = b.total_cmp(a).then(view.cmp(other));
            by_score.then(ord_of(*view, *x).cmp(&ord_of(*other, *y)))
        });
        for asked in [1, 10, PLACES_MAX, 1000] {
            // Some of all parts of the list: those behind the first places have none.
            let step = sorted.len().div_ceil(asked).max(1);
            let asked = || sorted.iter().enumerate().step_by(step);
            let mut places = Places::asked(asked().map(|(_, entry)| entry.0));
            for (view, (positions, scores)) in lists.iter().enumerate() {
                places.add(view, positions, scores);
            }
            for (at, (score, view, position)) in asked() {
                let place = places.of((*view, *position), *score, ord_of);
                let expected = (at < PLACES_MAX).then_some(at + 1);
                assert_eq!(
                    place, expected,
                    "{seed} {lengths:?} {different} {step} {at}"
                );
            }
        }
    }

    #[test]
    fn counted_places_are_those_of_the_sorted_list() {
        for seed in 1..6 {
            for different in [1, 3, 50, 1 << 20] {
                compare(seed, &[0], different);
                compare(seed, &[1], different);
                compare(seed, &[99, 2], different);
                compare(seed, &[1599, 0, 1601], different);
                compare(seed, &[5003, 4097], different);
            }
        }
    }
}
