//! The names of the fields that documents have, mapped or not, and of the objects around them.

use std::collections::BTreeSet;

use tantivy::columnar::ColumnType;

use crate::engine::column::{is_number, place, Place};
use crate::engine::definition::Definition;
use crate::engine::exact_terms::{behind_names, name_of, name_term};
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;

/// What documents have under a name, by its number on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    Nothing = 0,
    /// Values.
    Values = 1,
    /// Only objects, whose fields have values.
    Objects = 2,
    /// Values of which no mapping says what they are, and of which none is a number.
    Words = 3,
}

/// What any document has under a name. One that is deleted counts until its segment is merged.
pub fn known(snapshot: &Snapshot, name: &str) -> Result<Known, Failure> {
    let (mut is_there, mut is_object) = (false, false);
    let own = name_term(name);
    let inside = name_term(&format!("{name}."));
    // The smallest term behind all that begin so: a name is UTF-8, which never holds 0xff.
    let end = [&inside[..], &[0xff]].concat();
    for segment in &snapshot.segments {
        let terms = segment
            .reader
            .inverted_index(snapshot.definition.exact_terms)?;
        let terms = terms.terms();
        if terms.get(&own)?.is_some() {
            is_there = true;
            let mut fields = terms.range().ge(&inside).lt(&end).into_stream()?;
            is_object = is_object || fields.advance();
        }
    }
    if !is_there {
        return Ok(Known::Nothing);
    }
    let kinds = match place(&snapshot.definition, name) {
        Place::Field(_) | Place::Analysed(_) => return Ok(Known::Values),
        Place::Unknown => Vec::new(),
        Place::Dynamic(path) => kinds(snapshot, &Definition::dynamic_column(&path))?,
    };
    Ok(match kinds.as_slice() {
        [] if is_object => Known::Objects,
        [] => Known::Values,
        kinds if kinds.iter().any(|kind| is_number(*kind)) => Known::Values,
        _ => Known::Words,
    })
}

/// What the columns of a name hold.
fn kinds(snapshot: &Snapshot, column: &str) -> Result<Vec<ColumnType>, Failure> {
    let mut kinds = Vec::new();
    for segment in &snapshot.segments {
        let fast = segment.reader.fast_fields();
        let columns = fast.dynamic_column_handles(column)?;
        kinds.extend(columns.iter().map(|column| column.column_type()));
    }
    Ok(kinds)
}

/// The first names in their order, each once; `most` are looked at in each segment.
pub fn first(snapshot: &Snapshot, most: usize) -> Result<Vec<String>, Failure> {
    let mut found = BTreeSet::new();
    for segment in &snapshot.segments {
        let terms = segment
            .reader
            .inverted_index(snapshot.definition.exact_terms)?;
        let names = terms.terms().range().ge(name_term("")).lt(behind_names());
        let mut stream = names.into_stream()?;
        let mut seen = 0;
        while seen < most && stream.advance() {
            seen += 1;
            found.insert(name_of(stream.key()));
        }
    }
    Ok(found.into_iter().take(most).collect())
}
