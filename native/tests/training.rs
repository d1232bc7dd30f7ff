//! Training against what it promises: order, repeatability, weights, limits.

use attune_native::model::train::{train, LABEL_MAX};
use attune_native::model::Model;
use serde_json::{json, Value};

const ROWS: usize = 10;

/// A repeatable source of numbers from −1 to 1 (a linear congruential sequence).
struct Random(u32);

impl Random {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

struct Lists {
    features: Vec<f32>,
    labels: Vec<f32>,
    groups: Vec<u32>,
}

/// Lists whose labels follow 2 × the first of three features − the second, in four grades.
fn lists(queries: usize, seed: u32) -> Lists {
    let mut random = Random(seed);
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..queries * ROWS {
        let row = [random.unit(), random.unit() * 10.0, random.unit()];
        let worth = 2.0 * row[0] - row[1] / 10.0;
        labels.push(((worth + 3.0) / 1.5).floor().clamp(0.0, 3.0));
        features.extend(row);
    }
    Lists {
        features,
        labels,
        groups: vec![ROWS as u32; queries],
    }
}

fn options(kind: &str) -> Value {
    json!({ "kind": kind, "features": ["a", "b", "c"] })
}

fn trained(options: &Value, lists: &Lists, weights: Option<&[f32]>) -> String {
    let Lists {
        features,
        labels,
        groups,
    } = lists;
    train(&options.to_string(), features, labels, groups, weights).unwrap()
}

/// The share of pairs of a query that a model puts in the order of their labels.
fn agreement(model: &str, lists: &Lists) -> f64 {
    let scores = Model::parse(model).unwrap().score(&lists.features).unwrap();
    let (mut right, mut all) = (0, 0);
    for query in (0..lists.labels.len()).step_by(ROWS) {
        for a in query..query + ROWS {
            for b in query..query + ROWS {
                if lists.labels[a] > lists.labels[b] {
                    all += 1;
                    right += usize::from(scores[a] > scores[b]);
                }
            }
        }
    }
    f64::from(right as u32) / f64::from(all)
}

#[test]
fn both_kinds_learn_the_order_of_lists_they_have_not_seen() {
    let (seen, unseen) = (lists(200, 1), lists(100, 2));
    for (kind, least) in [("linear", 0.97), ("trees", 0.9)] {
        let model = trained(&options(kind), &seen, None);
        let share = agreement(&model, &unseen);
        assert!(share > least, "{kind}: {share}");
    }
}

#[test]
fn the_same_lists_give_the_same_model() {
    let lists = lists(60, 3);
    for kind in ["linear", "trees"] {
        let mut options = options(kind);
        options["columns"] = json!(0.5);
        options["subsample"] = json!(0.7);
        let first = trained(&options, &lists, None);
        assert_eq!(first, trained(&options, &lists, None), "{kind}");
        options["seed"] = json!(2);
        let other = trained(&options, &lists, None);
        assert_eq!(first == other, kind == "linear");
    }
}

#[test]
fn trees_score_the_same_after_the_way_through_json() {
    let lists = lists(100, 4);
    let model: Value = serde_json::from_str(&trained(&options("trees"), &lists, None)).unwrap();
    let text = model["xgboost"].to_string();
    let again = json!({ "kind": "trees", "features": ["x", "y", "z"],
                        "xgboost": serde_json::from_str::<Value>(&text).unwrap() });
    let score = |model: &Value| {
        let model = Model::parse(&model.to_string()).unwrap();
        model.score(&lists.features).unwrap()
    };
    let scores = score(&model);
    assert_eq!(scores, score(&again));
    assert!(scores.iter().any(|score| *score != scores[0]));
    let narrow = json!({ "kind": "trees", "features": ["x"], "xgboost": model["xgboost"] });
    assert!(Model::parse(&narrow.to_string()).is_err());
}

/// A hand-made XGBoost model: one split of the second feature at 0.5.
#[test]
fn a_model_made_elsewhere_is_read() {
    let tree = json!({
        "base_weights": [0.0, -1.5, 2.5], "categories": [], "categories_nodes": [],
        "categories_segments": [], "categories_sizes": [], "default_left": [1, 0, 0], "id": 0,
        "left_children": [1, -1, -1], "loss_changes": [1.0, 0.0, 0.0],
        "parents": [2147483647, 0, 0], "right_children": [2, -1, -1],
        "split_conditions": [0.5, -1.5, 2.5], "split_indices": [1, 0, 0], "split_type": [0, 0, 0],
        "sum_hessian": [2.0, 1.0, 1.0],
        "tree_param": { "num_deleted": "0", "num_feature": "2", "num_nodes": "3",
                        "size_leaf_vector": "1" }
    });
    let xgboost = json!({
        "learner": {
            "attributes": {}, "feature_names": [], "feature_types": [],
            "gradient_booster": { "model": {
                "gbtree_model_param": { "num_parallel_tree": "1", "num_trees": "1" },
                "iteration_indptr": [0, 1], "tree_info": [0], "trees": [tree] },
                "name": "gbtree" },
            "learner_model_param": { "base_score": "0E0", "boost_from_average": "1",
                "num_class": "0", "num_feature": "2", "num_target": "1" },
            "objective": { "name": "rank:ndcg", "lambdarank_param": {} } },
        "version": [2, 1, 0]
    });
    let model = json!({ "kind": "trees", "features": ["bm25", "age"], "xgboost": xgboost });
    let model = Model::parse(&model.to_string()).unwrap();
    let scores = model.score(&[9.0, 0.4, 9.0, 0.6, 0.0, 0.5]).unwrap();
    assert_eq!(scores, [-1.5, 2.5, 2.5]);
}

#[test]
fn rows_seldom_seen_count_as_often_as_their_weight_says() {
    // In one half of the lists the first feature was clicked, in the other the second.
    let mut weights = Vec::new();
    let mut judged = Lists {
        features: Vec::new(),
        labels: Vec::new(),
        groups: Vec::new(),
    };
    for query in 0..100 {
        let first = query % 2 == 0;
        for (row, clicked) in [([1.0, 0.0, 0.0], first), ([0.0, 1.0, 0.0], !first)] {
            judged.features.extend(row);
            judged.labels.push(f32::from(u8::from(clicked)));
            weights.push(if first { 1.0 } else { 9.0 });
        }
        judged.groups.push(2);
    }
    let preference = |kind: &str, weights: Option<&[f32]>| {
        let mut options = options(kind);
        options["l2"] = json!(0.001);
        options["minChildWeight"] = json!(0.1);
        let model = Model::parse(&trained(&options, &judged, weights)).unwrap();
        let scores = model.score(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
        scores[1] - scores[0]
    };
    assert!(preference("linear", None).abs() < 1e-3);
    let linear = preference("linear", Some(&weights));
    // Odds of 9 to 1, a little less for the norm.
    assert!((1.8..2.2f32).contains(&linear), "{linear} beside ln 9");
    assert!(preference("trees", Some(&weights)) > preference("trees", None) + 0.1);
}

#[test]
fn what_can_not_be_learned_from_is_refused() {
    let good = lists(3, 5);
    let refused = |options: Value, lists: &Lists, weights: Option<&[f32]>| {
        let Lists {
            features,
            labels,
            groups,
        } = lists;
        let options = options.to_string();
        let failure = train(&options, features, labels, groups, weights).unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST", "{failure}");
    };
    let linear = || options("linear");
    let with = |kind: &str, name: &str, value: Value| {
        let mut options = options(kind);
        options[name] = value;
        options
    };
    refused(with("forest", "seed", json!(1)), &good, None);
    refused(with("linear", "features", json!([])), &good, None);
    refused(with("linear", "features", json!(["a"])), &good, None);
    refused(with("linear", "l2", json!(0)), &good, None);
    refused(with("linear", "iterations", json!(1_000_000)), &good, None);
    refused(with("trees", "rounds", json!(1_000_000)), &good, None);
    refused(with("trees", "depth", json!(60)), &good, None);
    refused(with("trees", "eta", json!(-1)), &good, None);
    let changed = |change: &dyn Fn(&mut Lists)| {
        let mut lists = lists(3, 5);
        change(&mut lists);
        lists
    };
    refused(linear(), &changed(&|l| l.groups[0] += 1), None);
    refused(linear(), &changed(&|l| l.groups.push(0)), None);
    refused(linear(), &changed(&|l| l.features[0] = f32::NAN), None);
    refused(linear(), &changed(&|l| l.labels[0] = LABEL_MAX + 1.0), None);
    refused(linear(), &changed(&|l| l.labels.fill(0.0)), None);
    refused(linear(), &good, Some(&[1.0]));
    refused(linear(), &good, Some(&[0.0; 3 * ROWS]));
    refused(options("trees"), &good, Some(&[-1.0; 3 * ROWS]));
}
