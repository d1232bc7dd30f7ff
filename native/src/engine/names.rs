//! The names of the fields that documents have, mapped or not, and of the objects around them.

use std::collections::BTreeSet;

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;

/// Whether a document has a field of this name. One that is deleted counts until its segment is merged.
pub fn knows(snapshot: &Snapshot, name: &str) -> Result<bool, Failure> {
    for segment in &snapshot.segments {
        let names = segment.reader.inverted_index(snapshot.definition.present)?;
        if names.terms().get(name)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first names in their order, each once; `most` are looked at in each segment.
pub fn first(snapshot: &Snapshot, most: usize) -> Result<Vec<String>, Failure> {
    let mut found = BTreeSet::new();
    for segment in &snapshot.segments {
        let names = segment.reader.inverted_index(snapshot.definition.present)?;
        let mut stream = names.terms().stream()?;
        let mut seen = 0;
        while seen < most && stream.advance() {
            seen += 1;
            found.insert(String::from_utf8_lossy(stream.key()).into_owned());
        }
    }
    Ok(found.into_iter().take(most).collect())
}
