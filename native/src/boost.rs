//! The one door to the boosting library: tree ensembles, read and written as XGBoost JSON.

use hessboost::model::{BoostedModel, Iterations, ModelFormat};

use crate::failure::Failure;

/// An ensemble of trees that gives one number for each row.
pub struct Trees(BoostedModel);

impl Trees {
    /// Reads an XGBoost JSON model over so many features; BAD_REQUEST when it is none.
    pub fn parse(xgboost: &str, features: usize) -> Result<Trees, Failure> {
        let model = BoostedModel::decode(xgboost, ModelFormat::XgboostJson)
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

fn failure(error: hessboost::error::HessboostError) -> Failure {
    Failure::bad_request(error.to_string())
}
