//! Test collections in the BEIR layout, for the examples that measure with them.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{json, Value};

const STOP: &str = "a an and are as at be but by for if in into is it no not of on or such that \
                    the their then there these they this to was will with";

/// An index as the service declares one that nothing was said of.
pub fn definition() -> String {
    let stop: Vec<&str> = STOP.split_whitespace().collect();
    let text = |name: &str, weight: f32, vectorized: bool, kind: &str| {
        json!({ "name": name, "source": name, "type": kind, "analyzer": "text",
                "weight": weight, "searched": true, "vectorized": vectorized })
    };
    json!({
        "analyzers": { "text": { "tokenizer": "standard", "filters": [
            { "type": "lowercase" }, { "type": "asciifolding" },
            { "type": "length", "max": 64 }, { "type": "stop", "words": stop },
            { "type": "stemmer", "language": "english" } ] } },
        "fields": [ text("title", 2.0, true, "text"), text("content", 1.0, true, "text"),
            text("abstract", 1.0, true, "text"), text("authors", 1.0, false, "keyword"),
            text("tags", 1.0, false, "keyword"), text("source", 1.0, false, "keyword") ],
        "dynamic": true,
        "embedder": { "kind": "learned", "dimensions": 256 }
    })
    .to_string()
}

/// A file of a collection, packed with gzip or not: a value for each line.
pub fn lines(folder: &Path, name: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let plain = folder.join(name);
    let text = if plain.exists() {
        fs::read_to_string(plain)?
    } else {
        let packed = folder.join(format!("{name}.gz"));
        let output = Command::new("gzip").arg("-dc").arg(packed).output()?;
        String::from_utf8(output.stdout)?
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines
        .map(serde_json::from_str)
        .collect::<Result<_, serde_json::Error>>()?)
}

/// Documents of a collection as an index takes them.
pub fn sources(corpus: &[Value]) -> Vec<String> {
    corpus
        .iter()
        .map(|d| json!({ "title": d["title"], "content": d["text"] }).to_string())
        .collect()
}
