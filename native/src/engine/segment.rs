//! One segment as a view of the index sees it: its text, its documents' numbers, their vectors' slots.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use tantivy::{DocId, SegmentReader};

use crate::engine::definition::ORD;
use crate::engine::facts::Facts;
use crate::engine::long_words::LongWords;
use crate::failure::Failure;

/// Stands for "no slot" and "no position".
pub const NONE: u32 = u32::MAX;

/// The numbers of the documents of a segment; clones share them.
#[derive(Clone)]
pub struct Numbers {
    /// Document → ord, deleted documents included.
    pub ords: Arc<Vec<u64>>,
    /// (ord, document), sorted; `None` when `ords` itself ascends.
    pub by_ord: Option<Arc<Vec<(u64, DocId)>>>,
    /// Smallest and largest ord.
    pub range: (u64, u64),
}

/// One segment inside a snapshot.
#[derive(Clone)]
pub struct SegmentView {
    /// The text of the segment; views share it as long as nothing of it is deleted.
    pub reader: Arc<SegmentReader>,
    /// Global position of its document 0.
    pub base: u32,
    /// The numbers of its documents.
    pub numbers: Numbers,
    /// Document → vector slot, `NONE` for a document without a vector.
    pub slots: Arc<Vec<u32>>,
    /// Once they were asked for.
    pub(crate) facts: Arc<OnceLock<Facts>>,
    /// Once they were asked for; a deletion changes nothing in them.
    pub(crate) long_words: Arc<OnceLock<LongWords>>,
}

impl Numbers {
    /// Those of documents that have these ords.
    pub fn of(ords: Vec<u64>) -> Numbers {
        let ascending = ords.windows(2).all(|pair| pair[0] < pair[1]);
        let by_ord = (!ascending).then(|| {
            let mut sorted: Vec<(u64, DocId)> = ords.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            Arc::new(sorted)
        });
        let range = ords.iter().fold((u64::MAX, 0), |range, ord| {
            (range.0.min(*ord), range.1.max(*ord))
        });
        Numbers {
            ords: Arc::new(ords),
            by_ord,
            range,
        }
    }

    /// Those that a segment was written with.
    pub fn read(reader: &SegmentReader) -> Result<Numbers, Failure> {
        let column = reader.fast_fields().u64(ORD)?;
        let documents = 0..reader.max_doc();
        Ok(Numbers::of(
            documents.map(|at| column.values.get_val(at)).collect(),
        ))
    }

    /// The document of an ord, deleted or not: the last one, where it was written twice.
    pub fn document_of(&self, ord: u64) -> Option<DocId> {
        if ord < self.range.0 || ord > self.range.1 {
            return None;
        }
        let places = self.places_of(ord);
        let least = *places.start();
        match &self.by_ord {
            Some(sorted) => {
                let found = sorted[places].binary_search_by_key(&ord, |pair| pair.0);
                found.ok().map(|at| sorted[least + at].1)
            }
            None => {
                let found = self.ords[places].binary_search(&ord);
                found.ok().map(|at| (least + at) as u32)
            }
        }
    }

    /// Where an ord can stand among ascending ones, given that it is within their range. Each ord is
    /// there once: only those that are missing move it from where counting up would find it.
    fn places_of(&self, ord: u64) -> RangeInclusive<usize> {
        let last = self.ords.len() - 1;
        let behind = usize::try_from(self.range.1 - ord).unwrap_or(usize::MAX);
        let before = usize::try_from(ord - self.range.0).unwrap_or(usize::MAX);
        last.saturating_sub(behind)..=last.min(before)
    }
}

impl SegmentView {
    /// The document of an ord in this segment, deleted or not.
    pub fn document_of(&self, ord: u64) -> Option<DocId> {
        self.numbers.document_of(ord)
    }

    /// Whether the document is not deleted.
    pub fn is_live(&self, document: DocId) -> bool {
        !self.reader.is_deleted(document)
    }
}
