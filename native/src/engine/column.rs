//! Values by column: what a field's values are in every segment, as codes that keep their order.

pub mod bounds;
pub mod wanted;

use serde_json::Value;
use tantivy::columnar::{ColumnType, DynamicColumn, StrColumn, TermOrdHit};
use tantivy::{u64_to_f64, u64_to_i64, SegmentReader};

use crate::date::parse_date;
use crate::engine::definition::{Definition, FieldEntry, FieldKind, DYNAMIC_PATH_BYTES_MAX};
use crate::failure::Failure;
use crate::value::number_written;

/// Documents whose values are read at a time.
const READ_AT_ONCE: usize = 512;

/// Where the values of a name in a request lie.
pub enum Place<'a> {
    /// In the columns of a field; for text with a keyword field over the same source, that one.
    Field(&'a FieldEntry),
    /// In the columns of a path that no field names.
    Dynamic(String),
    /// Nowhere: text that is only analysed.
    Analysed(&'a FieldEntry),
    /// Nowhere.
    Unknown,
}

/// Resolves a name.
pub fn place<'a>(definition: &'a Definition, name: &str) -> Place<'a> {
    match definition.field(name) {
        Some(field) if field.kind == FieldKind::Text => {
            let exact = definition
                .fields
                .iter()
                .find(|other| other.kind == FieldKind::Keyword && other.path == field.path);
            exact.map_or(Place::Analysed(field), Place::Field)
        }
        Some(field) => Place::Field(field),
        None if definition.dynamic && is_path(name) => Place::Dynamic(name.to_owned()),
        None => Place::Unknown,
    }
}

/// Whether a column holds numbers.
pub fn is_number(kind: ColumnType) -> bool {
    matches!(kind, ColumnType::I64 | ColumnType::U64 | ColumnType::F64)
}

/// Whether values may lie under a name that no field has.
fn is_path(name: &str) -> bool {
    (1..=DYNAMIC_PATH_BYTES_MAX).contains(&name.len())
}

/// The columns of a name in one segment.
pub struct Columns {
    /// Global position of the segment's document 0.
    pub base: u32,
    /// Documents of the segment, deleted ones included.
    pub documents: u32,
    /// One column per type of value; a field of the mapping has one at most.
    pub columns: Vec<Column>,
}

/// One column: values as codes whose order is the order of the values.
#[derive(Clone)]
pub struct Column {
    /// The type of its values.
    pub kind: ColumnType,
    /// The codes; for strings, numbers in the sorted list of the segment's strings.
    pub codes: tantivy::columnar::Column<u64>,
    /// The dates among the strings of a dynamic path: a shadow of the string column.
    pub dates: bool,
    /// Whether the path is dynamic: dates among its strings are then compared in their shadow.
    pub dynamic: bool,
    strings: Option<StrColumn>,
}

/// Opens the columns of a place in segments, each given by the position of its document 0 and its reader.
pub fn open<'a>(
    segments: impl ExactSizeIterator<Item = (u32, &'a SegmentReader)>,
    place: &Place,
) -> Result<Vec<Columns>, Failure> {
    let (name, shadow) = match place {
        Place::Field(field) => (field.column.clone(), None),
        Place::Dynamic(path) => (
            Definition::dynamic_column(path),
            Some(Definition::dynamic_date_column(path)),
        ),
        Place::Analysed(_) | Place::Unknown => return Ok(Vec::new()),
    };
    let mut all = Vec::with_capacity(segments.len());
    for (base, reader) in segments {
        let fast = reader.fast_fields();
        let mut columns = Vec::new();
        if let Some(shadow) = &shadow {
            for handle in fast.dynamic_column_handles(shadow)? {
                if handle.column_type() == ColumnType::DateTime {
                    columns.extend(Column::new(handle.open()?, true, true));
                }
            }
        }
        for handle in fast.dynamic_column_handles(&name)? {
            columns.extend(Column::new(handle.open()?, false, shadow.is_some()));
        }
        all.push(Columns {
            base,
            documents: reader.max_doc(),
            columns,
        });
    }
    Ok(all)
}

/// The dates of a name in one segment; `None` when it has none there.
pub fn dates(
    definition: &Definition,
    reader: &SegmentReader,
    name: &str,
) -> Result<Option<Column>, Failure> {
    let (name, shadow) = match place(definition, name) {
        Place::Field(field) => (field.column.clone(), false),
        Place::Dynamic(path) => (Definition::dynamic_date_column(&path), true),
        Place::Analysed(_) | Place::Unknown => return Ok(None),
    };
    for handle in reader.fast_fields().dynamic_column_handles(&name)? {
        if handle.column_type() == ColumnType::DateTime {
            return Ok(Column::new(handle.open()?, shadow, shadow));
        }
    }
    Ok(None)
}

impl Columns {
    /// The dates that shadow strings.
    pub fn dates(&self) -> Option<&Column> {
        self.columns.iter().find(|column| column.dates)
    }

    /// The columns without the dates that shadow strings: every value once.
    pub fn values(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.dates)
    }
}

impl Column {
    fn new(column: DynamicColumn, dates: bool, dynamic: bool) -> Option<Column> {
        let kind = column.column_type();
        let (codes, strings) = match column {
            DynamicColumn::Bool(column) => (column.to_u64_monotonic(), None),
            DynamicColumn::I64(column) => (column.to_u64_monotonic(), None),
            DynamicColumn::U64(column) => (column, None),
            DynamicColumn::F64(column) => (column.to_u64_monotonic(), None),
            DynamicColumn::DateTime(column) => (column.to_u64_monotonic(), None),
            DynamicColumn::Str(column) => (column.clone().into_parts().1, Some(column)),
            DynamicColumn::IpAddr(_) | DynamicColumn::Bytes(_) => return None,
        };
        Some(Column {
            kind,
            codes,
            dates,
            dynamic,
            strings,
        })
    }

    /// Calls `each` with the document and the code of each value that documents of a segment have, given by their ascending
    /// positions; those of a document come in a row. Many are read at a time: one by itself passes several layers.
    pub fn for_each_code(&self, base: u32, positions: &[u32], mut each: impl FnMut(u32, u64)) {
        let (mut documents, mut owners) = (Vec::new(), Vec::new());
        let (mut rows, mut codes) = (Vec::new(), Vec::new());
        for some in positions.chunks(READ_AT_ONCE) {
            documents.clear();
            documents.extend(some.iter().map(|position| position - base));
            owners.clear();
            rows.clear();
            self.codes
                .row_ids_for_docs(&documents, &mut owners, &mut rows);
            codes.resize(rows.len(), 0);
            self.codes.values.get_vals(&rows, &mut codes);
            for (document, code) in owners.iter().zip(&codes) {
                each(*document, *code);
            }
        }
    }

    /// Whether a value may equal one of this column's. Where no mapping says what values are, the
    /// same word is the same value whatever its type, and so is the same instant however it is
    /// written, but nothing else ("5" is 5, "5.0" is not): facets count by the same rule.
    pub fn may_equal(&self, value: &Value) -> bool {
        match (self.kind, value) {
            _ if !self.dynamic => true,
            (ColumnType::Str | ColumnType::Bool, _) => true,
            (ColumnType::DateTime, Value::String(word)) => parse_date(word).is_some(),
            (ColumnType::DateTime, _) => false,
            (_, Value::String(word)) => number_written(word).is_some(),
            _ => true,
        }
    }

    /// The value of a code as a number, dates in milliseconds; `None` for strings.
    pub fn number(&self, code: u64) -> Option<f64> {
        match self.kind {
            ColumnType::I64 => Some(u64_to_i64(code) as f64),
            ColumnType::U64 | ColumnType::Bool => Some(code as f64),
            ColumnType::F64 => Some(u64_to_f64(code)),
            ColumnType::DateTime => Some(u64_to_i64(code) as f64 / 1000.0),
            _ => None,
        }
    }

    /// The string of a code of a string column.
    pub fn word(&self, code: u64) -> Result<String, Failure> {
        let mut word = String::new();
        if let Some(strings) = &self.strings {
            strings.ord_to_str(code, &mut word)?;
        }
        Ok(word)
    }

    /// The strings of codes that ascend, one after the other; none for other columns.
    pub fn for_each_word(&self, codes: &[u64], mut each: impl FnMut(&str)) -> Result<(), Failure> {
        if let Some(strings) = &self.strings {
            let dictionary = strings.dictionary();
            dictionary.sorted_ords_to_term_cb(codes, |word| match std::str::from_utf8(word) {
                Ok(word) => each(word),
                Err(_) => each(&String::from_utf8_lossy(word)),
            })?;
        }
        Ok(())
    }

    /// Where a string stands in the sorted list of a string column; `None` for other columns.
    pub fn find(&self, word: &str) -> Result<Option<TermOrdHit>, Failure> {
        Ok(match &self.strings {
            Some(strings) => Some(strings.dictionary().term_ord_or_next(word.as_bytes())?),
            None => None,
        })
    }

    /// How many strings a string column knows in this segment.
    pub fn words(&self) -> Option<usize> {
        let strings = self.strings.as_ref();
        strings.map(|strings| strings.dictionary().num_terms())
    }
}
