//! The reasons for a score: every number that went into it.

use std::collections::HashSet;

use serde_json::{json, Map, Value};

use crate::bm25;
use crate::engine::bits::Bits;
use crate::engine::lengths::length_of;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::learned_scores::LearnedScores;
use crate::search::query::{Fusion, Mode, Request};
use crate::search::ranks::Ranks;
use crate::search::rerank::Reranked;
use crate::search::scale::Scale;
use crate::search::sort::Hit;
use crate::search::text::blend::blend;
use crate::search::text::clause::Clause;
use crate::search::text::plan::{self, Plan};
use crate::search::text::postings::Postings;
use crate::search::text::scorer::Scorer;
use crate::search::text::text_matches::Whole;
use crate::search::view::View;

/// Most words that explanations tell of, over all hits of a page: each has its figures in several fields, which take half
/// a kilobyte. A thousand words of a thousand hits would take gigabytes.
pub const WORDS_MAX: usize = 50_000;

/// One object per hit: `{score, text?, vector?, parts, weights?, fusion?}`. Where two legs are fused,
/// the score is the sum of the parts by their weights, with what was learned added to it: a part is
/// a score brought to 0 … 1, or what its rank is worth, 1/(60 + rank). Where nothing is asked there
/// is nothing to fuse, and every document has score 1. BAD_REQUEST for more than `WORDS_MAX` words.
pub fn explain(views: &[View], hits: &[Hit], request: &Request) -> Result<Vec<Value>, Failure> {
    let mut texts = vec![Value::Null; hits.len()];
    let mut words = 0;
    let asked = request.mode != Mode::Vector && !request.is_empty_query();
    for (number, view) in views.iter().enumerate().filter(|_| asked) {
        let own = hits
            .iter()
            .enumerate()
            .filter(|(_, hit)| hit.view == number);
        let positions: Vec<(usize, u32)> = own.map(|(at, hit)| (at, hit.position)).collect();
        if positions.is_empty() {
            continue;
        }
        deadline::look()?;
        let plan = plan::plan(view.snapshot, request)?;
        let explained = explain_text(view, &plan, &positions, &mut words)?;
        for ((at, _), text) in positions.iter().zip(explained) {
            texts[*at] = text;
        }
    }
    let scale = Scale::of(views, request);
    let ranks = scale.by_rank().then(|| Ranks::of(views, &scale));
    let all = hits.iter().zip(texts).map(|(hit, text)| {
        let view = &views[hit.view];
        let score = view.text.score_at(hit.position);
        let cosine = view.cosine_at(hit.position);
        let (text_part, vector_part) = match &ranks {
            Some(ranks) => ranks.parts(views, hit.view, hit.position),
            None => scale.parts(view, score, cosine),
        };
        let mut reasons = Map::new();
        reasons.insert("score".into(), json!(hit.score));
        if score.is_some() && !text.is_null() {
            reasons.insert("text".into(), text);
        }
        if let Some(cosine) = cosine {
            let vector = json!({
                "cosine": number(cosine),
                "cut": number(view.cut),
                "max": number(view.max_cosine),
                "feedback": view.moved,
            });
            reasons.insert("vector".into(), vector);
        }
        let parts = json!({ "text": text_part, "vector": vector_part });
        reasons.insert("parts".into(), parts);
        if request.mode == Mode::Hybrid && !scale.is_flat() {
            let weights = json!({ "text": view.weights.text, "vector": view.weights.vector });
            reasons.insert("weights".into(), weights);
            let fusion = match request.fusion {
                Fusion::Convex => "convex",
                Fusion::Rrf => "rrf",
            };
            reasons.insert("fusion".into(), json!(fusion));
        }
        Value::Object(reasons)
    });
    Ok(all.collect())
}

/// Adds what was learned: `learned`, the part of the score that was added to the fused one, and
/// `model`, what the model gave the hit. With a model, `score` is that of the place that it chose.
pub fn add_learned(
    reasons: &mut [Value],
    hits: &[Hit],
    learned: &LearnedScores,
    reranked: &Reranked,
) {
    for (reasons, hit) in reasons.iter_mut().zip(hits) {
        if let Some(learned) = learned.of(hit.view, hit.position) {
            reasons["learned"] = json!(learned.amount);
        }
        if let Some(candidate) = reranked.of(hit.view, hit.position) {
            reasons["model"] = number(candidate.model);
        }
    }
}

/// A short float by its own decimal form, not by the longer one of its exact value.
fn number(value: f32) -> Value {
    value
        .to_string()
        .parse::<f64>()
        .map_or(Value::Null, |v| json!(v))
}

/// What the sums of one document are made of.
#[derive(Default, Clone)]
struct Reasons {
    combined: f32,
    combined_terms: Map<String, Value>,
    combined_whole: Option<Value>,
    fields: Vec<ReasonsIn>,
}

/// What the sum of one field of a document is made of.
#[derive(Default, Clone)]
struct ReasonsIn {
    score: f32,
    terms: Map<String, Value>,
    whole: Option<Value>,
}

/// The text part of the documents at some positions, in their order; adds to `words` how many they tell of.
fn explain_text(
    view: &View,
    plan: &Plan,
    positions: &[(usize, u32)],
    words: &mut usize,
) -> Result<Vec<Value>, Failure> {
    let scorer = Scorer::open(view.snapshot, plan)?;
    let empty = Reasons {
        fields: vec![Default::default(); scorer.fields.len()],
        ..Reasons::default()
    };
    let mut reasons = vec![empty; positions.len()];
    let pairs = view.text.pairs.iter();
    let pairs = pairs.filter_map(|at| Some(&plan.pairs.get(*at)?.clause));
    let mut all = Bits::default();
    let mut lists: Vec<Postings> = Vec::new();
    lists.resize_with(scorer.fields.len(), Postings::default);
    let mut told = HashSet::new();
    // In the order in which they were added up: words, the query as a whole, pairs.
    let words_first = plan.clauses.iter().map(Some).chain([None]);
    for clause in words_first.chain(pairs.map(Some)) {
        let Some(clause) = clause else {
            for ((_, position), reasons) in positions.iter().zip(&mut reasons) {
                add_whole(&scorer, &view.text.whole, *position, reasons);
            }
            continue;
        };
        let counted = scorer.read(clause, &mut lists)?;
        all.reset(view.snapshot.documents as usize);
        lists.iter().for_each(|list| all.set_all(&list.positions));
        let documents = counted.unwrap_or_else(|| all.count());
        let name = free_name(&mut told, &clause.text);
        for ((_, position), reasons) in positions.iter().zip(&mut reasons) {
            let told = Told {
                clause,
                name: &name,
                documents,
            };
            add_clause(&scorer, &lists, told, *position, reasons);
            *words += usize::from(all.get(*position));
        }
        if *words > WORDS_MAX {
            return Err(Failure::bad_request(format!(
                "explain tells of at most {WORDS_MAX} words over all hits: ask for fewer hits, or with fewer words"
            )));
        }
    }
    let values = positions.iter().zip(reasons);
    Ok(values
        .map(|((_, position), reasons)| text_value(&scorer, *position, reasons))
        .collect())
}

/// A part of the query that is told of.
struct Told<'a> {
    clause: &'a Clause,
    /// A name that no other part has.
    name: &'a str,
    /// Documents that say how rare it is.
    documents: usize,
}

/// A name that is not yet in use, which it is then. One word may be looked for in several ways: beside another it is also the
/// word that they are together, at the end it may be a beginning. Each of these scores by itself.
fn free_name(used: &mut HashSet<String>, text: &str) -> String {
    let mut name = text.to_owned();
    let mut nth = 1;
    while !used.insert(name.clone()) {
        nth += 1;
        name = format!("{text} ({nth})");
    }
    name
}

fn add_clause(
    scorer: &Scorer,
    lists: &[Postings],
    told: Told,
    position: u32,
    reasons: &mut Reasons,
) {
    let Told {
        clause,
        name,
        documents,
    } = told;
    let (segment, document) = scorer.snapshot.locate(position);
    let mut weighted = 0.0;
    let fields = scorer.fields.iter().zip(lists).zip(&mut reasons.fields);
    for ((field, postings), reasons) in fields {
        let frequency = postings.frequency_at(position);
        let Some(reader) = field.reader.segment(segment) else {
            continue;
        };
        if frequency == 0.0 {
            continue;
        }
        weighted += field.field.weight * frequency;
        let idf = bm25::idf(scorer.documents, postings.counted);
        let norm = field.norm(reader.length_code(document));
        let part = clause.count * field.field.boost * idf * bm25::saturated(frequency, norm);
        reasons.score += part;
        reasons.terms.insert(
            name.to_owned(),
            json!({ "frequency": number(frequency), "idf": number(idf), "score": number(part),
                    "documents": postings.counted }),
        );
    }
    if weighted > 0.0 {
        let idf = bm25::idf(scorer.documents, documents);
        let norm = scorer.norm(segment, document);
        let part = clause.count * idf * bm25::saturated(weighted, norm);
        reasons.combined += part;
        reasons.combined_terms.insert(
            name.to_owned(),
            json!({ "frequency": number(weighted), "idf": number(idf), "score": number(part),
                    "documents": documents, "count": number(clause.count) }),
        );
    }
}

fn add_whole(scorer: &Scorer, whole: &Whole, position: u32, reasons: &mut Reasons) {
    let (segment, document) = scorer.snapshot.locate(position);
    let reason = |frequency: f32, part: f32| {
        let reason = json!({ "frequency": number(frequency), "score": number(part) });
        Some(reason)
    };
    let mut weighted = 0.0;
    let fields = scorer.fields.iter().zip(&whole.fields);
    for ((field, whole), reasons) in fields.zip(&mut reasons.fields) {
        let frequency = whole.frequency_at(position);
        let Some(reader) = field.reader.segment(segment).filter(|_| frequency > 0.0) else {
            continue;
        };
        weighted += field.field.weight * frequency;
        let norm = field.norm(reader.length_code(document));
        let part = whole.factor * bm25::saturated(frequency, norm);
        reasons.score += part;
        reasons.whole = reason(frequency, part);
    }
    if weighted > 0.0 {
        let part = whole.combined * bm25::saturated(weighted, scorer.norm(segment, document));
        reasons.combined += part;
        reasons.combined_whole = reason(weighted, part);
    }
}

fn text_value(scorer: &Scorer, position: u32, reasons: Reasons) -> Value {
    let (segment, document) = scorer.snapshot.locate(position);
    let scores = reasons.fields.iter().map(|own| own.score);
    let best = scores.clone().fold(0.0, f32::max);
    let bm25 = blend(reasons.combined, best, scores.sum());
    let mut fields = Map::new();
    for (field, own) in scorer.fields.iter().zip(reasons.fields) {
        let reader = field.reader.segment(segment);
        let Some(reader) = reader.filter(|_| !own.terms.is_empty()) else {
            continue;
        };
        let length = length_of(reader.length_code(document));
        let told = json!({ "score": number(own.score), "weight": number(field.field.weight),
                           "boost": number(field.field.boost), "length": number(length),
                           "meanLength": number(field.mean), "terms": own.terms });
        let told = with_whole(told, own.whole);
        fields.insert(field.field.entry.name.clone(), told);
    }
    let combined = json!({
        "score": number(reasons.combined),
        "length": number(scorer.length(segment, document)),
        "meanLength": number(scorer.mean),
        "terms": reasons.combined_terms,
    });
    json!({
        "score": number(bm25),
        "combined": with_whole(combined, reasons.combined_whole),
        "best": number(best),
        "fields": fields,
    })
}

/// Adds what the query as a whole scores, where it does.
fn with_whole(mut told: Value, whole: Option<Value>) -> Value {
    if let Some(whole) = whole {
        told["whole"] = whole;
    }
    told
}
