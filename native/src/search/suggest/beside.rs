//! Words that stand beside others, and what that says of them.

use std::sync::Arc;

use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::text::words::{self, Word};

/// Documents of words that are looked through in an index to see which words stand together: some milliseconds.
const POSTINGS_MAX: usize = 2_000_000;

/// What is known of a word beside others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside {
    /// Documents that were seen to have it beside all of them.
    pub documents: u64,
    /// Whether all documents of the word were looked at.
    is_whole: bool,
}

impl Beside {
    /// Whether it is known to stand beside them nowhere.
    pub fn is_nowhere(self) -> bool {
        self.is_whole && self.documents == 0
    }

    /// How much a word of so many documents belongs to the others: the share of its documents that have them, for each of
    /// these documents. A word that stands everywhere stands beside them, too, and says nothing.
    pub fn affinity(self, documents: u64) -> f64 {
        (self.documents * self.documents) as f64 / documents as f64
    }
}

/// What is known of each word beside all of `context`; nothing where that is empty. `shares` such questions share what one
/// may take.
pub fn beside(
    snapshots: &[(u64, Arc<Snapshot>)],
    context: &[&str],
    found: &[Word],
    shares: usize,
) -> Result<Vec<Beside>, Failure> {
    let is_whole = !context.is_empty();
    let mut sums = vec![
        Beside {
            documents: 0,
            is_whole
        };
        found.len()
    ];
    for (_, snapshot) in snapshots.iter().filter(|_| is_whole) {
        deadline::look()?;
        let counts = words::beside(snapshot, context, found, POSTINGS_MAX / shares)?;
        for (sum, count) in sums.iter_mut().zip(counts) {
            match count {
                Some(count) => sum.documents += u64::from(count),
                None => sum.is_whole = false,
            }
        }
    }
    Ok(sums)
}
