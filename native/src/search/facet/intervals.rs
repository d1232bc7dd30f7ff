//! Codes counted between the bounds of many ranges at once.

/// The codes of a column, cut where any of some ranges begins or ends.
pub struct Intervals {
    /// The first codes of all intervals but the first one, ascending.
    edges: Vec<u64>,
    /// One more than there are edges.
    counts: Vec<u64>,
}

impl Intervals {
    /// Nothing is counted yet; each range is given by its first and its last code.
    pub fn of(ranges: impl Iterator<Item = (u64, u64)>) -> Intervals {
        let edges = ranges.flat_map(|(low, high)| [Some(low), high.checked_add(1)]);
        let mut edges: Vec<u64> = edges.flatten().collect();
        edges.sort_unstable();
        edges.dedup();
        let counts = vec![0; edges.len() + 1];
        Intervals { edges, counts }
    }

    fn of_code(&self, code: u64) -> usize {
        self.edges.partition_point(|edge| *edge <= code)
    }

    /// Counts a code.
    #[inline]
    pub fn count(&mut self, code: u64) {
        let at = self.of_code(code);
        self.counts[at] += 1;
    }

    /// How many codes within one of the ranges were counted.
    pub fn within(&self, low: u64, high: u64) -> u64 {
        let counts = self.counts.get(self.of_code(low)..=self.of_code(high));
        counts.unwrap_or_default().iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_counted_in_all_ranges_that_hold_them() {
        let ranges = [
            (3, 9),
            (0, 0),
            (9, u64::MAX),
            (4, 4),
            (3, 3),
            (12, 11),
            (0, u64::MAX),
        ];
        let codes = [
            0,
            0,
            1,
            2,
            3,
            4,
            4,
            8,
            9,
            10,
            11,
            12,
            u64::MAX - 1,
            u64::MAX,
        ];
        let mut intervals = Intervals::of(ranges.into_iter());
        codes.iter().for_each(|code| intervals.count(*code));
        for (low, high) in ranges {
            let inside = codes.iter().filter(|code| (low..=high).contains(code));
            assert_eq!(
                intervals.within(low, high),
                inside.count() as u64,
                "{low} {high}"
            );
        }
    }
}
