//! One search: both legs over every view, their fusion into one match set, and a page of it.

use std::ops::Range;
use std::sync::Arc;

use crate::added::{Additions, LearnedScores};
use crate::bits::Bits;
use crate::explain;
use crate::facet;
use crate::failure::Failure;
use crate::filter;
use crate::matched::Matched;
use crate::neighbors;
use crate::plan;
use crate::query::{Answer, Fusion, Mode, Request, Weights};
use crate::rerank::Reranked;
use crate::score::{self, TextMatches};
use crate::segment::NONE;
use crate::shortlist;
use crate::snapshot::Snapshot;
use crate::sort::{self, Hit};

/// The constant of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009).
const RRF_K: f64 = 60.0;

/// One index within a search, with what its two legs found.
pub struct View<'a> {
    /// The index.
    pub id: u64,
    /// What is searched.
    pub snapshot: &'a Snapshot,
    /// Documents that pass the filter; `None` = all live ones.
    pub filter: Option<Bits>,
    /// T: documents that match the words.
    pub text: TextMatches,
    /// Which words they have, when features are wanted.
    pub matched: Option<Matched>,
    /// V: neighbours above the cut, (position, cosine), positions ascending.
    pub near: Vec<(u32, f32)>,
    /// Whether V is only as large as feedback needs it.
    pub first_look: bool,
    /// The vector that V is nearest to.
    pub vector: Option<Vec<f32>>,
    /// Whether that vector was moved by feedback.
    pub moved: bool,
    /// Cosine that V lies above.
    pub cut: f32,
    /// The largest cosine of V, the cut without a neighbour.
    pub max_cosine: f32,
    /// Weights of the legs.
    pub weights: Weights,
}

impl View<'_> {
    /// c(d) of the document at a position, if it is a neighbour.
    pub fn cosine_at(&self, position: u32) -> Option<f32> {
        let at = self.near.binary_search_by_key(&position, |pair| pair.0);
        at.ok().map(|at| self.near[at].1)
    }
}

/// The match set of one view: positions ascending, with their final scores.
#[derive(Default, Debug)]
pub struct Matches {
    /// Global positions.
    pub positions: Vec<u32>,
    /// Final scores.
    pub scores: Vec<f64>,
}

impl Matches {
    /// An empty one with room for so many.
    pub(crate) fn with_room(room: usize) -> Matches {
        Matches {
            positions: Vec::with_capacity(room),
            scores: Vec::with_capacity(room),
        }
    }

    pub(crate) fn push(&mut self, position: u32, score: f64) {
        self.positions.push(position);
        self.scores.push(score);
    }

    fn keep_from(&mut self, least: f64) {
        let mut scores = self.scores.iter();
        self.positions
            .retain(|_| scores.next().is_some_and(|s| *s >= least));
        self.scores.retain(|score| *score >= least);
    }

    /// The numbers of the entries in each segment.
    pub fn by_segment<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        by_segment(&self.positions, snapshot)
    }
}

/// The numbers of the entries of an ascending list of positions in each segment.
pub fn by_segment<'a>(
    positions: &'a [u32],
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
    let mut start = 0;
    snapshot
        .segments
        .iter()
        .enumerate()
        .map(move |(i, segment)| {
            let end = segment.base + segment.reader.max_doc();
            let length = positions[start..].partition_point(|p| *p < end);
            let range = start..start + length;
            start += length;
            (i, range)
        })
}

/// Answers a request over one or several indices. `vector` is the query's own vector, from outside.
pub fn search(
    snapshots: &[(u64, Arc<Snapshot>)],
    request: &Request,
    vector: Option<&[f32]>,
) -> Result<Answer, Failure> {
    let mut views = Vec::with_capacity(snapshots.len());
    for (place, (id, snapshot)) in snapshots.iter().enumerate() {
        let places = request.vector_in.as_ref();
        let own = vector.filter(|_| places.is_none_or(|places| places.contains(&place)));
        views.push(open(*id, snapshot, request, own)?);
    }
    if request.feeds_back() {
        feed_back(&mut views, request);
    }
    let additions = Additions::of(&views, request);
    // A short list is too short to be counted: nothing will be cut from the whole one.
    let (mut matches, known_total) = match shortlist::of_page(&views, request, &additions) {
        Some((short, total)) => (short, Some(total)),
        None => (fuse(&views, request), None),
    };
    let learned = LearnedScores::add(&views, request, &additions, &mut matches);
    if let Some(least) = request.min_score {
        matches.iter_mut().for_each(|m| m.keep_from(least));
    }
    let reranked = Reranked::rerank(&views, &learned, request, &mut matches);
    let page = sort::page(&views, &matches, request)?;
    let facets = facet::facets(&views, &matches, &request.facets)?;
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
        ..answer(&views, &page.hits, total)
    };
    reranked.describe(&views, &learned, request, &page.hits, &mut answer)?;
    views
        .into_iter()
        .filter_map(|view| view.matched)
        .for_each(score::give_back);
    Ok(answer)
}

/// Runs both legs of one view.
fn open<'a>(
    id: u64,
    snapshot: &'a Snapshot,
    request: &Request,
    own: Option<&[f32]>,
) -> Result<View<'a>, Failure> {
    let filter = match &request.filter {
        Some(node) => Some(filter::filter(snapshot, node)?),
        None => None,
    };
    let everything = request.is_empty_query();
    let (text, vector) = space_weights(snapshot);
    let cut = request.cut.unwrap_or(match request.mode {
        // Who asks for neighbours alone gets k of them if there are k; the cut keeps chance
        // likeness out of a list that has words to go by.
        Mode::Vector => NO_CUT,
        _ => snapshot.space.cut(),
    });
    let mut view = View {
        id,
        snapshot,
        filter,
        text: TextMatches::default(),
        matched: None,
        near: Vec::new(),
        first_look: false,
        vector: None,
        moved: false,
        cut,
        max_cosine: cut,
        weights: request.weights.unwrap_or(match request.fusion {
            Fusion::Convex => Weights { text, vector },
            Fusion::Rrf => EQUAL,
        }),
    };
    if request.mode != Mode::Text {
        let text = request.query.replace('"', " ");
        view.vector = neighbors::query_vector(snapshot, &text, own)?;
        view.first_look = request.feeds_back()
            && request.fusion == Fusion::Convex
            && request.neighbors > neighbors::FIRST_LOOK
            && neighbors::walks(snapshot, view.filter.as_ref());
        view.find_near(match view.first_look {
            true => neighbors::FIRST_LOOK,
            false => request.neighbors,
        });
    }
    let all = everything && (request.mode != Mode::Vector || own.is_none());
    if all {
        view.text = all_documents(&view);
    } else if request.mode != Mode::Vector {
        let plan = plan::plan(snapshot, request)?;
        let filter = view.filter.as_ref();
        if request.wants_features() {
            let (text, matched) = score::score_with_words(snapshot, &plan, filter)?;
            (view.text, view.matched) = (text, Some(matched));
        } else {
            view.text = score::score(snapshot, &plan, filter)?;
        }
    }
    Ok(view)
}

/// The least cosine there is: nothing lies below.
const NO_CUT: f32 = -1.0;
const EQUAL: Weights = Weights {
    text: 0.5,
    vector: 0.5,
};

fn space_weights(snapshot: &Snapshot) -> (f64, f64) {
    // Through their decimal form: 0.7 as a short float is not 0.7 as a long one.
    let (text, vector) = snapshot.space.weights();
    let long = |weight: f32| weight.to_string().parse().unwrap_or(f64::from(weight));
    (long(text), long(vector))
}

fn all_documents(view: &View) -> TextMatches {
    let positions: Vec<u32> = match &view.filter {
        Some(bits) => bits.iter().collect(),
        None => Bits::live(view.snapshot).iter().collect(),
    };
    let scores = vec![1.0; positions.len()];
    TextMatches::new(positions, scores)
}

impl View<'_> {
    /// c(d) of a document that only a longer V may hold.
    pub(crate) fn cosine_beyond(&self, position: u32) -> Option<f32> {
        let slot = self.snapshot.slot_at(position);
        let wanted = self.first_look && slot != NONE;
        let vector = self.vector.as_ref().filter(|_| wanted)?;
        let cosine = self.snapshot.vectors.cosine(slot, vector);
        (cosine > self.cut).then_some(cosine)
    }

    fn find_near(&mut self, k: usize) {
        let Some(vector) = &self.vector else { return };
        let mut near = neighbors::nearest(self.snapshot, vector, k, self.filter.as_ref());
        near.retain(|pair| pair.1 > self.cut || self.cut <= NO_CUT);
        self.max_cosine = near.first().map_or(self.cut, |pair| pair.1);
        near.sort_unstable_by_key(|pair| pair.0);
        self.near = near;
    }
}

/// Moves each view's vector towards its first documents and searches its neighbours again.
fn feed_back(views: &mut [View], request: &Request) {
    if views.iter().all(|view| view.vector.is_none()) {
        return;
    }
    let first = match request.fusion {
        Fusion::Convex => shortlist::of_feedback(views, request),
        Fusion::Rrf => fuse(views, request),
    };
    for (view, matches) in views.iter_mut().zip(&first) {
        let Some(vector) = &view.vector else { continue };
        let documents = sort::best(view, matches, neighbors::FEEDBACK_DOCUMENTS);
        let moved = neighbors::feedback(view.snapshot, vector, &documents);
        view.moved = moved.is_some();
        if view.moved || view.first_look {
            view.vector = moved.or(view.vector.take());
            view.first_look = false;
            view.find_near(request.neighbors);
        }
    }
}

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

/// What the ranks of both legs over all views are worth: 1/(k + rank), per view in the order of T
/// and of V.
pub struct Ranks {
    text: Vec<Vec<f64>>,
    near: Vec<Vec<f64>>,
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

fn answer(views: &[View], hits: &[Hit], total: u64) -> Answer {
    let max_text = views.iter().map(|v| v.text.max()).fold(0.0, f32::max);
    let scale = Scale {
        mode: Mode::Hybrid,
        fusion: Fusion::Convex,
        everything: false,
        max_text,
    };
    let mut answer = Answer {
        total,
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
