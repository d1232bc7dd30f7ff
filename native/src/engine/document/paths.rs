//! The values at a path of a document.

use serde_json::{Map, Value};

/// The values at a path, arrays spread out, nulls left out.
pub(crate) fn collect_object<'a>(
    object: &'a Map<String, Value>,
    path: &[String],
    out: &mut Vec<&'a Value>,
) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    if let Some(value) = object.get(first) {
        collect(value, rest, out);
    }
    // A key may itself hold a dot: {"a.b": 1} means the same as {"a": {"b": 1}}.
    for end in 2..=path.len() {
        if let Some(value) = object.get(&path[..end].join(".")) {
            collect(value, &path[end..], out);
        }
    }
}

fn collect<'a>(value: &'a Value, path: &[String], out: &mut Vec<&'a Value>) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, out)),
        Value::Object(object) if !path.is_empty() => collect_object(object, path, out),
        Value::Object(_) => {}
        _ if path.is_empty() => out.push(value),
        _ => {}
    }
}
