//! Append-only sets of unit vectors, kept as half-precision rows, with exact and graph search.
//!
//! A slot is the place of a vector in its set: 0, 1, 2… in the order of appending. Vectors are never
//! changed or removed in place; readers bound what they see by a slot limit and a predicate.

mod distance;
mod graph;
pub(crate) mod half;
mod links;
mod nearest;
mod persist;
mod prefetch;
mod sketch;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Mutex, RwLock};

use graph::Graph;
pub use links::Links;
pub use nearest::prefers_scan;
use persist::SavedGraph;
pub use persist::{FileMark, Room, Saved};
use sketch::Sketches;

/// From this many live vectors on a set deserves a graph; below, exact scans are fast enough.
pub const GRAPH_MIN: usize = 10_000;

/// So many slots may be scanned because the links do not know them yet, and a 32nd of those they know, while more come. Views
/// keep the links that they had.
const LINKS_BEHIND: u32 = 1_000;
const SHARE_BEHIND: u32 = 32;
/// Once no more come, one of so many.
const SHARE_BEHIND_AT_REST: u32 = 256;

/// Slots that the graph grows by between two looks at the clock.
const ADDED_AT_ONCE: usize = 64;

/// Slots in one block of memory: growing never copies more than one block.
const BLOCK_SLOTS: usize = 2_048;

/// An append-only set of unit vectors of one space, shared by writers and searchers.
///
/// All methods may be called from any thread. Predicates given to searches run while the set is
/// locked for reading: they must be quick and must not append.
pub struct VectorSet {
    dimensions: usize,
    rows: RwLock<Rows>,
    /// The graph as it was a while ago, once it was whole: what is walked.
    links: RwLock<Option<Arc<Links>>>,
    /// What the graph took when it was last counted, which takes a look at each slot, and how many slots there were then.
    counted: Mutex<(usize, u32)>,
    /// Held by whoever extends the graph or saves the set.
    upkeep: Mutex<Upkeep>,
}

struct Rows {
    blocks: Vec<Vec<u16>>,
    /// Slot → document number.
    ords: Vec<u64>,
    /// Coarse rows beside the exact ones, where the machine scans them faster.
    sketches: Option<Sketches>,
    /// (document number, slot) in order, once a number came after a larger one.
    sorted: Option<Vec<(u64, u32)>>,
}

#[derive(Default)]
struct Upkeep {
    graph: Option<Graph>,
    /// Path, content and number of vectors of the last save.
    saved_flat: Option<(PathBuf, FileMark, u32)>,
    saved_graph: Option<SavedGraph>,
}

impl VectorSet {
    /// An empty set.
    pub fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            rows: RwLock::default(),
            links: RwLock::default(),
            counted: Mutex::default(),
            upkeep: Mutex::default(),
        }
    }

    /// Vectors appended so far, dead ones included; also the next slot.
    pub fn len(&self) -> usize {
        self.rows.read_recursive().ords.len()
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers in each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Memory held, the graph included: as it was when it was last grown by much, or whole.
    pub fn bytes(&self) -> usize {
        let graph = self.links().map_or(0, |links| {
            let graph = self.counted.lock().0;
            graph + links.bytes()
        });
        let rows = self.rows.read_recursive();
        let blocks: usize = rows.blocks.iter().map(|block| block.capacity() * 2).sum();
        let sorted = rows
            .sorted
            .as_ref()
            .map_or(0, |sorted| sorted.capacity() * 16);
        let sketches = rows.sketches.as_ref().map_or(0, Sketches::bytes);
        blocks + sketches + rows.ords.capacity() * 8 + sorted + graph
    }

    /// Whether part of the set can be found through a graph.
    pub fn has_graph(&self) -> bool {
        self.links.read_recursive().is_some()
    }

    /// Whether there is a graph, be it whole or on its way to all slots.
    pub fn has_begun_graph(&self) -> bool {
        self.counted.lock().1 > 0
    }

    /// The graph as a walk wants it, if there is one. What it is made of never changes: who keeps it finds the same by it.
    pub fn links(&self) -> Option<Arc<Links>> {
        self.links.read_recursive().clone()
    }

    /// Appends the normalised vector of a document and gives its slot; a document that is in the
    /// set already keeps its vector and slot. `None`, and nothing changes, when the vector has
    /// another length, a number that isn't finite, or no direction.
    pub fn append(&self, ord: u64, vector: &[f32]) -> Option<u32> {
        let mut row = vec![0; self.dimensions];
        let encoded = self.encode_unit(vector, &mut row);
        encoded.then(|| self.rows.write().push(ord, &row))
    }

    /// Appends many documents' vectors, given as rows one after the other, under one lock; the slot
    /// of each, as `append` would give it.
    pub fn append_batch(&self, ords: &[u64], vectors: &[f32]) -> Vec<Option<u32>> {
        let mut halves = vec![0; ords.len() * self.dimensions];
        let encoded: Vec<bool> = vectors
            .chunks(self.dimensions.max(1))
            .zip(halves.chunks_mut(self.dimensions.max(1)))
            .map(|(vector, row)| self.encode_unit(vector, row))
            .collect();
        let mut rows = self.rows.write();
        ords.iter()
            .enumerate()
            .map(|(at, ord)| {
                let row = &halves[at * self.dimensions..(at + 1) * self.dimensions];
                encoded.get(at)?.then(|| rows.push(*ord, row))
            })
            .collect()
    }

    /// The slot of a document.
    pub fn slot_of(&self, ord: u64) -> Option<u32> {
        self.rows.read_recursive().slot_of(ord)
    }

    /// The document of a slot; `u64::MAX` for a slot that doesn't exist.
    pub fn ord_of(&self, slot: u32) -> u64 {
        self.rows
            .read_recursive()
            .ords
            .get(slot as usize)
            .copied()
            .unwrap_or(u64::MAX)
    }

    /// Writes the stored vector of a slot to `out`, which holds `dimensions` numbers; zeros for a
    /// slot that doesn't exist.
    pub fn copy_into(&self, slot: u32, out: &mut [f32]) {
        match self.rows.read_recursive().row(slot, self.dimensions) {
            Some(row) => half::decode(row, out),
            None => out.fill(0.0),
        }
    }

    /// The cosine between a stored vector and a unit query, within −1..1; 0 for a slot that doesn't
    /// exist. Every search returns exactly this number for the slot.
    pub fn cosine(&self, slot: u32, query: &[f32]) -> f32 {
        let rows = self.rows.read_recursive();
        rows.row(slot, self.dimensions)
            .map_or(0.0, |row| cosine(row, query))
    }

    /// A new set with the slots that `keep` names, renumbered in the same order, without a graph.
    /// The caller keeps appends away meanwhile, and saves the new set under new paths.
    pub fn retain(&self, keep: impl Fn(u32) -> bool) -> VectorSet {
        let mut kept = Rows::default();
        let rows = self.rows.read();
        for (slot, ord) in (0..).zip(&rows.ords) {
            if let Some(row) = rows.row(slot, self.dimensions).filter(|_| keep(slot)) {
                kept.push(*ord, row);
            }
        }
        VectorSet {
            rows: RwLock::new(kept),
            ..Self::new(self.dimensions)
        }
    }

    /// Brings the graph nearer to the end of the set: builds one when `live` reaches `GRAPH_MIN`, shows it when it is whole,
    /// and later adds what was appended; works until `deadline` at most. Gives whether more is left to do. Searches and
    /// appends go on meanwhile, and are complete whatever is left: slots outside the graph are scanned. While more vectors
    /// come (`is_at_rest` is false), what is shown lies further behind.
    pub fn maintain_graph(&self, live: usize, deadline: Instant, is_at_rest: bool) -> bool {
        let mut upkeep = self.upkeep.lock();
        if upkeep.graph.is_none() && live < GRAPH_MIN {
            return false;
        }
        let more = match self.grow(&mut upkeep.graph, deadline) {
            Ok(more) => more,
            Err(_) => {
                // An index that failed once isn't trusted again; the next call starts a new one.
                upkeep.graph = None;
                *self.counted.lock() = (0, 0);
                *self.links.write() = None;
                false
            }
        };
        if let Some(graph) = &upkeep.graph {
            self.renew_links(graph, more, is_at_rest);
            self.count_graph(graph, more);
        }
        more
    }

    /// Counts what the graph takes; while `more` comes, only when it is much.
    fn count_graph(&self, graph: &Graph, more: bool) {
        let indexed = graph.indexed();
        let known = self.counted.lock().1;
        let behind = indexed.saturating_sub(known);
        if indexed >= known && behind <= if more { known / SHARE_BEHIND } else { 0 } {
            return;
        }
        *self.counted.lock() = (graph.bytes(), indexed);
    }

    /// Reads the links anew when the graph has outgrown them, the first ones when it is whole.
    fn renew_links(&self, graph: &Graph, more: bool, is_at_rest: bool) {
        match self.links() {
            None if more => return,
            None => {}
            Some(links) => {
                let known = links.indexed();
                let behind = if is_at_rest && !more {
                    known / SHARE_BEHIND_AT_REST
                } else {
                    LINKS_BEHIND + known / SHARE_BEHIND
                };
                if graph.indexed() <= known + behind {
                    return;
                }
            }
        }
        let links = graph.to_bytes().and_then(|bytes| Links::read(&bytes));
        *self.links.write() = links.ok().map(Arc::new);
    }

    fn grow(&self, graph: &mut Option<Graph>, deadline: Instant) -> io::Result<bool> {
        let graph = match graph {
            Some(graph) => graph,
            none => none.insert(Graph::new(self.dimensions, self.len() * 5 / 4)?),
        };
        while self.extend(graph, ADDED_AT_ONCE)? {
            if Instant::now() >= deadline {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds up to `count` slots and gives whether there are more.
    fn extend(&self, graph: &mut Graph, count: usize) -> io::Result<bool> {
        let slots = self.len();
        if !graph.has_room(count) {
            graph.grow(slots * 5 / 4 + count)?;
        }
        let mut row = vec![0.0; self.dimensions];
        let end = slots.min(graph.indexed() as usize + count) as u32;
        for slot in graph.indexed()..end {
            self.copy_into(slot, &mut row);
            graph.add(slot, &sketch::bytes_of(&row))?;
        }
        Ok((end as usize) < slots)
    }

    fn encode_unit(&self, vector: &[f32], row: &mut [u16]) -> bool {
        let mut unit = vector.to_vec();
        let fits = vector.len() == self.dimensions && normalize(&mut unit);
        if fits {
            half::encode(&unit, row);
        }
        fits
    }
}

impl Default for Rows {
    fn default() -> Self {
        Rows {
            blocks: Vec::new(),
            ords: Vec::new(),
            sketches: Sketches::pay().then(Sketches::default),
            sorted: None,
        }
    }
}

impl Rows {
    fn row(&self, slot: u32, dimensions: usize) -> Option<&[u16]> {
        let at = slot as usize % BLOCK_SLOTS * dimensions;
        self.blocks
            .get(slot as usize / BLOCK_SLOTS)?
            .get(at..at + dimensions)
    }

    fn slot_of(&self, ord: u64) -> Option<u32> {
        match &self.sorted {
            Some(sorted) => {
                let at = sorted.binary_search_by_key(&ord, |pair| pair.0).ok()?;
                Some(sorted[at].1)
            }
            None => self.ords.binary_search(&ord).ok().map(|slot| slot as u32),
        }
    }

    fn push(&mut self, ord: u64, row: &[u16]) -> u32 {
        let slot = self.ords.len() as u32;
        if self.ords.last().is_some_and(|last| ord <= *last) {
            if let Some(slot) = self.slot_of(ord) {
                return slot;
            }
            let sorted = self.sorted.get_or_insert_with(|| {
                let mut pairs: Vec<_> = self.ords.iter().copied().zip(0..).collect();
                pairs.sort_unstable();
                pairs
            });
            sorted.insert(sorted.partition_point(|pair| pair.0 < ord), (ord, slot));
        } else if let Some(sorted) = &mut self.sorted {
            // A larger number may have come before the last one.
            match sorted.binary_search_by_key(&ord, |pair| pair.0) {
                Ok(at) => return sorted[at].1,
                Err(at) => sorted.insert(at, (ord, slot)),
            }
        }
        self.ords.push(ord);
        if (slot as usize).is_multiple_of(BLOCK_SLOTS) {
            // The first block grows as it fills, so that small sets stay small.
            let room = if slot == 0 { 16 } else { BLOCK_SLOTS };
            self.blocks.push(Vec::with_capacity(room * row.len()));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(row);
        }
        if let Some(sketches) = &mut self.sketches {
            sketches.push(row);
        }
        slot
    }
}

/// Scales a vector to length one. `false`, and the vector is unspecified, when it has a number that
/// isn't finite or no direction.
pub fn normalize(vector: &mut [f32]) -> bool {
    let square: f64 = vector.iter().map(|value| f64::from(*value).powi(2)).sum();
    let norm = square.sqrt();
    if !norm.is_finite() || norm < 1e-30 {
        return false;
    }
    for value in vector.iter_mut() {
        *value = (f64::from(*value) / norm) as f32;
    }
    true
}

fn cosine(row: &[u16], query: &[f32]) -> f32 {
    half::dot(row, query).clamp(-1.0, 1.0)
}
