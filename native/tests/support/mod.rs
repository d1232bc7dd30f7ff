//! A folder that removes itself, a definition, and documents to index.
#![allow(dead_code)]

mod folder;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use attune_native::engine::snapshot::Snapshot;
use attune_native::engine::Engine;
use attune_native::search::answer::Answer;
use attune_native::search::query::Request;

pub use folder::Folder;

impl Folder {
    /// A copy of one of its folders under another name.
    pub fn copy(&self, from: &str, to: &str) -> PathBuf {
        let target = self.join(to);
        let _ = fs::remove_dir_all(&target);
        fs::create_dir_all(&target).unwrap();
        for entry in fs::read_dir(self.join(from)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
        }
        target
    }
}

pub const FILTERS: &str = r#"[{"type":"lowercase"},{"type":"asciifolding"},
    {"type":"length","max":64},{"type":"stop","words":["the","a","of"]},
    {"type":"stemmer","language":"english"}]"#;

/// title, content, tags, year, day, price, open; everything else is dynamic.
pub fn definition() -> String {
    definition_with(r#"{"kind":"learned","dimensions":32}"#)
}

pub fn definition_with(embedder: &str) -> String {
    format!(
        r#"{{"analyzers":{{"text":{{"tokenizer":"standard","filters":{FILTERS}}}}},"fields":[
        {{"name":"title","source":"title","type":"text","analyzer":"text","weight":2,"searched":true,"vectorized":true}},
        {{"name":"content","source":"content","type":"text","analyzer":"text","searched":true,"vectorized":true}},
        {{"name":"tags","source":"tags","type":"keyword","analyzer":"text","searched":true}},
        {{"name":"year","source":"year","type":"integer"}},
        {{"name":"day","source":"day","type":"date"}},
        {{"name":"price","source":"shop.price","type":"double"}},
        {{"name":"open","source":"shop.open","type":"boolean"}}],
        "dynamic":true,"embedder":{embedder}}}"#
    )
}

/// A document of one of a few topics; the same number gives the same document.
pub fn document(ord: u64) -> String {
    const TOPICS: [[&str; 6]; 5] = [
        ["planet", "orbit", "moon", "comet", "telescope", "gravity"],
        ["bread", "yeast", "flour", "oven", "crust", "dough"],
        ["engine", "piston", "valve", "clutch", "gearbox", "diesel"],
        ["violin", "cello", "sonata", "quartet", "tempo", "melody"],
        ["harbour", "sail", "anchor", "mast", "tide", "keel"],
    ];
    let topic = &TOPICS[(ord % 5) as usize];
    let word =
        |n: u64| topic[(ord.wrapping_mul(2654435761).wrapping_add(n * 97) >> 3) as usize % 6];
    let words: Vec<&str> = (0..12).map(word).collect();
    format!(
        r#"{{"title":"{} {}","content":"{} number{ord} common","tags":["t{}"],"year":{},"day":"2024-01-{:02}T00:00:00Z","shop":{{"price":{}.5,"open":{}}},"extra":{{"colour":"c{}","when":"2023-05-0{}"}}}}"#,
        word(50),
        word(51),
        words.join(" "),
        ord % 5,
        2000 + ord % 20,
        1 + ord % 28,
        ord % 100,
        ord.is_multiple_of(2),
        ord % 3,
        1 + ord % 9,
    )
}

pub fn open(root: &Path) -> Engine {
    Engine::open(root, &definition()).unwrap().0
}

/// Adds documents and deletes others, without a commit.
pub fn apply(engine: &Engine, ords: std::ops::Range<u64>, deletes: &[u64]) -> Vec<u8> {
    let ords: Vec<u64> = ords.collect();
    let documents: Vec<String> = ords.iter().map(|ord| document(*ord)).collect();
    engine.apply(&ords, &documents, deletes, &[], &[]).unwrap()
}

pub fn search_in(view: &Arc<Snapshot>, request: &str) -> Answer {
    let request = Request::parse(request).unwrap();
    attune_native::search::search(&[(1, view.clone())], &request, None).unwrap()
}

pub fn search(engine: &Engine, request: &str) -> Answer {
    search_in(&engine.views.current(), request)
}

/// How long this thread has had the processor: waiting while others have it does not count.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes a time to where it is told to.
    unsafe {
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time);
    }
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What every kind of search says of the whole index: two indices with the same answers hold the
/// same documents.
pub fn portrait(engine: &Engine) -> Vec<(Vec<u64>, u64, Option<String>)> {
    [
        r#"{"query":"","mode":"text","size":1000,"sort":[{"field":"year"}],"facets":[{"field":"tags"},{"field":"extra.colour"}]}"#,
        r#"{"query":"planet orbit bread","mode":"text","size":1000}"#,
        r#"{"query":"violin melody","mode":"vector","size":1000,"neighbors":1000}"#,
        r#"{"query":"engine valve tide","mode":"hybrid","size":1000}"#,
    ]
    .iter()
    .map(|request| {
        let answer = search(engine, request);
        let mut ords = answer.ords;
        // Scores depend on deleted documents not yet merged away: compare sets.
        ords.sort_unstable();
        (ords, answer.total, answer.facets)
    })
    .collect()
}
