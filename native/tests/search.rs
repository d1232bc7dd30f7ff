//! Searches against the plainest possible ones, on random collections.

use std::collections::BTreeMap;

use crate::reference::{
    self, assert_list, assert_order, close, document, Doc, Index, Random, DIMENSIONS,
};
use attune_native::failure::Failure;
use attune_native::search::query::Request;
use serde_json::{json, Value};

fn all(mode: &str, query: &str) -> Value {
    json!({ "mode": mode, "query": query, "size": 10_000, "feedback": false })
}

fn with(mut request: Value, more: Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

#[test]
fn text_scores_are_those_of_the_formula() {
    for seed in 1..6 {
        let index = Index::random(seed, 4, 40);
        let mut random = Random(seed + 100);
        for _ in 0..8 {
            let query = random.words(6);
            let answer = index.search(all("text", &query));
            assert_list(&answer, &index.bm25(&query, (1.0, 1.0)), &query);
        }
        // The content as light as before, as heavy as the title, and heavier.
        for boosts in [(3.0, 1.0), (1.0, 2.0), (1.0, 5.0)] {
            let answer = index.search(with(
                all("text", "amber basil"),
                json!({ "boost": { "title": boosts.0, "content": boosts.1 } }),
            ));
            let expected = index.bm25("amber basil", boosts);
            assert_list(&answer, &expected, "boosted fields");
        }
    }
}

#[test]
fn a_title_that_is_a_long_query_is_known_where_its_words_are_in_more_places_than_are_read_at_once()
{
    let mut index = Index::new(&reference::definition());
    let words: Vec<String> = (0..24).map(|number| format!("w{number}")).collect();
    let query = words.join(" ");
    let documents = (1..=12_000).map(|ord| {
        let title = match ord {
            7_000 => words.join(" "),
            7_001 => words[..18].join(" "),
            7_002 => words[..12].join(" "),
            7_003 => format!("{query} other"),
            _ => "other".to_owned(),
        };
        let source = json!({ "title": title, "content": query });
        let vector = None;
        Doc {
            ord,
            source,
            vector,
        }
    });
    index.change(documents.collect(), &[]);
    let request = json!({ "mode": "text", "query": query, "size": 5, "explain": true });
    let answer = index.search(request);
    assert_eq!(answer.ords[0], 7_000);
    let told = answer.explain.unwrap().into_iter();
    let told: Vec<Value> = told
        .map(|told| serde_json::from_str(&told).unwrap())
        .collect();
    for (at, ord) in answer.ords.iter().enumerate() {
        let text = &told[at]["text"];
        let whole = &text["fields"]["title"]["whole"]["frequency"];
        match ord {
            7_000 => assert_eq!(whole, &json!(1.0)),
            7_001 => assert!(whole.as_f64().is_some_and(|f| (0.2..0.5).contains(&f))),
            _ => assert_eq!(whole, &Value::Null),
        }
        let score = |told: &Value| told["score"].as_f64().unwrap();
        assert!(close(score(text), score(&told[at])), "{ord}");
    }
}

#[test]
fn scores_go_by_what_is_left_after_each_deletion() {
    let mut index = Index::random(6, 2, 60);
    for _ in 0..4 {
        let answer = index.search(all("text", "amber basil"));
        assert_list(
            &answer,
            &index.bm25("amber basil", (1.0, 1.0)),
            "what is left",
        );
        // Of either segment, and long texts as well as short ones.
        let some = index.documents.iter().step_by(9).map(|doc| doc.ord);
        index.change(Vec::new(), &some.collect::<Vec<u64>>());
    }
}

#[test]
fn scores_do_not_depend_on_segments_and_deleted_documents() {
    let many = Index::random(3, 6, 30);
    let mut one = Index::new(&reference::definition());
    one.change(many.documents.clone(), &[]);
    for query in [
        "amber",
        "basil cedar delta",
        "ember ember raven",
        "\"amber basil\" jade",
    ] {
        let (a, b) = (
            many.search(all("text", query)),
            one.search(all("text", query)),
        );
        assert_eq!(a.ords, b.ords, "{query}");
        assert_eq!(a.scores, b.scores, "{query}");
    }
}

#[test]
fn with_operator_and_every_word_must_be_somewhere() {
    let index = Index::random(5, 3, 60);
    let answer = index.search(with(
        all("text", "amber cedar"),
        json!({ "operator": "and" }),
    ));
    let holds = |ord: &u64, word: &str| {
        let doc = index.doc(*ord);
        format!("{} {}", doc.text("title"), doc.text("content")).contains(word)
    };
    let mut expected = index.bm25("amber cedar", (1.0, 1.0));
    expected.retain(|ord, _| holds(ord, "amber") && holds(ord, "cedar"));
    assert!(!expected.is_empty());
    assert_list(&answer, &expected, "amber and cedar");
}

#[test]
fn phrases_hold_only_in_order_and_slop_loosens_them() {
    let index = Index::random(6, 3, 80);
    let count = |gap: usize, phrase: (&str, &str)| {
        let near = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            (0..words.len()).any(|i| {
                words[i] == phrase.0
                    && (i + 1..=i + 1 + gap).any(|j| words.get(j) == Some(&phrase.1))
            })
        };
        let found = index.documents.iter();
        found
            .filter(|d| near(d.text("title")) || near(d.text("content")))
            .count() as u64
    };
    let quoted = index.search(all("text", "\"amber basil\""));
    assert_eq!(quoted.total, count(0, ("amber", "basil")));
    assert!(quoted.total > 0);
    let whole = index.search(with(all("text", "amber basil"), json!({ "phrase": true })));
    assert_eq!(whole.ords, quoted.ords);
    // Moving one word by one place: a gap, but not a swap, which is two.
    let loose = index.search(with(all("text", "\"amber basil\""), json!({ "slop": 1 })));
    assert_eq!(loose.total, count(1, ("amber", "basil")));
    assert!(loose.total > quoted.total);
    // Among other words a phrase is wanted; where every part must match, it must.
    let mixed = all("text", "\"amber basil\" cedar");
    let wanted = index.search(mixed.clone());
    let cedar = index.search(all("text", "cedar"));
    assert!(cedar.ords.iter().all(|ord| wanted.ords.contains(ord)));
    assert!(quoted.ords.iter().all(|ord| wanted.ords.contains(ord)));
    let both = quoted.ords.iter().filter(|ord| cedar.ords.contains(ord));
    let demanded = index.search(with(mixed, json!({ "operator": "and" })));
    assert_eq!(demanded.total, both.count() as u64);
}

fn reference_hybrid(
    index: &Index,
    query: &str,
    vector: &[f32],
    k: usize,
    passes: &dyn Fn(u64) -> bool,
) -> BTreeMap<u64, f64> {
    let mut text = index.bm25(query, (1.0, 1.0));
    text.retain(|ord, _| passes(*ord));
    fused(text, &neighbors(index, vector, k, passes))
}

/// V: the nearest `k` above the cut.
fn neighbors(
    index: &Index,
    vector: &[f32],
    k: usize,
    passes: &dyn Fn(u64) -> bool,
) -> Vec<(u64, f32)> {
    let mut near: Vec<(u64, f32)> = index.cosines(vector).into_iter().collect();
    near.retain(|(ord, _)| passes(*ord));
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    near.truncate(k);
    near.retain(|(_, cosine)| *cosine > 0.2);
    near
}

fn fused(text: BTreeMap<u64, f64>, near: &[(u64, f32)]) -> BTreeMap<u64, f64> {
    let b_max = text.values().copied().fold(0.0, f64::max);
    let c_max = f64::from(near.iter().map(|pair| pair.1).fold(0.2, f32::max));
    let cut = f64::from(0.2f32);
    let mut scores: BTreeMap<u64, f64> = BTreeMap::new();
    for (ord, score) in text {
        *scores.entry(ord).or_default() += 0.6 * score / b_max;
    }
    for (ord, cosine) in near {
        let above = (f64::from(*cosine) - cut).max(0.0);
        *scores.entry(*ord).or_default() += 0.4 * above / (c_max - cut);
    }
    scores
}

#[test]
fn hybrid_scores_are_those_of_the_definition() {
    for seed in 1..6 {
        let index = Index::random(seed + 20, 4, 50);
        let mut random = Random(seed);
        for k in [5, 30, 1000] {
            let query = random.words(3);
            let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit()).collect();
            let request = with(all("hybrid", &query), json!({ "neighbors": k }));
            let answer = index.search_near(request.clone(), Some(&vector));
            let expected = reference_hybrid(&index, &query, &vector, k, &|_| true);
            assert_list(&answer, &expected, &query);
            let request = with(
                request,
                json!({ "filter": { "field": "open", "any": [true] } }),
            );
            let answer = index.search_near(request, Some(&vector));
            let open = |ord: u64| index.doc(ord).source["open"] == json!(true);
            let expected = reference_hybrid(&index, &query, &vector, k, &open);
            assert_list(&answer, &expected, "open ones only");
        }
    }
}

#[test]
fn vector_mode_gives_the_nearest_above_the_cut() {
    let index = Index::random(31, 3, 60);
    let vector = vec![1.0, -0.5, 0.25, 0.0, 0.3, -1.0, 0.8, 0.1];
    let answer = index.search_near(
        with(all("vector", ""), json!({ "neighbors": 20, "cut": 0.1 })),
        Some(&vector),
    );
    let mut near: Vec<(u64, f32)> = index.cosines(&vector).into_iter().collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    near.truncate(20);
    near.retain(|pair| pair.1 > 0.1);
    let ords: Vec<u64> = near.iter().map(|pair| pair.0).collect();
    assert_eq!(answer.ords, ords);
    assert!(answer.parts[0].is_nan());
    assert_eq!(answer.parts[1], near[0].1);
    assert_eq!(answer.parts[3], 1.0);
}

#[test]
fn feedback_ranks_what_matches_by_a_vector_moved_towards_the_first_five() {
    let index = Index::random(41, 3, 60);
    let vector: Vec<f32> = vec![0.4, -0.5, 0.25, 0.9, 0.3, -1.0, 0.8, 0.1];
    let request = with(all("hybrid", "amber cedar"), json!({ "neighbors": 15 }));
    let first = index.search_near(request.clone(), Some(&vector));
    let view = index.view();
    let mut mean = [0.0f32; DIMENSIONS];
    for ord in &first.ords[..5] {
        if let Some(slot) = view.vectors.slot_of(*ord) {
            let mut row = [0.0; DIMENSIONS];
            view.vectors.copy_into(slot, &mut row);
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }
    let norm = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let (a, b) = (norm(&vector), norm(&mean));
    let pairs = vector.iter().zip(mean);
    let moved: Vec<f32> = pairs.map(|(q, m)| q / a + 0.8 * m / b).collect();
    let with_feedback = with(request.clone(), json!({ "feedback": true }));
    let answer = index.search_near(with_feedback, Some(&vector));
    let text = index.bm25("amber cedar", (1.0, 1.0));
    let mut by_words: Vec<(u64, f64)> = text.iter().map(|(ord, score)| (*ord, *score)).collect();
    by_words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let cosines = index.cosines(&moved);
    let of_query = neighbors(&index, &vector, 15, &|_| true);
    let mut near: BTreeMap<u64, f32> = of_query.iter().map(|(o, _)| (*o, cosines[o])).collect();
    for (ord, _) in by_words.iter().take(32) {
        let cosine = cosines.get(ord).filter(|cosine| **cosine > 0.2);
        near.extend(cosine.map(|cosine| (*ord, *cosine)));
    }
    assert!(near.len() > of_query.len());
    let near: Vec<(u64, f32)> = near.into_iter().collect();
    assert_list(&answer, &fused(text, &near), "feedback");
    assert_eq!(answer.total, first.total);
    assert_ne!(answer.ords, first.ords);
}

#[test]
fn reciprocal_ranks_are_fused_on_request() {
    let index = Index::random(51, 3, 40);
    let vector: Vec<f32> = vec![0.4, -0.5, 0.25, 0.9, 0.3, -1.0, 0.8, 0.1];
    let text = index.search(all("text", "amber")).ords;
    let near = index.search_near(
        with(all("vector", ""), json!({ "neighbors": 10 })),
        Some(&vector),
    );
    let plain = json!({ "fusion": "rrf", "neighbors": 10 });
    let twice = json!({ "weights": { "text": 1, "vector": 2 } });
    for (asked, weight) in [(plain.clone(), 1.0), (with(plain, twice), 2.0)] {
        let answer = index.search_near(with(all("hybrid", "amber"), asked), Some(&vector));
        let mut expected: BTreeMap<u64, f64> = BTreeMap::new();
        for (weight, list) in [(1.0, &text), (weight, &near.ords)] {
            for (rank, ord) in list.iter().enumerate() {
                *expected.entry(*ord).or_default() += weight / (61.0 + rank as f64);
            }
        }
        assert_list(&answer, &expected, "rrf");
    }
}

#[test]
fn an_empty_query_is_every_document_with_score_one() {
    let index = Index::random(61, 3, 30);
    for mode in ["text", "hybrid", "vector"] {
        let answer = index.search(all(mode, "  "));
        let mut ords: Vec<u64> = index.documents.iter().map(|d| d.ord).collect();
        ords.sort_unstable();
        assert_eq!(answer.ords, ords, "{mode}");
        assert!(answer.scores.iter().all(|score| *score == 1.0));
    }
}

#[test]
fn a_least_score_cuts_the_match_set_itself() {
    let index = Index::random(62, 3, 50);
    let facets = json!([{ "field": "more.color" }]);
    let everything = index.search(all("text", "amber basil"));
    let least = everything.scores[everything.scores.len() / 2];
    let request = with(
        all("text", "amber basil"),
        json!({ "minScore": least, "facets": facets }),
    );
    let answer = index.search(request);
    let kept = everything
        .scores
        .iter()
        .filter(|score| **score >= least)
        .count();
    assert_eq!(answer.total as usize, kept);
    let facets: Value = serde_json::from_str(&answer.facets.unwrap()).unwrap();
    let values = facets["more.color"]["values"].as_array().unwrap();
    let counted: u64 = values.iter().map(|v| v["count"].as_u64().unwrap()).sum();
    assert_eq!(counted, answer.total);
}

#[test]
fn several_indices_are_one_list() {
    let (a, b) = (Index::random(71, 2, 40), Index::random(72, 3, 30));
    let request = all("text", "amber hazel");
    let parsed = Request::parse(&request.to_string()).unwrap();
    let views = [(9, a.view()), (4, b.view())];
    let answer = attune_native::search::search(&views, &parsed, None).unwrap();
    let mut expected = a.bm25("amber hazel", (1.0, 1.0));
    expected.extend(b.bm25("amber hazel", (1.0, 1.0)));
    assert_list(&answer, &expected, "two indices");
    let of_a = answer.ids.iter().filter(|id| **id == 9).count();
    assert_eq!(of_a, a.search(request).ords.len());
}

#[test]
fn a_vector_may_be_for_some_of_the_indices_only() {
    let (a, b) = (Index::random(74, 2, 40), Index::random(75, 1, 30));
    let (views, alone) = ([(9, a.view()), (4, b.view())], [(4, b.view())]);
    let ask = |views: &[_], more: Value, vector: &[f32]| {
        let request = with(all("vector", "amber hazel"), more).to_string();
        attune_native::search::search(views, &Request::parse(&request).unwrap(), Some(vector))
            .unwrap()
    };
    let own = [1.0; DIMENSIONS];
    let some = ask(&views, json!({ "vectorIn": [1] }), &own);
    let only = ask(&alone, json!({}), &own);
    assert!(!only.ords.is_empty());
    assert_eq!((some.ords, some.scores), (only.ords, only.scores));
    // One that it is not for may have vectors of another length.
    assert_eq!(ask(&views, json!({ "vectorIn": [] }), &[1.0]).total, 0);
}

#[test]
fn a_vector_of_another_length_or_without_direction_is_a_bad_request() {
    let index = Index::random(73, 1, 10);
    let request = Request::parse(r#"{"mode":"vector"}"#).unwrap();
    let views = [(1, index.view())];
    for vector in [
        vec![1.0; 3],
        vec![0.0; DIMENSIONS],
        vec![f32::NAN; DIMENSIONS],
    ] {
        let failure: Failure =
            attune_native::search::search(&views, &request, Some(&vector)).unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST");
    }
}

#[test]
fn the_end_of_a_word_may_be_left_open() {
    let index = Index::random(81, 3, 40);
    let whole = index.search(all("text", "quartz"));
    let open = index.search(with(all("text", "qua"), json!({ "prefix": true })));
    assert_eq!(open.ords, whole.ords);
    assert!(open.total > 0);
    assert_eq!(index.search(all("text", "qua")).total, 0);
}

#[test]
fn words_of_deleted_documents_stand_for_nothing() {
    let mut index = Index::new(&reference::definition());
    let words = ["runs", "running", "other"];
    let documents = words.iter().zip(1..).map(|(word, ord)| Doc {
        ord,
        source: json!({ "notes": word }),
        vector: None,
    });
    index.change(documents.collect(), &[]);
    let open = with(all("text", "runni"), json!({ "prefix": true }));
    let near = with(all("text", "runnink"), json!({ "fuzziness": "1" }));
    // "running" leads to every form of its stem, as long as it is a word of the index.
    assert_eq!(index.search(open.clone()).total, 2);
    assert_eq!(index.search(near.clone()).total, 2);
    index.change(Vec::new(), &[2]);
    assert_eq!(index.search(open).total, 0);
    assert_eq!(index.search(near).total, 0);
    let live = with(all("text", "ru"), json!({ "prefix": true }));
    assert_eq!(index.search(live).ords, [1]);
}

#[test]
fn a_misspelt_word_is_found_when_edits_are_allowed() {
    let index = Index::random(82, 3, 40);
    let whole = index.search(all("text", "quartz"));
    for (query, fuzziness) in [
        ("quarz", "1"),
        ("qaurtz", "1"),
        ("quarrtzz", "2"),
        ("quarz", "AUTO"),
    ] {
        let answer = index.search(with(all("text", query), json!({ "fuzziness": fuzziness })));
        assert_eq!(answer.total, whole.total, "{query}");
    }
    let near = index.search(with(all("text", "quarz"), json!({ "fuzziness": "1" })));
    assert!(near.scores[0] < whole.scores[0]);
    let far = index.search(with(all("text", "qarz"), json!({ "fuzziness": "1" })));
    assert_eq!(far.total, 0);
}

#[test]
fn synonyms_and_stop_words_follow_the_analyzer_of_the_field() {
    let mut index = Index::random(83, 1, 20);
    let mut random = Random(5);
    let mut docs: Vec<_> = (0..3).map(|i| document(&mut random, 90_000 + i)).collect();
    docs[0].source["notes"] = json!("the automobile of the year");
    docs[1].source["notes"] = json!("fast cars");
    docs[2].source["notes"] = json!("the boats");
    index.change(docs, &[]);
    let found = |query: &str| {
        let mut ords = index.search(all("text", query)).ords;
        ords.sort_unstable();
        ords
    };
    assert_eq!(found("car"), [90_000, 90_001]);
    assert_eq!(found("automobiles"), [90_000]);
    assert_eq!(found("boat"), [90_002]);
    let and = with(
        all("text", "the boat"),
        json!({ "operator": "and", "fields": { "notes": 1 } }),
    );
    assert_eq!(index.search(and).ords, [90_002]);
    assert_eq!(
        index
            .search(with(
                all("text", "the of"),
                json!({ "fields": { "notes": 1 } })
            ))
            .total,
        0
    );
}

#[test]
fn an_explanation_adds_up_however_legs_are_fused_and_with_one_of_them_empty() {
    let index = Index::random(92, 3, 40);
    let own: Vec<f32> = vec![0.4, -0.5, 0.25, 0.9, 0.3, -1.0, 0.8, 0.1];
    for (query, vector) in [
        ("amber cedar", Some(own.as_slice())),
        ("amber cedar", None),
        ("unknown", Some(own.as_slice())),
        ("", Some(own.as_slice())),
        ("", None),
    ] {
        for fusion in ["convex", "rrf"] {
            let more = json!({ "explain": true, "fusion": fusion });
            let answer = index.search_near(with(all("hybrid", query), more), vector);
            assert!(answer.total > 0, "{query} {fusion}");
            for (score, text) in answer.scores.iter().zip(answer.explain.unwrap()) {
                let reasons: Value = serde_json::from_str(&text).unwrap();
                let weight = |name: &str| reasons["weights"][name].as_f64().unwrap_or(1.0);
                let part = |name: &str| weight(name) * reasons["parts"][name].as_f64().unwrap();
                assert!(close(part("text") + part("vector"), *score), "{text}");
            }
        }
    }
}

#[test]
fn explanations_of_very_many_words_are_refused_before_they_take_the_memory() {
    let words: Vec<String> = (0..600).map(|n| format!("w{n}")).collect();
    let mut index = Index::new(&reference::definition());
    let mut random = Random(4);
    let docs = (1..101).map(|ord| {
        let mut doc = document(&mut random, ord);
        doc.source["content"] = json!(words.join(" "));
        doc
    });
    index.change(docs.collect(), &[]);
    let ask = |size: usize| {
        let request =
            json!({ "mode": "text", "query": words.join(" "), "explain": true, "size": size });
        let request = Request::parse(&request.to_string()).unwrap();
        attune_native::search::search(&[(7, index.view())], &request, None)
    };
    assert_eq!(ask(80).unwrap().explain.unwrap().len(), 80);
    let failure = ask(90).unwrap_err();
    assert_eq!(failure.code.word(), "BAD_REQUEST");
    assert!(
        failure.message.contains("fewer hits"),
        "{}",
        failure.message
    );
}

/// A shop of phones and what goes with them: nearly all names have `phone`, few descriptions do.
fn shop() -> Index {
    let mut titles = vec![
        "Case for Phone X 14 Pro",
        "Phone X 14",
        "Phone X 14 Pro",
        "Charger",
    ];
    let other = ["Phone Y 12", "Phone Z 9", "Phone Y 11 Mini", "Phone S 20"];
    titles.extend(other.iter().cycle().take(20));
    let documents = titles.iter().zip(1..).map(|(title, ord)| {
        let content = match ord {
            1 => "Keeps your phone safe, slim and light, for a phone that falls",
            _ => "Bright display, fast and light, with two cameras",
        };
        let source = json!({ "title": title, "content": content });
        let vector = None;
        Doc {
            ord,
            source,
            vector,
        }
    });
    let mut shop = Index::new(&reference::definition());
    shop.change(documents.collect(), &[]);
    shop
}

#[test]
fn what_nearly_all_titles_have_says_little_in_the_few_contents_that_have_it() {
    let shop = shop();
    let weights = [
        json!({}),
        json!({ "fields": { "title": 1, "content": 1 } }),
        json!({ "boost": { "content": 0.5 } }),
    ];
    for more in weights {
        let answer = shop.search(with(all("text", "phone x 14"), more.clone()));
        assert_eq!(answer.ords[..3], [2, 3, 1], "{more}");
    }
}

#[test]
fn words_of_each_field_add_up_to_its_score_and_fields_to_that_of_the_text() {
    let shop = shop();
    let heavy = json!({ "fields": { "title": 1, "content": 2 } });
    let cases = [
        // Title and content each count as many documents as its own, or the titles.
        ("phone x 14", json!({}), ("phone", 23, 23)),
        ("phone x 14", heavy, ("phone", 23, 1)),
        // Of words that are far from those meant, the documents do not count.
        ("phane x 14", json!({ "fuzziness": "2" }), ("phane", 23, 23)),
    ];
    for (query, more, (word, title, content)) in cases {
        let request = with(all("text", query), json!({ "explain": true }));
        let answer = shop.search(with(request, more));
        for (at, text) in answer.explain.iter().flatten().enumerate() {
            let reasons: Value = serde_json::from_str(text).unwrap();
            let text = &reasons["text"];
            let sum = |told: &Value| -> f64 {
                let terms = told["terms"].as_object().unwrap().values();
                let parts = terms.chain(told.get("whole"));
                parts.map(|part| part["score"].as_f64().unwrap()).sum()
            };
            let fields = text["fields"].as_object().unwrap().values();
            let scores = fields.map(|field| {
                let score = field["score"].as_f64().unwrap();
                assert!(close(sum(field), score), "{field}");
                score
            });
            let scores: Vec<f64> = scores.collect();
            let (best, all) = (
                scores.iter().copied().fold(0.0, f64::max),
                scores.iter().sum::<f64>(),
            );
            let combined = sum(&text["combined"]);
            let score = 0.5 * combined + 0.5 * (best + 0.5 * (all - best));
            assert!(close(score, answer.parts[at * 4].into()), "{text}");
            assert_eq!(
                text["score"].as_f64().map(|s| s as f32),
                Some(answer.parts[at * 4])
            );
            let documents = |field: &str| &text["fields"][field]["terms"][word]["documents"];
            if answer.ords[at] == 1 {
                assert_eq!(documents("title"), title, "{query}");
                assert_eq!(documents("content"), content, "{query}");
            }
        }
    }
}

#[test]
fn explanations_add_up_to_the_score() {
    let index = Index::random(91, 3, 40);
    let vector: Vec<f32> = vec![0.4, -0.5, 0.25, 0.9, 0.3, -1.0, 0.8, 0.1];
    let request = with(
        all("hybrid", "amber amber cedar"),
        json!({ "explain": true }),
    );
    let answer = index.search_near(request, Some(&vector));
    let texts = answer.explain.clone().unwrap();
    assert_eq!(texts.len(), answer.ords.len());
    assert_order(&answer, "explained");
    for (at, text) in texts.iter().enumerate() {
        let reasons: Value = serde_json::from_str(text).unwrap();
        let part = |name: &str| reasons["parts"][name].as_f64().unwrap();
        let score = 0.6 * part("text") + 0.4 * part("vector");
        assert!(close(score, answer.scores[at]), "{text}");
        if let Some(bm25) = reasons["text"]["score"].as_f64() {
            assert!(close(bm25, f64::from(answer.parts[at * 4])), "{text}");
        }
    }
}
