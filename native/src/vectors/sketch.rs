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
#[cfg(target_arch = "x86_64")]
const HALF_LANES: usize = LANES / 2;
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
    /// Sum of its bytes.
    sum: f32,
}

/// A query as bytes.
pub struct Probe {
    bytes: Vec<u8>,
    by: Instructions,
    scale: f32,
    error: f32,
}

/// What multiplies bytes and adds up the products. The first two take a query's bytes unsigned, moved by 128.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Plain,
}

impl Instructions {
    /// All that this machine has, the fastest first.
    fn all() -> impl Iterator<Item = Instructions> {
        #[cfg(target_arch = "x86_64")]
        let wide = {
            let vnni =
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
            let avx2 = is_x86_feature_detected!("avx2");
            let avx_vnni = avx2 && is_x86_feature_detected!("avxvnni");
            [
                vnni.then_some(Instructions::Avx512Vnni),
                avx_vnni.then_some(Instructions::AvxVnni),
                avx2.then_some(Instructions::Avx2),
            ]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let wide = [];
        wide.into_iter().flatten().chain([Instructions::Plain])
    }

    fn best() -> Instructions {
        Instructions::all().next().unwrap_or(Instructions::Plain)
    }

    /// What is added to each byte of a query.
    fn moved(self) -> i16 {
        match self {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Vnni | Instructions::AvxVnni => 128,
            _ => 0,
        }
    }

    /// Appends Σ probe·row of each row; what a float rounds off such a sum lies far within SLACK.
    fn dots(self, probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
        match self {
            // SAFETY: only of instructions that this machine has is a value made.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512Vnni => unsafe { dots_avx512vnni(probe, rows, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::AvxVnni => unsafe { dots_avxvnni(probe, rows, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { dots_avx2(probe, rows, sums) },
            Instructions::Plain => dots_plain(probe, rows, sums),
        }
    }
}

impl Sketches {
    /// Whether this machine scans sketches faster than rows.
    pub fn pay() -> bool {
        Instructions::best() != Instructions::Plain
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
            sum: bytes.iter().map(|byte| f32::from(*byte)).sum(),
        });
    }

    /// Upper bounds of the cosines of the first `count` rows.
    pub fn bounds(&self, probe: &Probe, count: usize) -> Vec<f32> {
        let mut bounds = Vec::with_capacity(count);
        for block in &self.blocks {
            let left = (count - bounds.len()) * probe.bytes.len();
            let rows = &block[..block.len().min(left)];
            probe.by.dots(&probe.bytes, rows, &mut bounds);
        }
        for (bound, figures) in bounds.iter_mut().zip(&self.figures) {
            let near = probe.near(*bound, figures);
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
        let probe = &self.probe;
        for slot in slots {
            probe.by.dots(&probe.bytes, self.sketches.row(*slot), nears);
        }
        for (near, slot) in nears.iter_mut().zip(slots) {
            *near = probe.near(*near, &self.sketches.figures[*slot as usize]);
        }
    }
}

impl Probe {
    /// The sketch of a unit query.
    pub fn new(query: &[f32]) -> Probe {
        Probe::by(Instructions::best(), query)
    }

    fn by(by: Instructions, query: &[f32]) -> Probe {
        let scale = scale(query);
        let steps: Vec<i8> = query.iter().map(|value| round(*value, scale)).collect();
        let error = error(query, steps.iter().map(|step| f32::from(*step)), scale);
        let moved = steps
            .iter()
            .map(|step| (i16::from(*step) + by.moved()) as u8);
        let mut bytes: Vec<u8> = moved.collect();
        // What stands beside the padding of the rows is multiplied by zero.
        bytes.resize(width(query.len()), 0);
        Probe {
            bytes,
            by,
            scale,
            error,
        }
    }

    /// The cosine, nearly, by the sum of products.
    fn near(&self, dot: f32, row: &Figures) -> f32 {
        let moved = f32::from(self.by.moved()) * row.sum;
        (dot - moved) * (self.scale * row.scale)
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

fn dots_plain(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
    for row in rows.chunks_exact(probe.len()) {
        let pairs = probe.iter().zip(row);
        let products = pairs.map(|(a, b)| i32::from(*a as i8) * i32::from(*b));
        sums.push(products.sum::<i32>() as f32);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vnni")]
fn dots_avx512vnni(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avxvnni")]
fn dots_avxvnni(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
    let (probes, _) = probe.as_chunks::<HALF_LANES>();
    for row in rows.chunks_exact(probe.len()) {
        let (parts, _) = row.as_chunks::<HALF_LANES>();
        // Two sums, as each addition waits for the one before it.
        let mut both = [_mm256_setzero_si256(); 2];
        for (number, (a, b)) in probes.iter().zip(parts).enumerate() {
            // SAFETY: both arrays are as long as the vectors that are read from them.
            let (a, b) = unsafe {
                (
                    _mm256_loadu_si256(a.as_ptr().cast()),
                    _mm256_loadu_si256(b.as_ptr().cast()),
                )
            };
            let sum = &mut both[number % 2];
            *sum = _mm256_dpbusd_avx_epi32(*sum, a, b);
        }
        sums.push(total(_mm256_add_epi32(both[0], both[1])) as f32);
    }
}

/// Pairs of products are added up in 16 bits, which two of the largest fill: 2 · 127² is 32 258.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dots_avx2(probe: &[u8], rows: &[i8], sums: &mut Vec<f32>) {
    let (probes, _) = probe.as_chunks::<HALF_LANES>();
    let ones = _mm256_set1_epi16(1);
    for row in rows.chunks_exact(probe.len()) {
        let (parts, _) = row.as_chunks::<HALF_LANES>();
        let mut both = [_mm256_setzero_si256(); 2];
        for (number, (a, b)) in probes.iter().zip(parts).enumerate() {
            // SAFETY: both arrays are as long as the vectors that are read from them.
            let (a, b) = unsafe {
                (
                    _mm256_loadu_si256(a.as_ptr().cast()),
                    _mm256_loadu_si256(b.as_ptr().cast()),
                )
            };
            // One of the factors must be unsigned: the other gets its sign.
            let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(b), _mm256_sign_epi8(a, b));
            let sum = &mut both[number % 2];
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
        sums.push(total(_mm256_add_epi32(both[0], both[1])) as f32);
    }
}

/// The sum of eight numbers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn total(eight: __m256i) -> i32 {
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(eight),
        _mm256_extracti128_si256::<1>(eight),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two));
    _mm_cvtsi128_si32(one)
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
    fn all_instructions_come_to_the_same() {
        // Two of the largest products side by side are the most that is added up at once.
        let largest: Vec<f32> = (0..256).map(|i| if i < 128 { 1.0 } else { -1.0 }).collect();
        for query in [unit(7, 256), unit(8, 1000), largest] {
            let mut sketches = Sketches::default();
            for seed in 1..20 {
                let mut row = vec![0; query.len()];
                half::encode(&unit(seed, query.len()), &mut row);
                sketches.push(&row);
            }
            let mut opposite = vec![0; query.len()];
            half::encode(
                &query.iter().map(|value| -value).collect::<Vec<f32>>(),
                &mut opposite,
            );
            sketches.push(&opposite);
            let plain = sketches.bounds(&Probe::by(Instructions::Plain, &query), 20);
            for by in Instructions::all() {
                let bounds = sketches.bounds(&Probe::by(by, &query), 20);
                assert_eq!(bounds, plain, "{by:?}");
            }
        }
    }
}
