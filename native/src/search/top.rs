//! The first documents of long lists, by score.

use std::cmp::Ordering;

use crate::search::matches::{by_segment, Matches};
use crate::search::text::text_matches::{largest, TextMatches};
use crate::search::view::View;

/// Entries of a list that are passed over together.
const BLOCK: usize = 64;

/// A document of one view with its score.
pub struct Scored {
    /// Its score.
    pub score: f64,
    /// Its document number.
    pub ord: u64,
    /// Its position in the view.
    pub position: u32,
}

impl Scored {
    fn rank(&self, other: &Scored) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.ord.cmp(&other.ord))
    }
}

/// The first `size` of what is pushed, by score, then ord.
pub struct Top {
    size: usize,
    /// A score that `size` known ones reach.
    pub floor: f64,
    /// The ord up to which they have those of just this score.
    last: u64,
    found: Vec<Scored>,
}

impl Top {
    /// Nothing is pushed yet.
    pub fn new(size: usize) -> Top {
        Top {
            size,
            floor: if size == 0 {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            },
            last: u64::MAX,
            found: Vec::new(),
        }
    }

    /// Takes a document, which may fall out again.
    #[inline]
    pub fn push(&mut self, scored: Scored) {
        // Where all score the same, nearly all of them end here.
        let is_tie = scored.score.to_bits() == self.floor.to_bits();
        let is_behind = is_tie && scored.ord > self.last;
        if scored.score < self.floor || is_behind || self.size == 0 {
            return;
        }
        self.found.push(scored);
        if self.found.len() >= 2 * self.size + 32 {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if self.found.len() > self.size {
            self.found
                .select_nth_unstable_by(self.size - 1, Scored::rank);
            self.found.truncate(self.size);
            let worst = &self.found[self.size - 1];
            (self.floor, self.last) = (worst.score, worst.ord);
        }
    }

    /// The first ones, in no order.
    pub fn finish(mut self) -> Vec<Scored> {
        if self.size > 0 {
            self.prune();
        }
        self.found
    }
}

/// A list of documents with scores, positions ascending.
pub trait Ranked {
    /// What a document scores.
    type Score: Copy + PartialOrd + Into<f64>;
    /// The positions.
    fn positions(&self) -> &[u32];
    /// The score of each.
    fn scores(&self) -> &[Self::Score];
}

impl Ranked for Matches {
    type Score = f64;
    fn positions(&self) -> &[u32] {
        &self.positions
    }
    fn scores(&self) -> &[f64] {
        &self.scores
    }
}

impl Ranked for TextMatches {
    type Score = f32;
    fn positions(&self) -> &[u32] {
        &self.positions
    }
    fn scores(&self) -> &[f32] {
        &self.scores
    }
}

/// The first `size` documents of one view by score, then ord: their positions, in that order.
pub fn best(view: &View, list: &impl Ranked, size: usize) -> Vec<u32> {
    let mut found = top(view, list, size).finish();
    found.sort_unstable_by(Scored::rank);
    found.into_iter().map(|scored| scored.position).collect()
}

fn top(view: &View, list: &impl Ranked, size: usize) -> Top {
    let (positions, scores) = (list.positions(), list.scores());
    let mut top = Top::new(size);
    for (segment, range) in by_segment(positions, view.snapshot) {
        let segment = &view.snapshot.segments[segment];
        let blocks = scores[range.clone()].chunks(BLOCK);
        for (scores, positions) in blocks.zip(positions[range].chunks(BLOCK)) {
            // Most blocks of a long list hold nothing of its first documents.
            if largest(scores).is_none_or(|most| most.into() < top.floor) {
                continue;
            }
            for (score, position) in scores.iter().zip(positions) {
                let score = (*score).into();
                if score >= top.floor {
                    let ord = segment.numbers.ords[(position - segment.base) as usize];
                    top.push(Scored {
                        score,
                        ord,
                        position: *position,
                    });
                }
            }
        }
    }
    top
}

/// A document in a list over several views.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Number of its view.
    pub view: usize,
    /// Its position in the view.
    pub position: u32,
    /// Its score.
    pub score: f64,
}

/// The first `size` documents of the lists of all views by score, then view, then ord.
pub fn first<'a, L: Ranked + 'a>(
    views: &[View],
    lists: impl Iterator<Item = &'a L>,
    size: usize,
) -> Vec<Placed> {
    let mut found: Vec<(usize, Scored)> = Vec::new();
    for (number, (view, list)) in views.iter().zip(lists).enumerate() {
        let own = top(view, list, size).finish().into_iter();
        found.extend(own.map(|scored| (number, scored)));
    }
    found.sort_unstable_by(|(view, a), (other, b)| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(view.cmp(other)).then(a.ord.cmp(&b.ord))
    });
    found.truncate(size);
    let placed = found.into_iter().map(|(view, scored)| Placed {
        view,
        position: scored.position,
        score: scored.score,
    });
    placed.collect()
}
