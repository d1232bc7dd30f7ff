//! One open index: its text, its vectors, its published views, and the one writer.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
use serde_json::json;
use tantivy::indexer::{
    AddOperation, IndexWriterOptions, LogMergePolicy, SegmentWriter, UserOperation,
};
use tantivy::schema::Term;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings, IndexWriter, Segment, TantivyDocument};

use crate::definition::{Definition, EmbedderKind};
use crate::directory::{WriteBehind, SPILL_BYTES};
use crate::document::{check, Prepared, Preparer};
use crate::failure::{Code, Failure};
use crate::manifest::{self, FileRecord, Found, Manifest, VectorsRecord};
use crate::publish::{build, SegmentCache, Views};
use crate::rates::Editions;
use crate::snapshot::{Snapshot, NONE};
use crate::space::{Kind, Space};
use crate::vectors::VectorSet;

const HEAP_BYTES: usize = 32_000_000;
/// Live documents from which on a space is learned.
pub const FIT_DOCUMENTS_MIN: u32 = 300;
/// Documents handed to the indexing thread at a time, so that it works while more are prepared.
const CHUNK: usize = 8;
/// Batches of up to this many documents become a segment on the spot.
const SMALL_BATCH: usize = 48;
/// From so many documents on a small batch is prepared by a thread of its own while it is added.
const PREPARED_ASIDE_MIN: usize = 8;
/// Memory that such a segment begins with.
const SMALL_BYTES: usize = 1_000_000;
/// Dead vectors that are worth a new set.
const COMPACT_MIN: u32 = 256;
/// A segment this many times larger than all others together isn't merged with them.
const MERGE_SHARE: u64 = 4;
/// Cut and weights of vectors that come from outside, unless the definition says them.
const GIVEN_CUT: f32 = 0.3;
const GIVEN_WEIGHTS: (f32, f32) = (0.6, 0.4);

/// What `open` found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The caller replays every record after this sequence.
    pub sequence: u64,
    /// Why the folder was emptied, if it was.
    pub rebuild: Option<String>,
    /// Live documents.
    pub documents: u32,
}

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

/// What a checkpoint made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checkpointed {
    /// The sequence that the files contain.
    pub sequence: u64,
    /// Files written, 0 when nothing had changed.
    pub files: u32,
    /// Bytes of the text files and the manifest that were written.
    pub bytes: u64,
}

/// The vectors that documents are added to, with their space.
#[derive(Clone)]
pub struct Vectors {
    /// The set.
    pub set: Arc<VectorSet>,
    /// Its space.
    pub space: Arc<Space>,
    /// Names the files of the set.
    pub number: u64,
}

/// What only one thread at a time may touch.
pub(crate) struct Writing {
    writer: Option<IndexWriter>,
    /// Documents of small batches since the last commit.
    small: Option<SmallSegment>,
    cache: SegmentCache,
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

#[derive(Default)]
struct Durable {
    meta: Arc<[u8]>,
    sequence: u64,
    number: u64,
    vectors: usize,
    graph: u32,
    space: Option<FileRecord>,
    space_id: u32,
    valid: bool,
}

/// An open index.
pub struct Engine {
    root: PathBuf,
    /// Fields and analyzers.
    pub definition: Arc<Definition>,
    directory: WriteBehind,
    index: Index,
    /// The published views.
    pub views: Views,
    /// Click rates of its documents.
    pub rates: Arc<Editions>,
    pub(crate) writing: Mutex<Writing>,
    pub(crate) committed: Condvar,
    pub(crate) vectors: RwLock<Vectors>,
    durable: Mutex<Durable>,
    pub(crate) fitting: Mutex<()>,
    pub(crate) closed: AtomicBool,
}

impl Engine {
    /// Opens the index in a folder, verifying every file first. What can't be used is removed and
    /// the reason reported; the caller replays its records then.
    pub fn open(root: &Path, definition: &str) -> Result<(Engine, Opened), Failure> {
        let definition = Arc::new(Definition::parse(definition)?);
        let mut rebuild = None;
        let found = Manifest::find(root, &definition.hash)?;
        if let Found::Whole(manifest) = found {
            match Engine::load(root, definition.clone(), &manifest) {
                Ok(engine) => {
                    let current = engine.views.current();
                    let opened = Opened {
                        sequence: current.sequence,
                        rebuild: None,
                        documents: current.live,
                    };
                    return Ok((engine, opened));
                }
                Err(failure) if failure.code == Code::DiskFull => return Err(failure),
                Err(failure) => rebuild = Some(failure.message),
            }
        } else if let Found::Unusable(reason) = found {
            rebuild = Some(reason);
        }
        let engine = Engine::create(root, definition)?;
        let opened = Opened {
            sequence: 0,
            rebuild,
            documents: 0,
        };
        Ok((engine, opened))
    }

    fn create(root: &Path, definition: Arc<Definition>) -> Result<Engine, Failure> {
        fs::create_dir_all(root)?;
        // The manifest goes first: what is left of a half-removed folder is then worth nothing.
        match fs::remove_file(root.join(manifest::MANIFEST)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => manifest::sync_folder(root)?,
        }
        manifest::sweep(root, &HashSet::new())?;
        let directory = WriteBehind::open(root, &[], None, SPILL_BYTES)?;
        let settings = IndexSettings {
            docstore_compression: Compressor::None,
            docstore_compress_dedicated_thread: false,
            ..IndexSettings::default()
        };
        let index = Index::create(directory.clone(), definition.schema.clone(), settings)?;
        let embedder = &definition.embedder;
        let space = match embedder.kind {
            EmbedderKind::Learned => Space::hashed(1, embedder.dimensions),
            EmbedderKind::Given => {
                let weights = embedder.weights.map(|w| (w.text, w.vector));
                Space::given(
                    1,
                    embedder.dimensions,
                    embedder.cut.unwrap_or(GIVEN_CUT),
                    weights.unwrap_or(GIVEN_WEIGHTS),
                )
            }
        };
        let vectors = Vectors {
            set: Arc::new(VectorSet::new(space.dimensions())),
            space: Arc::new(space),
            number: 1,
        };
        Engine::assemble(root, definition, directory, index, vectors, 0)
    }

    fn load(
        root: &Path,
        definition: Arc<Definition>,
        manifest: &Manifest,
    ) -> Result<Engine, Failure> {
        let record = &manifest.vectors;
        let space = Space::from_bytes(&manifest::read_verified(root, &manifest.space)?)?;
        let set = VectorSet::load(
            &root.join(&record.flat),
            &root.join(&record.graph),
            &record.saved,
        )?;
        if set.dimensions() != space.dimensions() {
            return Err(Failure::damaged(
                "vectors and space are of different lengths",
            ));
        }
        manifest::sweep(root, &manifest.names())?;
        let (text, meta) = (&manifest.text, Some(manifest.meta.as_str()));
        let directory = WriteBehind::open(root, text, meta, SPILL_BYTES)?;
        let index = Index::open(directory.clone())?;
        if index.schema() != definition.schema {
            return Err(Failure::damaged("the files are of another schema"));
        }
        let vectors = Vectors {
            set: Arc::new(set),
            space: Arc::new(space),
            number: number_of(&record.flat),
        };
        let engine = Engine::assemble(
            root,
            definition,
            directory,
            index,
            vectors.clone(),
            manifest.sequence,
        )?;
        *engine.durable.lock() = Durable {
            meta: Arc::from(manifest.meta.as_bytes()),
            sequence: manifest.sequence,
            number: vectors.number,
            vectors: record.saved.vectors as usize,
            // A graph that could not be read is to be written anew.
            graph: if vectors.set.has_graph() {
                record.saved.graph_vectors
            } else {
                0
            },
            space_id: vectors.space.id(),
            space: Some(manifest.space.clone()),
            valid: true,
        };
        Ok(engine)
    }

    fn assemble(
        root: &Path,
        definition: Arc<Definition>,
        directory: WriteBehind,
        mut index: Index,
        vectors: Vectors,
        sequence: u64,
    ) -> Result<Engine, Failure> {
        index.set_tokenizers(definition.tokenizers());
        let mut cache = SegmentCache::default();
        let segments = cache.views(&index, &vectors.set)?;
        let highest = segments.iter().map(|s| s.range.1).max().unwrap_or(0);
        let rates = Arc::default();
        let (set, space) = (&vectors.set, &vectors.space);
        let first = build(&definition, segments, set, space, &rates, sequence);
        Ok(Engine {
            root: root.to_path_buf(),
            definition,
            directory,
            index,
            views: Views::new(first),
            rates,
            writing: Mutex::new(Writing {
                writer: None,
                small: None,
                cache,
                highest,
                sequence,
                uncommitted: 0,
                lost: false,
                pending: None,
            }),
            committed: Condvar::new(),
            vectors: RwLock::new(vectors),
            durable: Mutex::default(),
            fitting: Mutex::new(()),
            closed: AtomicBool::new(false),
        })
    }

    /// Adds documents and deletes others; nothing is visible before the next commit. Gives for
    /// each document whether it has a vector. A bad document fails the batch before anything is
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
        let learned = self.definition.embedder.kind == EmbedderKind::Learned;
        let mut preparer = Preparer::new(self.definition.clone(), learned);
        let mut writing = self.write()?;
        let done = self.guarded(&mut writing, |engine, writing| {
            let has_vector = if learned {
                None
            } else {
                Some(engine.take_vectors(writing, ords, vector_ords, vectors))
            };
            let small = engine.begin_small(writing, ords)?;
            let add = |next: &mut Next| engine.add(writing, ords, has_vector, small, next);
            // The writer's own thread works beside this one, that of a small segment would not.
            let out = if small && ords.len() >= PREPARED_ASIDE_MIN {
                thread::scope(|scope| {
                    let (sender, receiver) = mpsc::sync_channel(ords.len());
                    scope.spawn(move || {
                        for (ord, document) in ords.iter().zip(documents) {
                            // Nobody takes it when the batch has failed.
                            if sender.send(preparer.prepare(*ord, document)).is_err() {
                                return;
                            }
                        }
                    });
                    add(&mut |_| receiver.recv().unwrap_or_else(|_| Err(halfway())))
                })?
            } else {
                add(&mut |at| preparer.prepare(ords[at], &documents[at]))?
            };
            if !deletes.is_empty() {
                let first = writing.small.as_ref().map_or(u64::MAX, |s| s.first);
                if deletes.iter().any(|ord| *ord >= first) {
                    engine.finish_small(writing)?;
                }
                writing.uncommitted += deletes.len();
                let writer = engine.writer(writing)?;
                for ord in deletes {
                    writer.delete_term(engine.term(*ord));
                }
            }
            Ok(out)
        });
        if done.is_ok() {
            writing.lost = false;
        }
        done
    }

    /// Adds documents as `next` prepares them, in order; see `apply`.
    fn add(
        &self,
        writing: &mut Writing,
        ords: &[u64],
        has_vector: Option<HashSet<u64>>,
        small: bool,
        next: &mut Next,
    ) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; ords.len()];
        let store = self.vectors.read().clone();
        let mut row = vec![0.0; store.set.dimensions()];
        for start in (0..ords.len()).step_by(CHUNK) {
            let end = (start + CHUNK).min(ords.len());
            let mut operations = Vec::with_capacity(2 * CHUNK);
            for at in start..end {
                let ord = ords[at];
                let mut prepared = next(at)?;
                out[at] = match &has_vector {
                    Some(known) => u8::from(known.contains(&ord)),
                    None => u8::from(embed(&store, ord, &prepared, &mut row)),
                };
                if ord <= writing.highest {
                    operations.push(UserOperation::Delete(self.term(ord)));
                }
                writing.highest = writing.highest.max(ord);
                let fields = std::mem::take(&mut prepared.fields);
                writing.uncommitted += 1;
                match &mut writing.small {
                    Some(segment) if small => segment.add(fields)?,
                    _ => operations.push(UserOperation::Add(fields)),
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

    /// Merges segments of an index at rest, so that a search opens fewer; gives how many it merged.
    /// A large segment is left alone while what lies beside it is small.
    pub fn merge(&self) -> Result<usize, Failure> {
        let (merging, count) = {
            let mut writing = self.write()?;
            if writing.uncommitted > 0 {
                return Ok(0);
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

    /// Brings the neighbour graph nearer to the newest vectors, until `deadline` at most; gives
    /// whether more is left. Searches and writes go on meanwhile.
    pub fn grow_graph(&self, deadline: Instant) -> Result<bool, Failure> {
        self.check_open()?;
        let live = self.views.current().live_vectors as usize;
        let set = self.vectors.read().set.clone();
        Ok(set.maintain_graph(live, deadline))
    }

    /// Ends everything but the searches that hold a view. Nothing is saved.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.directory.close();
        self.committed.notify_all();
        let (writer, small) = {
            let mut writing = self.writing.lock();
            (writing.writer.take(), writing.small.take())
        };
        let _ = catch_unwind(AssertUnwindSafe(|| drop((writer, small))));
        drop(self.durable.lock());
    }

    /// Makes the last commit durable: text, vectors, space and manifest.
    pub fn checkpoint(&self) -> Result<Checkpointed, Failure> {
        self.checkpoint_by_steps(&mut || {})
    }

    /// `checkpoint` with a call between any two changes of the folder: a crash there must leave
    /// either the state before or the state after.
    pub fn checkpoint_by_steps(&self, step: &mut dyn FnMut()) -> Result<Checkpointed, Failure> {
        let mut durable = self.durable.lock();
        self.views.release_old();
        let mut writing = self.write()?;
        self.compact(&mut writing)?;
        let image = self.directory.image()?;
        let sequence = writing.sequence;
        let vectors = self.vectors.read().clone();
        drop(writing);
        let unchanged = durable.valid
            && durable.meta == image.meta
            && durable.sequence == sequence
            && durable.number == vectors.number
            && durable.vectors == vectors.set.len()
            && durable.space_id == vectors.space.id()
            && (durable.graph > 0) == vectors.set.has_graph();
        if unchanged {
            return Ok(Checkpointed {
                sequence,
                files: 0,
                bytes: 0,
            });
        }
        let persisted = self.directory.persist(&image, step)?;
        let flat = format!("vectors-{}.flat", vectors.number);
        let graph = format!("vectors-{}.graph", vectors.number);
        let saved = vectors
            .set
            .save(&self.root.join(&flat), &self.root.join(&graph))?;
        step();
        let space = match &durable.space {
            Some(known) if durable.space_id == vectors.space.id() => known.clone(),
            _ => self.save_space(&vectors.space)?,
        };
        step();
        // Names first, then the manifest that counts on them.
        manifest::sync_folder(&self.root)?;
        let meta = String::from_utf8_lossy(&image.meta).into_owned();
        let record = VectorsRecord { flat, graph, saved };
        let (vectors_saved, graph_saved) = (record.saved.vectors, record.saved.graph_vectors);
        let hash = self.definition.hash.clone();
        let files = persisted.files;
        let manifest = Manifest::new(hash, sequence, meta, files, space.clone(), record);
        let bytes = manifest.write(&self.root)?;
        step();
        *durable = Durable {
            meta: image.meta.clone(),
            sequence,
            number: vectors.number,
            vectors: vectors_saved as usize,
            graph: graph_saved,
            space: Some(space),
            space_id: vectors.space.id(),
            valid: true,
        };
        let moved: HashSet<String> = self
            .directory
            .settle(image)
            .iter()
            .filter_map(|path| Some(path.to_str()?.split_once('.')?.0.to_owned()))
            .collect();
        step();
        self.remove_stale(&manifest.names());
        self.writing.lock().cache.forget_readers(&moved);
        Ok(Checkpointed {
            sequence,
            files: persisted.written + 2,
            bytes: persisted.bytes + bytes,
        })
    }

    /// For each number: bit 0 when a text search finds the document now, bit 1 when a vector
    /// search does.
    pub fn located(&self, ords: &[u64]) -> Vec<u8> {
        let current = self.views.current();
        let of = |ord: &u64| match current.position_of(*ord) {
            Some(position) if current.slot_at(position) != NONE => 3,
            Some(_) => 1,
            None => 0,
        };
        ords.iter().map(of).collect()
    }

    /// Figures of the index, as JSON. They are read every few seconds, whether something is written
    /// or not, and old views go by the way.
    pub fn stats(&self) -> String {
        self.views.release_old();
        let current = self.views.current();
        let vectors = self.vectors.read().clone();
        let (memory, disk) = self.directory.bytes();
        let views: usize = current
            .segments
            .iter()
            .map(|s| s.ords.len() * 12)
            .sum::<usize>()
            + current.slot_positions.len() * 4;
        let space = &current.space;
        json!({
            "documents": current.live,
            "segments": current.segments.len(),
            "vectors": current.live_vectors,
            "deleted": current.documents - current.live,
            "bytes": memory + disk,
            "memoryBytes": memory as usize + vectors.set.bytes() + vectors.space.memory_bytes() + views,
            "generation": current.generation,
            "sequence": current.sequence,
            "space": {
                "id": space.id(),
                "kind": space.kind().name(),
                "dimensions": space.dimensions(),
                "cut": space.cut(),
                "documents": space.documents(),
            },
            "graph": vectors.set.has_graph(),
            "writer": self.writing.try_lock().is_none_or(|w| w.writer.is_some()),
        })
        .to_string()
    }

    /// Terms of a text by the analyzer of a field; BAD_REQUEST when the field has none.
    pub fn analyze(&self, field: &str, text: &str) -> Result<Vec<String>, Failure> {
        let entry = self.definition.field(field);
        let analyzer = entry
            .and_then(|f| f.analyzer.as_ref())
            .ok_or_else(|| Failure::bad_request(format!("the field {field} is not analysed")))?;
        Ok(analyzer.terms(text).into_iter().map(|t| t.text).collect())
    }

    /// Vectors of texts in the current space, one row each; zeros where nothing is known.
    pub fn embed(&self, texts: &[String]) -> Vec<f32> {
        let current = self.views.current();
        let dimensions = current.space.dimensions();
        let mut out = vec![0.0; texts.len() * dimensions];
        for (text, row) in texts.iter().zip(out.chunks_mut(dimensions)) {
            if let Some(vector) = current.embed_query(text) {
                row.copy_from_slice(&vector);
            }
        }
        out
    }

    /// Whether learning a new space would pay now.
    pub fn fit_wanted_now(&self) -> bool {
        self.fit_wanted(&self.views.current())
    }

    fn fit_wanted(&self, current: &Snapshot) -> bool {
        self.definition.embedder.kind == EmbedderKind::Learned
            && current.live >= FIT_DOCUMENTS_MIN
            && match current.space.kind() {
                Kind::Hashed => true,
                Kind::Learned => current.live as usize >= 2 * current.space.documents().max(1),
                Kind::Given => false,
            }
    }

    pub(crate) fn write(&self) -> Result<MutexGuard<'_, Writing>, Failure> {
        let writing = self.writing.lock();
        self.check_open()?;
        Ok(writing)
    }

    pub(crate) fn check_open(&self) -> Result<(), Failure> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(Failure::new(Code::NotOpen, "the index is closed"));
        }
        Ok(())
    }

    /// Reads the committed segments and publishes them with the vectors as they are now.
    pub(crate) fn publish(&self, writing: &mut Writing, sequence: u64) -> Result<u64, Failure> {
        let vectors = self.vectors.read().clone();
        let segments = writing.cache.views(&self.index, &vectors.set)?;
        let (set, space) = (&vectors.set, &vectors.space);
        let rates = &self.rates;
        let snapshot = build(&self.definition, segments, set, space, rates, sequence);
        Ok(self.views.publish(snapshot))
    }

    /// Replaces the vectors; the caller publishes.
    pub(crate) fn replace_vectors(&self, set: VectorSet, space: Arc<Space>) {
        let mut vectors = self.vectors.write();
        vectors.number += 1;
        vectors.set = Arc::new(set);
        vectors.space = space;
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
            .unwrap_or_else(|_| Err(halfway()));
        if let Err(failure) = &done {
            if failure.code == Code::BadRequest && writing.uncommitted == before {
                return done;
            }
            writing.lost = writing.uncommitted > 0;
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

    fn writer<'a>(&self, writing: &'a mut Writing) -> Result<&'a mut IndexWriter, Failure> {
        let writer = match writing.writer.take() {
            Some(writer) => writer,
            None => {
                let options = IndexWriterOptions::builder()
                    .memory_budget_per_thread(HEAP_BYTES)
                    .num_worker_threads(1)
                    .num_merge_threads(1)
                    .build();
                let writer: IndexWriter = self.index.writer_with_options(options)?;
                let mut policy = LogMergePolicy::default();
                policy.set_min_layer_size(64);
                policy.set_min_num_segments(16);
                policy.set_del_docs_ratio_before_merge(0.3);
                writer.set_merge_policy(Box::new(policy));
                // Whatever a writer before this one left behind must not stand in its way.
                writer.garbage_collect_files().wait()?;
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
        if writing.small.is_none() {
            let segment = self.index.new_segment();
            let writer = SegmentWriter::for_segment(SMALL_BYTES, segment.clone())?;
            let first = ords[0];
            writing.small = Some(SmallSegment {
                segment,
                writer,
                first,
            });
        }
        Ok(true)
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
        Term::from_field_u64(self.definition.ord, ord)
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

    /// Leaves dead vectors behind when more than half are dead.
    fn compact(&self, writing: &mut Writing) -> Result<(), Failure> {
        let current = self.views.current();
        let vectors = self.vectors.read().clone();
        let all = vectors.set.len() as u32;
        let dead = all - current.live_vectors.min(all);
        if writing.uncommitted > 0 || dead < COMPACT_MIN || dead <= all / 2 {
            return Ok(());
        }
        let kept = vectors
            .set
            .retain(|slot| current.position_of_slot(slot).is_some());
        self.replace_vectors(kept, vectors.space);
        let sequence = writing.sequence;
        self.publish(writing, sequence)?;
        Ok(())
    }

    fn save_space(&self, space: &Space) -> io::Result<FileRecord> {
        let bytes = space.to_bytes();
        let name = format!("space-{}.bin", space.id());
        let mut file = fs::File::create(self.root.join(&name))?;
        io::Write::write_all(&mut file, &bytes)?;
        file.sync_all()?;
        Ok(FileRecord {
            name,
            bytes: bytes.len() as u64,
            hash: crc32fast::hash(&bytes),
        })
    }

    /// Removes vectors and spaces that the manifest doesn't name any more.
    fn remove_stale(&self, names: &HashSet<&str>) {
        let Ok(entries) = fs::read_dir(&self.root) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let ours = name.starts_with("vectors-") || name.starts_with("space-");
            if ours && !names.contains(name) {
                // What stays is swept at the next open.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A segment made on the spot. The writer's own threads reserve a table for half a million terms
/// with each segment, which for a few documents costs as much as the documents.
struct SmallSegment {
    segment: Segment,
    writer: SegmentWriter,
    /// Smallest number in it.
    first: u64,
}

impl SmallSegment {
    fn add(&mut self, document: TantivyDocument) -> Result<(), Failure> {
        let opstamp = 0;
        self.writer
            .add_document(AddOperation { opstamp, document })?;
        Ok(())
    }
}

/// Prepares the document at a place of a batch; called for each place, in order.
type Next<'a> = dyn FnMut(usize) -> Result<Prepared, Failure> + 'a;

fn halfway() -> Failure {
    Failure::internal("the change stopped halfway")
}

fn embed(vectors: &Vectors, ord: u64, prepared: &Prepared, row: &mut [f32]) -> bool {
    let mut terms = prepared.terms.iter().map(|(t, n)| (t.as_str(), *n));
    vectors.space.embed(&mut terms, &prepared.text, row) && vectors.set.append(ord, row).is_some()
}

fn number_of(flat: &str) -> u64 {
    let digits = flat
        .trim_start_matches("vectors-")
        .trim_end_matches(".flat");
    digits.parse().unwrap_or(1)
}

/// All segments, or all but the largest when rewriting that one would cost more than it saves.
fn worth_merging<Id: Copy>(mut segments: Vec<(Id, u32)>) -> Vec<Id> {
    segments.sort_by_key(|(_, documents)| std::cmp::Reverse(*documents));
    let beside: u64 = segments.iter().skip(1).map(|s| u64::from(s.1)).sum();
    let largest = segments.first().map_or(0, |s| u64::from(s.1));
    let skipped = usize::from(beside * MERGE_SHARE < largest);
    segments.iter().skip(skipped).map(|s| s.0).collect()
}

/// Gives memory that is free back to the system: this thread's of the core, and the C++ and JavaScript parts'.
pub(crate) fn trim_memory() {
    // SAFETY: the call has no preconditions.
    unsafe { libmimalloc_sys::mi_collect(true) };
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}
