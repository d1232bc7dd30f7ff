//! Lengths of fields in terms, which the index keeps as codes of one byte.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use crate::failure::Failure;

/// Sum of lengths and number of documents that have a field.
#[derive(Clone, Copy, Default)]
pub struct Lengths {
    /// The sum.
    pub tokens: u64,
    /// The documents.
    pub documents: u64,
    /// Code of a length that none of them is shorter than.
    pub least: u8,
}

impl Lengths {
    /// Counts those of a field in some documents of a segment.
    pub fn count(
        reader: &SegmentReader,
        field: Field,
        documents: impl Iterator<Item = DocId>,
    ) -> Result<Lengths, Failure> {
        let Some(lengths) = reader.fieldnorms_readers().get_field(field)? else {
            return Ok(Lengths::default());
        };
        let mut counts = [0u64; 256];
        for document in documents {
            counts[lengths.fieldnorm_id(document) as usize] += 1;
        }
        let used = counts.iter().enumerate().skip(1);
        let least = used.clone().find(|(_, count)| **count > 0);
        let none = Lengths {
            least: least.map_or(u8::MAX, |(code, _)| code as u8),
            ..Lengths::default()
        };
        Ok(used.fold(none, |sum, (code, count)| Lengths {
            tokens: sum.tokens + count * u64::from(FieldNormReader::id_to_fieldnorm(code as u8)),
            documents: sum.documents + count,
            ..sum
        }))
    }

    /// What is left of these without others that are among them.
    pub fn without(self, others: Lengths) -> Lengths {
        Lengths {
            tokens: self.tokens - others.tokens,
            documents: self.documents - others.documents,
            least: self.least,
        }
    }
}

/// The length that a code stands for.
#[inline]
pub fn length_of(code: u8) -> f32 {
    FieldNormReader::id_to_fieldnorm(code) as f32
}

/// The first code that stands for more than a length, the last of all where none does.
pub fn code_above(length: f32) -> u8 {
    let mut codes = 0..u8::MAX;
    codes
        .find(|code| length_of(*code) > length)
        .unwrap_or(u8::MAX)
}
