//! As much of a fused list as its first documents need: documents that are no neighbours stand in
//! the order of their words, so the best by words and all neighbours hold them. Where the list is
//! sorted by values alone, these are chosen before anything is scored.

use crate::search::matches::Matches;
use crate::search::placed_scores::{falling, PlacedScores};
use crate::search::query::{Mode, Request};
use crate::search::scale::Scale;
use crate::search::text::reach::TINY;
use crate::search::top;
use crate::search::view::View;

/// A short list pays where so many match by words for each document in it.
const SHORTER: usize = 16;

struct Short {
    matches: Matches,
    /// How many the whole list has.
    total: usize,
}

/// The documents that feedback chooses from, given the first of each view by their words: as many
/// as it chooses, or more.
pub fn of_feedback(views: &[View], request: &Request, by_words: &[Vec<u32>]) -> Vec<Matches> {
    let scale = Scale::of(views, request);
    let lists = views.iter().zip(by_words);
    let lists = lists.map(|(view, best)| list(view, &scale, best, &[]).matches);
    lists.collect()
}

/// The documents that a page and a model's order of the first ones need, and how many the whole
/// lists have. `None` where all scores decide, or the whole list would hardly be longer.
pub fn of_page(
    views: &[View],
    request: &Request,
    placed: &PlacedScores,
) -> Option<(Vec<Matches>, usize)> {
    let scale = Scale::of(views, request);
    if request.is_by_values() {
        let [view] = views else { return None };
        let chosen = view.text.chosen.as_ref()?;
        let short = list(view, &scale, chosen, placed.in_view(0));
        return Some((vec![short.matches], short.total));
    }
    if request.lists_all()
        || !views
            .iter()
            .all(|view| falls_with_words(view, &scale, request))
    {
        return None;
    }
    let first = request.first();
    let with_most = |(number, view)| {
        let added = placed.in_view(number);
        (view, added, first + falling(added))
    };
    let views = views.iter().enumerate().map(with_most);
    let long = |(view, _, most): (&View, _, usize)| {
        view.text.is_partial() || view.text.total >= SHORTER * (most + view.near.len())
    };
    if !views.clone().any(long) {
        return None;
    }
    let lists = views.map(|(view, added, most)| {
        let best = top::best(view, &view.text, most);
        list(view, &scale, &best, added)
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

/// The `best` of T, all of V, and those of `added` that are in either.
fn list(view: &View, scale: &Scale, best: &[u32], added: &[(u32, f64)]) -> Short {
    let room = view.near.len() + added.len() + best.len();
    let mut positions = Vec::with_capacity(room);
    positions.extend(view.near.iter().map(|pair| pair.0));
    positions.extend(added.iter().map(|pair| pair.0));
    positions.extend(best);
    // Stable: that finds the parts that are in order already.
    positions.sort();
    positions.dedup();
    let mut short = Short {
        total: view.text.total,
        matches: Matches::with_room(positions.len()),
    };
    let mut near = view.near.iter().copied().peekable();
    for position in positions {
        let text = view.text.score_at(position);
        let near = near.next_if(|pair| pair.0 == position);
        let cosine = near.map(|pair| pair.1);
        if text.is_some() || cosine.is_some() {
            let score = scale.score(view, text, cosine);
            short.matches.push(position, score);
        }
        short.total += usize::from(text.is_none() && cosine.is_some());
    }
    short
}
