//! The most frequent of many values.

use std::cmp::Ordering;

/// Values that are kept beside the first ones before these are looked for.
const SPARE: usize = 1024;

/// What was counted most of all that is pushed, in ascending order; of as many the first.
pub struct Most<V> {
    size: usize,
    /// What a count must exceed.
    floor: u64,
    found: Vec<(u64, V)>,
}

impl<V: Ord> Most<V> {
    /// The `size` first ones of what will be pushed.
    pub fn new(size: usize) -> Most<V> {
        Most {
            size,
            floor: if size == 0 { u64::MAX } else { 0 },
            found: Vec::new(),
        }
    }

    /// Takes a value that is above all before it; one that was never counted is none.
    #[inline]
    pub fn push(&mut self, count: u64, value: V) {
        if count <= self.floor {
            return;
        }
        self.found.push((count, value));
        if self.found.len() >= self.size + SPARE {
            self.prune();
        }
    }

    fn prune(&mut self) {
        leave_first(&mut self.found, self.size);
        self.floor = self
            .found
            .iter()
            .map(|pair| pair.0)
            .min()
            .unwrap_or(self.floor);
    }

    /// Those that were counted most, in order.
    pub fn finish(self) -> Vec<(u64, V)> {
        most_of(self.found, self.size)
    }
}

/// The `size` values that were counted most, in order; of as many the least ones.
pub fn most_of<V: Ord>(mut counted: Vec<(u64, V)>, size: usize) -> Vec<(u64, V)> {
    leave_first(&mut counted, size);
    counted.sort_unstable_by(rank);
    counted
}

fn leave_first<V: Ord>(counted: &mut Vec<(u64, V)>, size: usize) {
    if size > 0 && counted.len() > size {
        counted.select_nth_unstable_by(size - 1, rank);
    }
    counted.truncate(size);
}

fn rank<V: Ord>(a: &(u64, V), b: &(u64, V)) -> Ordering {
    b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}
