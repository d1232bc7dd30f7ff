//! The open indices of the process, seen by all threads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};

use crate::engine::publish::generation_now;
use crate::engine::snapshot::{Snapshot, Use};
use crate::engine::views::now_ms;
use crate::engine::{Engine, Opened};
use crate::failure::{Code, Failure};
use crate::search::answer::Answer;
use crate::search::query::Request;

/// Closed indices of which it is kept what they showed; of more, none.
const CLOSED_MAX: usize = 100_000;
/// Publications that may come between a number and its view until a search is refused.
const PUBLICATIONS_MAX: usize = 64;

/// What a closed index showed.
struct Closed {
    /// The sequence of its records.
    sequence: u64,
    /// The number of its vectors, which may be learned anew from the same records.
    vectors: u64,
    /// How many of them its links knew: a file of them is written once the graph has grown by much.
    linked: u32,
    /// The generation from which on it showed that.
    since: u64,
}

/// Indices that were closed and may be opened again: who goes on in a list of theirs finds it unchanged.
fn closed() -> &'static Mutex<HashMap<u64, Closed>> {
    static CLOSED: OnceLock<Mutex<HashMap<u64, Closed>>> = OnceLock::new();
    CLOSED.get_or_init(Mutex::default)
}

fn engines() -> &'static RwLock<HashMap<u64, Arc<Engine>>> {
    static ENGINES: OnceLock<RwLock<HashMap<u64, Arc<Engine>>>> = OnceLock::new();
    ENGINES.get_or_init(RwLock::default)
}

/// Opens an index under a number, of files that `known` names; BAD_REQUEST when the number is taken.
pub fn open(
    id: u64,
    root: &Path,
    definition: &str,
    known: Option<&[String]>,
) -> Result<Opened, Failure> {
    let taken = || Failure::bad_request(format!("index {id} is already open"));
    if engines().read().contains_key(&id) {
        return Err(taken());
    }
    let (engine, opened) = Engine::open_known(root, definition, known)?;
    let mut engines = engines().write();
    if engines.contains_key(&id) {
        return Err(taken());
    }
    let before = closed().lock().remove(&id);
    if before.is_none() {
        engine.rates.begin();
    }
    let is_as_before = |before: &Closed| {
        let vectors = engine.vectors.read().number;
        let linked = engine.views.current().linked();
        opened.rebuild.is_none()
            && (before.sequence, before.vectors) == (opened.sequence, vectors)
            && before.linked == linked
    };
    if let Some(before) = before.filter(is_as_before) {
        engine.views.reach_back(before.since);
    }
    engines.insert(id, Arc::new(engine));
    Ok(opened)
}

/// The open index of a number; NOT_OPEN when there is none.
pub fn get(id: u64) -> Result<Arc<Engine>, Failure> {
    let found = engines().read().get(&id).cloned();
    found.ok_or_else(|| not_open(id))
}

fn not_open(id: u64) -> Failure {
    Failure::new(Code::NotOpen, format!("index {id} is not open"))
}

/// For how many milliseconds the oldest view that any index holds has no longer been the newest.
pub fn held_ms() -> u64 {
    let engines = engines().read();
    let held = engines.values().map(|engine| engine.views.held_ms());
    held.max().unwrap_or(0)
}

/// Forgets an index; searches that hold one of its views finish.
pub fn close(id: u64) -> Result<(), Failure> {
    let found = engines().write().remove(&id);
    match found {
        Some(engine) => {
            let current = engine.views.current();
            let mut closed = closed().lock();
            if closed.len() >= CLOSED_MAX {
                closed.clear();
            }
            let shown = Closed {
                sequence: current.sequence,
                vectors: engine.vectors.read().number,
                linked: current.linked(),
                since: current.since.load(Ordering::SeqCst),
            };
            closed.insert(id, shown);
            drop(closed);
            engine.close();
            Ok(())
        }
        None => Err(not_open(id)),
    }
}

/// One moment of several indices: the views that were the newest at a generation, or now. The generation names the same
/// moment again as long as the views are held.
pub fn moment(ids: &[u64], generation: Option<u64>) -> Result<Moment, Failure> {
    let engines: Vec<(u64, Arc<Engine>)> = ids
        .iter()
        .map(|id| Ok((*id, get(*id)?)))
        .collect::<Result<_, Failure>>()?;
    let resolve = |generation: u64| -> Result<Moment, Failure> {
        if generation > generation_now() {
            let message = "this generation is of another run";
            return Err(Failure::new(Code::GenerationGone, message));
        }
        let views = engines
            .iter()
            .map(|(id, engine)| Ok((*id, engine.views.at(generation)?)))
            .collect::<Result<_, Failure>>()?;
        Ok(Moment { generation, views })
    };
    if let Some(generation) = generation {
        return resolve(generation);
    }
    // A publication between reading the number and the view makes the view too new; again then.
    for _ in 0..PUBLICATIONS_MAX {
        match resolve(generation_now()) {
            Err(failure) if failure.code == Code::GenerationGone => {}
            done => return done,
        }
    }
    resolve(generation_now())
}

/// Views of one moment.
pub struct Moment {
    /// The number of the moment.
    pub generation: u64,
    /// Index → its view.
    pub views: Vec<(u64, Arc<Snapshot>)>,
}

impl Moment {
    /// Notes that a search was answered from here: who may go on finds the views held for longer.
    pub fn note_use(&self, request: &Request, answer: &Answer) {
        let what = if request.after.is_some() {
            Use::Continued
        } else if request.generation.is_some() || answer.next.is_some() {
            Use::Offered
        } else {
            Use::Searched
        };
        for (_, view) in &self.views {
            view.mark_used(what, now_ms());
        }
    }
}
