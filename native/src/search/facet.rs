//! Facets: values, ranges and statistics counted over exactly the match set.

pub mod alike_values;
pub mod code_counts;
pub mod intervals;
pub mod mixed_values;
pub mod most;
pub mod ranges;
pub mod stats;
pub mod value;
pub mod word_counts;

use std::borrow::Cow;

use serde_json::{json, Map, Value};

use crate::engine::column::{self, Columns, Place};
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::facet::alike_values::AlikeValues;
use crate::search::facet::mixed_values::MixedValues;
use crate::search::facet::ranges::RangeCounts;
use crate::search::facet::stats::Stats;
use crate::search::matches::by_segment;
use crate::search::query::FacetRequest;
use crate::search::view::View;

/// Counts the facets of a request as JSON, given the positions of all matches, ascending, by view. BAD_REQUEST for text that
/// is only analysed.
pub fn facets(
    views: &[View],
    matches: &[Cow<[u32]>],
    requests: &[FacetRequest],
) -> Result<String, Failure> {
    let mut all = Map::new();
    for request in requests {
        let mut columns = Vec::with_capacity(views.len());
        for view in views {
            columns.push(columns_of(view, request)?);
        }
        let mut facet = Facet::new(request, &columns);
        for ((view, matches), columns) in views.iter().zip(matches).zip(&columns) {
            facet.count(view, matches, columns)?;
        }
        all.insert(request.field.clone(), facet.finish()?);
    }
    Ok(Value::Object(all).to_string())
}

fn columns_of(view: &View, request: &FacetRequest) -> Result<Vec<Columns>, Failure> {
    let place = column::place(&view.snapshot.definition, &request.field);
    if let Place::Analysed(field) = place {
        return Err(Failure::bad_request(format!(
            "{} is analysed text; count a keyword field",
            field.name
        )));
    }
    view.snapshot.columns(&place)
}

/// What is counted of one field: each part by itself, since a request may ask for any of them.
struct Facet<'a> {
    request: &'a FacetRequest,
    values: Values,
    ranges: RangeCounts<'a>,
    stats: Stats,
}

enum Values {
    Alike(AlikeValues),
    Mixed(MixedValues),
}

impl<'a> Facet<'a> {
    fn new(request: &'a FacetRequest, columns: &[Vec<Columns>]) -> Self {
        let mixed = || Values::Mixed(MixedValues::default());
        Facet {
            request,
            values: AlikeValues::of(columns).map_or_else(mixed, Values::Alike),
            ranges: RangeCounts::of(&request.ranges),
            stats: Stats::default(),
        }
    }

    fn count(&mut self, view: &View, matches: &[u32], segments: &[Columns]) -> Result<(), Failure> {
        if let Values::Mixed(values) = &mut self.values {
            values.begin_view();
        }
        for (index, range) in by_segment(matches, view.snapshot) {
            let Some(columns) = segments.get(index) else {
                continue;
            };
            deadline::look()?;
            let positions = &matches[range];
            if columns.columns.is_empty() || positions.is_empty() {
                continue;
            }
            if self.request.size > 0 {
                self.values.count(columns, positions)?;
            }
            self.ranges.count(columns, positions)?;
            if self.request.stats {
                self.stats.count(columns, positions);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Value, Failure> {
        let mut facet = Map::new();
        facet.insert("values".into(), self.values.json(self.request.size)?);
        if let Some(ranges) = self.ranges.json() {
            facet.insert("ranges".into(), ranges);
        }
        if self.request.stats {
            facet.insert("stats".into(), self.stats.json());
        }
        Ok(Value::Object(facet))
    }
}

impl Values {
    fn count(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        match self {
            Values::Mixed(values) => values.count(columns, positions),
            Values::Alike(values) => {
                for column in columns.values() {
                    values.count(column, columns.base, positions);
                }
                Ok(())
            }
        }
    }

    fn json(self, size: usize) -> Result<Value, Failure> {
        let first = match self {
            Values::Alike(values) => values.first(size)?,
            Values::Mixed(values) => values.first(size),
        };
        let values = first.into_iter();
        Ok(values
            .map(|(count, value)| json!({ "value": value.json(), "count": count }))
            .collect())
    }
}
