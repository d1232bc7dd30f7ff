//! The newest view of an index, and the older ones that are held for whoever goes on in a list: cursors live as long.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::{Mutex, RwLock};

use crate::engine::publish::next_generation;
use crate::engine::snapshot::{Snapshot, Use};
use crate::failure::{Code, Failure};

/// A view that was searched is held this long after its last search, …
const HELD_MS: u64 = 60_000;
/// … and no longer than this after it was replaced: what it shows has to stay for as long.
const HELD_MS_MAX: u64 = 3_600_000;
/// So many of the views held for later pages stay whatever they take.
const HELD_MIN: usize = 16;
/// Views held for later pages, at most.
const HELD_MAX: usize = 256;
/// Memory that they take beside the newest view, at most.
const HELD_BYTES: usize = 64_000_000;

/// Milliseconds since the first call in the process.
pub fn now_ms() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// The newest view of an index and the older ones that somebody is still paging through.
pub struct Views {
    current: RwLock<Arc<Snapshot>>,
    held: Mutex<Vec<Arc<Snapshot>>>,
}

impl Views {
    /// Publishes the first view.
    pub fn new(snapshot: Snapshot) -> Views {
        let mut first = snapshot;
        first.generation = next_generation();
        first.since = first.generation.into();
        Views {
            current: RwLock::new(Arc::new(first)),
            held: Mutex::default(),
        }
    }

    /// The newest view.
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.read().clone()
    }

    /// Makes a view the newest one; gives its generation.
    pub fn publish(&self, mut snapshot: Snapshot) -> u64 {
        let mut current = self.current.write();
        // Taken under the lock: whoever has read this number finds this view.
        let generation = next_generation();
        snapshot.generation = generation;
        let since = current.since.load(Ordering::SeqCst);
        let is_same = snapshot.shows_as(&current);
        snapshot.since = if is_same { since } else { generation }.into();
        let before = std::mem::replace(&mut *current, Arc::new(snapshot));
        before.superseded.store(generation, Ordering::SeqCst);
        before.superseded_ms.store(now_ms(), Ordering::Relaxed);
        drop(current);
        if before.searched.load(Ordering::Relaxed) != 0 {
            self.held.lock().push(before);
        }
        self.release_old();
        generation
    }

    /// Lets the newest view stand for what the index showed from an earlier generation on, before it was closed.
    pub fn reach_back(&self, generation: u64) {
        let current = self.current.read();
        current.since.store(generation, Ordering::SeqCst);
    }

    /// Lets go of the views that nobody has searched for a while, and of those that are too many
    /// or take too much, the least wanted first.
    pub fn release_old(&self) {
        self.release_at(now_ms());
    }

    fn release_at(&self, now: u64) {
        let current = self.current();
        let mut held = self.held.lock();
        held.retain(|s| {
            s.searched.load(Ordering::Relaxed) + HELD_MS > now
                && s.superseded_ms.load(Ordering::Relaxed) + HELD_MS_MAX > now
        });
        if held.len() <= HELD_MIN {
            return;
        }
        sort_by_want(&mut held);
        let kept = fitting(&current, &held);
        let surplus = held.split_off(kept);
        drop(held);
        drop(surplus);
    }

    /// For how many milliseconds the oldest view that is held has no longer been the newest.
    pub fn held_ms(&self) -> u64 {
        self.release_old();
        let held = self.held.lock();
        let since = held.iter().map(|s| s.superseded_ms.load(Ordering::Relaxed));
        since
            .min()
            .map_or(0, |since| now_ms().saturating_sub(since))
    }

    /// The view that was the newest at a generation, or where it isn't held any more the newest one, if that shows the same;
    /// else GENERATION_GONE.
    pub fn at(&self, generation: u64) -> Result<Arc<Snapshot>, Failure> {
        // Marked under the lock: a view that is replaced is held if somebody has searched it.
        let current = self.current.read();
        if current.generation <= generation {
            current.mark_used(Use::Searched, now_ms());
            return Ok(current.clone());
        }
        let same = Some(current.clone());
        let same = same.filter(|current| current.since.load(Ordering::SeqCst) <= generation);
        drop(current);
        let held = self.held.lock();
        let found = held.iter().find(|s| {
            s.generation <= generation && s.superseded.load(Ordering::SeqCst) > generation
        });
        let found = found.or(same.as_ref()).ok_or_else(|| {
            let message = "this generation is no longer held, search again without it";
            Failure::new(Code::GenerationGone, message)
        })?;
        found.mark_used(Use::Searched, now_ms());
        Ok(found.clone())
    }
}

/// The most wanted first, in turns: of those that somebody went on in, and of all that somebody may
/// go on in, the one that was searched last. By the first order alone, lists that were paged
/// through a while ago took all places, and of every new one the second page was gone.
fn sort_by_want(held: &mut [Arc<Snapshot>]) {
    let mut places: HashMap<u64, usize> = HashMap::with_capacity(held.len());
    for (turn, most) in [Use::Continued, Use::Offered].into_iter().enumerate() {
        held.sort_by_cached_key(|s| {
            let used = s.used.load(Ordering::Relaxed).min(most as u8);
            let wanted = (used, s.searched.load(Ordering::Relaxed));
            // A search that is under way holds its view anyway, and may offer to go on in it.
            Reverse((Arc::strong_count(s) > 1, wanted, s.generation))
        });
        for (rank, view) in held.iter().enumerate() {
            let place = 2 * rank + turn;
            let best = places.entry(view.generation).or_insert(place);
            *best = place.min(*best);
        }
    }
    held.sort_by_key(|s| places[&s.generation]);
}

/// How many of these views may be held beside the newest one, the first ones first. What a view
/// takes is what neither the newest nor one before it holds.
fn fitting(newest: &Snapshot, views: &[Arc<Snapshot>]) -> usize {
    let mut seen = HashSet::new();
    newest.bytes_beyond(&mut seen);
    let mut bytes = 0;
    let too_much = views.iter().position(|view| {
        bytes += view.bytes_beyond(&mut seen);
        bytes > HELD_BYTES
    });
    let fitting = too_much.unwrap_or(views.len());
    fitting.clamp(HELD_MIN.min(views.len()), HELD_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::publish::build;
    use crate::engine::Engine;
    use crate::folder::Folder;

    const DEFINITION: &str =
        r#"{ "fields": [], "embedder": { "kind": "given", "dimensions": 2 } }"#;

    /// Publishes a view without documents; gives its generation.
    fn publish(engine: &Engine) -> u64 {
        let Snapshot {
            definition,
            vectors,
            space,
            rates,
            ..
        } = &*engine.views.current();
        let views = &engine.views;
        views.publish(build(definition, Vec::new(), vectors, space, rates, 0))
    }

    #[test]
    fn a_view_is_let_go_a_minute_after_its_last_search_and_an_hour_after_it_was_replaced() {
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), DEFINITION).unwrap();
        let views = &engine.views;
        let (left, paged) = (publish(&engine), publish(&engine));
        let holds = |generation| {
            let held = views.held.lock();
            held.iter().any(|view| view.generation == generation)
        };
        views.at(paged).unwrap();
        publish(&engine);
        let replaced = now_ms();
        assert!(holds(paged));
        // Nobody searched it before it was replaced.
        assert!(!holds(left));
        // Somebody goes on in it, a search every half minute.
        for step in 1..=119 {
            let now = replaced + step * HELD_MS / 2;
            views.release_at(now);
            assert!(holds(paged), "{step}");
            views.held.lock()[0].mark_used(Use::Searched, now);
        }
        views.release_at(replaced + HELD_MS_MAX);
        assert!(!holds(paged));
        // Another is searched once.
        let once = publish(&engine);
        views.at(once).unwrap();
        publish(&engine);
        let searched = now_ms();
        views.release_at(searched + HELD_MS - 5000);
        assert!(holds(once));
        views.release_at(searched + HELD_MS + 1);
        assert!(!holds(once));
        engine.close();
    }

    #[test]
    fn neither_new_lists_nor_slow_ones_lose_their_view_to_many_that_were_paged_through() {
        let folder = Folder::new();
        let (engine, _) = Engine::open(folder.path(), DEFINITION).unwrap();
        let views = &engine.views;
        // A list in the newest view, of which so many pages were asked for.
        let page = |used| {
            let view = views.current();
            view.mark_used(used, now_ms());
            view.generation
        };
        let slow = page(Use::Continued);
        publish(&engine);
        // Others are paged through, and others still are searched and left.
        for _ in 0..HELD_MAX / 3 {
            page(Use::Continued);
            publish(&engine);
            for used in [Use::Searched, Use::Offered, Use::Searched, Use::Offered] {
                page(used);
                publish(&engine);
            }
        }
        assert!(views.at(slow).is_ok());
        for _ in 0..2 * HELD_MAX {
            page(Use::Continued);
            publish(&engine);
        }
        // Another begins, and its second page is asked for some changes later.
        let new = page(Use::Offered);
        for _ in 0..HELD_MAX / 3 {
            publish(&engine);
            page(Use::Continued);
        }
        assert!(views.at(new).is_ok());
        assert!(views.held.lock().len() <= HELD_MAX);
        engine.close();
    }
}
