//! A small random collection, an index of it, and the plainest possible search to compare with.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attune_native::engine::snapshot::Snapshot;
use attune_native::engine::Engine;
use attune_native::failure::Failure;
use attune_native::search::answer::Answer;
use attune_native::search::query::Request;
use serde_json::{json, Value};

use crate::support::Folder;

pub const DIMENSIONS: usize = 8;
const VOCABULARY: [&str; 24] = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grape", "hazel", "ivory", "jade",
    "kiwi", "lemon", "mango", "nickel", "olive", "pearl", "quartz", "raven", "silver", "tulip",
    "umber", "violet", "willow", "yarrow",
];
const TAGS: [&str; 5] = ["red", "green", "blue", "white", "black"];

/// A repeatable source of numbers (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn unit(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }

    /// A word; the first ones of the list are the most frequent.
    pub fn word(&mut self) -> &'static str {
        let (a, b) = (self.below(VOCABULARY.len()), self.below(VOCABULARY.len()));
        VOCABULARY[a.min(b)]
    }

    pub fn words(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count)
            .map(|_| self.word())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[derive(Clone)]
pub struct Doc {
    pub ord: u64,
    pub source: Value,
    pub vector: Option<Vec<f32>>,
}

impl Doc {
    pub fn text(&self, field: &str) -> &str {
        self.source[field].as_str().unwrap_or("")
    }
}

pub fn definition() -> String {
    json!({
        "analyzers": {
            "plain": { "tokenizer": "standard", "filters": [{ "type": "lowercase" }] },
            "english": { "tokenizer": "standard", "filters": [
                { "type": "lowercase" }, { "type": "stop", "words": ["the", "of"] },
                { "type": "synonym", "rules": [["car", "automobile"]] },
                { "type": "stemmer", "language": "english" } ] }
        },
        "fields": [
            { "name": "title", "source": "title", "type": "text", "analyzer": "plain",
              "weight": 2, "searched": true },
            { "name": "title.exact", "source": "title", "type": "keyword" },
            { "name": "content", "source": "content", "type": "text", "analyzer": "plain",
              "weight": 1, "searched": true },
            { "name": "notes", "source": "notes", "type": "text", "analyzer": "english",
              "weight": 1, "searched": true },
            { "name": "tags", "source": "tags", "type": "keyword" },
            { "name": "year", "source": "year", "type": "integer" },
            { "name": "price", "source": "price", "type": "double" },
            { "name": "open", "source": "open", "type": "boolean" },
            { "name": "created", "source": "created", "type": "date" }
        ],
        "dynamic": true,
        "embedder": { "kind": "given", "dimensions": DIMENSIONS, "cut": 0.2,
                      "weights": { "text": 0.6, "vector": 0.4 } }
    })
    .to_string()
}

pub fn document(random: &mut Random, ord: u64) -> Doc {
    let mut source = json!({
        "title": random.words(4),
        "content": random.words(20),
        "more": { "color": TAGS[random.below(5)], "size": random.below(9) },
    });
    if random.below(4) > 0 {
        let tags: Vec<&str> = (0..random.below(4))
            .map(|_| TAGS[random.below(5)])
            .collect();
        source["tags"] = json!(tags);
    }
    if random.below(5) > 0 {
        source["year"] = json!(1990 + random.below(12));
    }
    if random.below(5) > 0 {
        source["price"] = json!(random.below(400) as f64 / 4.0);
    }
    if random.below(3) > 0 {
        source["open"] = json!(random.below(2) == 0);
    }
    if random.below(3) > 0 {
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        source["created"] = json!(format!("2024-{month:02}-{day:02}T10:00:00.000Z"));
        source["seen"] = json!(format!("2024-{month:02}-{day:02}"));
    }
    let vector = (random.below(6) > 0).then(|| (0..DIMENSIONS).map(|_| random.unit()).collect());
    Doc {
        ord,
        source,
        vector,
    }
}

/// An index in a folder of its own, removed at the end.
pub struct Index {
    pub engine: Engine,
    pub documents: Vec<Doc>,
    folder: Folder,
    sequence: u64,
}

impl Drop for Index {
    fn drop(&mut self) {
        self.engine.close();
    }
}

impl Index {
    pub fn new(definition: &str) -> Index {
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), definition).unwrap();
        Index {
            engine,
            documents: Vec::new(),
            folder,
            sequence: 0,
        }
    }

    /// Adds documents and deletes others in one commit.
    pub fn change(&mut self, documents: Vec<Doc>, deletes: &[u64]) {
        let ords: Vec<u64> = documents.iter().map(|d| d.ord).collect();
        let sources: Vec<String> = documents.iter().map(|d| d.source.to_string()).collect();
        let with: Vec<&Doc> = documents.iter().filter(|d| d.vector.is_some()).collect();
        let vector_ords: Vec<u64> = with.iter().map(|d| d.ord).collect();
        let vectors: Vec<f32> = with
            .iter()
            .flat_map(|d| d.vector.clone().unwrap())
            .collect();
        self.engine
            .apply(&ords, &sources, deletes, &vector_ords, &vectors)
            .unwrap();
        self.sequence += 1;
        self.engine.commit(self.sequence).unwrap();
        self.documents.extend(documents);
        self.documents.retain(|d| !deletes.contains(&d.ord));
    }

    /// A random collection over several commits, some of it deleted again.
    pub fn random(seed: u64, commits: usize, each: usize) -> Index {
        let mut random = Random(seed);
        let mut index = Index::new(&definition());
        let mut ord = seed * 1000;
        for commit in 0..commits {
            let mut fresh = Vec::new();
            for _ in 0..each {
                ord += 1 + random.below(3) as u64;
                fresh.push(document(&mut random, ord));
            }
            let mut deletes = Vec::new();
            if commit > 0 {
                for _ in 0..each / 5 {
                    let at = random.below(index.documents.len());
                    deletes.push(index.documents[at].ord);
                }
            }
            index.change(fresh, &deletes);
        }
        index
    }

    pub fn view(&self) -> Arc<Snapshot> {
        self.engine.views.current()
    }

    /// Hands over the source of a document, as suggestions ask for it.
    pub fn read(&self, ord: u64, look: &mut dyn FnMut(&[u8])) -> Result<(), Failure> {
        look(self.doc(ord).source.to_string().as_bytes());
        Ok(())
    }

    pub fn search(&self, request: Value) -> Answer {
        self.search_near(request, None)
    }

    pub fn search_near(&self, request: Value, vector: Option<&[f32]>) -> Answer {
        let request = Request::parse(&request.to_string()).unwrap();
        attune_native::search::search(&[(7, self.view())], &request, vector).unwrap()
    }

    pub fn doc(&self, ord: u64) -> &Doc {
        self.documents.iter().find(|d| d.ord == ord).unwrap()
    }

    /// b(d) by the definition, for the fields title (2) and content (1).
    pub fn bm25(&self, query: &str, boosts: (f64, f64)) -> BTreeMap<u64, f64> {
        let fields = [
            ("title", 2.0 * boosts.0, boosts.0),
            ("content", boosts.1, boosts.1),
        ];
        let n = self.documents.len() as f64;
        // A term is a word, or two words in a row.
        let count = |d: &Doc, field: &str, term: &str| -> f64 {
            let words: Vec<&str> = d.text(field).split(' ').collect();
            let wanted: Vec<&str> = term.split(' ').collect();
            words.windows(wanted.len()).filter(|w| *w == wanted).count() as f64
        };
        let length = |d: &Doc, field: &str| d.text(field).split(' ').count() as f64;
        let mean = |field: &str| -> f64 {
            self.documents.iter().map(|d| length(d, field)).sum::<f64>() / n
        };
        let means: Vec<f64> = fields.iter().map(|f| mean(f.0)).collect();
        let all: f64 = fields.iter().zip(&means).map(|(f, mean)| f.1 * mean).sum();
        let idf = |df: f64| (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
        let part =
            |tf: f64, length: f64, mean: f64| tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean));
        let words: Vec<&str> = query.split_whitespace().collect();
        let mut terms: Vec<(String, f64)> = words.iter().map(|w| (w.to_string(), 1.0)).collect();
        terms.extend(words.windows(2).map(|pair| (pair.join(" "), 0.2)));
        let idf_in = |i: usize, term: &str| {
            let having = |i: usize| {
                let all = self.documents.iter();
                all.filter(|d| count(d, fields[i].0, term) > 0.0).count() as f64
            };
            // Of the heavier field, of as heavy ones the shorter.
            let other = 1 - i;
            let below = (fields[other].1, -means[other]) > (fields[i].1, -means[i]);
            let other = if below { having(other) } else { 0.0 };
            idf(having(i).max(other))
        };
        let idf_of = |term: &str| {
            let any = |d: &&Doc| fields.iter().any(|f| count(d, f.0, term) > 0.0);
            idf(self.documents.iter().filter(any).count() as f64)
        };
        // How often the query as a whole occurs in a field, all of whose words are words of it.
        let whole = |d: &Doc, i: usize| -> f64 {
            let (mut covered, mut told) = (0.0, 0.0);
            for word in words.iter().collect::<BTreeSet<_>>() {
                let asked = words.iter().filter(|other| *other == word).count() as f64;
                let found = count(d, fields[i].0, word).min(asked);
                covered += found;
                told += found * idf_in(i, word);
            }
            let all: f64 = words.iter().map(|word| idf_in(i, word)).sum();
            let share = covered / words.len() as f64;
            match covered >= length(d, fields[i].0) && share > 0.5 {
                true => (2.0 * share - 1.0) * told / all,
                false => 0.0,
            }
        };
        let mut scores = BTreeMap::new();
        for d in &self.documents {
            let mut combined = 0.0;
            let mut own = [0.0; 2];
            let length_of_all: f64 = fields.iter().map(|f| f.1 * length(d, f.0)).sum();
            let mut add = |tf: [f64; 2], idfs: [f64; 2], idf: f64| {
                for (i, field) in fields.iter().enumerate().filter(|(i, _)| tf[*i] > 0.0) {
                    own[i] += field.2 * idfs[i] * part(tf[i], length(d, field.0), means[i]);
                }
                let tf: f64 = fields.iter().zip(tf).map(|(field, tf)| field.1 * tf).sum();
                if tf > 0.0 {
                    combined += idf * part(tf, length_of_all, all);
                }
            };
            for (term, weight) in &terms {
                let tf = [0, 1].map(|i| count(d, fields[i].0, term));
                add(
                    tf,
                    [0, 1].map(|i| weight * idf_in(i, term)),
                    weight * idf_of(term),
                );
            }
            let sum = |of: &dyn Fn(&str) -> f64| 0.75 * words.iter().map(|w| of(w)).sum::<f64>();
            add(
                [0, 1].map(|i| whole(d, i)),
                [0, 1].map(|i| sum(&|word| idf_in(i, word))),
                sum(&|word| idf_of(word)),
            );
            if combined > 0.0 {
                let best = own[0].max(own[1]);
                let rest = own[0] + own[1] - best;
                scores.insert(d.ord, 0.5 * combined + 0.5 * (best + 0.5 * rest));
            }
        }
        scores
    }

    /// c(d) of every live document with a vector.
    pub fn cosines(&self, query: &[f32]) -> BTreeMap<u64, f32> {
        let view = self.view();
        let norm = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        let unit: Vec<f32> = query.iter().map(|x| x / norm).collect();
        let with = self.documents.iter().filter(|d| d.vector.is_some());
        with.map(|d| {
            let slot = view.vectors.slot_of(d.ord).unwrap();
            (d.ord, view.vectors.cosine(slot, &unit))
        })
        .collect()
    }
}

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1e-3)
}

/// The hits must be exactly these documents, in falling order of score, then of number.
pub fn assert_list(answer: &Answer, expected: &BTreeMap<u64, f64>, what: &str) {
    assert_eq!(answer.total as usize, expected.len(), "total of {what}");
    let found: BTreeSet<u64> = answer.ords.iter().copied().collect();
    let wanted: BTreeSet<u64> = expected.keys().copied().collect();
    assert_eq!(found, wanted, "documents of {what}");
    for (ord, score) in answer.ords.iter().zip(&answer.scores) {
        assert!(
            close(*score, expected[ord]),
            "{what}: {ord} has {score}, not {}",
            expected[ord]
        );
    }
    assert_order(answer, what);
}

pub fn assert_order(answer: &Answer, what: &str) {
    for i in 1..answer.ords.len() {
        let (a, b) = (answer.scores[i - 1], answer.scores[i]);
        assert!(
            a > b || (a == b && answer.ords[i - 1] < answer.ords[i]),
            "order of {what}"
        );
    }
}
