//! A sparse matrix by rows, and its product with a dense one.

use super::dense::{dispatched, fma, in_parallel, Matrix};

/// Columns of the dense factor whose sums stay in registers.
const TILE: usize = 16;

pub(super) struct Sparse {
    columns: usize,
    starts: Vec<usize>,
    ids: Vec<u32>,
    values: Vec<f32>,
}

impl Sparse {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns,
            starts: vec![0],
            ids: Vec::new(),
            values: Vec::new(),
        }
    }

    pub(super) fn push_row(&mut self, row: &[(u32, f32)]) {
        for (id, value) in row {
            self.ids.push(*id);
            self.values.push(*value);
        }
        self.starts.push(self.ids.len());
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn transposed(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for id in &self.ids {
            starts[*id as usize + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut ends = starts.clone();
        let mut ids = vec![0; self.ids.len()];
        let mut values = vec![0.0; self.ids.len()];
        for row in 0..self.rows() {
            for entry in self.starts[row]..self.starts[row + 1] {
                let at = &mut ends[self.ids[entry] as usize];
                ids[*at] = row as u32;
                values[*at] = self.values[entry];
                *at += 1;
            }
        }
        Self {
            columns: self.rows(),
            starts,
            ids,
            values,
        }
    }

    /// self · right. Each row of the result is the work of one thread, so threads change nothing.
    pub(super) fn times(&self, right: &Matrix, threads: usize) -> Matrix {
        let mut product = Matrix::zeros(self.rows(), right.columns());
        let width = right.columns();
        // Small parts, taken in turn: rows differ much in their number of entries.
        in_parallel(product.row_parts_mut(64), threads, |(first, rows)| {
            for (row, out) in (first..).zip(rows.chunks_exact_mut(width.max(1))) {
                let range = self.starts[row]..self.starts[row + 1];
                combine(
                    &self.ids[range.clone()],
                    &self.values[range],
                    right.values(),
                    out,
                );
            }
        });
        product
    }
}

dispatched!(
    /// out = Σ value · right[id].
    combine = combine_kernel(ids: &[u32], values: &[f32], right: &[f32], out: &mut [f32])
);

#[inline(always)]
fn combine_kernel<const FUSED: bool>(ids: &[u32], values: &[f32], right: &[f32], out: &mut [f32]) {
    let width = out.len();
    let (tiles, _) = out.as_chunks_mut::<TILE>();
    let (fours, rest) = tiles.as_chunks_mut::<4>();
    for (at, four) in fours.iter_mut().enumerate() {
        let mut sums = [[0f32; TILE]; 4];
        for (id, value) in ids.iter().zip(values) {
            let from = *id as usize * width + at * 4 * TILE;
            let (parts, _) = right[from..from + 4 * TILE].as_chunks::<TILE>();
            for (sum, part) in sums.iter_mut().zip(parts) {
                for lane in 0..TILE {
                    sum[lane] = fma::<FUSED>(*value, part[lane], sum[lane]);
                }
            }
        }
        *four = sums;
    }
    let offset = fours.len() * 4;
    for (at, tile) in rest.iter_mut().enumerate() {
        let mut sum = [0f32; TILE];
        for (id, value) in ids.iter().zip(values) {
            let from = *id as usize * width + (offset + at) * TILE;
            for (lane, part) in sum.iter_mut().zip(&right[from..from + TILE]) {
                *lane = fma::<FUSED>(*value, *part, *lane);
            }
        }
        *tile = sum;
    }
}
