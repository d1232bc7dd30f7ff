//! How many documents of match sets have each value of fields that hold values of one type, none of them words.

use std::collections::HashMap;

use tantivy::columnar::Cardinality;

use crate::engine::codes::CodeHash;
use crate::engine::column::Column;
use crate::search::most::most_of;

/// Values, as numbers in their order, with their documents.
#[derive(Default)]
pub struct CodeCounts {
    counts: HashMap<u64, u64, CodeHash>,
}

impl CodeCounts {
    /// Counts each of some documents of a segment once for each of its values, which `value` makes of the column's codes.
    pub fn count(
        &mut self,
        column: &Column,
        base: u32,
        positions: &[u32],
        value: impl Fn(u64) -> u64,
    ) {
        let codes = |position: &u32| column.codes.values_for_doc(position - base);
        let mut count = |value| *self.counts.entry(value).or_default() += 1;
        if column.codes.get_cardinality() != Cardinality::Multivalued {
            let codes = positions.iter().flat_map(codes);
            return codes.for_each(|code| count(value(code)));
        }
        let mut own = Vec::new();
        for position in positions {
            // A list may say a value twice.
            own.clear();
            own.extend(codes(position).map(&value));
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|value| count(*value));
        }
    }

    /// How many documents have each of the `size` values that most have, those of as many in their own order.
    pub fn first(self, size: usize) -> Vec<(u64, u64)> {
        let values = self.counts.into_iter();
        let values = values.map(|(value, count)| (count, value));
        most_of(values.collect(), size)
    }
}
