//! The order of hits, and pages of it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use tantivy::columnar::{ColumnType, TermOrdHit};
use tantivy::{f64_to_u64, u64_to_f64};

use crate::column::{self, Column, Columns, Place};
use crate::date::date_unmapped;
use crate::failure::Failure;
use crate::matches::{by_segment, Matches};
use crate::query::{Request, SortKey};
use crate::score::{largest, TextMatches};
use crate::view::View;

/// The name of the score among sort keys.
pub const SCORE: &str = "_score";
/// Entries of a list that are passed over together.
const BLOCK: usize = 64;

/// One hit of a page.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Number of its view in the search.
    pub view: usize,
    /// Its position in the view.
    pub position: u32,
    /// Its document number.
    pub ord: u64,
    /// Its score.
    pub score: f64,
    /// What it is sorted by.
    keys: Vec<Key>,
}

/// A page of the list of hits.
pub struct Page {
    /// The hits.
    pub hits: Vec<Hit>,
    /// The position behind them, when more follow.
    pub next: Option<String>,
}

/// A value to sort by. Numbers (dates and booleans are numbers here) come before text, and what
/// has no value comes last in both directions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Key {
    #[serde(rename = "-")]
    Missing,
    /// The bits of a number that keep its order: JSON would not keep all of them.
    #[serde(rename = "n")]
    Number(u64),
    #[serde(rename = "t")]
    Text(String),
}

/// A place in a list, right behind the hit that it describes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Cursor {
    k: Vec<Key>,
    i: u64,
    o: u64,
}

/// The page of the matches that the request asks for.
pub fn page(views: &[View], matches: &[Matches], request: &Request) -> Result<Page, Failure> {
    let by_score = [SortKey {
        field: SCORE.to_owned(),
        descending: true,
    }];
    let keys = match request.sort.as_slice() {
        [] => &by_score,
        keys => keys,
    };
    let after = match &request.after {
        Some(text) => Some(read_cursor(text, views, keys)?),
        None => None,
    };
    let reach = request.from + request.size;
    let simple = is_by_score(request);
    let mut order = Order {
        keys,
        after: after.as_ref(),
        reach,
        following: 0,
        hits: Vec::new(),
    };
    for (number, (view, matches)) in views.iter().zip(matches).enumerate() {
        if simple {
            order.add_by_score(number, view, matches);
        } else {
            order.add_by_keys(number, view, matches)?;
        }
    }
    let more = order.following > reach;
    let mut hits = order.finish();
    hits.drain(..request.from.min(hits.len()));
    let next = match hits.last() {
        Some(last) if more => Some(write_cursor(last, views)?),
        _ => None,
    };
    Ok(Page { hits, next })
}

/// Whether hits come by falling score and nothing else.
pub fn is_by_score(request: &Request) -> bool {
    match request.sort.as_slice() {
        [] => true,
        [key] => key.field == SCORE && key.descending,
        _ => false,
    }
}

fn write_cursor(hit: &Hit, views: &[View]) -> Result<String, Failure> {
    let cursor = Cursor {
        k: hit.keys.clone(),
        i: views[hit.view].id,
        o: hit.ord,
    };
    serde_json::to_string(&cursor).map_err(|error| Failure::internal(error.to_string()))
}

/// A cursor with the number of its view in place of the index.
fn read_cursor(text: &str, views: &[View], keys: &[SortKey]) -> Result<Cursor, Failure> {
    let unknown = || Failure::bad_request("the position to continue from is not one of this list");
    let mut cursor: Cursor = serde_json::from_str(text).map_err(|_| unknown())?;
    let view = views.iter().position(|view| view.id == cursor.i);
    cursor.i = view.ok_or_else(unknown)? as u64;
    if cursor.k.len() != keys.len() {
        return Err(unknown());
    }
    Ok(cursor)
}

struct Order<'a> {
    keys: &'a [SortKey],
    after: Option<&'a Cursor>,
    /// Hits that are wanted from the start of the list.
    reach: usize,
    /// Matches behind the cursor.
    following: usize,
    hits: Vec<Hit>,
}

impl Order<'_> {
    fn add_by_score(&mut self, number: usize, view: &View, matches: &Matches) {
        let after = self.after.and_then(|cursor| match cursor.k[0] {
            Key::Number(bits) => Some((u64_to_f64(bits), cursor.i as usize, cursor.o)),
            _ => None,
        });
        let mut top = Top::new(self.reach);
        for (segment, range) in matches.by_segment(view.snapshot) {
            let segment = &view.snapshot.segments[segment];
            for at in range {
                let (position, score) = (matches.positions[at], matches.scores[at]);
                if score < top.floor && after.is_none() {
                    self.following += 1;
                    continue;
                }
                let ord = segment.ords[(position - segment.base) as usize];
                let behind = after.is_none_or(|(last, view, last_ord)| {
                    let order = last.total_cmp(&score).then(number.cmp(&view));
                    order.then(ord.cmp(&last_ord)) == Ordering::Greater
                });
                if behind {
                    self.following += 1;
                    top.push(Scored {
                        score,
                        ord,
                        position,
                    });
                }
            }
        }
        let hits = top.finish().into_iter().map(|scored| Hit {
            view: number,
            position: scored.position,
            ord: scored.ord,
            score: scored.score,
            keys: vec![Key::Number(f64_to_u64(scored.score))],
        });
        self.hits.extend(hits);
    }

    /// Sorts within each segment by codes, and makes values of the codes of the first ones only.
    fn add_by_keys(
        &mut self,
        number: usize,
        view: &View,
        matches: &Matches,
    ) -> Result<(), Failure> {
        let mut sources = Vec::with_capacity(self.keys.len());
        for key in self.keys {
            sources.push(Source::open(view, key)?);
        }
        for (index, range) in matches.by_segment(view.snapshot) {
            let segment = &view.snapshot.segments[index];
            let cursor = self.cursor_codes(&sources, index)?;
            let width = sources.len();
            let mut codes: Vec<u128> = Vec::with_capacity(range.len() * width);
            let mut found: Vec<(u32, u64, f64)> = Vec::with_capacity(range.len());
            for at in range {
                let (position, score) = (matches.positions[at], matches.scores[at]);
                let document = position - segment.base;
                let ord = segment.ords[document as usize];
                let start = codes.len();
                for source in &sources {
                    codes.push(source.code(index, document, score)?);
                }
                let behind = cursor.as_ref().is_none_or(|(last, view, last_ord)| {
                    let order = codes[start..].cmp(last).then(number.cmp(view));
                    order.then(ord.cmp(last_ord)) == Ordering::Greater
                });
                if behind {
                    found.push((position, ord, score));
                } else {
                    codes.truncate(start);
                }
            }
            self.following += found.len();
            for at in first_of(&codes, &found, width, self.reach) {
                let (position, ord, score) = found[at];
                let mut keys = Vec::with_capacity(width);
                for (source, code) in sources.iter().zip(&codes[at * width..]) {
                    keys.push(source.key(index, *code)?);
                }
                self.hits.push(Hit {
                    view: number,
                    position,
                    ord,
                    score,
                    keys,
                });
            }
        }
        Ok(())
    }

    fn cursor_codes(
        &self,
        sources: &[Source],
        segment: usize,
    ) -> Result<Option<(Vec<u128>, usize, u64)>, Failure> {
        let Some(cursor) = self.after else {
            return Ok(None);
        };
        let mut codes = Vec::with_capacity(sources.len());
        for (source, key) in sources.iter().zip(&cursor.k) {
            codes.push(source.code_of(segment, key)?);
        }
        Ok(Some((codes, cursor.i as usize, cursor.o)))
    }

    fn finish(mut self) -> Vec<Hit> {
        let keys = self.keys;
        self.hits.sort_unstable_by(|a, b| {
            let pairs = a.keys.iter().zip(&b.keys).zip(keys);
            pairs
                .map(|((a, b), key)| compare(a, b, key.descending))
                .fold(Ordering::Equal, Ordering::then)
                .then(a.view.cmp(&b.view))
                .then(a.ord.cmp(&b.ord))
        });
        self.hits.truncate(self.reach);
        self.hits
    }
}

fn compare(a: &Key, b: &Key, descending: bool) -> Ordering {
    let order = match (a, b) {
        (Key::Missing, Key::Missing) => return Ordering::Equal,
        (Key::Missing, _) => return Ordering::Greater,
        (_, Key::Missing) => return Ordering::Less,
        (Key::Number(a), Key::Number(b)) => a.cmp(b),
        (Key::Text(a), Key::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Key::Number(_), Key::Text(_)) => Ordering::Less,
        (Key::Text(_), Key::Number(_)) => Ordering::Greater,
    };
    if descending {
        order.reverse()
    } else {
        order
    }
}

/// The numbers of the first entries in order, unsorted.
fn first_of(codes: &[u128], found: &[(u32, u64, f64)], width: usize, reach: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..found.len()).collect();
    if reach == 0 {
        return Vec::new();
    }
    if numbers.len() > reach {
        numbers.select_nth_unstable_by(reach - 1, |a, b| {
            let (x, y) = (&codes[a * width..][..width], &codes[b * width..][..width]);
            x.cmp(y).then(found[*a].1.cmp(&found[*b].1))
        });
        numbers.truncate(reach);
    }
    numbers
}

/// Where a sort key comes from.
struct Source {
    descending: bool,
    /// Columns per segment; `None` = the score.
    columns: Option<Vec<Columns>>,
}

/// The code of a document without a value: behind all others.
const LAST: u128 = u128::MAX;
/// Above the code of any value.
const MIDDLE: u128 = 1 << 100;

impl Source {
    fn open(view: &View, key: &SortKey) -> Result<Source, Failure> {
        let columns = if key.field == SCORE {
            None
        } else {
            let place = column::place(&view.snapshot.definition, &key.field);
            if let Place::Analysed(field) = place {
                return Err(Failure::bad_request(format!(
                    "{} is analysed text; sort by a keyword field",
                    field.name
                )));
            }
            Some(view.snapshot.columns(&place)?)
        };
        Ok(Source {
            descending: key.descending,
            columns,
        })
    }

    fn directed(&self, code: u128) -> u128 {
        if self.descending {
            MIDDLE - code
        } else {
            code
        }
    }

    /// The code of a document: the least value, or when descending the greatest.
    #[inline]
    fn code(&self, segment: usize, document: u32, score: f64) -> Result<u128, Failure> {
        let Some(columns) = &self.columns else {
            return Ok(self.directed(u128::from(f64_to_u64(score))));
        };
        let mut best = LAST;
        let Some(columns) = columns.get(segment) else {
            return Ok(best);
        };
        for column in &columns.columns {
            if column.kind == ColumnType::Str {
                best = best.min(self.code_of_words(columns, column, document)?);
                continue;
            }
            let codes = column.codes.values_for_doc(document);
            for number in codes.filter_map(|code| column.number(code)) {
                best = best.min(self.directed(u128::from(f64_to_u64(number))));
            }
        }
        Ok(best)
    }

    /// The code of a document's words, those left out that are dates and have a code as such.
    fn code_of_words(
        &self,
        columns: &Columns,
        column: &Column,
        document: u32,
    ) -> Result<u128, Failure> {
        let directed = |word: u64| self.directed(text_code(2 * u128::from(word) + 1));
        let words = || column.codes.values_for_doc(document);
        let dates = columns.dates();
        let dates = dates.map_or(0, |dates| dates.codes.values_for_doc(document).count());
        if dates == 0 {
            return Ok(words().map(directed).min().unwrap_or(LAST));
        }
        // Dates come before words, as numbers do.
        if !self.descending || dates == words().count() {
            return Ok(LAST);
        }
        let mut best = LAST;
        for word in words() {
            if date_unmapped(&column.word(word)?).is_none() {
                best = best.min(directed(word));
            }
        }
        Ok(best)
    }

    fn key(&self, segment: usize, code: u128) -> Result<Key, Failure> {
        if code == LAST {
            return Ok(Key::Missing);
        }
        let code = self.directed(code);
        match code.checked_sub(text_code(1)) {
            None => Ok(Key::Number(code as u64)),
            Some(twice) => {
                let columns = self.columns.as_ref().and_then(|c| c.get(segment));
                let mut columns = columns.into_iter().flat_map(Columns::values);
                let words = columns.find(|column| column.kind == ColumnType::Str);
                Ok(match words {
                    Some(column) => Key::Text(column.word((twice / 2) as u64)?),
                    None => Key::Missing,
                })
            }
        }
    }

    /// The code of a value that may not exist in the segment: then between its neighbours.
    fn code_of(&self, segment: usize, key: &Key) -> Result<u128, Failure> {
        let word = match key {
            Key::Missing => return Ok(LAST),
            Key::Number(bits) => return Ok(self.directed(u128::from(*bits))),
            Key::Text(word) => word,
        };
        let columns = self.columns.as_ref().and_then(|c| c.get(segment));
        let mut code = 0;
        for column in columns.into_iter().flat_map(Columns::values) {
            match column.find(word)? {
                Some(TermOrdHit::Exact(ord)) => code = 2 * u128::from(ord) + 1,
                Some(TermOrdHit::Next(ord)) => code = 2 * u128::from(ord),
                None => {}
            }
        }
        Ok(self.directed(text_code(code)))
    }
}

fn text_code(code: u128) -> u128 {
    (1 << 64) + code
}

struct Scored {
    score: f64,
    ord: u64,
    position: u32,
}

impl Scored {
    fn rank(&self, other: &Scored) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.ord.cmp(&other.ord))
    }
}

/// The first `size` of what is pushed, by score, then ord.
struct Top {
    size: usize,
    /// A score that `size` known ones reach.
    floor: f64,
    found: Vec<Scored>,
}

impl Top {
    fn new(size: usize) -> Top {
        Top {
            size,
            floor: if size == 0 {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            },
            found: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, scored: Scored) {
        if scored.score < self.floor || self.size == 0 {
            return;
        }
        self.found.push(scored);
        if self.found.len() >= 2 * self.size + 32 {
            self.prune();
        }
    }

    fn prune(&mut self) {
        if self.found.len() > self.size {
            self.found
                .select_nth_unstable_by(self.size - 1, Scored::rank);
            self.found.truncate(self.size);
            self.floor = self.found[self.size - 1].score;
        }
    }

    fn finish(mut self) -> Vec<Scored> {
        if self.size > 0 {
            self.prune();
        }
        self.found
    }
}

/// A list of documents with scores, positions ascending.
pub trait Ranked {
    /// What a document scores.
    type Score: Copy + PartialOrd + Into<f64>;
    /// The positions.
    fn positions(&self) -> &[u32];
    /// The score of each.
    fn scores(&self) -> &[Self::Score];
}

impl Ranked for Matches {
    type Score = f64;
    fn positions(&self) -> &[u32] {
        &self.positions
    }
    fn scores(&self) -> &[f64] {
        &self.scores
    }
}

impl Ranked for TextMatches {
    type Score = f32;
    fn positions(&self) -> &[u32] {
        &self.positions
    }
    fn scores(&self) -> &[f32] {
        &self.scores
    }
}

/// The first `size` documents of one view by score, then ord: their positions, in that order.
pub fn best(view: &View, list: &impl Ranked, size: usize) -> Vec<u32> {
    let mut found = top(view, list, size).finish();
    found.sort_unstable_by(Scored::rank);
    found.into_iter().map(|scored| scored.position).collect()
}

fn top(view: &View, list: &impl Ranked, size: usize) -> Top {
    let (positions, scores) = (list.positions(), list.scores());
    let mut top = Top::new(size);
    for (segment, range) in by_segment(positions, view.snapshot) {
        let segment = &view.snapshot.segments[segment];
        let blocks = scores[range.clone()].chunks(BLOCK);
        for (scores, positions) in blocks.zip(positions[range].chunks(BLOCK)) {
            // Most blocks of a long list hold nothing of its first documents.
            if largest(scores).is_none_or(|most| most.into() < top.floor) {
                continue;
            }
            for (score, position) in scores.iter().zip(positions) {
                let score = (*score).into();
                if score >= top.floor {
                    let ord = segment.ords[(position - segment.base) as usize];
                    top.push(Scored {
                        score,
                        ord,
                        position: *position,
                    });
                }
            }
        }
    }
    top
}

/// A document in a list over several views.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Number of its view.
    pub view: usize,
    /// Its position in the view.
    pub position: u32,
    /// Its score.
    pub score: f64,
}

/// The first `size` documents of the lists of all views by score, then view, then ord.
pub fn first<'a, L: Ranked + 'a>(
    views: &[View],
    lists: impl Iterator<Item = &'a L>,
    size: usize,
) -> Vec<Placed> {
    let mut found: Vec<(usize, Scored)> = Vec::new();
    for (number, (view, list)) in views.iter().zip(lists).enumerate() {
        let own = top(view, list, size).finish().into_iter();
        found.extend(own.map(|scored| (number, scored)));
    }
    found.sort_unstable_by(|(view, a), (other, b)| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(view.cmp(other)).then(a.ord.cmp(&b.ord))
    });
    found.truncate(size);
    let placed = found.into_iter().map(|(view, scored)| Placed {
        view,
        position: scored.position,
        score: scored.score,
    });
    placed.collect()
}
