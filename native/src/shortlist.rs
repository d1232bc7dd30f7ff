//! As much of a fused list as its first documents need: documents that are no neighbours stand in
//! the order of their words, so the best by words and all neighbours hold them.

use crate::fuse::{Matches, Scale, View};
use crate::neighbors;
use crate::query::{Mode, Request};
use crate::sort;

/// A short list pays where so many match by words for each document in it.
const SHORTER: usize = 16;
/// Below, weights and scores by words may be lost in the rounding of a fused score.
const TINY: f64 = 1e-9;

struct Short {
    matches: Matches,
    /// How many the whole list has.
    total: usize,
}

/// The documents that feedback chooses from. Where V is only a first look, the cosines of the
/// first of T are computed, which may lie in the rest of V.
pub fn of_feedback(views: &[View], request: &Request) -> Vec<Matches> {
    let scale = Scale::of(views, request);
    let lists = views.iter().map(|view| {
        let most = match view.first_look {
            true => neighbors::FIRST_LOOK,
            false => neighbors::FEEDBACK_DOCUMENTS,
        };
        list(view, &scale, most, Vec::new()).matches
    });
    lists.collect()
}

/// The documents that a page and a model's order of the first ones need, and how many the whole
/// lists have. `None` where the whole list is counted, cut or sorted otherwise, or would hardly be
/// longer.
pub fn of_page(views: &[View], request: &Request) -> Option<(Vec<Matches>, usize)> {
    let scale = Scale::of(views, request);
    let needs_all = !request.facets.is_empty()
        || request.min_score.is_some()
        || request.after.is_some()
        || !sort::is_by_score(request);
    if needs_all
        || !views
            .iter()
            .all(|view| falls_with_words(view, &scale, request))
    {
        return None;
    }
    let reordered = request.rerank.map_or(0, |rerank| rerank.size);
    // One more tells whether the list goes on, and each added score may take one away.
    let most = (request.from + request.size).max(reordered) + 1 + request.added.len();
    let long = |view: &View| view.text.positions.len() >= SHORTER * (most + view.near.len());
    if !views.iter().any(long) {
        return None;
    }
    let lists = views.iter().map(|view| {
        let own = request.added.iter().filter(|added| added.index == view.id);
        let added = own.filter_map(|added| view.snapshot.position_of(added.ord));
        list(view, &scale, most, added.collect())
    });
    let lists: Vec<Short> = lists.collect();
    let total = lists.iter().map(|short| short.total).sum();
    let matches = lists.into_iter().map(|short| short.matches);
    Some((matches.collect(), total))
}

/// Whether of two documents that are no neighbours the one with the larger score by words has the
/// larger fused score.
fn falls_with_words(view: &View, scale: &Scale, request: &Request) -> bool {
    match request.mode {
        _ if scale.is_flat() || scale.by_rank() => false,
        Mode::Text => true,
        Mode::Hybrid => view.weights.text > TINY && f64::from(scale.max_text) > TINY,
        Mode::Vector => false,
    }
}

/// The first `most` of T, all of V, and those of `others` that are in either.
fn list(view: &View, scale: &Scale, most: usize, others: Vec<u32>) -> Short {
    let mut positions = others;
    positions.extend(sort::best(view, &view.text, most));
    positions.extend(view.near.iter().map(|pair| pair.0));
    positions.sort_unstable();
    positions.dedup();
    let mut short = Short {
        total: view.text.positions.len(),
        matches: Matches::default(),
    };
    for position in positions {
        let text = view.text.score_at(position);
        let near = view.cosine_at(position);
        let cosine = near.or_else(|| view.cosine_beyond(position));
        if text.is_some() || cosine.is_some() {
            let score = scale.score(view, text, cosine);
            short.matches.push(position, score);
        }
        short.total += usize::from(text.is_none() && cosine.is_some());
    }
    short
}
