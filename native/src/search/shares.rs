//! What words and meaning count in a score of both.

use tantivy::tokenizer::{TokenStream, Tokenizer};

use crate::analysis::script::stands_alone;
use crate::analysis::tokenizer::WordTokenizer;
use crate::engine::snapshot::Snapshot;
use crate::search::query::Weights;

/// From so many words on, a learned vector counts what was measured for its space; with fewer, as much less. A word or two are
/// found where they are written; what else lies near them is only about the same.
const WORDS_ENOUGH: f64 = 10.0;
/// It counts that much at least: some documents say the query in other words.
const VECTOR_MIN: f64 = 0.1;
/// A word of a script without spaces has about so many of the pieces that it is cut into.
const PIECES: f64 = 2.0;

/// What both halves count for a query, in an index that is the only one of its search (`alone`) or stands beside others.
pub fn shares(snapshot: &Snapshot, query: &str, alone: bool) -> Weights {
    // Through their decimal form: 0.7 as a short float is not 0.7 as a long one.
    let (text, vector) = match alone {
        true => snapshot.space.weights(),
        false => snapshot.space.weights_beside_others(),
    };
    let long = |weight: f32| weight.to_string().parse().unwrap_or(f64::from(weight));
    let (text, vector) = (long(text), long(vector));
    match snapshot.space.is_learned() {
        true => by_words(vector, words(query)),
        false => Weights { text, vector },
    }
}

/// A vector's share for a query of so many words, in hundredths, so that explanations stay short.
fn by_words(vector: f64, words: f64) -> Weights {
    let hundredths = |share: f64| (share * 100.0).round() / 100.0;
    let fewer = vector * (words / WORDS_ENOUGH).min(1.0);
    let vector = hundredths(fewer.max(VECTOR_MIN.min(vector)));
    Weights {
        text: hundredths(1.0 - vector),
        vector,
    }
}

/// How many words a query has, of which no more than enough are counted. It does not depend on how an index reads it, since
/// indices that are searched together must agree.
fn words(query: &str) -> f64 {
    let mut tokenizer = WordTokenizer::default();
    let mut stream = tokenizer.token_stream(query);
    let mut words = 0.0;
    while words < WORDS_ENOUGH && stream.advance() {
        let is_piece = stream.token().text.chars().next().is_some_and(stands_alone);
        words += if is_piece { 1.0 / PIECES } else { 1.0 };
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_every_script_and_no_further_than_needed() {
        assert_eq!(words(""), 0.0);
        assert_eq!(words("*"), 0.0);
        assert_eq!(words("Split Function?"), 2.0);
        assert_eq!(words("how do I don't-know 3.5mm"), 6.0);
        assert_eq!(words("東京の天気"), 2.5);
        assert_eq!(words("データベース 接続"), 2.0);
        assert_eq!(words("สวัสดี"), 2.0);
        assert_eq!(words(&"word ".repeat(100_000)), WORDS_ENOUGH);
    }

    #[test]
    fn vectors_count_less_for_fewer_words_and_never_nothing() {
        let vector = |share, words| by_words(share, words).vector;
        assert_eq!(vector(0.4, 12.0), 0.4);
        assert_eq!(vector(0.4, 10.0), 0.4);
        assert_eq!(vector(0.4, 5.0), 0.2);
        assert_eq!(vector(0.4, 1.0), 0.1);
        assert_eq!(vector(0.2, 0.0), 0.1);
        assert_eq!(vector(0.05, 1.0), 0.05);
        assert_eq!(by_words(0.43, 7.0).text, 0.7);
    }
}
