//! When segments become one: a search pays for each.

use std::mem::take;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::thread;

use parking_lot::MutexGuard;
use tantivy::index::SegmentId;
use tantivy::indexer::{merge_filtered_segments, LogMergePolicy, MergePolicy};
use tantivy::{DocId, Segment, SegmentReader};

use super::segments::{List, Listed, Segments};
use super::{let_go_of_free_memory, Engine};
use crate::engine::directory::aside::Aside;
use crate::engine::segment::Numbers;
use crate::failure::Failure;

/// A segment this many times larger than all others together isn't merged with them.
const MERGE_SHARE: u64 = 4;
/// Segments of about one size that become one while an index is written to.
const LAYER_SEGMENTS: usize = 8;
/// Segments of fewer documents count as of one size.
const LAYER_DOCUMENTS: u32 = 256;
/// A segment of which so much is dead is written anew.
const DEAD_SHARE: f32 = 0.3;

/// What is to be merged while an index is written to: the segments of one layer.
fn layer(list: &List) -> Option<Vec<SegmentId>> {
    let mut policy = LogMergePolicy::default();
    policy.set_min_layer_size(LAYER_DOCUMENTS);
    policy.set_min_num_segments(LAYER_SEGMENTS);
    policy.set_del_docs_ratio_before_merge(DEAD_SHARE);
    let metas: Vec<_> = list.listed.iter().map(Listed::meta).collect();
    let layers = policy.compute_merge_candidates(&metas);
    // The layer of the smallest comes last: they are many, and soon done.
    layers.into_iter().last().map(|layer| layer.0)
}

impl Segments {
    /// Waits until nothing is being merged; `None` where somebody commits before: there may be more to merge all the time.
    pub(super) fn rest(&self) -> Option<MutexGuard<'_, List>> {
        let mut list = self.list.lock();
        let before = list.commits;
        while list.is_merging && list.commits == before {
            self.moved_on.wait(&mut list);
        }
        Some(list).filter(|list| !list.is_merging)
    }

    /// Begins to merge what is to be merged while the index is written to, unless that is under way.
    pub(super) fn merge_beside(self: &Arc<Segments>) {
        let mut list = self.list.lock();
        if list.is_merging {
            return;
        }
        let Some(first) = layer(&list) else { return };
        list.is_merging = true;
        drop(list);
        let own = self.clone();
        let begun = thread::Builder::new()
            .name("merging".into())
            .spawn(move || own.merge_all(first));
        if begun.is_err() {
            // The next commit tries again.
            self.end_merging(&mut self.list.lock());
        }
    }

    fn merge_all(&self, first: Vec<SegmentId>) {
        let mut next = Some(first);
        while let Some(chosen) = next {
            let merged = catch_unwind(AssertUnwindSafe(|| self.merge(&chosen)));
            let has_merged = matches!(merged, Ok(Ok(())));
            next = layer(&self.list.lock()).filter(|_| has_merged);
            if next.is_none() {
                let_go_of_free_memory();
                next = self.next_or_end(has_merged);
            }
        }
    }

    /// What is to be merged next. Where that is nothing, merging has ended: whoever commits from then on begins again, so
    /// that no commit comes between the last look and the end.
    fn next_or_end(&self, has_merged: bool) -> Option<Vec<SegmentId>> {
        let mut list = self.list.lock();
        // What failed stays as it is: the next commit tries again.
        let next = layer(&list).filter(|_| has_merged);
        if next.is_none() {
            self.end_merging(&mut list);
        }
        next
    }

    fn end_merging(&self, list: &mut List) {
        list.is_merging = false;
        self.drop_empty(list);
        self.moved_on.notify_all();
    }

    /// Makes one segment of some, which stay in the list until it takes their place. Only one thread at a time may.
    fn merge(&self, ids: &[SegmentId]) -> Result<(), Failure> {
        let sources = self.sources(ids);
        if sources.is_empty() {
            return Ok(());
        }
        let aside = Aside::of(self.directory());
        let merged = self.write_merged(&sources, &aside)?;
        self.replace(&sources, merged, &aside)
    }

    /// What is merged, as it is now.
    fn sources(&self, ids: &[SegmentId]) -> Vec<Listed> {
        let mut list = self.list.lock();
        // None of them is being merged yet: those of which nothing is left can go.
        self.drop_empty(&mut list);
        let chosen = list.listed.iter().filter(|one| ids.contains(&one.id()));
        let mut sources: Vec<Listed> = chosen.cloned().collect();
        // Numbers that ascend need no second list of them.
        sources.sort_by_key(|one| one.numbers.range.0);
        sources
    }

    fn write_merged(&self, sources: &[Listed], aside: &Aside) -> Result<Listed, Failure> {
        let segments: Vec<Segment> = sources.iter().map(|one| one.segment.clone()).collect();
        let alive = sources.iter().map(|one| one.alive().cloned()).collect();
        let settings = segments[0].index().settings().clone();
        let index = merge_filtered_segments(&segments, settings, alive, aside.clone())?;
        let metas = index.searchable_segment_metas()?;
        let meta = metas.first().ok_or_else(Failure::halfway)?;
        let segment = self.segment(meta);
        let reader = SegmentReader::open(&segment)?;
        Ok(Listed::new(segment, Numbers::read(&reader)?))
    }

    /// Puts a merged segment in the place of its sources.
    fn replace(&self, sources: &[Listed], merged: Listed, aside: &Aside) -> Result<(), Failure> {
        let mut merged = merged;
        let mut list = self.list.lock();
        let dead = deleted_since(sources, &list);
        if !dead.is_empty() {
            merged.delete(&dead, list.next_edition())?;
        }
        let is_source = |one: &Listed| sources.iter().any(|source| source.id() == one.id());
        let (gone, kept) = take(&mut list.listed).into_iter().partition(is_source);
        list.listed = kept;
        aside.keep();
        list.listed.push(merged);
        self.remove_files(&gone);
        Ok(())
    }

    /// Merges what is worth it in an index at rest; gives how many segments became one.
    fn merge_at_rest(self: &Arc<Segments>) -> Result<usize, Failure> {
        let Some(mut list) = self.rest() else {
            return Ok(0);
        };
        let all = list.listed.iter().map(|one| (one.id(), one.live()));
        let chosen = worth_merging(all.collect());
        if chosen.len() < 2 {
            return Ok(0);
        }
        list.is_merging = true;
        drop(list);
        let merged = catch_unwind(AssertUnwindSafe(|| self.merge(&chosen)));
        self.end_merging(&mut self.list.lock());
        merged.unwrap_or_else(|_| Err(Failure::halfway()))?;
        // For what was committed meanwhile.
        self.merge_beside();
        Ok(chosen.len())
    }
}

/// Documents of a merged segment that were deleted in its sources while it was made: it has the live documents of each
/// source, in their order.
fn deleted_since(sources: &[Listed], list: &List) -> Vec<DocId> {
    let mut dead = Vec::new();
    let mut first = 0;
    for source in sources {
        let now = list.listed.iter().find(|one| one.id() == source.id());
        if let Some(now) = now.filter(|now| now.edition() != source.edition()) {
            let taken = 0..source.segment.meta().max_doc();
            let taken = (first..).zip(taken.filter(|document| source.is_live(*document)));
            dead.extend(taken.filter(|pair| !now.is_live(pair.1)).map(|pair| pair.0));
        }
        first += source.live();
    }
    dead
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
        if self.write()?.uncommitted > 0 {
            return Ok(0);
        }
        let count = self.segments.merge_at_rest()?;
        self.show_merged()?;
        Ok(count)
    }

    /// Publishes a view of what was merged, unless a commit is about to.
    pub(super) fn show_merged(&self) -> Result<(), Failure> {
        let mut writing = self.write()?;
        let is_whole = writing.uncommitted == 0 && !writing.lost;
        if is_whole && self.segments.differ_from(&self.views.current().segments) {
            let sequence = writing.sequence;
            self.publish(&mut writing, sequence)?;
        }
        Ok(())
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
    use crate::folder::Folder;

    const DEFINITION: &str =
        r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;

    fn open() -> (Folder, Engine) {
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), DEFINITION).unwrap();
        (folder, engine)
    }

    fn write(engine: &Engine, ords: std::ops::Range<u64>, deletes: &[u64]) {
        let ords: Vec<u64> = ords.collect();
        let documents = vec!["{}".to_owned(); ords.len()];
        engine.apply(&ords, &documents, deletes, &[], &[]).unwrap();
    }

    #[test]
    fn what_is_deleted_or_replaced_while_segments_are_merged_is_gone_from_what_they_become() {
        let (folder, engine) = open();
        write(&engine, 1..9, &[]);
        engine.commit(1).unwrap();
        write(&engine, 9..13, &[10, 2]);
        engine.commit(2).unwrap();
        let segments = &engine.segments;
        let ids: Vec<SegmentId> = segments.list.lock().listed.iter().map(Listed::id).collect();
        assert_eq!(ids.len(), 2);
        // As the thread would: commits begin no merge beside it.
        segments.list.lock().is_merging = true;
        let sources = segments.sources(&ids);
        let aside = Aside::of(&engine.directory);
        let merged = segments.write_merged(&sources, &aside);
        write(&engine, 5..6, &[3, 11]);
        engine.commit(3).unwrap();
        segments.replace(&sources, merged.unwrap(), &aside).unwrap();
        segments.end_merging(&mut segments.list.lock());
        engine.commit(4).unwrap();
        engine.release().unwrap();
        assert_eq!(engine.views.current().segments.len(), 2);
        let all: Vec<u64> = (1..13).collect();
        let expected = [1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1];
        assert_eq!(engine.located(&all), expected);
        assert_eq!(engine.views.current().live, 8);
        // The files say the same.
        engine.checkpoint().unwrap();
        engine.close();
        let (engine, opened) = Engine::open(folder.path(), DEFINITION).unwrap();
        assert_eq!((opened.rebuild, opened.documents), (None, 8));
        assert_eq!(engine.located(&all), expected);
        engine.close();
    }

    #[test]
    fn segments_become_few_while_an_index_is_written_to_and_leave_no_file() {
        let (_folder, engine) = open();
        for n in 0..100 {
            write(&engine, n * 3 + 1..n * 3 + 4, &[n * 2]);
            engine.commit(n + 1).unwrap();
        }
        engine.release().unwrap();
        let view = engine.views.current();
        assert!(
            view.segments.len() <= LAYER_SEGMENTS,
            "{}",
            view.segments.len()
        );
        assert_eq!(view.live, 201);
        let all: Vec<u64> = (1..301).collect();
        let found = engine.located(&all);
        for (ord, found) in all.iter().zip(found) {
            assert_eq!(found == 1, ord % 2 == 1 || *ord >= 200, "{ord}");
        }
        // Two lists, and some files of each segment.
        let files = engine.directory.names();
        assert!(files.len() <= 2 + view.segments.len() * 7, "{files:?}");
        engine.close();
    }

    #[test]
    fn who_waits_for_merges_goes_on_when_an_index_is_written_to() {
        let (_folder, engine) = open();
        write(&engine, 1..9, &[]);
        engine.commit(1).unwrap();
        // For ever, as it seems.
        engine.segments.list.lock().is_merging = true;
        thread::scope(|scope| {
            let released = scope.spawn(|| engine.release());
            let mut n = 1;
            while !released.is_finished() {
                n += 1;
                write(&engine, n * 8 + 1..n * 8 + 9, &[]);
                engine.commit(n).unwrap();
            }
            released.join().unwrap().unwrap();
        });
        engine
            .segments
            .end_merging(&mut engine.segments.list.lock());
        engine.close();
    }

    #[test]
    fn a_merge_that_fails_leaves_everything_as_it_was() {
        let (folder, engine) = open();
        write(&engine, 1..9, &[]);
        engine.commit(1).unwrap();
        write(&engine, 9..13, &[10]);
        engine.commit(2).unwrap();
        let files = engine.directory.names();
        engine.give_up_merging();
        assert!(engine.merge().is_err());
        assert_eq!(engine.directory.names(), files);
        assert_eq!(engine.located(&[1, 9, 10, 12]), [1, 1, 0, 1]);
        engine.checkpoint().unwrap();
        engine.close();
        let (engine, opened) = Engine::open(folder.path(), DEFINITION).unwrap();
        assert_eq!((opened.rebuild, opened.documents), (None, 11));
        engine.close();
    }
}
