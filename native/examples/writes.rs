//! Cost of small batches in an index that holds a collection in the BEIR layout:
//! `ATTUNE_BEIR=<folder of the collection> cargo run --release --example writes -- [batch] [batches]`

mod beir;

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use attune_native::engine::Engine;

fn main() -> Result<(), Box<dyn Error>> {
    let Ok(folder) = std::env::var("ATTUNE_BEIR") else {
        println!("ATTUNE_BEIR names no folder: nothing to measure");
        return Ok(());
    };
    let mut numbers = std::env::args().skip(1).map(|n| n.parse::<usize>());
    let batch = numbers.next().unwrap_or(Ok(16))?;
    let batches = numbers.next().unwrap_or(Ok(500))?;
    let sources = beir::sources(&beir::lines(Path::new(&folder), "corpus.jsonl")?);
    let directory = std::env::temp_dir().join(format!("attune-writes-{}", std::process::id()));
    let (engine, _) = Engine::open(&directory, &beir::definition())?;
    let mut last = 0;
    for chunk in sources.chunks(500) {
        let ords: Vec<u64> = (last + 1..=last + chunk.len() as u64).collect();
        engine.apply(&ords, chunk, &[], &[], &[])?;
        last += chunk.len() as u64;
        engine.commit(last)?;
    }
    engine.fit()?;
    engine.merge()?;
    let (before, own) = (cpu(libc::RUSAGE_SELF), cpu(libc::RUSAGE_THREAD));
    let start = Instant::now();
    let (mut applied, mut applied_cpu, mut committed) = (Duration::ZERO, 0.0, Vec::new());
    for number in 0..batches {
        let documents: Vec<String> = (0..batch)
            .map(|at| sources[(number * batch + at) % sources.len()].clone())
            .collect();
        let ords: Vec<u64> = (last + 1..=last + batch as u64).collect();
        last += batch as u64;
        let started = (Instant::now(), cpu(libc::RUSAGE_THREAD));
        engine.apply(&ords, &documents, &[], &[], &[])?;
        applied += started.0.elapsed();
        applied_cpu += cpu(libc::RUSAGE_THREAD) - started.1;
        let started = Instant::now();
        engine.commit(last)?;
        committed.push(started.elapsed());
    }
    let documents = (batch * batches) as f64;
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let all: Duration = committed.iter().sum();
    committed.sort_unstable();
    println!(
        "batch {batch}: {:.0} documents/s; apply {:.0} µs a document, {:.0} of processor; commit {:.0} µs a batch, \
         p50 {:.0}, p99 {:.0}; processor {:.0} µs a document, {:.0} of them here; {} segments",
        documents / start.elapsed().as_secs_f64(),
        micros(applied) / documents,
        applied_cpu / documents,
        micros(all) / batches as f64,
        micros(committed[batches / 2]),
        micros(committed[batches * 99 / 100]),
        (cpu(libc::RUSAGE_SELF) - before) / documents,
        (cpu(libc::RUSAGE_THREAD) - own) / documents,
        engine.views.current().segments.len()
    );
    engine.close();
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

/// Processor time so far in microseconds.
fn cpu(of: libc::c_int) -> f64 {
    // SAFETY: the structure is plain numbers, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(of, &mut usage);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    micros(usage.ru_utime) + micros(usage.ru_stime)
}
