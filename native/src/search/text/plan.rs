//! The words of a query → clauses: what a document must or may have, per analyzer.

use std::ops::Range;

use crate::analysis::synonyms::Synonyms;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::query::{Fuzziness, Operator, Request};
use crate::search::text::clause::{plain_term, Clause, Merged, Pair, Way};
use crate::search::text::expansion::{is_any_in, Scope};
use crate::search::text::fuzzy::add_near;
use crate::search::text::guessed::{add_guesses, guesses};
use crate::search::text::katakana::take_apart;
use crate::search::text::part_reader::{PartReader, ReadWords, WAYS_MAX};
use crate::search::text::parts::parts_of;
use crate::search::text::rules::expand;
use crate::search::text::search_field::{fields_of, SearchField};
use crate::search::text::versions::joined_forms;
use crate::search::text::vocabulary::{PlainText, Vocabulary};
use crate::search::text::within::add_compounds;

/// Most pairs of neighbouring words that are looked at.
const PAIRS_MAX: usize = 32;
/// What a pair counts against a word.
const PAIR_WEIGHT: f32 = 0.2;
/// What one counts of a version and what is joined with it (`1.2.3-rc`): as much as both, which say little apart.
const VERSION_WEIGHT: f32 = 2.0;

/// What a text search of one index looks for, and where.
pub struct Plan<'a> {
    /// Where.
    pub fields: Vec<SearchField<'a>>,
    /// What.
    pub clauses: Vec<Clause>,
    /// What makes a match better, and none that is none without it.
    pub pairs: Vec<Pair>,
    /// Whether it looks for stop words, among texts that have nothing else.
    pub alone: bool,
    /// Terms that words of the query mean, and that it has no words for: the vector goes by them, too.
    pub meant: Vec<String>,
}

/// Reads the query with each field's search analyzer. A query of stop words alone is looked for among the texts that have
/// no other words either: `It`.
pub fn plan<'a>(snapshot: &'a Snapshot, request: &Request) -> Result<Plan<'a>, Failure> {
    let plan = plan_of(snapshot, request, false)?;
    if request.query.is_empty() || plan.keeps_words() {
        return Ok(plan);
    }
    plan_of(snapshot, request, true)
}

impl Plan<'_> {
    /// Whether any analyzer keeps any word of the query.
    pub fn keeps_words(&self) -> bool {
        let mut ways = self.clauses.iter().flat_map(|clause| &clause.ways);
        ways.any(|ways| !ways.is_empty())
    }

    /// Whether documents have each word of the query, as it is written or in a form that counts as much: `book` where
    /// documents write `books`.
    pub fn is_known(&self, snapshot: &Snapshot) -> Result<bool, Failure> {
        if self.alone || !self.keeps_words() {
            return Ok(false);
        }
        for clause in &self.clauses {
            let forms = clause.ways.iter().map(|ways| {
                let near = ways.iter().filter(|way| !way.is_far);
                near.cloned().collect()
            });
            if !is_any_in(snapshot, &self.fields, &forms.collect::<Vec<_>>())? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn plan_of<'a>(
    snapshot: &'a Snapshot,
    request: &Request,
    alone: bool,
) -> Result<Plan<'a>, Failure> {
    let (fields, analyzers) = fields_of(&snapshot.definition, request);
    if fields.is_empty() {
        // No field to look in, so that no analyzer reads the query.
        return Ok(Plan {
            fields,
            clauses: Vec::new(),
            pairs: Vec::new(),
            alone,
            meant: Vec::new(),
        });
    }
    let synonyms: Vec<Synonyms> = analyzers
        .iter()
        .map(|analyzer| analyzer.read_synonyms(&request.synonyms))
        .collect();
    let scope = Scope {
        vocabulary: Vocabulary::open(snapshot)?,
        fields: &fields,
        analyzers: &analyzers,
    };
    let parts = parts_of(&request.query, request.phrase);
    let readers = parts.iter().map(|part| PartReader {
        scope: &scope,
        synonyms: &synonyms,
        plain: PlainText::read(snapshot, part.text),
        alone,
    });
    let readers: Vec<PartReader> = readers.collect();
    let mut read: Vec<Option<ReadWords>> = Vec::with_capacity(parts.len());
    let mut room = WAYS_MAX;
    let mut meant = Vec::new();
    for (part, reader) in parts.iter().zip(&readers) {
        read.push(match part.phrase {
            true => None,
            false => {
                let mut words = reader.words(&mut room)?;
                words.placed = take_apart(&scope, &reader.plain, words.placed, &mut meant)?;
                expand(&mut reader.expansion(&mut words.placed, &mut meant))?;
                Some(words)
            }
        });
    }
    let both = readers.iter().zip(&mut read);
    let found = both.filter_map(|(reader, words)| Some((reader, &mut words.as_mut()?.placed)));
    if !matches!(request.fuzziness, Fuzziness::Unsaid | Fuzziness::None) {
        let texts = found.map(|(reader, placed)| (reader.plain.text, placed));
        add_near(&scope, request.fuzziness, texts)?;
    } else if guesses(snapshot, request) {
        for (reader, placed) in found {
            add_guesses(&mut reader.expansion(placed, &mut meant))?;
        }
    }
    for (reader, words) in readers.iter().zip(&mut read) {
        if let Some(words) = words {
            add_compounds(&mut reader.expansion(&mut words.placed, &mut meant))?;
        }
    }
    let mut clauses = Merged::default();
    let mut pairs = Vec::new();
    for (i, (reader, words)) in readers.iter().zip(read).enumerate() {
        let last = request.prefix && i + 1 == parts.len();
        let Some(ReadWords { mut placed, groups }) = words else {
            let required = request.operator == Operator::And;
            if let Some(phrase) = reader.phrase(request.slop, last && request.phrase, required)? {
                clauses.add(phrase);
            }
            continue;
        };
        if last {
            reader.add_prefix(&mut placed)?;
        }
        let mut before: Option<(usize, Range<usize>)> = None;
        for place in placed {
            let (from, to) = (place.from, place.to);
            let clause = Clause {
                text: reader.plain.text[place.from..place.to].to_owned(),
                // A word that only some analyzers know (a stop word to the others) is a wish.
                required: request.operator == Operator::And
                    && groups.iter().all(|group| !place.ways[*group].is_empty()),
                ways: place.ways,
                count: 1.0,
            };
            let number = clauses.add(clause);
            if let Some((before, first)) = before.replace((number, from..to)) {
                let both = (before, number);
                add_pair(&clauses.list, both, &mut pairs);
                let text = reader.plain.text;
                let between = text.get(first.end..from).unwrap_or_default();
                if let Some(forms) = joined_forms(&text[first], between) {
                    add_version(&scope, &clauses.list, (both, &forms), &mut pairs);
                }
            }
        }
    }
    Ok(Plan {
        fields,
        clauses: clauses.list,
        pairs,
        alone,
        meant,
    })
}

/// Lets the pair of a version and what is joined with it count more, once, and also with a `v` before it, or without.
fn add_version(
    scope: &Scope,
    clauses: &[Clause],
    ((first, second), [typed, other]): ((usize, usize), &[String; 2]),
    pairs: &mut Vec<Pair>,
) {
    let has_room = pairs.len() < PAIRS_MAX;
    let is_new = |pair: &&mut Pair| {
        (pair.first, pair.second) == (first, second) && pair.clause.count == PAIR_WEIGHT
    };
    let Some(pair) = pairs.iter_mut().find(is_new).filter(|_| has_room) else {
        return;
    };
    pair.clause.count += VERSION_WEIGHT;
    let both = scope.terms_of(other).into_iter().zip(&clauses[second].ways);
    let ways = both.map(|(version, ways)| {
        let way = version.and_then(|version| Some(Way::pair(&version, plain_term(ways)?)));
        way.into_iter().collect()
    });
    let text = pair.clause.text.to_lowercase();
    let clause = Clause {
        text: text.replacen(typed, other, 1),
        ways: ways.collect(),
        count: VERSION_WEIGHT,
        required: false,
    };
    pairs.push(Pair {
        first,
        second,
        clause,
    });
}

fn add_pair(clauses: &[Clause], (first, second): (usize, usize), pairs: &mut Vec<Pair>) {
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
