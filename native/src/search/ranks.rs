//! What the places of documents in the lists of both legs are worth.

use crate::search::scale::Scale;
use crate::search::view::View;

/// The constant of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009).
const RRF_K: f64 = 60.0;

/// What the ranks of both legs over all views are worth: 1/(k + rank), per view in the order of T
/// and of V.
pub struct Ranks {
    pub(crate) text: Vec<Vec<f64>>,
    pub(crate) near: Vec<Vec<f64>>,
}

impl Ranks {
    /// The ranks of a search whose legs have run.
    pub fn of(views: &[View], scale: &Scale) -> Ranks {
        let mut text = Vec::new();
        let mut near = Vec::new();
        for (number, view) in views.iter().enumerate() {
            for (position, score) in view.text.positions.iter().zip(&view.text.scores) {
                text.push((f64::from(*score), number, *position));
            }
            for (position, cosine) in &view.near {
                // Cosines of different spaces compare by their normalised part only.
                let part = scale.parts(view, None, Some(*cosine)).1;
                near.push((part, number, *position));
            }
        }
        Ranks {
            text: reciprocals(views, text),
            near: reciprocals(views, near),
        }
    }

    /// The parts of both legs of a document of a view; 0 where a leg doesn't have it.
    pub fn parts(&self, views: &[View], number: usize, position: u32) -> (f64, f64) {
        let view = &views[number];
        let text = view.text.positions.binary_search(&position);
        let near = view.near.binary_search_by_key(&position, |pair| pair.0);
        (
            text.map_or(0.0, |at| self.text[number][at]),
            near.map_or(0.0, |at| self.near[number][at]),
        )
    }
}

/// 1/(k + rank) of each entry, per view, in the order given.
fn reciprocals(views: &[View], entries: Vec<(f64, usize, u32)>) -> Vec<Vec<f64>> {
    let mut order: Vec<(usize, u64)> = entries
        .iter()
        .enumerate()
        .map(|(at, (_, view, position))| (at, views[*view].snapshot.ord_of(*position)))
        .collect();
    order.sort_unstable_by(|(a, ord_a), (b, ord_b)| {
        let (a, b) = (&entries[*a], &entries[*b]);
        let by_score = b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        by_score.then(ord_a.cmp(ord_b))
    });
    let mut values = vec![0.0; entries.len()];
    for (rank, (at, _)) in order.iter().enumerate() {
        values[*at] = 1.0 / (RRF_K + 1.0 + rank as f64);
    }
    let mut per_view = vec![Vec::new(); views.len()];
    for (entry, value) in entries.iter().zip(values) {
        per_view[entry.1].push(value);
    }
    per_view
}
