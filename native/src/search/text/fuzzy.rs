//! Words of a query that may be misspelt, as somebody says with `fuzziness`: they also find what is nearly they.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::search::query::Fuzziness;
use crate::search::text::clause::plain_term;
use crate::search::text::expansion::{Placed, Scope, FAR_WEIGHT};
use crate::search::text::near;
use crate::search::text::words::Word;

/// Most words that a misspelt word stands for.
const NEAR_WORDS_MAX: usize = 64;

/// Adds to each word of each part, a text with the words that were read of it, the words of the index that are nearly it.
/// BAD_REQUEST when there are too many.
pub(crate) fn add_near<'a>(
    scope: &Scope,
    fuzziness: Fuzziness,
    parts: impl Iterator<Item = (&'a str, &'a mut Vec<Placed>)>,
) -> Result<(), Failure> {
    let snapshot = scope.vocabulary.snapshot;
    let analyzer = &snapshot.definition.words_analyzer;
    let mut wanted: HashMap<String, u8> = HashMap::new();
    let mut places: Vec<(&mut Placed, String, usize)> = Vec::new();
    for (text, placed) in parts {
        for place in placed {
            // A piece of a word, as ngrams are, is looked for as a word.
            let own = analyzer.terms(&text[place.from..place.to]);
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
