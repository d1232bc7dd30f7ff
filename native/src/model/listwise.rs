//! A linear model of a list: the softmax of its scores comes close to the gains of its documents.
//!
//! The loss of a query is −Σ w(d) · p(d) · ln softmax(s)(d), with p the gains divided by their sum
//! and w the inverse propensity of the row (ListNet's top-1 cross entropy, Cao et al. 2007; weighed
//! as in Joachims, Swaminathan & Schnabel 2017). With the squared norm of the weights on top it is
//! strictly convex: L-BFGS (Nocedal & Wright 2006, algorithm 7.4) finds its one minimum.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::{json, Value};

use crate::failure::Failure;
use crate::model::judged::Lists;

/// Most steps that may be asked for.
pub const ITERATIONS_MAX: usize = 500;
/// Steps that L-BFGS remembers.
const MEMORY: usize = 10;
/// The gradient's largest number below which the minimum is found.
const TOLERANCE: f64 = 1e-6;
/// Halvings of a step before the search ends.
const HALVINGS_MAX: usize = 40;
/// What a step must gain of what the slope promises.
const ARMIJO: f64 = 1e-4;

/// How a linear model is trained.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct LinearOptions {
    /// Weight of half the squared norm of the weights, per query.
    pub l2: f64,
    /// Steps at most.
    pub iterations: usize,
}

/// Chosen by cross-validation (`npm run bench:ltr -- --choose`).
impl Default for LinearOptions {
    fn default() -> Self {
        LinearOptions {
            l2: 0.3,
            iterations: 100,
        }
    }
}

/// Trains a model; gives it as it crosses the wall.
pub fn train(lists: &Lists, names: &[String], options: &LinearOptions) -> Result<Value, Failure> {
    if !(1e-9..=1e9).contains(&options.l2) || options.iterations > ITERATIONS_MAX {
        return Err(Failure::bad_request(format!(
            "l2 lies above 0, iterations are at most {ITERATIONS_MAX}"
        )));
    }
    let (mean, std) = moments(lists);
    let task = Task::new(lists, &mean, &std, options.l2);
    let weights = minimize(&task, lists.width, options.iterations);
    Ok(
        json!({ "kind": "linear", "features": names, "weights": weights, "bias": 0,
               "mean": mean, "std": std }),
    )
}

/// Mean and deviation of each feature over all rows; a deviation of 0 is 1.
fn moments(lists: &Lists) -> (Vec<f64>, Vec<f64>) {
    let rows = lists.labels.len() as f64;
    let mut mean = vec![0.0; lists.width];
    for row in lists.features.chunks_exact(lists.width) {
        let sums = mean.iter_mut().zip(row);
        sums.for_each(|(sum, x)| *sum += f64::from(*x));
    }
    mean.iter_mut().for_each(|sum| *sum /= rows);
    let mut squares = vec![0.0; lists.width];
    for row in lists.features.chunks_exact(lists.width) {
        for ((sum, x), mean) in squares.iter_mut().zip(row).zip(&mean) {
            *sum += (f64::from(*x) - mean).powi(2);
        }
    }
    let std = squares.into_iter().map(|sum| (sum / rows).sqrt());
    let std = std.map(|std| if std > 1e-12 { std } else { 1.0 });
    (mean, std.collect())
}

/// Standardised rows of the queries that have any gain.
struct Task {
    width: usize,
    rows: Vec<f64>,
    /// Per row w · p.
    targets: Vec<f64>,
    /// Rows of each query.
    groups: Vec<usize>,
    l2: f64,
}

impl Task {
    fn new(lists: &Lists, mean: &[f64], std: &[f64], l2: f64) -> Task {
        let mut task = Task {
            width: lists.width,
            rows: Vec::new(),
            targets: Vec::new(),
            groups: Vec::new(),
            l2,
        };
        for query in lists.queries() {
            let gains: f64 = query.clone().map(|row| lists.gain(row)).sum();
            if gains <= 0.0 {
                continue;
            }
            task.groups.push(query.len());
            for row in query {
                let target = lists.weight(row) * lists.gain(row) / gains;
                task.targets.push(target);
                let values = lists.features[row * lists.width..][..lists.width].iter();
                let scaled = values.zip(mean).zip(std);
                task.rows
                    .extend(scaled.map(|((x, mean), std)| (f64::from(*x) - mean) / std));
            }
        }
        // Inverse propensities make a query count more; on average it counts 1, so that l2 means
        // the same with and without them.
        let total: f64 = task.targets.iter().sum();
        let queries = task.groups.len() as f64;
        if total > 0.0 {
            let scale = 1.0 / total.max(f64::MIN_POSITIVE) * queries;
            task.targets.iter_mut().for_each(|target| *target *= scale);
        }
        task
    }

    /// The mean loss at some weights; its gradient goes into `gradient`.
    fn loss(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let queries = self.groups.len() as f64;
        gradient.fill(0.0);
        let (mut loss, mut start) = (0.0, 0);
        let mut scores = Vec::new();
        for rows in &self.groups {
            let block = &self.rows[start * self.width..][..rows * self.width];
            let targets = &self.targets[start..][..*rows];
            start += rows;
            scores.clear();
            scores.extend(block.chunks_exact(self.width).map(|row| dot(row, weights)));
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            let log_sum = most + sum.ln();
            let total: f64 = targets.iter().sum();
            let rows = block.chunks_exact(self.width);
            for ((row, score), target) in rows.zip(&scores).zip(targets) {
                let log = score - log_sum;
                loss -= target * log;
                let slope = (total * log.exp() - target) / queries;
                add_scaled(gradient, slope, row);
            }
        }
        add_scaled(gradient, self.l2, weights);
        loss / queries + self.l2 / 2.0 * dot(weights, weights)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Four sums side by side: one would wait for each addition.
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4
        .remainder()
        .iter()
        .zip(b4.remainder())
        .map(|(x, y)| x * y)
        .sum();
    let mut sums = [0.0; 4];
    for (x, y) in a4.zip(b4) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn add_scaled(into: &mut [f64], factor: f64, values: &[f64]) {
    let pairs = into.iter_mut().zip(values);
    pairs.for_each(|(sum, value)| *sum += factor * value);
}

/// A step taken: the change of the weights, that of the gradient, and 1 / their product.
struct Step {
    weights: Vec<f64>,
    gradient: Vec<f64>,
    inverse: f64,
}

fn minimize(task: &Task, width: usize, iterations: usize) -> Vec<f64> {
    let mut weights = vec![0.0; width];
    let mut gradient = vec![0.0; width];
    let mut loss = task.loss(&weights, &mut gradient);
    let mut steps: VecDeque<Step> = VecDeque::with_capacity(MEMORY);
    let (mut tried, mut tried_gradient) = (weights.clone(), gradient.clone());
    for _ in 0..iterations {
        if gradient.iter().all(|slope| slope.abs() < TOLERANCE) {
            break;
        }
        let direction = direction(&gradient, &steps);
        let slope = dot(&direction, &gradient);
        let mut size = if steps.is_empty() {
            1.0 / dot(&gradient, &gradient).sqrt().max(1.0)
        } else {
            1.0
        };
        let mut found = false;
        for _ in 0..HALVINGS_MAX {
            tried.copy_from_slice(&weights);
            add_scaled(&mut tried, size, &direction);
            let next = task.loss(&tried, &mut tried_gradient);
            if next <= loss + ARMIJO * size * slope {
                (loss, found) = (next, true);
                break;
            }
            size /= 2.0;
        }
        if !found {
            break;
        }
        let change: Vec<f64> = tried.iter().zip(&weights).map(|(a, b)| a - b).collect();
        let turn: Vec<f64> = tried_gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        let product = dot(&change, &turn);
        if product > 0.0 {
            if steps.len() == MEMORY {
                steps.pop_front();
            }
            steps.push_back(Step {
                weights: change,
                gradient: turn,
                inverse: 1.0 / product,
            });
        }
        weights.copy_from_slice(&tried);
        gradient.copy_from_slice(&tried_gradient);
    }
    weights
}

/// Down the slope, by the curvature that the last steps showed.
fn direction(gradient: &[f64], steps: &VecDeque<Step>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let share = step.inverse * dot(&step.weights, &direction);
        add_scaled(&mut direction, -share, &step.gradient);
        shares.push(share);
    }
    if let Some(last) = steps.back() {
        let scale = 1.0 / (last.inverse * dot(&last.gradient, &last.gradient));
        direction.iter_mut().for_each(|x| *x *= scale);
    }
    for (step, share) in steps.iter().zip(shares.into_iter().rev()) {
        let own = step.inverse * dot(&step.gradient, &direction);
        add_scaled(&mut direction, share - own, &step.weights);
    }
    direction
}
