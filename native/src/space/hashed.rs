//! Feature hashing: the vector of a text without anything learned.

use std::hash::{BuildHasherDefault, Hasher};

use crate::vectors::normalize;

/// What the cosine of two random documents rarely exceeds: mean plus two deviations lay between .25
/// and .30 on the collections tried.
pub(crate) const CUT: f32 = 0.28;
/// The shares of (text, vector) in a fused score. Nothing weighs rare words here, so the vector says
/// less than a learned one and gets a smaller share.
pub(crate) const WEIGHTS: (f32, f32) = (0.8, 0.2);
/// What a character n-gram counts beside its word.
const GRAM_WEIGHT: f32 = 0.3;
/// Lengths of the n-grams; a word's ends count as characters.
const GRAM_LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;

/// A fast hash of short strings, the same in every process.
pub(crate) type TermHash = BuildHasherDefault<Fnv>;

/// FNV-1a, 64 bits.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        // The table takes its tag from the highest bits and its place from the lowest.
        self.0 ^ (self.0 >> 29)
    }
}

/// Writes the unit vector of analysed words: each, and each of its n-grams, is added with its sign
/// at its place (Weinberger et al. 2009). `false` when there is nothing.
pub(crate) fn embed(terms: &mut dyn Iterator<Item = (&str, u32)>, out: &mut [f32]) -> bool {
    out.fill(0.0);
    let mut marked = String::new();
    let mut ends = Vec::new();
    for (term, frequency) in terms {
        let weight = 1.0 + (frequency.max(1) as f32).ln();
        add(term, weight, out);
        marked.clear();
        marked.push('^');
        marked.push_str(term);
        marked.push('$');
        ends.clear();
        ends.extend(marked.char_indices().map(|(at, _)| at));
        ends.push(marked.len());
        for length in GRAM_LENGTHS {
            for ends in ends.windows(length + 1) {
                add(&marked[ends[0]..ends[length]], weight * GRAM_WEIGHT, out);
            }
        }
    }
    normalize(out)
}

fn add(feature: &str, weight: f32, out: &mut [f32]) {
    let mut hash = Fnv::default();
    hash.write(feature.as_bytes());
    // The highest bits of the plain hash of a short string hardly differ.
    let hash = hash.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let place = ((u128::from(hash) * out.len() as u128) >> 64) as usize;
    if let Some(value) = out.get_mut(place) {
        *value += if hash & 1 == 0 { weight } else { -weight };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(terms: &[(&str, u32)]) -> Vec<f32> {
        let mut out = vec![0.0; 256];
        assert!(embed(&mut terms.iter().copied(), &mut out));
        out
    }

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn words_that_share_parts_are_nearer_than_words_that_do_not() {
        let word = vector(&[("compilation", 1)]);
        let kin = cosine(&word, &vector(&[("compiler", 1)]));
        let stranger = cosine(&word, &vector(&[("giraffe", 1)]));
        assert!(kin > 0.15 && stranger.abs() < kin / 2.0, "{kin} {stranger}");
        assert!((cosine(&word, &word) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_order_of_words_and_letters_of_any_script_are_fine() {
        let one = vector(&[("straße", 1), ("検索", 2)]);
        let other = vector(&[("検索", 2), ("straße", 1)]);
        assert!((cosine(&one, &other) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn no_words_have_no_vector() {
        assert!(!embed(&mut std::iter::empty(), &mut [0.0; 8]));
    }
}
