//! Times of searches over a large synthetic collection: `scale [documents]`, 100 000 by default.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attune_native::engine::Engine;
use attune_native::search::query::Request;
use serde_json::{json, Value};

const DIMENSIONS: usize = 256;
const VOCABULARY: f64 = 50_000.0;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    /// A word, by Zipf's law.
    fn word(&mut self) -> String {
        format!("w{}", VOCABULARY.powf(self.unit()) as u32)
    }

    /// A word of a query: the most frequent ones are stop words.
    fn query_word(&mut self) -> String {
        format!("w{}", VOCABULARY.powf(0.3 + 0.7 * self.unit()) as u32)
    }

    fn words(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| self.word())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// A vector near one of 200 centres.
    fn vector(&mut self) -> Vec<f32> {
        let mut centre = Random((self.unit() * 200.0) as u64 * 7919);
        (0..DIMENSIONS)
            .map(|_| (centre.unit() - 0.5 + 0.7 * (self.unit() - 0.5)) as f32)
            .collect()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 100_000u64,
    };
    let definition = json!({
        "analyzers": { "text": { "tokenizer": "standard", "filters": [{ "type": "lowercase" }] } },
        "fields": [
            { "name": "title", "type": "text", "analyzer": "text", "weight": 2, "searched": true },
            { "name": "content", "type": "text", "analyzer": "text", "searched": true },
            { "name": "tag", "type": "keyword" }, { "name": "year", "type": "integer" } ],
        "dynamic": true,
        "embedder": { "kind": "given", "dimensions": DIMENSIONS, "cut": 0.2 }
    });
    let directory = std::env::temp_dir().join(format!("attune-scale-{}", std::process::id()));
    let (engine, _) = Engine::open(&directory, &definition.to_string())?;
    let mut random = Random(1);
    let start = Instant::now();
    for first in (1..=count).step_by(1000) {
        let ords: Vec<u64> = (first..(first + 1000).min(count + 1)).collect();
        let documents: Vec<String> = ords
            .iter()
            .map(|_| {
                let (tag, year) = (random.unit() * 20.0, 1980.0 + random.unit() * 40.0);
                json!({ "title": random.words(6), "content": random.words(190),
                        "tag": format!("t{}", tag as u32), "year": year as u32 })
                .to_string()
            })
            .collect();
        let vectors: Vec<f32> = ords.iter().flat_map(|_| random.vector()).collect();
        engine.apply(&ords, &documents, &[], &ords, &vectors)?;
        engine.commit(first)?;
    }
    println!("{count} documents in {:?}", start.elapsed());
    let start = Instant::now();
    engine.checkpoint()?;
    println!("checkpoint in {:?}", start.elapsed());
    let start = Instant::now();
    while engine.grow_graph(Instant::now() + Duration::from_secs(1), true)? {}
    println!("graph in {:?}", start.elapsed());
    let start = Instant::now();
    engine.merge()?;
    println!("merged in {:?}", start.elapsed());
    println!("{}", engine.stats());
    let facets = json!([{ "field": "tag" }, { "field": "year" }]);
    let tagged = json!({ "field": "tag", "any": ["t3"] });
    let recent = json!({ "field": "year", "gte": 2000 });
    let by_year = json!([{ "field": "year", "descending": true }]);
    for (name, request) in [
        ("text", json!({ "mode": "text" })),
        ("vector", json!({ "mode": "vector" })),
        (
            "hybrid, no feedback",
            json!({ "mode": "hybrid", "feedback": false }),
        ),
        ("hybrid", json!({ "mode": "hybrid" })),
        (
            "hybrid, 5 % pass",
            json!({ "mode": "hybrid", "filter": tagged }),
        ),
        (
            "hybrid, 50 % pass",
            json!({ "mode": "hybrid", "filter": recent }),
        ),
        (
            "hybrid, facets",
            json!({ "mode": "hybrid", "facets": facets }),
        ),
        (
            "hybrid, by year",
            json!({ "mode": "hybrid", "sort": by_year }),
        ),
        ("everything", json!({ "mode": "text", "all": true })),
        (
            "everything, facets",
            json!({ "mode": "text", "all": true, "facets": facets }),
        ),
    ] {
        run(name, request, &engine)?;
    }
    engine.close();
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn run(name: &str, mut request: Value, engine: &Engine) -> Result<(), Box<dyn Error>> {
    let view = vec![(1u64, Arc::clone(&engine.views.current()))];
    let mut random = Random(99);
    let mut times: Vec<Duration> = Vec::new();
    let mut total = 0;
    let all = request["all"] == true;
    for _ in 0..100 {
        let words = if all {
            String::new()
        } else {
            (0..3)
                .map(|_| random.query_word())
                .collect::<Vec<_>>()
                .join(" ")
        };
        request["query"] = json!(words);
        let request = request.to_string();
        let vector = random.vector();
        let own = (!all).then_some(vector.as_slice());
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let start = Instant::now();
            let answer = attune_native::search::search(&view, &Request::parse(&request)?, own)?;
            best = best.min(start.elapsed());
            total += answer.total;
        }
        times.push(best);
    }
    times.sort_unstable();
    println!(
        "{name:20} p50 {:?}   p99 {:?}   {} matches on average",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        total / 500
    );
    Ok(())
}
