//! The fusion of both legs into match sets, by scores or by ranks.

use std::ops::Range;

use crate::search::matches::Matches;
use crate::search::query::Request;
use crate::search::ranks::Ranks;
use crate::search::scale::Scale;
use crate::search::text::text_matches::TextMatches;
use crate::search::view::View;

/// The match sets M of all views with their scores.
pub fn fuse(views: &[View], request: &Request) -> Vec<Matches> {
    let scale = Scale::of(views, request);
    if scale.by_rank() {
        return fuse_ranks(views, &scale);
    }
    views
        .iter()
        .map(|view| {
            let TextMatches {
                positions, scores, ..
            } = &view.text;
            let room = positions.len() + view.near.len();
            let mut matches = Matches::with_room(room);
            // Between two neighbours stand matches by words alone, many at a time.
            let words_only = |range: Range<usize>, matches: &mut Matches| {
                matches.positions.extend(&positions[range.clone()]);
                let scores = scores[range].iter();
                let fused = scores.map(|score| scale.score(view, Some(*score), None));
                matches.scores.extend(fused);
            };
            let mut from = 0;
            for (position, cosine) in &view.near {
                let at = from + positions[from..].partition_point(|other| other < position);
                words_only(from..at, &mut matches);
                let text = positions.get(at).filter(|other| *other == position);
                let text = text.map(|_| scores[at]);
                matches.push(*position, scale.score(view, text, Some(*cosine)));
                from = at + usize::from(text.is_some());
            }
            words_only(from..positions.len(), &mut matches);
            matches
        })
        .collect()
}

/// Reciprocal rank fusion over all views.
fn fuse_ranks(views: &[View], scale: &Scale) -> Vec<Matches> {
    let ranks = Ranks::of(views, scale);
    let both = views.iter().zip(ranks.text.iter().zip(&ranks.near));
    both.map(|(view, (text, near))| {
        let mut matches = Matches::default();
        let (mut text, mut near) = (text.iter(), near.iter());
        union(view, |position, in_text, in_near| {
            let mut score = 0.0;
            if in_text.is_some() {
                score += view.weights.text * text.next().copied().unwrap_or(0.0);
            }
            if in_near.is_some() {
                score += view.weights.vector * near.next().copied().unwrap_or(0.0);
            }
            matches.push(position, score);
        });
        matches
    })
    .collect()
}

/// Calls `each` for every document of T ∪ V, positions ascending.
fn union(view: &View, mut each: impl FnMut(u32, Option<f32>, Option<f32>)) {
    let mut near = view.near.iter().copied().peekable();
    for (position, score) in view.text.positions.iter().zip(&view.text.scores) {
        while let Some((other, cosine)) = near.next_if(|pair| pair.0 < *position) {
            each(other, None, Some(cosine));
        }
        let cosine = near.next_if(|pair| pair.0 == *position).map(|pair| pair.1);
        each(*position, Some(*score), cosine);
    }
    near.for_each(|(position, cosine)| each(position, None, Some(cosine)));
}
