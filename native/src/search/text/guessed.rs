//! What a word of a query most likely means that no document has: a misspelling, a beginning, or a compound.

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::query::{Fuzziness, Mode, Request};
use crate::search::text::clause::Way;
use crate::search::text::expansion::{Expansion, Placed, Scope, VARIANT_WEIGHT};
use crate::search::text::within::headed_by;
use crate::search::text::words::{self, Word};

/// Words of a query that are guessed at most.
const GUESSED_MAX: usize = 8;
/// Most words that one may mean.
const MEANT_MAX: usize = 16;
/// Most of these that the vector of a query goes by.
const MEANT_TERMS_MAX: usize = 4;
/// Letters of the shortest word that is guessed: shorter ones are like too many others.
const LETTERS_MIN: usize = 4;
/// Letters from which on one may be wrong.
const ONE_WRONG_FROM: usize = 5;
/// Letters of the shortest word that a compound is known by: shorter ones begin and end too many others.
const PART_MIN: usize = 5;
/// Letters that a compound has beside such a word, at least: with one, it is rather a form of that word.
const REST_MIN: usize = 2;
/// Letters of the longest word whose parts are looked for.
const COMPOUND_MAX: usize = 64;

/// Whether words that no document has are guessed: where vectors are made of words, and nobody said how alike words must be.
/// Learned vectors know their documents' words alone, and hashed ones are too far from a text of which they share one
/// misspelt word. A search by words alone finds these words.
pub(crate) fn guesses(snapshot: &Snapshot, request: &Request) -> bool {
    let is_unsaid = request.fuzziness == Fuzziness::Unsaid;
    is_unsaid && request.mode != Mode::Text && snapshot.makes_vectors()
}

/// Gives words that are found in no way what they most likely mean: the words that they begin, and the compounds that they
/// end; else those that are nearest to them; else the longest that they begin or end with. Terms of these go to `meant`, too,
/// as do the parts of words that documents write as several.
pub(crate) fn add_guesses(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    let mut guessed = 0;
    for place in part.placed.iter_mut() {
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        if word.is_in(&scope.vocabulary)? {
            continue;
        }
        if scope.has(&place.ways)? {
            add_parts(scope, place, part.meant)?;
        } else if is_guessed(&plain.text[place.from..place.to]) && guessed < GUESSED_MAX {
            guessed += 1;
            let written = &plain.text[place.from..place.to];
            let guesses = meant_by(scope, (written, word.text))?;
            for (nth, (guess, weight)) in guesses.into_iter().enumerate() {
                let terms = scope.terms_of(&guess);
                place.add(&terms, weight, false);
                if nth < MEANT_TERMS_MAX {
                    part.meant.extend(terms.into_iter().flatten());
                }
            }
        }
    }
    Ok(())
}

/// The terms of the rows by which a word is found.
fn add_parts(scope: &Scope, place: &Placed, meant: &mut Vec<String>) -> Result<(), Failure> {
    let rows = place
        .ways
        .iter()
        .flatten()
        .filter(|way| way.slots.len() > 1);
    let rows: Vec<&Way> = rows.collect();
    for row in rows {
        let everywhere = vec![vec![row.clone()]; place.ways.len()];
        if scope.has(&everywhere)? {
            meant.extend(row.slots.iter().flat_map(|slot| slot.terms.iter().cloned()));
        }
    }
    Ok(())
}

/// Whether a word may be misspelt: numbers, codes and names of capitals mean themselves, and syllables are no words.
fn is_guessed(written: &str) -> bool {
    let letters = written.chars().count();
    let is_name = written.chars().skip(1).any(char::is_uppercase);
    letters >= LETTERS_MIN && written.chars().all(char::is_alphabetic) && !is_name
}

/// The words that one most likely means, and what an occurrence of each counts.
fn meant_by(scope: &Scope, (written, word): (&str, &str)) -> Result<Vec<(String, f32)>, Failure> {
    let snapshot = scope.vocabulary.snapshot;
    let letters = word.chars().count();
    let mut meant = words::completions(snapshot, word, MEANT_MAX)?;
    let compounds = headed_by(scope, (written, word), MEANT_MAX - meant.len())?;
    if meant.is_empty() && compounds.is_empty() && letters >= ONE_WRONG_FROM {
        // Hardly anybody mistakes the first letter.
        let first = word.chars().next().map_or(0, char::len_utf8);
        meant = words::near_from(snapshot, word, &word[..first], 1, MEANT_MAX)?;
    }
    let mut parts = compounds;
    if meant.is_empty() && parts.is_empty() && letters <= COMPOUND_MAX {
        let part = longest_part(word, |part| scope.vocabulary.has(part))?;
        parts.extend(part.map(str::to_owned));
    }
    let weight_of = |word: &Word| 1.0 - f32::from(word.distance) / letters as f32;
    let weighed = meant.into_iter().map(|word| {
        let weight = weight_of(&word);
        (word.text, weight)
    });
    let parts = parts.into_iter().map(|part| (part, VARIANT_WEIGHT));
    Ok(weighed.chain(parts).collect())
}

/// The longest known word that one ends or begins with, as compounds do: what a compound is stands at its end.
fn longest_part(
    word: &str,
    mut is_known: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Option<&str>, Failure> {
    let cuts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let longest = cuts.len().saturating_sub(REST_MIN);
    for letters in (PART_MIN..=longest).rev() {
        let end = &word[cuts[cuts.len() - letters]..];
        let beginning = &word[..cuts[letters]];
        for part in [end, beginning] {
            if is_known(part)? {
                return Ok(Some(part));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::longest_part;

    #[test]
    fn a_compound_is_known_by_its_longest_part_and_rather_by_its_end() {
        let part = |word: &'static str, known: &[&str]| {
            longest_part(word, |part| Ok(known.contains(&part))).unwrap()
        };
        assert_eq!(
            part("wahlbeteiligung", &["beteiligung", "teiligung"]),
            Some("beteiligung")
        );
        assert_eq!(
            part("inflationsrate", &["inflation", "srate"]),
            Some("inflation")
        );
        assert_eq!(part("waterstone", &["water", "stone"]), Some("stone"));
        assert_eq!(part("überschwemmung", &["über"]), None, "too short");
        assert_eq!(
            part("alquileres", &["alquilere"]),
            None,
            "rather a form of it"
        );
        assert_eq!(part("sun", &["sun"]), None);
    }
}
