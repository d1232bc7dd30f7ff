//! One open index: its text, its vectors, its published views, and the one writer.

pub mod bits;
pub mod codes;
pub mod column;
pub mod definition;
pub mod directory;
pub mod document;
pub mod exact_terms;
pub mod facts;
pub mod format;
pub mod learn;
pub mod lengths;
pub mod long_words;
pub mod manifest;
pub mod names;
pub mod publish;
pub mod rates;
pub mod segment;
pub mod snapshot;
pub mod tokens;
pub mod views;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::mem::take;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex, RwLock};
use serde_json::json;
use tantivy::store::Compressor;
use tantivy::{Index, IndexSettings};

use crate::engine::definition::{Definition, EmbedderKind};
use crate::engine::directory::{WriteBehind, SPILL_BYTES};
use crate::engine::manifest::{Found, Manifest};
use crate::engine::publish::build;
use crate::engine::rates::Editions;
use crate::engine::segment::NONE;
use crate::engine::snapshot::Snapshot;
use crate::engine::views::Views;
use crate::failure::{Code, Failure};
use crate::space::{Kind, Space};
use crate::vectors::VectorSet;

mod changes;
mod checkpoint;
mod merging;
mod preparing;
mod room;
mod segments;
mod writing;

pub use checkpoint::Checkpointed;
pub use writing::{Committed, HAS_VECTOR, IS_CUT};

use checkpoint::{number_of, Durable};
use segments::Segments;
use writing::Writing;

/// Live documents from which on a space is learned.
pub const FIT_DOCUMENTS_MIN: u32 = 300;
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

/// An open index.
pub struct Engine {
    root: PathBuf,
    /// Fields and analyzers.
    pub definition: Arc<Definition>,
    directory: WriteBehind,
    segments: Arc<Segments>,
    /// The published views.
    pub views: Views,
    /// Click rates of its documents.
    pub rates: Arc<Editions>,
    pub(crate) writing: Mutex<Writing>,
    pub(crate) committed: Condvar,
    pub(crate) vectors: RwLock<Vectors>,
    durable: Mutex<Durable>,
    /// Bytes on disk of the vectors and their space: figures must not wait for what is being made durable.
    bytes_beside_text: AtomicU64,
    pub(crate) fitting: Mutex<()>,
    pub(crate) closed: AtomicBool,
}

impl Engine {
    /// Opens the index in a folder, verifying every file first. What can't be used is removed and
    /// the reason reported; the caller replays its records then.
    pub fn open(root: &Path, definition: &str) -> Result<(Engine, Opened), Failure> {
        Engine::open_known(root, definition, None)
    }

    /// As `open`; files whose mark (see `checkpoint_as`) is not among `known` can't be used.
    pub fn open_known(
        root: &Path,
        definition: &str,
        known: Option<&[String]>,
    ) -> Result<(Engine, Opened), Failure> {
        let definition = Arc::new(Definition::parse(definition)?);
        let mut rebuild = None;
        let found = Manifest::find(root, &definition.hash, known)?;
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
        let mut saved = record.saved.clone();
        if !vectors.set.has_begun_graph() {
            // One that could not be read is to be written anew.
            saved.graph = None;
            (saved.graph_vectors, saved.graph_is_partial) = (0, false);
        }
        let durable = Durable {
            mark: manifest.mark.clone(),
            meta: Arc::from(manifest.meta.as_bytes()),
            sequence: manifest.sequence,
            number: vectors.number,
            vectors: Some(saved),
            space_id: vectors.space.id(),
            space: Some(manifest.space.clone()),
            valid: true,
        };
        engine.note_durable(&mut engine.durable.lock(), durable);
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
        let segments = Segments::open(index, directory.clone())?;
        let views = segments.views(&vectors.set)?;
        let highest = views.iter().map(|s| s.numbers.range.1).max().unwrap_or(0);
        let rates = Arc::default();
        let (set, space) = (&vectors.set, &vectors.space);
        let first = build(&definition, views, set, space, &rates, sequence);
        Ok(Engine {
            root: root.to_path_buf(),
            definition,
            directory,
            segments: Arc::new(segments),
            views: Views::new(first),
            rates,
            writing: Mutex::new(Writing::new(highest, sequence)),
            committed: Condvar::new(),
            vectors: RwLock::new(vectors),
            durable: Mutex::default(),
            bytes_beside_text: AtomicU64::default(),
            fitting: Mutex::new(()),
            closed: AtomicBool::new(false),
        })
    }

    /// Brings the neighbour graph nearer to the newest vectors, until `deadline` at most; gives
    /// whether more is left. Searches and writes go on meanwhile.
    pub fn grow_graph(&self, deadline: Instant, is_at_rest: bool) -> Result<bool, Failure> {
        self.check_open()?;
        let live = self.views.current().live_vectors as usize;
        let set = self.vectors.read().set.clone();
        let more = set.maintain_graph(live, deadline, is_at_rest);
        self.show_links(&set)?;
        Ok(more)
    }

    /// Publishes a view that goes by the newest links; those before keep theirs.
    fn show_links(&self, set: &Arc<VectorSet>) -> Result<(), Failure> {
        let is_behind = |view: &Snapshot| {
            let links = [&set.links(), &view.links].map(|links| links.as_ref().map(Arc::as_ptr));
            Arc::ptr_eq(&view.vectors, set) && links[0] != links[1]
        };
        if !is_behind(&self.views.current()) {
            return Ok(());
        }
        let mut writing = self.write()?;
        // What is on its way brings them along with its commit.
        if writing.uncommitted == 0 && is_behind(&self.views.current()) {
            let sequence = writing.sequence;
            self.publish(&mut writing, sequence)?;
        }
        Ok(())
    }

    /// Ends everything but the searches that hold a view. Nothing is saved.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.directory.close();
        self.directory.freeze();
        self.committed.notify_all();
        let changes = take(&mut self.writing.lock().changes);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(changes)));
        drop(self.durable.lock());
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
        let beside = self.bytes_beside_text.load(Ordering::Relaxed);
        let views: usize = current
            .segments
            .iter()
            .map(|s| s.numbers.ords.len() * 12)
            .sum::<usize>()
            + current.slot_positions.len() * 4;
        let space = &current.space;
        json!({
            "documents": current.live,
            "segments": current.segments.len(),
            "vectors": current.live_vectors,
            "deleted": current.documents - current.live,
            "bytes": memory + disk + beside,
            "memoryBytes": memory as usize + vectors.set.bytes() + vectors.space.memory_bytes() + views,
            "generation": current.generation,
            "sequence": current.sequence,
            "space": {
                "id": space.id(),
                "kind": space.kind().name(),
                "dimensions": space.dimensions(),
                "cut": current.cut(),
                "documents": space.documents(),
            },
            "graph": vectors.set.has_graph(),
            "writer": self.writing.try_lock().is_none_or(|w| w.is_used),
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
            if let Some(vector) = current.embed_query(text, &[]) {
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

    pub(crate) fn check_open(&self) -> Result<(), Failure> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(Failure::new(Code::NotOpen, "the index is closed"));
        }
        Ok(())
    }

    /// Reads the committed segments and publishes them with the vectors as they are now. Whoever writes waits for it.
    pub(crate) fn publish(&self, _held: &mut Writing, sequence: u64) -> Result<u64, Failure> {
        let vectors = self.vectors.read().clone();
        let segments = self.segments.views(&vectors.set)?;
        let (set, space) = (&vectors.set, &vectors.space);
        let rates = &self.rates;
        let snapshot = build(&self.definition, segments, set, space, rates, sequence);
        if self.views.current().has_long_words() {
            snapshot.read_long_words()?;
        }
        Ok(self.views.publish(snapshot))
    }

    /// Replaces the vectors; the caller publishes.
    pub(crate) fn replace_vectors(&self, set: VectorSet, space: Arc<Space>) {
        let mut vectors = self.vectors.write();
        vectors.number += 1;
        vectors.set = Arc::new(set);
        vectors.space = space;
    }
}

/// Gives memory that is free back to the system: this thread's of the core, and the C++ and JavaScript parts'.
pub(crate) fn trim_memory() {
    let_go_of_free_memory();
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Gives memory of the core that this thread has freed back to the system.
pub(crate) fn let_go_of_free_memory() {
    // SAFETY: the call has no preconditions.
    unsafe { libmimalloc_sys::mi_collect(true) };
}
