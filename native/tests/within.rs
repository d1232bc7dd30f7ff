//! Words within compounds: what is found does not depend on the order of writes, on segments and on deleted documents.

use crate::reference::{Doc, Index, Random};
use serde_json::json;

const PARTS: [&str; 12] = [
    "regen", "jacke", "haus", "tür", "datei", "system", "wind", "wolle", "bahn", "hof", "licht",
    "kern",
];
const LINKS: [&str; 4] = ["", "s", "n", "en"];

fn definition() -> String {
    json!({
        "analyzers": { "german": { "tokenizer": "standard", "filters": [
            { "type": "lowercase" }, { "type": "asciifolding" },
            { "type": "stemmer", "language": "german" } ] } },
        "fields": [{ "name": "title", "source": "title", "type": "text", "analyzer": "german", "searched": true }],
        "dynamic": true,
        "embedder": { "kind": "given", "dimensions": 4 },
    })
    .to_string()
}

fn word(random: &mut Random) -> String {
    let mut part = || PARTS[random.below(PARTS.len())];
    let (first, last) = (part(), part());
    match random.below(3) {
        0 => first.to_owned(),
        _ => format!("{first}{}{last}", LINKS[random.below(LINKS.len())]),
    }
}

#[test]
fn compounds_are_found_whatever_lies_in_which_segment() {
    let mut random = Random(11);
    let mut grown = Index::new(&definition());
    let mut kept: Vec<Doc> = Vec::new();
    for commit in 0..6 {
        let documents: Vec<Doc> = (1..60)
            .map(|nth| {
                let words: Vec<String> = (0..4).map(|_| word(&mut random)).collect();
                let source = json!({ "title": words.join(" ") });
                let ord = commit * 100 + nth;
                let vector = None;
                Doc {
                    ord,
                    source,
                    vector,
                }
            })
            .collect();
        // Of a segment a quarter: with more than that share dead, it would be written anew before the look at it.
        let deletes: Vec<u64> = kept.iter().map(|d| d.ord).filter(|o| o % 4 == 0).collect();
        kept.retain(|document| !deletes.contains(&document.ord));
        kept.extend(documents.iter().cloned());
        grown.change(documents, &deletes);
    }
    let mut fresh = Index::new(&definition());
    fresh.change(kept, &[]);
    assert!(grown.view().segments.len() > 1 && grown.view().documents > grown.view().live);
    let mut by_parts = 0;
    for first in PARTS {
        for query in [first.to_owned(), format!("{first}system")] {
            let request = json!({ "mode": "text", "query": query, "size": 1000 });
            let quoted = json!({ "mode": "text", "query": query, "size": 1000, "phrase": true });
            let (a, b) = (grown.search(request.clone()), fresh.search(request));
            assert_eq!((&a.ords, a.total), (&b.ords, b.total), "{query}");
            assert_eq!(a.ords.len() as u64, a.total);
            by_parts += usize::from(a.total > grown.search(quoted).total);
        }
    }
    assert!(by_parts > PARTS.len());
}
