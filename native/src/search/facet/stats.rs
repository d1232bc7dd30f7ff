//! Figures of numbers and dates.

use serde_json::{json, Value};
use tantivy::columnar::ColumnType;

use crate::engine::column::Columns;
use crate::value::number_value;

/// Of all values, however many a document has.
pub struct Stats {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Default for Stats {
    fn default() -> Self {
        Stats {
            count: 0,
            sum: 0.0,
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
                self.count += 1;
                self.sum += number;
                self.min = self.min.min(number);
                self.max = self.max.max(number);
            });
        }
    }

    /// As answers have them.
    pub fn json(&self) -> Value {
        if self.count == 0 {
            let none = Value::Null;
            return json!({ "min": none, "max": none, "avg": none, "sum": 0, "count": 0 });
        }
        // The greatest numbers add up to more than a number can be.
        let sum = self.sum.clamp(-f64::MAX, f64::MAX);
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
