//! A model's order of the first hits.
//!
//! The first documents of the list exchange their places and nothing else: each takes the score that belonged to its new
//! place; pinned ones stay where they are. So totals, facets and the rest of the list stay as they are, and pages by
//! number or by position stay exact.

use std::cmp::Ordering;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use crate::failure::Failure;
use crate::model::{self, Ranker};
use crate::search::added_scores::PINNED;
use crate::search::answer::Answer;
use crate::search::features::{self, Subject, NAMES};
use crate::search::learned_scores::LearnedScores;
use crate::search::matches::Matches;
use crate::search::query::Request;
use crate::search::sort::Hit;
use crate::search::top::{self, Placed};
use crate::search::view::View;

/// One document that a model placed.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    view: usize,
    position: u32,
    /// What the model gave it.
    pub model: f32,
    /// The number of its row of features.
    row: usize,
}

/// The documents that a model placed.
#[derive(Default)]
pub struct Reranked {
    /// Sorted by view and position.
    candidates: Vec<Candidate>,
    features: Vec<f32>,
    failed: bool,
}

impl Reranked {
    /// Lets the model of a request order the first documents of the match sets. A search never
    /// fails for a model: when it can't be asked, nothing moves.
    pub fn rerank(
        views: &[View],
        learned: &LearnedScores,
        request: &Request,
        matches: &mut [Matches],
    ) -> Reranked {
        let Some(wanted) = request.rerank.filter(|_| request.is_by_score()) else {
            return Reranked::default();
        };
        let mut reorder = || -> Result<Reranked, Failure> {
            let model = model::get(wanted.model);
            let model = model.ok_or_else(|| Failure::bad_request("no such model"))?;
            order(views, learned, request, &model, wanted.size, matches)
        };
        reorder().unwrap_or_else(|_| Reranked {
            failed: true,
            ..Reranked::default()
        })
    }

    /// What the model said of a document, if it was among the first.
    pub fn of(&self, view: usize, position: u32) -> Option<&Candidate> {
        let key = (view, position);
        let found = self.candidates.binary_search_by_key(&key, Candidate::key);
        found.ok().map(|at| &self.candidates[at])
    }

    /// Adds features and the scores of models to an answer, as far as they are wanted.
    pub fn describe(
        &self,
        views: &[View],
        learned: &LearnedScores,
        request: &Request,
        hits: &[Hit],
        answer: &mut Answer,
    ) -> Result<(), Failure> {
        answer.rerank_failed = self.failed;
        if request.rerank.is_some() && !self.failed && request.is_by_score() {
            let scores = hits.iter().map(|hit| {
                let candidate = self.of(hit.view, hit.position);
                candidate.map_or(f32::NAN, |candidate| candidate.model)
            });
            answer.model_scores = Some(scores.collect());
        }
        let shadow = request.shadow.and_then(model::get);
        if !request.features && shadow.is_none() {
            return Ok(());
        }
        let rows = self.rows_of(views, learned, request, hits)?;
        answer.shadow_scores = shadow.and_then(|model| ask(&model, &rows).ok());
        answer.features = request.features.then_some(rows);
        Ok(())
    }

    /// The features of hits; those of the first documents are known already.
    fn rows_of(
        &self,
        views: &[View],
        learned: &LearnedScores,
        request: &Request,
        hits: &[Hit],
    ) -> Result<Vec<f32>, Failure> {
        let known: Vec<Option<&Candidate>> = hits
            .iter()
            .map(|hit| self.of(hit.view, hit.position))
            .collect();
        let others = hits.iter().zip(&known).filter(|(_, known)| known.is_none());
        let others: Vec<Subject> = others
            .map(|(hit, _)| subject(learned, hit.view, hit.position, hit.score))
            .collect();
        let fresh = match others.as_slice() {
            [] => Vec::new(),
            others => features::rows(views, learned, request, others)?,
        };
        let mut fresh = fresh.chunks_exact(NAMES.len());
        let mut rows = Vec::with_capacity(hits.len() * NAMES.len());
        for known in known {
            rows.extend_from_slice(match known {
                Some(known) => &self.features[known.row * NAMES.len()..][..NAMES.len()],
                None => fresh.next().unwrap_or_default(),
            });
        }
        Ok(rows)
    }
}

impl Candidate {
    fn key(&self) -> (usize, u32) {
        (self.view, self.position)
    }
}

fn subject(learned: &LearnedScores, view: usize, position: u32, score: f64) -> Subject {
    let own = learned.of(view, position);
    Subject {
        view,
        position,
        fused: own.map_or(score, |own| own.fused),
    }
}

/// The scores of rows by a model; one that panics or gives no numbers fails like any other.
fn ask(model: &Arc<Ranker>, rows: &[f32]) -> Result<Vec<f32>, Failure> {
    let asked = catch_unwind(AssertUnwindSafe(|| model.score(rows)));
    let scores = asked.unwrap_or_else(|_| Err(Failure::internal("the model stopped halfway")))?;
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(Failure::internal(
            "the model gave something else than numbers",
        ));
    }
    Ok(scores)
}

fn order(
    views: &[View],
    learned: &LearnedScores,
    request: &Request,
    model: &Arc<Ranker>,
    size: usize,
    matches: &mut [Matches],
) -> Result<Reranked, Failure> {
    let mut first = top::first(views, matches.iter(), size + 1);
    let behind = if first.len() > size {
        first.pop()
    } else {
        None
    };
    let subjects = first
        .iter()
        .map(|placed| subject(learned, placed.view, placed.position, placed.score));
    let subjects: Vec<Subject> = subjects.collect();
    let features = features::rows(views, learned, request, &subjects)?;
    let scores = ask(model, &features)?;
    let mut chosen: Vec<usize> = (0..first.len()).collect();
    let is_pinned = |placed: &&Placed| {
        let own = learned.of(placed.view, placed.position);
        own.is_some_and(|own| own.value >= PINNED)
    };
    let pinned = first.iter().take_while(is_pinned).count();
    // Stable: what the model finds equal keeps its order.
    chosen[pinned..].sort_by(|a, b| {
        scores[*b]
            .partial_cmp(&scores[*a])
            .unwrap_or(Ordering::Equal)
    });
    let places = strictly_falling(&first, behind.map(|placed| placed.score));
    for (row, place) in chosen.iter().zip(&places) {
        let placed = &first[*row];
        let matches = &mut matches[placed.view];
        if let Ok(at) = matches.positions.binary_search(&placed.position) {
            matches.scores[at] = *place;
        }
    }
    let candidates = first.iter().zip(&scores).enumerate();
    let mut candidates: Vec<Candidate> = candidates
        .map(|(row, (placed, model))| Candidate {
            view: placed.view,
            position: placed.position,
            model: *model,
            row,
        })
        .collect();
    candidates.sort_unstable_by_key(Candidate::key);
    Ok(Reranked {
        candidates,
        features,
        failed: false,
    })
}

/// The scores of the first places, made different where they were equal: each is at least the next
/// larger float above the one behind it, so that nothing falls behind the rest of the list.
fn strictly_falling(first: &[Placed], behind: Option<f64>) -> Vec<f64> {
    let mut least = behind.map_or(f64::NEG_INFINITY, f64::next_up);
    let mut scores: Vec<f64> = first
        .iter()
        .rev()
        .map(|placed| {
            let score = placed.score.max(least);
            least = score.next_up();
            score
        })
        .collect();
    scores.reverse();
    scores
}
