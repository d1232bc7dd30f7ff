//! Values by column: what a field's values are in every segment, as codes that keep their order.

use serde_json::Value;
use tantivy::columnar::{ColumnType, DynamicColumn, StrColumn, TermOrdHit};
use tantivy::{f64_to_u64, i64_to_u64, u64_to_f64, u64_to_i64, SegmentReader};

use crate::date::parse_date;
use crate::engine::codes::CodeSet;
use crate::engine::definition::{Definition, FieldEntry, FieldKind, DYNAMIC_PATH_BYTES_MAX};
use crate::failure::Failure;
use crate::value::{bool_of, date_of, number_of, number_written, whole_of, word_of};

/// To look a word of a column up costs as much as to pass over so many: its block is read from the beginning.
const LOOKUP_WORDS: usize = 256;

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

/// The side of a value that a bound keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Greater.
    Above,
    /// Greater or equal.
    From,
    /// Less.
    Below,
    /// Less or equal.
    To,
}

impl Bound {
    /// Whether it keeps a value beside another.
    fn keeps(self, value: i64, other: i64) -> bool {
        match self {
            Bound::Above => value > other,
            Bound::From => value >= other,
            Bound::Below => value < other,
            Bound::To => value <= other,
        }
    }
}

/// What a range leaves of a column's codes.
pub enum Codes {
    /// From the first to the last, both included.
    Between(u64, u64),
    /// These alone.
    Among(CodeSet),
}

impl Codes {
    /// The first and the last one, where all between them are left.
    pub fn ends(&self) -> Option<(u64, u64)> {
        match self {
            Codes::Between(low, high) => Some((*low, *high)),
            Codes::Among(_) => None,
        }
    }

    /// Whether a code is left.
    pub fn contains(&self, code: u64) -> bool {
        match self {
            Codes::Between(low, high) => (*low..=*high).contains(&code),
            Codes::Among(codes) => codes.contains(code),
        }
    }
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

    /// Codes (from, to), both included, that a bound leaves; `None` when the value isn't of this
    /// column's type. From above to is an empty range.
    pub fn bound(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let exact = |code: u64| Some(cut(code, code, bound));
        Ok(match self.kind {
            ColumnType::Str => self.bound_of_word(value, bound)?,
            ColumnType::Bool => bool_of(value).and_then(|yes| exact(u64::from(yes))),
            ColumnType::F64 => number_of(value).and_then(|number| exact(f64_to_u64(number))),
            ColumnType::DateTime => date_of(value).and_then(|micros| exact(i64_to_u64(micros))),
            ColumnType::I64 => {
                whole_of(value).map(|(floor, ceil)| cut(i64_to_u64(floor), i64_to_u64(ceil), bound))
            }
            ColumnType::U64 => whole_of(value).map(|(floor, ceil)| {
                let code = |number: i64| number.max(0) as u64;
                cut(code(floor), code(ceil), bound)
            }),
            ColumnType::Bytes | ColumnType::IpAddr => None,
        })
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

    /// The codes of some values that is none of words: whether the column holds them is not asked.
    fn codes_of(&self, values: &[Value]) -> Result<CodeSet, Failure> {
        let mut codes = Vec::new();
        for value in values.iter().filter(|value| self.may_equal(value)) {
            let low = self.bound(value, Bound::From)?;
            let high = self.bound(value, Bound::To)?;
            // The bounds meet in the code of the value, if the column may hold it.
            if let (Some((low, most)), Some((least, high))) = (low, high) {
                if low == high && least <= low && low <= most {
                    codes.push(low);
                }
            }
        }
        Ok(CodeSet::of_numbers(codes))
    }

    /// The codes within all sides of a range; `None` when one of them isn't of this column's type,
    /// or they leave nothing. Words have no place between numbers, nor between dates: where a path
    /// holds both, a number bounds only the numbers, and a date only the dates.
    pub fn within(&self, sides: &[(&Value, Bound)]) -> Result<Option<Codes>, Failure> {
        let strings = self.dynamic && self.kind == ColumnType::Str;
        let (dates, others): (Vec<_>, Vec<_>) = sides
            .iter()
            .copied()
            .partition(|(value, _)| is_date_word(value));
        // Beside words, dates are bounded as words, too, and their shadow knows none.
        let mixed = strings && !dates.is_empty() && !others.is_empty();
        let (mut low, mut high) = (0, u64::MAX);
        let own = if mixed { &others[..] } else { sides };
        for (value, bound) in own {
            match self.side(value, *bound)? {
                Some((from, to)) => (low, high) = (low.max(from), high.min(to)),
                None => return Ok(None),
            }
        }
        if low > high {
            return Ok(None);
        }
        if mixed {
            return self.dated_words(low, high, &dates).map(Some);
        }
        Ok(Some(Codes::Between(low, high)))
    }

    fn side(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let date = is_date_word(value);
        let strings = self.dynamic && self.kind == ColumnType::Str;
        // A number would be some milliseconds after 1970 to dates.
        if (strings && (date || !value.is_string())) || (self.dates && !date) {
            return Ok(None);
        }
        self.bound(value, bound)
    }

    /// Those of a string column's codes whose words are dates within some sides.
    fn dated_words(
        &self,
        low: u64,
        high: u64,
        sides: &[(&Value, Bound)],
    ) -> Result<Codes, Failure> {
        let end = self.words().unwrap_or(0) as u64;
        let codes: Vec<u64> = (low..end.min(high.saturating_add(1))).collect();
        let mut next = codes.iter();
        let mut within = Vec::new();
        self.for_each_word(&codes, |word| {
            let (code, date) = (next.next(), parse_date(word));
            let keeps = |date: i64| {
                let mut sides = sides.iter();
                sides.all(|(value, bound)| date_of(value).is_some_and(|at| bound.keeps(date, at)))
            };
            within.extend(code.filter(|_| date.is_some_and(keeps)));
        })?;
        Ok(Codes::Among(CodeSet::of_words(within, end as usize)))
    }

    fn bound_of_word(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let (Some(strings), Some(word)) = (&self.strings, word_of(value)) else {
            return Ok(None);
        };
        if self.dynamic && parse_date(&word).is_some() {
            // The shadow column, if this segment has one, compares it as the date that it is.
            return Ok(None);
        }
        Ok(Some(
            match strings.dictionary().term_ord_or_next(word.as_bytes())? {
                TermOrdHit::Exact(code) => cut(code, code, bound),
                TermOrdHit::Next(next) => match bound {
                    Bound::Above | Bound::From => (next, u64::MAX),
                    Bound::Below | Bound::To => upto(next.checked_sub(1)),
                },
            },
        ))
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

/// Values that a field is compared with, made ready once for the columns of all segments.
pub struct Wanted<'a> {
    values: &'a [Value],
    /// As words, sorted, each once; without dates where the path is dynamic: these are found in the shadow column, if a
    /// segment has one.
    words: Vec<String>,
    /// The codes in columns of one type that is not that of words.
    numbers: Vec<(ColumnType, CodeSet)>,
}

impl<'a> Wanted<'a> {
    /// Values of a place.
    pub fn of(values: &'a [Value], place: &Place) -> Wanted<'a> {
        let dynamic = matches!(place, Place::Dynamic(_));
        let words = values.iter().filter_map(word_of);
        let words = words.filter(|word| !dynamic || parse_date(word).is_none());
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        words.dedup();
        Wanted {
            values,
            words,
            numbers: Vec::new(),
        }
    }

    /// The values as words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Hands the codes of those that a column may hold to `found`.
    pub fn in_column(
        &mut self,
        column: &Column,
        found: impl FnOnce(&CodeSet),
    ) -> Result<(), Failure> {
        if let Some(strings) = &column.strings {
            found(&codes_of_words(strings, &self.words)?);
            return Ok(());
        }
        let known = self
            .numbers
            .iter()
            .position(|(kind, _)| *kind == column.kind);
        let at = match known {
            Some(at) => at,
            None => {
                let codes = column.codes_of(self.values)?;
                self.numbers.push((column.kind, codes));
                self.numbers.len() - 1
            }
        };
        found(&self.numbers[at].1);
        Ok(())
    }
}

/// The codes of those of some sorted words that a column holds: looked up one by one when they are few, else met in the
/// order of the dictionary.
fn codes_of_words(strings: &StrColumn, words: &[String]) -> Result<CodeSet, Failure> {
    let dictionary = strings.dictionary();
    let end = dictionary.num_terms();
    let mut codes = Vec::new();
    if words.len() * LOOKUP_WORDS < end {
        for word in words {
            codes.extend(dictionary.term_ord(word)?);
        }
        return Ok(CodeSet::of_words(codes, end));
    }
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Ok(CodeSet::of_words(codes, end));
    };
    let mut known = dictionary.range().ge(first).le(last).into_stream()?;
    let mut wanted = words.iter().map(String::as_bytes).peekable();
    while wanted.peek().is_some() && known.advance() {
        while wanted.next_if(|word| *word < known.key()).is_some() {}
        if wanted.peek() == Some(&known.key()) {
            codes.push(known.term_ord());
        }
    }
    Ok(CodeSet::of_words(codes, end))
}

fn is_date_word(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|word| parse_date(word).is_some())
}

/// The codes a bound leaves of all, given the nearest codes at or below and at or above the value.
fn cut(floor: u64, ceil: u64, bound: Bound) -> (u64, u64) {
    match bound {
        Bound::Above => match floor.checked_add(1) {
            Some(code) => (code, u64::MAX),
            None => (1, 0),
        },
        Bound::From => (ceil, u64::MAX),
        Bound::Below => upto(ceil.checked_sub(1)),
        Bound::To => (0, floor),
    }
}

fn upto(last: Option<u64>) -> (u64, u64) {
    last.map_or((1, 0), |last| (0, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_leave_the_codes_on_their_side() {
        assert_eq!(cut(1, 2, Bound::Above).0, 2);
        assert_eq!(cut(1, 2, Bound::Below).1, 1);
        assert!(cut(0, 0, Bound::Below).0 > cut(0, 0, Bound::Below).1);
    }
}
