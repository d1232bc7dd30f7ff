//! Filters: a condition → the set of positions that fulfil it.

use std::collections::HashSet;

use serde_json::Value;
use tantivy::schema::IndexRecordOption;
use tantivy::Term;

use crate::clause::Way;
use crate::column::{self, Bound, Column, Columns, Place};
use crate::definition::FieldKind;
use crate::failure::Failure;
use crate::postings::{FieldReader, Postings};
use crate::query::Node;
use crate::snapshot::Snapshot;

/// A set of global positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// An empty set with room for `length` positions.
    pub fn new(length: usize) -> Bits {
        Bits {
            words: vec![0; length.div_ceil(64)],
        }
    }

    /// Empties the set and gives it room for `length` positions.
    pub fn reset(&mut self, length: usize) {
        self.words.clear();
        self.words.resize(length.div_ceil(64), 0);
    }

    /// All live documents of a view.
    pub fn live(snapshot: &Snapshot) -> Bits {
        let mut bits = Bits::new(snapshot.documents as usize);
        bits.set_range(0, snapshot.documents);
        for segment in snapshot.segments.iter().filter(|s| s.reader.has_deletes()) {
            for document in 0..segment.reader.max_doc() {
                if segment.reader.is_deleted(document) {
                    bits.unset(segment.base + document);
                }
            }
        }
        bits
    }

    /// Adds a position.
    #[inline]
    pub fn set(&mut self, position: u32) {
        self.words[position as usize / 64] |= 1 << (position % 64);
    }

    /// Adds ascending positions. Where they lie close together this is the faster way.
    pub fn set_all(&mut self, positions: &[u32]) {
        let (mut at, mut word) = (0, 0u64);
        for position in positions {
            let next = *position as usize / 64;
            if next != at {
                self.words[at] |= word;
                (at, word) = (next, 0);
            }
            word |= 1 << (position % 64);
        }
        if word != 0 {
            self.words[at] |= word;
        }
    }

    #[inline]
    fn unset(&mut self, position: u32) {
        self.words[position as usize / 64] &= !(1 << (position % 64));
    }

    fn set_range(&mut self, from: u32, to: u32) {
        for position in from..to.min(from.next_multiple_of(64)) {
            self.set(position);
        }
        let mut at = from.next_multiple_of(64);
        while at + 64 <= to {
            self.words[at as usize / 64] = u64::MAX;
            at += 64;
        }
        for position in at..to {
            self.set(position);
        }
    }

    /// Whether the position is in the set; false for one beyond its room.
    #[inline]
    pub fn get(&self, position: u32) -> bool {
        let word = self.words.get(position as usize / 64);
        word.is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// Keeps what is in both.
    pub fn and(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Adds the other's positions.
    pub fn or(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Removes the other's positions.
    pub fn without(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// The positions that are in both, ascending, put into `into`.
    pub fn common(&self, other: &Bits, into: &mut Vec<u32>) {
        into.clear();
        for (at, (a, b)) in self.words.iter().zip(&other.words).enumerate() {
            let mut rest = a & b;
            while rest != 0 {
                into.push((at * 64) as u32 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }

    /// How many positions are in both.
    pub fn count_common(&self, other: &Bits) -> usize {
        let both = self.words.iter().zip(&other.words);
        both.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// How many positions are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The positions, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.range(0, u32::MAX)
    }

    /// The positions from `from` to `to` (exclusive), ascending.
    pub fn range(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let first = from as usize / 64;
        let end = (to as usize).div_ceil(64).min(self.words.len());
        let words = self.words.get(first..end).unwrap_or_default();
        words.iter().enumerate().flat_map(move |(i, word)| {
            let base = ((first + i) * 64) as u32;
            let mut rest = *word;
            if base < from {
                rest &= u64::MAX << (from - base);
            }
            if to - base < 64 {
                rest &= (1 << (to - base)) - 1;
            }
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    base + bit
                })
            })
        })
    }
}

/// The live documents that fulfil a condition.
pub fn filter(snapshot: &Snapshot, node: &Node) -> Result<Bits, Failure> {
    let live = Bits::live(snapshot);
    Evaluation { snapshot, live }.node(node)
}

struct Evaluation<'a> {
    snapshot: &'a Snapshot,
    live: Bits,
}

impl Evaluation<'_> {
    fn node(&self, node: &Node) -> Result<Bits, Failure> {
        let mut result = self.live.clone();
        for part in node.and.iter().flatten() {
            result.and(&self.node(part)?);
        }
        if let Some(parts) = &node.or {
            let mut any = self.nothing();
            for part in parts {
                any.or(&self.node(part)?);
            }
            result.and(&any);
        }
        if let Some(part) = &node.not {
            result.without(&self.node(part)?);
        }
        if let Some(ords) = &node.ords {
            result.and(&self.numbered(ords));
        }
        if let Some(field) = &node.field {
            result.and(&self.leaf(field, node)?);
        }
        Ok(result)
    }

    fn nothing(&self) -> Bits {
        Bits::new(self.snapshot.documents as usize)
    }

    fn numbered(&self, ords: &[u64]) -> Bits {
        let mut bits = self.nothing();
        let found = ords
            .iter()
            .filter_map(|ord| self.snapshot.position_of(*ord));
        found.for_each(|position| bits.set(position));
        bits
    }

    fn leaf(&self, field: &str, node: &Node) -> Result<Bits, Failure> {
        let mut result = self.live.clone();
        if let Some(values) = &node.any {
            result.and(&self.any(field, values)?);
        }
        let range = Range {
            gt: node.gt.as_ref(),
            gte: node.gte.as_ref(),
            lt: node.lt.as_ref(),
            lte: node.lte.as_ref(),
        };
        if range.is_some() {
            result.and(&self.range(field, &range)?);
        }
        match node.exists {
            Some(true) => result.and(&self.exists(field)?),
            Some(false) => result.without(&self.exists(field)?),
            None => {}
        }
        Ok(result)
    }

    fn any(&self, name: &str, values: &[Value]) -> Result<Bits, Failure> {
        match column::place(&self.snapshot.definition, name) {
            Place::Unknown => Ok(self.nothing()),
            Place::Analysed(_) => self.analysed(name, values),
            Place::Field(field) if field.kind == FieldKind::Keyword => {
                let Some(exact) = field.exact else {
                    return Ok(self.nothing());
                };
                let mut bits = self.nothing();
                for word in values.iter().filter_map(column::word_of) {
                    self.add_term(&Term::from_field_text(exact, &word), &mut bits)?;
                }
                Ok(bits)
            }
            place => {
                let mut bits = self.nothing();
                for columns in column::open(self.snapshot, &place)? {
                    add_equal(&columns, values, &mut bits)?;
                }
                Ok(bits)
            }
        }
    }

    fn add_term(&self, term: &Term, bits: &mut Bits) -> Result<(), Failure> {
        for segment in &self.snapshot.segments {
            let inverted = segment.reader.inverted_index(term.field())?;
            let basic = IndexRecordOption::Basic;
            let Some(mut block) = inverted.read_block_postings(term, basic)? else {
                continue;
            };
            while !block.docs().is_empty() {
                for document in block.docs() {
                    bits.set(segment.base + document);
                }
                block.advance();
            }
        }
        Ok(())
    }

    /// A text field without exact values: a value is found where all of its terms are.
    fn analysed(&self, name: &str, values: &[Value]) -> Result<Bits, Failure> {
        let mut any = self.nothing();
        let field = self.snapshot.definition.field(name);
        let Some((field, analyzer)) = field.and_then(|f| Some((f.text?, f.analyzer.as_ref()?)))
        else {
            return Ok(any);
        };
        let reader = FieldReader::open(self.snapshot, field)?;
        let mut postings = Postings::default();
        for word in values.iter().filter_map(column::word_of) {
            let found = analyzer.terms(&word);
            let mut all = if found.is_empty() {
                self.nothing()
            } else {
                self.live.clone()
            };
            for term in found {
                let way = Way::term(term.text, 1.0);
                reader.read(self.snapshot, &[way], &mut postings)?;
                let mut bits = self.nothing();
                postings.positions.iter().for_each(|p| bits.set(*p));
                all.and(&bits);
            }
            any.or(&all);
        }
        Ok(any)
    }

    fn range(&self, name: &str, range: &Range) -> Result<Bits, Failure> {
        let mut bits = self.nothing();
        let place = column::place(&self.snapshot.definition, name);
        for columns in column::open(self.snapshot, &place)? {
            for column in &columns.columns {
                if let Some((low, high)) = range.codes(column)? {
                    add_codes(&columns, column, low, high, &mut bits);
                }
            }
        }
        Ok(bits)
    }

    fn exists(&self, name: &str) -> Result<Bits, Failure> {
        let mut bits = self.nothing();
        let present = self.snapshot.definition.present;
        self.add_term(&Term::from_field_text(present, name), &mut bits)?;
        Ok(bits)
    }
}

struct Range<'a> {
    gt: Option<&'a Value>,
    gte: Option<&'a Value>,
    lt: Option<&'a Value>,
    lte: Option<&'a Value>,
}

impl Range<'_> {
    fn is_some(&self) -> bool {
        self.gt.or(self.gte).or(self.lt).or(self.lte).is_some()
    }

    /// The codes of a column within the bounds; `None` when the bounds aren't of its type or
    /// leave nothing.
    fn codes(&self, column: &Column) -> Result<Option<(u64, u64)>, Failure> {
        let (mut low, mut high) = (0, u64::MAX);
        let bounds = [
            (self.gt, Bound::Above),
            (self.gte, Bound::From),
            (self.lt, Bound::Below),
            (self.lte, Bound::To),
        ];
        for (value, bound) in bounds {
            let Some(value) = value else { continue };
            match column.bound_of_range(value, bound)? {
                Some((from, to)) => (low, high) = (low.max(from), high.min(to)),
                None => return Ok(None),
            }
        }
        Ok((low <= high).then_some((low, high)))
    }
}

/// From this many values on one pass over the documents is cheaper than one per value.
const VALUES_FEW: usize = 4;

fn add_equal(columns: &Columns, values: &[Value], bits: &mut Bits) -> Result<(), Failure> {
    for column in &columns.columns {
        let mut codes = HashSet::new();
        for value in values.iter().filter(|value| column.may_equal(value)) {
            let low = column.bound(value, Bound::From)?;
            let high = column.bound(value, Bound::To)?;
            // The bounds meet in the code of the value, if the column holds it.
            if let (Some((low, most)), Some((least, high))) = (low, high) {
                if low == high && least <= low && low <= most {
                    codes.insert(low);
                }
            }
        }
        if codes.len() <= VALUES_FEW {
            codes
                .iter()
                .for_each(|code| add_codes(columns, column, *code, *code, bits));
            continue;
        }
        for document in 0..columns.documents {
            let mut own = column.codes.values_for_doc(document);
            if own.any(|code| codes.contains(&code)) {
                bits.set(columns.base + document);
            }
        }
    }
    Ok(())
}

fn add_codes(columns: &Columns, column: &Column, low: u64, high: u64, bits: &mut Bits) {
    // The library takes a range that ends below the least value for the least value.
    if high < column.codes.min_value() || low > column.codes.max_value() {
        return;
    }
    let mut documents = Vec::new();
    column
        .codes
        .get_docids_for_value_range(low..=high, 0..columns.documents, &mut documents);
    for document in documents {
        bits.set(columns.base + document);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_what_was_put_in() {
        let mut bits = Bits::new(200);
        bits.set_range(3, 130);
        bits.unset(64);
        assert_eq!(bits.count(), 126);
        assert!(!bits.get(2) && bits.get(3) && bits.get(129) && !bits.get(130) && !bits.get(64));
        assert!(!bits.get(5_000));
        let some: Vec<u32> = bits.range(60, 67).collect();
        assert_eq!(some, [60, 61, 62, 63, 65, 66]);
        assert_eq!(bits.iter().count(), 126);
    }
}
