//! BM25, as the text leg ranks by it and as what a learned space is measured against (Robertson & Zaragoza 2009, "The
//! Probabilistic Relevance Framework: BM25 and Beyond").

/// How soon further occurrences of a term add no more.
const K1: f32 = 1.2;
/// How much lengths count.
const B: f32 = 0.75;

/// idf of a term that n of N documents have: Robertson and Spärck Jones's weight without anything known to be relevant, with
/// the 1 inside the logarithm by which Lucene keeps it above 0.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_term_weighs_more_and_every_term_weighs_something() {
        assert!(idf(1000.0, 3) > idf(1000.0, 300));
        assert!(idf(10.0, 10) > 0.0);
    }

    #[test]
    fn a_term_counts_once_in_a_document_of_mean_length_less_in_a_longer_one_and_never_without_end()
    {
        assert!((saturated(1.0, norm(80.0, 80.0)) - 1.0).abs() < 1e-6);
        assert!(saturated(1.0, norm(160.0, 80.0)) < 1.0);
        assert!(saturated(1e6, norm(80.0, 80.0)) <= K1 + 1.0);
        assert!(norm(0.0, 0.0).is_finite());
    }
}
