//! Feature hashing: the vector of a text without anything learned.

use std::hash::{BuildHasherDefault, Hasher};

/// What the cosine of two random documents rarely exceeds.
pub(crate) const CUT: f32 = 0.2;
/// The shares of (text, vector) in a fused score.
pub(crate) const WEIGHTS: (f32, f32) = (0.7, 0.3);

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

/// Writes the unit vector of a text: its analysed words and their character 3–5-grams, each added
/// with its sign at its place. `false` when there is nothing.
pub(crate) fn embed(
    terms: &mut dyn Iterator<Item = (&str, u32)>,
    _text: &str,
    out: &mut [f32],
) -> bool {
    out.fill(0.0);
    for (term, frequency) in terms {
        let weight = 1.0 + (frequency.max(1) as f32).ln();
        add(term.as_bytes(), weight, out);
    }
    crate::vectors::normalize(out)
}

fn add(feature: &[u8], weight: f32, out: &mut [f32]) {
    let mut hash = Fnv::default();
    hash.write(feature);
    let hash = hash.finish();
    let place = ((u128::from(hash) * out.len() as u128) >> 64) as usize;
    if let Some(value) = out.get_mut(place) {
        *value += if hash & 1 == 0 { weight } else { -weight };
    }
}
