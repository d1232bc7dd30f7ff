//! Match sets: the documents that a search finds, by view.

use std::ops::Range;

use crate::engine::snapshot::Snapshot;

/// The match set of one view: positions ascending, with their final scores.
#[derive(Default, Debug)]
pub struct Matches {
    /// Global positions.
    pub positions: Vec<u32>,
    /// Final scores.
    pub scores: Vec<f64>,
}

impl Matches {
    /// An empty one with room for so many.
    pub(crate) fn with_room(room: usize) -> Matches {
        Matches {
            positions: Vec::with_capacity(room),
            scores: Vec::with_capacity(room),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, position: u32, score: f64) {
        self.positions.push(position);
        self.scores.push(score);
    }

    /// Leaves out what scores less.
    pub(crate) fn keep_from(&mut self, least: f64) {
        let mut scores = self.scores.iter();
        self.positions
            .retain(|_| scores.next().is_some_and(|s| *s >= least));
        self.scores.retain(|score| *score >= least);
    }

    /// The numbers of the entries in each segment.
    pub fn by_segment<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        by_segment(&self.positions, snapshot)
    }
}

/// The numbers of the entries of an ascending list of positions in each segment.
pub fn by_segment<'a>(
    positions: &'a [u32],
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    let mut start = 0;
    snapshot
        .segments
        .iter()
        .enumerate()
        .map(move |(i, segment)| {
            let end = segment.base + segment.reader.max_doc();
            let length = positions[start..].partition_point(|p| *p < end);
            let range = start..start + length;
            start += length;
            (i, range)
        })
}
