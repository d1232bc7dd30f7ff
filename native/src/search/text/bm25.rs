//! The formulas of the text leg: BM25, and how its fields go together.

use crate::engine::lengths::length_of;

/// Saturation of term frequencies (Robertson & Zaragoza 2009).
const K1: f32 = 1.2;
/// How much lengths count.
const B: f32 = 0.75;
/// What the fields besides the best one add.
const OTHERS: f32 = 0.5;

/// idf of a term that n of N documents have.
pub fn idf(documents: f32, with_term: usize) -> f32 {
    let n = with_term as f32;
    (1.0 + (documents - n + 0.5) / (n + 0.5)).ln()
}

/// The saturated frequency, given the part of the denominator that depends on the length.
#[inline]
pub fn saturated(frequency: f32, norm: f32) -> f32 {
    frequency * (K1 + 1.0) / (frequency + norm)
}

/// The part of the denominator that depends on a length.
pub fn norm(length: f32, mean: f32) -> f32 {
    K1 * (1.0 - B + B * length / mean.max(f32::MIN_POSITIVE))
}

/// What a function of lengths gives for each length code.
pub fn table(of: impl Fn(f32) -> f32) -> Box<[f32; 256]> {
    let mut values = Box::new([0.0; 256]);
    for (code, value) in values.iter_mut().enumerate() {
        *value = of(length_of(code as u8));
    }
    values
}

/// Half the combined field, half the best field with a part of the others.
#[inline]
pub fn blend(combined: f32, best: f32, sum: f32) -> f32 {
    quantized(0.5 * combined + 0.5 * (best + OTHERS * (sum - best)))
}

/// Rounds to 17 significant bits, so that the last bits of a sum don't decide an order.
fn quantized(score: f32) -> f32 {
    f32::from_bits((score.to_bits() + 0x40) & !0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_term_weighs_more_and_every_term_weighs_something() {
        assert!(idf(1000.0, 3) > idf(1000.0, 300));
        assert!(idf(10.0, 10) > 0.0);
    }

    #[test]
    fn rounding_keeps_order_and_is_stable() {
        let score = 12.345_678;
        assert_eq!(quantized(quantized(score)), quantized(score));
        assert!((quantized(score) - score).abs() < score * 1e-5);
        assert_eq!(quantized(0.0), 0.0);
    }
}
