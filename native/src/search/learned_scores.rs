//! What added scores do: put on top of the fused scores.

use crate::search::matches::Matches;
use crate::search::placed_scores::PlacedScores;
use crate::search::query::Request;
use crate::search::scale::Scale;
use crate::search::view::View;

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
