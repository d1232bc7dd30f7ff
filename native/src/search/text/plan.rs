//! The words of a query → clauses: what a document must or may have, per analyzer.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::QueryTerm;
use crate::analysis::{single, Analyzer};
use crate::engine::definition::{Definition, FieldEntry};
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::query::{Fuzziness, Operator, Request};
use crate::search::text::apart::add_pieces;
use crate::search::text::clause::{Clause, Merged, Pair, Slot, Way};
use crate::search::text::expansion::{only_term, Expansion, Placed, Scope, FAR_WEIGHT};
use crate::search::text::guessed::{add_guesses, guesses};
use crate::search::text::near;
use crate::search::text::parts::parts_of;
use crate::search::text::rows::rows_of;
use crate::search::text::rules::expand;
use crate::search::text::search_field::SearchField;
use crate::search::text::vocabulary::{PlainText, Vocabulary};
use crate::search::text::ways::weigh;
use crate::search::text::words::{self, Word};

/// Most words that the beginning of a word stands for.
pub const PREFIX_WORDS_MAX: usize = 128;
/// Most words that a misspelt word stands for.
pub const NEAR_WORDS_MAX: usize = 64;
/// Most ways in which the words of a query may be found, before near ones and beginnings are added: where two analyzers cut
/// into ngrams, each piece of the one touches hundreds of the other, and a query of the greatest length would take gigabytes.
pub const WAYS_MAX: usize = 500_000;
/// Most pairs of neighbouring words that are looked at.
const PAIRS_MAX: usize = 32;
/// What a pair counts against a word.
const PAIR_WEIGHT: f32 = 0.2;

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

/// The words of a part of the query, and the numbers of the analyzers that find any.
struct ReadWords {
    placed: Vec<Placed>,
    groups: Vec<usize>,
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
    let readers = parts.iter().map(|part| Reader {
        scope: &scope,
        synonyms: &synonyms,
        plain: PlainText::read(snapshot, part.text),
        alone,
    });
    let readers: Vec<Reader> = readers.collect();
    let mut read: Vec<Option<ReadWords>> = Vec::with_capacity(parts.len());
    let mut room = WAYS_MAX;
    let mut meant = Vec::new();
    for (part, reader) in parts.iter().zip(&readers) {
        read.push(match part.phrase {
            true => None,
            false => {
                let mut words = reader.words(&mut room)?;
                expand(&mut reader.expansion(&mut words.placed, &mut meant))?;
                Some(words)
            }
        });
    }
    let both = readers.iter().zip(&mut read);
    let found = both.filter_map(|(reader, words)| Some((reader, &mut words.as_mut()?.placed)));
    if !matches!(request.fuzziness, Fuzziness::Unsaid | Fuzziness::None) {
        add_near(&scope, request.fuzziness, found)?;
    } else if guesses(snapshot, request) {
        for (reader, placed) in found {
            add_guesses(&mut reader.expansion(placed, &mut meant))?;
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
        let mut before = None;
        for place in placed {
            let clause = Clause {
                text: reader.plain.text[place.from..place.to].to_owned(),
                // A word that only some analyzers know (a stop word to the others) is a wish.
                required: request.operator == Operator::And
                    && groups.iter().all(|group| !place.ways[*group].is_empty()),
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
        alone,
        meant,
    })
}

/// Adds to each word of each part the words of the index that are nearly it.
fn add_near<'a>(
    scope: &Scope,
    fuzziness: Fuzziness,
    parts: impl Iterator<Item = (&'a Reader<'a>, &'a mut Vec<Placed>)>,
) -> Result<(), Failure> {
    let snapshot = scope.vocabulary.snapshot;
    let analyzer = &snapshot.definition.words_analyzer;
    let mut wanted: HashMap<String, u8> = HashMap::new();
    let mut places: Vec<(&mut Placed, String, usize)> = Vec::new();
    for (reader, placed) in parts {
        for place in placed {
            // A piece of a word, as ngrams are, is looked for as a word.
            let own = analyzer.terms(&reader.plain.text[place.from..place.to]);
            let [word] = own.as_slice() else { continue };
            let length = word.text.chars().count();
            // What differs in each of its letters counts nothing.
            let edits = usize::from(fuzziness.edits(length)).min(length - 1) as u8;
            if edits > 0 {
                wanted.insert(word.text.clone(), edits);
                places.push((place, word.text.clone(), length));
            }
        }
    }
    if wanted.len() > near::WORDS_MAX {
        return Err(Failure::bad_request(format!(
            "fuzziness looks for what is near at most {} different words, and the analyzers of the searched fields cut this query into {}: send fuzziness 0, a shorter query, or searchFields without those of ngrams",
            near::WORDS_MAX,
            wanted.len()
        )));
    }
    let mut wanted: Vec<near::Wanted> = wanted.into_iter().collect();
    wanted.sort_unstable();
    let found = near::near_each(snapshot, &wanted, NEAR_WORDS_MAX)?;
    // Many words are near to the same ones.
    let mut terms: HashMap<&str, Vec<Option<String>>> = HashMap::new();
    for (place, word, length) in places {
        let found = &found[&word];
        for near in found {
            let own = terms.entry(&near.text);
            own.or_insert_with(|| scope.terms_of(&near.text));
        }
        // Whoever writes a word that documents have means it, most likely, and else what is most like it.
        let is_own = |near: &Word| near.distance == 0 || says(place, &terms[near.text.as_str()]);
        let is_known = found.iter().any(is_own);
        let nearest = found.first().map_or(0, |near| near.distance);
        let nearest = if is_known { 0 } else { nearest };
        for near in found {
            let weight = 1.0 - f32::from(near.distance) / length as f32;
            let is_far = near.distance > nearest;
            let weight = weight * if is_far { FAR_WEIGHT } else { 1.0 };
            if near.distance > 0 && weight > 0.0 {
                place.add(&terms[near.text.as_str()], weight, is_far);
            }
        }
    }
    Ok(())
}

/// Whether a word's term is that of the query itself.
fn says(place: &Placed, terms: &[Option<String>]) -> bool {
    let mut both = place.ways.iter().zip(terms);
    both.any(|(ways, term)| term.is_some() && plain_term(ways) == term.as_deref())
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

/// What reads a part of a query.
struct Reader<'a> {
    scope: &'a Scope<'a>,
    /// The request's own, per analyzer.
    synonyms: &'a [Synonyms],
    plain: PlainText<'a>,
    alone: bool,
}

impl<'a> Reader<'a> {
    /// The part with the words that were read of it, for rules to add to them.
    fn expansion(&'a self, placed: &'a mut [Placed], meant: &'a mut Vec<String>) -> Expansion<'a> {
        Expansion {
            scope: self.scope,
            plain: &self.plain,
            placed,
            meant,
        }
    }

    /// A clause for each word. Words that several analyzers find at the same place are one clause; one that takes the place
    /// of several words of another analyzer is found for each. `room`: ways that the query may still have; BAD_REQUEST
    /// beyond.
    fn words(&self, room: &mut usize) -> Result<ReadWords, Failure> {
        let mut found: Vec<(usize, Vec<QueryTerm>)> =
            Vec::with_capacity(self.scope.analyzers.len());
        for group in 0..self.scope.analyzers.len() {
            found.push((group, self.query_terms(group)?));
        }
        found.retain(|(_, terms)| !terms.is_empty());
        // The finest first: its words are the places.
        found.sort_by_key(|(_, terms)| usize::MAX - terms.len());
        let mut placed: Vec<Placed> = Vec::new();
        for (group, terms) in &found {
            let mut known: Vec<(usize, usize)> = placed
                .iter()
                .enumerate()
                .map(|(at, p)| (p.from, at))
                .collect();
            known.sort_unstable();
            let longest = placed.iter().map(|p| p.to - p.from).max().unwrap_or(0);
            for term in terms {
                let ways = ways_of(term);
                let mut is_known = false;
                let first = known.partition_point(|(from, _)| from + longest <= term.from);
                for (from, at) in &known[first..] {
                    if *from >= term.to {
                        break;
                    }
                    let place = &mut placed[*at];
                    if term.from < place.to {
                        take_room(room, ways.len())?;
                        place.ways[*group].extend(ways.iter().cloned());
                        is_known = true;
                    }
                }
                if !is_known {
                    take_room(room, ways.len())?;
                    placed.push(self.place(term.from, term.to, *group, ways));
                }
            }
        }
        placed.sort_by_key(|place| place.from);
        let groups = found.into_iter().map(|(group, _)| group).collect();
        Ok(ReadWords { placed, groups })
    }

    fn query_terms(&self, group: usize) -> Result<Vec<QueryTerm>, Failure> {
        let analyzer = self.scope.analyzers[group];
        if self.alone {
            let terms = analyzer.alone_terms(self.plain.text).into_iter();
            return Ok(terms.map(single).collect());
        }
        let mut terms = analyzer.query_terms(self.plain.text, &self.synonyms[group]);
        add_pieces(&self.scope.vocabulary, analyzer, &self.plain, &mut terms)?;
        Ok(terms)
    }

    fn place(&self, from: usize, to: usize, group: usize, ways: Vec<Way>) -> Placed {
        let mut all = vec![Vec::new(); self.scope.analyzers.len()];
        all[group] = ways;
        Placed {
            from,
            to,
            ways: all,
        }
    }

    /// Makes the last word the beginning of a word.
    fn add_prefix(&self, placed: &mut Vec<Placed>) -> Result<(), Failure> {
        let Some(word) = self.plain.words.last() else {
            return Ok(());
        };
        let at = placed
            .iter()
            .rposition(|p| p.from < word.to && word.from < p.to);
        let at = at.unwrap_or_else(|| {
            placed.push(self.place(word.from, word.to, 0, Vec::new()));
            placed.len() - 1
        });
        for found in
            words::completions(self.scope.vocabulary.snapshot, &word.text, PREFIX_WORDS_MAX)?
        {
            placed[at].add(&self.scope.terms_of(&found.text), 1.0, false);
        }
        Ok(())
    }

    /// The whole text as one row of words, or as others that mean the same.
    fn phrase(&self, slop: u32, prefix: bool, required: bool) -> Result<Option<Clause>, Failure> {
        let open = if prefix {
            self.completions()?
        } else {
            Vec::new()
        };
        let mut ways = vec![Vec::new(); self.scope.analyzers.len()];
        for (group, analyzer) in self.scope.analyzers.iter().enumerate() {
            let open = open
                .iter()
                .filter_map(|word| only_term(analyzer, &word.text));
            let open: Vec<String> = open.collect();
            for mut slots in rows_of(&self.query_terms(group)?) {
                if let Some(last) = slots.last_mut() {
                    add_ends(last, &open);
                }
                ways[group].push(Way {
                    slots,
                    weight: 1.0,
                    slop,
                    is_far: false,
                });
            }
            weigh(&mut ways[group]);
        }
        let known = ways.iter().any(|ways| !ways.is_empty());
        Ok(known.then(|| Clause {
            text: self.plain.text.to_owned(),
            ways,
            count: 1.0,
            required,
        }))
    }

    /// The words that the last one is the beginning of.
    fn completions(&self) -> Result<Vec<Word>, Failure> {
        let snapshot = self.scope.vocabulary.snapshot;
        match self.plain.words.last() {
            Some(word) => words::completions(snapshot, &word.text, PREFIX_WORDS_MAX),
            None => Ok(Vec::new()),
        }
    }
}

/// Lets any of some terms stand at a place, too.
fn add_ends(slot: &mut Slot, terms: &[String]) {
    for term in terms {
        if !slot.terms.contains(term) {
            slot.terms.push(term.clone());
        }
    }
}

fn take_room(room: &mut usize, ways: usize) -> Result<(), Failure> {
    match room.checked_sub(ways) {
        Some(left) => *room = left,
        None => return Err(Failure::bad_request(format!(
            "the analyzers of the searched fields read this query in more than {WAYS_MAX} ways, as each piece that one of them cuts it into counts for all pieces of another that it touches: send a shorter query, or fewer searchFields"
        ))),
    }
    Ok(())
}

fn ways_of(term: &QueryTerm) -> Vec<Way> {
    let ways = term.alternatives.iter().map(|row| Way::row(row));
    let mut ways: Vec<Way> = ways.collect();
    weigh(&mut ways);
    ways
}
