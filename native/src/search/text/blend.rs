//! How the fields of the text leg go together.

/// What the fields besides the best one add.
const OTHERS: f32 = 0.5;

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
    fn rounding_keeps_order_and_is_stable() {
        let score = 12.345_678;
        assert_eq!(quantized(quantized(score)), quantized(score));
        assert!((quantized(score) - score).abs() < score * 1e-5);
        assert_eq!(quantized(0.0), 0.0);
    }
}
