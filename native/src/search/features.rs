//! Features: what a model may know of a document that a search found.
//!
//! | name | what it is | unit and range |
//! |---|---|---|
//! | `textScore` | b(d) / largest b, as in the convex fusion | 0 … 1, 0 when no word matches |
//! | `vectorScore` | (c(d) − cut) / (largest c − cut), as in the convex fusion | 0 … 1, 0 when no neighbour |
//! | `bm25` | b(d) | 0 and up |
//! | `cosine` | c(d) | −1 … 1, 0 when no neighbour |
//! | `textRank` | 1 / place in the list by words | 1/32 … 1, 0 behind the first 32 |
//! | `vectorRank` | 1 / place in the list of neighbours | 1/32 … 1, 0 behind the first 32 |
//! | `fusedScore` | final score before what was learned | the scale of the search's score |
//! | `matchedTerms` | share of the query's different words, of which a quoted phrase is one, that the document has | 0 … 1 |
//! | `titleTerms` | share that the text field of the greatest weight has | 0 … 1 |
//! | `exactTitle` | that field is the query, term by term | 0 or 1 |
//! | `proximity` | share, by idf, of the query's pairs of neighbouring terms that the document has side by side | 0 … 1 |
//! | `documentLength` | ln(1 + terms in searched fields) | 0 and up |
//! | `age` | ln(1 + days) since `updated`, else `created` | 0 and up, 0 without a date |
//! | `clickMemory` | the added value that was passed for the document, without pins | −10 to 10, 0 without one |
//! | `queryLength` | different words of the query, of which a quoted phrase is one | 0 and up |
//! | `indexSize` | ln(1 + documents of the index) | 0 and up |
//! | `titleScore` | BM25 of the text field of the greatest weight by itself, its boost and the query as a whole included | 0 and up |
//! | `bodyScore` | that of all other fields, added up | 0 and up |
//! | `device` | the caller's: 1 desktop, 2 mobile, 3 tablet | 0 to 3, 0 when unknown |
//! | `clickRate` | gain an examination of the document over all queries that somebody gained from, decayed and shrunk like the click memory's own rate: (c + a·p₀) / (e + a), at most 1 (src/learn/memory/click-rate.ts) | 0 … 1, p₀ for a document that nobody looked at, and for all without learning |
//!
//! A search without words (an empty query, or vectors only) has 0 in all features of words. Lists
//! by words and of neighbours run over all indices searched. Ages are those at the start of the
//! hour that the request names, so that the pages of one list agree, and click rates those of the
//! edition that it names; a document that was written anew has p₀ until the next one.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tantivy::schema::Field;

use crate::engine::rates::Rates;
use crate::failure::Failure;
use crate::search::added_scores::PINNED;
use crate::search::learned_scores::LearnedScores;
use crate::search::places::Places;
use crate::search::query::{Mode, Request};
use crate::search::scale::Scale;
use crate::search::text::matched::Matched;
use crate::search::text::plan;
use crate::search::text::postings::{FieldReader, Postings};
use crate::search::view::View;

/// The names of the features, in the order of a row. New ones come last and none is ever moved or taken
/// out: rows that were stored are read by place.
pub const NAMES: [&str; 20] = [
    "textScore",
    "vectorScore",
    "bm25",
    "cosine",
    "textRank",
    "vectorRank",
    "fusedScore",
    "matchedTerms",
    "titleTerms",
    "exactTitle",
    "proximity",
    "documentLength",
    "age",
    "clickMemory",
    "queryLength",
    "indexSize",
    "titleScore",
    "bodyScore",
    "device",
    "clickRate",
];

/// The most that click memory adds, at the greatest weight that it may have. With less, documents that were chosen
/// often and those chosen always would look the same to a model.
const LEARNED_MAX: f64 = 10.0;

/// A document whose features are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Subject {
    /// Number of its view.
    pub view: usize,
    /// Its position in the view.
    pub position: u32,
    /// Its score before anything learned.
    pub fused: f64,
}

/// The features of some documents, a row of `NAMES` for each.
pub fn rows(
    views: &[View],
    learned: &LearnedScores,
    request: &Request,
    subjects: &[Subject],
) -> Result<Vec<f32>, Failure> {
    let scale = Scale::of(views, request);
    let found: Vec<Found> = subjects
        .iter()
        .map(|s| Found::of(views, &scale, s))
        .collect();
    let by_text = text_places(views, &found);
    let by_vector = vector_places(views, &scale, &found);
    let ord_of = |view: usize, position| views[view].snapshot.ord_of(position);
    let mut parts = Vec::with_capacity(views.len());
    for view in views {
        parts.push(ViewParts::open(view, request)?);
    }
    let mut all = Vec::with_capacity(subjects.len() * NAMES.len());
    for (subject, found) in subjects.iter().zip(&found) {
        let (number, position) = (subject.view, subject.position);
        let (view, parts) = (&views[number], &parts[number]);
        let place = |text| by_text.of((number, position), text, ord_of);
        let text_place = found.text.and_then(place);
        let place = |part| by_vector.of((number, position), part, ord_of);
        let vector_place = found.neighbour_part().and_then(place);
        let (share, title_share, pair_share) = shares(view, position);
        let words = view.matched.as_ref().zip(view.text.number_of(position));
        let by_field = words.map(|(words, number)| words.title_and_body(number));
        let (title_score, body_score) = by_field.unwrap_or_default();
        let (length, age) = parts.length_and_age(view, position)?;
        let exact = title_share == 1.0 && parts.is_title(view, request, position)?;
        // In the order of `NAMES`.
        let row: [f32; NAMES.len()] = [
            found.text_part as f32,
            found.vector_part as f32,
            found.text.unwrap_or(0.0),
            found.cosine.unwrap_or(0.0),
            reciprocal(text_place),
            reciprocal(vector_place),
            subject.fused as f32,
            share,
            title_share,
            f32::from(u8::from(exact)),
            pair_share,
            length,
            age,
            chosen(learned, number, position) as f32,
            parts.query_length,
            parts.index_size,
            title_score,
            body_score,
            f32::from(request.device),
            parts.click_rate(view, position),
        ];
        all.extend(row);
    }
    Ok(all)
}

/// The parts of the query's words, of those in the title, and of pairs of words, that a document has.
fn shares(view: &View, position: u32) -> (f32, f32, f32) {
    let of = |words: &Matched| {
        let (title, pairs) = (words.title_share(position), words.pair_share(position));
        (words.share(position), title, pairs)
    };
    view.matched.as_ref().map_or((0.0, 0.0, 0.0), of)
}

/// What click memory adds to a document's score. What a person set says nothing about what people chose.
fn chosen(learned: &LearnedScores, view: usize, position: u32) -> f64 {
    let value = learned.of(view, position).map_or(0.0, |own| own.value);
    if value >= PINNED {
        0.0
    } else {
        value.clamp(-LEARNED_MAX, LEARNED_MAX)
    }
}

fn reciprocal(place: Option<usize>) -> f32 {
    place.map_or(0.0, |place| 1.0 / place as f32)
}

/// What both legs say of a document.
struct Found {
    /// b(d), when the features of words are wanted and it has any.
    text: Option<f32>,
    /// c(d), when it is a neighbour.
    cosine: Option<f32>,
    text_part: f64,
    vector_part: f64,
}

impl Found {
    fn of(views: &[View], scale: &Scale, subject: &Subject) -> Found {
        let view = &views[subject.view];
        let text = view.text.score_at(subject.position);
        let text = view.matched.as_ref().and(text);
        let cosine = view.cosine_at(subject.position);
        let (text_part, vector_part) = scale.parts(view, text, cosine);
        Found {
            text,
            cosine,
            text_part,
            vector_part,
        }
    }

    /// What a neighbour is placed by: cosines of different spaces compare by their normalised part
    /// only.
    fn neighbour_part(&self) -> Option<f64> {
        self.cosine.map(|_| self.vector_part)
    }
}

fn text_places(views: &[View], found: &[Found]) -> Places<f32> {
    let mut places = Places::asked(found.iter().filter_map(|found| found.text));
    let views = views.iter().enumerate();
    for (number, view) in views.filter(|(_, view)| view.matched.is_some()) {
        places.add(number, &view.text.positions, &view.text.scores);
    }
    places
}

fn vector_places(views: &[View], scale: &Scale, found: &[Found]) -> Places<f64> {
    let mut places = Places::asked(found.iter().filter_map(Found::neighbour_part));
    for (number, view) in views.iter().enumerate() {
        for (position, cosine) in &view.near {
            let part = scale.parts(view, None, Some(*cosine)).1;
            places.add_one(number, *position, part);
        }
    }
    places
}

/// What the features of one view's documents are read from.
struct ViewParts {
    query_length: f32,
    index_size: f32,
    now_days: f64,
    prior_rate: f32,
    /// `None` when the request names no edition, or none is there.
    rates: Option<Arc<Rates>>,
    /// Documents whose title holds the query as a phrase, positions ascending.
    phrase: OnceCell<Vec<u32>>,
}

impl ViewParts {
    fn open(view: &View, request: &Request) -> Result<ViewParts, Failure> {
        let distinct = match &view.matched {
            Some(matched) => matched.distinct,
            None if request.mode == Mode::Vector && !request.is_empty_query() => {
                plan::plan(view.snapshot, request)?.clauses.len()
            }
            None => 0,
        };
        let edition = request.click_rates.edition;
        Ok(ViewParts {
            query_length: distinct as f32,
            index_size: f64::from(view.snapshot.live).ln_1p() as f32,
            now_days: f64::from(request.ages_at.unwrap_or_else(this_hour)) / 24.0,
            prior_rate: request.click_rates.prior,
            rates: edition.and_then(|edition| view.snapshot.rates.at(edition)),
            phrase: OnceCell::new(),
        })
    }

    fn length_and_age(&self, view: &View, position: u32) -> Result<(f32, f32), Failure> {
        let (segment, document) = view.snapshot.locate(position);
        let facts = view.snapshot.facts(segment)?;
        let date = facts.date(document);
        let days = date.map_or(0.0, |micros| self.now_days - micros as f64 / MICROS_A_DAY);
        let length = facts.searched_length(document);
        Ok((length.ln_1p(), days.max(0.0).ln_1p() as f32))
    }

    fn click_rate(&self, view: &View, position: u32) -> f32 {
        let known = self.rates.as_ref();
        let own = known.and_then(|rates| rates.of(view.snapshot.ord_of(position)));
        own.unwrap_or(self.prior_rate)
    }

    /// Whether a title that has every term of the query is the query.
    fn is_title(&self, view: &View, request: &Request, position: u32) -> Result<bool, Failure> {
        let Some(matched) = &view.matched else {
            return Ok(false);
        };
        let Some(title) = matched.title().filter(|_| matched.is_whole()) else {
            return Ok(false);
        };
        let (segment, document) = view.snapshot.locate(position);
        let length = view.snapshot.facts(segment)?.length(title, document);
        if length != matched.words || length < 2.0 {
            return Ok(length == matched.words);
        }
        if self.phrase.get().is_none() {
            let found = titles_with_phrase(view, request, title)?;
            let _ = self.phrase.set(found);
        }
        let phrase = self.phrase.get();
        Ok(phrase.is_some_and(|found| found.binary_search(&position).is_ok()))
    }
}

const MICROS_A_DAY: f64 = 86_400e6;

/// The hour, counted from 1970 on.
fn this_hour() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| (now.as_secs() / 3600) as u32)
}

/// Documents whose title holds the whole query as a phrase, positions ascending.
fn titles_with_phrase(view: &View, request: &Request, title: Field) -> Result<Vec<u32>, Failure> {
    let whole = Request {
        phrase: true,
        prefix: false,
        slop: 0,
        ..request.clone()
    };
    let plan = plan::plan(view.snapshot, &whole)?;
    let field = plan.fields.iter().find(|field| field.field == title);
    let mut postings = Postings::default();
    if let (Some(field), Some(clause)) = (field, plan.clauses.first()) {
        let reader = FieldReader::open(view.snapshot, title)?;
        reader.read(view.snapshot, &clause.ways[field.group], &mut postings)?;
    }
    Ok(postings.positions)
}
