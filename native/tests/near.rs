//! Words near those of a query: of many at once as of each by itself, and within bounds.

use std::collections::BTreeSet;

use crate::reference::{definition, Doc, Index, Random};
use attune_native::search::query::Request;
use attune_native::search::text::near::{near_each, Wanted, WORDS_MAX};
use attune_native::search::text::part_reader::WAYS_MAX;
use attune_native::search::text::words;
use serde_json::{json, Value};

/// Words of few letters, so that many are near to each other, by swaps as well.
fn word(random: &mut Random) -> String {
    const LETTERS: [char; 5] = ['a', 'b', 'c', 'é', '東'];
    let kinds = if random.below(8) == 0 { 5 } else { 3 };
    let most = if random.below(10) == 0 { 30 } else { 6 };
    let length = 1 + random.below(most);
    (0..length).map(|_| LETTERS[random.below(kinds)]).collect()
}

fn collection(random: &mut Random) -> Index {
    let mut index = Index::new(&definition());
    let mut ord = 0;
    for commit in 0..4 {
        let documents = (0..60).map(|_| {
            ord += 1;
            let words: Vec<String> = (0..8).map(|_| word(random)).collect();
            let source = json!({ "title": words[0], "content": words.join(" ") });
            let vector = None;
            Doc {
                ord,
                source,
                vector,
            }
        });
        let documents: Vec<Doc> = documents.collect();
        let deletes: Vec<u64> = (1..ord).filter(|o| o % 5 == commit).collect();
        index.change(documents, &deletes);
    }
    index
}

#[test]
fn many_words_at_once_have_the_near_ones_of_each_by_itself() {
    for seed in 1..5 {
        let mut random = Random(seed);
        let index = collection(&mut random);
        let view = index.view();
        let mut wanted: BTreeSet<Wanted> = BTreeSet::from([("👍".to_owned(), 2)]);
        wanted.insert(("ab".repeat(31) + "ab", 2));
        wanted.insert(("ab".repeat(31) + "c", 2));
        for _ in 0..700 {
            let word = word(&mut random);
            let edits = 1 + word.len() as u8 % 2;
            wanted.insert((word, edits));
        }
        let wanted: Vec<Wanted> = wanted.into_iter().collect();
        for limit in [1, 7, 64] {
            let found = near_each(&view, &wanted, limit).unwrap();
            let mut near = 0;
            for (word, edits) in &wanted {
                let expected = words::near(&view, word, *edits, limit).unwrap();
                near += expected.len();
                assert_eq!(
                    found[word], expected,
                    "{word}, {edits} edits, {limit} at most"
                );
            }
            assert!(near > wanted.len() / 2);
        }
    }
}

fn refused(index: &Index, request: Value) -> Option<String> {
    let request = Request::parse(&request.to_string()).unwrap();
    let answer = attune_native::search::search(&[(7, index.view())], &request, None);
    answer.err().map(|failure| failure.to_string())
}

/// Two fields whose words are cut into ngrams, by analyzers of their own.
fn grams() -> Index {
    let cut = |most: usize| json!({ "tokenizer": { "type": "ngram", "min": 2, "max": most }, "filters": [] });
    let field = |name: &str| json!({ "name": name, "source": name, "type": "text", "analyzer": name, "searched": true });
    let definition = json!({
        "analyzers": { "a": cut(21), "b": cut(20) },
        "fields": [field("a"), field("b")],
        "dynamic": true,
        "embedder": { "kind": "given", "dimensions": 4 },
    });
    let mut index = Index::new(&definition.to_string());
    let source = json!({ "a": "abcdefgh", "b": "abcdefgh" });
    let vector = None;
    index.change(
        vec![Doc {
            ord: 1,
            source,
            vector,
        }],
        &[],
    );
    index
}

#[test]
fn a_query_is_read_in_so_many_ways_at_most() {
    let index = grams();
    let letters = |n: usize| {
        "abcdefghijklmnopqrs"
            .chars()
            .cycle()
            .take(n)
            .collect::<String>()
    };
    let ask = |query: String| refused(&index, json!({ "mode": "text", "query": query }));
    assert_eq!(ask(letters(60)), None);
    let told = ask(letters(1000)).unwrap();
    assert!(
        told.contains(&WAYS_MAX.to_string()) && told.contains("searchFields"),
        "{told}"
    );
}

#[test]
fn what_is_near_is_looked_for_of_so_many_words_at_most() {
    let index = grams();
    let ask = |query: String| {
        let fields = json!({ "a": 1 });
        refused(
            &index,
            json!({ "mode": "text", "query": query, "fuzziness": 2, "fields": fields }),
        )
    };
    let mut random = Random(3);
    let mut letters = |n: usize| {
        (0..n)
            .map(|_| char::from(b'a' + random.below(26) as u8))
            .collect::<String>()
    };
    assert_eq!(ask(letters(50)), None);
    let told = ask(letters(1000)).unwrap();
    assert!(
        told.contains(&WORDS_MAX.to_string()) && told.contains("fuzziness"),
        "{told}"
    );
}
