//! How many documents have each value of a field whose values are of several types, or whose words may be dates.

use std::collections::HashMap;

use crate::date::iso;
use crate::engine::codes::CodeHash;
use crate::engine::column::{Column, Columns};
use crate::engine::segment::NONE;
use crate::failure::Failure;
use crate::search::facet::most::most_of;
use crate::search::facet::value::FacetValue;

/// Values of any type, with their documents.
#[derive(Default)]
pub struct MixedValues {
    /// Value → its place among the tallies.
    places: HashMap<FacetValue, u32>,
    tallies: Vec<Tally>,
    /// Beside the tallies, the least of the words that a value of another kind is written as, if
    /// nothing else stands for it.
    words: Vec<Option<String>>,
}

/// How often a value was counted.
#[derive(Clone, Copy)]
struct Tally {
    count: u64,
    /// The position of the document in the view that it was last counted for.
    last: u32,
}

/// Where the values of a column are counted: code → place among the tallies, `NONE` before the
/// first.
enum Places {
    /// By code: words have numbers without gaps.
    Words(Vec<u32>),
    Others(HashMap<u64, u32, CodeHash>),
}

impl Places {
    fn of(column: &Column) -> Places {
        match column.words() {
            Some(words) => Places::Words(vec![NONE; words]),
            None => Places::Others(HashMap::default()),
        }
    }

    fn at(&mut self, code: u64) -> &mut u32 {
        match self {
            Places::Words(places) => &mut places[code as usize],
            Places::Others(places) => places.entry(code).or_insert(NONE),
        }
    }
}

impl MixedValues {
    /// Goes on with the documents of another view, whose positions begin anew.
    pub fn begin_view(&mut self) {
        for tally in &mut self.tallies {
            tally.last = NONE;
        }
    }

    /// Each document counts once for each of its values.
    pub fn count(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        let mut places: Vec<Places> = columns.values().map(Places::of).collect();
        for (column, places) in columns.values().zip(&mut places) {
            if let Places::Words(places) = places {
                self.place_words(column, columns.base, positions, places)?;
            }
        }
        for position in positions {
            for (column, places) in columns.values().zip(&mut places) {
                for code in column.codes.values_for_doc(position - columns.base) {
                    let place = places.at(code);
                    if *place == NONE {
                        *place = self.place_of(FacetValue::of_code(column, code), None);
                    }
                    let tally = &mut self.tallies[*place as usize];
                    if tally.last != *position {
                        tally.last = *position;
                        tally.count += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// The places of all words that these documents have, found in the order of the dictionary: to
    /// look one up by itself is to read its block from the beginning.
    fn place_words(
        &mut self,
        column: &Column,
        base: u32,
        positions: &[u32],
        places: &mut [u32],
    ) -> Result<(), Failure> {
        let mut is_used = vec![false; places.len()];
        for position in positions {
            for code in column.codes.values_for_doc(position - base) {
                is_used[code as usize] = true;
            }
        }
        let codes = (0..places.len() as u64).filter(|code| is_used[*code as usize]);
        let codes: Vec<u64> = codes.collect();
        let mut next = codes.iter();
        column.for_each_word(&codes, |word| {
            let key = FacetValue::of_word(column, word);
            let other = !matches!(key, FacetValue::Text(_));
            if let Some(code) = next.next() {
                places[*code as usize] = self.place_of(key, other.then(|| word.to_owned()));
            }
        })
    }

    /// The place of a value among the tallies; `word` is what one of another kind is written as.
    fn place_of(&mut self, key: FacetValue, word: Option<String>) -> u32 {
        let fresh = self.tallies.len() as u32;
        let place = *self.places.entry(key).or_insert(fresh);
        match self.words.get_mut(place as usize) {
            None => {
                self.words.push(word);
                self.tallies.push(Tally {
                    count: 0,
                    last: NONE,
                });
            }
            // `None` is the least: a value that stands for itself.
            Some(known) if word < *known => *known = word,
            Some(_) => {}
        }
        place
    }

    /// The `size` values that most documents have.
    pub fn first(self, size: usize) -> Vec<(u64, FacetValue)> {
        most_of(shown(self.places, &self.tallies, self.words), size)
    }
}

/// The values as they are shown, and how many documents have each. A word that is a date to one
/// index may be nothing but a word to another: it is one value, since a filter on it finds both.
fn shown(
    places: HashMap<FacetValue, u32>,
    tallies: &[Tally],
    mut words: Vec<Option<String>>,
) -> Vec<(u64, FacetValue)> {
    let mut counts: Vec<u64> = tallies.iter().map(|tally| tally.count).collect();
    // Where no word is nothing but a word, there are no two of these to be one.
    if places.keys().any(|key| matches!(key, FacetValue::Text(_))) {
        for (place, word) in words.iter().enumerate() {
            let same = word
                .clone()
                .and_then(|word| places.get(&FacetValue::Text(word)));
            if let Some(same) = same {
                counts[*same as usize] += std::mem::take(&mut counts[place]);
            }
        }
        // So it is with a date of a mapped field and a word in the spelling that dates are shown in.
        for (key, place) in &places {
            let FacetValue::Date(micros) = key else {
                continue;
            };
            if words[*place as usize].is_some() {
                continue;
            }
            if let Some(same) = places.get(&FacetValue::Text(iso(*micros))) {
                let count = std::mem::take(&mut counts[*same as usize]);
                counts[*place as usize] += count;
            }
        }
    }
    let counted = places.into_iter().map(|(key, place)| {
        let word = words[place as usize].take();
        (counts[place as usize], word.map_or(key, FacetValue::Text))
    });
    counted.filter(|(count, _)| *count > 0).collect()
}
