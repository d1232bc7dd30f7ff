//! What is done otherwise when there is much of it: values in a filter, words in a facet, matches in a sorted list.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::reference::{self, Index, Random};
use attune_native::search::suggest;
use serde_json::{json, Value};

const DOCUMENTS: u64 = 4200;

/// A word; the first ones are more frequent. Some are what numbers, dates and truths are written as.
fn word(random: &mut Random) -> String {
    let number = random.below(900).min(random.below(1500));
    match number % 11 {
        0 => number.to_string(),
        1 => format!("2024-02-{:02}", 1 + number % 28),
        2 => number.is_multiple_of(2).to_string(),
        _ => format!("w{number}"),
    }
}

/// Segments of many documents and of few, some of which may be deleted.
fn index(with_deletes: bool) -> Index {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(77);
    let ends = [2500, 2550, 2900, 4100, 4101, DOCUMENTS];
    let mut from = 1;
    for end in ends {
        let documents = (from..end).map(|ord| {
            let mut doc = reference::document(&mut random, ord);
            let count = random.below(4);
            let mut tags: Vec<String> = (0..count).map(|_| word(&mut random)).collect();
            // A list may say a word twice.
            tags.extend(tags.first().cloned().filter(|_| ord % 5 == 0));
            doc.source["tags"] = json!(tags);
            let other = || format!("x{}", random.below(3000).min(random.below(5000)));
            doc.source["notes"] = json!(std::iter::repeat_with(other).take(3).collect::<Vec<_>>());
            doc.source["more"]["code"] = json!(word(&mut random));
            doc.source["price"] = json!(random.below(2000) as f64 / 4.0);
            doc
        });
        let documents = documents.collect();
        let deletes: Vec<u64> = (from..end).step_by(97).collect();
        index.change(documents, &[]);
        if with_deletes {
            index.change(Vec::new(), &deletes);
        }
        from = end;
    }
    index
}

fn words_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(words_of).collect(),
        Value::String(word) => vec![word.clone()],
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

#[test]
fn many_values_find_what_has_any_of_them() {
    let index = index(true);
    let mut random = Random(3);
    for (field, pointer) in [
        ("tags", "/tags"),
        ("more.code", "/more/code"),
        ("price", "/price"),
    ] {
        for count in [1, 4, 5, 31, 40, 200, 1000] {
            let values: Vec<Value> = (0..count)
                .map(|at| match field {
                    "price" => json!(random.below(8000) as f64 / 16.0),
                    _ if at % 7 == 3 => json!(format!("nowhere{at}")),
                    _ => json!(word(&mut random)),
                })
                .collect();
            let wanted: BTreeSet<String> = values.iter().flat_map(words_of).collect();
            let has = |source: &Value| {
                let own = source.pointer(pointer).map(words_of).unwrap_or_default();
                own.iter().any(|word| wanted.contains(word))
            };
            let documents = index.documents.iter();
            let mut expected: Vec<u64> = documents
                .filter(|d| has(&d.source))
                .map(|d| d.ord)
                .collect();
            expected.sort_unstable();
            let any = json!({ "field": field, "any": values });
            for filter in [any.clone(), json!({ "not": any })] {
                let is_not = filter.get("not").is_some();
                let answer = index.search(json!({
                    "mode": "text", "query": "", "size": 10_000, "filter": filter
                }));
                let mut found = answer.ords;
                found.sort_unstable();
                let all = index.documents.iter().map(|d| d.ord);
                let others = all.filter(|ord| expected.binary_search(ord).is_err());
                let mut others: Vec<u64> = others.collect();
                others.sort_unstable();
                let expected = if is_not { &others } else { &expected };
                assert_eq!(&found, expected, "{field} {count} {is_not}");
            }
        }
    }
}

#[test]
fn a_value_of_analysed_text_is_found_where_all_of_its_words_are() {
    let index = index(true);
    let mut random = Random(9);
    for count in [1, 3, 60] {
        let values: Vec<String> = (0..count).map(|_| random.words(6)).collect();
        let has = |text: &str| {
            let own: BTreeSet<&str> = text.split(' ').collect();
            let mut values = values.iter();
            values.any(|value| value.split(' ').all(|word| own.contains(word)))
        };
        let documents = index.documents.iter();
        let found = documents.filter(|doc| has(doc.text("content")));
        let mut expected: Vec<u64> = found.map(|doc| doc.ord).collect();
        expected.sort_unstable();
        let answer = index.search(json!({ "mode": "text", "query": "", "size": 10_000,
            "filter": { "field": "content", "any": values } }));
        let mut found = answer.ords;
        found.sort_unstable();
        assert_eq!(found, expected, "{values:?}");
        assert!(!found.is_empty());
    }
}

#[test]
fn a_facet_of_many_words_shows_those_of_most_documents() {
    let index = index(true);
    for query in ["", "amber", "quartz yarrow", "nothing"] {
        let found = index.search(json!({ "mode": "text", "query": query, "size": 10_000 }));
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for ord in &found.ords {
            let own = words_of(&index.doc(*ord).source["tags"]);
            for word in own.into_iter().collect::<BTreeSet<_>>() {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut expected: Vec<(String, u64)> = counts.into_iter().collect();
        // Stable: words of as many documents stay in their own order.
        expected.sort_by_key(|(_, count)| Reverse(*count));
        for size in [0, 1, 10, 300, 2000] {
            let answer = index.search(json!({
                "mode": "text", "query": query, "size": 0, "facets": [{ "field": "tags", "size": size }]
            }));
            let facets: Value = serde_json::from_str(answer.facets.as_ref().unwrap()).unwrap();
            let shown: Vec<Value> = expected
                .iter()
                .take(size)
                .map(|(value, count)| json!({ "value": value, "count": count }))
                .collect();
            assert_eq!(facets["tags"]["values"], json!(shown), "{query} {size}");
        }
    }
}

#[test]
fn a_page_of_a_long_sorted_list_is_a_part_of_all_of_it() {
    let index = index(true);
    let key = |field: &str, down: bool| json!({ "field": field, "descending": down });
    let orders = [
        json!([key("price", false)]),
        json!([key("price", true), key("tags", false)]),
        json!([key("tags", true)]),
        json!([key("open", false), key("year", true), key("_score", false)]),
        json!([key("more.code", false)]),
        json!([key("nowhere", true), key("created", true)]),
    ];
    for order in orders {
        for query in ["", "amber basil"] {
            let request = json!({ "mode": "text", "query": query, "sort": order });
            let mut whole = request.clone();
            whole["size"] = json!(10_000);
            let whole = index.search(whole);
            assert!(whole.ords.len() > 1000);
            for (from, size) in [(0, 1), (0, 10), (3, 200), (900, 50), (0, 0)] {
                let mut page = request.clone();
                page["from"] = json!(from);
                page["size"] = json!(size);
                let page = index.search(page);
                assert_eq!(page.ords, whole.ords[from..from + size], "{order} {from}");
                assert_eq!(page.total, whole.total);
                assert_eq!(page.next.is_some(), size > 0);
            }
            // What follows a page goes on behind it.
            let (mut after, mut walked) = (None::<String>, Vec::new());
            for _ in 0..4 {
                let mut page = request.clone();
                page["size"] = json!(70);
                if let Some(after) = &after {
                    page["after"] = json!(after);
                }
                let page = index.search(page);
                walked.extend(page.ords);
                after = page.next;
            }
            assert_eq!(walked, whole.ords[..280], "{order}");
        }
    }
}

#[test]
fn of_many_completions_those_of_most_documents_are_shown() {
    for with_deletes in [false, true] {
        let index = index(with_deletes);
        for prefix in ["x", "x1", "x29", "x299", "x9999"] {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for doc in &index.documents {
                let own: BTreeSet<String> = words_of(&doc.source["notes"]).into_iter().collect();
                for word in own.into_iter().filter(|word| word.starts_with(prefix)) {
                    *counts.entry(word).or_default() += 1;
                }
            }
            let mut expected: Vec<(String, u64)> = counts.into_iter().collect();
            expected.sort_by_key(|(_, count)| Reverse(*count));
            for limit in [1, 10, 100] {
                let request = json!({ "prefix": prefix, "limit": limit }).to_string();
                let request = suggest::Request::parse(&request).unwrap();
                let found = suggest::suggest(&[(7, index.view())], &request, &|_, ord, look| {
                    index.read(ord, look)
                })
                .unwrap();
                let found: Value = serde_json::from_str(&found).unwrap();
                let shown = expected.iter().take(limit);
                let shown =
                    shown.map(|(text, documents)| json!({ "text": text, "documents": documents }));
                let shown: Vec<Value> = shown.collect();
                assert_eq!(
                    found["completions"],
                    json!(shown),
                    "{prefix} {limit} {with_deletes}"
                );
            }
        }
    }
}

#[test]
fn a_facet_of_many_numbers_or_dates_shows_those_of_most_documents() {
    let index = index(true);
    let less = |a: &Value, b: &Value| match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => !a & b,
        (Value::String(a), Value::String(b)) => a < b,
        (a, b) => a.as_f64() < b.as_f64(),
    };
    for field in ["price", "year", "open", "created", "more.size", "more.code"] {
        let facet = |size: usize| -> Vec<Value> {
            let answer = index.search(json!({
                "mode": "text", "query": "amber", "size": 0,
                "facets": [{ "field": field, "size": size }]
            }));
            let facets: Value = serde_json::from_str(answer.facets.as_ref().unwrap()).unwrap();
            facets[field]["values"].as_array().unwrap().clone()
        };
        let all = facet(100_000);
        for pair in all.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let (most, next) = (a["count"].as_u64(), b["count"].as_u64());
            // Words may be dates, which are shown as they are written and stand in their own order.
            let is_in_order = field == "more.code" || less(&a["value"], &b["value"]);
            assert!(
                most > next || (most == next && is_in_order),
                "{field} {a} {b}"
            );
        }
        for size in [1, 2, 10, 300] {
            assert_eq!(facet(size), all[..size.min(all.len())], "{field} {size}");
        }
    }
}

#[test]
fn ranges_that_overlap_count_each_document_once_in_each_of_them() {
    let mut index = index(true);
    let documents = (90_000..90_040).map(|ord| {
        let mut random = Random(ord);
        let mut doc = reference::document(&mut random, ord);
        let some: Vec<f64> = (0..3).map(|_| random.below(2000) as f64 / 4.0).collect();
        doc.source["price"] = json!(some);
        doc
    });
    index.change(documents.collect(), &[]);
    let bounds = [
        (0, 500),
        (100, 101),
        (100, 400),
        (250, 250),
        (300, 200),
        (499, 9000),
    ];
    let mut ranges: Vec<Value> = bounds
        .iter()
        .map(|(from, to)| json!({ "from": from, "to": to }))
        .collect();
    ranges.extend([
        json!({ "to": 100 }),
        json!({ "from": 400 }),
        json!({ "from": 12.5, "to": 12.75 }),
    ]);
    let answer = index.search(json!({
        "mode": "text", "query": "", "facets": [{ "field": "price", "ranges": ranges }]
    }));
    let facets: Value = serde_json::from_str(answer.facets.as_ref().unwrap()).unwrap();
    for (range, counted) in ranges
        .iter()
        .zip(facets["price"]["ranges"].as_array().unwrap())
    {
        let inside = |price: &Value| {
            let price = price.as_f64().unwrap();
            let from = range["from"].as_f64().unwrap_or(f64::MIN);
            from <= price && price < range["to"].as_f64().unwrap_or(f64::MAX)
        };
        let expected = index
            .documents
            .iter()
            .filter(|doc| match &doc.source["price"] {
                Value::Array(prices) => prices.iter().any(inside),
                Value::Null => false,
                price => inside(price),
            });
        assert_eq!(counted["count"], json!(expected.count()), "{range}");
    }
}

#[test]
fn a_phrase_whose_last_word_is_open_is_found_wherever_words_go_on_so() {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(5);
    for from in [1, 1000, 1100] {
        let documents = (from..from + 900).map(|ord| {
            let mut doc = reference::document(&mut random, ord);
            let words = (0..random.below(12))
                .map(|_| format!("x{}", random.below(90).min(random.below(120))));
            doc.source["content"] = json!(words.collect::<Vec<_>>().join(" "));
            doc
        });
        let documents = documents.filter(|doc| index.documents.iter().all(|d| d.ord != doc.ord));
        let documents = documents.collect();
        index.change(documents, &[from + 7, from + 8, from + 500]);
    }
    for query in ["x", "x1", "x77", "x3 x", "x80 x", "x0 x1", "x2 x5 x"] {
        let words: Vec<&str> = query.split(' ').collect();
        let (open, closed) = words.split_last().unwrap();
        let is_said = |row: &[&str]| {
            let (last, before) = row.split_last().unwrap();
            before == closed && last.starts_with(open)
        };
        let has = |doc: &reference::Doc| {
            let own: Vec<&str> = doc.text("content").split(' ').collect();
            own.windows(words.len()).any(is_said)
        };
        let documents = index.documents.iter().filter(|doc| has(doc));
        let mut expected: Vec<u64> = documents.map(|doc| doc.ord).collect();
        expected.sort_unstable();
        let mut found = index.search(json!({
            "mode": "text", "query": query, "phrase": true, "prefix": true, "size": 10_000
        }));
        found.ords.sort_unstable();
        assert_eq!(found.ords, expected, "{query}");
        assert!(words.len() > 2 || !expected.is_empty(), "{query}");
    }
}

/// Documents in three segments, each of nearly all of these words.
fn wordy(words: &[String]) -> Index {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(5);
    for ends in [1, 1500, 1510, DOCUMENTS].windows(2) {
        let documents = (ends[0]..ends[1]).map(|ord| {
            let mut doc = reference::document(&mut random, ord);
            let own = words
                .iter()
                .zip(0..)
                .filter(|(_, number)| (ord + number) % 17 > 0);
            let own: Vec<&str> = own.map(|(word, _)| word.as_str()).collect();
            let again = own[..ord as usize % 5].join(" ");
            doc.source["content"] = json!(format!("{} {again}", own.join(" ")));
            doc
        });
        index.change(documents.collect(), &[ends[0] + 1]);
    }
    index
}

#[test]
fn scores_of_more_words_than_are_added_up_at_once_are_what_their_reasons_add_up_to() {
    let words: Vec<String> = (0..80).map(|number| format!("w{number}")).collect();
    let index = wordy(&words);
    for query in [words.join(" "), words[..9].join(" ")] {
        let request = json!({ "mode": "text", "query": query, "explain": true, "size": 500 });
        let answer = index.search(request.clone());
        assert_eq!(answer.total as usize, index.documents.len(), "{query}");
        let reasons = answer.explain.as_ref().unwrap();
        assert_eq!(reasons.len(), 500);
        for (reasons, score) in reasons.iter().zip(&answer.scores) {
            let reasons: Value = serde_json::from_str(reasons).unwrap();
            let sum = reasons["text"]["score"].as_f64().unwrap();
            assert!(reference::close(sum, *score), "{sum} is not {score}");
        }
        // With features, sums are kept that are let go of otherwise; a list of all needs no short one.
        for more in [json!({ "features": true }), json!({ "minScore": 0.001 })] {
            let mut request = request.clone();
            request["explain"] = json!(false);
            for (key, value) in more.as_object().unwrap() {
                request[key] = value.clone();
            }
            let other = index.search(request);
            assert_eq!(other.total, answer.total);
            assert_eq!(other.ords, answer.ords);
            assert_eq!(other.scores, answer.scores);
        }
    }
}
