//! Rows in one byte a number, good enough to tell which rows can't be among the best: a scan reads half
//! as much memory and four times as many numbers an instruction, and computes few exact cosines.
//! Every bound is a proven one, so the outcome of a scan is the same with and without sketches.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::links::Nearness;
use super::prefetch::prefetch;
use super::{half, BLOCK_SLOTS};

/// Rows are padded with zeros to whole registers.
const LANES: usize = 64;
/// Room for the rounding of the bounds' own arithmetic.
const SLACK: f32 = 1e-4;

/// Sketches of the rows of one set, in slot order, in blocks like the rows themselves.
#[derive(Clone, Default)]
pub struct Sketches {
    blocks: Vec<Vec<i8>>,
    figures: Vec<Figures>,
    /// Bytes of a row.
    width: usize,
}

#[derive(Clone, Copy)]
struct Figures {
    /// What one step of a byte stands for.
    scale: f32,
    /// Length of the difference between the row and its sketch.
    error: f32,
    /// What the query's move by 128 adds to the sum of products.
    moved: f32,
}

/// A query as bytes, moved by 128 so that they are unsigned.
pub struct Probe {
    bytes: Vec<u8>,
    scale: f32,
    error: f32,
}

impl Sketches {
    /// Whether this machine scans sketches faster than rows.
    pub fn pay() -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            false
        }
    }

    /// Appends the sketch of the row of the next slot.
    pub fn push(&mut self, row: &[u16]) {
        let slot = self.figures.len();
        let mut values = vec![0.0; row.len()];
        half::decode(row, &mut values);
        let width = width(row.len());
        self.width = width;
        if slot.is_multiple_of(BLOCK_SLOTS) {
            let room = if slot == 0 { 16 } else { BLOCK_SLOTS };
            self.blocks.push(Vec::with_capacity(room * width));
        }
        let scale = scale(&values);
        let Some(block) = self.blocks.last_mut() else {
            return;
        };
        let from = block.len();
        block.extend(values.iter().map(|value| round(*value, scale)));
        block.resize(from + width, 0);
        let bytes = &block[from..];
        self.figures.push(Figures {
            scale,
            error: error(&values, bytes.iter().map(|byte| f32::from(*byte)), scale),
            moved: bytes.iter().map(|byte| 128.0 * f32::from(*byte)).sum(),
        });
    }

    /// Upper bounds of the cosines of the first `count` rows.
    pub fn bounds(&self, probe: &Probe, count: usize) -> Vec<f32> {
        let mut bounds = Vec::with_capacity(count);
        for block in &self.blocks {
            let left = (count - bounds.len()) * probe.bytes.len();
            dots(&probe.bytes, &block[..block.len().min(left)], &mut bounds);
        }
        for (bound, figures) in bounds.iter_mut().zip(&self.figures) {
            let near = (*bound - figures.moved) * (probe.scale * figures.scale);
            *bound = near + figures.error * (1.0 + probe.error) + probe.error + SLACK;
        }
        bounds
    }

    fn row(&self, slot: u32) -> &[i8] {
        let block = &self.blocks[slot as usize / BLOCK_SLOTS];
        let at = slot as usize % BLOCK_SLOTS * self.width;
        &block[at..at + self.width]
    }

    /// Memory held.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(Vec::capacity).sum();
        blocks + self.figures.capacity() * size_of::<Figures>()
    }
}

/// The sketches of a set, as one query looks at them.
pub struct Probed<'a> {
    sketches: &'a Sketches,
    probe: Probe,
}

impl<'a> Probed<'a> {
    /// For a unit query.
    pub fn new(sketches: &'a Sketches, query: &[f32]) -> Probed<'a> {
        Probed {
            sketches,
            probe: Probe::new(query),
        }
    }
}

impl Nearness for Probed<'_> {
    fn prefetch(&self, slot: u32) {
        prefetch(self.sketches.row(slot));
        prefetch(&self.sketches.figures[slot as usize]);
    }

    fn nears(&self, slots: &[u32], nears: &mut Vec<f32>) {
        nears.clear();
        for slot in slots {
            dots(&self.probe.bytes, self.sketches.row(*slot), nears);
        }
        for (near, slot) in nears.iter_mut().zip(slots) {
            let figures = &self.sketches.figures[*slot as usize];
            *near = (*near - figures.moved) * (self.probe.scale * figures.scale);
        }
    }
}

impl Probe {
    /// The sketch of a unit query.
    pub fn new(query: &[f32]) -> Probe {
        let scale = scale(query);
        let signed = query.iter().map(|value| round(*value, scale));
        let mut bytes: Vec<u8> = signed.map(|byte| (i16::from(byte) + 128) as u8).collect();
        let steps = bytes.iter().map(|byte| f32::from(*byte) - 128.0);
        let error = error(query, steps, scale);
        // What stands beside the padding of the rows is multiplied by zero.
        bytes.resize(width(query.len()), 128);
        Probe {
            bytes,
            scale,
            error,
        }
    }
}

/// The numbers of a vector as bytes, in steps of a 127th of the largest: its direction, nearly.
pub fn bytes_of(values: &[f32]) -> Vec<i8> {
    let scale = scale(values);
    values.iter().map(|value| round(*value, scale)).collect()
}

fn width(dimensions: usize) -> usize {
    dimensions.next_multiple_of(LANES)
}

fn scale(values: &[f32]) -> f32 {
    let most = values
        .iter()
        .fold(0f32, |most, value| most.max(value.abs()));
    (most / 127.0).max(f32::MIN_POSITIVE)
}

fn round(value: f32, scale: f32) -> i8 {
    (value / scale).round().clamp(-127.0, 127.0) as i8
}

fn error(values: &[f32], steps: impl Iterator<Item = f32>, scale: f32) -> f32 {
    let square: f32 = values
        .iter()
        .zip(steps)
        .map(|(value, step)| (value - step * scale).powi(2))
        .sum();
    square.sqrt()
}

/// Appends Σ probe·row of each row; what a float rounds off such a sum lies far within SLACK.
fn dots(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
    #[cfg(target_arch = "x86_64")]
    {
        if Sketches::pay() {
            // SAFETY: the features were just found on this machine.
            return unsafe { dots_vnni(probe, rows, sums) };
        }
    }
    for row in rows.chunks_exact(probe.len()) {
        let pairs = probe.iter().zip(row);
        let sum: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        sums.push(sum as f32);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dots_vnni(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
    let (probes, _) = probe.as_chunks::<LANES>();
    for row in rows.chunks_exact(probe.len()) {
        let (parts, _) = row.as_chunks::<LANES>();
        let mut sum = _mm512_setzero_si512();
        for (a, b) in probes.iter().zip(parts) {
            // SAFETY: both arrays are as long as the vectors that are read from them.
            let (a, b) = unsafe {
                (
                    _mm512_loadu_si512(a.as_ptr().cast()),
                    _mm512_loadu_si512(b.as_ptr().cast()),
                )
            };
            sum = _mm512_dpbusd_epi32(sum, a, b);
        }
        sums.push(_mm512_reduce_add_epi32(sum) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(seed: u64, dimensions: usize) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut values: Vec<f32> = (0..dimensions)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
            })
            .collect();
        super::super::normalize(&mut values);
        values
    }

    #[test]
    fn no_cosine_is_above_its_bound_and_no_bound_far_above_its_cosine() {
        for dimensions in [2, 3, 63, 64, 65, 256, 384, 1000] {
            let query = unit(7, dimensions);
            let probe = Probe::new(&query);
            let mut sketches = Sketches::default();
            let mut cosines = Vec::new();
            for seed in 1..200 {
                let mut row = vec![0; dimensions];
                half::encode(&unit(seed, dimensions), &mut row);
                cosines.push(half::dot(&row, &query));
                sketches.push(&row);
            }
            let bounds = sketches.bounds(&probe, cosines.len());
            assert_eq!(bounds.len(), cosines.len());
            for (cosine, bound) in cosines.iter().zip(&bounds) {
                assert!(cosine <= bound, "{cosine} above {bound}");
                assert!(bound - cosine < 0.1, "{bound} far above {cosine}");
            }
        }
    }

    #[test]
    fn the_plain_sum_and_the_instructions_agree() {
        let probe: Vec<u8> = (0..256).map(|i| (i * 7 % 256) as u8).collect();
        let row: Vec<i8> = (0..256).map(|i| (i * 13 % 255 - 127) as i8).collect();
        let pairs = probe.iter().zip(&row);
        let plain: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        let mut sums = Vec::new();
        dots(&probe, &row, &mut sums);
        assert_eq!(sums, [plain as f32]);
    }
}
