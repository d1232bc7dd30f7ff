//! Highlights: the passages of a document's text that hold the words of a query.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::analysis::term::Term;
use crate::analysis::Analyzer;
use crate::engine::document::paths::collect_object;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::query::Request;
use crate::search::text::clause::Way;
use crate::search::text::occurrences::Sought;
use crate::search::text::plan;
use crate::value::word_of;

const FRAGMENTS_MAX: usize = 100;
const FRAGMENT_CHARACTERS_MAX: usize = 100_000;
/// A passage begins at most this many characters behind its due place, to begin with a word.
const SNAP_CHARACTERS: usize = 24;

/// What passages are wanted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    /// Fields; default: those that the query searches.
    fields: Option<Vec<String>>,
    /// Longest passage in characters, marks not counted.
    fragment_size: usize,
    /// Most passages per field; 0 = the whole text of the field, marked.
    fragments: usize,
    /// Put before a matching word.
    pre: String,
    /// Put behind it.
    post: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fields: None,
            fragment_size: 150,
            fragments: 3,
            pre: "<em>".into(),
            post: "</em>".into(),
        }
    }
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    highlight: Options,
}

/// A search request with what to highlight.
pub struct HighlightRequest {
    search: Request,
    options: Options,
}

impl HighlightRequest {
    /// Reads a search request with the options under `highlight`; BAD_REQUEST when it is none.
    pub fn parse(json: &str) -> Result<HighlightRequest, Failure> {
        let mut search = Request::parse(json)?;
        let wire: Wire =
            serde_json::from_str(json).map_err(|e| Failure::bad_request(e.to_string()))?;
        let mut options = wire.highlight;
        options.fragments = options.fragments.min(FRAGMENTS_MAX);
        options.fragment_size = options.fragment_size.clamp(1, FRAGMENT_CHARACTERS_MAX);
        if let Some(fields) = &options.fields {
            search.fields = Some(
                fields
                    .iter()
                    .map(|name| (name.clone(), Some(1.0)))
                    .collect(),
            );
            search.boost = None;
        }
        Ok(HighlightRequest { search, options })
    }
}

/// For each document (JSON) its passages as JSON `{field: [passage]}`: text escaped for HTML, the
/// best passages first, fields without a match left out.
pub fn highlight(
    snapshot: &Snapshot,
    request: &HighlightRequest,
    documents: &[String],
) -> Result<Vec<String>, Failure> {
    let plan = plan::plan(snapshot, &request.search)?;
    let fields: Vec<Field> = plan
        .fields
        .iter()
        .filter_map(|field| {
            let ways = plan.clauses.iter().flat_map(|c| &c.ways[field.group]);
            let (rows, words): (Vec<&Way>, Vec<&Way>) = ways.partition(|way| way.slots.len() > 1);
            let slots = words.into_iter().flat_map(|way| &way.slots);
            Some(Field {
                name: &field.entry.name,
                path: &field.entry.path,
                analyzer: field.entry.analyzer.as_ref()?,
                words: slots.flat_map(|s| &s.terms).map(String::as_str).collect(),
                rows: rows.into_iter().map(Sought::of).collect(),
            })
        })
        .collect();
    let read = |document: &String| -> Result<String, Failure> {
        deadline::look()?;
        let source: Map<String, Value> = serde_json::from_str(document)
            .map_err(|error| Failure::bad_request(error.to_string()))?;
        let mut found = Map::new();
        for field in &fields {
            let passages = field.passages(&source, &request.options);
            if !passages.is_empty() {
                let passages = passages.into_iter().map(Value::String);
                found.insert(field.name.to_owned(), passages.collect());
            }
        }
        Ok(Value::Object(found).to_string())
    };
    documents.iter().map(read).collect()
}

struct Field<'a> {
    name: &'a str,
    path: &'a [String],
    analyzer: &'a Analyzer,
    /// Terms that are marked wherever they stand.
    words: HashSet<&'a str>,
    /// Rows of terms that are marked where they stand together.
    rows: Vec<Sought<'a>>,
}

/// A passage before it is written out.
struct Passage {
    value: usize,
    range: Range<usize>,
    marks: Range<usize>,
    different: usize,
}

/// A matching word: its place and which term it is.
struct Mark {
    range: Range<usize>,
    term: String,
}

impl Field<'_> {
    fn passages(&self, source: &Map<String, Value>, options: &Options) -> Vec<String> {
        let mut values = Vec::new();
        collect_object(source, self.path, &mut values);
        let texts: Vec<String> = values.into_iter().filter_map(word_of).collect();
        let marks: Vec<Vec<Mark>> = texts.iter().map(|text| self.marks(text)).collect();
        let mut passages = Vec::new();
        for (value, (text, marks)) in texts.iter().zip(&marks).enumerate() {
            passages.extend(cut(value, text, marks, options));
        }
        passages.sort_by_key(|passage| {
            let count = passage.marks.len();
            std::cmp::Reverse((passage.different, count))
        });
        if options.fragments > 0 {
            passages.truncate(options.fragments);
        }
        passages
            .iter()
            .map(|p| {
                write(
                    &texts[p.value],
                    p,
                    &marks[p.value][p.marks.clone()],
                    options,
                )
            })
            .collect()
    }

    /// The matching words of a text, in order, without overlaps.
    fn marks(&self, text: &str) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let terms = self.analyzer.forms(text);
        let mut marked: Vec<bool> = terms
            .iter()
            .map(|t| self.words.contains(t.text.as_str()))
            .collect();
        self.rows
            .iter()
            .for_each(|row| mark_row(row, &terms, &mut marked));
        for (term, _) in terms.into_iter().zip(marked).filter(|(_, marked)| *marked) {
            match marks.last_mut() {
                Some(last) if term.from < last.range.end => {
                    last.range.end = last.range.end.max(term.to);
                }
                _ => marks.push(Mark {
                    range: term.from..term.to,
                    term: term.text,
                }),
            }
        }
        marks
    }
}

/// Marks the terms of a text that are a row, wherever it stands.
fn mark_row(row: &Sought, terms: &[Term], marked: &mut [bool]) {
    let (places, numbers) = places_of(&row.words, terms);
    row.each(&places, |found, _| {
        for (word, place) in row.word_of().iter().zip(found) {
            marked[numbers[*word][*place]] = true;
        }
    });
}

/// Where each of some words stands in a text: the positions, ascending, and the number of its first term at each. A term
/// that comes again at a position has another place there, as in the index: ngrams have the position of their word.
fn places_of(words: &[&[String]], terms: &[Term]) -> (Vec<Vec<u32>>, Vec<Vec<usize>>) {
    let mut words_with: HashMap<&str, Vec<usize>> = HashMap::new();
    for (word, alternatives) in words.iter().enumerate() {
        for term in *alternatives {
            words_with.entry(term).or_default().push(word);
        }
    }
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); words.len()];
    let mut numbers: Vec<Vec<usize>> = vec![Vec::new(); words.len()];
    for (at, term) in terms.iter().enumerate() {
        for word in words_with.get(term.text.as_str()).into_iter().flatten() {
            let position = term.position as u32;
            let last = places[*word].last().zip(numbers[*word].last());
            if last.is_none_or(|(last, number)| {
                *last < position || *last == position && terms[*number].text == term.text
            }) {
                places[*word].push(position);
                numbers[*word].push(at);
            }
        }
    }
    (places, numbers)
}

/// Cuts the text around its marks: each passage begins a little before the first mark that no
/// earlier passage holds.
fn cut(value: usize, text: &str, marks: &[Mark], options: &Options) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    let mut first = 0;
    let mut free = 0;
    while let Some(mark) = marks.get(first) {
        let whole = options.fragments == 0;
        let mut range = if whole || text.chars().nth(options.fragment_size).is_none() {
            0..text.len()
        } else {
            window(text, &mark.range, free, options.fragment_size)
        };
        let inside = marks[first..]
            .iter()
            .take_while(|m| m.range.end <= range.end);
        let end = first + inside.count().max(1);
        // A mark that would be cut in half is the next passage's.
        if let Some(next) = marks.get(end) {
            range.end = range.end.min(next.range.start);
        }
        let different: HashSet<&str> = marks[first..end].iter().map(|m| m.term.as_str()).collect();
        passages.push(Passage {
            value,
            range: range.clone(),
            marks: first..end,
            different: different.len(),
        });
        first = end;
        free = range.end;
    }
    passages
}

/// A stretch of at most `size` characters with the mark in its first third, between words. It
/// does not begin before `free`, and holds the whole mark even when that is longer.
fn window(text: &str, mark: &Range<usize>, free: usize, size: usize) -> Range<usize> {
    let before = text[free..mark.start].char_indices().rev();
    let mut start = before
        .take(size / 3)
        .last()
        .map_or(mark.start, |(at, _)| free + at);
    if start > free {
        let spaces = text[start..mark.start].char_indices().take(SNAP_CHARACTERS);
        let mut spaces = spaces.filter(|(_, c)| c.is_whitespace());
        if let Some((at, space)) = spaces.next() {
            start += at + space.len_utf8();
        }
    }
    let end = text[start..].char_indices().nth(size);
    let mut end = end.map_or(text.len(), |(at, _)| start + at).max(mark.end);
    if end < text.len() && !text[end..].starts_with(char::is_whitespace) {
        let tail = text[mark.end..end].char_indices().rev();
        let mut spaces = tail
            .take(SNAP_CHARACTERS)
            .filter(|(_, c)| c.is_whitespace());
        if let Some((at, _)) = spaces.next() {
            end = mark.end + at;
        }
    }
    start..end
}

/// Marks that touch are written as one: where no spaces are between words, as in Chinese, each character is a word.
fn write(text: &str, passage: &Passage, marks: &[Mark], options: &Options) -> String {
    let mut out = String::with_capacity(passage.range.len() + 32);
    let mut at = begin(text, passage, marks);
    let mut is_marked = false;
    for mark in marks {
        if !is_marked || at < mark.range.start {
            if is_marked {
                out.push_str(&options.post);
            }
            escape(&text[at..mark.range.start], &mut out);
            out.push_str(&options.pre);
            is_marked = true;
        }
        escape(&text[mark.range.clone()], &mut out);
        at = mark.range.end;
    }
    if is_marked {
        out.push_str(&options.post);
    }
    escape(text[at..passage.range.end.max(at)].trim_end(), &mut out);
    out
}

/// Where a passage begins without the spaces in front of it, which are no part of a mark.
fn begin(text: &str, passage: &Passage, marks: &[Mark]) -> usize {
    let shown = text[passage.range.clone()].trim_start();
    let start = passage.range.end - shown.len();
    marks
        .first()
        .map_or(start, |mark| start.min(mark.range.start))
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str, word: &str) -> Mark {
        let from = text.find(word).unwrap();
        Mark {
            range: from..from + word.len(),
            term: word.to_owned(),
        }
    }

    #[test]
    fn a_short_text_is_one_passage_with_its_words_marked_and_escaped() {
        let text = "cats & <dogs>";
        let marks = [mark(text, "cats"), mark(text, "dogs")];
        let options = Options::default();
        let passages = cut(0, text, &marks, &options);
        assert_eq!(passages.len(), 1);
        let written = write(text, &passages[0], &marks, &options);
        assert_eq!(written, "<em>cats</em> &amp; &lt;<em>dogs</em>&gt;");
    }

    #[test]
    fn marks_that_touch_are_written_as_one() {
        let text = "東京の大学、東と京";
        let marks: Vec<Mark> = text
            .char_indices()
            .filter(|(_, c)| "東京大学".contains(*c))
            .map(|(from, c)| Mark {
                range: from..from + c.len_utf8(),
                term: c.to_string(),
            })
            .collect();
        let options = Options::default();
        let passages = cut(0, text, &marks, &options);
        let written = write(text, &passages[0], &marks, &options);
        let expected = "<em>東京</em>の<em>大学</em>、<em>東</em>と<em>京</em>";
        assert_eq!(written, expected);
    }

    #[test]
    fn spaces_around_a_passage_go_and_those_of_marks_stay() {
        let text = "  the fox  ";
        let options = Options {
            pre: " <".into(),
            post: "> ".into(),
            ..Options::default()
        };
        let fox = [mark(text, "fox")];
        let passages = cut(0, text, &fox, &options);
        assert_eq!(write(text, &passages[0], &fox, &options), "the  <fox> ");
        // Ngrams may begin with a space.
        let gram = [mark(text, " the")];
        let passages = cut(0, text, &gram, &options);
        assert_eq!(write(text, &passages[0], &gram, &options), " < the>  fox");
    }

    #[test]
    fn a_long_text_is_cut_between_words_around_its_marks() {
        let text = format!(
            "{}needle{} straw needle2 end",
            "hay ".repeat(80),
            " hay".repeat(80)
        );
        let marks = [mark(&text, "needle"), mark(&text, "needle2")];
        let options = Options {
            fragment_size: 40,
            ..Options::default()
        };
        let passages = cut(0, &text, &marks, &options);
        assert_eq!(passages.len(), 2);
        for passage in &passages {
            let part = &text[passage.range.clone()];
            assert!(part.chars().count() <= 40, "{part}");
            assert!(part.contains("needle"));
            assert!(!part.starts_with("ay"), "{part}");
        }
    }

    #[test]
    fn no_passage_ends_within_a_mark_however_long_the_text_goes_on_without_spaces() {
        let text = "https://example.com/worker/threads?worker=threads&".repeat(20);
        let found = text
            .match_indices("worker")
            .chain(text.match_indices("threads"));
        let mut marks: Vec<Mark> = found
            .map(|(from, word)| Mark {
                range: from..from + word.len(),
                term: word.to_owned(),
            })
            .collect();
        marks.sort_by_key(|mark| mark.range.start);
        for fragment_size in 1..200 {
            let options = Options {
                fragment_size,
                ..Options::default()
            };
            let mut at = 0;
            for passage in cut(0, &text, &marks, &options) {
                let inside = &marks[passage.marks.clone()];
                assert!(at <= passage.range.start && !inside.is_empty());
                for mark in inside {
                    assert!(passage.range.start <= mark.range.start);
                    assert!(mark.range.end <= passage.range.end);
                }
                at = passage.range.end;
                write(&text, &passage, inside, &options);
            }
        }
    }

    #[test]
    fn characters_of_many_bytes_are_not_cut_in_half() {
        let text = "日本語のテキスト".repeat(40) + "犬" + &"猫".repeat(200);
        let marks = [mark(&text, "犬")];
        let options = Options {
            fragment_size: 10,
            ..Options::default()
        };
        let passages = cut(0, &text, &marks, &options);
        assert!(text[passages[0].range.clone()].contains('犬'));
    }
}
