//! The search request as it crosses the wall; `answer.rs` is what goes back.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{json, Value};

use crate::failure::Failure;
use crate::search::added_scores::AddedScore;

/// Most documents that one page may reach into a list (`from + size`).
pub const PAGE_MAX: usize = 10_000;
/// Most neighbours that a search may ask for.
pub const NEIGHBORS_MAX: usize = 10_000;
/// The field of an order that stands for the score.
pub const SCORE: &str = "_score";
/// Most fields that an order of hits may have.
const SORT_KEYS_MAX: usize = 16;
/// Most hits that a model may reorder.
pub const RERANK_MAX: usize = 1000;

/// Which legs of the search run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words only.
    Text,
    /// Nearest vectors only.
    Vector,
    /// Both, fused.
    Hybrid,
}

/// How many words of a query a document must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operator {
    /// At least one.
    #[default]
    Or,
    /// Every one, in any field.
    And,
}

/// How the two legs become one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of normalised scores.
    #[default]
    Convex,
    /// Reciprocal rank fusion.
    Rrf,
}

/// How many edits a word of the query may be away from a word of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fuzziness {
    /// Nobody said: a hybrid search looks for what is like a word that no document has.
    #[default]
    Unsaid,
    /// None.
    None,
    /// At most this many, 1 or 2.
    Edits(u8),
    /// None up to two characters, one up to five, two above.
    Auto,
}

impl Fuzziness {
    /// Edits allowed for a word of this many characters.
    pub fn edits(self, characters: usize) -> u8 {
        match self {
            Fuzziness::Unsaid | Fuzziness::None => 0,
            Fuzziness::Edits(edits) => edits,
            Fuzziness::Auto => match characters {
                0..=2 => 0,
                3..=5 => 1,
                _ => 2,
            },
        }
    }
}

impl<'de> Deserialize<'de> for Fuzziness {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let word = match &value {
            Value::String(word) => word.to_uppercase(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        match word.as_str() {
            "0" => Ok(Fuzziness::None),
            "1" => Ok(Fuzziness::Edits(1)),
            "2" => Ok(Fuzziness::Edits(2)),
            "AUTO" => Ok(Fuzziness::Auto),
            _ => Err(serde::de::Error::custom("fuzziness is 0, 1, 2 or AUTO")),
        }
    }
}

/// Weights of the two legs.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Weights {
    /// Weight of the text leg.
    pub text: f64,
    /// Weight of the vector leg.
    pub vector: f64,
}

/// A condition. All parts that are present must hold; a part `and`, `or`, `not` holds others. A part
/// that is not known is refused: passed over, it would let everything through.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Every one of these.
    pub and: Option<Vec<Node>>,
    /// At least one of these.
    pub or: Option<Vec<Node>>,
    /// Not this.
    pub not: Option<Box<Node>>,
    /// The document has one of these numbers, which no two documents of any indices share.
    pub ords: Option<Vec<u64>>,
    /// The field that the parts below speak of.
    pub field: Option<String>,
    /// The field has one of these values.
    pub any: Option<Vec<Value>>,
    /// The field has a value above this.
    pub gt: Option<Value>,
    /// The field has a value that is this or above.
    pub gte: Option<Value>,
    /// The field has a value below this.
    pub lt: Option<Value>,
    /// The field has a value that is this or below.
    pub lte: Option<Value>,
    /// The field has a value (true) or none (false).
    pub exists: Option<bool>,
}

/// One range of a facet: from (inclusive) to (exclusive).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct FacetRange {
    /// Name of the range; `from-to` when absent.
    pub key: Option<String>,
    /// Lower bound, a number or a date.
    pub from: Option<Value>,
    /// Upper bound, a number or a date.
    pub to: Option<Value>,
}

/// One facet of a request.
#[derive(Debug, Clone, Deserialize)]
pub struct FacetRequest {
    /// The field that is counted.
    pub field: String,
    /// Most values answered.
    #[serde(default = "facet_size")]
    pub size: usize,
    /// Ranges to count.
    #[serde(default)]
    pub ranges: Vec<FacetRange>,
    /// Whether min, max, avg, sum and count are wanted.
    #[serde(default)]
    pub stats: bool,
}

fn facet_size() -> usize {
    10
}

/// One key of the order of hits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SortKey {
    /// A field, or `_score`.
    pub field: String,
    /// Largest first.
    #[serde(default)]
    pub descending: bool,
}

/// A model that gives the first hits another order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Rerank {
    /// The handle of the model; an unknown one changes nothing.
    pub model: u64,
    /// How many of the first hits it orders.
    #[serde(default = "rerank_size")]
    pub size: usize,
}

fn rerank_size() -> usize {
    100
}

/// Which click rates of documents a search reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub struct ClickRates {
    /// The rate of a document that has none of its own.
    #[serde(default)]
    pub prior: f32,
    /// The edition (see `rates.rs`); without one, all documents have the prior.
    pub edition: Option<u64>,
}

/// A search, as the planner writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The words; parts in double quotes, straight or curly, are phrases; empty = every document.
    #[serde(default)]
    pub query: String,
    /// Which legs run.
    pub mode: Mode,
    /// How many words must match.
    #[serde(default)]
    pub operator: Operator,
    /// The whole query is one phrase.
    #[serde(default)]
    pub phrase: bool,
    /// Places that the words of a phrase may be moved by in all.
    #[serde(default)]
    pub slop: u32,
    /// The last word is the beginning of a word.
    #[serde(default)]
    pub prefix: bool,
    /// Edits a word may be away.
    #[serde(default)]
    pub fuzziness: Fuzziness,
    /// Fields searched, with their weights, or `None` for that of the mapping; default: all searched fields.
    pub fields: Option<BTreeMap<String, Option<f32>>>,
    /// Words that mean the same, beside those of the analyzers: lists of words, or `left => right`.
    #[serde(default)]
    pub synonyms: Vec<Vec<String>>,
    /// Factors of field weights.
    pub boost: Option<BTreeMap<String, f32>>,
    /// Weights of the legs; default: those of the vector space.
    pub weights: Option<Weights>,
    /// How the legs are fused.
    #[serde(default)]
    pub fusion: Fusion,
    /// Nearest neighbours looked at.
    #[serde(default = "neighbors")]
    pub neighbors: usize,
    /// Cosine that a neighbour must exceed; default: that of the vector space.
    pub cut: Option<f32>,
    /// Vector feedback in hybrid mode.
    #[serde(default = "yes")]
    pub feedback: bool,
    /// Places of the indices that the query's vector is for; default: all. Others make their own of the words.
    pub vector_in: Option<Vec<usize>>,
    /// What every hit must fulfil.
    pub filter: Option<Node>,
    /// What to count over the match set.
    #[serde(default)]
    pub facets: Vec<FacetRequest>,
    /// The order of hits; default: by score.
    #[serde(default)]
    pub sort: Vec<SortKey>,
    /// Hits left out at the start of the list.
    #[serde(default)]
    pub from: usize,
    /// Most hits answered.
    #[serde(default = "page_size")]
    pub size: usize,
    /// Score under which a document is not in the match set.
    pub min_score: Option<f64>,
    /// Continue behind the hit that this position names.
    pub after: Option<String>,
    /// The publication to search; default: the newest.
    pub generation: Option<u64>,
    /// Whether each hit comes with the reasons for its score.
    #[serde(default)]
    pub explain: bool,
    /// Whether each hit comes with its features.
    #[serde(default)]
    pub features: bool,
    /// What the caller holds, a feature: 0 unknown, 1 desktop, 2 mobile, 3 tablet.
    #[serde(default)]
    pub device: u8,
    /// The hour, counted from 1970 on, at whose start its features tell ages; default: this one.
    pub ages_at: Option<u32>,
    /// Which click rates its features read.
    #[serde(default)]
    pub click_rates: ClickRates,
    /// A model that orders the first hits; it counts only when hits are sorted by score.
    pub rerank: Option<Rerank>,
    /// The handle of a model that scores the hits without moving them.
    pub shadow: Option<u64>,
    /// What is added to the scores of single documents; it crosses the wall beside the JSON.
    #[serde(skip)]
    pub added: Vec<AddedScore>,
}

fn neighbors() -> usize {
    100
}

fn page_size() -> usize {
    10
}

fn yes() -> bool {
    true
}

impl Request {
    /// A search by words alone, of which nothing else is said.
    pub fn by_words(query: &str) -> Result<Request, Failure> {
        Request::parse(&json!({ "mode": "text", "query": query }).to_string())
    }

    /// Reads and checks a request; what can't be answered is BAD_REQUEST.
    pub fn parse(json: &str) -> Result<Request, Failure> {
        let request: Request =
            serde_json::from_str(json).map_err(|e| Failure::bad_request(e.to_string()))?;
        if request.from + request.size > PAGE_MAX {
            let message = format!("from + size is at most {PAGE_MAX}; use the cursor beyond");
            return Err(Failure::bad_request(message));
        }
        if request.neighbors > NEIGHBORS_MAX {
            return Err(Failure::bad_request(format!(
                "neighbors is at most {NEIGHBORS_MAX}"
            )));
        }
        if request.sort.len() > SORT_KEYS_MAX {
            let message = format!("at most {SORT_KEYS_MAX} sort keys");
            return Err(Failure::bad_request(message));
        }
        if request
            .rerank
            .is_some_and(|rerank| rerank.size > RERANK_MAX)
        {
            return Err(Failure::bad_request(format!(
                "a model reorders at most {RERANK_MAX} hits"
            )));
        }
        if !(0.0..=1.0).contains(&request.click_rates.prior) {
            return Err(Failure::bad_request("a rate is a number from 0 to 1"));
        }
        let weights = request.fields.iter().flat_map(BTreeMap::values).flatten();
        let boosts = request.boost.iter().flat_map(BTreeMap::values);
        if weights.chain(boosts).any(|w| !(0.0..=1e6).contains(w)) {
            return Err(Failure::bad_request(
                "a weight is a number from 0 to 1000000",
            ));
        }
        if let Some(weights) = request.weights {
            let sound = |w: f64| (0.0..=1e6).contains(&w);
            if !sound(weights.text) || !sound(weights.vector) {
                return Err(Failure::bad_request(
                    "a weight is a number from 0 to 1000000",
                ));
            }
        }
        Ok(request)
    }

    /// Whether the query has no words at all.
    pub fn is_empty_query(&self) -> bool {
        self.query.trim().is_empty()
    }

    /// Whether hits come by falling score and nothing else.
    pub fn is_by_score(&self) -> bool {
        match self.sort.as_slice() {
            [] => true,
            [key] => key.field == SCORE && key.descending,
            _ => false,
        }
    }

    /// Whether hits come by their values alone, whatever they score.
    pub fn is_by_values(&self) -> bool {
        !self.sort.is_empty() && self.sort.iter().all(|key| key.field != SCORE)
    }

    /// Whether the score of each match decides the list: what it is cut by, goes on behind, or is one of several keys.
    pub fn lists_all(&self) -> bool {
        let is_first = self.is_by_score() && self.after.is_none();
        self.min_score.is_some() || !(is_first || self.is_by_values())
    }

    /// How many of the first a page and a model need; one more tells whether the list goes on.
    pub fn first(&self) -> usize {
        let reordered = self.rerank.map_or(0, |rerank| rerank.size);
        (self.from + self.size).max(reordered) + 1
    }

    /// Whether the query's vector is moved towards its first documents.
    pub fn feeds_back(&self) -> bool {
        self.mode == Mode::Hybrid && self.feedback && !self.is_empty_query()
    }

    /// Whether the words of each document must be known, not only its score.
    pub fn wants_features(&self) -> bool {
        self.features || self.rerank.is_some() || self.shadow.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_only_a_mode() {
        let request = Request::parse(r#"{"mode":"hybrid"}"#).unwrap();
        assert_eq!(request.size, 10);
        assert_eq!(request.neighbors, 100);
        assert!(request.feedback && request.is_empty_query());
    }

    #[test]
    fn a_page_beyond_the_limit_is_refused() {
        let failure = Request::parse(r#"{"mode":"text","from":9995,"size":6}"#).unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST");
    }

    #[test]
    fn fuzziness_is_read_as_a_word_or_a_number() {
        let read = |f: &str| Request::parse(&format!(r#"{{"mode":"text","fuzziness":{f}}}"#));
        assert_eq!(read("\"AUTO\"").unwrap().fuzziness, Fuzziness::Auto);
        assert_eq!(read("2").unwrap().fuzziness, Fuzziness::Edits(2));
        assert!(read("3").is_err());
    }
}
