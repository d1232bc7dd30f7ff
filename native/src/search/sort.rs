//! The order of hits, and pages of it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use tantivy::{f64_to_u64, u64_to_f64};

use crate::failure::Failure;
use crate::search::deadline;
use crate::search::matches::Matches;
use crate::search::query::{Request, SortKey};
use crate::search::sort_key::{compare, Key, Source, SCORE};
use crate::search::top::{Scored, Top};
use crate::search::view::View;

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
    let simple = is_by_score(request);
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
            let first = first_of(&codes, &found, width, self.reach);
            let mut keys = vec![Vec::with_capacity(width); first.len()];
            for (column, source) in sources.iter().enumerate() {
                let own = first.iter().map(|at| codes[at * width + column]);
                let own = source.keys(index, own)?;
                keys.iter_mut()
                    .zip(own)
                    .for_each(|(keys, key)| keys.push(key));
            }
            let hits = first.into_iter().zip(keys).map(|(at, keys)| {
                let (position, ord, score) = found[at];
                Hit {
                    view: number,
                    position,
                    ord,
                    score,
                    keys,
                }
            });
            self.hits.extend(hits);
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
