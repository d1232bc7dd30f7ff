//! How many documents have a value in each of some ranges.

use serde_json::{json, Map, Value};
use tantivy::columnar::Cardinality;

use crate::engine::column::bounds::{Bound, Codes};
use crate::engine::column::{Column, Columns};
use crate::failure::Failure;
use crate::search::facet::intervals::Intervals;
use crate::search::query::FacetRange;

/// A range in codes of each column that has values in it, by the number of the column.
type Bounds = Vec<(usize, Codes)>;

/// Ranges, with their documents.
pub struct RangeCounts<'a> {
    ranges: &'a [FacetRange],
    counts: Vec<u64>,
}

impl<'a> RangeCounts<'a> {
    /// Nothing is counted yet.
    pub fn of(ranges: &'a [FacetRange]) -> Self {
        let counts = vec![0; ranges.len()];
        RangeCounts { ranges, counts }
    }

    /// Each document counts once for each range that any of its values lies in.
    pub fn count(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        let mut bounds: Vec<Bounds> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges {
            let mut own = Vec::with_capacity(columns.columns.len());
            for (number, column) in columns.columns.iter().enumerate() {
                own.extend(codes_of(range, column)?.map(|codes| (number, codes)));
            }
            bounds.push(own);
        }
        if bounds.is_empty() {
            return Ok(());
        }
        let mut intervals: Vec<Intervals> = (0..columns.columns.len())
            .map(|number| Intervals::of(bounds_in(&bounds, number)))
            .collect();
        let all = || bounds.iter().flatten();
        let is_cut = all().all(|(_, codes)| codes.ends().is_some());
        let mut read: Vec<usize> = all().map(|(number, _)| *number).collect();
        read.sort_unstable();
        read.dedup();
        match read.as_slice() {
            // A single value is in each of its ranges once.
            [only] if is_cut && is_single(&columns.columns[*only]) => {
                let intervals = &mut intervals[*only];
                columns.columns[*only]
                    .for_each_code(columns.base, positions, |_, code| intervals.count(code));
            }
            _ => self.count_each(columns, positions, (&bounds, &read), is_cut, &mut intervals),
        }
        for (bounds, count) in bounds.iter().zip(&mut self.counts) {
            let ends = bounds.iter();
            let ends = ends.filter_map(|(column, codes)| Some((column, codes.ends()?)));
            *count += ends
                .map(|(column, (low, high))| intervals[*column].within(low, high))
                .sum::<u64>();
        }
        Ok(())
    }

    /// As `count`, one document after the other.
    fn count_each(
        &mut self,
        columns: &Columns,
        positions: &[u32],
        (bounds, read): (&[Bounds], &[usize]),
        is_cut: bool,
        intervals: &mut [Intervals],
    ) {
        // Of each column the values of one document: read once, however many ranges there are.
        let mut values: Vec<Vec<u64>> = vec![Vec::new(); columns.columns.len()];
        for position in positions {
            for number in read {
                let own = &columns.columns[*number].codes;
                values[*number].clear();
                values[*number].extend(own.values_for_doc(position - columns.base));
            }
            // A single value is in each of its ranges once.
            if is_cut && values.iter().map(Vec::len).sum::<usize>() <= 1 {
                for (values, intervals) in values.iter().zip(&mut *intervals) {
                    values.iter().for_each(|code| intervals.count(*code));
                }
                continue;
            }
            for (bounds, count) in bounds.iter().zip(&mut self.counts) {
                let is_inside = bounds.iter().any(|(column, codes)| {
                    let mut values = values[*column].iter();
                    values.any(|code| codes.contains(*code))
                });
                *count += u64::from(is_inside);
            }
        }
    }

    /// As answers have them, in the order in which they were asked for; `None` when there are none.
    pub fn json(&self) -> Option<Value> {
        let ranges = self.ranges.iter().zip(&self.counts);
        let ranges = ranges.map(|(range, count)| range_value(range, *count));
        (!self.ranges.is_empty()).then(|| ranges.collect())
    }
}

fn is_single(column: &Column) -> bool {
    column.codes.get_cardinality() != Cardinality::Multivalued
}

/// The first and last codes of what ranges leave of the column of a number.
fn bounds_in(bounds: &[Bounds], number: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
    let all = bounds.iter().flatten();
    all.filter_map(move |(column, codes)| codes.ends().filter(|_| *column == number))
}

/// The codes inside a range; `None` when its bounds aren't of the column's type or leave nothing.
fn codes_of(range: &FacetRange, column: &Column) -> Result<Option<Codes>, Failure> {
    let sides = [(&range.from, Bound::From), (&range.to, Bound::Below)];
    let sides = sides.into_iter();
    let sides: Vec<(&Value, Bound)> = sides
        .filter_map(|(value, bound)| Some((value.as_ref()?, bound)))
        .collect();
    column.within(&sides)
}

fn range_value(range: &FacetRange, count: u64) -> Value {
    let word = |value: &Option<Value>| match value {
        None => String::new(),
        Some(Value::String(word)) => word.clone(),
        Some(other) => other.to_string(),
    };
    let mut map = Map::new();
    let key = range.key.clone();
    let key = key.unwrap_or_else(|| format!("{}-{}", word(&range.from), word(&range.to)));
    map.insert("key".into(), Value::String(key));
    for (name, value) in [("from", &range.from), ("to", &range.to)] {
        if let Some(value) = value {
            map.insert(name.into(), value.clone());
        }
    }
    map.insert("count".into(), json!(count));
    Value::Object(map)
}
