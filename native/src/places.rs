//! The places of single documents in the lists of a search, counted instead of sorted: a document
//! stands behind all that score more, and behind equal ones of an earlier view or smaller number.

use std::cmp::Ordering;

use crate::score::{largest, LANES};

/// Places of a list that are told apart.
pub const PLACES_MAX: usize = 100;
/// Parts of a long list whose largest scores are looked at first.
const PARTS_MAX: usize = 256;

/// The entries that the first ones of a list over several views are among.
#[derive(Default)]
pub struct Places<S> {
    scores: Vec<S>,
    /// The view and the position of each.
    documents: Vec<(usize, u32)>,
}

impl<S: Copy + PartialOrd> Places<S> {
    /// Adds the entries of one view, a score for each position.
    pub fn add(&mut self, view: usize, positions: &[u32], scores: &[S]) {
        let size = LANES * scores.len().div_ceil(LANES * PARTS_MAX).max(1);
        let parts = scores.chunks(size).zip(positions.chunks(size));
        let most: Vec<S> = scores.chunks(size).filter_map(largest).collect();
        let least = reached(&most);
        for ((scores, positions), most) in parts.zip(most) {
            if least.is_some_and(|least| most < least) {
                continue;
            }
            for (score, position) in scores.iter().zip(positions) {
                if least.is_none_or(|least| *score >= least) {
                    self.scores.push(*score);
                    self.documents.push((view, *position));
                }
            }
        }
    }

    /// The place, from 1 on, of an entry that was added, given the number of the document at a
    /// position of a view; `None` behind the first `PLACES_MAX`.
    pub fn of(
        &self,
        (view, position): (usize, u32),
        score: S,
        ord_of: impl Fn(usize, u32) -> u64,
    ) -> Option<usize> {
        let (mut larger, mut equal) = (0u32, 0u32);
        for own in &self.scores {
            larger += u32::from(*own > score);
            equal += u32::from(*own == score);
        }
        let mut place = larger as usize + 1;
        if equal > 1 && place <= PLACES_MAX {
            let own = (view, ord_of(view, position));
            let equals = self.scores.iter().zip(&self.documents);
            let equals = equals.filter(|(other, _)| **other == score);
            let before = equals.filter(|(_, (view, at))| (*view, ord_of(*view, *at)) < own);
            place += before.count();
        }
        (equal > 0 && place <= PLACES_MAX).then_some(place)
    }
}

/// A score that `PLACES_MAX` entries reach, given the largest ones of the parts of their list:
/// what lies below is not among the first.
fn reached<S: Copy + PartialOrd>(most: &[S]) -> Option<S> {
    if most.len() < PLACES_MAX {
        return None;
    }
    let mut most = most.to_vec();
    let falling = |a: &S, b: &S| b.partial_cmp(a).unwrap_or(Ordering::Equal);
    let (_, least, _) = most.select_nth_unstable_by(PLACES_MAX - 1, falling);
    Some(*least)
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
        let mut places = Places::default();
        let mut sorted = Vec::new();
        for (view, length) in lengths.iter().enumerate() {
            let positions: Vec<u32> = (0..*length).map(|at| 2 * at).collect();
            let scores = positions.iter();
            let scores: Vec<f32> = scores
                .map(|_| (number(&mut seed) % different) as f32 / 7.0)
                .collect();
            places.add(view, &positions, &scores);
            sorted.extend(positions.iter().zip(&scores).map(|(p, s)| (*s, view, *p)));
        }
        sorted.sort_by(|(a, view, x), (b, other, y)| {
            let by_score = b.total_cmp(a).then(view.cmp(other));
            by_score.then(ord_of(*view, *x).cmp(&ord_of(*other, *y)))
        });
        for (at, (score, view, position)) in sorted.iter().enumerate() {
            let place = places.of((*view, *position), *score, ord_of);
            let expected = (at < PLACES_MAX).then_some(at + 1);
            assert_eq!(place, expected, "{seed} {lengths:?} {different} {at}");
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
