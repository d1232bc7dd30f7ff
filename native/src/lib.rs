//! The search core of Attune. This file is the wall to JavaScript and the only one that names napi;
//! the modules beside it are plain Rust: `engine` keeps an index, `search` answers from it, over the text
//! that `analysis` takes apart and the `vectors` that `space` makes.

mod allocator;
pub mod analysis;
pub mod bm25;
pub mod date;
pub mod engine;
pub mod failure;
#[cfg(test)]
#[path = "../tests/support/folder.rs"]
mod folder;
pub mod hold;
pub mod model;
pub mod registry;
pub mod search;
pub mod space;
pub mod value;
pub mod vectors;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{
    ArrayBuffer, Either, Float32ArraySlice, Float64ArraySlice, FnArgs, Function, Uint8ArraySlice,
};
use napi::{Env, Error, Status};
use napi_derive::napi;

use engine::rates::Rates;
use engine::{definition, names, publish};
use failure::Failure;
use model::train;
use search::added_scores::AddedScore;
use search::query::Request;
use search::{deadline, features, highlight, suggest};

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

extern "C" {
    #[link_name = "_exit"]
    fn exit_now(code: i32) -> !;
}

/// Ends the process at once, whatever its threads do: nothing is waited for, and nothing tidied up.
#[napi]
pub fn end_process(code: i32) {
    // SAFETY: of the C library; it takes a number, and never returns.
    unsafe { exit_now(code) }
}

/// Holds a file; false where somebody does already.
#[napi(catch_unwind)]
pub fn hold(path: String) -> napi::Result<bool> {
    guard(|| Ok(hold::hold(Path::new(&path))?))
}

/// Lets go of a file that this process holds.
#[napi(catch_unwind)]
pub fn let_go(path: String) {
    hold::let_go(Path::new(&path));
}

/// What `open` found.
#[napi(object)]
pub struct OpenReport {
    pub sequence: f64,
    pub rebuild: Option<String>,
    pub documents: u32,
}

/// What a commit published.
#[napi(object)]
pub struct CommitReport {
    pub generation: f64,
    pub documents: u32,
    pub vectors: u32,
    pub fit_wanted: bool,
}

/// What a checkpoint made durable.
#[napi(object)]
pub struct CheckpointReport {
    pub sequence: f64,
    pub files: u32,
    pub bytes: f64,
}

/// What a fit learned.
#[napi(object)]
pub struct FitReport {
    pub space: u32,
    pub kind: String,
    pub dimensions: u32,
    pub documents: u32,
    pub terms: u32,
    pub cut: f64,
    pub took_ms: f64,
}

/// The answer to a search, flat.
///
/// Its lists are copied into V8's own memory, as those of every answer: so few numbers cost less than lending V8 memory of
/// ours, which comes back only in a turn of the thread's event loop after the next collection. They share one piece of it,
/// because each piece has a record that V8 makes, keeps and looks at in collections.
#[napi(object, object_from_js = false)]
pub struct SearchResult<'env> {
    pub ids: Float64ArraySlice<'env>,
    pub ords: Float64ArraySlice<'env>,
    pub scores: Float64ArraySlice<'env>,
    pub parts: Option<Float32ArraySlice<'env>>,
    pub total: f64,
    pub kept: Option<&'static str>,
    pub generation: f64,
    pub next: Option<String>,
    pub facets: Option<String>,
    pub explain: Option<Vec<String>>,
    pub features: Option<Float32ArraySlice<'env>>,
    pub model_scores: Option<Float32ArraySlice<'env>>,
    pub shadow_scores: Option<Float32ArraySlice<'env>>,
    pub rerank_failed: Option<bool>,
}

/// Says what is wrong with a definition, if anything is.
#[napi(catch_unwind)]
pub fn check(definition: String) -> napi::Result<()> {
    guard(|| definition::Definition::parse(&definition).map(|_| ()))
}

/// Opens an index under a number.
#[napi(catch_unwind)]
pub fn open(
    id: f64,
    directory: String,
    definition: String,
    known: Option<Vec<String>>,
) -> napi::Result<OpenReport> {
    guard(|| {
        let root = Path::new(&directory);
        let opened = registry::open(number(id)?, root, &definition, known.as_deref())?;
        Ok(OpenReport {
            sequence: opened.sequence as f64,
            rebuild: opened.rebuild,
            documents: opened.documents,
        })
    })
}

/// Forgets an index.
#[napi(catch_unwind)]
pub fn close(id: f64) -> napi::Result<()> {
    guard(|| registry::close(number(id)?))
}

/// Ends merges of an index to which nothing is written any more.
#[napi(catch_unwind)]
pub fn give_up_merging(id: f64) -> napi::Result<()> {
    guard(|| {
        registry::get(number(id)?)?.give_up_merging();
        Ok(())
    })
}

/// Ends the writer of an index until the next apply.
#[napi(catch_unwind)]
pub fn release(id: f64) -> napi::Result<()> {
    guard(|| registry::get(number(id)?)?.release())
}

/// Makes the calling thread give way to others by this many steps of niceness (1 … 19), where the system
/// knows niceness of threads; elsewhere nothing happens.
#[napi(catch_unwind)]
pub fn give_way(steps: u32) {
    #[cfg(target_os = "linux")]
    // SAFETY: the call has no preconditions; 0 names the calling thread.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, steps.min(19) as libc::c_int);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}

/// Merges segments of an index at rest.
#[napi(catch_unwind)]
pub fn merge(id: f64) -> napi::Result<f64> {
    guard(|| Ok(registry::get(number(id)?)?.merge()? as f64))
}

/// Grows the neighbour graph for so many milliseconds; gives whether more is left.
#[napi(catch_unwind)]
pub fn grow_graph(id: f64, time_ms: u32, is_at_rest: bool) -> napi::Result<bool> {
    let deadline = Instant::now() + Duration::from_millis(u64::from(time_ms));
    guard(|| registry::get(number(id)?)?.grow_graph(deadline, is_at_rest))
}

/// Adds and deletes documents, to be seen with the next commit.
#[napi(catch_unwind)]
pub fn apply<'env>(
    env: &'env Env,
    id: f64,
    ords: &[f64],
    documents: Vec<String>,
    deletes: &[f64],
    vector_ords: &[f64],
    vectors: &[f32],
) -> napi::Result<Uint8ArraySlice<'env>> {
    let has_vector = guard(|| {
        let engine = registry::get(number(id)?)?;
        let (ords, deletes) = (numbers(ords)?, numbers(deletes)?);
        let vector_ords = numbers(vector_ords)?;
        engine.apply(&ords, &documents, &deletes, &vector_ords, vectors)
    })?;
    Uint8ArraySlice::copy_from(env, has_vector)
}

/// Publishes what was applied.
#[napi(catch_unwind)]
pub fn commit(id: f64, sequence: f64) -> napi::Result<CommitReport> {
    guard(|| {
        let done = registry::get(number(id)?)?.commit(number(sequence)?)?;
        Ok(CommitReport {
            generation: done.generation as f64,
            documents: done.documents,
            vectors: done.vectors,
            fit_wanted: done.fit_wanted,
        })
    })
}

/// Makes the last commit durable.
#[napi(catch_unwind)]
pub fn checkpoint(id: f64, mark: Option<String>) -> napi::Result<CheckpointReport> {
    guard(|| {
        let engine = registry::get(number(id)?)?;
        let done = match mark {
            Some(mark) => engine.checkpoint_as(mark)?,
            None => engine.checkpoint()?,
        };
        Ok(CheckpointReport {
            sequence: done.sequence as f64,
            files: done.files,
            bytes: done.bytes as f64,
        })
    })
}

/// Learns a vector space and moves to it.
#[napi(catch_unwind)]
pub fn fit(id: f64) -> napi::Result<FitReport> {
    guard(|| {
        let done = registry::get(number(id)?)?.fit()?;
        Ok(FitReport {
            space: done.space,
            kind: done.kind.to_owned(),
            dimensions: done.dimensions as u32,
            documents: done.documents,
            terms: done.terms as u32,
            cut: f64::from(done.cut),
            took_ms: done.took_ms as f64,
        })
    })
}

/// Ends what this thread searches, highlights and suggests from now on.
#[napi]
pub fn end_within(left_ms: Option<f64>) {
    deadline::end_within(left_ms);
}

/// Answers a search over one or several indices.
#[napi(catch_unwind)]
pub fn search<'env>(
    env: &'env Env,
    ids: &[f64],
    request: String,
    vector: Option<Float32ArraySlice>,
    added: Option<Float64ArraySlice>,
) -> napi::Result<SearchResult<'env>> {
    let (answer, generation) = guard(|| {
        let mut request = Request::parse(&request)?;
        request.added = AddedScore::read(added.as_deref().unwrap_or_default())?;
        let moment = registry::moment(&numbers(ids)?, request.generation)?;
        let answer = search::search(&moment.views, &request, vector.as_deref())?;
        moment.note_use(&request, &answer);
        Ok((answer, moment.generation))
    })?;
    // A row of features holds the parts, too.
    let parts = answer.features.is_none().then_some(answer.parts);
    let rows = [
        &parts,
        &answer.features,
        &answer.model_scores,
        &answer.shadow_scores,
    ];
    let hits = answer.ids.len();
    let mut lists = Vec::with_capacity((24 + 4 * features::NAMES.len()) * hits);
    let whole = answer.ids.iter().chain(&answer.ords);
    lists.extend(whole.flat_map(|number| (*number as f64).to_ne_bytes()));
    lists.extend(answer.scores.iter().flat_map(|score| score.to_ne_bytes()));
    for row in rows.into_iter().flatten() {
        lists.extend(row.iter().flat_map(|number| number.to_ne_bytes()));
    }
    let lists = ArrayBuffer::copy_from(env, lists)?;
    let doubles =
        |number: usize| Float64ArraySlice::from_arraybuffer(&lists, 8 * number * hits, hits);
    let mut end = 24 * hits;
    let mut next = |row: &Option<Vec<f32>>| -> napi::Result<_> {
        let Some(row) = row else { return Ok(None) };
        let start = end;
        end += 4 * row.len();
        Float32ArraySlice::from_arraybuffer(&lists, start, row.len()).map(Some)
    };
    Ok(SearchResult {
        ids: doubles(0)?,
        ords: doubles(1)?,
        scores: doubles(2)?,
        parts: next(&parts)?,
        total: answer.total as f64,
        kept: answer.kept.word(),
        generation: generation as f64,
        next: answer.next,
        facets: answer.facets,
        explain: answer.explain,
        features: next(&answer.features)?,
        model_scores: next(&answer.model_scores)?,
        shadow_scores: next(&answer.shadow_scores)?,
        rerank_failed: answer.rerank_failed.then_some(true),
    })
}

/// The newest generation of all indices.
#[napi]
pub fn generation() -> f64 {
    publish::generation_now() as f64
}

/// Moves the generation on and gives the new one.
#[napi]
pub fn next_generation() -> f64 {
    publish::next_generation() as f64
}

/// For how many milliseconds the oldest view that is held has no longer been the newest.
#[napi]
pub fn held_ms() -> f64 {
    registry::held_ms() as f64
}

/// Hands over an edition of the click rates of an index.
#[napi(catch_unwind)]
pub fn publish_rates(
    id: f64,
    edition: f64,
    since: f64,
    ords: &[f64],
    rates: &[f32],
) -> napi::Result<()> {
    guard(|| {
        let rates = Rates::new(&numbers(ords)?, rates)?;
        let engine = registry::get(number(id)?)?;
        engine
            .rates
            .publish(number(edition)?, number(since)?, rates);
        Ok(())
    })
}

/// The names of the features of a hit, in their order.
#[napi(catch_unwind)]
pub fn feature_names() -> Vec<String> {
    features::NAMES.map(str::to_owned).to_vec()
}

/// Loads a model under a handle.
#[napi(catch_unwind)]
pub fn load_model(handle: f64, model: String) -> napi::Result<()> {
    guard(|| model::load(number(handle)?, &model))
}

/// Forgets the model of a handle.
#[napi(catch_unwind)]
pub fn drop_model(handle: f64) -> napi::Result<()> {
    guard(|| {
        model::forget(number(handle)?);
        Ok(())
    })
}

/// Scores of rows by a loaded model, or by one that is given.
#[napi(catch_unwind)]
pub fn predict<'env>(
    env: &'env Env,
    model: Either<f64, String>,
    features: &[f32],
) -> napi::Result<Float32ArraySlice<'env>> {
    let scores = guard(|| {
        let scores = match model {
            Either::A(handle) => {
                let handle = number(handle)?;
                let loaded = model::get(handle).ok_or_else(|| {
                    Failure::bad_request(format!("no model is loaded under {handle}"))
                })?;
                loaded.model().score(features)?
            }
            Either::B(model) => model::Model::parse(&model)?.score(features)?,
        };
        Ok(scores)
    })?;
    Float32ArraySlice::copy_from(env, scores)
}

/// A ranking model learned from judged lists.
#[napi(catch_unwind)]
pub fn train(
    options: String,
    features: &[f32],
    labels: &[f32],
    groups: &[u32],
    weights: Option<Float32ArraySlice>,
) -> napi::Result<String> {
    guard(|| train::train(&options, features, labels, groups, weights.as_deref()))
}

/// Fragments of documents with the words of a query marked.
#[napi(catch_unwind)]
pub fn highlight(id: f64, request: String, documents: Vec<String>) -> napi::Result<Vec<String>> {
    guard(|| {
        let moment = registry::moment(&[number(id)?], None)?;
        match moment.views.first() {
            Some((_, view)) => {
                let request = highlight::HighlightRequest::parse(&request)?;
                highlight::highlight(view, &request, &documents)
            }
            None => Ok(Vec::new()),
        }
    })
}

/// Completions of a prefix or corrections of a query; `read` gives the source of a document.
#[napi(catch_unwind)]
pub fn suggest(
    ids: &[f64],
    request: String,
    read: Function<'_, FnArgs<(f64, f64)>, Option<Uint8ArraySlice<'_>>>,
) -> napi::Result<String> {
    let read = |index: u64, ord: u64, look: &mut dyn FnMut(&[u8])| {
        let source = read.call((index as f64, ord as f64).into());
        let source = source.map_err(|error| Failure::internal(error.reason.clone()))?;
        source.iter().for_each(|source| look(source));
        Ok(())
    };
    guard(|| {
        let moment = registry::moment(&numbers(ids)?, None)?;
        suggest::suggest(&moment.views, &suggest::Request::parse(&request)?, &read)
    })
}

/// Terms of a text by the analyzer of a field.
#[napi(catch_unwind)]
pub fn analyze(id: f64, field: String, text: String) -> napi::Result<Vec<String>> {
    guard(|| registry::get(number(id)?)?.analyze(&field, &text))
}

/// Vectors of texts in the current space.
#[napi(catch_unwind)]
pub fn embed(env: &Env, id: f64, texts: Vec<String>) -> napi::Result<Float32ArraySlice<'_>> {
    let vectors = guard(|| Ok(registry::get(number(id)?)?.embed(&texts)))?;
    Float32ArraySlice::copy_from(env, vectors)
}

/// Where documents can be found now.
#[napi(catch_unwind)]
pub fn located<'env>(env: &'env Env, id: f64, ords: &[f64]) -> napi::Result<Uint8ArraySlice<'env>> {
    let found = guard(|| Ok(registry::get(number(id)?)?.located(&numbers(ords)?)))?;
    Uint8ArraySlice::copy_from(env, found)
}

/// What documents of an index have under each of these names.
#[napi(catch_unwind)]
pub fn under_names<'env>(
    env: &'env Env,
    id: f64,
    asked: Vec<String>,
) -> napi::Result<Uint8ArraySlice<'env>> {
    let known: Vec<u8> = guard(|| {
        let view = registry::get(number(id)?)?.views.current();
        let known = |name: &String| Ok(names::known(&view, name)? as u8);
        asked.iter().map(known).collect()
    })?;
    Uint8ArraySlice::copy_from(env, known)
}

/// Names of fields that documents of an index have.
#[napi(catch_unwind)]
pub fn field_names(id: f64, most: u32) -> napi::Result<Vec<String>> {
    guard(|| names::first(&registry::get(number(id)?)?.views.current(), most as usize))
}

/// Figures of an index as JSON.
#[napi(catch_unwind)]
pub fn stats(id: f64) -> napi::Result<String> {
    guard(|| Ok(registry::get(number(id)?)?.stats()))
}

/// Runs one call: failures and panics become errors whose message begins with their code.
fn guard<T>(call: impl FnOnce() -> Result<T, Failure>) -> napi::Result<T> {
    let done = catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(Failure::internal("the call stopped halfway")));
    done.map_err(|failure| Error::new(Status::GenericFailure, failure.to_string()))
}

/// A whole number that JavaScript can hold exactly.
fn number(value: f64) -> Result<u64, Failure> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && (0.0..LIMIT).contains(&value) {
        return Ok(value as u64);
    }
    Err(Failure::bad_request(format!(
        "{value} is no number of a document or an index"
    )))
}

fn numbers(values: &[f64]) -> Result<Vec<u64>, Failure> {
    values.iter().copied().map(number).collect()
}
