//! Readers and columns of the committed segments, reused from one view to the next as far as nothing changed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use tantivy::directory::META_LOCK;
use tantivy::index::SegmentId;
use tantivy::{Directory, Index, SegmentReader};

use crate::engine::definition::ORD;
use crate::engine::facts::Facts;
use crate::engine::long_words::LongWords;
use crate::engine::segment::{SegmentView, NONE};
use crate::failure::Failure;
use crate::vectors::VectorSet;

/// Readers and columns of the segments of the newest view.
#[derive(Default)]
pub struct SegmentCache {
    segments: HashMap<SegmentId, Cached>,
    /// Vector set that the slots belong to.
    slots_of: Option<Arc<VectorSet>>,
}

#[derive(Clone)]
struct Cached {
    reader: Option<Arc<SegmentReader>>,
    deletes: Option<u64>,
    ords: Arc<Vec<u64>>,
    by_ord: Option<Arc<Vec<(u64, u32)>>>,
    range: (u64, u64),
    slots: Option<Arc<Vec<u32>>>,
    facts: Arc<OnceLock<Facts>>,
    long_words: Arc<OnceLock<LongWords>>,
}

impl SegmentCache {
    /// Reads the committed segments, in the order of the index.
    pub fn views(
        &mut self,
        index: &Index,
        vectors: &Arc<VectorSet>,
    ) -> Result<Vec<SegmentView>, Failure> {
        let same = self
            .slots_of
            .as_ref()
            .is_some_and(|s| Arc::ptr_eq(s, vectors));
        if !same {
            self.forget_slots();
            self.slots_of = Some(vectors.clone());
        }
        // The index removes files of merged segments; not while they are being opened.
        let _opening = index
            .directory()
            .acquire_lock(&META_LOCK)
            .map_err(|error| Failure::internal(error.to_string()))?;
        let mut next = HashMap::new();
        let mut views = Vec::new();
        let mut base = 0;
        for segment in index.searchable_segments()? {
            let (id, deletes) = (segment.id(), segment.meta().delete_opstamp());
            let known = self.segments.get(&id);
            let reader = match known.filter(|k| k.deletes == deletes) {
                Some(Cached {
                    reader: Some(reader),
                    ..
                }) => reader.clone(),
                _ => Arc::new(SegmentReader::open(&segment)?),
            };
            let mut cached = match known {
                Some(known) => known.clone(),
                None => columns_of(&reader)?,
            };
            cached.deletes = deletes;
            cached.reader = Some(reader.clone());
            let slots = cached.slots.get_or_insert_with(|| {
                let slots = cached.ords.iter();
                Arc::new(slots.map(|o| vectors.slot_of(*o).unwrap_or(NONE)).collect())
            });
            views.push(SegmentView {
                base,
                ords: cached.ords.clone(),
                by_ord: cached.by_ord.clone(),
                slots: slots.clone(),
                range: cached.range,
                facts: cached.facts.clone(),
                long_words: cached.long_words.clone(),
                reader,
            });
            base += cached.ords.len() as u32;
            next.insert(id, cached);
        }
        self.segments = next;
        Ok(views)
    }

    /// Vectors were given to documents that were published without one.
    pub fn forget_slots(&mut self) {
        for cached in self.segments.values_mut() {
            cached.slots = None;
        }
    }

    /// Files of these segments went from memory to disk: the next view reads them there.
    pub fn forget_readers(&mut self, ids: &HashSet<String>) {
        for (id, cached) in &mut self.segments {
            if ids.contains(&id.uuid_string()) {
                cached.reader = None;
                cached.facts = Arc::default();
            }
        }
    }
}

fn columns_of(reader: &SegmentReader) -> Result<Cached, Failure> {
    let column = reader.fast_fields().u64(ORD)?;
    let ords: Vec<u64> = (0..reader.max_doc())
        .map(|document| column.values.get_val(document))
        .collect();
    let ascending = ords.windows(2).all(|pair| pair[0] < pair[1]);
    let by_ord = (!ascending).then(|| {
        let mut sorted: Vec<(u64, u32)> = ords.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Arc::new(sorted)
    });
    let range = ords.iter().fold((u64::MAX, 0), |range, ord| {
        (range.0.min(*ord), range.1.max(*ord))
    });
    Ok(Cached {
        reader: None,
        deletes: None,
        ords: Arc::new(ords),
        by_ord,
        range,
        slots: None,
        facts: Arc::default(),
        long_words: Arc::default(),
    })
}
