//! The scale of a search's scores: what brings both legs to 0 … 1, and their weighted sum.

use crate::search::matches::Matches;
use crate::search::query::{Fusion, Mode, Request};
use crate::search::view::View;

/// What normalises the parts of a score.
pub struct Scale {
    mode: Mode,
    fusion: Fusion,
    /// Nothing was asked: every document has score 1.
    everything: bool,
    /// The largest b(d) of all views.
    pub max_text: f32,
}

impl Scale {
    /// The scale of a search whose legs have run.
    pub fn of(views: &[View], request: &Request) -> Scale {
        let asked = views.iter().any(|view| view.vector.is_some());
        Scale {
            mode: request.mode,
            fusion: request.fusion,
            everything: request.is_empty_query() && !asked,
            max_text: views.iter().map(|v| v.text.max()).fold(0.0, f32::max),
        }
    }

    /// Whether every document scores the same.
    pub(crate) fn is_flat(&self) -> bool {
        self.everything
    }

    /// Whether ranks are fused, not scores.
    pub(crate) fn by_rank(&self) -> bool {
        self.fusion == Fusion::Rrf && self.mode == Mode::Hybrid && !self.everything
    }

    /// How far fused scores reach, given the match sets: what an added score of 1 is worth.
    pub fn span(&self, matches: &[Matches]) -> f64 {
        match self.mode {
            _ if self.everything => 1.0,
            Mode::Text => f64::from(self.max_text),
            Mode::Hybrid if self.by_rank() => {
                let scores = matches.iter().flat_map(|m| &m.scores);
                scores.copied().fold(0.0, f64::max)
            }
            Mode::Vector | Mode::Hybrid => 1.0,
        }
    }

    /// The parts of both legs, normalised to 0 … 1.
    #[inline]
    pub fn parts(&self, view: &View, text: Option<f32>, cosine: Option<f32>) -> (f64, f64) {
        let text = match text {
            Some(score) if self.max_text > 0.0 => f64::from(score) / f64::from(self.max_text),
            _ => 0.0,
        };
        let vector = match cosine {
            Some(cosine) => {
                let above = f64::from(cosine) - f64::from(view.cut);
                let most = f64::from(view.max_cosine) - f64::from(view.cut);
                if most > 0.0 {
                    (above / most).max(0.0)
                } else {
                    0.0
                }
            }
            None => 0.0,
        };
        (text, vector)
    }

    /// The fused score of a document, given its score by words and its cosine.
    #[inline]
    pub(crate) fn score(&self, view: &View, text: Option<f32>, cosine: Option<f32>) -> f64 {
        match self.mode {
            _ if self.everything => 1.0,
            Mode::Text => f64::from(text.unwrap_or(0.0)),
            Mode::Vector => f64::from(cosine.unwrap_or(0.0)),
            Mode::Hybrid => {
                let (text, vector) = self.parts(view, text, cosine);
                view.weights.text * text + view.weights.vector * vector
            }
        }
    }
}
