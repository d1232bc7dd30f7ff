//! Added scores: what was learned of single documents, on top of the fused score.

use crate::failure::Failure;
use crate::fuse::{Matches, Scale, View};
use crate::query::Request;

/// Most documents whose scores one search may add to.
pub const ADDED_MAX: usize = 4096;

/// A document that gets as much as this is pinned: not even a model moves it from its place.
pub const PINNED: f64 = 1000.0;

/// What one document's score gets on top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// The index of the document.
    pub index: u64,
    /// Its document number.
    pub ord: u64,
    /// What is added; 1 is the span of the fused score (`Scale::span`).
    pub value: f64,
}

impl Added {
    /// Reads (index, ord, value) triples; BAD_REQUEST for anything else.
    pub fn read(triples: &[f64]) -> Result<Vec<Added>, Failure> {
        if triples.len() > 3 * ADDED_MAX {
            let message = format!("at most {ADDED_MAX} documents may get an added score");
            return Err(Failure::bad_request(message));
        }
        let whole = |value: f64| value >= 0.0 && value.fract() == 0.0;
        let read = triples.chunks(3).map(|triple| match *triple {
            [index, ord, value] if whole(index) && whole(ord) && value.is_finite() => Ok(Added {
                index: index as u64,
                ord: ord as u64,
                value,
            }),
            _ => Err(Failure::bad_request(
                "added scores are triples of an index, a document number and a finite number",
            )),
        });
        read.collect()
    }
}

/// What the documents of each view get, looked up once a search.
#[derive(Default)]
pub struct Additions {
    views: Vec<Vec<(u32, f64)>>,
}

impl Additions {
    /// The values of a request; documents that no view has are passed over.
    pub fn of(views: &[View], request: &Request) -> Additions {
        if request.added.is_empty() {
            return Additions::default();
        }
        let placed = views.iter().map(|view| {
            let own = request.added.iter().filter(|added| added.index == view.id);
            let mut placed: Vec<(u32, f64)> = Vec::with_capacity(request.added.len());
            placed.extend(own.filter_map(|added| {
                let position = view.snapshot.position_of(added.ord)?;
                Some((position, added.value))
            }));
            // Stable: the values of one document are summed in the order they came.
            placed.sort_by_key(|(position, _)| *position);
            placed.dedup_by(|next, first| {
                let same = next.0 == first.0;
                first.1 += if same { next.1 } else { 0.0 };
                same
            });
            placed
        });
        Additions {
            views: placed.collect(),
        }
    }

    /// Whether no document gets anything.
    pub fn is_empty(&self) -> bool {
        self.views.iter().all(Vec::is_empty)
    }

    /// The positions in a view, ascending, and the sum of the values of each.
    pub fn in_view(&self, view: usize) -> &[(u32, f64)] {
        self.views.get(view).map_or(&[], Vec::as_slice)
    }
}

/// What one document of the match set got.
#[derive(Debug, Clone, Copy)]
pub struct Learned {
    /// Its position in the view.
    pub position: u32,
    /// The sum of the values that were passed for it.
    pub value: f64,
    /// What that made on the scale of the score.
    pub amount: f64,
    /// Its fused score without it.
    pub fused: f64,
}

/// The documents of the match sets that got something, per view, positions ascending.
#[derive(Default)]
pub struct LearnedScores {
    views: Vec<Vec<Learned>>,
}

impl LearnedScores {
    /// Adds to the scores of the match sets; documents outside of them are passed over.
    pub fn add(
        views: &[View],
        request: &Request,
        additions: &Additions,
        matches: &mut [Matches],
    ) -> LearnedScores {
        if additions.is_empty() {
            return LearnedScores::default();
        }
        let span = Scale::of(views, request).span(matches);
        let learned = matches.iter_mut().enumerate().map(|(number, matches)| {
            let placed = additions.in_view(number);
            let mut learned = Vec::with_capacity(placed.len());
            learned.extend(placed.iter().filter_map(|&(position, value)| {
                let at = matches.positions.binary_search(&position).ok()?;
                let fused = matches.scores[at];
                let amount = value * span;
                matches.scores[at] += amount;
                Some(Learned {
                    position,
                    value,
                    amount,
                    fused,
                })
            }));
            learned
        });
        LearnedScores {
            views: learned.collect(),
        }
    }

    /// What a document got, if it did.
    pub fn of(&self, view: usize, position: u32) -> Option<&Learned> {
        let own = self.views.get(view)?;
        let at = own.binary_search_by_key(&position, |learned| learned.position);
        at.ok().map(|at| &own[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_triples_of_sound_numbers_are_read() {
        let read = Added::read(&[1.0, 7.0, 0.5]).unwrap();
        assert_eq!((read[0].index, read[0].ord, read[0].value), (1, 7, 0.5));
        for bad in [
            &[1.0, 7.0][..],
            &[1.0, 7.5, 0.1],
            &[-1.0, 7.0, 0.1],
            &[1.0, 7.0, f64::NAN],
            &[f64::NAN, 7.0, 0.1],
        ] {
            let failure = Added::read(bad).unwrap_err();
            assert_eq!(failure.code.word(), "BAD_REQUEST", "{bad:?}");
        }
        assert!(Added::read(&vec![1.0; 3 * ADDED_MAX]).is_ok());
        assert!(Added::read(&vec![1.0; 3 * ADDED_MAX + 3]).is_err());
    }
}
