//! What the places of documents in the lists of both legs are worth.

use std::cmp::Reverse;

use tantivy::f64_to_u64;

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
    // What they are sorted by stands in a row: to look it up would be to wait for memory at each comparison.
    let keyed = entries
        .iter()
        .enumerate()
        .map(|(at, (score, view, position))| {
            let ord = views[*view].snapshot.ord_of(*position);
            (Reverse(f64_to_u64(*score)), *view as u32, ord, at as u32)
        });
    let mut order: Vec<(Reverse<u64>, u32, u64, u32)> = keyed.collect();
    order.sort_unstable();
    let mut values = vec![0.0; entries.len()];
    for (rank, (.., at)) in order.iter().enumerate() {
        values[*at as usize] = 1.0 / (RRF_K + 1.0 + rank as f64);
    }
    let mut per_view = vec![Vec::new(); views.len()];
    for (entry, value) in entries.iter().zip(values) {
        per_view[entry.1].push(value);
    }
    per_view
}
