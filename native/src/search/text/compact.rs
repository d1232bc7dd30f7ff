//! The matches among the places of a block, put side by side.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use crate::search::text::scratch::BLOCK;

/// Places that are looked at together.
const LANES: usize = 16;

/// The matches of a block, in the order of their places.
pub struct Compact<const VALUES: usize> {
    count: usize,
    // What is put behind the last match is overwritten by the next one, or never looked at.
    positions: [u32; BLOCK + LANES],
    values: [[f32; BLOCK + LANES]; VALUES],
}

impl<const VALUES: usize> Compact<VALUES> {
    /// Those places whose sum is above zero, each with its values; the first is at the position `start`.
    pub fn of(start: u32, sums: &[f32; BLOCK], values: [&[f32; BLOCK]; VALUES]) -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor was just seen to have it.
            return unsafe { Compact::of_wide(start, sums, values) };
        }
        Compact::of_anywhere(start, sums, values)
    }

    /// The positions, ascending.
    pub fn positions(&self) -> &[u32] {
        &self.positions[..self.count]
    }

    /// The value of this number of each.
    pub fn values(&self, number: usize) -> &[f32] {
        &self.values[number][..self.count]
    }

    fn none() -> Self {
        Compact {
            count: 0,
            positions: [0; BLOCK + LANES],
            values: [[0.0; BLOCK + LANES]; VALUES],
        }
    }

    fn of_anywhere(start: u32, sums: &[f32; BLOCK], values: [&[f32; BLOCK]; VALUES]) -> Self {
        let mut found = Compact::none();
        for (at, (position, sum)) in (start..).zip(sums).enumerate() {
            // Put there always, kept if it matches: no branch to guess wrong.
            found.positions[found.count] = position;
            for (own, values) in found.values.iter_mut().zip(values) {
                own[found.count] = values[at];
            }
            found.count += usize::from(*sum > 0.0);
        }
        found
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn of_wide(start: u32, sums: &[f32; BLOCK], values: [&[f32; BLOCK]; VALUES]) -> Self {
        let mut found = Compact::none();
        let mut places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        places = _mm512_add_epi32(places, _mm512_set1_epi32(start as i32));
        for (number, sums) in sums.as_chunks::<LANES>().0.iter().enumerate() {
            // SAFETY: the arrays are as long as what is read from them, and what is written has room behind all matches
            // so far, of which there are at most as many as places were looked at.
            unsafe {
                let sums = _mm512_loadu_ps(sums.as_ptr());
                let matching = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(sums, _mm512_setzero_ps());
                let positions = found.positions.as_mut_ptr().add(found.count);
                let of_matching = _mm512_maskz_compress_epi32(matching, places);
                _mm512_storeu_si512(positions.cast(), of_matching);
                for (own, values) in found.values.iter_mut().zip(values) {
                    let values = _mm512_loadu_ps(values.as_ptr().add(number * LANES));
                    let of_matching = _mm512_maskz_compress_ps(matching, values);
                    _mm512_storeu_ps(own.as_mut_ptr().add(found.count), of_matching);
                }
                found.count += matching.count_ones() as usize;
            }
            places = _mm512_add_epi32(places, _mm512_set1_epi32(LANES as i32));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_loop_and_the_instructions_find_the_same() {
        for every in [1, 2, 3, 17, 63, 64] {
            let sums: [f32; BLOCK] = std::array::from_fn(|at| match at % every {
                0 => f32::MIN_POSITIVE,
                _ => 0.0,
            });
            let scores: [f32; BLOCK] = std::array::from_fn(|at| at as f32);
            let others: [f32; BLOCK] = std::array::from_fn(|at| -(at as f32));
            let plain = Compact::of_anywhere(1000, &sums, [&scores, &others]);
            let expected: Vec<u32> = (1000..1064).step_by(every).collect();
            assert_eq!(plain.positions(), expected);
            let found = Compact::of(1000, &sums, [&scores, &others]);
            assert_eq!(found.positions(), plain.positions());
            assert_eq!(found.values(0), plain.values(0));
            assert_eq!(found.values(1), plain.values(1));
        }
        let none = Compact::of(0, &[0.0; BLOCK], [&[1.0; BLOCK]]);
        assert!(none.positions().is_empty() && none.values(0).is_empty());
    }
}
