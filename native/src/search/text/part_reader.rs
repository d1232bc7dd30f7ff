//! Reads a part of a query with the analyzers of the searched fields: its words where they stand, or a phrase.

use crate::analysis::synonyms::Synonyms;
use crate::analysis::term::{single, QueryTerm};
use crate::failure::Failure;
use crate::search::text::apart::add_pieces;
use crate::search::text::clause::{Clause, Slot, Way};
use crate::search::text::expansion::{only_term, Expansion, Placed, Scope};
use crate::search::text::rows::rows_of;
use crate::search::text::vocabulary::PlainText;
use crate::search::text::ways::weigh;
use crate::search::text::words::{self, Word};

/// Most ways in which the words of a query may be found, before near ones and beginnings are added: where two analyzers cut
/// into ngrams, each piece of the one touches hundreds of the other, and a query of the greatest length would take gigabytes.
pub const WAYS_MAX: usize = 500_000;
/// Most words that the beginning of a word stands for.
const PREFIX_WORDS_MAX: usize = 128;

/// The words of a part of the query, and the numbers of the analyzers that find any.
pub(crate) struct ReadWords {
    /// The words.
    pub placed: Vec<Placed>,
    /// The numbers.
    pub groups: Vec<usize>,
}

/// A part of a query, and what reads it.
pub(crate) struct PartReader<'a> {
    /// What its words are looked for in.
    pub scope: &'a Scope<'a>,
    /// The request's own, per analyzer.
    pub synonyms: &'a [Synonyms],
    /// The part.
    pub plain: PlainText<'a>,
    /// Whether it is stop words that are looked for.
    pub alone: bool,
}

impl<'a> PartReader<'a> {
    /// The part with the words that were read of it, for rules to add to them.
    pub fn expansion(
        &'a self,
        placed: &'a mut [Placed],
        meant: &'a mut Vec<String>,
    ) -> Expansion<'a> {
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
    pub fn words(&self, room: &mut usize) -> Result<ReadWords, Failure> {
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
    pub fn add_prefix(&self, placed: &mut Vec<Placed>) -> Result<(), Failure> {
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
    pub fn phrase(
        &self,
        slop: u32,
        prefix: bool,
        required: bool,
    ) -> Result<Option<Clause>, Failure> {
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
