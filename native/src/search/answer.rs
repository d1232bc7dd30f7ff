//! The answer to a search as it goes back over the wall.

use crate::search::text::kept::Kept;

/// The answer to a search: flat lists, one entry (of `parts` four) per hit.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The index of each hit.
    pub ids: Vec<u64>,
    /// The document number of each hit.
    pub ords: Vec<u64>,
    /// The final score of each hit.
    pub scores: Vec<f64>,
    /// Per hit: BM25 and cosine (NaN where the document is outside that leg), then what
    /// each leg gives, normalised to 0 … 1, before its weight.
    pub parts: Vec<f32>,
    /// Exact size of the match set.
    pub total: u64,
    /// What the searched indices keep of the query's words.
    pub kept: Kept,
    /// Position behind the last hit; absent when the list has ended.
    pub next: Option<String>,
    /// Facets as JSON.
    pub facets: Option<String>,
    /// Reasons as JSON, one per hit.
    pub explain: Option<Vec<String>>,
    /// Features (`features::NAMES`) of each hit, when they were asked for.
    pub features: Option<Vec<f32>>,
    /// What the model gave each hit, NaN behind those that it ordered; absent when none did.
    pub model_scores: Option<Vec<f32>>,
    /// What the shadow model gives each hit.
    pub shadow_scores: Option<Vec<f32>>,
    /// The model that was to order the hits could not.
    pub rerank_failed: bool,
}
