//! nDCG@10 and times on test collections in the BEIR layout: `ATTUNE_BEIR=<folder of folders>`.

mod beir;

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attune_native::engine::Engine;
use attune_native::model;
use attune_native::search::query::Request;
use serde_json::{json, Value};

const MODEL: u64 = 1;

fn main() -> Result<(), Box<dyn Error>> {
    let Ok(root) = std::env::var("ATTUNE_BEIR") else {
        println!("ATTUNE_BEIR names no folder: nothing to measure");
        return Ok(());
    };
    let names = std::env::args().skip(1).collect::<Vec<_>>();
    for entry in fs::read_dir(root)? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let wanted = names.is_empty() || names.iter().any(|n| *n == name);
        if wanted && folder.join("qrels/test.tsv").exists() {
            measure(&folder)?;
        }
    }
    Ok(())
}

fn word(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

fn measure(folder: &Path) -> Result<(), Box<dyn Error>> {
    let corpus = beir::lines(folder, "corpus.jsonl")?;
    let queries = beir::lines(folder, "queries.jsonl")?;
    let mut labels: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in fs::read_to_string(folder.join("qrels/test.tsv"))?
        .lines()
        .skip(1)
    {
        let parts: Vec<&str> = line.split('\t').collect();
        if let [query, document, gain] = parts.as_slice() {
            let of = labels.entry((*query).to_owned()).or_default();
            of.insert((*document).to_owned(), gain.parse()?);
        }
    }
    let directory = std::env::temp_dir().join(format!("attune-quality-{}", std::process::id()));
    let (engine, _) = Engine::open(&directory, &beir::definition())?;
    let ords: Vec<u64> = (1..=corpus.len() as u64).collect();
    let ids: Vec<String> = corpus
        .iter()
        .map(|document| word(&document["_id"]))
        .collect();
    let sources = beir::sources(&corpus);
    let start = Instant::now();
    for (ords, sources) in ords.chunks(500).zip(sources.chunks(500)) {
        engine.apply(ords, sources, &[], &[], &[])?;
    }
    engine.commit(1)?;
    println!(
        "{}: {} documents in {:?}",
        folder.display(),
        ids.len(),
        start.elapsed()
    );
    let kinds = [
        ("text", json!({ "mode": "text" })),
        ("vector", json!({ "mode": "vector" })),
        (
            "hybrid, no feedback",
            json!({ "mode": "hybrid", "feedback": false }),
        ),
        ("hybrid", json!({ "mode": "hybrid" })),
        (
            "hybrid, features",
            json!({ "mode": "hybrid", "features": true }),
        ),
        (
            "hybrid, model of 100",
            json!({ "mode": "hybrid", "rerank": { "model": MODEL } }),
        ),
    ];
    // It keeps the order: only its price shows.
    let model = json!({ "kind": "linear", "features": ["fusedScore", "age"], "weights": [1, 0] });
    model::load(MODEL, &model.to_string())?;
    for fitted in [false, true] {
        if fitted {
            let start = Instant::now();
            engine.fit()?;
            let cut = engine.views.current().space.cut();
            println!("  fitted in {:?}, cut {cut:.3}", start.elapsed());
        }
        for (name, base) in &kinds {
            if fitted || *name != "text" {
                run(name, base, &engine, &queries, &labels, &ids)?;
            }
        }
    }
    fs::remove_dir_all(&directory)?;
    Ok(())
}

fn run(
    name: &str,
    base: &Value,
    engine: &Engine,
    queries: &[Value],
    labels: &HashMap<String, HashMap<String, f64>>,
    ids: &[String],
) -> Result<(), Box<dyn Error>> {
    let view = vec![(1u64, Arc::clone(&engine.views.current()))];
    let mut sum = 0.0;
    let mut times: Vec<Duration> = Vec::new();
    let mut judged = 0;
    for query in queries {
        let Some(of) = labels.get(&word(&query["_id"])) else {
            continue;
        };
        judged += 1;
        let mut request = base.clone();
        request["query"] = json!(word(&query["text"]).replace('"', " "));
        let request = request.to_string();
        let mut answer = attune_native::search::search(&view, &Request::parse(&request)?, None)?;
        let mut best = Duration::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            answer = attune_native::search::search(&view, &Request::parse(&request)?, None)?;
            best = best.min(start.elapsed());
        }
        times.push(best);
        let found = answer
            .ords
            .iter()
            .map(|ord| ids[*ord as usize - 1].as_str());
        sum += ndcg(found, of);
    }
    times.sort_unstable();
    println!(
        "  {name:20} nDCG@10 {:.4}   p50 {:?}   p99 {:?}",
        sum / f64::from(judged.max(1)),
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    Ok(())
}

fn ndcg<'a>(found: impl Iterator<Item = &'a str>, labels: &HashMap<String, f64>) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gains = found.take(10).enumerate();
    let gain: f64 = gains
        .map(|(rank, id)| labels.get(id).copied().unwrap_or(0.0).max(0.0) * discount(rank))
        .sum();
    let mut best: Vec<f64> = labels
        .values()
        .copied()
        .filter(|gain| *gain > 0.0)
        .collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best
        .iter()
        .take(10)
        .enumerate()
        .map(|(r, g)| g * discount(r))
        .sum();
    if ideal > 0.0 {
        gain / ideal
    } else {
        0.0
    }
}
