//! When segments become one: a search pays for each.

use tantivy::indexer::{LogMergePolicy, MergePolicy};

use super::Engine;
use crate::failure::Failure;

/// A segment this many times larger than all others together isn't merged with them.
const MERGE_SHARE: u64 = 4;
/// Segments of about one size that become one while an index is written to.
const LAYER_SEGMENTS: usize = 8;
/// Segments of fewer documents count as of one size.
const LAYER_DOCUMENTS: u32 = 256;
/// A segment of which so much is dead is written anew.
const DEAD_SHARE: f32 = 0.3;

/// What is merged while an index is written to.
pub(super) fn merge_policy() -> Box<dyn MergePolicy> {
    let mut policy = LogMergePolicy::default();
    policy.set_min_layer_size(LAYER_DOCUMENTS);
    policy.set_min_num_segments(LAYER_SEGMENTS);
    policy.set_del_docs_ratio_before_merge(DEAD_SHARE);
    Box::new(policy)
}

impl Engine {
    /// Gives up what is being merged, now and later: the segments stay as they are. To be called when nothing is written
    /// to the index any more; what was committed can still be made durable.
    pub fn give_up_merging(&self) {
        self.directory.freeze();
    }

    /// Merges segments of an index at rest, so that a search opens fewer; gives how many it merged.
    /// A large segment is left alone while what lies beside it is small.
    pub fn merge(&self) -> Result<usize, Failure> {
        let (merging, count) = {
            let mut writing = self.write()?;
            if writing.uncommitted > 0 {
                return Ok(0);
            }
            // What the policy merges right now can't be merged a second time.
            if let Some(writer) = writing.writer.take() {
                writer.wait_merging_threads()?;
                let sequence = writing.sequence;
                self.publish(&mut writing, sequence)?;
            }
            let metas = self.index.searchable_segment_metas()?;
            let chosen = worth_merging(metas.iter().map(|m| (m.id(), m.num_docs())).collect());
            if chosen.len() < 2 {
                return Ok(0);
            }
            (self.writer(&mut writing)?.merge(&chosen), chosen.len())
        };
        merging.wait()?;
        let mut writing = self.write()?;
        let sequence = writing.sequence;
        self.publish(&mut writing, sequence)?;
        Ok(count)
    }
}

/// All segments, or all but the largest when rewriting that one would cost more than it saves.
fn worth_merging<Id: Copy>(mut segments: Vec<(Id, u32)>) -> Vec<Id> {
    segments.sort_by_key(|(_, documents)| std::cmp::Reverse(*documents));
    let beside: u64 = segments.iter().skip(1).map(|s| u64::from(s.1)).sum();
    let largest = segments.first().map_or(0, |s| u64::from(s.1));
    let skipped = usize::from(beside * MERGE_SHARE < largest);
    segments.iter().skip(skipped).map(|s| s.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str =
        r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;

    #[test]
    fn a_merge_that_begins_behind_the_first_delete_of_a_writer_loses_no_delete() {
        let name = format!("attune-merging-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (engine, _) = Engine::open(&folder, DEFINITION).unwrap();
        let write = |ords: std::ops::Range<u64>, deletes: &[u64]| {
            let ords: Vec<u64> = ords.collect();
            let documents = vec!["{}".to_owned(); ords.len()];
            engine.apply(&ords, &documents, deletes, &[], &[]).unwrap();
        };
        write(1..9, &[]);
        engine.commit(1).unwrap();
        write(9..13, &[10]);
        engine.commit(2).unwrap();
        // The next writer begins where this commit, which deleted something, ended.
        engine.release().unwrap();
        write(0..0, &[11]);
        let merging = {
            let mut writing = engine.write().unwrap();
            let metas = engine.index.searchable_segment_metas().unwrap();
            let ids: Vec<_> = metas.iter().map(|m| m.id()).collect();
            assert_eq!(ids.len(), 2);
            engine.writer(&mut writing).unwrap().merge(&ids)
        };
        merging.wait().unwrap();
        engine.commit(3).unwrap();
        assert_eq!(engine.views.current().segments.len(), 1);
        let found = engine.located(&[9, 10, 11, 12]);
        assert_eq!(found, [1, 0, 0, 1]);
        engine.close();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
