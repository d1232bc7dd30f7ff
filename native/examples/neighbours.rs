//! Recall and speed of the neighbour search, on synthetic clustered vectors with a fixed seed:
//! `cargo run --release --example neighbours -- [vectors] [dimensions]`

use std::collections::HashSet;
use std::time::{Duration, Instant};

use attune_native::vectors::{normalize, VectorSet};

/// xorshift64*.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u64 << 24) as f32
    }

    fn gauss(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.uniform() * limit as f32) as usize % limit
    }
}

const RANK: usize = 32;

struct Source {
    axes: Vec<f32>,
    centres: Vec<f32>,
    dimensions: usize,
}

impl Source {
    fn new(random: &mut Random, dimensions: usize) -> Self {
        let axes = (0..dimensions * RANK).map(|_| random.gauss()).collect();
        let centres = (0..200 * RANK).map(|_| random.gauss()).collect();
        Self {
            axes,
            centres,
            dimensions,
        }
    }

    /// A vector around one of 200 centres, and that centre.
    fn draw(&self, random: &mut Random) -> (Vec<f32>, usize) {
        let centre = random.below(200);
        let place: Vec<f32> = self.centres[centre * RANK..][..RANK]
            .iter()
            .map(|at| at + 0.7 * random.gauss())
            .collect();
        let mut vector: Vec<f32> = (0..self.dimensions)
            .map(|row| {
                let axis = &self.axes[row * RANK..][..RANK];
                axis.iter().zip(&place).map(|(a, b)| a * b).sum::<f32>() + 0.5 * random.gauss()
            })
            .collect();
        assert!(normalize(&mut vector));
        (vector, centre)
    }
}

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse().expect("a number"));
    let count: usize = arguments.next().unwrap_or(100_000);
    let dimensions: usize = arguments.next().unwrap_or(256);
    let mut random = Random(42);
    let source = Source::new(&mut random, dimensions);
    let set = VectorSet::new(dimensions);
    let mut centres = Vec::new();
    for ord in 0..count {
        let (vector, centre) = source.draw(&mut random);
        set.append(ord as u64, &vector);
        centres.push(centre);
    }
    let queries: Vec<_> = (0..100).map(|_| source.draw(&mut random)).collect();
    let limit = count as u32;

    let mut times: Vec<Duration> = queries
        .iter()
        .cycle()
        .take(500)
        .map(|(query, _)| {
            let started = Instant::now();
            std::hint::black_box(set.nearest_exact(query, 100, limit, |_| true));
            started.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "{count} × {dimensions}: exact top 100 {:?} at the median, {:?} at best",
        times[250], times[0]
    );

    let started = Instant::now();
    while set.maintain_graph(count, Instant::now() + Duration::from_secs(1), true) {}
    println!(
        "graph: {} in {:?}, {} MB in all",
        set.has_graph(),
        started.elapsed(),
        set.bytes() >> 20
    );

    let marks: Vec<f32> = (0..count).map(|_| random.uniform()).collect();
    type Filter<'a> = Box<dyn Fn(u32, usize) -> bool + Sync + 'a>;
    let filters: Vec<(&str, Filter)> = vec![
        ("all", Box::new(|_, _| true)),
        ("50 %", Box::new(|slot, _| marks[slot as usize] < 0.5)),
        ("5 %", Box::new(|slot, _| marks[slot as usize] < 0.05)),
        ("0.5 %", Box::new(|slot, _| marks[slot as usize] < 0.005)),
        (
            "10 documents",
            Box::new(|slot, _| slot as usize % (count / 10) == 3),
        ),
        (
            "other clusters",
            Box::new(|slot, centre| centres[slot as usize].abs_diff(centre) > 20),
        ),
    ];
    for (name, filter) in filters {
        for k in [10, 100] {
            let (mut hits, mut wanted) = (0, 0);
            let (mut exact_time, mut graph_time) = (Duration::ZERO, Duration::ZERO);
            for (query, centre) in &queries {
                let passes = |slot: u32| filter(slot, *centre);
                let started = Instant::now();
                let exact = set.nearest_exact(query, k, limit, passes);
                exact_time += started.elapsed();
                let started = Instant::now();
                let walked = set.nearest_graph(query, k, limit, &passes);
                graph_time += started.elapsed();
                let exact: HashSet<u32> = exact.into_iter().map(|found| found.0).collect();
                hits += walked
                    .iter()
                    .filter(|found| exact.contains(&found.0))
                    .count();
                wanted += exact.len();
            }
            println!(
                "{name}, k {k}: recall {:.4}, walk {:?}, scan {:?}",
                hits as f64 / wanted as f64,
                graph_time / 100,
                exact_time / 100
            );
        }
    }
}
