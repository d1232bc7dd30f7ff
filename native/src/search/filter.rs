//! Filters: a condition → the set of positions that fulfil it.

use serde_json::Value;
use tantivy::schema::IndexRecordOption;
use tantivy::{InvertedIndexReader, Term};

use crate::engine::bits::Bits;
use crate::engine::codes::CodeSet;
use crate::engine::column::bounds::{Bound, Codes};
use crate::engine::column::wanted::Wanted;
use crate::engine::column::{self, Column, Columns, Place};
use crate::engine::definition::FieldKind;
use crate::engine::exact_terms::{name_term, value_term};
use crate::engine::segment::SegmentView;
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
            place => self.equal(&place, values),
        }
    }

    fn equal(&self, place: &Place, values: &[Value]) -> Result<Bits, Failure> {
        let number = match place {
            Place::Field(field) if field.kind == FieldKind::Keyword => Some(field.number),
            _ => None,
        };
        let mut bits = self.nothing();
        let mut wanted = Wanted::of(values, place);
        for segment in &self.snapshot.segments {
            deadline::look()?;
            if let Some(number) = number.filter(|_| looks_up(&wanted, segment)) {
                let words = wanted.words().iter();
                let terms = words.map(|word| value_term(number, word));
                self.add_terms(segment, terms, &mut bits)?;
                continue;
            }
            let one = std::iter::once((segment.base, segment.reader.as_ref()));
            for columns in column::open(one, place)? {
                add_equal(&columns, &mut wanted, &mut bits)?;
            }
        }
        Ok(bits)
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
            deadline::look()?;
            let mut found = analyzer.terms(&word);
            if found.is_empty() {
                found = analyzer.alone_terms(&word);
            }
            // As a list: a set of all documents for each of thousands of values takes longer than to read their words.
            let mut all: Option<Vec<u32>> = None;
            for term in found {
                let way = Way::term(term.text, 1.0);
                reader.read(self.snapshot, &[way], &mut postings)?;
                match &mut all {
                    Some(all) => keep_those_in(all, &postings.positions),
                    None => all = Some(postings.positions.clone()),
                }
            }
            let all = all.iter().flatten();
            all.for_each(|position| any.set(*position));
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
        for segment in &self.snapshot.segments {
            self.add_terms(segment, [name_term(name)], &mut bits)?;
        }
        Ok(bits)
    }

    /// Adds the documents of a segment that have any of some terms of whole values.
    fn add_terms(
        &self,
        segment: &SegmentView,
        terms: impl IntoIterator<Item = Vec<u8>>,
        bits: &mut Bits,
    ) -> Result<(), Failure> {
        let field = self.snapshot.definition.exact_terms;
        let inverted = segment.reader.inverted_index(field)?;
        for term in terms {
            add_term(
                segment,
                &inverted,
                &Term::from_field_bytes(field, &term),
                bits,
            )?;
        }
        Ok(())
    }
}

/// Leaves those positions that others hold; both ascend.
fn keep_those_in(positions: &mut Vec<u32>, others: &[u32]) {
    let mut others = others.iter().peekable();
    positions.retain(|position| {
        while others.next_if(|other| *other < position).is_some() {}
        others.peek() == Some(&position)
    });
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

/// So many documents are passed by in a column, and their words in its dictionary, in the time that one word takes to be
/// looked up among the terms, …
const LOOKUP_DOCUMENTS: usize = 32;
/// … and as many as these while a column is opened.
const OPENED_DOCUMENTS: usize = 1024;

fn looks_up(wanted: &Wanted, segment: &SegmentView) -> bool {
    wanted.words().len() * LOOKUP_DOCUMENTS < segment.numbers.ords.len().max(OPENED_DOCUMENTS)
}

fn add_term(
    segment: &SegmentView,
    inverted: &InvertedIndexReader,
    term: &Term,
    bits: &mut Bits,
) -> Result<(), Failure> {
    let Some(mut block) = inverted.read_block_postings(term, IndexRecordOption::Basic)? else {
        return Ok(());
    };
    while !block.docs().is_empty() {
        for document in block.docs() {
            bits.set(segment.base + document);
        }
        block.advance();
    }
    Ok(())
}

/// From this many values on one pass over the documents is cheaper than one per value.
const VALUES_FEW: usize = 4;

fn add_equal(columns: &Columns, wanted: &mut Wanted, bits: &mut Bits) -> Result<(), Failure> {
    for column in &columns.columns {
        wanted.in_column(column, |codes| match codes.list() {
            few if few.len() <= VALUES_FEW => {
                let few = few.iter();
                few.for_each(|code| add_codes(columns, column, *code, *code, bits));
            }
            _ => add_any(columns, column, codes, bits),
        })?;
    }
    Ok(())
}

fn add_any(columns: &Columns, column: &Column, codes: &CodeSet, bits: &mut Bits) {
    for document in 0..columns.documents {
        let mut own = column.codes.values_for_doc(document);
        if own.any(|code| codes.contains(code)) {
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
