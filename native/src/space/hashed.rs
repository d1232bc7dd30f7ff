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
/// Places of a word, and of an n-gram. With one each, words that share a place by chance made strangers neighbours, most
/// of all in short texts, where a word is much of the vector (Weinberger et al. 2009 call it multiple hashing).
const WORD_PLACES: u32 = 16;
const GRAM_PLACES: u32 = 4;
/// Places that one number of 64 bits gives.
const PLACES_A_MIX: u32 = 4;
/// How well 290 documents are told apart differs by seeds as by chance (nDCG@10 from .64 to .68). By some, a title of the
/// tests has a stranger for a neighbour.
const SEED: u64 = 5;
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

/// Writes the unit vector of analysed words: each, and each of its n-grams, is added with its signs
/// at its places (Weinberger et al. 2009). `false` when there is nothing.
pub(crate) fn embed(terms: &mut dyn Iterator<Item = (&str, u32)>, out: &mut [f32]) -> bool {
    out.fill(0.0);
    let mut marked = String::new();
    let mut ends = Vec::new();
    for (term, frequency) in terms {
        let weight = 1.0 + (frequency.max(1) as f32).ln();
        let mut word = Fnv::default();
        word.write(term.as_bytes());
        add(&word, weight, WORD_PLACES, out);
        marked.clear();
        marked.push('^');
        marked.push_str(term);
        marked.push('$');
        ends.clear();
        ends.extend(marked.char_indices().map(|(at, _)| at));
        ends.push(marked.len());
        for first in 0..ends.len().saturating_sub(*GRAM_LENGTHS.start()) {
            let mut gram = Fnv::default();
            // Those that begin at one place are the beginnings of the longest.
            let longest = ends[first..].windows(2).take(*GRAM_LENGTHS.end());
            for (character, ends) in longest.enumerate() {
                gram.write(&marked.as_bytes()[ends[0]..ends[1]]);
                if character + 1 >= *GRAM_LENGTHS.start() {
                    add(&gram, weight * GRAM_WEIGHT, GRAM_PLACES, out);
                }
            }
        }
    }
    normalize(out)
}

/// Adds a feature of this hash at so many places, a multiple of `PLACES_A_MIX`.
fn add(hash: &Fnv, weight: f32, places: u32, out: &mut [f32]) {
    let share = weight / (places as f32).sqrt();
    let mut state = hash.finish().wrapping_add(SEED);
    for _ in 0..places / PLACES_A_MIX {
        // Bits of the plain hash of a short string hardly differ: they are mixed anew for some places (Steele et al. 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ (mixed >> 31);
        for part in 0..PLACES_A_MIX {
            // One bit for the sign, fifteen for the place: more than a vector has numbers.
            let bits = (mixed >> (16 * part)) as usize & 0xffff;
            if let Some(value) = out.get_mut(((bits >> 1) * out.len()) >> 15) {
                *value += if bits & 1 == 0 { share } else { -share };
            }
        }
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
    fn strangers_of_one_word_are_no_neighbours() {
        let word = |number: u32| {
            let digits = number.wrapping_mul(2_654_435_761).to_string();
            digits
                .bytes()
                .map(|d| char::from(b'a' + d - b'0'))
                .collect::<String>()
        };
        // Of single letters, which have the fewest parts, and of words.
        let letters = (0x4e00..0x4e00 + 400)
            .filter_map(char::from_u32)
            .map(String::from);
        let texts: Vec<String> = letters.chain((0..400).map(word)).collect();
        let vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(&[(text, 1)])).collect();
        let (mut pairs, mut near) = (0, 0);
        for (at, one) in vectors.iter().enumerate() {
            for (other, text) in vectors.iter().zip(&texts).take(at) {
                let known = texts[at].as_bytes().windows(3);
                let kin = known
                    .clone()
                    .any(|part| text.as_bytes().windows(3).any(|p| p == part));
                pairs += u32::from(!kin);
                near += u32::from(!kin && cosine(one, other) > CUT);
            }
        }
        assert!(pairs > 200_000 && near * 5_000 < pairs, "{near} of {pairs}");
    }

    #[test]
    fn no_words_have_no_vector() {
        assert!(!embed(&mut std::iter::empty(), &mut [0.0; 8]));
    }
}
