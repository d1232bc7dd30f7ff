//! A source document → the fields of the text index and the terms of its vector.

mod exact;
pub mod paths;
pub mod readable;
mod unnamed;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};
use tantivy::TantivyDocument;

use crate::analysis::compose::seen;
use crate::analysis::respelt::{respelt, spelling, words_with_umlauts};
use crate::analysis::Analyzer;
use crate::engine::definition::Definition;
use crate::engine::document::exact::add_exact;
use crate::engine::document::paths::collect_object;
use crate::engine::document::unnamed::{in_lists, Dynamic};
use crate::engine::exact_terms::name_term;
use crate::engine::tokens::Row;
use crate::failure::Failure;
use crate::space::hashed::TermHash;
use crate::value::word_of;

/// Different words of one document, at most, that make its vector, and that prefixes and misspellings are compared
/// with: the first ones of its text. No book has so many, a learned space knows fewer, and of a heap of random words
/// each would take as long again as it takes to be found.
const DISTINCT_WORDS_MAX: usize = 65_536;
/// Pieces of words (ngrams) of one document, in all of its fields, that are indexed: each is a word with its place, and
/// twenty million of them take minutes and gigabytes. That many new documents are refused before; here come those that
/// were stored earlier, and those whose pieces are more than a look at their texts counts, which errs by less than half
/// for what people write.
pub const GRAMS_MAX: usize = 8_000_000;
/// How far apart the values of a list stand, in words: no phrase holds across them, however far its words may be moved
/// (`slop`, 100 places at most), also where stop words stood between them in the query.
const VALUES_APART: usize = 256;
/// Values of a list that stand so far apart; with any number, the last one would be too far away to be counted.
const VALUES_APART_MAX: usize = 1 << 20;

/// A document, ready to be indexed.
pub struct Prepared {
    /// The fields of the text index.
    pub fields: TantivyDocument,
    /// Terms of the vectorized fields with their frequencies, each once; the first 65 536 of the text.
    pub terms: Vec<(String, u32)>,
    /// It has more pieces of words than are indexed.
    pub is_cut: bool,
}

/// Prepares documents of one definition; keeps its buffers from one to the next.
pub struct Preparer {
    definition: Arc<Definition>,
    /// Source paths that fields take their values from.
    named: HashSet<String>,
    embeds: bool,
    counts: HashMap<String, u32, TermHash>,
    words: HashSet<String, TermHash>,
    /// Pieces of words of this document so far; one more than may be when there were others.
    grams: usize,
}

impl Preparer {
    /// `embeds` tells whether the terms of the vector are wanted.
    pub fn new(definition: Arc<Definition>, embeds: bool) -> Preparer {
        let named = definition.fields.iter().map(|f| f.path.join(".")).collect();
        Preparer {
            definition,
            named,
            embeds,
            counts: HashMap::default(),
            words: HashSet::default(),
            grams: 0,
        }
    }

    /// Prepares a document; BAD_REQUEST when it is no JSON object.
    pub fn prepare(&mut self, ord: u64, json: &str) -> Result<Prepared, Failure> {
        let source: Map<String, Value> = serde_json::from_str(json)
            .map_err(|error| Failure::bad_request(format!("document {ord}: {error}")))?;
        let definition = self.definition.clone();
        let mut fields = TantivyDocument::default();
        self.counts.clear();
        self.words.clear();
        self.grams = 0;
        fields.add_u64(definition.ord, ord);
        let mut values = Vec::new();
        let mut seen: Vec<&[String]> = Vec::new();
        let mut around: HashSet<String> = HashSet::new();
        for entry in &definition.fields {
            values.clear();
            collect_object(&source, &entry.path, &mut values);
            if values.is_empty() {
                continue;
            }
            fields.add_bytes(definition.exact_terms, &name_term(&entry.name));
            // An object is there where a field of it is.
            for end in 1..entry.path.len() {
                around.insert(entry.path[..end].join("."));
            }
            for value in &values {
                add_exact(&mut fields, entry, value, definition.exact_terms);
            }
            if let (Some(field), Some(analyzer)) = (entry.text, &entry.analyzer) {
                // Two fields may share a source; its text makes the vector and the words once.
                let first = !seen.contains(&entry.path.as_slice());
                for (nth, value) in values.iter().enumerate() {
                    let Some(value) = word_of(value) else {
                        continue;
                    };
                    if entry.searched && first {
                        self.note_words(&definition.words_analyzer, &value);
                    }
                    let counted = entry.vectorized && self.embeds;
                    let row = Row::beginning_at(apart(nth));
                    fields.add_text(field, self.analyse(row, analyzer, &value, counted));
                }
                if entry.searched {
                    seen.push(&entry.path);
                }
            }
        }
        self.add_unnamed(&source, &mut fields, &mut around);
        for path in &around {
            fields.add_bytes(definition.exact_terms, &name_term(path));
        }
        let mut words = Row::default();
        for word in &self.words {
            words.push(0, word);
        }
        fields.add_text(definition.words, words.into_text());
        Ok(Prepared {
            fields,
            terms: self.take_terms(),
            is_cut: self.grams > GRAMS_MAX,
        })
    }

    /// The terms of the vector in one order, so that the same text always gives the very same vector.
    fn take_terms(&mut self) -> Vec<(String, u32)> {
        let mut terms: Vec<(String, u32)> = self.counts.drain().collect();
        terms.sort_unstable_by(|a, b| head(&a.0).cmp(&head(&b.0)).then_with(|| a.0.cmp(&b.0)));
        terms
    }

    /// Adds what no field of the mapping names, where that can be filtered; `around` gets its paths.
    fn add_unnamed(
        &self,
        source: &Map<String, Value>,
        fields: &mut TantivyDocument,
        around: &mut HashSet<String>,
    ) {
        let Some(field) = self.definition.other else {
            return;
        };
        let mut other = Dynamic::new(&self.named);
        other.object(source, &mut String::new(), 0);
        around.extend(std::mem::take(&mut other.present));
        if let Some(dates) = self.definition.dates.filter(|_| !other.dates.is_empty()) {
            fields.add_object(dates, in_lists(std::mem::take(&mut other.dates)));
        }
        if !other.values.is_empty() {
            fields.add_object(field, in_lists(other.values));
        }
    }

    fn note_words(&mut self, analyzer: &Analyzer, value: &str) {
        analyzer.for_each(value, |word, _| self.note_word(word));
        let umlauts =
            words_with_umlauts(value).filter_map(|word| respelt(&seen(word).to_lowercase()));
        let respelt: Vec<String> = umlauts.collect();
        if !respelt.is_empty() {
            analyzer.for_each(&respelt.join(" "), |word, _| {
                self.note_word(&spelling(word))
            });
        }
    }

    fn note_word(&mut self, word: &str) {
        let has_room = self.words.len() < DISTINCT_WORDS_MAX;
        if has_room && !self.words.contains(word) {
            self.words.insert(word.to_owned());
        }
    }

    /// The row of a text's terms, which are counted for the vector if that is wanted: those of stop words say nothing.
    fn analyse(&mut self, mut row: Row, analyzer: &Analyzer, value: &str, counted: bool) -> String {
        let any = analyzer.for_each_while(value, |term, position| {
            self.grams += usize::from(analyzer.cuts);
            if self.grams > GRAMS_MAX && analyzer.cuts {
                self.grams = GRAMS_MAX + 1;
                return false;
            }
            row.push(position, term);
            if !counted {
                return true;
            }
            let has_room = self.counts.len() < DISTINCT_WORDS_MAX;
            match self.counts.get_mut(term) {
                Some(count) => *count += 1,
                None if has_room => {
                    self.counts.insert(term.to_owned(), 1);
                }
                None => {}
            }
            true
        });
        if !any {
            analyzer.for_each_alone(value, |term, position| row.push(position, term));
        }
        row.into_text()
    }
}

/// Words between a value of a list and the one before it.
fn apart(nth: usize) -> usize {
    match nth {
        1..VALUES_APART_MAX => VALUES_APART,
        _ => 0,
    }
}

/// The first bytes as a number that orders like them: most comparisons end here.
fn head(term: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = term.len().min(8);
    bytes[..length].copy_from_slice(&term.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tokens::RowTokenizer;
    use tantivy::schema::Value as _;
    use tantivy::tokenizer::{TokenStream, Tokenizer};

    #[test]
    fn the_first_words_make_the_vector_and_all_are_found() {
        let definition = r#"{ "analyzers": { "a": { "tokenizer": "standard" } },
            "fields": [{ "name": "t", "type": "text", "analyzer": "a", "searched": true, "vectorized": true }],
            "embedder": { "kind": "learned", "dimensions": 16 } }"#;
        let definition = Arc::new(Definition::parse(definition).unwrap());
        let all = DISTINCT_WORDS_MAX + 5;
        let mut text: String = (0..all).map(|n| format!("w{n} ")).collect();
        // A word that counts goes on counting behind the last one that does.
        text.push_str("w7");
        let source = serde_json::json!({ "t": text }).to_string();
        let mut preparer = Preparer::new(definition.clone(), true);
        let prepared = preparer.prepare(1, &source).unwrap();
        let terms: HashMap<&str, u32> = prepared
            .terms
            .iter()
            .map(|(term, count)| (term.as_str(), *count))
            .collect();
        assert_eq!(terms.len(), DISTINCT_WORDS_MAX);
        assert_eq!((terms["w7"], terms["w8"]), (2, 1));
        assert!(terms.contains_key(format!("w{}", DISTINCT_WORDS_MAX - 1).as_str()));
        for (field, words) in [
            (definition.fields[0].text.unwrap(), all + 1),
            (definition.words, DISTINCT_WORDS_MAX),
        ] {
            let row = prepared.fields.get_first(field).unwrap();
            let mut tokenizer = RowTokenizer::default();
            let mut stream = tokenizer.token_stream(row.as_str().unwrap());
            let mut count = 0;
            while stream.advance() {
                count += 1;
            }
            assert_eq!(count, words);
        }
    }
}
