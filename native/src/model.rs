//! Models: what turns a row of features into a score, and the handles under which they are loaded.

pub mod boost;
pub mod judged;
pub mod listwise;
pub mod train;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::model::boost::Trees;
use crate::search::features;

/// Longest JSON text of a model, in bytes.
pub const MODEL_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Most features of a model.
pub const MODEL_FEATURES_MAX: usize = 4096;

/// A model as it crosses the wall.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Wire {
    Linear {
        features: Vec<String>,
        weights: Vec<f64>,
        #[serde(default)]
        bias: f64,
        mean: Option<Vec<f64>>,
        std: Option<Vec<f64>>,
        #[serde(default)]
        logistic: bool,
    },
    Trees {
        features: Vec<String>,
        xgboost: Value,
    },
}

/// A model over named features.
pub struct Model {
    /// The names of its features, in the order of its rows.
    pub features: Vec<String>,
    kind: Kind,
}

enum Kind {
    Linear {
        /// Weights over features as they come: the scaler is multiplied in.
        weights: Vec<f64>,
        bias: f64,
        logistic: bool,
    },
    Trees(Box<Trees>),
}

impl Model {
    /// Reads a model; what can't be one is BAD_REQUEST.
    pub fn parse(json: &str) -> Result<Model, Failure> {
        if json.len() > MODEL_BYTES_MAX {
            let message = format!("a model has at most {MODEL_BYTES_MAX} bytes");
            return Err(Failure::bad_request(message));
        }
        let wire: Wire = serde_json::from_str(json)
            .map_err(|error| Failure::bad_request(format!("no model: {error}")))?;
        let (features, kind) = match wire {
            Wire::Linear {
                features,
                weights,
                bias,
                mean,
                std,
                logistic,
            } => {
                let width = features.len();
                let mean = list("mean", mean, width, 0.0)?;
                let std = list("std", std, width, 1.0)?;
                let weights = list("weights", Some(weights), width, 0.0)?;
                (features, linear(weights, bias, &mean, &std, logistic)?)
            }
            Wire::Trees { features, xgboost } => {
                let trees = Trees::parse(xgboost, features.len())?;
                (features, Kind::Trees(Box::new(trees)))
            }
        };
        if features.is_empty() || features.len() > MODEL_FEATURES_MAX {
            let message = format!("a model has 1 to {MODEL_FEATURES_MAX} features");
            return Err(Failure::bad_request(message));
        }
        Ok(Model { features, kind })
    }

    /// The score of each row; rows hold the model's own features in its own order.
    pub fn score(&self, rows: &[f32]) -> Result<Vec<f32>, Failure> {
        if !rows.len().is_multiple_of(self.features.len()) {
            return Err(Failure::bad_request(format!(
                "{} numbers are no rows of {} features",
                rows.len(),
                self.features.len()
            )));
        }
        match &self.kind {
            Kind::Trees(trees) => trees.score(rows),
            Kind::Linear {
                weights,
                bias,
                logistic,
            } => {
                let scores = rows.chunks_exact(weights.len()).map(|row| {
                    let pairs = weights.iter().zip(row);
                    let sum: f64 = pairs.map(|(w, x)| w * f64::from(*x)).sum::<f64>() + bias;
                    let score = if *logistic {
                        1.0 / (1.0 + (-sum).exp())
                    } else {
                        sum
                    };
                    score as f32
                });
                Ok(scores.collect())
            }
        }
    }
}

fn list(
    name: &str,
    values: Option<Vec<f64>>,
    width: usize,
    default: f64,
) -> Result<Vec<f64>, Failure> {
    let values = values.unwrap_or_else(|| vec![default; width]);
    if values.len() == width {
        return Ok(values);
    }
    let length = values.len();
    Err(Failure::bad_request(format!(
        "{name} has {length} numbers for {width} features"
    )))
}

/// Largest weight or bias, so that no sum over features leaves the range of a score (f32).
const NUMBER_MAX: f64 = 1e30;

/// w · (x − mean) / std + bias, with the scaler multiplied into weights and bias. A std of 0 reads
/// as 1.
fn linear(
    mut weights: Vec<f64>,
    mut bias: f64,
    mean: &[f64],
    std: &[f64],
    logistic: bool,
) -> Result<Kind, Failure> {
    for ((weight, mean), std) in weights.iter_mut().zip(mean).zip(std) {
        *weight /= if *std == 0.0 { 1.0 } else { *std };
        bias -= *weight * mean;
    }
    let is_sound = |number: &f64| number.abs() <= NUMBER_MAX;
    if !is_sound(&bias) || !weights.iter().all(is_sound) {
        return Err(Failure::bad_request("the model's numbers are too large"));
    }
    Ok(Kind::Linear {
        weights,
        bias,
        logistic,
    })
}

/// A model that ranks: its features are ones that searches compute.
pub struct Ranker {
    model: Model,
    /// The numbers of its features in a row of `features::NAMES`.
    columns: Vec<usize>,
}

impl Ranker {
    /// Finds the model's features; BAD_REQUEST names those that no search computes.
    pub fn new(model: Model) -> Result<Ranker, Failure> {
        let place = |name: &String| features::NAMES.iter().position(|known| known == name);
        let unknown = model.features.iter().filter(|name| place(name).is_none());
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        if !unknown.is_empty() {
            let message = format!("no search computes these features: {}", unknown.join(", "));
            return Err(Failure::bad_request(message));
        }
        let columns = model.features.iter().filter_map(place).collect();
        Ok(Ranker { model, columns })
    }

    /// The model itself.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The score of each row of `features::NAMES`.
    pub fn score(&self, rows: &[f32]) -> Result<Vec<f32>, Failure> {
        let width = features::NAMES.len();
        let mut own = Vec::with_capacity(rows.len() / width * self.columns.len());
        for row in rows.chunks_exact(width) {
            own.extend(self.columns.iter().map(|column| row[*column]));
        }
        self.model.score(&own)
    }
}

fn rankers() -> &'static RwLock<HashMap<u64, Arc<Ranker>>> {
    static RANKERS: OnceLock<RwLock<HashMap<u64, Arc<Ranker>>>> = OnceLock::new();
    RANKERS.get_or_init(RwLock::default)
}

/// Loads a model under a handle, in the place of one that has it already.
pub fn load(handle: u64, json: &str) -> Result<(), Failure> {
    let ranker = Ranker::new(Model::parse(json)?)?;
    rankers().write().insert(handle, Arc::new(ranker));
    Ok(())
}

/// Forgets a model, if there is one; searches that use it finish.
pub fn forget(handle: u64) {
    rankers().write().remove(&handle);
}

/// The model of a handle.
pub fn get(handle: u64) -> Option<Arc<Ranker>> {
    rankers().read().get(&handle).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_model_is_its_formula() {
        let json = r#"{"kind":"linear","features":["a","b"],"weights":[2,-1],"bias":0.5,
                       "mean":[1,4],"std":[0.5,0]}"#;
        let model = Model::parse(json).unwrap();
        // 2·(3−1)/0.5 − 1·(6−4)/1 + 0.5 and 2·(1−1)/0.5 − 1·(0−4)/1 + 0.5
        assert_eq!(
            model.score(&[3.0, 6.0, 1.0, 0.0]).unwrap(),
            [8.0 - 2.0 + 0.5, 4.5]
        );
        let logistic = json.replace("\"bias\"", "\"logistic\":true,\"bias\"");
        let scores = Model::parse(&logistic).unwrap().score(&[1.0, 4.0]).unwrap();
        assert!((scores[0] - 1.0 / (1.0 + (-0.5f32).exp())).abs() < 1e-6);
        assert!(model.score(&[1.0, 2.0, 3.0]).is_err());
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for json in [
            "",
            "{}",
            r#"{"kind":"linear","features":[],"weights":[]}"#,
            r#"{"kind":"linear","features":["a"],"weights":[1,2]}"#,
            r#"{"kind":"linear","features":["a"],"weights":[1],"mean":[1,2]}"#,
            r#"{"kind":"linear","features":["a"],"weights":[1e300],"std":[1e-300]}"#,
            r#"{"kind":"linear","features":["a","b"],"weights":[1e308,-1e308]}"#,
            r#"{"kind":"linear","features":["a"],"weights":[1],"bias":-1e31}"#,
            r#"{"kind":"linear","features":["a"],"weights":[1],"std":[1e-31]}"#,
            r#"{"kind":"trees","features":["a"],"xgboost":{}}"#,
            r#"{"kind":"forest","features":["a"]}"#,
        ] {
            let failure = Model::parse(json).err().expect(json);
            assert_eq!(failure.code.word(), "BAD_REQUEST", "{json}");
        }
    }

    #[test]
    fn features_that_no_search_computes_are_named() {
        let json = r#"{"kind":"linear","features":["bm25","magic","luck"],"weights":[1,1,1]}"#;
        let failure = load(1, json).unwrap_err();
        assert_eq!(failure.code.word(), "BAD_REQUEST");
        assert!(failure.message.contains("magic, luck"));
        assert!(get(1).is_none());
    }

    #[test]
    fn a_handle_holds_the_last_model_until_it_is_dropped() {
        let json =
            |weight: i32| format!(r#"{{"kind":"linear","features":["age"],"weights":[{weight}]}}"#);
        let mut row = [0.0; features::NAMES.len()];
        row[12] = 2.0;
        load(4_711, &json(1)).unwrap();
        let first = get(4_711).unwrap();
        load(4_711, &json(3)).unwrap();
        assert_eq!(first.score(&row).unwrap(), [2.0]);
        assert_eq!(get(4_711).unwrap().score(&row).unwrap(), [6.0]);
        forget(4_711);
        forget(4_711);
        assert!(get(4_711).is_none());
    }
}
