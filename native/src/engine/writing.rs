//! The writer of an index: what is applied becomes visible with the next commit.

use std::collections::HashSet;
use std::mem::take;
use std::panic::{catch_unwind, AssertUnwindSafe};

use parking_lot::MutexGuard;
use tantivy::TantivyDocument;

use super::changes::Changes;
use super::preparing::{threads_for, Documents, Next, Preparing, Ready};
use super::{let_go_of_free_memory, trim_memory, Engine};
use crate::engine::definition::EmbedderKind;
use crate::engine::document::readable::check;
use crate::engine::document::Prepared;
use crate::failure::{Code, Failure};

/// Documents between two looks at whether the index was closed.
const CHUNK: usize = 8;
/// What a commit of more changes worked with is given back at once: the thread may have nothing to do for long.
const LARGE_BATCH: usize = 48;

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
    /// What was applied since the last commit.
    pub(super) changes: Changes,
    /// Something was applied since it was last let go of.
    pub(super) is_used: bool,
    /// Largest document number ever seen; numbers above need no delete before they are added.
    highest: u64,
    pub(crate) sequence: u64,
    /// How many changes that are.
    pub(crate) uncommitted: usize,
    /// Changes were lost by a failure: nothing is committed before they are applied again.
    pub(super) lost: bool,
    /// Terms of the uncommitted documents, kept while a space is learned.
    pub(crate) pending: Option<Vec<(u64, Prepared)>>,
}

impl Writing {
    /// Nothing is under way yet.
    pub(super) fn new(highest: u64, sequence: u64) -> Writing {
        Writing {
            changes: Changes::default(),
            is_used: false,
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
            writing.is_used = true;
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
                engine.add(writing, ords, next, |ord, vector| match &given {
                    Some(known) => known.contains(&ord),
                    None => vector.is_some_and(|row| store.set.append(ord, &row).is_some()),
                })
            })?;
            for ord in deletes {
                writing.changes.delete(*ord);
            }
            writing.uncommitted += deletes.len();
            Ok(out)
        });
        if done.is_ok() {
            writing.lost = false;
        }
        done
    }

    /// Adds documents as `next` gives them, in order; see `apply`. `note` takes a document's own vector, and tells
    /// whether it has one.
    fn add(
        &self,
        writing: &mut Writing,
        ords: &[u64],
        next: &mut Next,
        note: impl Fn(u64, Option<Vec<f32>>) -> bool,
    ) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; ords.len()];
        for (at, ord) in ords.iter().enumerate() {
            if at % CHUNK == 0 {
                // Whoever closes the index waits for this batch.
                self.check_open()?;
            }
            let Ready {
                mut prepared,
                vector,
            } = next(at)?;
            let has_vector = note(*ord, vector);
            out[at] = u8::from(has_vector) * HAS_VECTOR + u8::from(prepared.is_cut) * IS_CUT;
            if *ord <= writing.highest {
                writing.changes.delete(*ord);
            }
            writing.highest = writing.highest.max(*ord);
            let fields: TantivyDocument = take(&mut prepared.fields);
            writing.uncommitted += 1;
            let begin = || self.segments.begin();
            writing.changes.add(*ord, fields, begin)?;
            if let Some(pending) = &mut writing.pending {
                pending.push((*ord, prepared));
            }
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
                writing.changes.finish_open()?;
                engine.segments.commit(take(&mut writing.changes))?;
                engine.publish(writing, sequence)?;
                Ok(())
            })?;
            self.segments.merge_beside();
            if writing.uncommitted > LARGE_BATCH {
                let_go_of_free_memory();
            }
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

    /// Waits for what is being merged, and frees memory, unless the index is written to meanwhile.
    pub fn release(&self) -> Result<(), Failure> {
        if self.write()?.uncommitted > 0 || self.segments.rest().is_none() {
            return Ok(());
        }
        self.show_merged()?;
        let mut writing = self.write()?;
        writing.is_used = writing.uncommitted > 0;
        drop(writing);
        trim_memory();
        Ok(())
    }

    pub(crate) fn write(&self) -> Result<MutexGuard<'_, Writing>, Failure> {
        let writing = self.writing.lock();
        self.check_open()?;
        Ok(writing)
    }

    /// Runs a change; after a failure or a panic what was applied since the last commit is lost, except when the request
    /// was bad before anything had happened.
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
            writing.uncommitted = 0;
            if let Some(pending) = &mut writing.pending {
                pending.clear();
            }
            let changes = take(&mut writing.changes);
            let _ = catch_unwind(AssertUnwindSafe(|| drop(changes)));
            self.committed.notify_all();
        }
        done
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
            self.segments.forget_slots();
            writing.uncommitted += 1;
        }
        let known = ords.iter().filter(|ord| set.slot_of(**ord).is_some());
        known.copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    const DEFINITION: &str =
        r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;

    #[test]
    fn what_a_failure_lost_is_still_lost_after_another_one_that_had_nothing_to_lose() {
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), DEFINITION).unwrap();
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
    }
}
