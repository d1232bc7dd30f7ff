//! What a thread works at ends when its time is over.

mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use attune_native::engine::snapshot::Snapshot;
use attune_native::failure::{Code, Failure};
use attune_native::search::answer::Answer;
use attune_native::search::deadline::end_within;
use attune_native::search::highlight::{highlight, HighlightRequest};
use attune_native::search::query::Request;
use attune_native::search::{search, suggest};
use serde_json::{json, Value};
use support::{apply, Folder};

const ASKED: [&str; 5] = [
    r#"{"query":"planet orbit","mode":"text"}"#,
    r#"{"query":"planet orbit","mode":"hybrid","features":true,"explain":true}"#,
    r#"{"query":"planat","mode":"text","fuzziness":"2","prefix":true}"#,
    r#"{"query":"","mode":"text","facets":[{"field":"tags"}],"sort":[{"field":"year"}]}"#,
    r#"{"query":"violin","mode":"vector","filter":{"field":"year","gte":1}}"#,
];

fn ask(views: &[(u64, Arc<Snapshot>)], request: &str) -> Result<Answer, Failure> {
    search(views, &Request::parse(request).unwrap(), None)
}

fn code<T>(outcome: Result<T, Failure>) -> Option<Code> {
    outcome.err().map(|failure| failure.code)
}

#[test]
fn nothing_begins_after_its_time_and_all_is_as_ever_with_more() {
    let folder = Folder::new();
    let engine = support::open(folder.path());
    apply(&engine, 1..200, &[]);
    engine.commit(1).unwrap();
    let view = engine.views.current();
    let views = [(1, view.clone())];
    for request in ASKED {
        let before = ask(&views, request).unwrap();
        end_within(Some(0.0));
        assert_eq!(
            code(ask(&views, request)),
            Some(Code::TimedOut),
            "{request}"
        );
        end_within(Some(60_000.0));
        let after = ask(&views, request).unwrap();
        assert_eq!(
            (after.ords, after.scores),
            (before.ords, before.scores),
            "{request}"
        );
        end_within(None);
    }
    let marked =
        HighlightRequest::parse(r#"{"query":"planet","mode":"text","highlight":{}}"#).unwrap();
    let documents = [r#"{"title":"planet"}"#.to_owned()];
    let words = suggest::Request::parse(r#"{"prefix":"pla"}"#).unwrap();
    end_within(Some(0.0));
    assert_eq!(
        code(highlight(&view, &marked, &documents)),
        Some(Code::TimedOut)
    );
    assert_eq!(
        code(suggest::suggest(&views, &words, &|_, _, _| Ok(()))),
        Some(Code::TimedOut)
    );
    end_within(None);
    assert_eq!(code(highlight(&view, &marked, &documents)), None);
    assert_eq!(
        code(suggest::suggest(&views, &words, &|_, _, _| Ok(()))),
        None
    );
}

#[test]
fn a_search_stops_on_its_way() {
    let folder = Folder::new();
    let engine = support::open(folder.path());
    apply(&engine, 1..400, &[]);
    engine.commit(1).unwrap();
    let views: Vec<_> = (0..2000).map(|id| (id, engine.views.current())).collect();
    let begun = Instant::now();
    let request = r#"{"query":"planat orbit bread","mode":"text","fuzziness":"2"}"#;
    ask(&views, request).unwrap();
    let whole = begun.elapsed();
    // The shortest of some: whatever else the machine does can make one long.
    let tries = (0..5).map(|_| {
        end_within(Some(whole.as_secs_f64() * 1e3 / 20.0));
        let begun = Instant::now();
        let ended = ask(&views, request);
        let took = begun.elapsed();
        end_within(None);
        assert_eq!(code(ended), Some(Code::TimedOut));
        took
    });
    let took = tries.min().unwrap();
    assert!(took < whole / 2, "{took:?} of {whole:?}");
    assert!(whole > Duration::from_millis(5), "{whole:?}");
}

#[test]
fn names_of_very_many_parts_are_looked_up_as_fast_as_others() {
    let folder = Folder::new();
    let engine = support::open(folder.path());
    apply(&engine, 1..20, &[]);
    engine.commit(1).unwrap();
    let views = [(1, engine.views.current())];
    let parts = |bytes: usize| ".a".repeat(bytes / 2);
    for (count, bytes) in [(2000, 480), (20, 18_000)] {
        let names = (0..count).map(|nth| format!("n{nth}{}", parts(bytes)));
        let facets: Vec<Value> = names.map(|name| json!({ "field": name })).collect();
        let condition = |facet: &Value| json!({ "field": facet["field"], "any": [1] });
        let conditions: Vec<Value> = facets.iter().map(condition).collect();
        let sort = [&facets[0]];
        let request = json!({ "query": "", "mode": "text", "filter": { "not": { "or": conditions } },
            "facets": facets, "sort": sort });
        end_within(Some(2_000.0));
        let answer = ask(&views, &request.to_string());
        end_within(None);
        assert_eq!(answer.unwrap().total, 19, "{count} names of {bytes} bytes");
    }
}
