//! Figures of numbers and dates.

use serde_json::{json, Value};
use tantivy::columnar::ColumnType;

use crate::engine::column::Columns;
use crate::value::number_value;

/// Of all values, however many a document has.
pub struct Stats {
    count: u64,
    sum: f64,
    /// What `sum` was rounded by.
    rounded: f64,
    min: f64,
    max: f64,
}

impl Default for Stats {
    fn default() -> Self {
        Stats {
            count: 0,
            sum: 0.0,
            rounded: 0.0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }
}

impl Stats {
    /// Numbers, and dates in milliseconds; true and false are neither.
    pub fn count(&mut self, columns: &Columns, positions: &[u32]) {
        let all = columns.columns.iter();
        for column in all.filter(|column| column.kind != ColumnType::Bool) {
            column.for_each_code(columns.base, positions, |_, code| {
                let Some(number) = column.number(code) else {
                    return;
                };
                self.add(number);
            });
        }
    }

    /// Adds up as if in twice the precision (Neumaier 1974): a merge changes the order of documents, and is to change no figure.
    fn add(&mut self, number: f64) {
        self.count += 1;
        let sum = self.sum + number;
        self.rounded += if self.sum.abs() >= number.abs() {
            self.sum - sum + number
        } else {
            number - sum + self.sum
        };
        self.sum = sum;
        self.min = self.min.min(number);
        self.max = self.max.max(number);
    }

    /// As answers have them.
    pub fn json(&self) -> Value {
        if self.count == 0 {
            let none = Value::Null;
            return json!({ "min": none, "max": none, "avg": none, "sum": 0, "count": 0 });
        }
        // The greatest numbers add up to more than a number can be.
        let sum = if self.sum.is_finite() {
            self.sum + self.rounded
        } else {
            self.sum
        };
        let sum = sum.clamp(-f64::MAX, f64::MAX);
        // Three times .1 add up to more than .3.
        let average = (sum / self.count as f64).clamp(self.min, self.max);
        json!({
            "min": number_value(self.min),
            "max": number_value(self.max),
            "avg": number_value(average),
            "sum": number_value(sum),
            "count": self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(numbers: &[f64]) -> Value {
        let mut stats = Stats::default();
        numbers.iter().for_each(|number| stats.add(*number));
        stats.json()
    }

    #[test]
    fn figures_do_not_depend_on_the_order_of_documents() {
        let numbers = [0.1, 1e9, 0.2, -1.0, 0.3, 3.3, 0.7, -1e9];
        let mut turned = numbers;
        for _ in 0..numbers.len() {
            turned.rotate_left(1);
            assert_eq!(figures(&turned), figures(&numbers));
        }
        assert_eq!(figures(&[0.1, 0.2, 0.3])["sum"], json!(0.6));
        assert_eq!(figures(&[f64::MAX, f64::MAX])["sum"], json!(f64::MAX));
        assert_eq!(figures(&[f64::MAX, -f64::MAX, 1.0])["sum"], json!(1));
    }
}
