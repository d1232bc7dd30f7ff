//! Sets of codes of a column, and a fast hash for numbers of such.

use std::collections::hash_map::RandomState;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// Codes that those of documents are held against, one document after the other.
pub struct CodeSet {
    /// Each once, ascending.
    list: Vec<u64>,
    known: Known,
}

enum Known {
    /// Words have codes without gaps: a bit for each.
    Dense(Vec<u64>),
    Sparse(HashSet<u64, CodeHash>),
}

impl CodeSet {
    /// Of codes of words, all of them below `end`.
    pub fn of_words(codes: Vec<u64>, end: usize) -> CodeSet {
        let mut bits = vec![0; end.div_ceil(64)];
        for code in &codes {
            bits[*code as usize / 64] |= 1u64 << (code % 64);
        }
        CodeSet::new(codes, Known::Dense(bits))
    }

    /// Of any codes.
    pub fn of_numbers(codes: Vec<u64>) -> CodeSet {
        let known = Known::Sparse(codes.iter().copied().collect());
        CodeSet::new(codes, known)
    }

    fn new(mut list: Vec<u64>, known: Known) -> CodeSet {
        list.sort_unstable();
        list.dedup();
        CodeSet { list, known }
    }

    /// Each once, ascending.
    pub fn list(&self) -> &[u64] {
        &self.list
    }

    /// Whether a code is one of them.
    #[inline]
    pub fn contains(&self, code: u64) -> bool {
        match &self.known {
            Known::Dense(bits) => {
                let word = bits.get(code as usize / 64);
                word.is_some_and(|word| word >> (code % 64) & 1 == 1)
            }
            Known::Sparse(codes) => codes.contains(&code),
        }
    }
}

/// Hashes numbers by one multiplication, another in each process: nobody who writes documents can tell which numbers would
/// come together.
#[derive(Clone)]
pub struct CodeHash(u64);

impl Default for CodeHash {
    fn default() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        CodeHash(*SEED.get_or_init(|| RandomState::new().hash_one(0)))
    }
}

impl BuildHasher for CodeHash {
    type Hasher = CodeHasher;

    fn build_hasher(&self) -> CodeHasher {
        CodeHasher(self.0)
    }
}

/// The hash of one number.
pub struct CodeHasher(u64);

impl Hasher for CodeHasher {
    fn write_u64(&mut self, number: u64) {
        let wide = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_its_codes_and_no_others() {
        let codes: Vec<u64> = vec![70, 3, 64, 3, 0];
        for set in [
            CodeSet::of_words(codes.clone(), 71),
            CodeSet::of_numbers(codes.clone()),
        ] {
            assert_eq!(set.list(), [0, 3, 64, 70]);
            for code in (0..200).chain([u64::MAX]) {
                assert_eq!(set.contains(code), codes.contains(&code), "{code}");
            }
        }
    }

    #[test]
    fn numbers_that_are_alike_are_spread() {
        let hash = CodeHash::default();
        for step in [1, 1 << 20, 1 << 44, 1 << 52] {
            let places = (0..1000u64).map(|n| hash.hash_one(n * step) % 4096);
            let places: HashSet<u64> = places.collect();
            assert!(places.len() > 700, "{step}: {}", places.len());
        }
    }
}
