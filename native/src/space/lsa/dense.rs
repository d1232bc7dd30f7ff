//! Tall dense matrices, orthonormalised by their Gram matrices.
//!
//! Work is cut into parts that do not depend on the number of threads, and sums over parts are taken
//! in order, so the same input gives the same bits.

use std::sync::Mutex;

use super::Random;

/// Rows of a part of a Gram matrix, and of its blocks that stay in the cache.
const GRAM_PART_ROWS: usize = 2_048;
const BLOCK_ROWS: usize = 128;
/// A tile of results that stays in registers.
const TILE_ROWS: usize = 8;
const TILE: usize = 16;
/// A column of which less than this share (of its square) is new is taken as dependent.
const DEPENDENT: f64 = 1e-6;

/// Row-major; the columns are a multiple of `TILE`.
pub(super) struct Matrix {
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    pub(super) fn random(rows: usize, columns: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        Self {
            columns,
            values: (0..rows * columns).map(|_| random.signed()).collect(),
        }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn values(&self) -> &[f32] {
        &self.values
    }

    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// (first row, rows) for groups of `rows` rows.
    pub(super) fn row_parts_mut(
        &mut self,
        rows: usize,
    ) -> impl Iterator<Item = (usize, &mut [f32])> + Send {
        let length = (rows * self.columns).max(1);
        self.values
            .chunks_mut(length)
            .enumerate()
            .map(move |(part, values)| (part * rows, values))
    }

    /// selfᵀ · self, whole and symmetric.
    fn gram(&self, threads: usize) -> Vec<f64> {
        let width = self.columns;
        let length = (GRAM_PART_ROWS * width).max(1);
        let mut sums: Vec<Vec<f64>> = Vec::new();
        sums.resize_with(self.values.len().div_ceil(length), Vec::new);
        let parts = self.values.chunks(length).zip(sums.iter_mut());
        in_parallel(parts, threads, |(values, sum)| {
            *sum = vec![0.0; width * width];
            for block in values.chunks(BLOCK_ROWS * width) {
                add_gram(block, width, sum);
            }
        });
        let mut gram = vec![0.0; width * width];
        for sum in sums {
            gram.iter_mut()
                .zip(sum)
                .for_each(|(total, part)| *total += part);
        }
        for row in 0..width {
            for column in 0..row {
                gram[row * width + column] = gram[column * width + row];
            }
        }
        gram
    }

    /// self ← self · factor, a square matrix.
    fn multiply(&mut self, factor: &[f64], threads: usize) {
        let width = self.columns;
        let factor: Vec<f32> = factor.iter().map(|value| *value as f32).collect();
        in_parallel(self.row_parts_mut(BLOCK_ROWS), threads, |(_, block)| {
            let left = block.to_vec();
            product(&left, width, &factor, width, false, block);
        });
    }
}

/// Makes the columns orthonormal, spanning what they spanned (Cholesky QR). Columns that depend on
/// those before them become zero.
pub(super) fn orthonormalize(matrix: &mut Matrix, threads: usize) {
    let width = matrix.columns;
    let mut gram = matrix.gram(threads);
    cholesky(&mut gram, width);
    matrix.multiply(&inverse(&gram, width), threads);
}

/// Replaces a matrix by its left singular vectors, in descending order of the singular values, which
/// are returned. Columns beyond the rank become zero.
pub(super) fn left_singular_vectors(matrix: &mut Matrix, threads: usize) -> Vec<f64> {
    let width = matrix.columns;
    let mut rows = matrix.gram(threads);
    cholesky(&mut rows, width);
    let values = jacobi(&mut rows, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|left, right| values[*right].total_cmp(&values[*left]));
    let smallest = order.first().map_or(0.0, |first| values[*first] * 1e-6);
    let mut factor = vec![0.0; width * width];
    for (column, from) in order.iter().enumerate() {
        if values[*from] > smallest {
            let scale = 1.0 / values[*from].powi(2);
            for row in 0..width {
                factor[row * width + column] = rows[from * width + row] * scale;
            }
        }
    }
    matrix.multiply(&factor, threads);
    order.into_iter().map(|from| values[from]).collect()
}

/// Upper R with RᵀR = the symmetric input; rows of dependent columns are zero.
fn cholesky(gram: &mut [f64], width: usize) {
    let largest = (0..width)
        .map(|at| gram[at * width + at])
        .fold(0.0, f64::max);
    for pivot in 0..width {
        let (above, rest) = gram.split_at_mut(pivot * width);
        let row = &mut rest[..width];
        let whole = row[pivot];
        for earlier in above.chunks_exact(width) {
            let factor = earlier[pivot];
            if factor != 0.0 {
                for (value, other) in row[pivot..].iter_mut().zip(&earlier[pivot..]) {
                    *value -= factor * other;
                }
            }
        }
        row[..pivot].fill(0.0);
        if row[pivot] <= DEPENDENT * whole || whole <= f64::EPSILON * largest {
            row.fill(0.0);
            continue;
        }
        let root = row[pivot].sqrt();
        row[pivot..].iter_mut().for_each(|value| *value /= root);
    }
}

/// The inverse of an upper triangle; columns of zero pivots are zero.
fn inverse(upper: &[f64], width: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; width * width];
    for row in (0..width).rev() {
        let pivot = upper[row * width + row];
        if pivot == 0.0 {
            continue;
        }
        let (head, tail) = inverse.split_at_mut((row + 1) * width);
        let out = &mut head[row * width..];
        for (below, later) in (row + 1..width).zip(tail.chunks_exact(width)) {
            let factor = upper[row * width + below];
            if factor != 0.0 {
                for (value, other) in out[below..].iter_mut().zip(&later[below..]) {
                    *value -= factor * other;
                }
            }
        }
        out[row] = 1.0;
        out[row..].iter_mut().for_each(|value| *value /= pivot);
    }
    inverse
}

/// Rotates the rows of a square matrix until they are orthogonal and gives their lengths
/// (one-sided Jacobi, Hestenes 1958).
fn jacobi(rows: &mut [f64], width: usize) -> Vec<f64> {
    const SWEEPS_MAX: usize = 30;
    const ORTHOGONAL: f64 = 1e-10;
    let dot = |left: &[f64], right: &[f64]| -> f64 {
        let mut sums = [0.0; 8];
        for (first, second) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
            for lane in 0..8 {
                sums[lane] += first[lane] * second[lane];
            }
        }
        sums.iter().sum()
    };
    for _ in 0..SWEEPS_MAX {
        let mut rotated = false;
        let mut squares: Vec<f64> = rows.chunks_exact(width).map(|row| dot(row, row)).collect();
        for first in 0..width {
            for second in first + 1..width {
                let (head, tail) = rows.split_at_mut(second * width);
                let upper = &mut head[first * width..(first + 1) * width];
                let lower = &mut tail[..width];
                let product = dot(upper, lower);
                let (alpha, beta) = (squares[first], squares[second]);
                if product.abs() <= ORTHOGONAL * (alpha * beta).sqrt() || product == 0.0 {
                    continue;
                }
                rotated = true;
                let zeta = (beta - alpha) / (2.0 * product);
                let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = cosine * tangent;
                for (left, right) in upper.iter_mut().zip(lower.iter_mut()) {
                    let before = *left;
                    *left = cosine * before - sine * *right;
                    *right = sine * before + cosine * *right;
                }
                squares[first] = alpha - tangent * product;
                squares[second] = beta + tangent * product;
            }
        }
        if !rotated {
            break;
        }
    }
    rows.chunks_exact(width.max(1))
        .map(|row| dot(row, row).sqrt())
        .collect()
}

/// Runs `work` on every part, each taken by one of the threads.
pub(super) fn in_parallel<Part: Send>(
    parts: impl Iterator<Item = Part> + Send,
    threads: usize,
    work: impl Fn(Part) + Sync,
) {
    let parts = Mutex::new(parts);
    let next = || parts.lock().ok().and_then(|mut parts| parts.next());
    let run = || {
        while let Some(part) = next() {
            work(part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}

/// value · factor + sum, in one rounding where the machine has an instruction for it.
#[inline(always)]
pub(super) fn fma<const FUSED: bool>(value: f32, factor: f32, sum: f32) -> f32 {
    if FUSED {
        value.mul_add(factor, sum)
    } else {
        value * factor + sum
    }
}

/// Declares a function that runs a generic kernel with the widest instructions of the machine.
macro_rules! dispatched {
    ($(#[$meta:meta])* $name:ident = $kernel:ident($($argument:ident: $type:ty),*)) => {
        $(#[$meta])*
        pub(super) fn $name($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn wide($($argument: $type),*) {
                    $kernel::<true>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn narrow($($argument: $type),*) {
                    $kernel::<true>($($argument),*)
                }
                if is_x86_feature_detected!("avx512f") {
                    // SAFETY: the feature was just found on this machine.
                    return unsafe { wide($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features were just found on this machine.
                    return unsafe { narrow($($argument),*) };
                }
            }
            $kernel::<{ cfg!(target_arch = "aarch64") }>($($argument),*)
        }
    };
}
pub(super) use dispatched;

dispatched!(
    /// out = left · factor, `width` columns wide; with `upper` only what lies on or above the
    /// diagonal needs to be right. `left` has `inner` columns.
    product = product_kernel(
        left: &[f32], inner: usize, factor: &[f32], width: usize, upper: bool, out: &mut [f32]
    )
);

#[inline(always)]
fn product_kernel<const FUSED: bool>(
    left: &[f32],
    inner: usize,
    factor: &[f32],
    width: usize,
    upper: bool,
    out: &mut [f32],
) {
    for column in (0..width).step_by(TILE) {
        let groups = left
            .chunks(TILE_ROWS * inner)
            .zip(out.chunks_mut(TILE_ROWS * width));
        for (group, (rows, outs)) in groups.enumerate() {
            if upper && group * TILE_ROWS >= column + TILE {
                break;
            }
            let mut tile = [[0f32; TILE]; TILE_ROWS];
            let mut padded: [&[f32]; TILE_ROWS] = [&rows[..inner]; TILE_ROWS];
            for (slot, row) in padded.iter_mut().zip(rows.chunks_exact(inner)) {
                *slot = row;
            }
            for (at, line) in factor.chunks_exact(width).enumerate() {
                let Some(right) = line[column..].first_chunk::<TILE>() else {
                    return;
                };
                for (sums, row) in tile.iter_mut().zip(padded) {
                    for lane in 0..TILE {
                        sums[lane] = fma::<FUSED>(row[at], right[lane], sums[lane]);
                    }
                }
            }
            for (sums, out) in tile.iter().zip(outs.chunks_exact_mut(width)) {
                out[column..column + TILE].copy_from_slice(sums);
            }
        }
    }
}

/// Adds blockᵀ · block, on and above the diagonal, to `sum`.
fn add_gram(block: &[f32], width: usize, sum: &mut [f64]) {
    let rows = block.len() / width;
    let mut transposed = vec![0.0; block.len()];
    for (row, values) in block.chunks_exact(width).enumerate() {
        for (column, value) in values.iter().enumerate() {
            transposed[column * rows + row] = *value;
        }
    }
    let mut part = vec![0.0; width * width];
    product(&transposed, rows, block, width, true, &mut part);
    for (row, (totals, parts)) in sum
        .chunks_exact_mut(width)
        .zip(part.chunks(width))
        .enumerate()
    {
        for (total, part) in totals[row..].iter_mut().zip(&parts[row..]) {
            *total += f64::from(*part);
        }
    }
}
