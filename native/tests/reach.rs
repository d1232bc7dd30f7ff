//! Searches that score only what can be among the first, against the same ones that score all matches.

use std::collections::BTreeMap;

use crate::reference::{self, document, Doc, Index, Random, DIMENSIONS};
use attune_native::engine::snapshot::Snapshot;
use attune_native::search::added_scores::AddedScore;
use attune_native::search::answer::Answer;
use attune_native::search::query::Request;
use attune_native::search::text::plan;
use attune_native::search::text::reach::Wanted;
use attune_native::search::text::score;
use attune_native::search::text::text_matches::TextMatches;
use serde_json::{json, Value};

/// An index long enough for it: segments that begin anywhere, some of their documents deleted again.
fn long(seed: u64) -> Index {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(seed);
    let mut ord = seed << 32;
    for size in [5001, 7, 2983, 4500] {
        let mut fresh = Vec::new();
        for _ in 0..size {
            ord += 1 + random.below(2) as u64;
            fresh.push(document(&mut random, ord));
        }
        let old = index.documents.iter().skip(3).step_by(11);
        let deletes: Vec<u64> = old.map(|doc| doc.ord).collect();
        index.change(fresh, &deletes);
    }
    index
}

fn request(random: &mut Random, more: Value) -> Value {
    let mut request = json!({ "mode": "text", "query": random.words(7) });
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

fn matches(view: &Snapshot, request: &Value, wanted: Option<&Wanted>) -> TextMatches {
    let request = Request::parse(&request.to_string()).unwrap();
    let plan = plan::plan(view, &request).unwrap();
    score::score(view, &plan, None, wanted).unwrap()
}

/// Scores as bits, by position.
fn by_position(matches: &TextMatches) -> BTreeMap<u32, u32> {
    let scores = matches.scores.iter().map(|score| score.to_bits());
    matches.positions.iter().copied().zip(scores).collect()
}

/// Compares what scores all with what leaves documents out; gives whether any was.
fn compare(view: &Snapshot, request: &Value, wanted: &Wanted) -> bool {
    let all = matches(view, request, None);
    let found = matches(view, request, Some(wanted));
    let is_partial = found.is_partial();
    assert_eq!(found.total, all.positions.len(), "{request}");
    if wanted.listed || !is_partial {
        assert_eq!(found.all(), all.positions, "{request}");
    }
    assert_eq!(found.max().to_bits(), all.max().to_bits(), "{request}");
    let (all, found) = (by_position(&all), by_position(&found));
    for (position, score) in &found {
        assert_eq!(all.get(position), Some(score), "{request} {position}");
    }
    // Of floats above 0, the bits have the order of the values.
    let mut falling: Vec<u32> = all.values().copied().collect();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    let last = falling.get(wanted.first - 1).copied().unwrap_or(0);
    for (position, score) in &all {
        if *score >= last || wanted.also.contains(position) {
            assert!(found.contains_key(position), "{request} {position}");
        }
    }
    is_partial
}

#[test]
fn what_is_left_out_scores_less_than_the_last_of_the_first_and_was_not_asked_for() {
    let index = long(1);
    let (view, mut random) = (index.view(), Random(21));
    let mut partial = 0;
    for round in 0..240 {
        let more = [
            json!({}),
            json!({ "operator": "and" }),
            json!({ "fields": { "title": 1, "content": 3 } }),
            // One field alone: its shortest texts score nearly as much as is held possible.
            json!({ "fields": { "title": 1 } }),
            json!({ "fuzziness": "AUTO" }),
            json!({ "prefix": true }),
        ];
        let request = request(&mut random, more[round % more.len()].clone());
        let some = (0..30).map(|_| random.below(view.documents as usize) as u32);
        let wanted = Wanted {
            also: some.collect(),
            listed: round % 2 == 0,
            first: [1, 11, 100][round % 3],
            choose: None,
        };
        partial += usize::from(compare(&view, &request, &wanted));
    }
    assert!(partial > 60, "{partial} searches left anything out");
}

#[test]
fn a_document_that_scores_nearly_as_much_as_is_held_possible_is_found() {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(4);
    let documents = (1..=20_000).map(|ord| {
        // All titles are as long as each other, and have each word once.
        let mut words: Vec<usize> = Vec::new();
        while words.len() < 6 {
            let (a, b) = (random.below(60), random.below(60));
            words.retain(|word| *word != a.min(b));
            words.push(a.min(b));
        }
        let words: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
        let source = json!({ "title": words.join(" ") });
        let vector = None;
        Doc {
            ord,
            source,
            vector,
        }
    });
    index.change(documents.collect(), &[]);
    let (view, mut partial) = (index.view(), 0);
    for round in 0..60 {
        let words: Vec<String> = (0..2 + round % 4)
            .map(|_| format!("w{}", random.below(60)))
            .collect();
        let request = json!({ "mode": "text", "query": words.join(" "), "fields": { "title": 1 } });
        let wanted = Wanted {
            also: Vec::new(),
            listed: true,
            first: [11, 100, 300][round % 3],
            choose: None,
        };
        partial += usize::from(compare(&view, &request, &wanted));
    }
    assert!(partial > 20, "{partial} searches left anything out");
}

/// What a search tells: its hits and, all as bits, their scores, the parts of these, and features; facets, and what follows.
type Told = (
    u64,
    Vec<u64>,
    Vec<u64>,
    Vec<u32>,
    Option<String>,
    Option<String>,
);

fn told(answer: &Answer) -> Told {
    let features = answer.features.iter().flatten();
    let numbers = answer.parts.iter().chain(features);
    let scores = answer.scores.iter();
    (
        answer.total,
        answer.ords.clone(),
        scores.map(|score| score.to_bits()).collect(),
        numbers.map(|number| number.to_bits()).collect(),
        answer.facets.clone(),
        answer.next.clone(),
    )
}

#[test]
fn a_page_is_the_one_of_a_search_that_scores_all() {
    let (one, two) = (long(2), long(3));
    let mut random = Random(22);
    let year = json!({ "field": "year", "gte": 1996 });
    let options = [
        json!({}),
        json!({ "fuzziness": "AUTO" }),
        json!({ "mode": "hybrid" }),
        json!({ "mode": "hybrid", "feedback": false }),
        json!({ "mode": "hybrid", "fusion": "rrf" }),
        json!({ "filter": year.clone(), "size": 30 }),
        json!({ "filter": year, "mode": "hybrid", "operator": "and" }),
        json!({ "from": 20, "size": 50 }),
        json!({ "operator": "and", "size": 0 }),
        json!({ "rerank": { "model": 1, "size": 40 } }),
        json!({ "features": true, "filter": year }),
        json!({ "facets": [{ "field": "tags" }, { "field": "year", "stats": true }] }),
        json!({ "mode": "hybrid", "features": true, "facets": [{ "field": "tags" }] }),
        json!({ "features": true, "mode": "hybrid" }),
        json!({ "sort": [{ "field": "year" }] }),
        json!({ "sort": [{ "field": "year", "descending": true }], "mode": "hybrid", "from": 7 }),
        json!({ "sort": [{ "field": "tags" }, { "field": "year", "descending": true }],
                "filter": year, "facets": [{ "field": "tags" }], "features": true }),
        json!({ "sort": [{ "field": "tags", "descending": true }], "operator": "and",
                "mode": "hybrid", "features": true, "facets": [{ "field": "year" }] }),
        json!({ "sort": [{ "field": "year" }, { "field": "_score", "descending": true }] }),
        json!({ "sort": [{ "field": "year" }], "query": "", "filter": year, "facets": [{ "field": "tags" }] }),
        json!({ "sort": [{ "field": "tags" }], "query": "", "mode": "hybrid", "features": true }),
        json!({ "sort": [{ "field": "tags" }], "query": "", "mode": "hybrid", "fusion": "rrf" }),
    ];
    let mut pages = 0;
    for round in 0..660 {
        let request = request(&mut random, options[round % options.len()].clone());
        let mut request = Request::parse(&request.to_string()).unwrap();
        let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit()).collect();
        for at in 0..(round / options.len()) % 3 * 20 {
            let (id, index) = [(7, &one), (8, &two)][at % 2];
            request.added.push(AddedScore {
                index: id,
                ord: index.documents[random.below(index.documents.len())].ord,
                value: f64::from(random.unit()),
            });
        }
        let views = [(7, one.view()), (8, two.view())];
        let views = &views[..1 + round % 2];
        let vector = (request.mode != attune_native::search::query::Mode::Text).then_some(vector);
        let search = |request: &Request| {
            let answer = attune_native::search::search(views, request, vector.as_deref());
            told(&answer.unwrap())
        };
        // The reasons are told of hits of a search that scores all.
        let mut found = search(&request);
        loop {
            request.explain = true;
            assert_eq!(found, search(&request), "{request:?}");
            let next = found.5.take();
            if request.sort.is_empty() || next.is_none() || pages % 5 == 4 {
                pages += 1;
                break;
            }
            pages += 1;
            (request.explain, request.from, request.after) = (false, 0, next);
            found = search(&request);
        }
    }
    assert!(pages > 900, "{pages} pages were compared");
}
