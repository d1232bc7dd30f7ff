//! The vector leg: the vector of a query and its nearest neighbours.

use crate::engine::bits::Bits;
use crate::engine::segment::NONE;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::vectors::{normalize, prefers_scan, Links};

/// Documents that vector feedback looks at (Rocchio 1971).
pub const FEEDBACK_DOCUMENTS: usize = 5;
/// So many of the first by their words are ranked by the moved vector, too, though they are no
/// neighbours. With 50, 100 or 300 each of thirteen collections has the same nDCG@10.
pub const RANKED_OF_WORDS: usize = 32;
/// What they count against the query.
const FEEDBACK_WEIGHT: f32 = 0.8;

/// The unit vector of a query: the caller's own, or that of its text in the space of the view.
/// `None` when the space knows nothing of the text; BAD_REQUEST for an own vector of another
/// length, with numbers that aren't finite, or without direction.
pub fn query_vector(
    snapshot: &Snapshot,
    (text, meant): (&str, &[String]),
    own: Option<&[f32]>,
) -> Result<Option<Vec<f32>>, Failure> {
    let dimensions = snapshot.space.dimensions();
    if let Some(own) = own {
        if own.len() != dimensions {
            let found = own.len();
            return Err(Failure::bad_request(format!(
                "the vector has {found} numbers, the index {dimensions}"
            )));
        }
        let mut vector = own.to_vec();
        if !normalize(&mut vector) {
            return Err(Failure::bad_request(
                "the vector needs a direction and finite numbers",
            ));
        }
        return Ok(Some(vector));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(snapshot.embed_query(text, meant))
}

/// What neighbours are found by a walk of, if not by a scan. Of the view alone: a graph that the set got, or that grew, since
/// finds others.
fn walked<'a>(snapshot: &'a Snapshot, filter: Option<&Bits>) -> Option<&'a Links> {
    let passing = filter.map_or(snapshot.live_vectors as usize, Bits::count);
    let links = snapshot.links.as_deref();
    links.filter(|_| !prefers_scan(passing, snapshot.slot_positions.len()))
}

/// The nearest `k` live documents that pass the filter: (position, cosine), nearest first.
pub fn nearest(
    snapshot: &Snapshot,
    query: &[f32],
    k: usize,
    filter: Option<&Bits>,
) -> Vec<(u32, f32)> {
    let vectors = &snapshot.vectors;
    let positions = snapshot.slot_positions.as_slice();
    let limit = positions.len() as u32;
    // Must never panic: it runs inside the graph's walk.
    let passes = |slot: u32| match positions.get(slot as usize) {
        None | Some(&NONE) => false,
        Some(position) => filter.is_none_or(|bits| bits.get(*position)),
    };
    let walked = walked(snapshot, filter)
        .and_then(|links| vectors.nearest_walked(links, query, k, limit, &passes));
    let found = walked.unwrap_or_else(|| match filter {
        Some(bits) if bits.count() * 4 < positions.len() => {
            let mut slots: Vec<u32> = Vec::with_capacity(bits.count());
            for segment in &snapshot.segments {
                let end = segment.base + segment.reader.max_doc();
                let documents = bits.range(segment.base, end);
                slots.extend(documents.map(|p| segment.slots[(p - segment.base) as usize]));
            }
            slots.retain(|slot| passes(*slot));
            slots.sort_unstable();
            vectors.nearest_among(query, k, slots.into_iter())
        }
        _ => vectors.nearest_exact(query, k, limit, passes),
    });
    let placed = found
        .into_iter()
        .filter_map(|(slot, cosine)| Some((snapshot.position_of_slot(slot)?, cosine)));
    placed.collect()
}

/// q′ = normalise(q + β · normalise(mean of the documents' vectors)). `None` when none of the
/// documents has a vector.
pub fn feedback(snapshot: &Snapshot, query: &[f32], documents: &[u32]) -> Option<Vec<f32>> {
    let mut mean = vec![0.0; query.len()];
    let mut row = vec![0.0; query.len()];
    for position in documents {
        let slot = snapshot.slot_at(*position);
        if slot != NONE {
            snapshot.vectors.copy_into(slot, &mut row);
            mean.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
        }
    }
    if !normalize(&mut mean) {
        return None;
    }
    let pairs = query.iter().zip(&mean);
    let mut moved: Vec<f32> = pairs.map(|(q, x)| q + FEEDBACK_WEIGHT * x).collect();
    normalize(&mut moved).then_some(moved)
}
