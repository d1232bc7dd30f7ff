//! What the sides of a range leave of a column's codes.

use serde_json::Value;
use tantivy::columnar::{ColumnType, TermOrdHit};
use tantivy::{f64_to_u64, i64_to_u64};

use crate::date::parse_date;
use crate::engine::codes::CodeSet;
use crate::engine::column::Column;
use crate::failure::Failure;
use crate::value::{bool_of, date_of, number_of, whole_of, word_of};

/// The side of a value that a bound keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Greater.
    Above,
    /// Greater or equal.
    From,
    /// Less.
    Below,
    /// Less or equal.
    To,
}

impl Bound {
    /// Whether it keeps a value beside another.
    fn keeps(self, value: i64, other: i64) -> bool {
        match self {
            Bound::Above => value > other,
            Bound::From => value >= other,
            Bound::Below => value < other,
            Bound::To => value <= other,
        }
    }
}

/// What a range leaves of a column's codes.
pub enum Codes {
    /// From the first to the last, both included.
    Between(u64, u64),
    /// These alone.
    Among(CodeSet),
}

impl Codes {
    /// The first and the last one, where all between them are left.
    pub fn ends(&self) -> Option<(u64, u64)> {
        match self {
            Codes::Between(low, high) => Some((*low, *high)),
            Codes::Among(_) => None,
        }
    }

    /// Whether a code is left.
    pub fn contains(&self, code: u64) -> bool {
        match self {
            Codes::Between(low, high) => (*low..=*high).contains(&code),
            Codes::Among(codes) => codes.contains(code),
        }
    }
}

impl Column {
    /// Codes (from, to), both included, that a bound leaves; `None` when the value isn't of this
    /// column's type. From above to is an empty range.
    pub fn bound(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let exact = |code: u64| Some(cut(code, code, bound));
        Ok(match self.kind {
            ColumnType::Str => self.bound_of_word(value, bound)?,
            ColumnType::Bool => bool_of(value).and_then(|yes| exact(u64::from(yes))),
            ColumnType::F64 => number_of(value).and_then(|number| exact(f64_to_u64(number))),
            ColumnType::DateTime => date_of(value).and_then(|micros| exact(i64_to_u64(micros))),
            ColumnType::I64 => {
                whole_of(value).map(|(floor, ceil)| cut(i64_to_u64(floor), i64_to_u64(ceil), bound))
            }
            ColumnType::U64 => whole_of(value).map(|(floor, ceil)| {
                let code = |number: i64| number.max(0) as u64;
                cut(code(floor), code(ceil), bound)
            }),
            ColumnType::Bytes | ColumnType::IpAddr => None,
        })
    }

    /// The codes within all sides of a range; `None` when one of them isn't of this column's type,
    /// or they leave nothing. Words have no place between numbers, nor between dates: where a path
    /// holds both, a number bounds only the numbers, and a date only the dates.
    pub fn within(&self, sides: &[(&Value, Bound)]) -> Result<Option<Codes>, Failure> {
        let strings = self.dynamic && self.kind == ColumnType::Str;
        let (dates, others): (Vec<_>, Vec<_>) = sides
            .iter()
            .copied()
            .partition(|(value, _)| is_date_word(value));
        // Beside words, dates are bounded as words, too, and their shadow knows none.
        let mixed = strings && !dates.is_empty() && !others.is_empty();
        let (mut low, mut high) = (0, u64::MAX);
        let own = if mixed { &others[..] } else { sides };
        for (value, bound) in own {
            match self.side(value, *bound)? {
                Some((from, to)) => (low, high) = (low.max(from), high.min(to)),
                None => return Ok(None),
            }
        }
        if low > high {
            return Ok(None);
        }
        if mixed {
            return self.dated_words(low, high, &dates).map(Some);
        }
        Ok(Some(Codes::Between(low, high)))
    }

    fn side(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let date = is_date_word(value);
        let strings = self.dynamic && self.kind == ColumnType::Str;
        // A number would be some milliseconds after 1970 to dates.
        if (strings && (date || !value.is_string())) || (self.dates && !date) {
            return Ok(None);
        }
        self.bound(value, bound)
    }

    /// Those of a string column's codes whose words are dates within some sides.
    fn dated_words(
        &self,
        low: u64,
        high: u64,
        sides: &[(&Value, Bound)],
    ) -> Result<Codes, Failure> {
        let end = self.words().unwrap_or(0) as u64;
        let codes: Vec<u64> = (low..end.min(high.saturating_add(1))).collect();
        let mut next = codes.iter();
        let mut within = Vec::new();
        self.for_each_word(&codes, |word| {
            let (code, date) = (next.next(), parse_date(word));
            let keeps = |date: i64| {
                let mut sides = sides.iter();
                sides.all(|(value, bound)| date_of(value).is_some_and(|at| bound.keeps(date, at)))
            };
            within.extend(code.filter(|_| date.is_some_and(keeps)));
        })?;
        Ok(Codes::Among(CodeSet::of_words(within, end as usize)))
    }

    fn bound_of_word(&self, value: &Value, bound: Bound) -> Result<Option<(u64, u64)>, Failure> {
        let (Some(strings), Some(word)) = (&self.strings, word_of(value)) else {
            return Ok(None);
        };
        if self.dynamic && parse_date(&word).is_some() {
            // The shadow column, if this segment has one, compares it as the date that it is.
            return Ok(None);
        }
        Ok(Some(
            match strings.dictionary().term_ord_or_next(word.as_bytes())? {
                TermOrdHit::Exact(code) => cut(code, code, bound),
                TermOrdHit::Next(next) => match bound {
                    Bound::Above | Bound::From => (next, u64::MAX),
                    Bound::Below | Bound::To => upto(next.checked_sub(1)),
                },
            },
        ))
    }
}

fn is_date_word(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|word| parse_date(word).is_some())
}

/// The codes a bound leaves of all, given the nearest codes at or below and at or above the value.
fn cut(floor: u64, ceil: u64, bound: Bound) -> (u64, u64) {
    match bound {
        Bound::Above => match floor.checked_add(1) {
            Some(code) => (code, u64::MAX),
            None => (1, 0),
        },
        Bound::From => (ceil, u64::MAX),
        Bound::Below => upto(ceil.checked_sub(1)),
        Bound::To => (0, floor),
    }
}

fn upto(last: Option<u64>) -> (u64, u64) {
    last.map_or((1, 0), |last| (0, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_leave_the_codes_on_their_side() {
        assert_eq!(cut(1, 2, Bound::Above).0, 2);
        assert_eq!(cut(1, 2, Bound::Below).1, 1);
        assert!(cut(0, 0, Bound::Below).0 > cut(0, 0, Bound::Below).1);
    }
}
