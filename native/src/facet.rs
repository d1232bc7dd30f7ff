//! Facets: values, ranges and statistics counted over exactly the match set.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{json, Map, Value};
use tantivy::columnar::ColumnType;
use tantivy::{f64_to_u64, u64_to_f64, u64_to_i64};

use crate::column::{self, number_value, Bound, Column, Columns, Place};
use crate::failure::Failure;
use crate::fuse::{Matches, View};
use crate::query::{FacetRange, FacetRequest};
use crate::snapshot::NONE;

/// Counts the facets of a request as JSON; `None` when it asks for none. BAD_REQUEST for text
/// that is only analysed.
pub fn facets(
    views: &[View],
    matches: &[Matches],
    requests: &[FacetRequest],
) -> Result<Option<String>, Failure> {
    if requests.is_empty() {
        return Ok(None);
    }
    let mut all = Map::new();
    for request in requests {
        let mut facet = Facet::new(request);
        for (view, matches) in views.iter().zip(matches) {
            facet.count(view, matches)?;
        }
        all.insert(request.field.clone(), facet.finish());
    }
    Ok(Some(Value::Object(all).to_string()))
}

/// A value, the same for equal values of different segments and column types.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    /// Bits that keep the order of numbers.
    Number(u64),
    /// Nanoseconds since 1970.
    Date(i64),
    Text(String),
    Bool(bool),
}

impl Key {
    fn value(&self) -> Value {
        match self {
            Key::Number(bits) => number_value(u64_to_f64(*bits)),
            Key::Date(nanos) => Value::String(column::iso(*nanos)),
            Key::Text(text) => Value::String(text.clone()),
            Key::Bool(yes) => Value::Bool(*yes),
        }
    }
}

#[derive(Default)]
struct Stats {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

struct Facet<'a> {
    request: &'a FacetRequest,
    counts: HashMap<Key, u64>,
    ranges: Vec<u64>,
    stats: Stats,
}

impl<'a> Facet<'a> {
    fn new(request: &'a FacetRequest) -> Self {
        Facet {
            request,
            counts: HashMap::new(),
            ranges: vec![0; request.ranges.len()],
            stats: Stats {
                min: f64::INFINITY,
                max: f64::NEG_INFINITY,
                ..Stats::default()
            },
        }
    }

    fn count(&mut self, view: &View, matches: &Matches) -> Result<(), Failure> {
        let place = column::place(&view.snapshot.definition, &self.request.field);
        if let Place::Analysed(field) = place {
            return Err(Failure::bad_request(format!(
                "{} is analysed text; count a keyword field",
                field.name
            )));
        }
        let segments = column::open(view.snapshot, &place)?;
        for (index, range) in matches.by_segment(view.snapshot) {
            let Some(columns) = segments.get(index) else {
                continue;
            };
            let positions = &matches.positions[range];
            if columns.columns.is_empty() || positions.is_empty() {
                continue;
            }
            if self.request.size > 0 {
                for column in columns.values() {
                    self.count_values(column, columns.base, positions)?;
                }
            }
            self.count_ranges(columns, positions)?;
            if self.request.stats {
                self.count_stats(columns, positions);
            }
        }
        Ok(())
    }

    /// Each document counts once for each of its values.
    fn count_values(
        &mut self,
        column: &Column,
        base: u32,
        positions: &[u32],
    ) -> Result<(), Failure> {
        match column.words() {
            Some(words) => {
                let mut counts = vec![0u64; words];
                let mut last = vec![NONE; words];
                for position in positions {
                    for code in column.codes.values_for_doc(position - base) {
                        let at = code as usize;
                        if last[at] != *position {
                            last[at] = *position;
                            counts[at] += 1;
                        }
                    }
                }
                for (code, count) in counts.into_iter().enumerate().filter(|(_, n)| *n > 0) {
                    let word = Key::Text(column.word(code as u64)?);
                    *self.counts.entry(word).or_default() += count;
                }
            }
            None => {
                let mut counts: HashMap<u64, u64> = HashMap::new();
                let mut own: Vec<u64> = Vec::new();
                for position in positions {
                    own.clear();
                    own.extend(column.codes.values_for_doc(position - base));
                    if own.len() > 1 {
                        own.sort_unstable();
                        own.dedup();
                    }
                    for code in &own {
                        *counts.entry(*code).or_default() += 1;
                    }
                }
                for (code, count) in counts {
                    if let Some(key) = key_of(column, code) {
                        *self.counts.entry(key).or_default() += count;
                    }
                }
            }
        }
        Ok(())
    }

    /// Each document counts once for each range that any of its values lies in.
    fn count_ranges(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        for (range, count) in self.request.ranges.iter().zip(&mut self.ranges) {
            let mut bounds = Vec::with_capacity(columns.columns.len());
            for column in &columns.columns {
                if let Some((low, high)) = codes_of(range, column)? {
                    bounds.push((column, low..=high));
                }
            }
            let inside = positions.iter().filter(|position| {
                bounds.iter().any(|(column, bounds)| {
                    let mut values = column.codes.values_for_doc(**position - columns.base);
                    values.any(|code| bounds.contains(&code))
                })
            });
            *count += inside.count() as u64;
        }
        Ok(())
    }

    fn count_stats(&mut self, columns: &Columns, positions: &[u32]) {
        let stats = &mut self.stats;
        for column in columns.values() {
            for position in positions {
                let codes = column.codes.values_for_doc(position - columns.base);
                for number in codes.filter_map(|code| column.number(code)) {
                    stats.count += 1;
                    stats.sum += number;
                    stats.min = stats.min.min(number);
                    stats.max = stats.max.max(number);
                }
            }
        }
    }

    fn finish(self) -> Value {
        let mut facet = Map::new();
        let values = first(self.counts, self.request.size);
        let values = values
            .into_iter()
            .map(|(key, count)| json!({ "value": key.value(), "count": count }));
        facet.insert("values".into(), values.collect());
        if !self.request.ranges.is_empty() {
            let ranges = self.request.ranges.iter().zip(&self.ranges);
            let ranges = ranges.map(|(range, count)| range_value(range, *count));
            facet.insert("ranges".into(), ranges.collect());
        }
        if self.request.stats {
            facet.insert("stats".into(), self.stats.value());
        }
        Value::Object(facet)
    }
}

impl Stats {
    fn value(&self) -> Value {
        if self.count == 0 {
            let none = Value::Null;
            return json!({ "min": none, "max": none, "avg": none, "sum": 0, "count": 0 });
        }
        json!({
            "min": number_value(self.min),
            "max": number_value(self.max),
            "avg": number_value(self.sum / self.count as f64),
            "sum": number_value(self.sum),
            "count": self.count,
        })
    }
}

fn key_of(column: &Column, code: u64) -> Option<Key> {
    match column.kind {
        ColumnType::Bool => Some(Key::Bool(code > 0)),
        ColumnType::DateTime => Some(Key::Date(u64_to_i64(code))),
        _ => column.number(code).map(|n| Key::Number(f64_to_u64(n))),
    }
}

/// The codes inside a range; `None` when its bounds aren't of the column's type or leave nothing.
fn codes_of(range: &FacetRange, column: &Column) -> Result<Option<(u64, u64)>, Failure> {
    let (mut low, mut high) = (0, u64::MAX);
    for (value, bound) in [(&range.from, Bound::From), (&range.to, Bound::Below)] {
        let Some(value) = value else { continue };
        match column.bound_of_range(value, bound)? {
            Some((from, to)) => (low, high) = (low.max(from), high.min(to)),
            None => return Ok(None),
        }
    }
    Ok((low <= high).then_some((low, high)))
}

/// The `size` most frequent values; equal counts in the order of values.
fn first(counts: HashMap<Key, u64>, size: usize) -> Vec<(Key, u64)> {
    let rank =
        |a: &(Key, u64), b: &(Key, u64)| -> Ordering { b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)) };
    let mut values: Vec<(Key, u64)> = counts.into_iter().collect();
    if size > 0 && values.len() > size {
        values.select_nth_unstable_by(size - 1, rank);
    }
    values.truncate(size);
    values.sort_unstable_by(rank);
    values
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
