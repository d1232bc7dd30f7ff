//! Suggestions: how the last word may go on, and what a word may have been meant to be.

pub mod beside;
pub mod candidates;
pub mod complete;
pub mod correct;
pub mod known;
pub mod written;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::suggest::complete::{complete, Completion};
use crate::search::suggest::correct::{correct, Correction};
use crate::search::suggest::written::{Read, Writer};

const LIMIT_MAX: usize = 100;

/// What suggestions are asked for.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The beginning of a query, whose last word goes on.
    pub prefix: Option<String>,
    /// A whole query, whose unknown words are corrected.
    pub query: Option<String>,
    /// Most suggestions of each kind.
    #[serde(default = "limit")]
    pub limit: usize,
}

fn limit() -> usize {
    10
}

#[derive(Serialize)]
struct Suggestions {
    completions: Vec<Completion>,
    corrections: Vec<Correction>,
}

impl Request {
    /// Reads a request; BAD_REQUEST when it is none.
    pub fn parse(json: &str) -> Result<Request, Failure> {
        let request: Request =
            serde_json::from_str(json).map_err(|e| Failure::bad_request(e.to_string()))?;
        if request.limit > LIMIT_MAX {
            let message = format!("at most {LIMIT_MAX} suggestions");
            return Err(Failure::bad_request(message));
        }
        Ok(request)
    }
}

/// Completions and corrections as JSON. Their text is the whole text asked for, with the word in
/// its place, as the documents that are `read` write it; `documents` counts live documents with the word.
pub fn suggest(
    snapshots: &[(u64, Arc<Snapshot>)],
    request: &Request,
    read: &Read,
) -> Result<String, Failure> {
    let mut writer = Writer::new(snapshots, read);
    let mut suggestions = Suggestions {
        completions: Vec::new(),
        corrections: Vec::new(),
    };
    if let Some(prefix) = &request.prefix {
        suggestions.completions = complete(snapshots, prefix, request.limit, &mut writer)?;
    }
    // A beginning that nothing goes on from may be misspelt.
    let stuck = suggestions.completions.is_empty();
    let prefix = request.prefix.as_ref().filter(|_| stuck);
    if let Some(query) = request.query.as_ref().or(prefix) {
        suggestions.corrections = correct(snapshots, query, request.limit, &mut writer)?;
    }
    serde_json::to_string(&suggestions).map_err(|error| Failure::internal(error.to_string()))
}
