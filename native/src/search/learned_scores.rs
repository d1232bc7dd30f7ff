//! What added scores do: looked up in the views of a search, and put on top of the fused scores.

use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::search::matches::Matches;
use crate::search::query::Request;
use crate::search::scale::Scale;
use crate::search::view::View;

/// The added scores by view and position, looked up once a search.
#[derive(Default)]
pub struct PlacedScores {
    views: Vec<Vec<(u32, f64)>>,
}

impl PlacedScores {
    /// The values of a request in the indices that it searches; documents that no view has are passed over.
    pub fn of(snapshots: &[(u64, Arc<Snapshot>)], request: &Request) -> PlacedScores {
        if request.added.is_empty() {
            return PlacedScores::default();
        }
        let placed = snapshots.iter().map(|(id, snapshot)| {
            let own = request.added.iter().filter(|added| added.index == *id);
            let mut placed: Vec<(u32, f64)> = Vec::with_capacity(request.added.len());
            placed.extend(own.filter_map(|added| {
                let position = snapshot.position_of(added.ord)?;
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
        PlacedScores {
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

/// How many of the first by words may fall behind others for what is added to them. What rises, or
/// stays, still stands before all that stood behind it.
pub fn falling(placed: &[(u32, f64)]) -> usize {
    placed.iter().filter(|(_, value)| *value < 0.0).count()
}

/// What one document of the match set got.
#[derive(Debug, Clone, Copy)]
pub struct LearnedScore {
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
    views: Vec<Vec<LearnedScore>>,
}

impl LearnedScores {
    /// Adds to the scores of the match sets; documents outside of them are passed over.
    pub fn add(
        views: &[View],
        request: &Request,
        placed: &PlacedScores,
        matches: &mut [Matches],
    ) -> LearnedScores {
        if placed.is_empty() {
            return LearnedScores::default();
        }
        let span = Scale::of(views, request).span(matches);
        let learned = matches.iter_mut().enumerate().map(|(number, matches)| {
            let own = placed.in_view(number);
            let mut learned = Vec::with_capacity(own.len());
            learned.extend(own.iter().filter_map(|&(position, value)| {
                let at = matches.positions.binary_search(&position).ok()?;
                let fused = matches.scores[at];
                let amount = value * span;
                matches.scores[at] += amount;
                Some(LearnedScore {
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
    pub fn of(&self, view: usize, position: u32) -> Option<&LearnedScore> {
        let own = self.views.get(view)?;
        let at = own.binary_search_by_key(&position, |learned| learned.position);
        at.ok().map(|at| &own[at])
    }
}
