//! Judged lists: what ranking models are learned from.

use std::ops::Range;

/// Judged lists: the rows of one query after those of another.
pub struct Lists<'a> {
    /// Numbers in a row.
    pub width: usize,
    /// Row by row.
    pub features: &'a [f32],
    /// The label of each row, 0 and up.
    pub labels: &'a [f32],
    /// The rows of each query.
    pub groups: &'a [u32],
    /// The inverse propensity of each row.
    pub weights: Option<&'a [f32]>,
}

impl Lists<'_> {
    /// The rows of each query.
    pub fn queries(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.groups.iter().map(move |rows| {
            let from = start;
            start += *rows as usize;
            from..start
        })
    }

    /// What the label of a row is worth: 2^label − 1.
    pub fn gain(&self, row: usize) -> f64 {
        f64::from(self.labels[row]).exp2() - 1.0
    }

    /// The inverse propensity of a row, 1 without.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }
}
