//! Documents of a batch on their way to the writer: read, analysed and given their vectors, by several threads where
//! there are many.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::{self, available_parallelism};

use parking_lot::{Condvar, Mutex};

use crate::engine::definition::Definition;
use crate::engine::document::{Prepared, Preparer};
use crate::failure::Failure;
use crate::space::Space;

/// Threads of one batch, where the machine has as many processors: the one that adds to the text index takes about as
/// long for a document as four of these.
const THREADS_MAX: usize = 4;
/// As many of them as there are processors: to ask reads files each time.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, |cores| cores.get().min(THREADS_MAX)));
/// Documents of one thread, at least: for fewer it takes as long to begin.
const DOCUMENTS_A_THREAD: usize = 8;

/// A document that only has to be added.
pub(super) struct Ready {
    pub(super) prepared: Prepared,
    /// Its unit vector, where the space makes one of its text.
    pub(super) vector: Option<Vec<f32>>,
}

/// What a batch is made of: numbers, and the JSON of each.
#[derive(Clone, Copy)]
pub(super) struct Documents<'a> {
    pub(super) ords: &'a [u64],
    pub(super) json: &'a [String],
}

/// How documents are prepared; `space` where their vectors are made here.
pub(super) struct Preparing {
    pub(super) definition: Arc<Definition>,
    pub(super) space: Option<Arc<Space>>,
}

/// Gives the document at a place of the batch; to be called for each place, in order.
pub(super) type Next<'a> = dyn FnMut(usize) -> Result<Ready, Failure> + 'a;

/// Threads for a batch of so many documents; none where the one that takes it prepares them itself.
pub(super) fn threads_for(documents: usize) -> usize {
    (documents / DOCUMENTS_A_THREAD).min(*THREADS)
}

impl Preparing {
    /// Has `take` take all documents, in order. A failure of one comes from its place.
    pub(super) fn run<T>(
        &self,
        documents: Documents,
        threads: usize,
        take: impl FnOnce(&mut Next) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if threads == 0 {
            let mut hand = self.hand();
            return take(&mut |at| hand.prepare(documents, at));
        }
        let work = Work::of(documents);
        thread::scope(|scope| {
            for _ in 0..threads {
                let hand = self.hand();
                let work = &work;
                scope.spawn(move || work.help(hand));
            }
            let _ending = Ending(&work);
            let mut hand = self.hand();
            take(&mut |at| work.get(at, &mut hand))
        })
    }

    fn hand(&self) -> Hand {
        let preparer = Preparer::new(self.definition.clone(), self.space.is_some());
        let space = self.space.clone();
        let row = vec![0.0; space.as_ref().map_or(0, |space| space.dimensions())];
        Hand {
            preparer,
            space,
            row,
        }
    }
}

/// What one thread prepares with.
struct Hand {
    preparer: Preparer,
    space: Option<Arc<Space>>,
    row: Vec<f32>,
}

impl Hand {
    fn prepare(
        &mut self,
        Documents { ords, json }: Documents,
        at: usize,
    ) -> Result<Ready, Failure> {
        let prepared = self.preparer.prepare(ords[at], &json[at])?;
        let row = &mut self.row;
        let vector = self.space.as_ref().and_then(|space| {
            let mut terms = prepared.terms.iter().map(|(t, n)| (t.as_str(), *n));
            space.embed(&mut terms, row).then(|| row.clone())
        });
        Ok(Ready { prepared, vector })
    }
}

/// A batch that several threads prepare: each takes the next document that nobody has begun.
struct Work<'a> {
    documents: Documents<'a>,
    /// The next one.
    next: AtomicUsize,
    ready: Mutex<Vec<Option<Result<Ready, Failure>>>>,
    more: Condvar,
}

impl<'a> Work<'a> {
    fn of(documents: Documents<'a>) -> Work<'a> {
        Work {
            documents,
            next: AtomicUsize::new(0),
            ready: Mutex::new(documents.ords.iter().map(|_| None).collect()),
            more: Condvar::new(),
        }
    }

    /// Prepares a document, unless all are begun.
    fn go_on(&self, hand: &mut Hand) -> bool {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if at >= self.documents.ords.len() {
            return false;
        }
        // Whoever waits for this one is to hear of a panic.
        let prepared = catch_unwind(AssertUnwindSafe(|| hand.prepare(self.documents, at)));
        self.ready.lock()[at] = Some(prepared.unwrap_or_else(|_| Err(Failure::halfway())));
        self.more.notify_one();
        true
    }

    fn help(&self, mut hand: Hand) {
        while self.go_on(&mut hand) {}
    }

    /// The document at a place. Whoever takes them prepares some, too, rather than wait.
    fn get(&self, at: usize, hand: &mut Hand) -> Result<Ready, Failure> {
        loop {
            if let Some(ready) = self.ready.lock()[at].take() {
                return ready;
            }
            if !self.go_on(hand) {
                break;
            }
        }
        let mut ready = self.ready.lock();
        loop {
            if let Some(ready) = ready[at].take() {
                return ready;
            }
            self.more.wait(&mut ready);
        }
    }
}

/// Has the others end when nobody takes documents any more: of a batch that failed the rest is not prepared.
struct Ending<'a>(&'a Work<'a>);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let all = self.0.documents.ords.len();
        self.0.next.store(all, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Code;

    const DEFINITION: &str = r#"{ "analyzers": { "a": { "tokenizer": "standard" } },
        "fields": [{ "name": "t", "type": "text", "analyzer": "a", "searched": true, "vectorized": true }],
        "embedder": { "kind": "learned", "dimensions": 64 } }"#;

    fn preparing() -> Preparing {
        Preparing {
            definition: Arc::new(Definition::parse(DEFINITION).unwrap()),
            space: Some(Arc::new(Space::hashed(1, 64))),
        }
    }

    /// A document's words and its vector.
    type Found = (Vec<String>, Vec<f32>);

    /// What each document would be found by.
    fn taken(json: &[String], threads: usize) -> Result<Vec<Found>, Failure> {
        let ords: Vec<u64> = (1..=json.len() as u64).collect();
        let documents = Documents { ords: &ords, json };
        preparing().run(documents, threads, |next| {
            let each = (0..json.len()).map(|at| {
                let Ready { prepared, vector } = next(at)?;
                let words = prepared.terms.into_iter().map(|(word, _)| word);
                Ok((words.collect(), vector.unwrap_or_default()))
            });
            each.collect()
        })
    }

    #[test]
    fn however_many_threads_prepare_them_documents_come_in_order_and_are_the_same() {
        let json: Vec<String> = (0..97)
            .map(|n| format!(r#"{{ "t": "w{n} {}" }}"#, "common ".repeat(n % 7)))
            .collect();
        let alone = taken(&json, 0).unwrap();
        for (n, (words, vector)) in alone.iter().enumerate() {
            assert!(words.contains(&format!("w{n}")));
            assert_eq!(vector.len(), 64);
        }
        for threads in [1, 2, 3, 5] {
            assert_eq!(taken(&json, threads).unwrap(), alone);
        }
    }

    #[test]
    fn a_document_that_cannot_be_read_fails_at_its_place_and_ends_the_threads() {
        let mut json = vec![r#"{ "t": "word" }"#.to_owned(); 200];
        json[60] = "nothing".to_owned();
        let ords: Vec<u64> = (1..=200).collect();
        let documents = Documents {
            ords: &ords,
            json: &json,
        };
        let mut count = 0;
        let failed = preparing().run(documents, 3, |next| {
            for at in 0..200 {
                next(at)?;
                count += 1;
            }
            Ok(())
        });
        assert_eq!(failed.unwrap_err().code, Code::BadRequest);
        assert_eq!(count, 60);
    }

    #[test]
    fn who_takes_them_prepares_what_nobody_else_does() {
        let json = vec![r#"{ "t": "word" }"#.to_owned(); 20];
        let ords: Vec<u64> = (1..=20).collect();
        let (ords, json) = (&ords[..], &json[..]);
        let work = Work::of(Documents { ords, json });
        let mut hand = preparing().hand();
        for at in 0..20 {
            assert!(work.get(at, &mut hand).is_ok());
        }
        assert!(!work.go_on(&mut hand));
    }

    #[test]
    fn a_few_documents_take_no_thread_and_many_as_many_as_there_are() {
        assert_eq!(threads_for(DOCUMENTS_A_THREAD - 1), 0);
        assert_eq!(threads_for(DOCUMENTS_A_THREAD), 1);
        assert_eq!(threads_for(500), *THREADS);
    }
}
