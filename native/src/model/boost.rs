//! The one door to the boosting library: tree ensembles, trained as LambdaMART (Burges 2010) and
//! read and written as XGBoost JSON.

use hessboost::config::{QueryBagging, TrainingParams, TreeMethod};
use hessboost::data::DMatrix;
use hessboost::error::HessboostError;
use hessboost::model::{BoostedModel, Iterations, ModelFormat};
use hessboost::objective::{LambdaRank, Objective};
use serde::Deserialize;
use serde_json::{json, Value};

use crate::failure::Failure;
use crate::model::judged::Lists;

/// Most trees that may be asked for.
pub const ROUNDS_MAX: usize = 500;
/// Most splits above a leaf that may be asked for.
pub const DEPTH_MAX: usize = 8;
/// Training stays on one thread: it is background work.
const THREADS: usize = 1;

/// An ensemble of trees that gives one number for each row.
pub struct Trees(BoostedModel);

impl Trees {
    /// Reads an XGBoost JSON model over so many features; BAD_REQUEST when it is none.
    pub fn parse(mut xgboost: Value, features: usize) -> Result<Trees, Failure> {
        if let Some(score) = xgboost.pointer_mut("/learner/learner_model_param/base_score") {
            // A list since XGBoost 3, a number before.
            match score.as_str() {
                Some(text) if !text.starts_with('[') => *score = json!(format!("[{text}]")),
                _ => {}
            }
        }
        let model = BoostedModel::decode(xgboost.to_string(), ModelFormat::XgboostJson)
            .map_err(|error| Failure::bad_request(format!("no XGBoost model: {error}")))?;
        if model.n_features() != features {
            let own = model.n_features();
            return Err(Failure::bad_request(format!(
                "the XGBoost model has {own} features, its list of names {features}"
            )));
        }
        if model.prediction_width() != 1 {
            return Err(Failure::bad_request(
                "the XGBoost model gives several numbers for each row",
            ));
        }
        Ok(Trees(model))
    }

    /// The prediction for each row; rows are whole. Stays on the calling thread.
    pub fn score(&self, rows: &[f32]) -> Result<Vec<f32>, Failure> {
        let rows = rows.chunks_exact(self.0.n_features());
        rows.map(|row| self.0.predict_row(row, Iterations::Best).map_err(failure))
            .collect()
    }
}

/// How trees are trained.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TreeOptions {
    /// Of the samples of queries and features.
    pub seed: u64,
    /// How many trees.
    pub rounds: usize,
    /// Splits above a leaf at most.
    pub depth: usize,
    /// What each tree counts.
    pub eta: f64,
    /// Least sum of second derivatives in a leaf.
    pub min_child_weight: f64,
    /// Weight of half the squared norm of the leaves.
    pub lambda: f64,
    /// Share of the queries that each tree is grown on.
    pub subsample: f64,
    /// Share of the features that each tree may split by.
    pub columns: f64,
}

/// Chosen by cross-validation (`npm run bench:ltr -- --choose`).
impl Default for TreeOptions {
    fn default() -> Self {
        TreeOptions {
            seed: 1,
            rounds: 200,
            depth: 5,
            eta: 0.05,
            min_child_weight: 30.0,
            lambda: 1.0,
            subsample: 1.0,
            columns: 0.5,
        }
    }
}

/// Trains a model; gives it as it crosses the wall. The library weighs whole queries only: rows
/// with inverse propensities count by their mean over each query.
pub fn train(lists: &Lists, names: &[String], options: &TreeOptions) -> Result<Value, Failure> {
    if options.rounds > ROUNDS_MAX || options.depth > DEPTH_MAX {
        return Err(Failure::bad_request(format!(
            "at most {ROUNDS_MAX} rounds of depth {DEPTH_MAX}"
        )));
    }
    let trained = boosted(lists, options).map_err(failure)?;
    let xgboost: Value = serde_json::from_slice(&trained)
        .map_err(|error| Failure::internal(format!("the trained model: {error}")))?;
    Ok(json!({ "kind": "trees", "features": names, "xgboost": xgboost }))
}

fn boosted(lists: &Lists, options: &TreeOptions) -> Result<Vec<u8>, HessboostError> {
    let sizes: Vec<usize> = lists.groups.iter().map(|rows| *rows as usize).collect();
    let mut data = DMatrix::from_dense(lists.features, lists.labels.len(), lists.width)?
        .with_labels(lists.labels)?
        .with_group_sizes(&sizes)?;
    if let Some(weights) = lists.weights {
        let means = lists.queries().map(|query| {
            let rows = query.len() as f32;
            weights[query].iter().sum::<f32>() / rows
        });
        data = data.with_group_weights(&means.collect::<Vec<_>>())?;
    }
    let mut params = TrainingParams::builder()
        .objective(Objective::RankNdcg(LambdaRank::default()))
        .tree_method(TreeMethod::Hist)
        .nthread(THREADS)
        .seed(options.seed)
        .max_depth(options.depth)
        .eta(options.eta)
        .min_child_weight(options.min_child_weight)
        .lambda(options.lambda)
        .colsample_bytree(options.columns);
    if options.subsample != 1.0 {
        params = params.bagging_by_query(QueryBagging::new(options.subsample)?);
    }
    let model = hessboost::training::train(&params.build()?, &data, options.rounds)?;
    model.encode(ModelFormat::XgboostJson)
}

fn failure(error: HessboostError) -> Failure {
    Failure::bad_request(error.to_string())
}
