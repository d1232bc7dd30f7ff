//! Where the documents stand that added scores are for.

use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::search::query::Request;

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
