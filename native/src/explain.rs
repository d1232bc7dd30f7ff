//! The reasons for a score.

use crate::failure::Failure;
use crate::fuse::View;
use crate::query::Request;
use crate::sort::Hit;

/// One JSON text per hit.
pub fn explain(_views: &[View], hits: &[Hit], _request: &Request) -> Result<Vec<String>, Failure> {
    Ok(vec!["{}".to_owned(); hits.len()])
}
