//! Where a text search looks.

use std::collections::BTreeMap;
use std::sync::Arc;

use tantivy::schema::Field;

use crate::analysis::Analyzer;
use crate::engine::definition::{Definition, FieldEntry};
use crate::search::query::Request;

/// A field that a text search looks in.
pub struct SearchField<'a> {
    /// The field.
    pub entry: &'a FieldEntry,
    /// Its analysed postings.
    pub field: Field,
    /// Its weight in the combined field, above 0.
    pub weight: f32,
    /// What the request multiplies its own score by.
    pub boost: f32,
    /// Which of the plan's analyzers reads queries for it.
    pub group: usize,
}

/// The fields that a text search of this request looks in, and the analyzers of its words.
pub fn fields_of<'a>(
    definition: &'a Definition,
    request: &Request,
) -> (Vec<SearchField<'a>>, Vec<&'a Arc<Analyzer>>) {
    let factor = |name: &str| -> f32 {
        let boost = request.boost.as_ref().and_then(|b| b.get(name));
        boost.copied().unwrap_or(1.0)
    };
    // (field, weight in the combined field, boost): the mapping's weights say how much a word
    // in a field tells, measured best in the combined field alone; a request's weights are wishes
    // and count everywhere.
    let chosen: Vec<(&FieldEntry, f32, f32)> = match &request.fields {
        Some(names) => known_fields(definition, names),
        None => definition.searched().map(|f| (f, f.weight, 1.0)).collect(),
    };
    let mut analyzers: Vec<&Arc<Analyzer>> = Vec::new();
    let mut fields = Vec::new();
    for (entry, weight, boost) in chosen {
        let factor = factor(&entry.name);
        let (weight, boost) = (weight * factor, boost * factor);
        let (Some(field), Some(analyzer)) = (entry.text, &entry.search_analyzer) else {
            continue;
        };
        if weight <= 0.0 {
            continue;
        }
        let known = analyzers.iter().position(|a| Arc::ptr_eq(a, analyzer));
        let group = known.unwrap_or_else(|| {
            analyzers.push(analyzer);
            analyzers.len() - 1
        });
        fields.push(SearchField {
            entry,
            field,
            weight,
            boost,
            group,
        });
    }
    (fields, analyzers)
}

fn known_fields<'a>(
    definition: &'a Definition,
    names: &BTreeMap<String, Option<f32>>,
) -> Vec<(&'a FieldEntry, f32, f32)> {
    // In the definition's order, so that sums don't depend on the order of the request.
    let fields = definition.fields.iter();
    let chosen = fields.filter_map(|field| {
        let weights = match names.get(&field.name)? {
            Some(weight) => (*weight, *weight),
            None => (field.weight, 1.0),
        };
        Some((field, weights.0, weights.1))
    });
    chosen.collect()
}
