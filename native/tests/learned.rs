//! Added scores, features and models against a recount of the list without them.

use std::collections::BTreeMap;

use crate::reference::{self, assert_list, assert_order, close, Index, Random, DIMENSIONS};
use attune_native::engine::rates::Rates;
use attune_native::model;
use attune_native::search::added_scores::{AddedScore, ADDED_MAX};
use attune_native::search::answer::Answer;
use attune_native::search::features::NAMES;
use attune_native::search::places::PLACES_MAX;
use attune_native::search::query::Request;
use serde_json::{json, Value};

const ID: u64 = 7;

fn vector(random: &mut Random) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.unit()).collect()
}

fn search(index: &Index, request: &Value, vector: Option<&[f32]>, added: &[AddedScore]) -> Answer {
    let mut request = Request::parse(&request.to_string()).unwrap();
    request.added = added.to_vec();
    attune_native::search::search(&[(ID, index.view())], &request, vector).unwrap()
}

/// All pages of a list through the position behind each.
fn pages(
    index: &Index,
    request: &Value,
    vector: Option<&[f32]>,
    added: &[AddedScore],
) -> Vec<(u64, f64)> {
    let mut request = request.clone();
    request["size"] = json!(7);
    let mut list = Vec::new();
    loop {
        let page = search(index, &request, vector, added);
        list.extend(page.ords.iter().copied().zip(page.scores.iter().copied()));
        match page.next {
            Some(next) => request["after"] = json!(next),
            None => return list,
        }
    }
}

/// Values for some documents of the index, some that don't exist, and one of another index.
fn some_added(random: &mut Random, index: &Index) -> Vec<AddedScore> {
    let mut added: Vec<AddedScore> = (0..40)
        .map(|_| AddedScore {
            index: ID,
            ord: index.documents[random.below(index.documents.len())].ord,
            value: f64::from(random.unit()) / 2.0,
        })
        .collect();
    let foreign = AddedScore {
        index: ID + 1,
        ..added[0]
    };
    let unknown = AddedScore {
        ord: 999_999,
        ..added[0]
    };
    added.extend([foreign, unknown]);
    added
}

fn scores(answer: &Answer) -> BTreeMap<u64, f64> {
    let pairs = answer.ords.iter().copied().zip(answer.scores.clone());
    pairs.collect()
}

fn requests(random: &mut Random) -> Vec<Value> {
    let words = random.words(4);
    vec![
        json!({ "mode": "text", "query": words, "size": 1000 }),
        json!({ "mode": "vector", "query": words, "size": 1000 }),
        json!({ "mode": "hybrid", "query": words, "size": 1000 }),
        json!({ "mode": "hybrid", "query": words, "size": 1000, "fusion": "rrf" }),
        json!({ "mode": "text", "query": "", "size": 1000 }),
    ]
}

#[test]
fn added_scores_are_on_the_scale_of_the_fused_ones_and_pages_stay_exact() {
    for seed in 41..46 {
        let index = Index::random(seed, 4, 50);
        let mut random = Random(seed);
        for request in requests(&mut random) {
            let everything = request["query"] == "";
            let near = vector(&mut random);
            let near = (!everything).then_some(near.as_slice());
            let added = some_added(&mut random, &index);
            let plain = search(&index, &request, near, &[]);
            let span = match (&request["mode"], &request["fusion"]) {
                (Value::String(mode), _) if mode == "text" => plain.scores[0],
                (_, Value::String(fusion)) if fusion == "rrf" => plain.scores[0],
                _ => 1.0,
            };
            let mut expected = scores(&plain);
            for own in added.iter().filter(|own| own.index == ID) {
                if let Some(score) = expected.get_mut(&own.ord) {
                    *score += span * own.value;
                }
            }
            let found = search(&index, &request, near, &added);
            assert_list(&found, &expected, &request.to_string());
            let list: Vec<(u64, f64)> = found.ords.into_iter().zip(found.scores).collect();
            assert_eq!(pages(&index, &request, near, &added), list, "{request}");
            // What stays out stays out, and what is below the least score goes.
            let least = list[list.len() / 2].1;
            let mut above = request.clone();
            above["minScore"] = json!(least);
            let kept = search(&index, &above, near, &added);
            let expected = list.iter().filter(|pair| pair.1 >= least).count();
            assert_eq!(kept.total as usize, expected, "{above}");
        }
    }
}

#[test]
fn an_added_score_is_explained_and_bounded() {
    let index = Index::random(47, 2, 40);
    let request = json!({ "mode": "text", "query": "amber basil", "explain": true, "size": 20 });
    let plain = search(&index, &request, None, &[]);
    let added = [AddedScore {
        index: ID,
        ord: plain.ords[3],
        value: 0.25,
    }];
    let found = search(&index, &request, None, &added);
    for (ord, reasons) in found.ords.iter().zip(found.explain.unwrap()) {
        let reasons: Value = serde_json::from_str(&reasons).unwrap();
        if *ord == plain.ords[3] {
            let learned = reasons["learned"].as_f64().unwrap();
            assert!(close(learned, 0.25 * plain.scores[0]));
            let score = reasons["score"].as_f64().unwrap();
            assert!(close(score, plain.scores[3] + learned));
        } else {
            assert!(reasons["learned"].is_null());
        }
    }
    assert!(AddedScore::read(&vec![0.0; 3 * ADDED_MAX + 3]).is_err());
}

/// The feature of each hit, by name.
fn feature(answer: &Answer, name: &str) -> Vec<f32> {
    let at = NAMES.iter().position(|known| *known == name).unwrap();
    let rows = answer.features.as_ref().unwrap().chunks_exact(NAMES.len());
    rows.map(|row| row[at]).collect()
}

#[test]
fn each_feature_is_compared_with_what_it_is_to_be() {
    let compared = include_str!("learned.rs");
    let asked = |name: &&str| compared.contains(&format!("\"{name}\")"));
    let unasked: Vec<&str> = NAMES.into_iter().filter(|name| !asked(name)).collect();
    assert!(unasked.is_empty(), "no test here looks at {unasked:?}");
}

#[test]
fn features_are_what_their_names_say() {
    for seed in 51..54 {
        let index = Index::random(seed, 3, 60);
        let mut random = Random(seed);
        for _ in 0..6 {
            let near = vector(&mut random);
            let query = format!("{} {} {}", random.word(), random.word(), random.word());
            // As much as click memory adds where people chose the same nearly always.
            let mut added = some_added(&mut random, &index);
            added.iter_mut().for_each(|own| own.value *= 4.0);
            let request = json!({ "mode": "hybrid", "query": query, "size": 1000,
                                  "feedback": false, "features": true });
            let found = search(&index, &request, Some(&near), &added);
            let plain = search(&index, &request, Some(&near), &[]);
            let fused = scores(&plain);
            let get = |name: &str| feature(&found, name);
            let words: std::collections::BTreeSet<&str> = query.split(' ').collect();
            let bm25 = index.bm25(&query, (1.0, 1.0));
            let mut by_text: Vec<u64> = bm25.keys().copied().collect();
            let b = |ord: u64| {
                let at = found.ords.iter().position(|own| *own == ord).unwrap();
                found.parts[4 * at]
            };
            by_text.sort_by(|x, y| b(*y).total_cmp(&b(*x)).then(x.cmp(y)));
            for (at, ord) in found.ords.iter().enumerate() {
                let doc = index.doc(*ord);
                let own = |field: &str| -> Vec<String> {
                    doc.text(field).split(' ').map(str::to_owned).collect()
                };
                let (title, content) = (own("title"), own("content"));
                let share = |found: usize| found as f32 / words.len() as f32;
                let has = |list: &[String], word: &str| list.iter().any(|own| own == word);
                let any = words.iter().filter(|w| has(&title, w) || has(&content, w));
                assert_eq!(get("matchedTerms")[at], share(any.count()));
                let in_title = words.iter().filter(|w| has(&title, w));
                assert_eq!(get("titleTerms")[at], share(in_title.count()));
                let exact = doc.text("title") == query;
                assert_eq!(get("exactTitle")[at], f32::from(u8::from(exact)));
                let length = (title.len() + content.len()) as f32;
                assert_eq!(get("documentLength")[at], length.ln_1p());
                assert_eq!(get("queryLength")[at], words.len() as f32);
                let size = index.documents.len() as f64;
                assert_eq!(get("indexSize")[at], size.ln_1p() as f32);
                let parts = &found.parts[4 * at..][..4];
                assert_eq!(get("textScore")[at], parts[2]);
                assert_eq!(get("vectorScore")[at], parts[3]);
                let zero_for_nan = |x: f32| if x.is_nan() { 0.0 } else { x };
                assert_eq!(get("bm25")[at], zero_for_nan(parts[0]));
                assert_eq!(get("cosine")[at], zero_for_nan(parts[1]));
                assert_eq!(get("fusedScore")[at], fused[ord] as f32);
                let place = by_text.iter().position(|own| own == ord);
                let rank = place
                    .filter(|p| *p < PLACES_MAX)
                    .map_or(0.0, |p| 1.0 / (p + 1) as f32);
                assert_eq!(get("textRank")[at], rank, "{query}");
                let value: f64 = added
                    .iter()
                    .filter(|own| own.index == ID && own.ord == *ord)
                    .map(|own| own.value)
                    .sum();
                assert_eq!(get("clickMemory")[at], value as f32);
                let pair = |list: &[String]| {
                    let query: Vec<&str> = query.split(' ').collect();
                    let pairs = query.windows(2);
                    pairs
                        .filter(|p| list.windows(2).any(|own| own == *p))
                        .count()
                };
                let pairs = pair(&title) + pair(&content);
                assert_eq!(
                    get("proximity")[at] > 0.0,
                    pairs > 0,
                    "{query}: {doc:?}",
                    doc = doc.source
                );
                let age = get("age")[at];
                match doc.source["created"].as_str() {
                    Some(_) => assert!(age > (365.0f32).ln_1p() && age < 10.0),
                    None => assert_eq!(age, 0.0),
                }
            }
            let nearest = feature(&found, "vectorRank")
                .into_iter()
                .fold(0.0, f32::max);
            assert!(plain.parts.chunks(4).all(|p| p[1].is_nan()) || nearest == 1.0);
        }
    }
}

#[test]
fn click_rates_are_those_of_the_edition_that_a_request_names() {
    let index = Index::random(57, 3, 60);
    let plain = json!({ "mode": "text", "query": "", "size": 1000, "features": true });
    let rates_of = |click_rates: Value| -> BTreeMap<u64, f32> {
        let mut request = plain.clone();
        request["clickRates"] = click_rates;
        let found = search(&index, &request, None, &[]);
        let rates = feature(&found, "clickRate");
        found.ords.into_iter().zip(rates).collect()
    };
    let all = |rate: f32| -> BTreeMap<u64, f32> {
        let documents = index.documents.iter();
        documents.map(|doc| (doc.ord, rate)).collect()
    };
    assert_eq!(rates_of(json!({})), all(0.0));
    assert_eq!(
        rates_of(json!({ "prior": 0.05, "edition": 3 })),
        all(0.05),
        "nothing was handed over yet"
    );
    let (first, last) = (index.documents[0].ord, index.documents[59].ord);
    let publish = |edition, rate| {
        let rates = Rates::new(&[last, 999_999, first], &[rate, 0.9, 0.0]).unwrap();
        index.engine.rates.publish(edition, 0, rates);
    };
    publish(3, 0.25);
    publish(4, 0.75);
    for (edition, rate) in [(3, 0.25), (4, 0.75), (9, 0.75)] {
        let mut expected = all(0.05);
        expected.extend([(first, 0.0), (last, rate)]);
        assert_eq!(
            rates_of(json!({ "prior": 0.05, "edition": edition })),
            expected
        );
    }
    assert_eq!(rates_of(json!({ "prior": 0.05 })), all(0.05), "no edition");
    let bad = plain
        .to_string()
        .replace('{', r#"{"clickRates":{"prior":2},"#);
    assert!(Request::parse(&bad).is_err());
}

#[test]
fn a_model_orders_by_click_rates_the_same_way_for_the_same_edition() {
    let handle = 9_005;
    linear(handle, json!(["clickRate"]), json!([1.0]));
    let index = Index::random(58, 3, 60);
    let mut request = json!({ "mode": "text", "query": "amber basil", "size": 100,
                              "rerank": { "model": handle, "size": 100 } });
    let plain = search(&index, &request, None, &[]).ords;
    let last = plain[plain.len() - 1];
    let liked = |ords: &[u64]| Rates::new(ords, &vec![0.5; ords.len()]).unwrap();
    index.engine.rates.publish(1, 0, liked(&[last]));
    index.engine.rates.publish(2, 0, liked(&plain[3..4]));
    let mut first_of = |edition: u64| {
        request["clickRates"] = json!({ "prior": 0.05, "edition": edition });
        search(&index, &request, None, &[]).ords[0]
    };
    assert_eq!(
        [first_of(1), first_of(2), first_of(1)],
        [last, plain[3], last]
    );
}

#[test]
fn ages_are_those_of_the_hour_that_is_named() {
    let mut index = Index::new(&reference::definition());
    let source = json!({ "title": "amber", "updated": "1970-01-03T06:30:00Z" });
    index.change(
        vec![reference::Doc {
            ord: 1,
            source,
            vector: None,
        }],
        &[],
    );
    let age_at = |hour: u32| {
        let request = json!({ "mode": "text", "query": "amber", "features": true, "agesAt": hour });
        feature(&search(&index, &request, None, &[]), "age")[0]
    };
    assert_eq!(age_at(54), 0.0);
    assert!(close(f64::from(age_at(55)), (0.5f64 / 24.0).ln_1p()));
    assert!(close(f64::from(age_at(79)), (24.5f64 / 24.0).ln_1p()));
}

#[test]
fn a_title_is_exact_only_in_the_order_of_the_query() {
    let mut index = Index::new(&reference::definition());
    let titles = [
        "amber basil",
        "basil amber",
        "amber basil cedar",
        "amber",
        "amber amber",
    ];
    let docs = titles.iter().zip(1..).map(|(title, ord)| reference::Doc {
        ord,
        source: json!({ "title": title, "updated": "2024-01-01", "created": "2020-01-01" }),
        vector: None,
    });
    index.change(docs.collect(), &[]);
    let exact = |query: &str| -> BTreeMap<u64, f32> {
        let request = json!({ "mode": "text", "query": query, "features": true });
        let found = search(&index, &request, None, &[]);
        let flags = feature(&found, "exactTitle");
        found.ords.into_iter().zip(flags).collect()
    };
    let ones = |query: &str| -> Vec<u64> {
        let found = exact(query).into_iter().filter(|pair| pair.1 == 1.0);
        found.map(|pair| pair.0).collect()
    };
    assert_eq!(ones("Amber BASIL"), [1]);
    assert_eq!(ones("basil amber"), [2]);
    assert_eq!(ones("\"amber basil\" cedar"), [3]);
    assert_eq!(ones("amber"), [4]);
    assert_eq!(ones("amber amber"), [5]);
    assert_eq!(ones("cedar"), [0u64; 0]);
}

#[test]
fn the_scores_of_title_and_body_are_those_that_are_explained() {
    let index = Index::random(55, 3, 60);
    let mut random = Random(56);
    for _ in 0..20 {
        let near = vector(&mut random);
        let request = json!({ "mode": "hybrid", "query": random.words(4), "size": 100,
                              "explain": true, "features": true, "device": 2,
                              "filter": { "field": "year", "gte": 1994 },
                              "operator": (["or", "and"][random.below(2)]) });
        let found = search(&index, &request, Some(&near), &[]);
        let (title, body) = (feature(&found, "titleScore"), feature(&found, "bodyScore"));
        assert!(feature(&found, "device")
            .iter()
            .all(|device| *device == 2.0));
        for (at, reasons) in found.explain.iter().flatten().enumerate() {
            let reasons: Value = serde_json::from_str(reasons).unwrap();
            let score = |field: &str| {
                let score = &reasons["text"]["fields"][field]["score"];
                score.as_f64().unwrap_or(0.0)
            };
            assert!(close(f64::from(title[at]), score("title")), "{request}");
            let others = score("content") + score("notes");
            assert!(close(f64::from(body[at]), others), "{request}");
        }
        // What a search with features leaves behind must not show in the next one.
        let mut plain = request.clone();
        plain["features"] = json!(false);
        let again = search(&index, &plain, Some(&near), &[]);
        assert_eq!((again.ords, again.scores), (found.ords, found.scores));
    }
}

fn linear(handle: u64, features: Value, weights: Value) {
    let json = json!({ "kind": "linear", "features": features, "weights": weights });
    model::load(handle, &json.to_string()).unwrap();
}

#[test]
fn a_model_exchanges_the_places_of_the_first_hits_and_nothing_else() {
    let handle = 9_001;
    linear(
        handle,
        json!(["documentLength", "bm25"]),
        json!([-1.0, 0.1]),
    );
    for seed in 61..65 {
        let index = Index::random(seed, 4, 50);
        let mut random = Random(seed);
        for request in requests(&mut random) {
            let near = vector(&mut random);
            let near = (request["query"] != "").then_some(near.as_slice());
            let added = some_added(&mut random, &index);
            let plain = search(&index, &request, near, &added);
            for size in [0, 1, 12, 30, 1000] {
                let mut reranked = request.clone();
                reranked["rerank"] = json!({ "model": handle, "size": size });
                reranked["features"] = json!(true);
                let found = search(&index, &reranked, near, &added);
                assert_order(&found, &reranked.to_string());
                assert!(!found.rerank_failed);
                assert_eq!(found.total, plain.total);
                let size = size.min(plain.ords.len());
                let sorted = |list: &[u64]| {
                    let mut list = list.to_vec();
                    list.sort_unstable();
                    list
                };
                assert_eq!(sorted(&found.ords[..size]), sorted(&plain.ords[..size]));
                assert_eq!(found.ords[size..], plain.ords[size..], "{reranked}");
                assert_eq!(found.scores[size..], plain.scores[size..], "{reranked}");
                for (own, plain) in found.scores.iter().zip(&plain.scores) {
                    assert!((own - plain).abs() <= 1e-12 * plain.abs().max(1.0));
                }
                let model = found.model_scores.clone().unwrap();
                let (lengths, bm25) = (feature(&found, "documentLength"), feature(&found, "bm25"));
                for at in 0..found.ords.len() {
                    if at >= size {
                        assert!(model[at].is_nan());
                        continue;
                    }
                    let by_hand = f64::from(bm25[at]) * 0.1 - f64::from(lengths[at]);
                    assert!((f64::from(model[at]) - by_hand).abs() < 1e-5);
                    assert!(at == 0 || model[at - 1] >= model[at]);
                }
                let list: Vec<(u64, f64)> = found.ords.into_iter().zip(found.scores).collect();
                assert_eq!(pages(&index, &reranked, near, &added), list, "{reranked}");
            }
        }
    }
}

#[test]
fn a_model_leaves_pinned_documents_where_they_are() {
    let handle = 9_004;
    linear(handle, json!(["documentLength"]), json!([-1.0]));
    let index = Index::random(70, 3, 40);
    let request = json!({ "mode": "text", "query": "amber basil", "size": 100 });
    let plain = search(&index, &request, None, &[]).ords;
    let last = [plain[plain.len() - 1], plain[plain.len() - 2]];
    let added = [(last[0], 3000.0), (last[1], 2000.0), (plain[3], 0.5)];
    let added = added.map(|(ord, value)| AddedScore {
        index: ID,
        ord,
        value,
    });
    let mut reranked = request.clone();
    for size in [1, 2, 30] {
        reranked["rerank"] = json!({ "model": handle, "size": size });
        let found = search(&index, &reranked, None, &added);
        assert_order(&found, &reranked.to_string());
        assert_eq!(found.ords[..2], last);
        let model = &found.model_scores.unwrap()[..size];
        assert!(model[model.len().min(2)..].is_sorted_by(|a, b| a >= b));
    }
}

#[test]
fn a_model_merges_the_lists_of_several_indices() {
    let handle = 9_002;
    linear(handle, json!(["documentLength"]), json!([1.0]));
    let (one, two) = (Index::random(66, 2, 40), Index::random(67, 2, 40));
    let ask = |rerank: Value| {
        let request = json!({ "mode": "text", "query": "amber basil cedar", "size": 100,
                              "rerank": rerank });
        let request = Request::parse(&request.to_string()).unwrap();
        attune_native::search::search(&[(1, one.view()), (2, two.view())], &request, None).unwrap()
    };
    let (plain, found) = (
        ask(json!(null)),
        ask(json!({ "model": handle, "size": 30 })),
    );
    let list = |answer: &Answer, range: std::ops::Range<usize>| {
        let pairs = answer.ids.iter().copied().zip(answer.ords.iter().copied());
        let mut pairs: Vec<(u64, u64)> = pairs.skip(range.start).take(range.len()).collect();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(list(&found, 0..30), list(&plain, 0..30));
    assert_eq!(found.ords[30..], plain.ords[30..]);
    let model = &found.model_scores.unwrap()[..30];
    assert!(model.is_sorted_by(|a, b| a >= b));
    assert!(found.ids[..30].contains(&1) && found.ids[..30].contains(&2));
}

#[test]
fn a_search_never_fails_for_a_model() {
    let index = Index::random(68, 2, 40);
    let base = json!({ "mode": "text", "query": "amber basil", "explain": true });
    let plain = search(&index, &base, None, &[]);
    let mut request = base.clone();
    request["rerank"] = json!({ "model": 424_242 });
    let found = search(&index, &request, None, &[]);
    assert!(found.rerank_failed && found.model_scores.is_none());
    assert_eq!(
        (found.ords, found.scores),
        (plain.ords.clone(), plain.scores)
    );
    // Another order than by score is none for a model.
    linear(9_003, json!(["bm25"]), json!([-1.0]));
    request["rerank"] = json!({ "model": 9_003 });
    request["sort"] = json!([{ "field": "year" }]);
    let found = search(&index, &request, None, &[]);
    assert!(!found.rerank_failed && found.model_scores.is_none());
    request["sort"] = json!([]);
    let found = search(&index, &request, None, &[]);
    let reasons: Value = serde_json::from_str(&found.explain.unwrap()[0]).unwrap();
    let model = found.model_scores.unwrap()[0];
    assert!(close(reasons["model"].as_f64().unwrap(), f64::from(model)));
}

#[test]
fn a_shadow_scores_the_hits_where_they_stand() {
    let index = Index::random(69, 2, 40);
    linear(9_004, json!(["bm25"]), json!([-2.0]));
    let request = json!({ "mode": "text", "query": "amber basil", "shadow": 9_004 });
    let found = search(&index, &request, None, &[]);
    assert!(found.scores.is_sorted_by(|a, b| a >= b) && found.features.is_none());
    let shadow = found.shadow_scores.unwrap();
    for (shadow, parts) in shadow.iter().zip(found.parts.chunks(4)) {
        assert_eq!(*shadow, -2.0 * parts[0]);
    }
    let unknown = json!({ "mode": "text", "query": "amber", "shadow": 424_243 });
    assert!(search(&index, &unknown, None, &[]).shadow_scores.is_none());
}
