//! The writer of an index: what is applied becomes visible with the next commit.

use std::collections::HashSet;
use std::panic::{catch_unwind, AssertUnwindSafe};

use parking_lot::MutexGuard;
use tantivy::indexer::{AddOperation, IndexWriterOptions, SegmentWriter, UserOperation};
use tantivy::schema::Term;
use tantivy::{Index, IndexWriter, Segment, TantivyDocument};

use super::merging::merge_policy;
use super::preparing::{threads_for, Documents, Next, Preparing, Ready};
use super::{trim_memory, Engine};
use crate::engine::definition::EmbedderKind;
use crate::engine::document::readable::check;
use crate::engine::document::Prepared;
use crate::engine::exact_terms::number_term;
use crate::engine::segment_cache::SegmentCache;
use crate::failure::{Code, Failure};

/// Memory of the writer, from which on it writes a segment by itself.
const HEAP_BYTES: usize = 32_000_000;
/// Documents handed to the indexing thread at a time, so that it works while more are prepared.
const CHUNK: usize = 8;
/// Batches of up to this many documents become a segment on the spot.
const SMALL_BATCH: usize = 48;
/// Memory that such a segment begins with.
const SMALL_BYTES: usize = 1_000_000;

/// What `apply` says of a document: that it has a vector, and that it was too many pieces of words to be indexed whole.
pub const HAS_VECTOR: u8 = 1;
pub const IS_CUT: u8 = 2;

/// What a commit published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The generation of the view.
    pub generation: u64,
    /// Live documents.
    pub documents: u32,
    /// Live vectors.
    pub vectors: u32,
    /// Whether learning a new space would pay.
    pub fit_wanted: bool,
}

/// What only one thread at a time may touch.
pub(crate) struct Writing {
    pub(super) writer: Option<IndexWriter>,
    /// Documents of small batches since the last commit.
    pub(super) small: Option<SmallSegment>,
    pub(super) cache: SegmentCache,
    /// Largest document number ever seen; numbers above need no delete before they are added.
    highest: u64,
    pub(crate) sequence: u64,
    /// Changes handed to the writer since the last commit.
    pub(crate) uncommitted: usize,
    /// Changes were lost by a failure: nothing is committed before they are applied again.
    lost: bool,
    /// Terms of the uncommitted documents, kept while a space is learned.
    pub(crate) pending: Option<Vec<(u64, Prepared)>>,
}

impl Writing {
    /// Nothing is under way yet.
    pub(super) fn new(cache: SegmentCache, highest: u64, sequence: u64) -> Writing {
        Writing {
            writer: None,
            small: None,
            cache,
            highest,
            sequence,
            uncommitted: 0,
            lost: false,
            pending: None,
        }
    }
}

impl Engine {
    /// Adds documents and deletes others; nothing is visible before the next commit. Gives for
    /// each document `HAS_VECTOR` and `IS_CUT`, if that is so. A bad document fails the batch before anything is
    /// changed. After any other failure the changes since the last commit are gone: the caller
    /// applies them again.
    pub fn apply(
        &self,
        ords: &[u64],
        documents: &[String],
        deletes: &[u64],
        vector_ords: &[u64],
        vectors: &[f32],
    ) -> Result<Vec<u8>, Failure> {
        if ords.len() != documents.len() {
            return Err(Failure::bad_request("a number is needed for each document"));
        }
        let dimensions = self.definition.embedder.dimensions;
        if vectors.len() != vector_ords.len() * dimensions {
            let message = format!("a vector must have {dimensions} numbers");
            return Err(Failure::bad_request(message));
        }
        for (ord, document) in ords.iter().zip(documents) {
            check(*ord, document)?;
        }
        let mut writing = self.write()?;
        let done = self.guarded(&mut writing, |engine, writing| {
            let given = match engine.definition.embedder.kind {
                EmbedderKind::Learned => None,
                EmbedderKind::Given => {
                    Some(engine.take_vectors(writing, ords, vector_ords, vectors))
                }
            };
            let is_small = engine.begin_small(writing, ords)?;
            let store = engine.vectors.read().clone();
            let preparing = Preparing {
                definition: engine.definition.clone(),
                space: given.is_none().then(|| store.space.clone()),
            };
            let threads = threads_for(ords.len());
            let batch = Documents {
                ords,
                json: documents,
            };
            let out = preparing.run(batch, threads, |next| {
                engine.add(writing, ords, is_small, next, |ord, vector| match &given {
                    Some(known) => known.contains(&ord),
                    None => vector.is_some_and(|row| store.set.append(ord, &row).is_some()),
                })
            })?;
            engine.delete(writing, deletes)?;
            Ok(out)
        });
        if done.is_ok() {
            writing.lost = false;
        }
        done
    }

    fn delete(&self, writing: &mut Writing, ords: &[u64]) -> Result<(), Failure> {
        if ords.is_empty() {
            return Ok(());
        }
        let first = writing.small.as_ref().map_or(u64::MAX, |s| s.first);
        if ords.iter().any(|ord| *ord >= first) {
            self.finish_small(writing)?;
        }
        writing.uncommitted += ords.len();
        let writer = self.writer(writing)?;
        for ord in ords {
            writer.delete_term(self.term(*ord));
        }
        Ok(())
    }

    /// Adds documents as `next` gives them, in order; see `apply`. `note` takes a document's own vector, and tells
    /// whether it has one.
    fn add(
        &self,
        writing: &mut Writing,
        ords: &[u64],
        is_small: bool,
        next: &mut Next,
        note: impl Fn(u64, Option<Vec<f32>>) -> bool,
    ) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; ords.len()];
        for start in (0..ords.len()).step_by(CHUNK) {
            // Whoever closes the index waits for this batch.
            self.check_open()?;
            let end = (start + CHUNK).min(ords.len());
            let mut operations = Vec::with_capacity(2 * CHUNK);
            for at in start..end {
                let ord = ords[at];
                let Ready {
                    mut prepared,
                    vector,
                } = next(at)?;
                let has_vector = note(ord, vector);
                out[at] = u8::from(has_vector) * HAS_VECTOR + u8::from(prepared.is_cut) * IS_CUT;
                if ord <= writing.highest {
                    operations.push(UserOperation::Delete(self.term(ord)));
                }
                writing.highest = writing.highest.max(ord);
                let fields = std::mem::take(&mut prepared.fields);
                writing.uncommitted += 1;
                if is_small {
                    self.add_small(writing, ord, fields)?;
                } else {
                    operations.push(UserOperation::Add(fields));
                }
                if let Some(pending) = &mut writing.pending {
                    pending.push((ord, prepared));
                }
            }
            self.writer(writing)?.run(operations)?;
        }
        Ok(out)
    }

    /// Publishes everything applied so far as the state at `sequence`.
    pub fn commit(&self, sequence: u64) -> Result<Committed, Failure> {
        let mut writing = self.write()?;
        if writing.lost {
            let message = format!(
                "changes were lost by a failure: apply everything after sequence {} again",
                writing.sequence
            );
            return Err(Failure::internal(message));
        }
        if writing.uncommitted > 0 {
            self.guarded(&mut writing, |engine, writing| {
                engine.finish_small(writing)?;
                let writer = engine.writer(writing)?;
                let mut prepared = writer.prepare_commit()?;
                prepared.set_payload(&sequence.to_string());
                prepared.commit()?;
                engine.publish(writing, sequence)?;
                Ok(())
            })?;
            writing.uncommitted = 0;
            if let Some(pending) = &mut writing.pending {
                pending.clear();
            }
        }
        writing.sequence = sequence;
        drop(writing);
        self.committed.notify_all();
        let current = self.views.current();
        Ok(Committed {
            generation: current.generation,
            documents: current.live,
            vectors: current.live_vectors,
            fit_wanted: self.fit_wanted(&current),
        })
    }

    /// Ends the writer's threads and frees its memory; the next apply makes them again.
    pub fn release(&self) -> Result<(), Failure> {
        let mut writing = self.write()?;
        if writing.uncommitted > 0 {
            return Ok(());
        }
        if let Some(writer) = writing.writer.take() {
            writer.wait_merging_threads()?;
            let sequence = writing.sequence;
            self.publish(&mut writing, sequence)?;
        }
        drop(writing);
        trim_memory();
        Ok(())
    }

    pub(crate) fn write(&self) -> Result<MutexGuard<'_, Writing>, Failure> {
        let writing = self.writing.lock();
        self.check_open()?;
        Ok(writing)
    }

    /// Runs a change; after a failure or a panic the writer is dropped and what it held is lost,
    /// except when the request was bad before anything had happened.
    fn guarded<T>(
        &self,
        writing: &mut Writing,
        change: impl FnOnce(&Engine, &mut Writing) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let before = writing.uncommitted;
        let done = catch_unwind(AssertUnwindSafe(|| change(self, writing)))
            .unwrap_or_else(|_| Err(Failure::halfway()));
        if let Err(failure) = &done {
            if failure.code == Code::BadRequest && writing.uncommitted == before {
                return done;
            }
            // What an earlier failure lost is lost until a change is applied.
            writing.lost |= writing.uncommitted > 0;
            writing.small = None;
            writing.uncommitted = 0;
            if let Some(pending) = &mut writing.pending {
                pending.clear();
            }
            let writer = writing.writer.take();
            let _ = catch_unwind(AssertUnwindSafe(|| drop(writer)));
            self.committed.notify_all();
        }
        done
    }

    pub(super) fn writer<'a>(
        &self,
        writing: &'a mut Writing,
    ) -> Result<&'a mut IndexWriter, Failure> {
        let writer = match writing.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .memory_budget_per_thread(HEAP_BYTES)
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .build();
                let writer: IndexWriter = self.index.writer_with_options(options)?;
                writer.set_merge_policy(merge_policy());
                // Whatever a writer before this one left behind must not stand in its way.
                writer.garbage_collect_files().wait()?;
                // Its first stamp is that of the last commit. A delete must not have it: a merge of what was committed
                // takes those that are not later along, but in no segment of which that commit deleted something.
                writer.run([])?;
                writer
            }
        };
        Ok(writing.writer.insert(writer))
    }

    /// Whether these documents go into the small segment, which is then there. Only new numbers
    /// do: a delete that was asked for before them would find them too.
    fn begin_small(&self, writing: &mut Writing, ords: &[u64]) -> Result<bool, Failure> {
        let new = ords.first().is_some_and(|first| *first > writing.highest)
            && ords.windows(2).all(|pair| pair[0] < pair[1]);
        let held = writing.small.as_ref().map_or(0, |s| s.writer.max_doc());
        if !new || held as usize + ords.len() > SMALL_BATCH {
            self.finish_small(writing)?;
        }
        if !new || ords.len() > SMALL_BATCH {
            return Ok(false);
        }
        Ok(true)
    }

    /// Adds a document to the small segment, which begins with it where there is none. Few documents may be large
    /// ones: then the segment ends where one of the writer's own would, and the next document begins another.
    fn add_small(
        &self,
        writing: &mut Writing,
        ord: u64,
        document: TantivyDocument,
    ) -> Result<(), Failure> {
        let segment = match &mut writing.small {
            Some(segment) => segment,
            none => none.insert(SmallSegment::begin(&self.index, ord)?),
        };
        segment.add(document)?;
        if segment.writer.mem_usage() >= HEAP_BYTES {
            self.finish_small(writing)?;
        }
        Ok(())
    }

    /// Hands the small segment to the writer, which publishes it with the next commit.
    fn finish_small(&self, writing: &mut Writing) -> Result<(), Failure> {
        let Some(small) = writing.small.take() else {
            return Ok(());
        };
        let documents = small.writer.max_doc();
        if documents == 0 {
            return Ok(());
        }
        small.writer.finalize()?;
        let meta = small.segment.with_max_doc(documents).meta().clone();
        meta.untrack_temp_docstore();
        self.writer(writing)?.add_segment(meta)?;
        Ok(())
    }

    fn term(&self, ord: u64) -> Term {
        Term::from_field_bytes(self.definition.exact_terms, &number_term(ord))
    }

    /// Takes the vectors that came with a batch; gives the documents that have one.
    fn take_vectors(
        &self,
        writing: &mut Writing,
        ords: &[u64],
        vector_ords: &[u64],
        vectors: &[f32],
    ) -> HashSet<u64> {
        let set = self.vectors.read().set.clone();
        set.append_batch(vector_ords, vectors);
        let fresh: HashSet<u64> = ords.iter().copied().collect();
        if vector_ords.iter().any(|ord| !fresh.contains(ord)) {
            // A published document gets its vector now: the next commit has to show it.
            writing.cache.forget_slots();
            writing.uncommitted += 1;
        }
        let known = ords.iter().filter(|ord| set.slot_of(**ord).is_some());
        known.copied().collect()
    }
}

/// A segment made on the spot. The writer's own threads reserve a table for half a million terms
/// with each segment, which for a few documents costs as much as the documents.
pub(super) struct SmallSegment {
    segment: Segment,
    writer: SegmentWriter,
    /// Smallest number in it.
    first: u64,
}

impl SmallSegment {
    fn begin(index: &Index, first: u64) -> Result<SmallSegment, Failure> {
        let segment = index.new_segment();
        let writer = SegmentWriter::for_segment(SMALL_BYTES, segment.clone())?;
        Ok(SmallSegment {
            segment,
            writer,
            first,
        })
    }

    fn add(&mut self, document: TantivyDocument) -> Result<(), Failure> {
        let opstamp = 0;
        self.writer
            .add_document(AddOperation { opstamp, document })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str =
        r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;

    #[test]
    fn what_a_failure_lost_is_still_lost_after_another_one_that_had_nothing_to_lose() {
        let name = format!("attune-lost-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (engine, _) = Engine::open(&folder, DEFINITION).unwrap();
        let write = || engine.apply(&[1], &["{}".to_owned()], &[], &[], &[]);
        let fail = || {
            let mut writing = engine.write().unwrap();
            let failed = engine.guarded(&mut writing, |_, _| Err::<(), _>(Failure::halfway()));
            assert!(failed.is_err());
        };
        write().unwrap();
        fail();
        assert!(engine.commit(1).is_err());
        fail();
        assert!(engine.commit(1).is_err());
        write().unwrap();
        engine.commit(1).unwrap();
        assert_eq!(engine.located(&[1]), [1]);
        engine.close();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
