//! Facets: values, ranges and statistics counted over exactly the match set.

use std::collections::HashMap;

use serde_json::{json, Map, Value};
use tantivy::columnar::{Cardinality, ColumnType};
use tantivy::{f64_to_u64, u64_to_f64, u64_to_i64};

use crate::date::{date_unmapped, iso};
use crate::engine::codes::CodeHash;
use crate::engine::column::{self, Bound, Codes, Column, Columns, Place};
use crate::engine::segment::NONE;
use crate::failure::Failure;
use crate::search::code_counts::CodeCounts;
use crate::search::deadline;
use crate::search::intervals::Intervals;
use crate::search::matches::Matches;
use crate::search::most::most_of;
use crate::search::query::{FacetRange, FacetRequest};
use crate::search::view::View;
use crate::search::word_counts::WordCounts;
use crate::value::{number_value, number_written};

/// A range in codes of each column that has values in it, by the number of the column.
type Bounds = Vec<(usize, Codes)>;

/// Counts the facets of a request as JSON; `None` when it asks for none. BAD_REQUEST for text
/// that is only analysed.
pub fn facets(
    views: &[View],
    matches: &[Matches],
    requests: &[FacetRequest],
) -> Result<Option<String>, Failure> {
    if requests.is_empty() {
        return Ok(None);
    }
    let mut all = Map::new();
    for request in requests {
        let mut columns = Vec::with_capacity(views.len());
        for view in views {
            columns.push(columns_of(view, request)?);
        }
        let mut facet = Facet::new(request, Alike::of(&columns));
        for ((view, matches), columns) in views.iter().zip(matches).zip(&columns) {
            facet.count(view, matches, columns)?;
        }
        all.insert(request.field.clone(), facet.finish()?);
    }
    Ok(Some(Value::Object(all).to_string()))
}

fn columns_of(view: &View, request: &FacetRequest) -> Result<Vec<Columns>, Failure> {
    let place = column::place(&view.snapshot.definition, &request.field);
    if let Place::Analysed(field) = place {
        return Err(Failure::bad_request(format!(
            "{} is analysed text; count a keyword field",
            field.name
        )));
    }
    view.snapshot.columns(&place)
}

/// Values of one type, which are what they are counted as: those that differ are different values.
enum Alike {
    Words(WordCounts),
    Numbers(CodeCounts),
    Dates(CodeCounts),
    Truths(CodeCounts),
}

impl Alike {
    /// `None` where values may be of several types, or words may be dates.
    fn of(columns: &[Vec<Columns>]) -> Option<Alike> {
        let are = |is_one: fn(&Column) -> bool| {
            let mut columns = columns.iter().flatten().flat_map(|own| &own.columns);
            columns.all(|column| is_one(column) && !column.dates)
        };
        if are(|column| column.kind == ColumnType::Str) {
            return Some(Alike::Words(WordCounts::default()));
        }
        if are(|column| is_number(column.kind)) {
            return Some(Alike::Numbers(CodeCounts::default()));
        }
        if are(|column| column.kind == ColumnType::DateTime) {
            return Some(Alike::Dates(CodeCounts::default()));
        }
        let truths = are(|column| column.kind == ColumnType::Bool);
        truths.then(|| Alike::Truths(CodeCounts::default()))
    }

    fn count(&mut self, column: &Column, base: u32, positions: &[u32]) {
        match self {
            Alike::Words(counts) => counts.count(column, base, positions),
            Alike::Numbers(counts) => counts.count(column, base, positions, |code| {
                f64_to_u64(column.number(code).unwrap_or_default())
            }),
            Alike::Dates(counts) | Alike::Truths(counts) => {
                counts.count(column, base, positions, |code| code);
            }
        }
    }

    fn first(self, size: usize) -> Result<Vec<(u64, Key)>, Failure> {
        let (counts, key): (_, fn(u64) -> Key) = match self {
            Alike::Words(counts) => {
                let first = counts.first(size)?.into_iter();
                return Ok(first
                    .map(|(count, word)| (count, Key::Text(word)))
                    .collect());
            }
            Alike::Numbers(counts) => (counts, Key::Number),
            Alike::Dates(counts) => (counts, |code| Key::Date(u64_to_i64(code))),
            Alike::Truths(counts) => (counts, |code| Key::Bool(code > 0)),
        };
        let first = counts.first(size).into_iter();
        Ok(first.map(|(count, value)| (count, key(value))).collect())
    }
}

fn is_single(column: &Column) -> bool {
    column.codes.get_cardinality() != Cardinality::Multivalued
}

fn is_number(kind: ColumnType) -> bool {
    matches!(kind, ColumnType::I64 | ColumnType::U64 | ColumnType::F64)
}

/// A value, the same for values that a filter takes for equal, whatever segment and column they
/// are from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Key {
    /// Bits that keep the order of numbers.
    Number(u64),
    /// Nanoseconds since 1970.
    Date(i64),
    Text(String),
    Bool(bool),
}

impl Key {
    /// The value of a code of a column that has no words.
    fn of_code(column: &Column, code: u64) -> Key {
        match column.kind {
            ColumnType::Bool => Key::Bool(code > 0),
            ColumnType::DateTime => Key::Date(u64_to_i64(code)),
            _ => Key::Number(f64_to_u64(column.number(code).unwrap_or_default())),
        }
    }

    /// The value that a column's word is.
    fn of_word(column: &Column, word: &str) -> Key {
        let date = column.dynamic.then(|| date_unmapped(word)).flatten();
        if let Some(micros) = date {
            return Key::Date(micros * 1000);
        }
        match (number_written(word), word) {
            (Some(number), _) => Key::Number(f64_to_u64(number)),
            (None, "true") => Key::Bool(true),
            (None, "false") => Key::Bool(false),
            (None, word) => Key::Text(word.to_owned()),
        }
    }

    fn value(&self) -> Value {
        match self {
            Key::Number(bits) => number_value(u64_to_f64(*bits)),
            Key::Date(nanos) => Value::String(iso(*nanos)),
            Key::Text(text) => Value::String(text.clone()),
            Key::Bool(yes) => Value::Bool(*yes),
        }
    }
}

#[derive(Default)]
struct Stats {
    count: u64,
    sum: f64,
    min: f64,
    max: f64,
}

/// How often a value was counted.
#[derive(Clone, Copy)]
struct Tally {
    count: u64,
    /// The position of the document in the view that it was last counted for.
    last: u32,
}

/// Where the values of a column are counted: code → place among the tallies, `NONE` before the
/// first.
enum Places {
    /// By code: words have numbers without gaps.
    Words(Vec<u32>),
    Others(HashMap<u64, u32, CodeHash>),
}

impl Places {
    fn of(column: &Column) -> Places {
        match column.words() {
            Some(words) => Places::Words(vec![NONE; words]),
            None => Places::Others(HashMap::default()),
        }
    }

    fn at(&mut self, code: u64) -> &mut u32 {
        match self {
            Places::Words(places) => &mut places[code as usize],
            Places::Others(places) => places.entry(code).or_insert(NONE),
        }
    }
}

struct Facet<'a> {
    request: &'a FacetRequest,
    /// The values, where all are of one type; what follows is for those of any type.
    alike: Option<Alike>,
    /// Value → its place among the tallies.
    places: HashMap<Key, u32>,
    tallies: Vec<Tally>,
    /// Beside the tallies, the least of the words that a value of another kind is written as, if
    /// nothing else stands for it.
    words: Vec<Option<String>>,
    ranges: Vec<u64>,
    stats: Stats,
}

impl<'a> Facet<'a> {
    fn new(request: &'a FacetRequest, alike: Option<Alike>) -> Self {
        Facet {
            request,
            alike,
            places: HashMap::new(),
            tallies: Vec::new(),
            words: Vec::new(),
            ranges: vec![0; request.ranges.len()],
            stats: Stats {
                min: f64::INFINITY,
                max: f64::NEG_INFINITY,
                ..Stats::default()
            },
        }
    }

    fn count(
        &mut self,
        view: &View,
        matches: &Matches,
        segments: &[Columns],
    ) -> Result<(), Failure> {
        for tally in &mut self.tallies {
            tally.last = NONE;
        }
        for (index, range) in matches.by_segment(view.snapshot) {
            let Some(columns) = segments.get(index) else {
                continue;
            };
            deadline::look()?;
            let positions = &matches.positions[range];
            if columns.columns.is_empty() || positions.is_empty() {
                continue;
            }
            if self.request.size > 0 {
                self.count_values(columns, positions)?;
            }
            self.count_ranges(columns, positions)?;
            if self.request.stats {
                self.count_stats(columns, positions);
            }
        }
        Ok(())
    }

    /// Each document counts once for each of its values.
    fn count_values(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        if let Some(alike) = &mut self.alike {
            for column in columns.values() {
                alike.count(column, columns.base, positions);
            }
            return Ok(());
        }
        let mut places: Vec<Places> = columns.values().map(Places::of).collect();
        for (column, places) in columns.values().zip(&mut places) {
            if let Places::Words(places) = places {
                self.place_words(column, columns.base, positions, places)?;
            }
        }
        for position in positions {
            for (column, places) in columns.values().zip(&mut places) {
                for code in column.codes.values_for_doc(position - columns.base) {
                    let place = places.at(code);
                    if *place == NONE {
                        *place = self.place_of(Key::of_code(column, code), None);
                    }
                    let tally = &mut self.tallies[*place as usize];
                    if tally.last != *position {
                        tally.last = *position;
                        tally.count += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// The places of all words that these documents have, found in the order of the dictionary: to
    /// look one up by itself is to read its block from the beginning.
    fn place_words(
        &mut self,
        column: &Column,
        base: u32,
        positions: &[u32],
        places: &mut [u32],
    ) -> Result<(), Failure> {
        let mut is_used = vec![false; places.len()];
        for position in positions {
            for code in column.codes.values_for_doc(position - base) {
                is_used[code as usize] = true;
            }
        }
        let codes = (0..places.len() as u64).filter(|code| is_used[*code as usize]);
        let codes: Vec<u64> = codes.collect();
        let mut next = codes.iter();
        column.for_each_word(&codes, |word| {
            let key = Key::of_word(column, word);
            let other = !matches!(key, Key::Text(_));
            if let Some(code) = next.next() {
                places[*code as usize] = self.place_of(key, other.then(|| word.to_owned()));
            }
        })
    }

    /// The place of a value among the tallies; `word` is what one of another kind is written as.
    fn place_of(&mut self, key: Key, word: Option<String>) -> u32 {
        let fresh = self.tallies.len() as u32;
        let place = *self.places.entry(key).or_insert(fresh);
        match self.words.get_mut(place as usize) {
            None => {
                self.words.push(word);
                self.tallies.push(Tally {
                    count: 0,
                    last: NONE,
                });
            }
            // `None` is the least: a value that stands for itself.
            Some(known) if word < *known => *known = word,
            Some(_) => {}
        }
        place
    }

    /// Each document counts once for each range that any of its values lies in.
    fn count_ranges(&mut self, columns: &Columns, positions: &[u32]) -> Result<(), Failure> {
        let mut bounds: Vec<Bounds> = Vec::with_capacity(self.request.ranges.len());
        for range in &self.request.ranges {
            let mut own = Vec::with_capacity(columns.columns.len());
            for (number, column) in columns.columns.iter().enumerate() {
                own.extend(codes_of(range, column)?.map(|codes| (number, codes)));
            }
            bounds.push(own);
        }
        if bounds.is_empty() {
            return Ok(());
        }
        let mut intervals: Vec<Intervals> = (0..columns.columns.len())
            .map(|number| Intervals::of(bounds_in(&bounds, number)))
            .collect();
        let all = || bounds.iter().flatten();
        let is_cut = all().all(|(_, codes)| codes.ends().is_some());
        let mut read: Vec<usize> = all().map(|(number, _)| *number).collect();
        read.sort_unstable();
        read.dedup();
        match read.as_slice() {
            // A single value is in each of its ranges once.
            [only] if is_cut && is_single(&columns.columns[*only]) => {
                let intervals = &mut intervals[*only];
                columns.columns[*only]
                    .for_each_code(columns.base, positions, |_, code| intervals.count(code));
            }
            _ => self.count_each(columns, positions, (&bounds, &read), is_cut, &mut intervals),
        }
        for (bounds, count) in bounds.iter().zip(&mut self.ranges) {
            let ends = bounds.iter();
            let ends = ends.filter_map(|(column, codes)| Some((column, codes.ends()?)));
            *count += ends
                .map(|(column, (low, high))| intervals[*column].within(low, high))
                .sum::<u64>();
        }
        Ok(())
    }

    /// As `count_ranges`, one document after the other.
    fn count_each(
        &mut self,
        columns: &Columns,
        positions: &[u32],
        (bounds, read): (&[Bounds], &[usize]),
        is_cut: bool,
        intervals: &mut [Intervals],
    ) {
        // Of each column the values of one document: read once, however many ranges there are.
        let mut values: Vec<Vec<u64>> = vec![Vec::new(); columns.columns.len()];
        for position in positions {
            for number in read {
                let own = &columns.columns[*number].codes;
                values[*number].clear();
                values[*number].extend(own.values_for_doc(position - columns.base));
            }
            // A single value is in each of its ranges once.
            if is_cut && values.iter().map(Vec::len).sum::<usize>() <= 1 {
                for (values, intervals) in values.iter().zip(&mut *intervals) {
                    values.iter().for_each(|code| intervals.count(*code));
                }
                continue;
            }
            for (bounds, count) in bounds.iter().zip(&mut self.ranges) {
                let is_inside = bounds.iter().any(|(column, codes)| {
                    let mut values = values[*column].iter();
                    values.any(|code| codes.contains(*code))
                });
                *count += u64::from(is_inside);
            }
        }
    }

    /// Numbers, and dates in milliseconds; true and false are neither.
    fn count_stats(&mut self, columns: &Columns, positions: &[u32]) {
        let stats = &mut self.stats;
        let all = columns.columns.iter();
        for column in all.filter(|column| column.kind != ColumnType::Bool) {
            column.for_each_code(columns.base, positions, |_, code| {
                let Some(number) = column.number(code) else {
                    return;
                };
                stats.count += 1;
                stats.sum += number;
                stats.min = stats.min.min(number);
                stats.max = stats.max.max(number);
            });
        }
    }

    fn finish(self) -> Result<Value, Failure> {
        let mut facet = Map::new();
        let size = self.request.size;
        let values = match self.alike {
            Some(alike) => alike.first(size)?,
            None => most_of(shown(self.places, &self.tallies, self.words), size),
        };
        let values = values
            .into_iter()
            .map(|(count, key)| json!({ "value": key.value(), "count": count }));
        facet.insert("values".into(), values.collect());
        if !self.request.ranges.is_empty() {
            let ranges = self.request.ranges.iter().zip(&self.ranges);
            let ranges = ranges.map(|(range, count)| range_value(range, *count));
            facet.insert("ranges".into(), ranges.collect());
        }
        if self.request.stats {
            facet.insert("stats".into(), self.stats.value());
        }
        Ok(Value::Object(facet))
    }
}

impl Stats {
    fn value(&self) -> Value {
        if self.count == 0 {
            let none = Value::Null;
            return json!({ "min": none, "max": none, "avg": none, "sum": 0, "count": 0 });
        }
        // The greatest numbers add up to more than a number can be.
        let sum = self.sum.clamp(-f64::MAX, f64::MAX);
        // Three times .1 add up to more than .3.
        let average = (sum / self.count as f64).clamp(self.min, self.max);
        json!({
            "min": number_value(self.min),
            "max": number_value(self.max),
            "avg": number_value(average),
            "sum": number_value(sum),
            "count": self.count,
        })
    }
}

/// The first and last codes of what ranges leave of the column of a number.
fn bounds_in(bounds: &[Bounds], number: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
    let all = bounds.iter().flatten();
    all.filter_map(move |(column, codes)| codes.ends().filter(|_| *column == number))
}

/// The codes inside a range; `None` when its bounds aren't of the column's type or leave nothing.
fn codes_of(range: &FacetRange, column: &Column) -> Result<Option<Codes>, Failure> {
    let sides = [(&range.from, Bound::From), (&range.to, Bound::Below)];
    let sides = sides.into_iter();
    let sides: Vec<(&Value, Bound)> = sides
        .filter_map(|(value, bound)| Some((value.as_ref()?, bound)))
        .collect();
    column.within(&sides)
}

/// The values as they are shown, and how many documents have each. A word that is a date to one
/// index may be nothing but a word to another: it is one value, since a filter on it finds both.
fn shown(
    places: HashMap<Key, u32>,
    tallies: &[Tally],
    mut words: Vec<Option<String>>,
) -> Vec<(u64, Key)> {
    let mut counts: Vec<u64> = tallies.iter().map(|tally| tally.count).collect();
    // Where no word is nothing but a word, there are no two of these to be one.
    if places.keys().any(|key| matches!(key, Key::Text(_))) {
        for (place, word) in words.iter().enumerate() {
            let same = word.clone().and_then(|word| places.get(&Key::Text(word)));
            if let Some(same) = same {
                counts[*same as usize] += std::mem::take(&mut counts[place]);
            }
        }
        // So it is with a date of a mapped field and a word in the spelling that dates are shown in.
        for (key, place) in &places {
            let Key::Date(nanos) = key else { continue };
            if words[*place as usize].is_some() {
                continue;
            }
            if let Some(same) = places.get(&Key::Text(iso(*nanos))) {
                let count = std::mem::take(&mut counts[*same as usize]);
                counts[*place as usize] += count;
            }
        }
    }
    let counted = places.into_iter().map(|(key, place)| {
        let word = words[place as usize].take();
        (counts[place as usize], word.map_or(key, Key::Text))
    });
    counted.filter(|(count, _)| *count > 0).collect()
}

fn range_value(range: &FacetRange, count: u64) -> Value {
    let word = |value: &Option<Value>| match value {
        None => String::new(),
        Some(Value::String(word)) => word.clone(),
        Some(other) => other.to_string(),
    };
    let mut map = Map::new();
    let key = range.key.clone();
    let key = key.unwrap_or_else(|| format!("{}-{}", word(&range.from), word(&range.to)));
    map.insert("key".into(), Value::String(key));
    for (name, value) in [("from", &range.from), ("to", &range.to)] {
        if let Some(value) = value {
            map.insert(name.into(), value.clone());
        }
    }
    map.insert("count".into(), json!(count));
    Value::Object(map)
}
