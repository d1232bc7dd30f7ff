//! Where a text search looks.

use tantivy::schema::Field;

use crate::engine::definition::FieldEntry;

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
