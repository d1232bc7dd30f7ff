//! How far two rows of bytes are from each other, as the graph is built. usearch would take the library NumKong for it,
//! a hundred functions for each of a dozen processors: it made up a quarter of what the first start compiles.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::sketch::total;

/// One minus the cosine of two rows of one length, whose bytes are -127 to 127. A row of zeros has the distance 1 from all
/// others, and 0 from another one.
pub(super) fn distance(a: &[i8], b: &[i8]) -> f32 {
    let Products { ab, aa, bb } = products(a, b);
    if aa == 0 || bb == 0 {
        return if aa == bb { 0.0 } else { 1.0 };
    }
    1.0 - ab as f32 / ((aa as f32).sqrt() * (bb as f32).sqrt())
}

/// Σ a·b, Σ a·a and Σ b·b, exactly.
#[derive(Debug, PartialEq)]
struct Products {
    ab: i32,
    aa: i32,
    bb: i32,
}

fn products(a: &[i8], b: &[i8]) -> Products {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was just found on this machine.
        return unsafe { products_avx2(a, b) };
    }
    products_plain(a, b)
}

fn products_plain(a: &[i8], b: &[i8]) -> Products {
    let dot = |a: &[i8], b: &[i8]| {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    };
    Products {
        ab: dot(a, b),
        aa: dot(a, a),
        bb: dot(b, b),
    }
}

#[cfg(target_arch = "x86_64")]
const LANES: usize = 32;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(a: &[i8], b: &[i8]) -> Products {
    let (parts_of_a, rest_of_a) = a.as_chunks::<LANES>();
    let (parts_of_b, rest_of_b) = b.as_chunks::<LANES>();
    let mut sums = [_mm256_setzero_si256(); 3];
    for (a, b) in parts_of_a.iter().zip(parts_of_b) {
        add_products(&mut sums, a, b);
    }
    if !rest_of_a.is_empty() {
        add_products(&mut sums, &padded(rest_of_a), &padded(rest_of_b));
    }
    let [ab, aa, bb] = sums.map(|sum| total(sum));
    Products { ab, aa, bb }
}

#[cfg(target_arch = "x86_64")]
fn padded(rest: &[i8]) -> [i8; LANES] {
    let mut part = [0; LANES];
    part[..rest.len()].copy_from_slice(rest);
    part
}

/// Pairs of products are added up in 16 bits, which two of the largest fill: 2 · 127² is 32 258.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn add_products(sums: &mut [__m256i; 3], a: &[i8; LANES], b: &[i8; LANES]) {
    // SAFETY: both arrays are as long as the vectors that are read from them.
    let (a, b) = unsafe {
        (
            _mm256_loadu_si256(a.as_ptr().cast()),
            _mm256_loadu_si256(b.as_ptr().cast()),
        )
    };
    let (size_of_a, size_of_b) = (_mm256_abs_epi8(a), _mm256_abs_epi8(b));
    // One of the factors must be unsigned: the other gets its sign.
    let pairs = [
        _mm256_maddubs_epi16(size_of_b, _mm256_sign_epi8(a, b)),
        _mm256_maddubs_epi16(size_of_a, size_of_a),
        _mm256_maddubs_epi16(size_of_b, size_of_b),
    ];
    let ones = _mm256_set1_epi16(1);
    for (sum, pairs) in sums.iter_mut().zip(pairs) {
        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::lsa::Random;

    #[test]
    fn sums_of_products_are_the_same_on_all_machines() {
        let mut random = Random(7);
        for length in [1, 2, 31, 32, 33, 100, 256, 1000] {
            let mut row = |_| -> Vec<i8> {
                let bytes = (0..length).map(|_| random.below(255) as i16 - 127);
                bytes.map(|byte| byte as i8).collect()
            };
            let mut rows: Vec<Vec<i8>> = (0..6).map(&mut row).collect();
            rows.extend([vec![127; length], vec![-127; length], vec![0; length]]);
            for (a, b) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
                assert_eq!(products(a, b), products_plain(a, b), "{a:?} and {b:?}");
            }
        }
    }

    #[test]
    fn the_distance_of_two_rows_goes_by_their_direction_alone() {
        let near = |a: &[i8], b: &[i8], wanted: f32| {
            assert!((distance(a, b) - wanted).abs() < 1e-6, "{a:?} and {b:?}");
        };
        near(&[1, 2, 3], &[2, 4, 6], 0.0);
        near(&[1, 2, 3], &[-10, -20, -30], 2.0);
        near(&[5, 0], &[0, 9], 1.0);
        near(&[3, 4], &[4, 3], 1.0 - 24.0 / 25.0);
        near(&[0, 0], &[4, 3], 1.0);
        near(&[0, 0], &[0, 0], 0.0);
    }
}
