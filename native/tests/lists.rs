//! Filters, orders, pages and facets against a recount of the documents.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::reference::{self, close, Doc, Index, Random, DIMENSIONS};
use crate::support::processor_time;
use attune_native::failure::Failure;
use attune_native::search::answer::Answer;
use attune_native::search::highlight::{highlight, HighlightRequest};
use attune_native::search::query::Request;
use attune_native::search::suggest;
use attune_native::search::text::words::{self, Shared, Word};
use serde_json::{json, Value};

fn values(doc: &Doc, field: &str) -> Vec<Value> {
    let field = if field == "title.exact" {
        "title"
    } else {
        field
    };
    let found = field.split('.').fold(&doc.source, |value, key| &value[key]);
    match found {
        Value::Null => Vec::new(),
        Value::Array(items) => items.clone(),
        value => vec![value.clone()],
    }
}

/// −1, 0, 1 between a document's value and a filter's, for values that the tests use.
fn compare(own: &Value, other: &Value) -> Option<Ordering> {
    match (own, other) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        // All dates of the tests are written alike up to the day.
        (Value::String(a), Value::String(b)) if a.starts_with("2024") => {
            let length = a.len().min(b.len());
            Some(a[..length].cmp(&b[..length]).then(a.len().cmp(&b.len())))
        }
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn passes(doc: &Doc, node: &Value) -> bool {
    let list = |key: &str| node[key].as_array().cloned();
    if let Some(parts) = list("and") {
        return parts.iter().all(|part| passes(doc, part));
    }
    if let Some(parts) = list("or") {
        return parts.iter().any(|part| passes(doc, part));
    }
    if !node["not"].is_null() {
        return !passes(doc, &node["not"]);
    }
    if let Some(ords) = list("ords") {
        return ords.contains(&json!(doc.ord));
    }
    let own = values(doc, node["field"].as_str().unwrap());
    if let Some(wanted) = list("any") {
        let equal = |a: &Value| {
            wanted
                .iter()
                .any(|b| compare(a, b) == Some(Ordering::Equal))
        };
        return own.iter().any(equal);
    }
    if node["exists"] == json!(true) {
        return !own.is_empty();
    }
    let holds = |value: &Value, key: &str, allowed: &[Ordering]| {
        node[key].is_null() || compare(value, &node[key]).is_some_and(|o| allowed.contains(&o))
    };
    // Each bound may be met by another value of a field with several.
    [
        ("gt", &[Ordering::Greater][..]),
        ("gte", &[Ordering::Greater, Ordering::Equal]),
        ("lt", &[Ordering::Less]),
        ("lte", &[Ordering::Less, Ordering::Equal]),
    ]
    .iter()
    .all(|(key, allowed)| node[*key].is_null() || own.iter().any(|v| holds(v, key, allowed)))
}

fn leaf(random: &mut Random) -> Value {
    let colors = ["red", "green", "blue", "white", "none"];
    let color = colors[random.below(5)];
    let day = format!(
        "2024-{:02}-{:02}",
        1 + random.below(12),
        1 + random.below(28)
    );
    match random.below(14) {
        0 => json!({ "field": "tags", "any": [color] }),
        1 => json!({ "field": "tags", "any": [color, colors[random.below(5)]] }),
        2 => json!({ "field": "year", "any": [1990 + random.below(14)] }),
        3 => json!({ "field": "year", "gte": 1992 + random.below(5), "lt": 1999.5 }),
        4 => json!({ "field": "price", "gt": random.below(100) as f64 / 2.0 }),
        5 => json!({ "field": "open", "any": [random.below(2) == 0] }),
        6 => json!({ "field": "created", "gte": format!("{day}T00:00:00.000Z") }),
        7 => json!({ "field": "more.color", "any": [color] }),
        8 => json!({ "field": "more.size", "lte": random.below(9) }),
        9 => json!({ "field": "seen", "lt": day }),
        10 => json!({ "field": "created", "exists": true }),
        11 => json!({ "field": "nowhere", "any": [color, 3] }),
        // Those of a random index lie from a thousand times its seed on, with gaps.
        12 => {
            let from = 1000 * (1 + random.below(4)) + random.below(300);
            json!({ "ords": (from..from + random.below(40)).collect::<Vec<_>>() })
        }
        _ => json!({ "field": "more.size", "any": [1, 2, 3] }),
    }
}

fn node(random: &mut Random, depth: usize) -> Value {
    if depth == 0 {
        return leaf(random);
    }
    let parts = |random: &mut Random| -> Vec<Value> {
        let count = 1 + random.below(3);
        (0..count).map(|_| node(random, depth - 1)).collect()
    };
    match random.below(4) {
        0 => json!({ "and": parts(random) }),
        1 => json!({ "or": parts(random) }),
        2 => json!({ "not": node(random, depth - 1) }),
        _ => leaf(random),
    }
}

fn sorted(mut ords: Vec<u64>) -> Vec<u64> {
    ords.sort_unstable();
    ords
}

#[test]
fn filters_keep_exactly_the_documents_that_fulfil_them() {
    for seed in 1..5 {
        let index = Index::random(seed, 4, 50);
        let mut random = Random(seed * 31);
        for round in 0..60 {
            let filter = node(&mut random, 1 + round % 3);
            let answer = index.search(json!({
                "mode": "text", "query": "", "size": 1000, "filter": filter
            }));
            let passing = index.documents.iter().filter(|doc| passes(doc, &filter));
            let expected: Vec<u64> = passing.map(|doc| doc.ord).collect();
            assert_eq!(
                sorted(answer.ords),
                sorted(expected),
                "seed {seed}: {filter}"
            );
        }
    }
}

#[test]
fn values_are_read_in_the_type_of_the_field() {
    let index = Index::random(7, 2, 60);
    let count = |filter: Value| {
        index
            .search(json!({ "mode": "text", "filter": filter, "size": 0 }))
            .total
    };
    let number = count(json!({ "field": "year", "any": [1995] }));
    assert!(number > 0);
    assert_eq!(count(json!({ "field": "year", "any": ["1995"] })), number);
    assert_eq!(
        count(json!({ "field": "year", "any": [1995.5, "soon"] })),
        0
    );
    let open = count(json!({ "field": "open", "any": [true] }));
    assert_eq!(count(json!({ "field": "open", "any": ["true"] })), open);
    // A day as text, as an instant in another zone, and as milliseconds.
    let iso = count(json!({ "field": "created", "lt": "2024-06-01T00:00:00Z" }));
    assert!(iso > 0);
    assert_eq!(
        count(json!({ "field": "created", "lt": "2024-06-01T02:00:00+02:00" })),
        iso
    );
    assert_eq!(
        count(json!({ "field": "created", "lt": 1_717_200_000_000u64 })),
        iso
    );
    let first = index.documents[0].text("title").to_owned();
    let exact = count(json!({ "field": "title", "any": [first.as_str()] }));
    assert_eq!(
        count(json!({ "field": "title.exact", "any": [first.as_str()] })),
        exact
    );
    // Text without a keyword field: all of its terms.
    let doc = &index.documents[0];
    let words: BTreeSet<&str> = doc.text("content").split(' ').collect();
    let found = index.documents.iter().filter(|d| {
        let own: BTreeSet<&str> = d.text("content").split(' ').collect();
        words.is_subset(&own)
    });
    let content = json!({ "field": "content", "any": [doc.text("content")] });
    assert_eq!(count(content), found.count() as u64);
}

#[test]
fn a_value_outside_of_all_values_of_a_segment_is_not_found() {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(3);
    let mut docs: Vec<Doc> = (1..4)
        .map(|ord| reference::document(&mut random, ord))
        .collect();
    for (doc, year) in docs.iter_mut().zip([1995, 1995, 1999]) {
        doc.source["year"] = json!(year);
    }
    index.change(docs, &[]);
    let count = |filter: Value| {
        index
            .search(json!({ "mode": "text", "filter": filter, "size": 0 }))
            .total
    };
    assert_eq!(count(json!({ "field": "year", "any": [1990] })), 0);
    assert_eq!(count(json!({ "field": "year", "lt": 1995 })), 0);
    assert_eq!(count(json!({ "field": "year", "gt": 1999 })), 0);
    assert_eq!(count(json!({ "field": "year", "any": [2005] })), 0);
    assert_eq!(count(json!({ "field": "year", "lte": 1995 })), 2);
    let many: Vec<u32> = (1900..1996).collect();
    assert_eq!(count(json!({ "field": "year", "any": many })), 2);
}

#[test]
fn many_values_of_a_filter_find_what_each_of_them_finds() {
    let mut index = Index::new(&reference::definition());
    let mut random = Random(5);
    let word = |n: u64| match n % 7 {
        0 => json!(n),
        1 => json!(format!("2024-01-{:02}", 1 + n % 28)),
        _ => json!(format!("w{n}")),
    };
    let docs = (1..900).map(|ord| {
        let mut doc = reference::document(&mut random, ord);
        doc.source["code"] = json!([word(ord), word(ord * 31 % 900)]);
        doc
    });
    index.change(docs.collect(), &[]);
    let found = |values: &[Value]| {
        let filter = json!({ "field": "code", "any": values });
        let all = json!({ "mode": "text", "query": "", "size": 1000, "filter": filter });
        sorted(index.search(all).ords)
    };
    // Before the first word, between some and behind the last: many are met in the order of the dictionary, few looked up.
    let mut values: Vec<Value> = (0..300).map(|n| word(n * 5)).collect();
    values.extend(["", "v", "w5x", "zz", "14", "2024-01-05T00:00:00Z"].map(Value::from));
    let each = values
        .iter()
        .flat_map(|value| found(std::slice::from_ref(value)));
    let each: BTreeSet<u64> = each.collect();
    assert!(each.len() > 300);
    assert_eq!(found(&values), Vec::from_iter(each));
    assert_eq!(found(&values[300..304]), [] as [u64; 0]);
}

/// The list of all hits, page by page with `from`, and hit by hit with the cursor.
fn walk(index: &Index, request: &Value, vector: Option<&[f32]>, size: usize) -> [Vec<u64>; 2] {
    let mut by_from = Vec::new();
    loop {
        let mut page = request.clone();
        page["from"] = json!(by_from.len());
        page["size"] = json!(size);
        let answer = index.search_near(page, vector);
        let more = answer.next.is_some();
        assert_eq!(
            more,
            by_from.len() + answer.ords.len() < answer.total as usize
        );
        by_from.extend(&answer.ords);
        if !more {
            break;
        }
    }
    let mut by_cursor = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut page = request.clone();
        page["size"] = json!(size);
        if let Some(after) = &after {
            page["after"] = json!(after);
        }
        let answer = index.search_near(page, vector);
        by_cursor.extend(&answer.ords);
        after = answer.next;
        if after.is_none() {
            break;
        }
    }
    [by_from, by_cursor]
}

#[test]
fn pages_of_any_order_hold_every_match_once() {
    let index = Index::random(11, 5, 40);
    let vector: Vec<f32> = vec![0.4, -0.5, 0.25, 0.9, 0.3, -1.0, 0.8, 0.1];
    let key = |field: &str, down: bool| json!({ "field": field, "descending": down });
    let orders = [
        json!([]),
        json!([key("_score", true)]),
        json!([key("_score", false)]),
        json!([key("year", false)]),
        json!([key("year", true), key("price", false)]),
        json!([key("tags", true)]),
        json!([key("tags", false), key("_score", true)]),
        json!([key("created", true)]),
        json!([key("open", false), key("title", true)]),
        json!([key("more.color", false), key("more.size", true)]),
        json!([key("seen", true)]),
        json!([key("nowhere", true)]),
    ];
    for mode in ["text", "hybrid"] {
        for order in &orders {
            let request = json!({ "mode": mode, "query": "amber basil cedar", "sort": order });
            let mut whole = request.clone();
            whole["size"] = json!(1000);
            let whole = index.search_near(whole, Some(&vector));
            assert_eq!(whole.total as usize, whole.ords.len());
            let once: BTreeSet<u64> = whole.ords.iter().copied().collect();
            assert_eq!(once.len(), whole.ords.len());
            for pages in walk(&index, &request, Some(&vector), 7) {
                assert_eq!(pages, whole.ords, "{mode} by {order}");
            }
        }
    }
}

#[test]
fn sorting_puts_missing_values_last_and_takes_the_least_or_greatest_of_several() {
    let index = Index::random(12, 4, 40);
    for (field, down) in [
        ("year", false),
        ("year", true),
        ("tags", false),
        ("tags", true),
    ] {
        let answer = index.search(json!({
            "mode": "text", "size": 1000, "sort": [{ "field": field, "descending": down }]
        }));
        let mut expected: Vec<&Doc> = index.documents.iter().collect();
        let key = |doc: &Doc| {
            let mut own = values(doc, field);
            own.sort_by(|a, b| compare(a, b).unwrap());
            if down {
                own.pop()
            } else {
                own.into_iter().next()
            }
        };
        expected.sort_by(|a, b| {
            let order = match (key(a), key(b)) {
                (None, None) => Ordering::Equal,
                (None, _) => Ordering::Greater,
                (_, None) => Ordering::Less,
                (Some(a), Some(b)) if down => compare(&b, &a).unwrap(),
                (Some(a), Some(b)) => compare(&a, &b).unwrap(),
            };
            order.then(a.ord.cmp(&b.ord))
        });
        let expected: Vec<u64> = expected.iter().map(|doc| doc.ord).collect();
        assert_eq!(answer.ords, expected, "{field}");
    }
}

#[test]
fn a_foreign_or_broken_position_is_a_bad_request() {
    let index = Index::random(13, 1, 20);
    let fail = |after: &str| -> Failure {
        let request = json!({ "mode": "text", "after": after }).to_string();
        let views = [(7, index.view())];
        attune_native::search::search(&views, &Request::parse(&request).unwrap(), None).unwrap_err()
    };
    let page = index.search(json!({ "mode": "text", "size": 3 }));
    let foreign = page.next.unwrap().replace("\"i\":7", "\"i\":8");
    for after in ["", "?", "{}", foreign.as_str()] {
        assert_eq!(fail(after).code.word(), "BAD_REQUEST", "{after}");
    }
}

fn recount(docs: &[&Doc], field: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for doc in docs {
        let own: BTreeSet<String> = values(doc, field).iter().map(Value::to_string).collect();
        for value in own {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts
}

fn facets_of(answer: &Answer) -> Value {
    serde_json::from_str(answer.facets.as_ref().unwrap()).unwrap()
}

#[test]
fn facets_count_exactly_the_match_set() {
    let fields = [
        "tags",
        "year",
        "price",
        "open",
        "created",
        "more.color",
        "more.size",
        "title",
    ];
    for seed in 21..25 {
        let index = Index::random(seed, 4, 50);
        let mut random = Random(seed);
        for mode in ["text", "hybrid", "vector"] {
            let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit()).collect();
            let facets: Vec<Value> = fields
                .iter()
                .map(|field| json!({ "field": field, "size": 500 }))
                .collect();
            let request = json!({
                "mode": mode, "query": random.words(3), "size": 1000, "facets": facets,
                "filter": leaf(&mut random)
            });
            let answer = index.search_near(request.clone(), Some(&vector));
            let docs: Vec<&Doc> = answer.ords.iter().map(|ord| index.doc(*ord)).collect();
            let found = facets_of(&answer);
            for field in fields {
                let list = found[field]["values"].as_array().unwrap();
                let counts = list
                    .iter()
                    .map(|entry| (entry["value"].to_string(), entry["count"].as_u64().unwrap()));
                let numbers = field == "price";
                let expected = recount(&docs, field);
                if numbers {
                    // 2.0 and 2 are one number.
                    let sum: u64 = counts.map(|pair| pair.1).sum();
                    assert_eq!(sum, expected.values().sum::<u64>(), "{field}");
                } else {
                    assert_eq!(
                        counts.collect::<BTreeMap<_, _>>(),
                        expected,
                        "{field} {request}"
                    );
                }
                for pair in list.windows(2) {
                    let (a, b) = (pair[0]["count"].as_u64(), pair[1]["count"].as_u64());
                    assert!(a >= b, "{field} is not in order");
                }
            }
            // A page does not change what is counted.
            let mut page = request.clone();
            page["size"] = json!(1);
            assert_eq!(facets_of(&index.search_near(page, Some(&vector))), found);
        }
    }
}

#[test]
fn ranges_and_statistics_are_counted_too() {
    let index = Index::random(26, 4, 50);
    let answer = index.search(json!({
        "mode": "text", "query": "amber basil", "size": 1000,
        "facets": [
            { "field": "price", "size": 0, "stats": true, "ranges": [
                { "to": 20 }, { "from": 20, "to": 60.5, "key": "middle" }, { "from": 60.5 }] },
            { "field": "created", "size": 2, "ranges": [
                { "from": "2024-03-01", "to": "2024-07-01T00:00:00Z" }] },
            { "field": "seen", "ranges": [{ "from": "2024-03-01", "to": "2024-07-01" }] },
            { "field": "nowhere", "stats": true }
        ]
    }));
    let found = facets_of(&answer);
    let docs: Vec<&Doc> = answer.ords.iter().map(|ord| index.doc(*ord)).collect();
    let prices: Vec<f64> = docs
        .iter()
        .filter_map(|d| d.source["price"].as_f64())
        .collect();
    let within = |from: f64, to: f64| {
        json!(prices
            .iter()
            .filter(|price| **price >= from && **price < to)
            .count())
    };
    let ranges = &found["price"]["ranges"];
    assert_eq!(
        ranges[0],
        json!({ "key": "-20", "to": 20, "count": within(f64::MIN, 20.0) })
    );
    assert_eq!(ranges[1]["key"], "middle");
    assert_eq!(ranges[1]["count"], within(20.0, 60.5));
    assert_eq!(ranges[2]["key"], "60.5-");
    assert_eq!(ranges[2]["count"], within(60.5, f64::MAX));
    let stats = &found["price"]["stats"];
    let sum: f64 = prices.iter().sum();
    assert_eq!(stats["count"], json!(prices.len()));
    assert!(close(stats["sum"].as_f64().unwrap(), sum));
    assert!(close(
        stats["avg"].as_f64().unwrap(),
        sum / prices.len() as f64
    ));
    let least = prices.iter().copied().fold(f64::MAX, f64::min);
    assert_eq!(stats["min"].as_f64(), Some(least));
    let spring = docs.iter().filter(|d| {
        let day = d.text("seen");
        ("2024-03-01".."2024-07-01").contains(&day)
    });
    let spring = json!(spring.count());
    assert_eq!(found["created"]["ranges"][0]["count"], spring);
    assert_eq!(found["seen"]["ranges"][0]["count"], spring);
    assert_eq!(found["nowhere"]["values"], json!([]));
    assert_eq!(found["nowhere"]["stats"]["count"], 0);
}

#[test]
fn facets_of_more_documents_than_are_read_at_a_time_are_those_of_all() {
    let mut random = Random(33);
    let mut index = Index::new(&reference::definition());
    for commit in 0..2 {
        let ords = 1 + commit * 1000..1 + commit * 1000 + 700;
        let docs = ords.map(|ord| {
            let mut doc = reference::document(&mut random, ord);
            let size = random.below(9);
            // A list that says a value twice, across the border of what is read at a time, too.
            doc.source["sizes"] = json!([size, size + 1, size]);
            doc
        });
        let docs: Vec<Doc> = docs.collect();
        let deletes: Vec<u64> = (1..700).step_by(13).map(|n| n + commit * 7).collect();
        index.change(docs, if commit > 0 { &deletes } else { &[] });
    }
    let middle = json!([{ "from": 3, "to": 6 }, { "from": 1993, "to": 1997 }]);
    let numbers = ["sizes", "year", "more.size"];
    let facets = ["tags", "open", "created", "more.color"]
        .map(|field| json!({ "field": field, "size": 500 }));
    let ranged = numbers
        .map(|field| json!({ "field": field, "size": 500, "ranges": middle, "stats": true }));
    let facets: Vec<Value> = facets.into_iter().chain(ranged).collect();
    let answer = index.search(json!({ "mode": "text", "query": "", "facets": facets }));
    let docs: Vec<&Doc> = index.documents.iter().collect();
    let found = facets_of(&answer);
    for facet in &facets {
        let field = facet["field"].as_str().unwrap();
        let list = found[field]["values"].as_array().unwrap().iter();
        let counts = list.map(|one| (one["value"].to_string(), one["count"].as_u64().unwrap()));
        let expected = recount(&docs, field);
        assert_eq!(counts.collect::<BTreeMap<_, _>>(), expected, "{field}");
    }
    for field in numbers {
        let of = |doc: &&&Doc| -> Vec<f64> {
            values(doc, field)
                .iter()
                .filter_map(Value::as_f64)
                .collect()
        };
        for (at, (from, to)) in [(3.0, 6.0), (1993.0, 1997.0)].into_iter().enumerate() {
            let within = docs
                .iter()
                .filter(|doc| of(doc).iter().any(|v| (from..to).contains(v)));
            assert_eq!(
                found[field]["ranges"][at]["count"],
                json!(within.count()),
                "{field}"
            );
        }
        let all: Vec<f64> = docs.iter().flat_map(|doc| of(&doc)).collect();
        assert_eq!(found[field]["stats"]["count"], json!(all.len()));
        assert_eq!(
            found[field]["stats"]["sum"].as_f64(),
            Some(all.iter().sum())
        );
    }
}

#[test]
fn text_that_is_only_analysed_can_be_neither_counted_nor_sorted() {
    let index = Index::random(27, 1, 10);
    for request in [
        json!({ "mode": "text", "facets": [{ "field": "content" }] }),
        json!({ "mode": "text", "sort": [{ "field": "content" }] }),
    ] {
        let request = Request::parse(&request.to_string()).unwrap();
        let failure =
            attune_native::search::search(&[(7, index.view())], &request, None).unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST");
    }
}

#[test]
fn passages_mark_the_words_that_were_searched() {
    let index = Index::random(28, 1, 10);
    let request = json!({
        "mode": "hybrid", "query": "\"amber stone\" car vio", "prefix": true,
        "highlight": { "pre": "[", "post": "]" }
    });
    let request = HighlightRequest::parse(&request.to_string()).unwrap();
    let documents = [
        json!({ "title": "A Violet <Amber> & Stone", "content": ["none", "an amber"],
                "notes": "automobiles", "tags": ["amber"] })
        .to_string(),
        json!({ "title": "nothing" }).to_string(),
    ];
    let found = highlight(&index.view(), &request, &documents).unwrap();
    let first: Value = serde_json::from_str(&found[0]).unwrap();
    assert_eq!(
        first["title"],
        json!(["A [Violet] &lt;[Amber]&gt; &amp; [Stone]"])
    );
    assert!(first["content"].is_null(), "no phrase stands there");
    assert_eq!(first["notes"], json!(["[automobiles]"]));
    assert!(first["tags"].is_null());
    assert_eq!(found[1], "{}");
}

#[test]
fn a_long_phrase_of_one_word_is_found_and_marked_in_a_long_text_of_it() {
    let mut index = Index::new(&reference::definition());
    let mut doc = reference::document(&mut Random(1), 1);
    doc.source["content"] = json!("echo ".repeat(100_000));
    index.change(vec![doc.clone()], &[]);
    let phrase = format!("\"{}\"", "echo ".repeat(800));
    let request = json!({ "mode": "text", "query": phrase, "fields": { "content": 1 } });
    let began = processor_time();
    for slop in [0, 100] {
        let mut request = request.clone();
        request["slop"] = json!(slop);
        assert_eq!(index.search(request).total, 1);
    }
    let request = HighlightRequest::parse(&request.to_string()).unwrap();
    let found = highlight(&index.view(), &request, &[doc.source.to_string()]).unwrap();
    assert!(found[0].contains("<em>echo</em> <em>echo</em>"));
    let took = processor_time() - began;
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn words_are_completed_and_corrected_by_what_live_documents_hold() {
    let mut index = Index::random(29, 2, 40);
    let mut random = Random(1);
    let mut doc = reference::document(&mut random, 99_000);
    doc.source["title"] = json!("ambergris zebra");
    index.change(vec![doc], &[]);
    let ask = |index: &Index, request: Value| -> Value {
        let request = suggest::Request::parse(&request.to_string()).unwrap();
        let text = suggest::suggest(&[(7, index.view())], &request, &|_, ord, look| {
            index.read(ord, look)
        })
        .unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let found = ask(&index, json!({ "prefix": "Jade amb" }));
    let texts: Vec<&str> = found["completions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Jade amber", "Jade ambergris"]);
    let with_amber = index.documents.iter().filter(|d| {
        let both = format!("{} {}", d.text("title"), d.text("content"));
        both.split(' ').any(|word| word == "amber")
    });
    assert_eq!(
        found["completions"][0]["documents"],
        json!(with_amber.count())
    );
    let found = ask(&index, json!({ "query": "amber qaurtz" }));
    assert_eq!(found["corrections"][0]["text"], "amber quartz");
    assert_eq!(found["corrections"][0]["distance"], 1);
    assert_eq!(
        ask(&index, json!({ "query": "amber" }))["corrections"],
        json!([])
    );
    index.change(Vec::new(), &[99_000]);
    // Beside deleted ones, the live ones alone are counted.
    let found = ask(&index, json!({ "prefix": "jad" }));
    let with_jade = index.documents.iter().filter(|d| {
        let both = format!("{} {}", d.text("title"), d.text("content"));
        both.split(' ').any(|word| word == "jade")
    });
    assert_eq!(
        found["completions"][0]["documents"],
        json!(with_jade.count())
    );
    assert_eq!(
        ask(&index, json!({ "prefix": "zeb" }))["completions"],
        json!([])
    );
}

#[test]
fn completions_that_stand_beside_the_words_before_come_first() {
    let mut index = Index::random(31, 2, 40);
    let mut random = Random(1);
    let titles = [
        "water bottle",
        "ambergris",
        "box",
        "box",
        "box and water",
        "bone",
    ];
    let numbered = (99_000..).zip(titles);
    let docs = numbered.map(|(ord, title)| {
        let mut doc = reference::document(&mut random, ord);
        doc.source["title"] = json!(format!("{title} zq"));
        doc
    });
    index.change(docs.collect(), &[]);
    let completed = |index: &Index, prefix: &str| -> Vec<String> {
        let request = suggest::Request::parse(&json!({ "prefix": prefix }).to_string()).unwrap();
        let text = suggest::suggest(&[(7, index.view())], &request, &|_, ord, look| {
            index.read(ord, look)
        })
        .unwrap();
        let found: Value = serde_json::from_str(&text).unwrap();
        let completions = found["completions"].as_array().unwrap().iter();
        let texts = completions.map(|c| c["text"].as_str().unwrap().to_owned());
        texts
            .filter(|text| {
                ["bottle", "box", "bone"]
                    .iter()
                    .any(|word| text.ends_with(word))
            })
            .collect()
    };
    assert_eq!(completed(&index, "bo"), ["box", "bone", "bottle"]);
    // Others are no way to go on where some are; where none is, all of them may be meant.
    let beside_water = ["water box", "water bottle"];
    assert_eq!(completed(&index, "water bo"), beside_water);
    let beside_none = ["ambergris box", "ambergris bone", "ambergris bottle"];
    assert_eq!(completed(&index, "ambergris bo"), beside_none);
    // A word that no document has tells nothing.
    let unknown = ["Qqq box", "Qqq bone", "Qqq bottle"];
    assert_eq!(completed(&index, "Qqq bo"), unknown);
    // What was deleted stands beside nothing.
    index.change(Vec::new(), &[99_000]);
    assert_eq!(completed(&index, "water bo"), ["water box"]);
    // That nobody looked is not that there is none.
    let word = |text: &str| Word {
        text: text.to_owned(),
        documents: 3,
        distance: 0,
    };
    let beside = |steps| {
        let words = [word("box"), word("bone")];
        let company = words::beside(&index.view(), &["water", "ambergris"], &words, steps).unwrap();
        let shared = company.shared.into_iter();
        shared
            .map(|shared| shared.map(|Shared { all, each }| (all, each)))
            .collect::<Vec<_>>()
    };
    assert_eq!(beside(5), [Some((0, vec![1, 0])), None]);
    assert_eq!(beside(6), [Some((0, vec![1, 0])), Some((0, vec![0, 0]))]);
}
