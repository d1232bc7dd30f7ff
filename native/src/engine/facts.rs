//! What every document has whatever is searched: the lengths of its fields and its date.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{u64_to_i64, DocId, SegmentReader};

use crate::engine::column::{self, Column};
use crate::engine::definition::Definition;
use crate::engine::lengths::length_of;
use crate::failure::Failure;

/// The dates that an age is counted from, the first that a document has.
const DATES: [&str; 2] = ["updated", "created"];

/// The lengths and dates of one segment. A view opens them once: that costs more than reading
/// those of a page of hits.
pub struct Facts {
    lengths: Vec<Length>,
    dates: Vec<Column>,
}

struct Length {
    field: Field,
    searched: bool,
    codes: FieldNormReader,
}

impl Facts {
    /// Opens those of a segment.
    pub fn open(definition: &Definition, reader: &SegmentReader) -> Result<Facts, Failure> {
        let norms = reader.fieldnorms_readers();
        let mut lengths = Vec::new();
        for entry in &definition.fields {
            let Some(field) = entry.text else { continue };
            lengths.extend(norms.get_field(field)?.map(|codes| Length {
                field,
                searched: entry.searched,
                codes,
            }));
        }
        let mut dates = Vec::new();
        for name in DATES {
            dates.extend(column::dates(definition, reader, name)?);
        }
        Ok(Facts { lengths, dates })
    }

    /// Terms of a document in a field.
    pub fn length(&self, field: Field, document: DocId) -> f32 {
        let own = self.lengths.iter().find(|length| length.field == field);
        own.map_or(0.0, |own| own.of(document))
    }

    /// Terms of a document in the fields that are searched by default.
    pub fn searched_length(&self, document: DocId) -> f32 {
        let searched = self.lengths.iter().filter(|length| length.searched);
        searched.map(|length| length.of(document)).sum()
    }

    /// The date of a document in microseconds since 1970: when it was updated, else created.
    pub fn date(&self, document: DocId) -> Option<i64> {
        let mut found = self.dates.iter();
        let code = found.find_map(|column| column.codes.values_for_doc(document).max());
        code.map(u64_to_i64)
    }
}

impl Length {
    fn of(&self, document: DocId) -> f32 {
        length_of(self.codes.fieldnorm_id(document))
    }
}
