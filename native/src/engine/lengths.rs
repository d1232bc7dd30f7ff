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
        Ok(used.fold(Lengths::default(), |sum, (code, count)| Lengths {
            tokens: sum.tokens + count * u64::from(FieldNormReader::id_to_fieldnorm(code as u8)),
            documents: sum.documents + count,
        }))
    }

    /// What is left of these without others that are among them.
    pub fn without(self, others: Lengths) -> Lengths {
        Lengths {
            tokens: self.tokens - others.tokens,
            documents: self.documents - others.documents,
        }
    }
}

/// The length that a code stands for.
#[inline]
pub fn length_of(code: u8) -> f32 {
    FieldNormReader::id_to_fieldnorm(code) as f32
}
