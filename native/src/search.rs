//! One search: both legs over every view, their fusion into match sets, and a page of them.

pub mod added_scores;
pub mod answer;
pub mod deadline;
pub mod explain;
pub mod facet;
pub mod features;
pub mod filter;
pub mod fuse;
pub mod highlight;
pub mod learned_scores;
pub mod matches;
pub mod neighbors;
pub mod placed_scores;
pub mod places;
pub mod query;
pub mod ranks;
pub mod rerank;
pub mod scale;
pub mod shares;
pub mod shortlist;
pub mod sort;
pub mod sort_key;
pub mod suggest;
pub mod text;
pub mod top;
pub mod view;

use std::borrow::Cow;
use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::answer::Answer;
use crate::search::fuse::fuse;
use crate::search::learned_scores::LearnedScores;
use crate::search::placed_scores::PlacedScores;
use crate::search::query::{Fusion, Request};
use crate::search::rerank::Reranked;
use crate::search::scale::Scale;
use crate::search::sort::Hit;
use crate::search::text::score;
use crate::search::view::{FirstByValues, View};

/// Answers a request over one or several indices. `vector` is the query's own vector, from outside.
pub fn search(
    snapshots: &[(u64, Arc<Snapshot>)],
    request: &Request,
    vector: Option<&[f32]>,
) -> Result<Answer, Failure> {
    let mut views = Vec::with_capacity(snapshots.len());
    let placed = PlacedScores::of(snapshots, request);
    let alone = (snapshots.len() == 1).then_some(sort::first_by_values as FirstByValues);
    for (place, (id, snapshot)) in snapshots.iter().enumerate() {
        let places = request.vector_in.as_ref();
        let own = vector.filter(|_| places.is_none_or(|places| places.contains(&place)));
        let own = (own, placed.in_view(place));
        views.push(View::open(*id, snapshot, request, own, alone)?);
    }
    if request.feeds_back() {
        feed_back(&mut views, request)?;
    }
    // A short list is too short for facets: these count what the views found, and nothing will be cut from that.
    let (mut matches, known_total) = match shortlist::of_page(&views, request, &placed) {
        Some((short, total)) => (short, Some(total)),
        None => (fuse(&views, request), None),
    };
    let learned = LearnedScores::add(&views, request, &placed, &mut matches);
    if let Some(least) = request.min_score {
        matches.iter_mut().for_each(|m| m.keep_from(least));
    }
    let reranked = Reranked::rerank(&views, &learned, request, &mut matches);
    let page = sort::page(&views, &matches, request)?;
    let facets = match known_total {
        _ if request.facets.is_empty() => None,
        Some(_) => {
            let found: Vec<Cow<[u32]>> = views.iter().map(View::found).collect();
            Some(facet::facets(&views, &found, &request.facets)?)
        }
        None => {
            let listed = matches.iter().map(|m| Cow::from(&m.positions));
            let listed: Vec<Cow<[u32]>> = listed.collect();
            Some(facet::facets(&views, &listed, &request.facets)?)
        }
    };
    let explain = match request.explain {
        true => {
            let mut reasons = explain::explain(&views, &page.hits, request)?;
            explain::add_learned(&mut reasons, &page.hits, &learned, &reranked);
            Some(reasons.into_iter().map(|r| r.to_string()).collect())
        }
        false => None,
    };
    let listed = matches.iter().map(|m| m.positions.len());
    let total = known_total.unwrap_or_else(|| listed.sum::<usize>()) as u64;
    let mut answer = Answer {
        next: page.next,
        facets,
        explain,
        ..answer(&views, request, &page.hits, total)
    };
    reranked.describe(&views, &learned, request, &page.hits, &mut answer)?;
    views
        .into_iter()
        .for_each(|view| score::give_back(view.text, view.matched));
    Ok(answer)
}

/// Moves each view's vector towards its first documents, by which what matches is ranked then.
fn feed_back(views: &mut [View], request: &Request) -> Result<(), Failure> {
    if views.iter().all(|view| view.vector.is_none()) {
        return Ok(());
    }
    let best = |view: &View| top::best(view, &view.text, neighbors::RANKED_OF_WORDS);
    let by_words: Vec<Vec<u32>> = views.iter().map(best).collect();
    let first = match request.fusion {
        Fusion::Convex => shortlist::of_feedback(views, request, &by_words),
        Fusion::Rrf => fuse(views, request),
    };
    for ((view, matches), by_words) in views.iter_mut().zip(&first).zip(&by_words) {
        deadline::look()?;
        let Some(vector) = &view.vector else { continue };
        let documents = top::best(view, matches, neighbors::FEEDBACK_DOCUMENTS);
        let moved = neighbors::feedback(view.snapshot, vector, &documents);
        if let Some(moved) = moved {
            view.rank_by(moved, by_words);
        }
    }
    Ok(())
}

fn answer(views: &[View], request: &Request, hits: &[Hit], total: u64) -> Answer {
    let scale = Scale::of(views, request);
    let mut answer = Answer {
        total,
        kept: views.iter().map(|view| view.kept).max().unwrap_or_default(),
        ..Answer::default()
    };
    for hit in hits {
        let view = &views[hit.view];
        let text = view.text.score_at(hit.position);
        let cosine = view.cosine_at(hit.position);
        let (text_part, vector_part) = scale.parts(view, text, cosine);
        answer.ids.push(view.id);
        answer.ords.push(hit.ord);
        answer.scores.push(hit.score);
        answer.parts.extend([
            text.unwrap_or(f32::NAN),
            cosine.unwrap_or(f32::NAN),
            text_part as f32,
            vector_part as f32,
        ]);
    }
    answer
}
