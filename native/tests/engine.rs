//! Writing, publishing and learning, seen through searches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::reference::Random;
use crate::support::*;
use attune_native::engine::definition::Definition;
use attune_native::engine::document::GRAMS_MAX;
use attune_native::engine::names::{self, Known};
use attune_native::engine::publish::generation_now;
use attune_native::engine::{Engine, IS_CUT};
use attune_native::failure::Failure;
use attune_native::registry;
use attune_native::search::query::Request;
use serde_json::{json, Value};

const ALL: &str = r#"{"query":"","mode":"text","size":1000}"#;

#[test]
fn nothing_is_visible_before_its_commit() {
    let folder = Folder::new();
    let engine = open(folder.path());
    assert_eq!(apply(&engine, 1..4, &[]), [1, 1, 1]);
    assert_eq!(search(&engine, ALL).total, 0);
    assert_eq!(engine.located(&[1, 2]), [0, 0]);
    let report = engine.commit(1).unwrap();
    assert_eq!((report.documents, report.vectors), (3, 3));
    assert_eq!(search(&engine, ALL).ords, [1, 2, 3]);
    assert_eq!(engine.located(&[1, 3, 4]), [3, 3, 0]);
}

#[test]
fn a_replacement_shows_as_one_step() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..3, &[]);
    engine.commit(1).unwrap();
    let before = engine.views.current();
    apply(&engine, 3..4, &[1]);
    engine.commit(2).unwrap();
    assert_eq!(search(&engine, ALL).ords, [2, 3]);
    assert_eq!(search_in(&before, ALL).ords, [1, 2]);
    assert_eq!(engine.located(&[1, 2, 3]), [0, 3, 3]);
}

#[test]
fn a_document_added_and_deleted_in_one_batch_is_gone() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..5, &[2]);
    engine.commit(1).unwrap();
    assert_eq!(search(&engine, ALL).ords, [1, 3, 4]);
    assert_eq!(engine.views.current().live_vectors, 3);
}

#[test]
fn a_document_of_too_many_pieces_of_words_is_found_by_the_first_ones() {
    let definition = r#"{"analyzers":{"pieces":{"tokenizer":{"type":"ngram","min":1,"max":20}},
        "words":{"tokenizer":"standard"}},
        "fields":[{"name":"code","type":"text","analyzer":"pieces","searchAnalyzer":"words","searched":true},
        {"name":"more","type":"text","analyzer":"pieces","searchAnalyzer":"words","searched":true},
        {"name":"title","type":"text","analyzer":"words","searched":true}],
        "embedder":{"kind":"given","dimensions":2}}"#;
    let folder = Folder::new();
    let engine = Engine::open(folder.path(), definition).unwrap().0;
    let long = "ab".repeat(GRAMS_MAX / 40 + 100);
    let documents = [
        json!({"code": format!("{long} tail"), "more": "tail", "title": "giant tale"}),
        json!({"code": "ab tail", "more": "tail", "title": "other"}),
    ];
    let documents = documents.map(|document| document.to_string());
    let flags = engine.apply(&[1, 2], &documents, &[], &[], &[]).unwrap();
    assert_eq!(flags, [IS_CUT, 0]);
    engine.commit(2).unwrap();
    let found = |query: &str| {
        let request = json!({"query": query, "mode": "text", "size": 10});
        let mut ords = search(&engine, &request.to_string()).ords;
        ords.sort_unstable();
        ords
    };
    assert_eq!(found("ab"), [1, 2]);
    assert_eq!(found("tail"), [2]);
    assert_eq!(found("giant"), [1]);
}

#[test]
fn an_empty_commit_only_moves_the_sequence() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..2, &[]);
    let first = engine.commit(1).unwrap();
    let second = engine.commit(9).unwrap();
    assert_eq!(first, second);
    assert_eq!(engine.checkpoint().unwrap().sequence, 9);
    engine.close();
    let (_, opened) = Engine::open(folder.path(), &definition()).unwrap();
    assert_eq!(opened.sequence, 9);
}

#[test]
fn a_bad_document_fails_the_batch_and_changes_nothing() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..2, &[]);
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let half = r#"{"a":"\ud800"}"#;
    let large = r#"{"a":1e999}"#;
    for bad in ["[1]", "{", "7", "", "{\"a\":1} x", half, large, &deep] {
        let documents = [document(2), bad.to_owned()];
        let failure = engine
            .apply(&[2, 3], &documents, &[1], &[], &[])
            .unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST", "{bad}");
    }
    engine.commit(1).unwrap();
    assert_eq!(search(&engine, ALL).ords, [1]);
}

#[test]
fn values_of_the_wrong_type_are_left_out_and_text_numbers_are_read() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let documents = [
        r#"{"title":"one","year":"1999","day":1700000000000,"shop":{"price":"2.5","open":"true"}}"#,
        r#"{"title":["two","zwei"],"year":3.7,"day":"soon","shop":[{"price":1},{"price":9}]}"#,
        r#"{"title":{"no":"text"},"shop.price":4,"tags":[["deep"],null,7]}"#,
    ]
    .map(str::to_owned);
    engine.apply(&[1, 2, 3], &documents, &[], &[], &[]).unwrap();
    engine.commit(1).unwrap();
    let ords = |filter: &str| {
        let request = format!(r#"{{"query":"","mode":"text","filter":{filter}}}"#);
        search(&engine, &request).ords
    };
    assert_eq!(ords(r#"{"field":"year","any":[1999]}"#), [1]);
    assert_eq!(ords(r#"{"field":"year","gt":0}"#), [1]);
    assert_eq!(ords(r#"{"field":"day","gte":"2023-11-14T22:13:20Z"}"#), [1]);
    assert_eq!(ords(r#"{"field":"price","gte":2.5}"#), [1, 2, 3]);
    assert_eq!(ords(r#"{"field":"price","lt":2}"#), [2]);
    assert_eq!(ords(r#"{"field":"open","any":[true]}"#), [1]);
    assert_eq!(ords(r#"{"field":"tags","any":["deep"]}"#), [3]);
    assert_eq!(ords(r#"{"field":"tags","any":["7"]}"#), [3]);
    assert_eq!(
        search(&engine, r#"{"query":"zwei","mode":"text"}"#).ords,
        [2]
    );
}

#[test]
fn unnamed_paths_are_found_by_value_number_and_date() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let documents = [
        r#"{"a":{"b":"red"},"n":3,"when":"2024-03-01","yes":true}"#,
        r#"{"a.b":"blue","n":[1,5.5],"when":"2024-05-01T10:00:00+02:00"}"#,
        r#"{"a":{"b":["red","green"]},"when":"never","empty":[]}"#,
    ]
    .map(str::to_owned);
    engine.apply(&[1, 2, 3], &documents, &[], &[], &[]).unwrap();
    engine.commit(1).unwrap();
    let ords = |filter: &str| {
        let request = format!(r#"{{"query":"","mode":"text","filter":{filter}}}"#);
        search(&engine, &request).ords
    };
    assert_eq!(ords(r#"{"field":"a.b","any":["red"]}"#), [1, 3]);
    assert_eq!(ords(r#"{"field":"a.b","any":["blue"]}"#), [2]);
    assert_eq!(ords(r#"{"field":"n","gt":2}"#), [1, 2]);
    assert_eq!(ords(r#"{"field":"n","any":[5.5]}"#), [2]);
    assert_eq!(ords(r#"{"field":"when","gt":"2024-04-01"}"#), [2]);
    assert_eq!(ords(r#"{"field":"when","any":["never"]}"#), [3]);
    assert_eq!(ords(r#"{"field":"yes","any":[true]}"#), [1]);
    assert_eq!(ords(r#"{"field":"a","exists":true}"#), [1, 2, 3]);
    assert_eq!(ords(r#"{"field":"n","exists":true}"#), [1, 2]);
    assert_eq!(
        ords(r#"{"field":"empty","exists":true}"#),
        Vec::<u64>::new()
    );
}

/// An index of documents with these values of a path that no mapping names, two in a commit: too
/// few commits for segments to be merged by themselves.
fn unmapped(folder: &Folder, values: &[&str]) -> Engine {
    let engine = open(folder.path());
    let mut ord = 0;
    for pair in values.chunks(2) {
        for value in pair {
            ord += 1;
            let document = format!(r#"{{"v":{value},"day":{value}}}"#);
            engine.apply(&[ord], &[document], &[], &[], &[]).unwrap();
        }
        engine.commit(ord).unwrap();
    }
    engine
}

fn facet_of(engine: &Engine, field: &str) -> Value {
    let facet = json!({ "field": field, "size": 100, "stats": true });
    let request = json!({ "query": "", "mode": "text", "facets": [facet] });
    let facets = search(engine, &request.to_string()).facets.unwrap();
    serde_json::from_str::<Value>(&facets).unwrap()[field].clone()
}

#[test]
fn unmapped_dates_are_sorted_by_and_summed_up_as_the_dates_that_filters_compare() {
    let folder = Folder::new();
    // The second is a day after its text says.
    let values = [
        r#""2024-05-01""#,
        r#""2024-04-30T23:00:00-03:00""#,
        r#""2024-03-01""#,
        r#""never""#,
        r#"["always","2024-02-01","zebra"]"#,
        "1709251200001",
    ];
    let engine = unmapped(&folder, &values);
    let ords = |more: &str| {
        let request = format!(r#"{{"query":"","mode":"text",{more}}}"#);
        search(&engine, &request).ords
    };
    let up = r#""sort":[{"field":"v"}]"#;
    assert_eq!(ords(up), [5, 3, 6, 1, 2, 4]);
    let since = r#""filter":{"field":"v","gte":"2024-05-01T01:00:00Z"}"#;
    assert_eq!(ords(since), [2]);
    let down = r#""sort":[{"field":"v","descending":true}]"#;
    assert_eq!(ords(down), [5, 4, 2, 1, 6, 3]);
    let stats = &facet_of(&engine, "v")["stats"];
    assert_eq!(stats["count"], 5);
    assert_eq!(stats["min"], json!(1_706_745_600_000_i64));
    assert_eq!(stats["max"], json!(1_714_528_800_000_i64));
    // The list of all hits goes on where a page of it ends.
    let mut after = Value::Null;
    let mut paged = Vec::new();
    while paged.len() < values.len() {
        let request = json!({ "query": "", "mode": "text", "size": 1, "after": after,
                              "sort": [{ "field": "v", "descending": true }] });
        let page = search(&engine, &request.to_string());
        paged.extend(page.ords);
        after = json!(page.next);
    }
    assert_eq!(paged, ords(down));
}

#[test]
fn a_facet_counts_of_a_value_what_a_filter_by_it_finds() {
    let folder = Folder::new();
    let values = [
        r#"[5,"5","5.0"]"#,
        "5",
        r#""5""#,
        r#"[true,"true"]"#,
        r#""true""#,
        "false",
        r#""05""#,
        "2.5",
        r#""2.5""#,
        r#""7""#,
        r#"["2024-03-01","2024-03-01T00:00:00Z"]"#,
        r#""2024-03-01T01:00:00+01:00""#,
        "1709251200000",
        r#""1709251200000""#,
        r#""2024-03-01T00:00:00.0001Z""#,
        r#"["2024-03-01T00:00:00.0004Z","9223372036854775807"]"#,
        "9223372036854775808",
        "9007199254740992",
        r#"["9007199254740992",9007199254740992,0.5]"#,
        r#""9007199254740993""#,
        "9000000000000000",
        r#"[9e15,"9000000000000000.0"]"#,
        "1e19",
        r#"["1e+19","10000000000000000000"]"#,
        "1e21",
        r#""1e+21""#,
    ];
    let engine = unmapped(&folder, &values);
    // In a segment with few others, then all in one.
    for (merged, field) in [(false, "v"), (false, "day"), (true, "v"), (true, "day")] {
        if merged {
            engine.merge().unwrap();
        }
        let facet = facet_of(&engine, field);
        for entry in facet["values"].as_array().unwrap() {
            let filter = json!({ "field": field, "any": [entry["value"]] });
            let request = json!({ "query": "", "mode": "text", "filter": filter, "size": 0 });
            let total = search(&engine, &request.to_string()).total;
            assert_eq!(entry["count"], total, "{field} {entry}");
        }
    }
    let count = |value: Value| {
        let facet = facet_of(&engine, "v");
        let entries = facet["values"].as_array().unwrap().clone();
        let mut entries = entries.iter().filter(|entry| entry["value"] == value);
        let found = entries.next().map(|entry| entry["count"].clone());
        assert!(entries.next().is_none(), "{value} is there twice");
        found
    };
    assert_eq!(count(json!(5)), Some(json!(3)));
    assert_eq!(count(json!("5")), None);
    assert_eq!(count(json!(true)), Some(json!(2)));
    assert_eq!(count(json!("7")), Some(json!(1)), "a word stays one");
    assert_eq!(count(json!(9_007_199_254_740_992_i64)), Some(json!(2)));
    assert_eq!(count(json!("9007199254740993")), Some(json!(1)));
    assert_eq!(count(json!(1e21)), Some(json!(2)));
    assert_eq!(count(json!("2024-03-01")), Some(json!(2)));
    assert_eq!(count(json!("2024-03-01T00:00:00.0001Z")), Some(json!(1)));
}

#[test]
fn what_is_merged_by_itself_is_waited_for_by_a_merge() {
    let folder = Folder::new();
    let engine = open(folder.path());
    // Twice as many segments of one size as the writer merges by itself.
    for batch in 0..16 {
        apply(&engine, 1 + batch * 60..61 + batch * 60, &[]);
        engine.commit(batch + 1).unwrap();
    }
    engine.merge().unwrap();
    let current = engine.views.current();
    assert_eq!((current.segments.len(), current.live), (1, 960));
    assert_eq!(search(&engine, ALL).total, 960);
}

#[test]
fn a_facet_over_two_indices_counts_the_documents_of_both() {
    let folders = [Folder::new(), Folder::new()];
    let engines = [
        unmapped(&folders[0], &["5"]),
        unmapped(&folders[1], &[r#""5""#]),
    ];
    let request = r#"{"query":"","mode":"text","facets":[{"field":"v","size":10}]}"#;
    let request = Request::parse(request).unwrap();
    let views = [
        (1, engines[0].views.current()),
        (2, engines[1].views.current()),
    ];
    let found = attune_native::search::search(&views, &request, None)
        .unwrap()
        .facets;
    let expected = json!({ "v": { "values": [{ "value": 5, "count": 2 }] } });
    assert_eq!(found, Some(expected.to_string()));
}

#[test]
fn truths_are_no_numbers_to_sum_up() {
    let folder = Folder::new();
    let engine = unmapped(&folder, &["true", "[false,3]", "4"]);
    let stats = &facet_of(&engine, "v")["stats"];
    let expected = json!({ "min": 3, "max": 4, "avg": 3.5, "sum": 7, "count": 2 });
    assert_eq!(stats, &expected);
}

#[test]
fn a_path_named_like_another_ones_dates_has_values_of_its_own() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let documents = [
        r#"{"x":"2024-03-01"}"#,
        r#"{"x":"2024-05-01","x@date":"mine"}"#,
        r#"{"x@date":"2024-07-01"}"#,
    ]
    .map(str::to_owned);
    engine.apply(&[1, 2, 3], &documents, &[], &[], &[]).unwrap();
    engine.commit(1).unwrap();
    let ords = |field: &str, condition: &str| {
        let filter = format!(r#"{{"field":"{field}",{condition}}}"#);
        let request = format!(r#"{{"query":"","mode":"text","filter":{filter}}}"#);
        search(&engine, &request).ords
    };
    let since = r#""gte":"2024-01-01""#;
    assert_eq!(ords("x", since), [1, 2]);
    assert_eq!(ords("x@date", since), [3]);
    assert_eq!(ords("x@date", r#""any":["mine"]"#), [2]);
    assert_eq!(ords("x@date@date", since), Vec::<u64>::new());
}

#[test]
fn dates_far_away_are_found_as_those_of_today() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let documents = [
        "-000043-03-15",
        "1492-10-12",
        "2026-01-01",
        "9999-12-31",
        "+010000-01-01",
    ]
    .map(|day| format!(r#"{{"day":"{day}","free":"{day}"}}"#));
    let ords = [1, 2, 3, 4, 5];
    engine.apply(&ords, &documents, &[], &[], &[]).unwrap();
    engine.commit(1).unwrap();
    let ords = |field: &str, condition: &str| {
        let filter = format!(r#"{{"field":"{field}",{condition}}}"#);
        let request = format!(r#"{{"query":"","mode":"text","filter":{filter}}}"#);
        search(&engine, &request).ords
    };
    for field in ["day", "free"] {
        assert_eq!(
            ords(field, r#""gte":"0001-01-01""#),
            [2, 3, 4, 5],
            "{field}"
        );
        assert_eq!(ords(field, r#""lt":"9999-12-31""#), [1, 2, 3], "{field}");
        assert_eq!(ords(field, r#""gt":"1492-10-12""#), [3, 4, 5], "{field}");
        assert_eq!(
            ords(field, r#""any":["9999-12-31T00:00Z"]"#),
            [4],
            "{field}"
        );
        assert_eq!(ords(field, r#""exists":true"#), [1, 2, 3, 4, 5], "{field}");
    }
}

#[test]
fn a_generation_names_one_moment_of_several_indices() {
    let folder = Folder::new();
    let (first, second) = (7_000_001, 7_000_002);
    for id in [first, second] {
        let root = folder.join(&id.to_string());
        registry::open(id, &root, &definition(), None).unwrap();
    }
    assert!(registry::open(first, folder.path(), &definition(), None).is_err());
    let put = |id: u64, ord: u64| {
        let engine = registry::get(id).unwrap();
        apply(&engine, ord..ord + 1, &[]);
        engine.commit(ord).unwrap();
    };
    put(first, 1);
    put(second, 1);
    let moment = registry::moment(&[first, second], None).unwrap();
    put(first, 2);
    put(second, 2);
    let again = registry::moment(&[first, second], Some(moment.generation)).unwrap();
    for (a, b) in moment.views.iter().zip(&again.views) {
        assert_eq!(a.1.generation, b.1.generation);
        assert_eq!(b.1.live, 1);
    }
    let newest = registry::moment(&[first, second], None).unwrap();
    assert!(newest.views.iter().all(|view| view.1.live == 2));
    put(first, 3);
    put(first, 4);
    // The view between was never searched: it is gone, and nothing older may stand for it.
    let between = registry::get(first).unwrap().views.current().generation - 1;
    assert!(registry::moment(&[first], Some(between)).is_err());
    assert!(registry::moment(&[first], Some(generation_now() + 1)).is_err());
    assert!(registry::moment(&[first], Some(1)).is_err());
    for id in [first, second] {
        registry::close(id).unwrap();
        assert_eq!(registry::get(id).err().unwrap().code.word(), "NOT_OPEN");
    }
    assert_eq!(
        search_in(&again.views[0].1, ALL).total,
        1,
        "a held view outlives its index"
    );
}

#[test]
fn a_view_that_somebody_goes_on_in_outlives_those_that_were_only_searched() {
    let folder = Folder::new();
    let id = 903;
    registry::open(id, folder.path(), &definition(), None).unwrap();
    let mut ord = 0;
    let mut put = || {
        ord += 1;
        let engine = registry::get(id).unwrap();
        apply(&engine, ord..ord + 1, &[]);
        engine.commit(ord).unwrap();
    };
    let page = |generation: Option<u64>, after: Option<&str>, size: usize| {
        let mut request = Request::parse(r#"{"query":"","mode":"text"}"#).unwrap();
        (request.generation, request.size) = (generation, size);
        request.after = after.map(str::to_owned);
        let moment = registry::moment(&[id], generation).ok()?;
        let answer = attune_native::search::search(&moment.views, &request, None).unwrap();
        moment.note_use(&request, &answer);
        Some((moment.generation, answer.next))
    };
    let last_page = |generation| page(Some(generation), None, 10);
    put();
    put();
    // One list is gone on with, the next is only begun, and the last was all there was.
    let (gone_on, after) = page(None, None, 1).unwrap();
    put();
    assert!(page(Some(gone_on), after.as_deref(), 1).is_some());
    let (begun, _) = page(None, None, 1).unwrap();
    put();
    let (searched, next) = page(None, None, 10).unwrap();
    assert!(next.is_none());
    for _ in 0..270 {
        put();
        page(None, None, 1000);
    }
    let held = [gone_on, begun, searched].map(|generation| last_page(generation).is_some());
    assert_eq!(held, [true, true, false]);
    for _ in 0..270 {
        put();
        page(None, None, 1);
    }
    let last = page(Some(gone_on), after.as_deref(), 1);
    assert_eq!(last, Some((gone_on, None)));
    assert!(last_page(begun).is_none());
    registry::close(id).unwrap();
}

/// Puts documents with a year of their own and a given vector of 32 chance numbers into an index.
fn fill(engine: &Engine, ords: std::ops::Range<u64>, sequence: u64) {
    let mut random = Random(ords.start + 1);
    let vectors: Vec<f32> = (0..32 * (ords.end - ords.start))
        .map(|_| random.unit())
        .collect();
    let ords: Vec<u64> = ords.collect();
    let documents: Vec<String> = ords
        .iter()
        .map(|ord| format!("{{\"year\":{ord}}}"))
        .collect();
    engine
        .apply(&ords, &documents, &[], &ords, &vectors)
        .unwrap();
    engine.commit(sequence).unwrap();
}

/// Document numbers of a list, and their scores.
type Listed = (Vec<u64>, Vec<f64>);

/// Nearest neighbours of some vectors at a generation, with a filter and without.
fn nearest_at(id: u64, generation: u64) -> Result<Vec<Listed>, Failure> {
    let moment = registry::moment(&[id], Some(generation))?;
    let mut random = Random(77);
    let mut found = Vec::new();
    for _ in 0..10 {
        let query: Vec<f32> = (0..32).map(|_| random.unit()).collect();
        // So many are walked among by who knows 12 000, and scanned by who knows some more.
        for filter in ["", r#","filter":{"field":"year","lte":5500}"#] {
            let request = format!(r#"{{"mode":"vector","size":100{filter}}}"#);
            let request = Request::parse(&request).unwrap();
            let answer =
                attune_native::search::search(&moment.views, &request, Some(&query)).unwrap();
            found.push((answer.ords, answer.scores));
        }
    }
    Ok(found)
}

#[test]
fn a_list_goes_on_as_it_was_begun_whatever_becomes_of_the_graph() {
    const ID: u64 = 770;
    let folder = Folder::new();
    let given = definition_with(r#"{"kind":"given","dimensions":32}"#);
    let open = || registry::open(ID, folder.path(), &given, None).unwrap();
    let grow = || {
        let deadline = Instant::now() + Duration::from_secs(300);
        let engine = registry::get(ID).unwrap();
        assert!(!engine.grow_graph(deadline, true).unwrap());
        generation_now()
    };
    let find = |generation| nearest_at(ID, generation).unwrap();
    open();
    let engine = registry::get(ID).unwrap();
    fill(&engine, 1..12_001, 1);
    let scanned_at = generation_now();
    let scanned = find(scanned_at);
    let walked_at = grow();
    let walked = find(walked_at);
    assert!(walked != scanned);
    assert!(find(scanned_at) == scanned);
    // Growth by more than the links may lie behind.
    fill(&engine, 12_001..12_401, 2);
    assert!(find(walked_at) == walked);
    let grown_at = grow();
    let grown = find(grown_at);
    assert!(grown != walked);
    assert!(find(scanned_at) == scanned && find(walked_at) == walked);

    // The first file holds the whole graph, the next one is not worth being written yet.
    let reopen = || {
        registry::get(ID).unwrap().checkpoint().unwrap();
        registry::close(ID).unwrap();
        open();
    };
    reopen();
    assert!(find(grown_at) == grown);
    fill(&registry::get(ID).unwrap(), 12_401..12_801, 3);
    let last_at = grow();
    find(last_at);
    reopen();
    let gone = nearest_at(ID, last_at).unwrap_err();
    assert_eq!(gone.code.word(), "GENERATION_GONE");
    registry::close(ID).unwrap();
}

#[test]
fn searches_beside_a_writer_always_see_whole_batches() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let searcher = || {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) {
                let view = engine.views.current();
                let all = search_in(&view, r#"{"query":"","mode":"text","size":0}"#);
                let text = search_in(&view, r#"{"query":"common","mode":"text","size":0}"#);
                assert_eq!(all.total % 10, 0, "half a batch");
                assert_eq!(text.total, all.total);
                assert_eq!(u64::from(view.live_vectors), all.total);
                assert!(all.total >= seen);
                seen = all.total;
                search_in(&view, r#"{"query":"planet moon","mode":"hybrid"}"#);
            }
        };
        let searchers = [scope.spawn(searcher), scope.spawn(searcher)];
        for batch in 0..60 {
            // Ten newcomers and twenty of which ten are replaced at once.
            let from = 1 + batch * 20;
            apply(
                &engine,
                from..from + 20,
                &(from..from + 10).collect::<Vec<_>>(),
            );
            engine.commit(batch + 1).unwrap();
            if batch % 20 == 19 {
                engine.checkpoint().unwrap();
            }
        }
        engine.fit().unwrap();
        done.store(true, Ordering::Relaxed);
        for searcher in searchers {
            searcher.join().unwrap();
        }
    });
    assert_eq!(engine.views.current().live, 600);
}

#[test]
fn a_fit_moves_all_documents_to_the_new_space_at_once() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..400, &[5, 6]);
    assert!(engine.commit(1).unwrap().fit_wanted);
    let before = engine.views.current();
    let fitted = engine.fit().unwrap();
    assert_eq!(
        (fitted.kind, fitted.documents, fitted.dimensions),
        ("learned", 397, 32)
    );
    let after = engine.views.current();
    assert_eq!(after.live_vectors, 397);
    assert_eq!(after.space.id(), before.space.id() + 1);
    assert_eq!(
        before.live_vectors, 397,
        "the old view keeps its own vectors"
    );
    assert!(!engine.fit_wanted_now());
    // Documents of one topic are near each other.
    let near = search(
        &engine,
        r#"{"query":"violin sonata","mode":"vector","size":20}"#,
    );
    assert!(near.total >= 20);
    assert!(near.ords.iter().all(|ord| ord % 5 == 3), "{:?}", near.ords);
    apply(&engine, 400..401, &[]);
    engine.commit(2).unwrap();
    assert_eq!(engine.located(&[400]), [3]);
}

#[test]
fn documents_written_while_a_space_is_learned_get_their_vectors() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..2000, &[]);
    engine.commit(1).unwrap();
    let done = AtomicBool::new(false);
    let batches = AtomicU64::new(0);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut ord = 2000;
            while !done.load(Ordering::Relaxed) {
                apply(&engine, ord..ord + 3, &[ord - 1000]);
                engine.commit(ord).unwrap();
                batches.fetch_add(1, Ordering::Relaxed);
                ord += 3;
            }
            // One batch is left uncommitted over the end of the fit.
            ord
        });
        // On a busy machine a fit may be over before the writer has begun.
        for _ in 0..50 {
            let before = batches.load(Ordering::Relaxed);
            engine.fit().unwrap();
            if batches.load(Ordering::Relaxed) > before + 1 {
                break;
            }
        }
        done.store(true, Ordering::Relaxed);
        let end = writer.join().unwrap();
        apply(&engine, end..end + 1, &[]);
        engine.commit(end).unwrap();
        let view = engine.views.current();
        assert_eq!(view.live_vectors, view.live);
        assert!(end > 2003, "nothing was written meanwhile");
    });
}

#[test]
fn fits_of_the_same_documents_are_the_same() {
    let vectors = |root: &std::path::Path| {
        let engine = open(root);
        for from in (1..600).step_by(50) {
            apply(&engine, from..from + 50, &[]);
            engine.commit(from).unwrap();
        }
        engine.fit().unwrap();
        engine.embed(&["planet with a moon".to_owned(), "dough".to_owned()])
    };
    let folder = Folder::new();
    let (a, b) = (vectors(&folder.join("a")), vectors(&folder.join("b")));
    assert!(a.iter().any(|value| *value != 0.0));
    assert_eq!(a, b);
}

#[test]
fn dead_vectors_are_left_behind() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..1001, &[]);
    engine.commit(1).unwrap();
    apply(&engine, 0..0, &(1..701).collect::<Vec<_>>());
    engine.commit(2).unwrap();
    assert_eq!(engine.views.current().vectors.len(), 1000);
    engine.checkpoint().unwrap();
    let view = engine.views.current();
    assert_eq!((view.vectors.len(), view.live_vectors), (300, 300));
    let expected = portrait(&engine);
    engine.close();
    let (engine, opened) = Engine::open(folder.path(), &definition()).unwrap();
    assert_eq!((opened.documents, opened.rebuild), (300, None));
    assert_eq!(portrait(&engine), expected);
}

#[test]
fn given_vectors_are_taken_as_they_come_even_later() {
    let folder = Folder::new();
    let given = definition_with(r#"{"kind":"given","dimensions":4,"cut":0.5}"#);
    let (engine, _) = Engine::open(folder.path(), &given).unwrap();
    let documents = [document(1), document(2)];
    let flags = engine
        .apply(&[1, 2], &documents, &[], &[2], &[0.0, 3.0, 0.0, 0.0])
        .unwrap();
    assert_eq!(flags, [0, 1]);
    engine.commit(1).unwrap();
    assert_eq!(engine.located(&[1, 2]), [1, 3]);
    engine
        .apply(&[], &[], &[], &[1], &[1.0, 0.0, 0.0, 0.0])
        .unwrap();
    engine.commit(2).unwrap();
    assert_eq!(engine.located(&[1, 2]), [3, 3]);
    let nan = engine
        .apply(&[3], &[document(3)], &[], &[3], &[f32::NAN; 4])
        .unwrap();
    assert_eq!(nan, [0]);
    assert!(engine
        .apply(&[4], &[document(4)], &[], &[4], &[1.0])
        .is_err());
    assert!(engine.fit().is_err());
}

#[test]
fn its_bytes_are_those_of_all_its_files() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..400, &[]);
    engine.commit(1).unwrap();
    engine.fit().unwrap();
    engine.checkpoint().unwrap();
    let told = |engine: &Engine| {
        let stats: Value = serde_json::from_str(&engine.stats()).unwrap();
        stats["bytes"].as_u64().unwrap()
    };
    let files = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap())
        .filter(|file| file.file_name() != "manifest.json");
    let lengths: u64 = files.map(|file| file.metadata().unwrap().len()).sum();
    // The list of segments stands in the manifest.
    let expected = lengths..lengths + 8192;
    assert!(expected.contains(&told(&engine)), "{expected:?}");
    engine.close();
    drop(engine);
    let opened = told(&open(folder.path()));
    assert!(expected.contains(&opened), "{expected:?} {opened}");
}

#[test]
fn released_writers_come_back() {
    let folder = Folder::new();
    let engine = open(folder.path());
    for round in 0..3 {
        apply(&engine, 1 + round * 10..11 + round * 10, &[]);
        engine.commit(round + 1).unwrap();
        engine.release().unwrap();
        assert!(engine.stats().contains("\"writer\":false"));
    }
    assert_eq!(search(&engine, ALL).total, 30);
}

#[test]
fn a_closed_index_refuses_work_and_its_folder_can_be_opened_again() {
    let folder = Folder::new();
    let engine = open(folder.path());
    apply(&engine, 1..3, &[]);
    engine.commit(1).unwrap();
    engine.checkpoint().unwrap();
    let view = engine.views.current();
    engine.close();
    let refused = engine
        .apply(&[9], &[document(9)], &[], &[], &[])
        .unwrap_err();
    assert_eq!(refused.code.word(), "NOT_OPEN");
    assert!(engine.commit(2).is_err() && engine.checkpoint().is_err());
    let again = open(folder.path());
    apply(&again, 3..4, &[]);
    again.commit(2).unwrap();
    assert_eq!(search(&again, ALL).total, 3);
    assert_eq!(search_in(&view, ALL).total, 2);
}

#[test]
fn an_index_that_cannot_write_says_so_and_goes_on_searching() {
    let folder = Folder::new();
    let engine = open(&folder.join("a"));
    apply(&engine, 1..50, &[]);
    engine.commit(1).unwrap();
    engine.checkpoint().unwrap();
    apply(&engine, 50..60, &[]);
    engine.commit(2).unwrap();
    // Whoever runs as root can write anywhere: take the folder itself away.
    std::fs::rename(folder.join("a"), folder.join("moved")).unwrap();
    let failure = engine.checkpoint().unwrap_err();
    assert_eq!(failure.code.word(), "IO");
    assert_eq!(search(&engine, ALL).total, 59);
    std::fs::rename(folder.join("moved"), folder.join("a")).unwrap();
    assert_eq!(engine.checkpoint().unwrap().sequence, 2);
    engine.close();
    assert_eq!(open(&folder.join("a")).views.current().live, 59);
}

#[test]
fn definitions_that_make_no_sense_are_refused() {
    for bad in [
        "{}",
        "not json",
        r#"{"fields":[{"name":"a","type":"text"}],"embedder":{"kind":"learned","dimensions":8}}"#,
        r#"{"fields":[{"name":"a","type":"blob"}],"embedder":{"kind":"learned","dimensions":8}}"#,
        r#"{"fields":[],"embedder":{"kind":"learned","dimensions":0}}"#,
        r#"{"analyzers":{"x":{"tokenizer":"magic"}},"fields":[],"embedder":{"kind":"learned","dimensions":8}}"#,
        r#"{"analyzers":{"x":{"tokenizer":"standard","filters":[{"type":"stemmer","language":"klingon"}]}},"fields":[],"embedder":{"kind":"learned","dimensions":8}}"#,
        r#"{"fields":[{"name":"a","type":"date"},{"name":"a","type":"date"}],"embedder":{"kind":"learned","dimensions":8}}"#,
    ] {
        let failure = Definition::parse(bad).err().unwrap();
        assert_eq!(failure.code.word(), "BAD_DEFINITION", "{bad}");
    }
}

#[test]
fn a_document_is_found_by_its_number_whatever_numbers_are_missing() {
    let folder = Folder::new();
    let engine = open(&folder.join("index"));
    let numbers: Vec<u64> = (1..400)
        .filter(|ord| ord % 7 != 0 && ord % 31 > 9)
        .collect();
    // Later numbers first, so that a merged segment has them out of order too.
    for ords in numbers.chunks(90).rev() {
        let documents: Vec<String> = ords.iter().map(|ord| document(*ord)).collect();
        engine.apply(ords, &documents, &[], &[], &[]).unwrap();
        engine.commit(1).unwrap();
    }
    engine.apply(&[], &[], &[11, 200, 399], &[], &[]).unwrap();
    engine.commit(2).unwrap();
    let check = || {
        let view = engine.views.current();
        for ord in 0..500 {
            let there = numbers.contains(&ord) && ![11, 200, 399].contains(&ord);
            let found = view.position_of(ord);
            assert_eq!(found.is_some(), there, "{ord}");
            assert!(found.is_none_or(|position| view.ord_of(position) == ord));
        }
    };
    check();
    check();
}

#[test]
fn the_names_of_fields_are_known_mapped_or_not_as_long_as_documents_have_them() {
    let folder = Folder::new();
    let engine = open(folder.path());
    let known = |name: &str| names::known(&engine.views.current(), name).unwrap();
    let first = |most: usize| names::first(&engine.views.current(), most).unwrap();
    assert!(known("title") == Known::Nothing && first(10).is_empty());
    for (ord, json) in [
        (1, r#"{"title":"a"}"#),
        (2, r#"{"extra":{"hue":[null,1]}}"#),
    ] {
        engine
            .apply(&[ord], &[json.to_owned()], &[], &[], &[])
            .unwrap();
        engine.commit(ord).unwrap();
    }
    for (name, what) in [
        ("title", Known::Values),
        ("extra.hue", Known::Values),
        ("extra", Known::Objects),
        ("hue", Known::Nothing),
        ("extra.", Known::Nothing),
        ("", Known::Nothing),
        ("content", Known::Nothing),
    ] {
        assert_eq!(known(name), what, "{name}");
    }
    assert_eq!(first(10), ["extra", "extra.hue", "title"]);
    assert_eq!(first(1), ["extra"]);
    // In one document an object, in another a value.
    for (ord, json) in [
        (3, r#"{"extra":"red"}"#),
        (4, r#"{"outer":{"in":[{"x":1}]}}"#),
    ] {
        engine
            .apply(&[ord], &[json.to_owned()], &[], &[], &[])
            .unwrap();
        engine.commit(ord).unwrap();
    }
    assert_eq!(known("extra"), Known::Words);
    assert_eq!(
        (known("outer"), known("outer.in")),
        (Known::Objects, Known::Objects)
    );
    assert_eq!(known("outer.in.x"), Known::Values);
    // With a number among them, a range of numbers may find some.
    let json = r#"{"extra":7}"#.to_owned();
    engine.apply(&[5], &[json], &[], &[], &[]).unwrap();
    engine.commit(5).unwrap();
    assert_eq!(known("extra"), Known::Values);
}

#[test]
fn few_large_documents_are_found_like_small_ones_and_never_held_all_at_once() {
    let folder = Folder::new();
    let engine = open(folder.path());
    // Ten documents are a small batch; of their million words no two are the same.
    let ords: Vec<u64> = (1..11).collect();
    let text = |ord: u64| -> String {
        let words = (0..100_000u64).map(|n| format!("w{:x}", ord * 100_000 + n));
        words.collect::<Vec<_>>().join(" ")
    };
    let documents: Vec<String> = ords
        .iter()
        .map(|ord| json!({ "title": format!("t{ord}"), "content": text(*ord) }).to_string())
        .collect();
    engine.apply(&ords, &documents, &[3], &[], &[]).unwrap();
    engine.commit(1).unwrap();
    let current = engine.views.current();
    assert!(
        current.segments.len() > 1,
        "its words took more than a writer's memory"
    );
    assert_eq!(search(&engine, ALL).ords, [1, 2, 4, 5, 6, 7, 8, 9, 10]);
    let last = format!(
        r#"{{"query":"w{:x}","mode":"text"}}"#,
        10 * 100_000 + 99_999
    );
    assert_eq!(search(&engine, &last).ords, [10]);
}
