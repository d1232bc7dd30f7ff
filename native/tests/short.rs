//! Pages made from a part of the list against pages of the whole one.

use crate::reference::{Index, Random, DIMENSIONS};
use attune_native::model;
use attune_native::search::added_scores::{AddedScore, PINNED};
use attune_native::search::answer::Answer;
use attune_native::search::query::Request;
use serde_json::{json, Value};

const MODEL: u64 = 9_100;

fn one_of(random: &mut Random, values: Value) -> Value {
    let values = values.as_array().unwrap();
    values[random.below(values.len())].clone()
}

fn random_request(random: &mut Random) -> Value {
    let mut request = json!({
        "mode": one_of(random, json!(["text", "hybrid", "hybrid", "vector"])),
        "query": random.words(3),
        "size": one_of(random, json!([0, 1, 10, 25])),
        "from": one_of(random, json!([0, 0, 3, 40])),
        "neighbors": one_of(random, json!([0, 1, 20, 30])),
        "feedback": random.below(2) == 0,
        "features": random.below(2) == 0,
        "explain": random.below(4) == 0,
        "fusion": one_of(random, json!(["convex", "convex", "rrf"])),
    });
    if random.below(3) == 0 {
        let size = one_of(random, json!([0, 1, 12, 50]));
        request["rerank"] = json!({ "model": MODEL, "size": size });
    }
    if random.below(4) == 0 {
        let weights = json!([0, 1e-12, 0.3, 1]);
        let text = one_of(random, weights.clone());
        request["weights"] = json!({ "text": text, "vector": one_of(random, weights) });
    }
    if random.below(3) == 0 {
        let by = ["year", "tags", "_score"].map(|field| json!({ "field": field }));
        let keys = [json!([by[0]]), json!([by[1], by[0]]), json!([by[0], by[2]])];
        request["sort"] = keys[random.below(3)].clone();
        request["query"] = one_of(random, json!(["", request["query"]]));
    }
    if random.below(4) == 0 {
        request["filter"] = json!({ "field": "year", "gte": 1990 + random.below(8) });
    }
    request
}

/// Values for some of the first documents of a list, and for some that may not be in it.
fn random_added(random: &mut Random, indices: &[Index], first: &Answer) -> Vec<AddedScore> {
    let count = [0, 0, 1, 20][random.below(4)];
    let added = (0..count).map(|_| {
        let index = random.below(indices.len());
        let documents = &indices[index].documents;
        let anywhere = (index as u64, documents[random.below(documents.len())].ord);
        let at = random.below(first.ords.len() + 5);
        let (index, ord) = match (first.ids.get(at), first.ords.get(at)) {
            (Some(index), Some(ord)) => (*index, *ord),
            _ => anywhere,
        };
        let value = match random.below(9) {
            0 => PINNED + f64::from(random.unit()),
            1..4 => -PINNED,
            _ => f64::from(random.unit()),
        };
        AddedScore { index, ord, value }
    });
    added.collect()
}

/// All that an answer says, floats by their bits.
fn said(answer: Answer) -> String {
    let bits = |list: Option<Vec<f32>>| list.map(|l| l.into_iter().map(f32::to_bits).collect());
    let scores = answer.scores.iter().map(|score| score.to_bits());
    let floats: [Option<Vec<u32>>; 4] = [
        bits(Some(answer.parts)),
        bits(answer.features),
        bits(answer.model_scores),
        bits(answer.shadow_scores),
    ];
    format!(
        "{:?} {:?} {:?} {} {:?} {:?} {} {floats:?}",
        answer.ids,
        answer.ords,
        scores.collect::<Vec<u64>>(),
        answer.total,
        answer.next,
        answer.explain,
        answer.rerank_failed,
    )
}

#[test]
fn a_page_of_a_short_list_is_that_of_the_whole_one() {
    let model = json!({ "kind": "linear", "features": ["documentLength", "bm25"],
                        "weights": [-1.0, 0.1] });
    model::load(MODEL, &model.to_string()).unwrap();
    let indices = [Index::random(81, 3, 700), Index::random(82, 2, 600)];
    let views = [(0, indices[0].view()), (1, indices[1].view())];
    let mut random = Random(83);
    let mut long = 0;
    for _ in 0..1500 {
        let request = random_request(&mut random);
        let near: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit()).collect();
        let views = &views[..1 + random.below(2)];
        let search = |request: &Value, added: &[AddedScore]| {
            let mut request = Request::parse(&request.to_string()).unwrap();
            request.added = added.to_vec();
            attune_native::search::search(views, &request, Some(&near)).unwrap()
        };
        let added = random_added(&mut random, &indices, &search(&request, &[]));
        // A least score that nothing lies below takes nothing but the short way.
        let mut whole = request.clone();
        whole["minScore"] = json!(-1e300);
        let (short, whole) = (search(&request, &added), search(&whole, &added));
        long += usize::from(short.total > 1000);
        assert_eq!(said(short), said(whole), "{request} {added:?}");
    }
    assert!(long > 300, "{long} lists were long enough to be cut short");
}
