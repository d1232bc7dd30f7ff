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
    pub all: u64,
    /// The shares of each one's documents that were seen to have it, added.
    shares: f64,
    /// Whether all documents of the word were looked at.
    is_whole: bool,
}

impl Beside {
    /// Whether it was seen to stand beside any of them.
    pub fn is_somewhere(self) -> bool {
        self.shares > 0.0
    }

    /// Whether it is known to stand beside none of them.
    pub fn is_nowhere(self) -> bool {
        self.is_whole && !self.is_somewhere()
    }

    /// How much the word belongs to the others: documents with all of them say most; where there are none, or as many of
    /// another word, the share of each one's documents tells.
    pub fn affinity(self) -> f64 {
        self.all as f64 + self.shares
    }
}

/// What is known of each word beside `context`; nothing where that is empty. `shares` such questions share what one
/// may take.
pub fn beside(
    snapshots: &[(u64, Arc<Snapshot>)],
    context: &[&str],
    found: &[Word],
    shares: usize,
) -> Result<Vec<Beside>, Failure> {
    let mut besides = vec![Beside::default(); found.len()];
    if context.is_empty() {
        return Ok(besides);
    }
    besides.iter_mut().for_each(|beside| beside.is_whole = true);
    let mut documents = vec![0; context.len()];
    let mut each = vec![vec![0; context.len()]; found.len()];
    for (_, snapshot) in snapshots {
        deadline::look()?;
        let company = words::beside(snapshot, context, found, POSTINGS_MAX / shares)?;
        add(&mut documents, &company.context);
        for (at, shared) in company.shared.into_iter().enumerate() {
            match shared {
                Some(shared) => {
                    besides[at].all += u64::from(shared.all);
                    add(&mut each[at], &shared.each);
                }
                None => besides[at].is_whole = false,
            }
        }
    }
    for (beside, each) in besides.iter_mut().zip(each) {
        let shares = each.iter().zip(&documents);
        let shares = shares.filter(|(shared, _)| **shared > 0);
        beside.shares = shares.map(|(own, all)| *own as f64 / *all as f64).sum();
    }
    Ok(besides)
}

fn add(sums: &mut [u64], counts: &[u32]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += u64::from(*count);
    }
}
