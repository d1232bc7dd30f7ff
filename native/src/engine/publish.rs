//! Publications: their numbers, and the view of the committed segments that each of them makes the newest one (`views.rs`).

use std::sync::atomic::{AtomicU64, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::engine::definition::Definition;
use crate::engine::rates::Editions;
use crate::engine::segment::{SegmentView, NONE};
use crate::engine::snapshot::Snapshot;
use crate::space::Space;
use crate::vectors::VectorSet;

/// The last generation given away; begins at the time of day, so that numbers of an earlier run
/// of the process are never mistaken for numbers of this one.
fn counter() -> &'static AtomicU64 {
    static COUNTER: OnceLock<AtomicU64> = OnceLock::new();
    COUNTER.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        AtomicU64::new(now.map_or(1, |now| now.as_millis() as u64))
    })
}

/// The newest generation of all indices.
pub fn generation_now() -> u64 {
    counter().load(Ordering::SeqCst)
}

/// Moves the generation on, without a view: it tells searches of before from later ones.
pub fn next_generation() -> u64 {
    counter().fetch_add(1, Ordering::SeqCst) + 1
}

/// Builds a view; `Views` gives it its generation.
pub fn build(
    definition: &Arc<Definition>,
    segments: Vec<SegmentView>,
    vectors: &Arc<VectorSet>,
    space: &Arc<Space>,
    rates: &Arc<Editions>,
    sequence: u64,
) -> Snapshot {
    // In this order: links know no vector that the view does not.
    let links = vectors.links();
    let mut slot_positions = vec![NONE; vectors.len()];
    let (mut documents, mut live, mut live_vectors) = (0, 0, 0);
    for segment in &segments {
        documents += segment.reader.max_doc();
        live += segment.reader.num_docs();
        let mut place = |document: u32| {
            let slot = segment.slots[document as usize];
            if let Some(position) = slot_positions.get_mut(slot as usize) {
                *position = segment.base + document;
                live_vectors += 1;
            }
        };
        match segment.reader.alive_bitset() {
            Some(alive) => alive.iter_alive().for_each(&mut place),
            None => (0..segment.reader.max_doc()).for_each(&mut place),
        }
    }
    Snapshot {
        generation: 0,
        sequence,
        definition: definition.clone(),
        segments,
        documents,
        live,
        vectors: vectors.clone(),
        links,
        space: space.clone(),
        slot_positions,
        live_vectors,
        likeness: OnceLock::new(),
        rates: rates.clone(),
        since: AtomicU64::new(0),
        superseded: AtomicU64::new(u64::MAX),
        superseded_ms: AtomicU64::new(0),
        searched: AtomicU64::new(0),
        used: AtomicU8::new(0),
    }
}
