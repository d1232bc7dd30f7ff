//! What each way to say a part of a query counts, beside the others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::search::text::clause::{Slot, Way};

/// Words of a row in which others are looked for.
const ROW_WORDS_MAX: usize = 16;

/// Gives the ways to say one thing, of which the first is the query's own, weights by which a document that says what was
/// typed has no lower score than one that says the same in other words, other things being equal. Words alone, and rows of
/// as many words, all count the same.
pub fn weigh(ways: &mut [Way]) {
    if ways.iter().all(|way| way.slots.len() == 1) {
        return;
    }
    for at in holding_others(ways) {
        // Whoever says "motor car" says "car", and would else have said it twice.
        ways[at].weight = 0.0;
    }
    let Some((own, others)) = ways.split_first_mut() else {
        return;
    };
    // A document is longer by each word of a row. Counted by its n words against the m of another way,
    // w / (w + k(1 - b + b(R + n) / mean)) with w = n / m is at least what R + m words give with w = 1.
    let fewest = others.iter().map(|way| way.slots.len()).min();
    if let Some(fewest) = fewest.filter(|fewest| (1..own.slots.len()).contains(fewest)) {
        own.weight = own.slots.len() as f32 / fewest as f32;
    }
}

/// The ways but the first in which another one stands.
fn holding_others(ways: &[Way]) -> Vec<usize> {
    let mut known: HashMap<u64, Vec<usize>> = HashMap::with_capacity(ways.len());
    for (at, way) in ways.iter().enumerate() {
        if let Some(whole) = keys(&way.slots).last() {
            known.entry(whole).or_default().push(at);
        }
    }
    let holds = |(at, way): &(usize, &Way)| {
        let slots = way.slots.as_slice();
        let starts = 0..slots.len();
        let mut parts = starts.flat_map(|start| {
            let ends = (start + 1..).zip(keys(&slots[start..]));
            ends.map(move |(end, key)| (&slots[start..end], key))
        });
        parts.any(|(part, key)| {
            let same = known.get(&key).into_iter().flatten();
            let mut others = same.filter(|other| *other != at);
            others.any(|other| is_same(&ways[*other].slots, part))
        })
    };
    let rows = ways.iter().enumerate().skip(1);
    let rows = rows.filter(|(_, way)| (2..=ROW_WORDS_MAX).contains(&way.slots.len()));
    rows.filter(holds).map(|(at, _)| at).collect()
}

/// For each beginning of a row, from the first word on, a number that rows alike have.
fn keys(slots: &[Slot]) -> impl Iterator<Item = u64> + '_ {
    let first = slots.first().map_or(0, |slot| slot.offset);
    slots.iter().scan(DefaultHasher::new(), move |key, slot| {
        (slot.offset - first).hash(key);
        slot.terms.hash(key);
        Some(key.finish())
    })
}

fn is_same(one: &[Slot], other: &[Slot]) -> bool {
    let (Some(a), Some(b)) = (one.first(), other.first()) else {
        return false;
    };
    let (a, b) = (a.offset, b.offset);
    let mut both = one.iter().zip(other);
    one.len() == other.len()
        && both.all(|(x, y)| x.offset - a == y.offset - b && x.terms == y.terms)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::analysis::term::Step;

    /// A way to say words, an underline for each gap.
    fn way(words: &str) -> Way {
        let steps = words.split(' ').enumerate();
        let steps = steps.map(|(offset, text)| Step {
            offset: offset as u32,
            text: text.to_owned(),
        });
        let steps: Vec<Step> = steps.filter(|step| step.text != "_").collect();
        Way::row(&steps)
    }

    fn weights(ways: &[&str]) -> Vec<f32> {
        let mut ways: Vec<Way> = ways.iter().map(|words| way(words)).collect();
        weigh(&mut ways);
        ways.iter().map(|way| way.weight).collect()
    }

    #[test]
    fn a_row_that_was_typed_counts_by_its_words_against_those_of_the_shortest() {
        assert_eq!(weights(&["wi fi", "wifi"]), [2.0, 1.0]);
        assert_eq!(weights(&["a b c d", "e f", "g h i"]), [2.0, 1.0, 1.0]);
        assert_eq!(weights(&["wifi", "wi fi"]), [1.0, 1.0]);
        assert_eq!(weights(&["a b", "c d"]), [1.0, 1.0]);
        assert_eq!(weights(&["a b"]), [1.0]);
        assert_eq!(weights(&["car", "automobile"]), [1.0, 1.0]);
        assert_eq!(weights(&[]), [0.0; 0]);
    }

    #[test]
    fn a_row_that_another_way_stands_in_is_counted_by_that_alone() {
        assert_eq!(weights(&["car", "motor car", "auto"]), [1.0, 0.0, 1.0]);
        assert_eq!(weights(&["motor car", "car"]), [2.0, 1.0]);
        let usa = ["usa", "united states", "united states _ america"];
        assert_eq!(weights(&usa), [1.0, 1.0, 0.0]);
        assert_eq!(weights(&["x", "a b c", "b c"]), [1.0, 0.0, 1.0]);
        // Another distance, another order, another word.
        assert_eq!(weights(&["x", "a _ b c", "a b"]), [1.0, 1.0, 1.0]);
        assert_eq!(weights(&["x", "b a c", "a b"]), [1.0, 1.0, 1.0]);
        assert_eq!(weights(&["x", "z a _ b", "a _ b"]), [1.0, 0.0, 1.0]);
    }

    #[test]
    fn hundreds_of_rows_that_begin_alike_are_weighed_at_once() {
        let rows: Vec<String> = (0..500).map(|row| format!("new new w{row}")).collect();
        let mut ways: Vec<Way> = rows.iter().map(|row| way(row)).collect();
        let begun = Instant::now();
        (0..100).for_each(|_| weigh(&mut ways));
        assert!(ways.iter().all(|way| way.weight == 1.0));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}
