//! Added scores as a request brings them: what was learned of single documents.

use crate::failure::Failure;

/// Most documents whose scores one search may add to.
pub const ADDED_MAX: usize = 4096;

/// A document that gets as much as this is pinned: not even a model moves it from its place.
pub const PINNED: f64 = 1000.0;

/// What one document's score gets on top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AddedScore {
    /// The index of the document.
    pub index: u64,
    /// Its document number.
    pub ord: u64,
    /// What is added; 1 is the span of the fused score (`Scale::span`).
    pub value: f64,
}

impl AddedScore {
    /// Reads (index, ord, value) triples; BAD_REQUEST for anything else.
    pub fn read(triples: &[f64]) -> Result<Vec<AddedScore>, Failure> {
        if triples.len() > 3 * ADDED_MAX {
            let message = format!("at most {ADDED_MAX} documents may get an added score");
            return Err(Failure::bad_request(message));
        }
        let whole = |value: f64| value >= 0.0 && value.fract() == 0.0;
        let read = triples.chunks(3).map(|triple| match *triple {
            [index, ord, value] if whole(index) && whole(ord) && value.is_finite() => {
                Ok(AddedScore {
                    index: index as u64,
                    ord: ord as u64,
                    value,
                })
            }
            _ => Err(Failure::bad_request(
                "added scores are triples of an index, a document number and a finite number",
            )),
        });
        read.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_triples_of_sound_numbers_are_read() {
        let read = AddedScore::read(&[1.0, 7.0, 0.5]).unwrap();
        assert_eq!((read[0].index, read[0].ord, read[0].value), (1, 7, 0.5));
        for bad in [
            &[1.0, 7.0][..],
            &[1.0, 7.5, 0.1],
            &[-1.0, 7.0, 0.1],
            &[1.0, 7.0, f64::NAN],
            &[f64::NAN, 7.0, 0.1],
        ] {
            let failure = AddedScore::read(bad).unwrap_err();
            assert_eq!(failure.code.word(), "BAD_REQUEST", "{bad:?}");
        }
        assert!(AddedScore::read(&vec![1.0; 3 * ADDED_MAX]).is_ok());
        assert!(AddedScore::read(&vec![1.0; 3 * ADDED_MAX + 3]).is_err());
    }
}
