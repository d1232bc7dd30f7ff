//! Words that mean the same: other ways to say a place of a query.

use std::collections::{HashMap, HashSet};

use crate::analysis::term::{QueryTerm, Step, Term};

/// Words in a row → other words in a row that count as well. A row keeps the gaps that stop words leave, because a text
/// keeps them, too.
#[derive(Default)]
pub struct Synonyms {
    rules: HashMap<Vec<Step>, Vec<Vec<Step>>>,
    longest: usize,
}

impl Synonyms {
    /// Reads rules as lists of words that mean the same, or as `left => right` with commas on both sides; `terms` takes
    /// a word, or several in a row, apart. With `both_ways` what stands left is also said by what stands right.
    pub fn read<'a>(
        rules: impl Iterator<Item = &'a Vec<String>>,
        both_ways: bool,
        terms: impl Fn(&str) -> Vec<Term>,
    ) -> Synonyms {
        let mut read = Synonyms::default();
        let split = |side: &str| -> Vec<Vec<Step>> {
            side.split(',').map(|words| row_of(&terms(words))).collect()
        };
        for rule in rules {
            let line = rule.join(",");
            match line.split_once("=>") {
                Some((from, to)) => {
                    let (from, to) = (split(from), split(to));
                    from.iter().for_each(|row| read.add(row, &to));
                    if both_ways {
                        to.iter().for_each(|row| read.add(row, &from));
                    }
                }
                None => {
                    let all = split(&line);
                    all.iter().for_each(|row| read.add(row, &all));
                }
            }
        }
        read.longest = read.rules.keys().map(Vec::len).max().unwrap_or(0);
        read
    }

    fn add(&mut self, from: &[Step], to: &[Vec<Step>]) {
        if from.is_empty() {
            return;
        }
        let others = self.rules.entry(from.to_vec()).or_default();
        let is_other = |row: &&Vec<Step>| row.as_slice() != from && !row.is_empty();
        add_new(others, to.iter().filter(is_other));
    }

    /// The query with the other ways to say what it says; the longest row that has any counts.
    pub fn apply(&self, terms: Vec<QueryTerm>) -> Vec<QueryTerm> {
        if self.rules.is_empty() {
            return terms;
        }
        let mut out = Vec::with_capacity(terms.len());
        let mut rest = terms.as_slice();
        while !rest.is_empty() {
            let (taken, others) = self.longest_at(rest);
            let mut term = joined(&rest[..taken]);
            add_new(&mut term.alternatives, others.iter());
            out.push(term);
            rest = &rest[taken..];
        }
        out
    }

    fn longest_at(&self, terms: &[QueryTerm]) -> (usize, &[Vec<Step>]) {
        for length in (1..=self.longest.min(terms.len())).rev() {
            let row = own_row(&terms[..length]);
            if let Some(others) = row.and_then(|row| self.rules.get(&row)) {
                return (length, others);
            }
        }
        (1, &[])
    }
}

/// Adds rows that are not there yet. Hundreds of words may mean the same: each is not held against all others.
fn add_new<'a>(rows: &mut Vec<Vec<Step>>, more: impl Iterator<Item = &'a Vec<Step>>) {
    let mut known: HashSet<&Vec<Step>> = rows.iter().collect();
    let new: Vec<Vec<Step>> = more.filter(|row| known.insert(row)).cloned().collect();
    rows.extend(new);
}

/// Terms as a row that begins with the first of them.
pub fn row_of(terms: &[Term]) -> Vec<Step> {
    let first = terms.first().map_or(0, |term| term.position);
    let steps = terms.iter().map(|term| Step {
        offset: (term.position - first) as u32,
        text: term.text.clone(),
    });
    steps.collect()
}

/// What a query itself says at some places, if that is one word at each.
fn own_row(terms: &[QueryTerm]) -> Option<Vec<Step>> {
    let first = terms.first()?.position;
    let steps = terms
        .iter()
        .map(|term| match term.alternatives.first()?.as_slice() {
            [step] => Some(Step {
                offset: (term.position - first) as u32 + step.offset,
                text: step.text.clone(),
            }),
            _ => None,
        });
    steps.collect()
}

/// Several places as one: what stands there besides the query's own words is said in another row.
fn joined(terms: &[QueryTerm]) -> QueryTerm {
    let (first, last) = (&terms[0], &terms[terms.len() - 1]);
    match own_row(terms) {
        Some(row) if terms.len() > 1 => QueryTerm {
            alternatives: vec![row],
            position: first.position,
            span: last.position - first.position + last.span,
            from: first.from,
            to: last.to,
        },
        _ => first.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn terms(word: &str) -> Vec<Term> {
        vec![Term {
            text: word.to_owned(),
            position: 0,
            from: 0,
            to: word.len(),
        }]
    }

    /// How long it takes to read rules of so many words, and to ask for one of each; `count` of them.
    fn time(count: usize, words: usize) -> Duration {
        let word = |rule: usize, at: usize| format!("w{rule}x{at}");
        let rule = |rule| (0..words).map(|at| word(rule, at)).collect::<Vec<_>>();
        let rules: Vec<Vec<String>> = (0..count).map(rule).collect();
        let begun = Instant::now();
        let read = Synonyms::read(rules.iter(), true, terms);
        let took = begun.elapsed();
        assert_eq!(read.rules.len(), count * words);
        assert!(read.rules.values().all(|others| others.len() == words - 1));
        took
    }

    #[test]
    fn a_long_rule_takes_no_longer_than_short_ones_that_say_as_much() {
        // The shortest of some: whatever else the machine does can make one long.
        let least = |count, words| (0..3).map(|_| time(count, words)).min().unwrap();
        let (short, long) = (least(100, 100), least(1, 1000));
        assert!(long < short * 5, "{long:?}, {short:?}");
    }
}
