//! How many documents of match sets have each value of fields that hold values of one type, none of them words.

use std::collections::HashMap;

use tantivy::columnar::Cardinality;

use crate::engine::codes::CodeHash;
use crate::engine::column::Column;
use crate::engine::segment::NONE;
use crate::search::facet::most::most_of;

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
        let mut count = |value| *self.counts.entry(value).or_default() += 1;
        if column.codes.get_cardinality() != Cardinality::Multivalued {
            return column.for_each_code(base, positions, |_, code| count(value(code)));
        }
        // A list may say a value twice.
        let mut settle = |own: &mut Vec<u64>| {
            own.sort_unstable();
            own.dedup();
            own.drain(..).for_each(&mut count);
        };
        let (mut own, mut owner) = (Vec::new(), NONE);
        column.for_each_code(base, positions, |document, code| {
            if document != owner {
                settle(&mut own);
                owner = document;
            }
            own.push(value(code));
        });
        settle(&mut own);
    }

    /// How many documents have each of the `size` values that most have, those of as many in their own order.
    pub fn first(self, size: usize) -> Vec<(u64, u64)> {
        let values = self.counts.into_iter();
        let values = values.map(|(value, count)| (count, value));
        most_of(values.collect(), size)
    }
}
