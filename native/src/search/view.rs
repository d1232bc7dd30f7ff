//! One index within a search, and what the two legs find in it.

use std::borrow::Cow;

use crate::engine::bits::Bits;
use crate::engine::segment::NONE;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::filter;
use crate::search::neighbors;
use crate::search::placed_scores::falling;
use crate::search::places::PLACES_MAX;
use crate::search::query::{Fusion, Mode, Request, Weights};
use crate::search::shares::shares;
use crate::search::text::guessed::guesses;
use crate::search::text::kept::Kept;
use crate::search::text::matched::Matched;
use crate::search::text::plan::{self, Plan};
use crate::search::text::reach::{Choose, Wanted, TINY};
use crate::search::text::score;
use crate::search::text::text_matches::TextMatches;

/// The least cosine there is: nothing lies below.
const NO_CUT: f32 = -1.0;
/// Reciprocal rank fusion adds the ranks of its lists up as they are (Cormack, Clarke & Büttcher 2009).
const EQUAL: Weights = Weights {
    text: 1.0,
    vector: 1.0,
};

/// Of some positions of the only view of a search, those that a page needs which is sorted by values alone.
pub type FirstByValues = fn(&View, &[u32], &Request) -> Result<Vec<u32>, Failure>;

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
    /// What its analyzers keep of the words.
    pub kept: Kept,
    /// Which words they have, when features are wanted.
    pub matched: Option<Matched>,
    /// V: the neighbours above the cut; after feedback also the first of T, if they lie above it.
    /// (position, cosine), positions ascending.
    pub near: Vec<(u32, f32)>,
    /// The vector to which they have these cosines.
    pub vector: Option<Vec<f32>>,
    /// Whether that vector was moved by feedback.
    pub moved: bool,
    /// Cosine that V lies above.
    pub cut: f32,
    /// The largest cosine of `near`, the cut without a neighbour.
    pub max_cosine: f32,
    /// Weights of the legs.
    pub weights: Weights,
}

impl<'a> View<'a> {
    /// Runs both legs of one view, given the query's vector and the added scores that are for it. It is the only one of its
    /// search (then `alone` is what chooses from it where it is sorted by values) or stands beside others.
    pub fn open(
        id: u64,
        snapshot: &'a Snapshot,
        request: &Request,
        (own, placed): (Option<&[f32]>, &[(u32, f64)]),
        alone: Option<FirstByValues>,
    ) -> Result<View<'a>, Failure> {
        deadline::look()?;
        let filter = match &request.filter {
            Some(node) => Some(filter::filter(snapshot, node)?),
            None => None,
        };
        let everything = request.is_empty_query();
        let cut = request.cut.unwrap_or(match request.mode {
            // Who asks for neighbours alone gets k of them if there are k; the cut keeps chance
            // likeness out of a list that has words to go by.
            Mode::Vector => NO_CUT,
            _ => snapshot.cut(),
        });
        let mut view = View {
            id,
            snapshot,
            filter,
            text: TextMatches::default(),
            kept: Kept::Unasked,
            matched: None,
            near: Vec::new(),
            vector: None,
            moved: false,
            cut,
            max_cosine: cut,
            weights: request.weights.unwrap_or(match request.fusion {
                Fusion::Convex => shares(snapshot, &request.query, alone.is_some()),
                Fusion::Rrf => EQUAL,
            }),
        };
        // A vector that is for other indices does not make all documents of this one its neighbours.
        let any_vector = own.is_some() || request.vector_in.is_some();
        let all = everything && (request.mode != Mode::Vector || !any_vector);
        let planned = !everything && (request.mode != Mode::Vector || guesses(snapshot, request));
        let plan = match planned {
            true => Some(plan::plan(snapshot, request)?),
            false => None,
        };
        if request.mode != Mode::Text {
            let text = request.query.replace('"', " ");
            let meant = plan.as_ref().map_or(&[] as &[String], |plan| &plan.meant);
            view.vector = neighbors::query_vector(snapshot, (&text, meant), own)?;
            view.find_near(request.neighbors);
        }
        if all {
            view.text = all_documents(&view);
            let is_listed = request.explain || request.fusion == Fusion::Rrf;
            let is_chosen = request.is_by_values() && !request.lists_all() && !is_listed;
            if let Some(first_by_values) = alone.filter(|_| is_chosen) {
                let first = first_by_values(&view, &view.found(), request)?;
                view.text.chosen = Some(first);
            }
        } else if let Some(plan) = plan.filter(|_| request.mode != Mode::Vector) {
            view.find_words(&plan, request, placed, alone)?;
        }
        Ok(view)
    }

    /// Looks for T.
    fn find_words(
        &mut self,
        plan: &Plan,
        request: &Request,
        placed: &[(u32, f64)],
        alone: Option<FirstByValues>,
    ) -> Result<(), Failure> {
        let view: &View = self;
        let filter = view.filter.as_ref();
        let choose = alone.map(|first_by_values| {
            move |all: &[u32]| first_by_values(view, &with_near(all, &view.near), request)
        });
        let choose = choose.as_ref().map(|choose| choose as &Choose);
        let wanted = view.wanted(request, placed, choose);
        let wanted = wanted.as_ref();
        if request.wants_features() {
            let (text, matched) = score::score_with_words(self.snapshot, plan, filter, wanted)?;
            (self.text, self.matched) = (text, Some(matched));
        } else {
            self.text = score::score(self.snapshot, plan, filter, wanted)?;
        }
        let is_found = self.text.total > 0;
        self.kept = Kept::by(plan, self.snapshot, &request.query, is_found);
        Ok(())
    }

    /// Which documents a search asks the scores by words of, if that may be fewer than all. If the view is the only one of it,
    /// a list that is sorted by values goes by what `choose` gives. `None` where all is listed (see
    /// `shortlist`), or where it asks for the reasons of scores.
    fn wanted<'w>(
        &self,
        request: &Request,
        placed: &[(u32, f64)],
        choose: Option<&'w Choose<'w>>,
    ) -> Option<Wanted<'w>> {
        // Words may count nothing in another view, which then is listed whole, and so is this one.
        let alone = choose.is_some();
        let is_listed = request.fusion == Fusion::Rrf || self.weights.text <= TINY || !alone;
        let is_listed = is_listed && request.mode == Mode::Hybrid;
        let by_values = request.is_by_values();
        if request.lists_all() || request.explain || is_listed || by_values && !alone {
            return None;
        }
        let also = self.near.iter().map(|pair| pair.0);
        let also = also.chain(placed.iter().map(|pair| pair.0));
        let mut first = match by_values {
            // By the most that any scores, others are scaled.
            true => 1,
            false => request.first() + falling(placed),
        };
        if request.feeds_back() {
            first = first.max(neighbors::RANKED_OF_WORDS);
        }
        if request.wants_features() {
            first = first.max(PLACES_MAX);
        }
        Some(Wanted {
            first,
            also: also.collect(),
            listed: !request.facets.is_empty(),
            choose: choose.filter(|_| by_values),
        })
    }

    /// The positions of all that it finds, T and V, ascending.
    pub fn found(&self) -> Cow<'_, [u32]> {
        with_near(self.text.all(), &self.near)
    }

    /// c(d) of the document at a position, if it is a neighbour.
    pub fn cosine_at(&self, position: u32) -> Option<f32> {
        let at = self.near.binary_search_by_key(&position, |pair| pair.0);
        at.ok().map(|at| self.near[at].1)
    }

    /// Has V, and the `first` of T, ranked by a vector that feedback moved. What matches stays: the
    /// vector moves towards other documents with each filter, so that new neighbours would make the
    /// count of a facet's value another one than the total of a search for it.
    pub(crate) fn rank_by(&mut self, moved: Vec<f32>, first: &[u32]) {
        let mut ranked: Vec<(u32, bool)> = self.near.iter().map(|pair| (pair.0, true)).collect();
        ranked.extend(first.iter().map(|position| (*position, false)));
        // A neighbour stands before itself as one of T.
        ranked.sort_unstable_by_key(|(position, is_near)| (*position, !is_near));
        ranked.dedup_by_key(|pair| pair.0);
        let with_cosine = |(position, is_near): (u32, bool)| {
            let slot = self.snapshot.slot_at(position);
            let cosine = (slot != NONE).then(|| self.snapshot.vectors.cosine(slot, &moved))?;
            (is_near || cosine > self.cut).then_some((position, cosine))
        };
        self.near = ranked.into_iter().filter_map(with_cosine).collect();
        let cosines = self.near.iter().map(|pair| pair.1);
        self.max_cosine = cosines.fold(self.cut, f32::max);
        self.vector = Some(moved);
        self.moved = true;
    }

    /// Looks for V: the nearest `k` above the cut.
    fn find_near(&mut self, k: usize) {
        let Some(vector) = &self.vector else { return };
        let mut near = neighbors::nearest(self.snapshot, vector, k, self.filter.as_ref());
        near.retain(|pair| pair.1 > self.cut || self.cut <= NO_CUT);
        self.max_cosine = near.first().map_or(self.cut, |pair| pair.1);
        near.sort_unstable_by_key(|pair| pair.0);
        self.near = near;
    }
}

/// Some positions with those of neighbours among them, all ascending.
fn with_near<'a>(positions: &'a [u32], near: &[(u32, f32)]) -> Cow<'a, [u32]> {
    if near.is_empty() {
        return positions.into();
    }
    let mut all = Vec::with_capacity(positions.len() + near.len());
    let mut rest = positions;
    for (position, _) in near {
        let (before, behind) = rest.split_at(rest.partition_point(|other| other < position));
        all.extend_from_slice(before);
        all.push(*position);
        rest = behind.strip_prefix(&[*position]).unwrap_or(behind);
    }
    all.extend_from_slice(rest);
    all.into()
}

fn all_documents(view: &View) -> TextMatches {
    let positions: Vec<u32> = match &view.filter {
        Some(bits) => bits.list(),
        None => Bits::live(view.snapshot).list(),
    };
    let scores = vec![1.0; positions.len()];
    TextMatches::new(positions, scores)
}
