//! The neighbour graph over a prefix of a vector set: the one door to usearch, which builds it.
//! `links.rs` reads what it writes, and walks it.
//!
//! Keys are slots. Its vectors are sketches of one byte a number, as it is built by looks at them. The graph is never
//! viewed from a file and never given bytes whose checksum was not verified: a damaged file would end the process.

use std::{io, slice};

use usearch::{Index, IndexOptions, MetricKind, ScalarKind, VectorType};

use super::distance::distance;

const NUMBERS: ScalarKind = ScalarKind::I8;
const CONNECTIVITY: usize = 16;
const EXPANSION_ADD: usize = 128;
const EXPANSION_SEARCH: usize = 64;
/// Contexts reserved. With fewer than the threads that come, adds fail.
const CONTEXTS: usize = 64;

/// An approximate index over the slots 0..`indexed()`.
pub(super) struct Graph {
    index: Index,
    indexed: u32,
}

impl Graph {
    pub(super) fn new(dimensions: usize, capacity: usize) -> io::Result<Self> {
        let mut index = Index::new(&options(dimensions)).map_err(io::Error::other)?;
        measure(&mut index, dimensions)?;
        index
            .reserve_capacity_and_threads(capacity, CONTEXTS)
            .map_err(io::Error::other)?;
        Ok(Self { index, indexed: 0 })
    }

    /// How many slots, from 0 on, can be found through the graph.
    pub(super) fn indexed(&self) -> u32 {
        self.indexed
    }

    pub(super) fn bytes(&self) -> usize {
        self.index.memory_usage()
    }

    pub(super) fn has_room(&self, slots: usize) -> bool {
        self.index.capacity() >= self.index.size() + slots
    }

    pub(super) fn grow(&mut self, capacity: usize) -> io::Result<()> {
        self.index
            .reserve_capacity_and_threads(capacity, CONTEXTS)
            .map_err(io::Error::other)
    }

    /// Adds the next slot.
    pub(super) fn add(&mut self, slot: u32, sketch: &[i8]) -> io::Result<()> {
        self.index
            .add(u64::from(slot), sketch)
            .map_err(io::Error::other)?;
        self.indexed = slot + 1;
        Ok(())
    }

    /// The graph as bytes.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.index.serialized_length()];
        self.index
            .save_to_buffer(&mut bytes)
            .map_err(io::Error::other)?;
        Ok(bytes)
    }

    /// Reads what `to_bytes` wrote; the caller has verified the checksum of the bytes.
    pub(super) fn from_bytes(bytes: &[u8], dimensions: usize, indexed: u32) -> io::Result<Self> {
        let metadata = Index::metadata_from_buffer(bytes).map_err(io::Error::other)?;
        if metadata.dimensions as usize != dimensions || metadata.quantization != NUMBERS {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "graph of other vectors",
            ));
        }
        let mut index = Index::new(&options(dimensions)).map_err(io::Error::other)?;
        index.load_from_buffer(bytes).map_err(io::Error::other)?;
        measure(&mut index, dimensions)?;
        let capacity = index.size();
        index
            .reserve_capacity_and_threads(capacity, CONTEXTS)
            .map_err(io::Error::other)?;
        if index.size() != indexed as usize || index.dimensions() != dimensions {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "graph of another size",
            ));
        }
        Ok(Self { index, indexed })
    }
}

/// From now on `distance` says how far vectors are from each other; loading a graph takes back what said so before.
fn measure(index: &mut Index, dimensions: usize) -> io::Result<()> {
    let by = move |a: *const i8, b: *const i8| {
        // SAFETY: usearch hands over two of its own vectors, each of which has so many numbers of a byte.
        let row = |numbers| unsafe { slice::from_raw_parts(numbers, dimensions) };
        distance(row(a), row(b))
    };
    i8::change_metric(index, Box::new(by)).map_err(io::Error::other)
}

fn options(dimensions: usize) -> IndexOptions {
    IndexOptions {
        dimensions,
        metric: MetricKind::Cos,
        quantization: NUMBERS,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    }
}
