//! Time and memory of a fit on synthetic text (Zipf word frequencies, about 200 words a document):
//! `cargo run --release --example fitting -- [documents]`

use std::collections::HashMap;
use std::time::Instant;

use attune_native::space::lsa::{fit, Counts, Options};

fn peak_megabytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok())
        .unwrap_or(0)
        >> 10
}

fn main() {
    let documents: usize = std::env::args()
        .nth(1)
        .map_or(50_000, |count| count.parse().expect("a number"));
    let words = 60_000f64;
    let mut state = 7u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let mut postings: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for row in 0..documents as u32 {
        let length = 100 + (uniform() * 200.0) as usize;
        for _ in 0..length {
            let word = words.powf(uniform()) as u32;
            postings.entry(word).or_default().push((row, 1));
        }
    }
    let mut postings: Vec<_> = postings.into_iter().collect();
    postings.sort_unstable_by_key(|posting| posting.0);
    let mut counts = Counts::from_postings(
        documents,
        postings.into_iter().map(|(word, found)| {
            let mut rows: Vec<u32> = found.iter().map(|entry| entry.0).collect();
            rows.dedup();
            (format!("word{word}"), rows.len() as u32, found)
        }),
    );
    println!(
        "{documents} documents, {} entries, {} MB at most",
        counts.ids.len(),
        peak_megabytes()
    );
    let started = Instant::now();
    let model = fit(&mut counts, documents, &Options::default(), &|| Ok(())).unwrap();
    println!(
        "fit {:?}, model {} MB, {} MB at most",
        started.elapsed(),
        model.bytes() >> 20,
        peak_megabytes()
    );
}
