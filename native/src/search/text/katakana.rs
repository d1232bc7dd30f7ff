//! Compounds in katakana, which have no spaces between their words: `ネットワークデーモン`, where documents have `ネットワーク` and
//! `デーモン`.

use crate::analysis::endings::without_long_vowel;
use crate::analysis::script::is_katakana;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::expansion::{Placed, Scope};
use crate::search::text::vocabulary::{PlainText, Vocabulary};

/// Characters of the shortest word that a compound is made of.
const PART_MIN: usize = 2;
/// Longest word, in characters, that is read as several.
const COMPOUND_MAX: usize = 32;
/// Words of a query that are, at most.
const COMPOUNDS_MAX: usize = 16;
/// The sign of a long vowel.
const LONG_VOWEL: char = 'ー';

/// Puts in the place of a word in katakana that is found in no other way the words of documents that it is made of, each by
/// itself: documents have these apart, and seldom in a row. Terms of these go to `meant`.
pub(crate) fn take_apart(
    scope: &Scope,
    plain: &PlainText,
    placed: Vec<Placed>,
    meant: &mut Vec<String>,
) -> Result<Vec<Placed>, Failure> {
    if !plain.text.contains(is_katakana) || scope.analyzers.iter().any(|analyzer| analyzer.cuts) {
        return Ok(placed);
    }
    let mut all = Vec::with_capacity(placed.len());
    let mut left = COMPOUNDS_MAX;
    for place in placed {
        let parts = match left {
            0 => Vec::new(),
            _ => parts_of(scope, plain, &place)?,
        };
        if parts.is_empty() {
            all.push(place);
            continue;
        }
        left -= 1;
        let mut from = place.from;
        for part in parts {
            let terms = scope.terms_of(part);
            let mut ways = vec![Vec::new(); place.ways.len()];
            for (ways, term) in ways.iter_mut().zip(&terms) {
                ways.extend(term.clone().map(|term| Way::term(term, 1.0)));
            }
            let to = from + part.len();
            all.push(Placed { from, to, ways });
            meant.extend(terms.into_iter().flatten());
            from = to;
        }
    }
    Ok(all)
}

/// The words that a place is made of; none where it is one word, or found in a way that its words are not.
fn parts_of<'a>(
    scope: &Scope,
    plain: &PlainText<'a>,
    place: &Placed,
) -> Result<Vec<&'a str>, Failure> {
    let written = &plain.text[place.from..place.to];
    let is_compound = written.chars().nth(2 * PART_MIN - 1).is_some()
        && written.chars().nth(COMPOUND_MAX).is_none()
        && written.chars().all(is_katakana);
    let word = plain.only_word(place.from, place.to);
    let word = word.filter(|word| is_compound && word.text == written);
    let Some(word) = word else {
        return Ok(Vec::new());
    };
    if word.is_in(&scope.vocabulary)? {
        return Ok(Vec::new());
    }
    let of_parts = |way: &Way| {
        let mut terms = way.slots.iter().flat_map(|slot| &slot.terms);
        way.slots.len() > 1 && terms.all(|term| written.contains(term.as_str()))
    };
    let mut others = place.ways.clone();
    for ways in &mut others {
        ways.retain(|way| !of_parts(way));
    }
    if scope.has(&others)? {
        return Ok(Vec::new());
    }
    fewest(written, |part| is_known(&scope.vocabulary, part))
}

/// Whether documents have a word, with the sign of a long last vowel or without.
fn is_known(vocabulary: &Vocabulary, part: &str) -> Result<bool, Failure> {
    let short = without_long_vowel(part);
    if vocabulary.has(short)? {
        return Ok(true);
    }
    let long = format!("{short}{LONG_VOWEL}");
    Ok(without_long_vowel(&long) == short && vocabulary.has(&long)?)
}

/// The fewest known words that a word is made of, without a rest; of as many, those of which the last is longest, as what a
/// compound is stands at its end.
fn fewest(
    word: &str,
    mut is_known: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Vec<&str>, Failure> {
    let mut cuts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    cuts.push(word.len());
    let end = cuts.len() - 1;
    // How many words lead to a cut, and where the last of them begins.
    let mut best: Vec<Option<(usize, usize)>> = vec![None; cuts.len()];
    best[0] = Some((0, 0));
    for to in PART_MIN..=end {
        for from in 0..=to - PART_MIN {
            let Some((words, _)) = best[from] else {
                continue;
            };
            let is_fewer = best[to].is_none_or(|(known, _)| words + 1 < known);
            let is_part = to - from < end;
            if is_fewer && is_part && is_known(&word[cuts[from]..cuts[to]])? {
                best[to] = Some((words + 1, from));
            }
        }
    }
    let mut parts = Vec::new();
    let mut to = end;
    while let Some((_, from)) = best[to].filter(|_| to > 0) {
        parts.push(&word[cuts[from]..cuts[to]]);
        to = from;
    }
    parts.reverse();
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::fewest;

    #[test]
    fn a_compound_is_made_of_the_fewest_words_without_a_rest() {
        let parts = |word: &'static str, known: &[&str]| {
            fewest(word, |part| Ok(known.contains(&part))).unwrap()
        };
        let known = ["ネット", "ネットワーク", "ワーク", "デーモン", "モン"];
        let found = parts("ネットワークデーモン", &known);
        assert_eq!(found, ["ネットワーク", "デーモン"]);
        assert!(parts("ネットワークデーモ", &known).is_empty());
        assert!(parts("ネットワーク", &["ネットワーク"]).is_empty());
        assert_eq!(
            parts("アイウエオ", &["アイ", "アイウ", "エオ", "ウエオ"]),
            ["アイ", "ウエオ"]
        );
        assert!(parts("ア", &["ア"]).is_empty());
    }
}
