//! The open indices of the process, seen by all threads.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

use crate::engine::publish::{generation_now, now_ms};
use crate::engine::snapshot::{Snapshot, Use};
use crate::engine::{Engine, Opened};
use crate::failure::{Code, Failure};
use crate::search::answer::Answer;
use crate::search::query::Request;

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
    engines.insert(id, Arc::new(engine));
    Ok(opened)
}

/// The open index of a number; NOT_OPEN when there is none.
pub fn get(id: u64) -> Result<Arc<Engine>, Failure> {
    let found = engines().read().get(&id).cloned();
    found.ok_or_else(|| Failure::new(Code::NotOpen, format!("index {id} is not open")))
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
            engine.close();
            Ok(())
        }
        None => Err(Failure::new(
            Code::NotOpen,
            format!("index {id} is not open"),
        )),
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
    for _ in 0..64 {
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
