//! The words of a query → clauses: what a document must or may have, per analyzer.

use std::collections::BTreeMap;
use std::sync::Arc;

use tantivy::schema::Field;

use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::QueryTerm;
use crate::analysis::Analyzer;
use crate::engine::definition::{Definition, FieldEntry};
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::query::{Fuzziness, Operator, Request};
use crate::search::text::clause::{Clause, Merged, Pair, Slot, Way};
use crate::search::text::parts::parts_of;
use crate::search::text::rows::rows_of;
use crate::search::text::words;

/// Most words that the beginning of a word stands for.
pub const PREFIX_WORDS_MAX: usize = 128;
/// Most words that a misspelt word stands for.
pub const NEAR_WORDS_MAX: usize = 64;
/// Most pairs of neighbouring words that are looked at.
const PAIRS_MAX: usize = 32;
/// What a pair counts against a word.
const PAIR_WEIGHT: f32 = 0.2;

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

/// What a text search of one index looks for, and where.
pub struct Plan<'a> {
    /// Where.
    pub fields: Vec<SearchField<'a>>,
    /// What.
    pub clauses: Vec<Clause>,
    /// What makes a match better, and none that is none without it.
    pub pairs: Vec<Pair>,
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
    if fields.is_empty() {
        // No field to look in, so that no analyzer reads the query.
        return Ok(Plan {
            fields,
            clauses: Vec::new(),
            pairs: Vec::new(),
        });
    }
    let synonyms: Vec<Synonyms> = analyzers
        .iter()
        .map(|analyzer| analyzer.read_synonyms(&request.synonyms))
        .collect();
    let parts = parts_of(&request.query, request.phrase);
    let mut clauses = Merged::default();
    let mut pairs = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let last = request.prefix && i + 1 == parts.len();
        let reader = Reader {
            snapshot,
            analyzers: &analyzers,
            synonyms: &synonyms,
            text: part.text,
        };
        if part.phrase {
            let required = request.operator == Operator::And;
            if let Some(phrase) = reader.phrase(request.slop, last && request.phrase, required)? {
                clauses.add(phrase);
            }
            continue;
        }
        let (mut placed, reads) = reader.words();
        if request.fuzziness != Fuzziness::None {
            reader.add_near(&mut placed, request.fuzziness)?;
        }
        if last {
            reader.add_prefix(&mut placed)?;
        }
        let mut before = None;
        for place in placed {
            let clause = Clause {
                text: part.text[place.from..place.to].to_owned(),
                // A word that only some analyzers know (a stop word to the others) is a wish.
                required: request.operator == Operator::And
                    && reads.iter().all(|group| !place.ways[*group].is_empty()),
                ways: place.ways,
                count: 1.0,
            };
            let number = clauses.add(clause);
            if let Some(before) = before {
                add_pair(&clauses.list, before, number, &mut pairs);
            }
            before = Some(number);
        }
    }
    Ok(Plan {
        fields,
        clauses: clauses.list,
        pairs,
    })
}

fn add_pair(clauses: &[Clause], first: usize, second: usize, pairs: &mut Vec<Pair>) {
    let known = pairs
        .iter_mut()
        .find(|pair| (pair.first, pair.second) == (first, second));
    if let Some(pair) = known {
        pair.clause.count += PAIR_WEIGHT;
        return;
    }
    let (a, b) = (&clauses[first], &clauses[second]);
    let both = a.ways.iter().zip(&b.ways);
    let ways: Vec<Vec<Way>> = both
        .map(|(a, b)| match (plain_term(a), plain_term(b)) {
            (Some(a), Some(b)) => vec![Way::pair(a, b)],
            _ => Vec::new(),
        })
        .collect();
    if pairs.len() < PAIRS_MAX && ways.iter().any(|ways| !ways.is_empty()) {
        let text = format!("{} {}", a.text, b.text);
        let clause = Clause {
            text,
            ways,
            count: PAIR_WEIGHT,
            required: false,
        };
        pairs.push(Pair {
            first,
            second,
            clause,
        });
    }
}

/// The term of a clause as it stands in the query, if it is one.
fn plain_term(ways: &[Way]) -> Option<&str> {
    match ways.first()?.slots.as_slice() {
        [slot] => slot.terms.first().map(String::as_str),
        _ => None,
    }
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

struct Reader<'a> {
    snapshot: &'a Snapshot,
    analyzers: &'a [&'a Arc<Analyzer>],
    /// The request's own, per analyzer.
    synonyms: &'a [Synonyms],
    text: &'a str,
}

impl Reader<'_> {
    /// A clause for each word, and the numbers of the analyzers that find any. Words that several analyzers find at the
    /// same place are one clause; one that takes the place of several words of another analyzer is found for each.
    fn words(&self) -> (Vec<Placed>, Vec<usize>) {
        let mut found: Vec<(usize, Vec<QueryTerm>)> = (0..self.analyzers.len())
            .map(|group| (group, self.query_terms(group)))
            .filter(|(_, terms)| !terms.is_empty())
            .collect();
        // The finest first: its words are the places.
        found.sort_by_key(|(_, terms)| usize::MAX - terms.len());
        let mut placed: Vec<Placed> = Vec::new();
        for (group, terms) in &found {
            let known = placed.len();
            for term in terms {
                let ways = ways_of(term);
                let mut is_known = false;
                for place in &mut placed[..known] {
                    if place.from < term.to && term.from < place.to {
                        place.ways[*group].extend(ways.iter().cloned());
                        is_known = true;
                    }
                }
                if !is_known {
                    placed.push(self.place(term.from, term.to, *group, ways));
                }
            }
        }
        placed.sort_by_key(|place| place.from);
        (placed, found.into_iter().map(|(group, _)| group).collect())
    }

    fn query_terms(&self, group: usize) -> Vec<QueryTerm> {
        self.analyzers[group].query_terms(self.text, &self.synonyms[group])
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

    /// The whole text as one row of words, or as others that mean the same.
    fn phrase(&self, slop: u32, prefix: bool, required: bool) -> Result<Option<Clause>, Failure> {
        let mut ways = vec![Vec::new(); self.analyzers.len()];
        for (group, analyzer) in self.analyzers.iter().enumerate() {
            for mut slots in rows_of(&self.query_terms(group)) {
                if prefix {
                    self.open_end(analyzer, &mut slots)?;
                }
                ways[group].push(Way {
                    slots,
                    weight: 1.0,
                    slop,
                });
            }
        }
        let known = ways.iter().any(|ways| !ways.is_empty());
        Ok(known.then(|| Clause {
            text: self.text.to_owned(),
            ways,
            count: 1.0,
            required,
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
    term.alternatives.iter().map(|row| Way::row(row)).collect()
}

fn add_way(ways: &mut Vec<Way>, way: Way) {
    match ways.iter_mut().find(|known| known.slots == way.slots) {
        Some(known) => known.weight = known.weight.max(way.weight),
        None => ways.push(way),
    }
}
