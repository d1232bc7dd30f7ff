//! Values of a document that no field of the mapping names, by their paths.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};
use tantivy::schema::OwnedValue;

use crate::date::{as_indexed, parse_date};
use crate::engine::definition::{DYNAMIC_PATH_BYTES_MAX, EXACT_BYTES_MAX};

/// Values of one document that are indexed without a mapping, at most.
const DYNAMIC_VALUES_MAX: usize = 4096;
/// Objects and lists in each other that are looked into.
const DYNAMIC_DEPTH_MAX: usize = 16;

/// Path → values.
pub(super) type Values = BTreeMap<String, Vec<OwnedValue>>;

/// What the mapping doesn't name.
pub(super) struct Dynamic<'a> {
    named: &'a HashSet<String>,
    pub(super) values: Values,
    /// The dates among the strings.
    pub(super) dates: Values,
    /// Paths that have a value, and those of the objects around them.
    pub(super) present: HashSet<String>,
    count: usize,
}

impl<'a> Dynamic<'a> {
    /// Nothing yet; `named` are the paths that fields take their values from.
    pub(super) fn new(named: &'a HashSet<String>) -> Self {
        Dynamic {
            named,
            values: Values::new(),
            dates: Values::new(),
            present: HashSet::new(),
            count: 0,
        }
    }

    /// Takes what an object at a path holds.
    pub(super) fn object(&mut self, object: &Map<String, Value>, path: &mut String, depth: usize) {
        if depth > DYNAMIC_DEPTH_MAX {
            return;
        }
        for (key, value) in object {
            let length = path.len();
            if length > 0 {
                path.push('.');
            }
            path.push_str(key);
            if path.len() <= DYNAMIC_PATH_BYTES_MAX && !self.named.contains(path.as_str()) {
                self.value(value, path, depth);
            }
            path.truncate(length);
        }
    }

    fn value(&mut self, value: &Value, path: &mut String, depth: usize) {
        match value {
            Value::Null => {}
            Value::Object(object) => self.object(object, path, depth + 1),
            Value::Array(items) => {
                if depth <= DYNAMIC_DEPTH_MAX {
                    items
                        .iter()
                        .for_each(|item| self.value(item, path, depth + 1));
                }
            }
            Value::Bool(yes) => self.push(path, OwnedValue::Bool(*yes)),
            Value::Number(number) => {
                let number = match (number.as_i64(), number.as_f64()) {
                    (Some(whole), _) => OwnedValue::I64(whole),
                    (None, Some(number)) => OwnedValue::F64(number),
                    (None, None) => return,
                };
                self.push(path, number);
            }
            Value::String(text) => {
                if text.len() > EXACT_BYTES_MAX {
                    self.note(path);
                    return;
                }
                self.push(path, OwnedValue::Str(text.clone()));
                if let Some(micros) = parse_date(text).filter(|_| self.has_room()) {
                    let date = OwnedValue::Date(as_indexed(micros));
                    self.dates.entry(path.clone()).or_default().push(date);
                }
            }
        }
    }

    fn push(&mut self, path: &str, value: OwnedValue) {
        self.note(path);
        self.count += 1;
        if !self.has_room() {
            return;
        }
        match self.values.get_mut(path) {
            Some(values) => values.push(value),
            None => {
                self.values.insert(path.to_owned(), vec![value]);
            }
        }
    }

    /// Whether the last value was still one of those that are indexed.
    fn has_room(&self) -> bool {
        self.count <= DYNAMIC_VALUES_MAX
    }

    /// The path and the objects around it are present; of all that a name with dots stands for, the outer ones. With all of
    /// them, a document of 4000 names of 250 parts took 20 seconds and a gigabyte.
    fn note(&mut self, path: &str) {
        if self.present.contains(path) {
            return;
        }
        self.present.insert(path.to_owned());
        for (dot, _) in path.match_indices('.').take(DYNAMIC_DEPTH_MAX) {
            if !self.present.contains(&path[..dot]) {
                self.present.insert(path[..dot].to_owned());
            }
        }
    }
}

/// Each path's values as one: itself, or a list.
pub(super) fn in_lists(values: Values) -> BTreeMap<String, OwnedValue> {
    let values = values.into_iter().map(|(path, mut values)| {
        let value = if values.len() == 1 {
            values.remove(0)
        } else {
            OwnedValue::Array(values)
        };
        (path, value)
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tantivy::schema::Value as _;

    use super::*;
    use crate::engine::definition::Definition;
    use crate::engine::document::Preparer;
    use crate::engine::exact_terms::name_of;

    #[test]
    fn of_a_name_with_many_dots_the_whole_is_known_and_the_outer_objects() {
        let definition = r#"{ "analyzers": {}, "fields": [], "dynamic": true,
            "embedder": { "kind": "learned", "dimensions": 16 } }"#;
        let definition = Arc::new(Definition::parse(definition).unwrap());
        let name = format!("a{}", ".b".repeat(200));
        let source = serde_json::json!({ "c": { "d.e": 1 }, &name: 1 }).to_string();
        let mut preparer = Preparer::new(definition.clone(), false);
        let prepared = preparer.prepare(1, &source).unwrap();
        let terms = prepared.fields.get_all(definition.exact_terms);
        let mut terms: Vec<&[u8]> = terms.filter_map(|term| term.as_bytes()).collect();
        terms.sort_unstable();
        let present: Vec<String> = terms.iter().map(|term| name_of(term)).collect();
        let mut expected: Vec<&str> = (0..DYNAMIC_DEPTH_MAX).map(|n| &name[..2 * n + 1]).collect();
        expected.extend([name.as_str(), "c", "c.d", "c.d.e"]);
        assert_eq!(present, expected);
    }
}
