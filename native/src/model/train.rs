//! Training of ranking models from judged lists.
//!
//! | option | what it is | default |
//! |---|---|---|
//! | `kind` | `linear` (`listwise.rs`) or `trees` (`boost.rs`, LambdaMART) | – |
//! | `features` | names of the features, in the order of a row | – |
//! | `seed` | of the samples that trees draw | 1 |
//! | `l2` | linear: weight of half the squared norm of the weights, per query | 0.3 |
//! | `iterations` | linear: steps at most | 100 |
//! | `rounds` | trees: how many | 200 |
//! | `depth` | trees: splits above a leaf at most | 5 |
//! | `eta` | trees: what each counts | 0.05 |
//! | `minChildWeight` | trees: least sum of second derivatives in a leaf | 30 |
//! | `lambda` | trees: weight of half the squared norm of the leaves | 1 |
//! | `subsample` | trees: share of the queries that each is grown on | 1 |
//! | `columns` | trees: share of the features that each may split by | 0.5 |

use serde::Deserialize;

use crate::failure::Failure;
use crate::model::boost::{self, TreeOptions};
use crate::model::judged::Lists;
use crate::model::listwise::{self, LinearOptions};
use crate::model::MODEL_FEATURES_MAX;

/// Most numbers of all rows together.
pub const TRAIN_NUMBERS_MAX: usize = 16 * 1024 * 1024;
/// The largest label: the gain 2^label − 1 stays a sound number.
pub const LABEL_MAX: f32 = 20.0;
/// The largest weight of a row.
pub const WEIGHT_MAX: f32 = 1e6;

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Options {
    Linear {
        features: Vec<String>,
        #[serde(flatten)]
        options: LinearOptions,
    },
    Trees {
        features: Vec<String>,
        #[serde(flatten)]
        options: TreeOptions,
    },
}

/// Trains a model and gives it as JSON; the same input gives the same model.
pub fn train(
    options: &str,
    features: &[f32],
    labels: &[f32],
    groups: &[u32],
    weights: Option<&[f32]>,
) -> Result<String, Failure> {
    let options: Options = serde_json::from_str(options)
        .map_err(|error| Failure::bad_request(format!("options of the training: {error}")))?;
    let names = match &options {
        Options::Linear { features, .. } | Options::Trees { features, .. } => features,
    };
    let lists = Lists {
        width: names.len(),
        features,
        labels,
        groups,
        weights,
    };
    check(&lists)?;
    let model = match &options {
        Options::Linear { options, .. } => listwise::train(&lists, names, options)?,
        Options::Trees { options, .. } => boost::train(&lists, names, options)?,
    };
    Ok(model.to_string())
}

fn check(lists: &Lists) -> Result<(), Failure> {
    let refuse = |message: String| Err(Failure::bad_request(message));
    let rows = lists.labels.len();
    if lists.width == 0 || lists.width > MODEL_FEATURES_MAX {
        return refuse(format!("a model has 1 to {MODEL_FEATURES_MAX} features"));
    }
    if lists.features.len() > TRAIN_NUMBERS_MAX {
        return refuse(format!(
            "at most {TRAIN_NUMBERS_MAX} numbers are learned from"
        ));
    }
    if lists.features.len() != rows * lists.width {
        let (found, width) = (lists.features.len(), lists.width);
        return refuse(format!(
            "{found} numbers are not {rows} rows of {width} features"
        ));
    }
    let grouped: u64 = lists.groups.iter().map(|rows| u64::from(*rows)).sum();
    if grouped != rows as u64 || lists.groups.contains(&0) {
        return refuse(format!(
            "the groups hold {grouped} of {rows} rows, or one holds none"
        ));
    }
    if !lists.features.iter().all(|x| x.is_finite()) {
        return refuse("features are finite numbers".to_owned());
    }
    if !lists.labels.iter().all(|l| (0.0..=LABEL_MAX).contains(l)) {
        return refuse(format!("labels are numbers from 0 to {LABEL_MAX}"));
    }
    if let Some(weights) = lists.weights {
        let sound = weights.iter().all(|w| (0.0..=WEIGHT_MAX).contains(w));
        if weights.len() != rows || !sound {
            return refuse(format!("each row has a weight from 0 to {WEIGHT_MAX}"));
        }
    }
    let counts = |row: usize| lists.labels[row] > 0.0 && lists.weight(row) > 0.0;
    if !(0..rows).any(counts) {
        return refuse("no row has a label above 0 and a weight".to_owned());
    }
    Ok(())
}
