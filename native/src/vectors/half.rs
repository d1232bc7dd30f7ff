//! Arithmetic on rows of IEEE 754 half-precision numbers kept as raw bits. Each function picks the
//! widest instructions of the machine at run time; one machine always gives the same bits.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Σ row·query over the shorter of the two. The rows hold finite numbers only.
#[inline]
pub fn dot(row: &[u16], query: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the feature was just found on this machine.
            return unsafe { dot_avx512(row, query) };
        }
        if has_f16c() {
            // SAFETY: the features were just found on this machine.
            return unsafe { dot_f16c(row, query) };
        }
    }
    dot_portable(row, query)
}

/// out += weight · row.
#[inline]
pub fn add_scaled(weight: f32, row: &[u16], out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if has_f16c() {
            // SAFETY: the features were just found on this machine.
            return unsafe { add_scaled_f16c(weight, row, out) };
        }
    }
    for (value, half) in out.iter_mut().zip(row) {
        *value += weight * widen(*half);
    }
}

/// Rounds to nearest, ties to even; both slices have the same length.
pub fn encode(values: &[f32], out: &mut [u16]) {
    for (half, value) in out.iter_mut().zip(values) {
        *half = narrow(*value);
    }
}

/// The exact values of a row; both slices have the same length.
pub fn decode(row: &[u16], out: &mut [f32]) {
    for (value, half) in out.iter_mut().zip(row) {
        *value = widen(*half);
    }
}

/// The value of a finite half. Scaling by 2^112 moves the exponent's bias without a branch and
/// makes subnormal numbers come out right.
#[inline(always)]
fn widen(half: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | (u32::from(half & 0x8000) << 16))
}

/// The nearest half, ties to even; too large becomes infinity, NaN stays NaN.
fn narrow(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Below the smallest normal half: adding ½ lets the adder round at the right bit.
        let shifted = f32::from_bits(magnitude) + 0.5;
        return sign | (shifted.to_bits() - 0x3f00_0000) as u16;
    }
    let odd = (magnitude >> 13) & 1;
    sign | ((magnitude - 0x3800_0000 + 0xfff + odd) >> 13) as u16
}

fn dot_portable(row: &[u16], query: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0f32; LANES];
    let (rows, row_rest) = row.as_chunks::<LANES>();
    let (queries, query_rest) = query.as_chunks::<LANES>();
    for (halves, values) in rows.iter().zip(queries) {
        for lane in 0..LANES {
            sums[lane] += widen(halves[lane]) * values[lane];
        }
    }
    sums.iter().sum::<f32>() + dot_tail(row_rest, query_rest)
}

#[inline(always)]
fn dot_tail(row: &[u16], query: &[f32]) -> f32 {
    row.iter()
        .zip(query)
        .map(|(half, value)| widen(*half) * value)
        .sum()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_f16c() -> bool {
    is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn dot_avx512(row: &[u16], query: &[f32]) -> f32 {
    #[inline(always)]
    fn step(halves: &[u16; 16], values: &[f32; 16], sum: __m512) -> __m512 {
        // SAFETY: only called where the feature is enabled; both arrays are as long as the vector
        // that is read from them.
        unsafe {
            let half = _mm512_cvtph_ps(_mm256_loadu_si256(halves.as_ptr().cast()));
            _mm512_fmadd_ps(half, _mm512_loadu_ps(values.as_ptr()), sum)
        }
    }
    let (rows, row_rest) = row.as_chunks::<16>();
    let (queries, query_rest) = query.as_chunks::<16>();
    let (row_fours, row_ones) = rows.as_chunks::<4>();
    let (query_fours, query_ones) = queries.as_chunks::<4>();
    let mut sums = [_mm512_setzero_ps(); 4];
    for (halves, values) in row_fours.iter().zip(query_fours) {
        for lane in 0..4 {
            sums[lane] = step(&halves[lane], &values[lane], sums[lane]);
        }
    }
    for (halves, values) in row_ones.iter().zip(query_ones) {
        sums[0] = step(halves, values, sums[0]);
    }
    let sum = _mm512_add_ps(
        _mm512_add_ps(sums[0], sums[1]),
        _mm512_add_ps(sums[2], sums[3]),
    );
    _mm512_reduce_add_ps(sum) + dot_tail(row_rest, query_rest)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,f16c,fma")]
fn dot_f16c(row: &[u16], query: &[f32]) -> f32 {
    #[inline(always)]
    fn step(halves: &[u16; 8], values: &[f32; 8], sum: __m256) -> __m256 {
        // SAFETY: only called where the features are enabled; both arrays are as long as the vector
        // that is read from them.
        unsafe {
            let half = _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()));
            _mm256_fmadd_ps(half, _mm256_loadu_ps(values.as_ptr()), sum)
        }
    }
    let (rows, row_rest) = row.as_chunks::<8>();
    let (queries, query_rest) = query.as_chunks::<8>();
    let (row_fours, row_ones) = rows.as_chunks::<4>();
    let (query_fours, query_ones) = queries.as_chunks::<4>();
    let mut sums = [_mm256_setzero_ps(); 4];
    for (halves, values) in row_fours.iter().zip(query_fours) {
        for lane in 0..4 {
            sums[lane] = step(&halves[lane], &values[lane], sums[lane]);
        }
    }
    for (halves, values) in row_ones.iter().zip(query_ones) {
        sums[0] = step(halves, values, sums[0]);
    }
    let sum = _mm256_add_ps(
        _mm256_add_ps(sums[0], sums[1]),
        _mm256_add_ps(sums[2], sums[3]),
    );
    let mut lanes = [0f32; 8];
    // SAFETY: the array is as long as the vector that is written to it.
    unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), sum) };
    lanes.iter().sum::<f32>() + dot_tail(row_rest, query_rest)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,f16c,fma")]
fn add_scaled_f16c(weight: f32, row: &[u16], out: &mut [f32]) {
    let (rows, row_rest) = row.as_chunks::<8>();
    let (outs, out_rest) = out.as_chunks_mut::<8>();
    let weights = _mm256_set1_ps(weight);
    for (halves, values) in rows.iter().zip(outs) {
        // SAFETY: both arrays are as long as the vectors read from and written to them.
        unsafe {
            let half = _mm256_cvtph_ps(_mm_loadu_si128(halves.as_ptr().cast()));
            let sum = _mm256_fmadd_ps(weights, half, _mm256_loadu_ps(values.as_ptr()));
            _mm256_storeu_ps(values.as_mut_ptr(), sum);
        }
    }
    for (value, half) in out_rest.iter_mut().zip(row_rest) {
        *value += weight * widen(*half);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_half_survives_a_round_trip() {
        for half in (0..=u16::MAX).filter(|half| half & 0x7c00 != 0x7c00) {
            assert_eq!(narrow(widen(half)), half);
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest_half_and_ties_to_even() {
        assert_eq!(narrow(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(narrow(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(narrow(-1.0 - 1.1 / 2048.0), 0xbc01);
        assert_eq!(narrow(65536.0), 0x7c00);
        assert_eq!(narrow(2f32.powi(-24)), 1);
        assert_eq!(narrow(2f32.powi(-14)), 0x0400);
        assert!(narrow(f32::NAN) & 0x3ff != 0);
    }

    #[test]
    fn every_kernel_agrees_with_the_plain_sum() {
        for length in [1, 7, 16, 33, 100, 256, 1023] {
            let values: Vec<f32> = (0..length)
                .map(|i| ((i * 37 % 101) as f32 - 50.0) / 64.0)
                .collect();
            let mut row = vec![0; length];
            encode(&values, &mut row);
            let plain: f64 = values.iter().map(|value| f64::from(*value).powi(2)).sum();
            for sum in [dot(&row, &values), dot_portable(&row, &values)] {
                assert!(
                    (f64::from(sum) - plain).abs() < 1e-3,
                    "{length}: {sum} and {plain}"
                );
            }
            #[cfg(target_arch = "x86_64")]
            if has_f16c() {
                let sum = unsafe { dot_f16c(&row, &values) };
                assert!((f64::from(sum) - plain).abs() < 1e-3);
            }
            let mut doubled = values.clone();
            add_scaled(1.0, &row, &mut doubled);
            assert!(doubled
                .iter()
                .zip(&values)
                .all(|(twice, once)| *twice == 2.0 * once));
        }
    }
}
