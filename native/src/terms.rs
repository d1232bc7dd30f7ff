//! The words of a query → clauses: what a document must or may have, per analyzer.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tantivy::schema::Field;

use crate::analysis::{Analyzer, QueryTerm};
use crate::definition::{Definition, FieldEntry};
use crate::failure::Failure;
use crate::query::{Fuzziness, Operator, Request};
use crate::snapshot::Snapshot;
use crate::words;

/// Most words that the beginning of a word stands for.
pub const PREFIX_WORDS_MAX: usize = 128;
/// Most words that a misspelt word stands for.
pub const NEAR_WORDS_MAX: usize = 64;

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

/// One place in a row of words.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Distance in words from the first place.
    pub offset: u32,
    /// Terms of which any may stand there.
    pub terms: Vec<String>,
}

/// One way to satisfy a clause: a term, or a row of terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// The places; one place = a plain term.
    pub slots: Vec<Slot>,
    /// What an occurrence counts, 1 for the word itself.
    pub weight: f32,
    /// Places that a row may be moved by in all.
    pub slop: u32,
}

impl Way {
    /// A plain term.
    pub fn term(text: String, weight: f32) -> Way {
        let terms = vec![text];
        Way {
            slots: vec![Slot { offset: 0, terms }],
            weight,
            slop: 0,
        }
    }

    fn row(terms: Vec<String>) -> Way {
        let slots = terms.into_iter().zip(0..).map(|(term, offset)| Slot {
            offset,
            terms: vec![term],
        });
        Way {
            slots: slots.collect(),
            weight: 1.0,
            slop: 0,
        }
    }
}

/// One part of a query; it scores as one term whatever the way it is found.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The part as it stands in the query.
    pub text: String,
    /// The ways to find it, per analyzer of the plan.
    pub ways: Vec<Vec<Way>>,
    /// How often it stands in the query.
    pub count: f32,
    /// Whether every match must have it.
    pub required: bool,
}

/// What a text search of one index looks for, and where.
pub struct Plan<'a> {
    /// Where.
    pub fields: Vec<SearchField<'a>>,
    /// What.
    pub clauses: Vec<Clause>,
}

/// A clause with its byte range in the part of the query that it came from.
struct Placed {
    from: usize,
    to: usize,
    ways: Vec<Vec<Way>>,
}

/// Reads the query with each field's search analyzer.
pub fn plan<'a>(snapshot: &'a Snapshot, request: &Request) -> Result<Plan<'a>, Failure> {
    let (fields, analyzers) = fields_of(&snapshot.definition, request);
    let main = main_group(&fields, analyzers.len());
    let parts = parts_of(&request.query, request.phrase);
    let mut clauses = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let last = request.prefix && i + 1 == parts.len();
        let reader = Reader {
            snapshot,
            analyzers: &analyzers,
            text: part.text,
        };
        if part.phrase {
            clauses.extend(reader.phrase(request.slop, last && request.phrase)?);
            continue;
        }
        let mut placed = reader.words();
        if request.fuzziness != Fuzziness::None {
            reader.add_near(&mut placed, request.fuzziness)?;
        }
        if last {
            reader.add_prefix(&mut placed)?;
        }
        clauses.extend(placed.into_iter().map(|place| Clause {
            text: part.text[place.from..place.to].to_owned(),
            // A word that only some analyzers know (a stop word to the others) is a wish.
            required: request.operator == Operator::And
                && place.ways.get(main).is_some_and(|ways| !ways.is_empty()),
            ways: place.ways,
            count: 1.0,
        }));
    }
    Ok(Plan {
        fields,
        clauses: merged(clauses),
    })
}

/// The fields that a text search of this request looks in, and the analyzers of its words.
fn fields_of<'a>(
    definition: &'a Definition,
    request: &Request,
) -> (Vec<SearchField<'a>>, Vec<&'a Arc<Analyzer>>) {
    let factor = |name: &str| -> f32 {
        let boost = request.boost.as_ref().and_then(|b| b.get(name));
        boost.copied().unwrap_or(1.0)
    };
    // (field, weight in the combined field, boost): the mapping's weights say how much a word
    // in a field tells, measured best in the combined field alone; a request's weights are wishes
    // and count everywhere.
    let chosen: Vec<(&FieldEntry, f32, f32)> = match &request.fields {
        Some(names) => known_fields(definition, names),
        None => definition.searched().map(|f| (f, f.weight, 1.0)).collect(),
    };
    let mut analyzers: Vec<&Arc<Analyzer>> = Vec::new();
    let mut fields = Vec::new();
    for (entry, weight, boost) in chosen {
        let factor = factor(&entry.name);
        let (weight, boost) = (weight * factor, boost * factor);
        let (Some(field), Some(analyzer)) = (entry.text, &entry.search_analyzer) else {
            continue;
        };
        if weight <= 0.0 {
            continue;
        }
        let known = analyzers.iter().position(|a| Arc::ptr_eq(a, analyzer));
        let group = known.unwrap_or_else(|| {
            analyzers.push(analyzer);
            analyzers.len() - 1
        });
        fields.push(SearchField {
            entry,
            field,
            weight,
            boost,
            group,
        });
    }
    (fields, analyzers)
}

fn known_fields<'a>(
    definition: &'a Definition,
    names: &BTreeMap<String, f32>,
) -> Vec<(&'a FieldEntry, f32, f32)> {
    // In the definition's order, so that sums don't depend on the order of the request.
    let fields = definition.fields.iter();
    fields
        .filter_map(|field| {
            names
                .get(&field.name)
                .map(|weight| (field, *weight, *weight))
        })
        .collect()
}

/// The analyzer that reads the most fields.
fn main_group(fields: &[SearchField], groups: usize) -> usize {
    let size = |group: usize| fields.iter().filter(|f| f.group == group).count();
    (0..groups)
        .max_by_key(|group| (size(*group), usize::MAX - group))
        .unwrap_or(0)
}

/// A stretch of the query: plain words, or a phrase.
#[derive(Debug, PartialEq)]
pub struct Part<'a> {
    /// The stretch, without its quotes.
    pub text: &'a str,
    /// Whether it stood in quotes.
    pub phrase: bool,
}

/// Splits a query at its quoted phrases. A quote without a partner is no quote.
pub fn parts_of(query: &str, whole: bool) -> Vec<Part<'_>> {
    if whole {
        let text = query.trim().trim_matches('"');
        return vec![Part { text, phrase: true }];
    }
    let mut parts = Vec::new();
    let mut rest = query;
    while let Some(open) = rest.find('"') {
        let Some(length) = rest[open + 1..].find('"') else {
            break;
        };
        push_part(&mut parts, &rest[..open], false);
        push_part(&mut parts, &rest[open + 1..open + 1 + length], true);
        rest = &rest[open + length + 2..];
    }
    push_part(&mut parts, rest, false);
    parts
}

fn push_part<'a>(parts: &mut Vec<Part<'a>>, text: &'a str, phrase: bool) {
    if !text.trim().is_empty() {
        parts.push(Part { text, phrase });
    }
}

struct Reader<'a> {
    snapshot: &'a Snapshot,
    analyzers: &'a [&'a Arc<Analyzer>],
    text: &'a str,
}

impl Reader<'_> {
    /// A clause for each word. Words that several analyzers find at the same place are one clause.
    fn words(&self) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::new();
        for (group, analyzer) in self.analyzers.iter().enumerate() {
            let known = placed.len();
            for term in analyzer.query_terms(self.text) {
                let ways = ways_of(&term);
                let same = placed[..known]
                    .iter_mut()
                    .find(|p| p.from < term.to && term.from < p.to);
                match same {
                    Some(place) => place.ways[group].extend(ways),
                    None => placed.push(self.place(term.from, term.to, group, ways)),
                }
            }
        }
        placed.sort_by_key(|place| place.from);
        placed
    }

    fn place(&self, from: usize, to: usize, group: usize, ways: Vec<Way>) -> Placed {
        let mut all = vec![Vec::new(); self.analyzers.len()];
        all[group] = ways;
        Placed {
            from,
            to,
            ways: all,
        }
    }

    /// Adds to each word the words that are nearly it.
    fn add_near(&self, placed: &mut [Placed], fuzziness: Fuzziness) -> Result<(), Failure> {
        let plain = &self.snapshot.definition.words_analyzer;
        for place in placed {
            let own = plain.terms(&self.text[place.from..place.to]);
            let [word] = own.as_slice() else { continue };
            let length = word.text.chars().count();
            let edits = fuzziness.edits(length);
            if edits == 0 {
                continue;
            }
            for near in words::near(self.snapshot, &word.text, edits, NEAR_WORDS_MAX)? {
                let weight = 1.0 - f32::from(near.distance) / length as f32;
                if near.distance > 0 && weight > 0.0 {
                    self.add_word(place, &near.text, weight);
                }
            }
        }
        Ok(())
    }

    /// Makes the last word the beginning of a word.
    fn add_prefix(&self, placed: &mut Vec<Placed>) -> Result<(), Failure> {
        let plain = &self.snapshot.definition.words_analyzer;
        let Some(word) = plain.terms(self.text).pop() else {
            return Ok(());
        };
        let at = placed
            .iter()
            .rposition(|p| p.from < word.to && word.from < p.to);
        let at = at.unwrap_or_else(|| {
            placed.push(self.place(word.from, word.to, 0, Vec::new()));
            placed.len() - 1
        });
        for found in words::completions(self.snapshot, &word.text, PREFIX_WORDS_MAX)? {
            self.add_word(&mut placed[at], &found.text, 1.0);
        }
        Ok(())
    }

    fn add_word(&self, place: &mut Placed, word: &str, weight: f32) {
        for (group, analyzer) in self.analyzers.iter().enumerate() {
            let mut terms = analyzer.terms(word);
            if terms.len() == 1 {
                let text = terms.remove(0).text;
                add_way(&mut place.ways[group], Way::term(text, weight));
            }
        }
    }

    /// The whole text as one row of words.
    fn phrase(&self, slop: u32, prefix: bool) -> Result<Option<Clause>, Failure> {
        let mut ways = vec![Vec::new(); self.analyzers.len()];
        for (group, analyzer) in self.analyzers.iter().enumerate() {
            let terms = analyzer.query_terms(self.text);
            let Some(first) = terms.first().map(|t| t.position) else {
                continue;
            };
            let mut slots: Vec<Slot> = terms.iter().flat_map(|t| slots_of(t, first)).collect();
            if prefix {
                self.open_end(analyzer, &mut slots)?;
            }
            ways[group].push(Way {
                slots,
                weight: 1.0,
                slop,
            });
        }
        let known = ways.iter().any(|ways| !ways.is_empty());
        Ok(known.then(|| Clause {
            text: self.text.to_owned(),
            ways,
            count: 1.0,
            required: true,
        }))
    }

    fn open_end(&self, analyzer: &Analyzer, slots: &mut [Slot]) -> Result<(), Failure> {
        let plain = &self.snapshot.definition.words_analyzer;
        let (Some(word), Some(slot)) = (plain.terms(self.text).pop(), slots.last_mut()) else {
            return Ok(());
        };
        for found in words::completions(self.snapshot, &word.text, PREFIX_WORDS_MAX)? {
            let mut terms = analyzer.terms(&found.text);
            if terms.len() == 1 {
                let text = terms.remove(0).text;
                if !slot.terms.contains(&text) {
                    slot.terms.push(text);
                }
            }
        }
        Ok(())
    }
}

fn ways_of(term: &QueryTerm) -> Vec<Way> {
    let alternatives = term.alternatives.iter().filter(|words| !words.is_empty());
    alternatives.map(|words| Way::row(words.clone())).collect()
}

/// The places of a word in a phrase: its one-word alternatives share a place; something that is
/// several words itself takes several.
fn slots_of(term: &QueryTerm, first: usize) -> Vec<Slot> {
    let offset = (term.position - first) as u32;
    match term.alternatives.first() {
        Some(words) if words.len() > 1 => {
            let places = words.iter().zip(offset..);
            let slots = places.map(|(word, offset)| Slot {
                offset,
                terms: vec![word.clone()],
            });
            slots.collect()
        }
        _ => {
            let single = term.alternatives.iter().filter(|words| words.len() == 1);
            let terms = single.map(|words| words[0].clone()).collect();
            vec![Slot { offset, terms }]
        }
    }
}

fn add_way(ways: &mut Vec<Way>, way: Way) {
    match ways.iter_mut().find(|known| known.slots == way.slots) {
        Some(known) => known.weight = known.weight.max(way.weight),
        None => ways.push(way),
    }
}

/// Equal clauses become one that counts as often as they stand in the query.
fn merged(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut out: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        match known.entry(key_of(&clause)) {
            std::collections::hash_map::Entry::Occupied(at) => {
                let same = &mut out[*at.get()];
                same.count += clause.count;
                same.required |= clause.required;
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(out.len());
                out.push(clause);
            }
        }
    }
    out
}

fn key_of(clause: &Clause) -> String {
    let mut key = String::new();
    for ways in &clause.ways {
        for way in ways {
            for slot in &way.slots {
                for term in &slot.terms {
                    key.push_str(term);
                    key.push('\u{1}');
                }
                key.push_str(&slot.offset.to_string());
                key.push('\u{2}');
            }
            key.push_str(&way.weight.to_string());
            key.push('\u{3}');
        }
        key.push('\u{4}');
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(query: &str) -> Vec<(&str, bool)> {
        parts_of(query, false)
            .into_iter()
            .map(|part| (part.text, part.phrase))
            .collect()
    }

    #[test]
    fn quoted_parts_are_phrases() {
        assert_eq!(
            split(r#"a "b c" d"#),
            [("a ", false), ("b c", true), (" d", false)]
        );
    }

    #[test]
    fn a_quote_without_a_partner_is_no_quote() {
        assert_eq!(split(r#"5" disk"#), [(r#"5" disk"#, false)]);
        assert_eq!(split(r#""""#), []);
    }
}
