//! The two ways to the nearest neighbours, which agree in every number they return.

use std::cell::Cell;
use std::collections::VecDeque;

use super::links::{Links, Nearness};
use super::prefetch::prefetch;
use super::sketch::{Probe, Probed, Sketches};
use super::{cosine, Rows, VectorSet, GRAPH_MIN};

/// Up to this many passing vectors, times √n, an exact scan of them is cheaper than a walk.
const EXACT_PER_ROOT: f64 = 50.0;
/// A filter that refuses this much more near the query than in a sample of the whole is against
/// it.
const REFUSED_MORE: f64 = 0.1;
const SAMPLE: usize = 512;
/// Of this many bounds one is looked at to guess which are the highest.
const SAMPLED_EACH: usize = 8;
/// Rows that are asked for before their turn: about as many as pass while memory answers.
const ROWS_AHEAD: usize = 8;
/// A walk keeps at least this many candidates, and at least twice what is asked for.
const CANDIDATES_MIN: usize = 64;

impl VectorSet {
    /// The k best (slot, cosine) among the slots under `limit` that pass, by a scan of all of them:
    /// by descending cosine, then ascending slot. Empty for a query that isn't finite or has other
    /// dimensions. The query is a unit vector.
    pub fn nearest_exact(
        &self,
        query: &[f32],
        k: usize,
        limit: u32,
        passes: impl Fn(u32) -> bool,
    ) -> Vec<(u32, f32)> {
        let Some(mut best) = self.best(query, k) else {
            return Vec::new();
        };
        let rows = self.rows.read();
        let limit = limit.min(rows.ords.len() as u32);
        match &rows.sketches {
            Some(sketches) => best.scan_coarsely(&rows, sketches, query, limit, &passes),
            None => best.scan(&rows, query, (0..limit).filter(|slot| passes(*slot))),
        }
        drop(rows);
        best.finish()
    }

    /// As `nearest_exact`, among the given slots, each named once.
    pub fn nearest_among(
        &self,
        query: &[f32],
        k: usize,
        slots: impl Iterator<Item = u32>,
    ) -> Vec<(u32, f32)> {
        let Some(mut best) = self.best(query, k) else {
            return Vec::new();
        };
        best.scan(&self.rows.read(), query, slots);
        best.finish()
    }

    /// As `nearest_exact`, by a walk of the graph as it is now and a scan of the slots that aren't in it yet.
    /// The numbers are exact, which documents are found is approximate; it is never fewer than k if
    /// k pass. Without a graph this is the exact scan.
    pub fn nearest_graph(
        &self,
        query: &[f32],
        k: usize,
        limit: u32,
        passes: &(dyn Fn(u32) -> bool + Sync),
    ) -> Vec<(u32, f32)> {
        let links = self.links();
        let walked = links.and_then(|links| self.nearest_walked(&links, query, k, limit, passes));
        walked.unwrap_or_else(|| self.nearest_exact(query, k, limit, passes))
    }

    /// As `nearest_graph`, by the links that the set had once: the same links find the same. `None` where only a scan of
    /// all slots that pass gives the answer.
    pub fn nearest_walked(
        &self,
        links: &Links,
        query: &[f32],
        k: usize,
        limit: u32,
        passes: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<Vec<(u32, f32)>> {
        let Some(mut best) = self.best(query, k) else {
            return Some(Vec::new());
        };
        let count = k.saturating_mul(2).max(CANDIDATES_MIN);
        let within = limit.min(links.indexed());
        let rows = self.rows.read();
        let slots = match &rows.sketches {
            Some(sketches) => {
                let query = Probed::new(sketches, query);
                walk_fairly(within, passes, |p| links.walk(&query, count, p))?
            }
            None => {
                let query = RowsFrom { rows: &rows, query };
                walk_fairly(within, passes, |p| links.walk(&query, count, p))?
            }
        };
        best.scan(&rows, query, slots.into_iter());
        let behind = within..limit.min(rows.ords.len() as u32);
        best.scan(&rows, query, behind.filter(|slot| passes(*slot)));
        (best.len() >= k).then(|| best.finish())
    }

    fn best(&self, query: &[f32], k: usize) -> Option<Best> {
        let usable = query.len() == self.dimensions && query.iter().all(|value| value.is_finite());
        (usable && k > 0).then(|| Best {
            k,
            floor: f32::NEG_INFINITY,
            found: Vec::with_capacity(2 * k.min(4_096)),
        })
    }
}

/// Whether of a set of so many slots, which has a graph, a scan of the `passing` ones is the better way: they are few.
pub fn prefers_scan(passing: usize, slots: usize) -> bool {
    slots < GRAPH_MIN || passing as f64 <= EXACT_PER_ROOT * (slots as f64).sqrt()
}

/// The rows themselves, where there are no sketches to walk by.
struct RowsFrom<'a> {
    rows: &'a Rows,
    query: &'a [f32],
}

impl RowsFrom<'_> {
    fn row(&self, slot: u32) -> &[u16] {
        self.rows.row(slot, self.query.len()).unwrap_or(&[])
    }
}

impl Nearness for RowsFrom<'_> {
    fn prefetch(&self, slot: u32) {
        prefetch(self.row(slot));
    }

    fn nears(&self, slots: &[u32], nears: &mut Vec<f32>) {
        nears.clear();
        nears.extend(slots.iter().map(|slot| cosine(self.row(*slot), self.query)));
    }
}

/// The slots under `within` that a walk meets; `None` when it failed, or when the filter refuses far
/// more around the query than elsewhere, so that the walk ends before it reaches what passes.
fn walk_fairly(
    within: u32,
    passes: &dyn Fn(u32) -> bool,
    walk: impl FnOnce(&dyn Fn(u32) -> bool) -> Option<Vec<u32>>,
) -> Option<Vec<u32>> {
    let met = Cell::new(0usize);
    let refused = Cell::new(0usize);
    let slots = walk(&|slot| {
        let passed = slot < within && passes(slot);
        met.set(met.get() + 1);
        refused.set(refused.get() + usize::from(!passed));
        passed
    })?;
    let near = refused.get() as f64 / met.get().max(1) as f64;
    if near > REFUSED_MORE {
        let step = (within as usize / SAMPLE).max(1);
        let sampled = (0..within).step_by(step).count();
        let refused = (0..within)
            .step_by(step)
            .filter(|slot| !passes(*slot))
            .count();
        if near > refused as f64 / sampled.max(1) as f64 + REFUSED_MORE {
            return None;
        }
    }
    Some(slots)
}

/// The k best so far, pruned whenever the buffer has doubled.
struct Best {
    k: usize,
    /// The worst cosine of k known ones.
    floor: f32,
    found: Vec<(u32, f32)>,
}

impl Best {
    fn scan(&mut self, rows: &Rows, query: &[f32], slots: impl Iterator<Item = u32>) {
        let mut coming = slots.filter_map(|slot| Some((slot, rows.row(slot, query.len())?)));
        let mut asked = VecDeque::with_capacity(ROWS_AHEAD + 1);
        loop {
            // Rows lie far apart: what is asked for now is there when its turn comes.
            while asked.len() <= ROWS_AHEAD {
                let Some((slot, row)) = coming.next() else {
                    break;
                };
                prefetch(row);
                asked.push_back((slot, row));
            }
            let Some((slot, row)) = asked.pop_front() else {
                return;
            };
            self.meet(slot, cosine(row, query));
        }
    }

    fn meet(&mut self, slot: u32, score: f32) {
        if score >= self.floor {
            if self.found.len() >= self.k.saturating_mul(2) {
                self.prune();
            }
            self.found.push((slot, score));
        }
    }

    /// As `scan` of all passing slots under `limit`, but computes a cosine only where it can matter:
    /// first where the bounds are highest, then where they reach the worst of the best so far.
    fn scan_coarsely(
        &mut self,
        rows: &Rows,
        sketches: &Sketches,
        query: &[f32],
        limit: u32,
        passes: &impl Fn(u32) -> bool,
    ) {
        let bounds = sketches.bounds(&Probe::new(query), limit as usize);
        let likely = likely_floor(&bounds, self.k);
        let slots = || (0..limit).zip(&bounds);
        let high = slots().filter(|(slot, bound)| **bound >= likely && passes(*slot));
        self.scan(rows, query, high.map(|(slot, _)| slot));
        self.prune();
        for (slot, bound) in slots() {
            if *bound < likely && *bound >= self.floor && passes(slot) {
                if let Some(row) = rows.row(slot, query.len()) {
                    self.meet(slot, cosine(row, query));
                }
            }
        }
    }

    fn prune(&mut self) {
        if self.found.len() >= self.k {
            self.found.select_nth_unstable_by(self.k - 1, by_rank);
            self.found.truncate(self.k);
            self.floor = self.found[self.k - 1].1;
        }
    }

    fn len(&self) -> usize {
        self.found.len()
    }

    fn finish(mut self) -> Vec<(u32, f32)> {
        self.prune();
        self.found.sort_unstable_by(by_rank);
        self.found
    }
}

/// A bound that somewhat more than `k` of the bounds reach, guessed from every so many of them.
fn likely_floor(bounds: &[f32], k: usize) -> f32 {
    let mut sampled: Vec<f32> = bounds.iter().step_by(SAMPLED_EACH).copied().collect();
    let place = (k + k / 2) / SAMPLED_EACH;
    if place >= sampled.len() {
        return f32::NEG_INFINITY;
    }
    *sampled
        .select_nth_unstable_by(place, |a, b| b.total_cmp(a))
        .1
}

fn by_rank(left: &(u32, f32), right: &(u32, f32)) -> std::cmp::Ordering {
    right.1.total_cmp(&left.1).then(left.0.cmp(&right.0))
}
