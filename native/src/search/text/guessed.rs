//! What a word of a query most likely means that no document has: a misspelling, or a beginning.

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::query::{Fuzziness, Mode, Request};
use crate::search::text::clause::Way;
use crate::search::text::expansion::{Expansion, Placed, Scope};
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

/// Whether words that no document has are guessed: where vectors are made of words, and nobody said how alike words must be.
/// Learned vectors know their documents' words alone, and hashed ones are too far from a text of which they share one
/// misspelt word. A search by words alone finds these words.
pub(crate) fn guesses(snapshot: &Snapshot, request: &Request) -> bool {
    let is_unsaid = request.fuzziness == Fuzziness::Unsaid;
    is_unsaid && request.mode != Mode::Text && snapshot.makes_vectors()
}

/// Gives words that are found in no way what they most likely mean: the words that they begin, else those that are
/// nearest to them. Terms of these go to `meant`, too, as do the parts of words that documents write as several.
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
            let guesses = meant_by(scope.vocabulary.snapshot, word.text)?;
            for (nth, guess) in guesses.into_iter().enumerate() {
                let terms = scope.terms_of(&guess.text);
                let weight = 1.0 - f32::from(guess.distance) / word.text.chars().count() as f32;
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

fn meant_by(snapshot: &Snapshot, word: &str) -> Result<Vec<Word>, Failure> {
    let begun = words::completions(snapshot, word, MEANT_MAX)?;
    let letters = word.chars().count();
    if !begun.is_empty() || letters < ONE_WRONG_FROM {
        return Ok(begun);
    }
    // Hardly anybody mistakes the first letter.
    let first = word.chars().next().map_or(0, char::len_utf8);
    words::near_from(snapshot, word, &word[..first], 1, MEANT_MAX)
}
