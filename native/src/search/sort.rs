//! The order of hits, and pages of it.

use std::cmp::Ordering;
use std::slice;

use serde::{Deserialize, Serialize};
use tantivy::{f64_to_u64, u64_to_f64};

use crate::failure::Failure;
use crate::search::deadline;
use crate::search::matches::{by_segment, Matches};
use crate::search::query::{Request, SortKey, SCORE};
use crate::search::sort_key::{compare, Key, Source};
use crate::search::top::{Scored, Top};
use crate::search::view::View;

/// Documents whose first keys are read at a time.
const CODES_AT_ONCE: usize = 4096;

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
    let simple = request.is_by_score();
    let mut order = Order {
        keys,
        after: after.as_ref(),
        reach,
        following: 0,
        hits: Vec::new(),
    };
    for (number, (view, matches)) in views.iter().zip(matches).enumerate() {
        deadline::look()?;
        if simple {
            order.add_by_score(number, view, matches);
        } else {
            order.add_by_keys(number, view, &matches.positions, Some(&matches.scores))?;
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

/// Of some positions of the only view of a search, ascending, those that a page needs that is sorted by values alone, and one
/// more, which tells whether the list goes on; ascending.
pub fn first_by_values(
    view: &View,
    positions: &[u32],
    request: &Request,
) -> Result<Vec<u32>, Failure> {
    let after = match &request.after {
        Some(text) => Some(read_cursor(text, slice::from_ref(view), &request.sort)?),
        None => None,
    };
    let mut order = Order {
        keys: &request.sort,
        after: after.as_ref(),
        reach: request.from + request.size + 1,
        following: 0,
        hits: Vec::new(),
    };
    order.add_by_keys(0, view, positions, None)?;
    let mut first: Vec<u32> = order.finish().iter().map(|hit| hit.position).collect();
    first.sort_unstable();
    Ok(first)
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
                let ord = segment.numbers.ords[(position - segment.base) as usize];
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

    /// Sorts positions of a view within each segment by codes, and makes values of the codes of the first ones only. Without
    /// scores, none of the keys is the score.
    fn add_by_keys(
        &mut self,
        number: usize,
        view: &View,
        positions: &[u32],
        scores: Option<&[f64]>,
    ) -> Result<(), Failure> {
        let mut sources = Vec::with_capacity(self.keys.len());
        for key in self.keys {
            sources.push(Source::open(view, key)?);
        }
        let width = sources.len();
        let (mut leading, mut own) = (Vec::new(), Vec::with_capacity(width));
        for (index, range) in by_segment(positions, view.snapshot) {
            let segment = &view.snapshot.segments[index];
            let cursor = self.cursor_codes(&sources, index)?;
            let mut first = First::new(width, self.reach);
            for start in range.clone().step_by(CODES_AT_ONCE) {
                let some = start..range.end.min(start + CODES_AT_ONCE);
                let scored = scores.map(|scores| &scores[some.clone()]);
                sources[0].codes(index, &positions[some.clone()], scored, &mut leading)?;
                for (at, code) in some.zip(&leading) {
                    // Most of a long list stand behind its first ones, and the cursor, by their first key.
                    if *code > first.end {
                        self.following += 1;
                        continue;
                    }
                    let document = positions[at] - segment.base;
                    let score = scores.map_or(0.0, |scores| scores[at]);
                    own.clear();
                    own.push(*code);
                    for source in &sources[1..] {
                        own.push(source.code(index, document, score)?);
                    }
                    let ord = segment.numbers.ords[document as usize];
                    let behind = cursor.as_ref().is_none_or(|(last, view, last_ord)| {
                        let order = own.cmp(last).then(number.cmp(view));
                        order.then(ord.cmp(last_ord)) == Ordering::Greater
                    });
                    if behind {
                        self.following += 1;
                        first.push(&own, (positions[at], ord, score));
                    }
                }
            }
            self.hits.extend(first.hits(&sources, number, index)?);
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

/// Entries that are kept beside the first ones before these are looked for.
const SPARE: usize = 256;

/// The first entries of a segment by their codes, then by ord, of all that are pushed.
struct First {
    width: usize,
    reach: usize,
    /// Those of each entry in a row.
    codes: Vec<u128>,
    /// Position, ord and score.
    found: Vec<(u32, u64, f64)>,
    /// The last of `reach` known ones.
    last: Option<(Vec<u128>, u64)>,
    /// Its first code: what begins with a greater one is none of the first.
    end: u128,
}

impl First {
    fn new(width: usize, reach: usize) -> First {
        First {
            width,
            reach,
            codes: Vec::new(),
            found: Vec::new(),
            last: None,
            end: u128::MAX,
        }
    }

    #[inline]
    fn push(&mut self, codes: &[u128], entry: (u32, u64, f64)) {
        let last = self.last.as_ref();
        let is_behind =
            |(last, ord): &(Vec<u128>, u64)| codes.cmp(last).then(entry.1.cmp(ord)).is_gt();
        if self.reach == 0 || last.is_some_and(is_behind) {
            return;
        }
        self.codes.extend_from_slice(codes);
        self.found.push(entry);
        if self.found.len() >= 2 * self.reach + SPARE {
            self.prune();
        }
    }

    /// Leaves the first ones, in no order.
    fn prune(&mut self) {
        if self.found.len() <= self.reach {
            return;
        }
        let (width, reach) = (self.width, self.reach);
        let mut numbers: Vec<usize> = (0..self.found.len()).collect();
        let (codes, found) = (&self.codes, &self.found);
        let (_, last, _) = numbers.select_nth_unstable_by(reach - 1, |a, b| {
            let (x, y) = (&codes[a * width..][..width], &codes[b * width..][..width]);
            x.cmp(y).then(found[*a].1.cmp(&found[*b].1))
        });
        let own = &codes[*last * width..][..width];
        self.end = own.first().copied().unwrap_or(u128::MAX);
        self.last = Some((own.to_vec(), found[*last].1));
        numbers.truncate(reach);
        // Ascending: none is written over before it is moved.
        numbers.sort_unstable();
        for (to, from) in numbers.into_iter().enumerate() {
            self.found[to] = self.found[from];
            self.codes
                .copy_within(from * width..(from + 1) * width, to * width);
        }
        self.found.truncate(reach);
        self.codes.truncate(reach * width);
    }

    /// The hits that they are, of a segment of a view.
    fn hits(
        mut self,
        sources: &[Source],
        view: usize,
        segment: usize,
    ) -> Result<impl Iterator<Item = Hit>, Failure> {
        self.prune();
        let mut keys = vec![Vec::with_capacity(self.width); self.found.len()];
        for (column, source) in sources.iter().enumerate() {
            let own = self.codes.iter().skip(column).step_by(self.width).copied();
            let own = source.keys(segment, own)?;
            keys.iter_mut()
                .zip(own)
                .for_each(|(keys, key)| keys.push(key));
        }
        let found = self.found.into_iter().zip(keys);
        Ok(found.map(move |((position, ord, score), keys)| Hit {
            view,
            position,
            ord,
            score,
            keys,
        }))
    }
}
