//! Learning a vector space from the postings of an index, and moving to it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tantivy::postings::{Postings, TermInfo};
use tantivy::schema::IndexRecordOption;
use tantivy::termdict::TermStreamer;
use tantivy::{DocSet, InvertedIndexReader, TERMINATED};

use crate::engine::definition::EmbedderKind;
use crate::engine::segment::{SegmentView, NONE};
use crate::engine::snapshot::Snapshot;
use crate::engine::{trim_memory, Engine};
use crate::failure::{Code, Failure};
use crate::space::lsa::{self, Counts, Model, Options};
use crate::space::Space;
use crate::vectors::VectorSet;

/// Documents that are learned from, at most; the others are folded in.
const SAMPLE_MAX: usize = 50_000;
/// Documents folded in at a time.
const WINDOW: usize = 32_768;
/// Rounds of catching up before writers have to wait for the last one.
const ROUNDS: usize = 4;
/// Newcomers that the last round takes while writers wait.
const CATCH_UP_MAX: usize = 2_000;
const IDLE_WAIT: Duration = Duration::from_secs(30);

/// What a fit learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Number of the new space.
    pub space: u32,
    /// Its kind.
    pub kind: &'static str,
    /// Numbers in a vector.
    pub dimensions: usize,
    /// Documents in the index.
    pub documents: u32,
    /// Terms that the space knows.
    pub terms: usize,
    /// Cosine that random documents rarely exceed.
    pub cut: f32,
    /// Milliseconds it took.
    pub took_ms: u64,
}

impl Engine {
    /// Learns a new space, gives every document a vector in it and publishes both in one step.
    /// Searches and writes go on but for the last moment. One at a time: BAD_REQUEST otherwise.
    pub fn fit(&self) -> Result<Fitted, Failure> {
        let begun = Instant::now();
        if self.definition.embedder.kind != EmbedderKind::Learned {
            return Err(Failure::bad_request(
                "vectors of this index come from outside",
            ));
        }
        let Some(_one) = self.fitting.try_lock() else {
            return Err(Failure::bad_request("a space is being learned already"));
        };
        self.begin()?;
        let done = self.learn(begun);
        self.writing.lock().pending = None;
        trim_memory();
        done
    }

    /// From here on the terms of uncommitted documents are kept: they have no postings yet.
    fn begin(&self) -> Result<(), Failure> {
        let deadline = Instant::now() + IDLE_WAIT;
        let mut writing = self.write()?;
        while writing.uncommitted > 0 {
            if self
                .committed
                .wait_until(&mut writing, deadline)
                .timed_out()
            {
                let message = "changes wait for a commit, try again after it";
                return Err(Failure::new(Code::BadRequest, message));
            }
            self.check_open()?;
        }
        writing.pending = Some(Vec::new());
        Ok(())
    }

    fn learn(&self, begun: Instant) -> Result<Fitted, Failure> {
        let snapshot = self.views.current();
        let id = self.vectors.read().space.id() + 1;
        let model = self.model(&snapshot)?;
        self.check_open()?;
        let space = Arc::new(Space::learned(id, model));
        let set = VectorSet::new(space.dimensions());
        // Documents up to here were folded in; one that has no vector then never gets one.
        let mut folded_to = None;
        let mut catch_up = |view: &Snapshot| -> Result<usize, Failure> {
            let mut rows = live_by_ord(view);
            rows.retain(|(ord, _)| folded_to.is_none_or(|to| *ord > to));
            self.fold(view, &space, &set, &rows)?;
            folded_to = rows.last().map(|row| row.0).or(folded_to);
            Ok(rows.len())
        };
        let documents = catch_up(&snapshot)?;
        if set.len() < documents / 2 {
            let message = "the documents have too little in common to learn from";
            return Err(Failure::bad_request(message));
        }
        for _ in 0..ROUNDS {
            if catch_up(&self.views.current())? <= CATCH_UP_MAX {
                break;
            }
        }
        let mut writing = self.write()?;
        catch_up(&self.views.current())?;
        let mut row = vec![0.0; space.dimensions()];
        for (ord, prepared) in writing.pending.take().unwrap_or_default() {
            let mut terms = prepared.terms.iter().map(|(t, n)| (t.as_str(), *n));
            if space.embed(&mut terms, &mut row) {
                set.append(ord, &row);
            }
        }
        self.replace_vectors(set, space.clone());
        let sequence = writing.sequence;
        self.publish(&mut writing, sequence)?;
        Ok(Fitted {
            space: id,
            kind: space.kind().name(),
            dimensions: space.dimensions(),
            documents: self.views.current().live,
            terms: space.model().map_or(0, |model| model.terms.len()),
            cut: space.cut(),
            took_ms: begun.elapsed().as_millis() as u64,
        })
    }

    fn model(&self, snapshot: &Snapshot) -> Result<Model, Failure> {
        let mut row_of = vec![NONE; snapshot.documents as usize];
        let all = live_by_ord(snapshot);
        // Every n-th document in order of arrival: spread evenly, the same at every run.
        let take = all.len().min(SAMPLE_MAX);
        for row in 0..take {
            let position = all[row * all.len() / take].1;
            row_of[position as usize] = row as u32;
        }
        let df_min = Options::default().df_min;
        let readers = readers(snapshot, &row_of, true)?;
        let mut terms = TermRows::open(self, snapshot, &row_of, &readers)?;
        let mut counts = Counts::from_postings(take, terms.by_ref().filter(|t| t.1 >= df_min));
        terms.finish()?;
        self.check_open()?;
        let options = Options {
            dimensions: self.definition.embedder.dimensions,
            ..Options::default()
        };
        lsa::fit(&mut counts, all.len(), &options, &|| self.check_open())
    }

    /// Gives the documents (ord, position), in order of their ords, vectors of a learned space.
    fn fold(
        &self,
        snapshot: &Snapshot,
        space: &Space,
        set: &VectorSet,
        rows: &[(u64, u32)],
    ) -> Result<(), Failure> {
        let Some(model) = space.model() else {
            return Ok(());
        };
        let mut row_of = vec![NONE; snapshot.documents as usize];
        let mut vector = vec![0.0; space.dimensions()];
        for window in rows.chunks(WINDOW) {
            self.check_open()?;
            row_of.fill(NONE);
            for (row, (_, position)) in window.iter().enumerate() {
                row_of[*position as usize] = row as u32;
            }
            let mut ids = Vec::new();
            let readers = readers(snapshot, &row_of, false)?;
            let mut terms = TermRows::open(self, snapshot, &row_of, &readers)?;
            let known = terms.by_ref().filter_map(|(term, frequency, found)| {
                ids.push(model.term(&term)?);
                Some((String::new(), frequency, found))
            });
            let counts = Counts::from_postings(window.len(), known);
            terms.finish()?;
            for (row, (ord, _)) in window.iter().enumerate() {
                let terms = counts.row(row).map(|(at, n)| (ids[at as usize], n));
                if model.embed(terms, &mut vector) {
                    set.append(*ord, &vector);
                }
            }
        }
        Ok(())
    }
}

/// (ord, position) of the live documents, in order of their ords.
fn live_by_ord(snapshot: &Snapshot) -> Vec<(u64, u32)> {
    let mut rows = Vec::with_capacity(snapshot.live as usize);
    for segment in &snapshot.segments {
        for (document, ord) in (0..).zip(segment.numbers.ords.iter()) {
            if segment.is_live(document) {
                rows.push((*ord, segment.base + document));
            }
        }
    }
    rows.sort_unstable();
    rows
}

/// Readers of the vectorized fields: (segment, its reader of a field). With `all` off, segments
/// in which no document has a row are left out.
fn readers(
    snapshot: &Snapshot,
    row_of: &[u32],
    all: bool,
) -> Result<Vec<(usize, Arc<InvertedIndexReader>)>, Failure> {
    let mut readers = Vec::new();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        let from = segment.base as usize;
        let rows = &row_of[from..from + segment.numbers.ords.len()];
        if !all && rows.iter().all(|row| *row == NONE) {
            continue;
        }
        for field in snapshot.definition.vectorized().filter_map(|f| f.text) {
            readers.push((number, segment.reader.inverted_index(field)?));
        }
    }
    Ok(readers)
}

/// A term with the number of live documents that have it, and the (row, occurrences) of those of
/// them that have a row.
type TermRow = (String, u32, Vec<(u32, u32)>);

/// The terms of the vectorized fields over all segments, in their order.
struct TermRows<'a> {
    /// Once it is closed there are no more.
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    row_of: &'a [u32],
    streams: Vec<(usize, &'a InvertedIndexReader, TermStreamer<'a>)>,
    /// The stream with the smallest term comes first.
    next: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    failure: Option<Failure>,
}

impl<'a> TermRows<'a> {
    fn open(
        engine: &'a Engine,
        snapshot: &'a Snapshot,
        row_of: &'a [u32],
        readers: &'a [(usize, Arc<InvertedIndexReader>)],
    ) -> Result<TermRows<'a>, Failure> {
        let mut streams = Vec::with_capacity(readers.len());
        let mut next = BinaryHeap::new();
        for (segment, reader) in readers {
            let mut terms = reader.terms().stream()?;
            if terms.advance() {
                next.push(Reverse((terms.key().to_vec(), streams.len())));
                streams.push((*segment, reader.as_ref(), terms));
            }
        }
        Ok(TermRows {
            engine,
            snapshot,
            row_of,
            streams,
            next,
            failure: None,
        })
    }

    /// What stopped the iteration before its end.
    fn finish(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn row(&mut self) -> Result<Option<TermRow>, Failure> {
        let Some(Reverse((term, _))) = self.next.peek() else {
            return Ok(None);
        };
        self.engine.check_open()?;
        let term = term.clone();
        let mut found = Vec::new();
        while let Some(mut first) = self.next.peek_mut() {
            if first.0 .0 != term {
                break;
            }
            let number = first.0 .1;
            // Put the stream back where its next term belongs, or away when it has ended.
            let terms = &mut self.streams[number];
            let info = terms.2.value().clone();
            let (segment, reader) = (&self.snapshot.segments[terms.0], terms.1);
            let more = terms.2.advance();
            if more {
                first.0 .0.clear();
                first.0 .0.extend_from_slice(self.streams[number].2.key());
                drop(first);
            } else {
                std::collections::binary_heap::PeekMut::pop(first);
            }
            occurrences(segment, reader, &info, &mut found)?;
        }
        found.sort_unstable_by_key(|pair| pair.0);
        let mut frequency = 0;
        let mut last = NONE;
        for (position, _) in &found {
            frequency += u32::from(*position != last);
            last = *position;
        }
        found.retain_mut(|(position, _)| {
            *position = self.row_of[*position as usize];
            *position != NONE
        });
        let term = String::from_utf8(term).unwrap_or_default();
        Ok(Some((term, frequency, found)))
    }
}

impl Iterator for TermRows<'_> {
    type Item = TermRow;

    fn next(&mut self) -> Option<TermRow> {
        self.row().unwrap_or_else(|failure| {
            self.failure = Some(failure);
            None
        })
    }
}

/// Adds the (position, occurrences) of the live documents that have a term.
fn occurrences(
    segment: &SegmentView,
    reader: &InvertedIndexReader,
    info: &TermInfo,
    found: &mut Vec<(u32, u32)>,
) -> Result<(), Failure> {
    let option = IndexRecordOption::WithFreqs;
    let mut postings = reader.read_postings_from_terminfo(info, option)?;
    let mut document = postings.doc();
    while document != TERMINATED {
        if segment.is_live(document) {
            found.push((segment.base + document, postings.term_freq()));
        }
        document = postings.advance();
    }
    Ok(())
}
