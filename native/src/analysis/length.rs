//! Words that are too long to be any, or too short for who declared so.

use crate::analysis::each_word::WordFilter;

/// Leaves out tokens of more, or fewer, than so many characters. Not bytes: a letter of most scripts has two or three, so that
/// words of twenty-two letters would be left out in Hindi or Georgian that are found in English.
#[derive(Clone, Copy)]
pub struct LengthFilter {
    min: usize,
    max: usize,
}

impl LengthFilter {
    /// Keeps tokens of `min` to `max` characters.
    pub fn between(min: usize, max: usize) -> LengthFilter {
        LengthFilter { min, max }
    }

    fn keeps(self, text: &str) -> bool {
        // Most words have fewer bytes than they may have characters: of these nothing is counted.
        if self.min <= 1 && text.len() <= self.max {
            return true;
        }
        (self.min..=self.max).contains(&text.chars().count())
    }
}

impl WordFilter for LengthFilter {
    fn apply(self, word: &mut String, _buffer: &mut String) -> bool {
        self.keeps(word)
    }
}
