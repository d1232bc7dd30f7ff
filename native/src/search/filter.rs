//! Filters: a condition → the set of positions that fulfil it.

use std::collections::HashSet;

use serde_json::Value;
use tantivy::schema::IndexRecordOption;
use tantivy::Term;

use crate::engine::bits::Bits;
use crate::engine::column::{self, Bound, Codes, Column, Columns, Place};
use crate::engine::definition::FieldKind;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::query::Node;
use crate::search::text::clause::Way;
use crate::search::text::postings::{FieldReader, Postings};
use crate::value::word_of;

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
        deadline::look()?;
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
                for word in values.iter().filter_map(word_of) {
                    self.add_term(&Term::from_field_text(exact, &word), &mut bits)?;
                }
                Ok(bits)
            }
            place => {
                let mut bits = self.nothing();
                for columns in self.snapshot.columns(&place)? {
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
        for word in values.iter().filter_map(word_of) {
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
        let sides = range.sides();
        for columns in self.snapshot.columns(&place)? {
            for column in &columns.columns {
                match column.within(&sides)? {
                    Some(Codes::Between(low, high)) => {
                        add_codes(&columns, column, low, high, &mut bits);
                    }
                    Some(Codes::Among(codes)) => add_any(&columns, column, &codes, &mut bits),
                    None => {}
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

    fn sides(&self) -> Vec<(&Value, Bound)> {
        let bounds = [
            (self.gt, Bound::Above),
            (self.gte, Bound::From),
            (self.lt, Bound::Below),
            (self.lte, Bound::To),
        ];
        let sides = bounds.into_iter();
        sides
            .filter_map(|(value, bound)| Some((value?, bound)))
            .collect()
    }
}

/// From this many values on one pass over the documents is cheaper than one per value.
const VALUES_FEW: usize = 4;

fn add_equal(columns: &Columns, values: &[Value], bits: &mut Bits) -> Result<(), Failure> {
    for column in &columns.columns {
        let codes = column.codes_of(values)?;
        if codes.len() <= VALUES_FEW {
            codes
                .iter()
                .for_each(|code| add_codes(columns, column, *code, *code, bits));
            continue;
        }
        add_any(columns, column, &codes, bits);
    }
    Ok(())
}

fn add_any(columns: &Columns, column: &Column, codes: &HashSet<u64>, bits: &mut Bits) {
    for document in 0..columns.documents {
        let mut own = column.codes.values_for_doc(document);
        if own.any(|code| codes.contains(&code)) {
            bits.set(columns.base + document);
        }
    }
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
