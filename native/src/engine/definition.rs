//! The definition of an index: analyzers, fields and the embedder, with the text schema made of it.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use tantivy::schema::{
    BytesOptions, DateOptions, DateTimePrecision, Field, IndexRecordOption, JsonObjectOptions,
    NumericOptions, Schema, SchemaBuilder, TextFieldIndexing, TextOptions, FAST,
};
use tantivy::tokenizer::TokenizerManager;

use crate::analysis::{words_analyzer, Analyzer, AnalyzerDefinition};
use crate::engine::tokens::RowTokenizer;
use crate::failure::Failure;

/// Name of the number field: the internal document number.
pub const ORD: &str = "_ord";
/// Name of the field with the plain words of all searched text.
pub const WORDS: &str = "_words";
/// Name of the field with the terms of all whole values (`exact_terms.rs`).
pub const EXACT_TERMS: &str = "_terms";
/// Name of the JSON field with everything that the mapping doesn't name.
pub const DYNAMIC: &str = "_dynamic";
/// Name of the JSON field with the dates among the strings of `DYNAMIC`, by the same paths.
pub const DATES: &str = "_dates";
/// Longest exact value in bytes; longer ones are not found by exact value.
pub const EXACT_BYTES_MAX: usize = 8191;
/// Longest path in bytes of values that no field names; those under longer ones are not found.
pub const DYNAMIC_PATH_BYTES_MAX: usize = 512;
/// Longest vector.
const DIMENSIONS_MAX: usize = 8192;
/// The tokenizer of what was analysed before.
const ROW: &str = "row";

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    /// Analysed text.
    Text,
    /// An exact string.
    Keyword,
    /// A whole number.
    Integer,
    /// A whole number.
    Long,
    /// A number.
    Float,
    /// A number.
    Double,
    /// True or false.
    Boolean,
    /// A point in time.
    Date,
}

/// The source of the vectors of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// Hashed words until there is enough to learn from, then a space learned from the index.
    Learned,
    /// Vectors come from outside.
    Given,
}

/// How documents of an index get their vectors.
#[derive(Debug, Clone, Deserialize)]
pub struct Embedder {
    /// Learned here or given by the caller.
    pub kind: EmbedderKind,
    /// Length of a vector.
    pub dimensions: usize,
    /// Cosine at or under which two texts count as unrelated (given vectors only).
    #[serde(default)]
    pub cut: Option<f32>,
    /// Weights of the text and the vector leg (given vectors only).
    #[serde(default)]
    pub weights: Option<LegWeights>,
}

/// Weights of the two legs of a hybrid search.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct LegWeights {
    /// Weight of the text leg.
    pub text: f32,
    /// Weight of the vector leg.
    pub vector: f32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireField {
    name: String,
    source: Option<String>,
    #[serde(rename = "type")]
    kind: FieldKind,
    analyzer: Option<String>,
    search_analyzer: Option<String>,
    weight: Option<f32>,
    #[serde(default)]
    searched: bool,
    #[serde(default)]
    vectorized: bool,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    analyzers: HashMap<String, AnalyzerDefinition>,
    fields: Vec<WireField>,
    #[serde(default)]
    dynamic: bool,
    embedder: Embedder,
}

/// One field, ready to be indexed and searched.
pub struct FieldEntry {
    /// Its name in requests.
    pub name: String,
    /// Where its values lie in the document, from the outside in.
    pub path: Vec<String>,
    /// Its type.
    pub kind: FieldKind,
    /// Its weight in a text search.
    pub weight: f32,
    /// Whether a text search looks here by default. Such a field has `text`.
    pub searched: bool,
    /// Whether its text makes the vector.
    pub vectorized: bool,
    /// Analysed postings with frequencies, positions and lengths: every text field, and a keyword
    /// field that is searched.
    pub text: Option<Field>,
    /// Exact values: a fast column by the name `column`. Every field but text ones.
    pub exact: Option<Field>,
    /// What a keyword field's values are found by among the terms of whole values.
    pub number: u32,
    /// Name of the fast column (also for a text field, which has none by that name).
    pub column: String,
    /// Makes terms of the field's text when it is indexed; present with `text`.
    pub analyzer: Option<Arc<Analyzer>>,
    /// Makes terms of a query for this field; present with `text`.
    pub search_analyzer: Option<Arc<Analyzer>>,
}

/// A parsed definition with its schema.
pub struct Definition {
    /// Checksum of the definition's text: an index folder belongs to one definition.
    pub hash: String,
    /// All fields, in the order given.
    pub fields: Vec<FieldEntry>,
    /// Analyzers by name.
    pub analyzers: HashMap<String, Arc<Analyzer>>,
    /// Whether paths that no field names can be filtered, faceted and sorted.
    pub dynamic: bool,
    /// How vectors come about.
    pub embedder: Embedder,
    /// The schema of the text index.
    pub schema: Schema,
    /// `_ord`, u64, fast.
    pub ord: Field,
    /// `_words`, plain words without positions.
    pub words: Field,
    /// `_terms`: the document's number, the names of the fields (and dynamic paths) that it has, and its keywords.
    pub exact_terms: Field,
    /// `_dynamic`, when the index is dynamic.
    pub other: Option<Field>,
    /// `_dates`, beside it.
    pub dates: Option<Field>,
    /// Splits text into the words of `_words`.
    pub words_analyzer: Arc<Analyzer>,
    by_name: HashMap<String, usize>,
}

impl Definition {
    /// Reads a definition; errors are BAD_DEFINITION.
    pub fn parse(json: &str) -> Result<Definition, Failure> {
        let wire: Wire = serde_json::from_str(json)
            .map_err(|error| Failure::bad_definition(error.to_string()))?;
        if !(1..=DIMENSIONS_MAX).contains(&wire.embedder.dimensions) {
            let message = format!("dimensions must be 1 to {DIMENSIONS_MAX}");
            return Err(Failure::bad_definition(message));
        }
        let mut analyzers = HashMap::new();
        for (name, analyzer) in &wire.analyzers {
            analyzers.insert(name.clone(), Arc::new(Analyzer::build(analyzer)?));
        }
        let mut schema = Schema::builder();
        let ord = schema.add_u64_field(ORD, FAST);
        let words = schema.add_text_field(WORDS, plain());
        let exact_terms =
            schema.add_bytes_field(EXACT_TERMS, BytesOptions::default().set_indexed());
        let other = wire
            .dynamic
            .then(|| schema.add_json_field(DYNAMIC, dynamic_options()));
        let dates = wire
            .dynamic
            .then(|| schema.add_json_field(DATES, dynamic_options()));
        let mut fields = Vec::with_capacity(wire.fields.len());
        let mut by_name = HashMap::new();
        for (number, field) in wire.fields.into_iter().enumerate() {
            let entry = entry_of(number, field, &analyzers, &mut schema)?;
            if by_name.insert(entry.name.clone(), number).is_some() {
                let message = format!("field {} stands there twice", entry.name);
                return Err(Failure::bad_definition(message));
            }
            fields.push(entry);
        }
        let words_analyzer = Arc::new(words_analyzer(folds(&fields)));
        Ok(Definition {
            hash: hash_of(json, &analyzers),
            fields,
            analyzers,
            dynamic: wire.dynamic,
            embedder: wire.embedder,
            schema: schema.build(),
            ord,
            words,
            exact_terms,
            other,
            dates,
            words_analyzer,
            by_name,
        })
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&FieldEntry> {
        self.by_name.get(name).map(|i| &self.fields[*i])
    }

    /// Fields that a text search looks in by default.
    pub fn searched(&self) -> impl Iterator<Item = &FieldEntry> {
        self.fields
            .iter()
            .filter(|f| f.searched && f.text.is_some())
    }

    /// Fields whose text makes the vector.
    pub fn vectorized(&self) -> impl Iterator<Item = &FieldEntry> {
        self.fields
            .iter()
            .filter(|f| f.vectorized && f.text.is_some())
    }

    /// Name of the fast columns (one per value type) of a path that no field names. Dates among
    /// its strings are in the date column of `dynamic_date_column`.
    pub fn dynamic_column(path: &str) -> String {
        format!("{DYNAMIC}.{}", escaped(path))
    }

    /// Name of the date column of a dynamic path: its strings that are ISO 8601 dates.
    pub fn dynamic_date_column(path: &str) -> String {
        format!("{DATES}.{}", escaped(path))
    }

    pub(crate) fn tokenizers(&self) -> TokenizerManager {
        // Documents come analysed. The library looks up its default tokenizers for fields without
        // text as well.
        let manager = TokenizerManager::default();
        for name in self.analyzers.keys() {
            manager.register(&analysed_by(name), RowTokenizer::default());
        }
        manager.register(ROW, RowTokenizer::default());
        manager
    }
}

/// The library takes a backslash in the name of a column for a mark on what follows; in a path it is a character of a
/// document's name. It looks for a field of the schema before each dot that has no such mark, and reads the whole name for
/// each; a marked one separates the parts of a path as well.
fn escaped(path: &str) -> String {
    path.replace('\\', r"\\").replace('.', r"\.")
}

fn plain() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ROW)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing)
}

/// An index knows by this name what its files were analysed with.
fn analysed_by(analyzer: &str) -> String {
    format!("a:{analyzer}")
}

fn analysed(analyzer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(&analysed_by(analyzer))
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

/// Values are looked up in their columns: a dictionary of terms as well, which nobody reads, took more time than all else
/// where documents had long texts that no field names.
fn dynamic_options() -> JsonObjectOptions {
    JsonObjectOptions::default()
        .set_fast("raw")
        .set_expand_dots_enabled()
}

/// Whether beginnings and misspellings are looked for without accents: where no searched field folds, no word that was
/// folded would be found in one.
fn folds(fields: &[FieldEntry]) -> bool {
    let searched = fields.iter().filter(|field| field.searched);
    let mut analyzers = searched
        .filter_map(|field| field.analyzer.as_ref())
        .peekable();
    analyzers.peek().is_none() || analyzers.any(|analyzer| analyzer.folds)
}

/// What pieces words are cut into is no part of a definition's text: 2: Chinese and Japanese ones are cut as one.
const GRAMS: u32 = 2;
/// Nor is what a word is: 2: `C++` has a form of its own. 3: Korean has no particles, Chinese is simplified, and marks of
/// other scripts are folded.
const TERMS: u32 = 3;

fn hash_of(json: &str, analyzers: &HashMap<String, Arc<Analyzer>>) -> String {
    let sum = crc32fast::hash(json.as_bytes());
    let hash = format!("{sum:08x}-{}-{TERMS}", json.len());
    if analyzers.values().any(|analyzer| analyzer.cuts) {
        return format!("{hash}-{GRAMS}");
    }
    hash
}

fn entry_of(
    number: usize,
    field: WireField,
    analyzers: &HashMap<String, Arc<Analyzer>>,
    schema: &mut SchemaBuilder,
) -> Result<FieldEntry, Failure> {
    // Requests name fields freely (dots, signs); inside, a field is its number.
    let column = format!("f{number}");
    let is_analysed = match field.kind {
        FieldKind::Text => true,
        FieldKind::Keyword => field.searched || field.vectorized,
        _ => false,
    };
    let mut text = None;
    let (mut analyzer, mut search_analyzer) = (None, None);
    if is_analysed {
        let (name, indexed, searched) = analyzers_of(&field, analyzers)?;
        text = Some(schema.add_text_field(&format!("{column}@text"), analysed(name)));
        (analyzer, search_analyzer) = (Some(indexed), Some(searched));
    }
    let exact = add_exact_field(field.kind, &column, schema);
    let source = field.source.as_deref().unwrap_or(&field.name);
    Ok(FieldEntry {
        path: source.split('.').map(str::to_owned).collect(),
        kind: field.kind,
        weight: field.weight.unwrap_or(1.0),
        searched: field.searched && text.is_some(),
        vectorized: field.vectorized && text.is_some(),
        text,
        exact,
        number: number as u32,
        column,
        analyzer,
        search_analyzer,
        name: field.name,
    })
}

/// The name of the analyzer of a field's text, that analyzer, and the one of queries.
fn analyzers_of<'a>(
    field: &'a WireField,
    analyzers: &HashMap<String, Arc<Analyzer>>,
) -> Result<(&'a str, Arc<Analyzer>, Arc<Analyzer>), Failure> {
    let find = |name: &str| {
        analyzers.get(name).cloned().ok_or_else(|| {
            Failure::bad_definition(format!("field {} names no analyzer {name}", field.name))
        })
    };
    let name = field.analyzer.as_deref().ok_or_else(|| {
        Failure::bad_definition(format!("field {} needs an analyzer", field.name))
    })?;
    let indexed = find(name)?;
    let searched = match field.search_analyzer.as_deref() {
        Some(search) => find(search)?,
        None => indexed.clone(),
    };
    Ok((name, indexed, searched))
}

/// The field of exact values; text has none.
fn add_exact_field(kind: FieldKind, column: &str, schema: &mut SchemaBuilder) -> Option<Field> {
    let number = NumericOptions::default().set_fast();
    Some(match kind {
        FieldKind::Text => return None,
        FieldKind::Keyword => schema.add_text_field(column, TextOptions::default().set_fast("raw")),
        FieldKind::Integer | FieldKind::Long => schema.add_i64_field(column, number),
        FieldKind::Float | FieldKind::Double => schema.add_f64_field(column, number),
        FieldKind::Boolean => schema.add_bool_field(column, number),
        FieldKind::Date => {
            let options = DateOptions::default()
                .set_fast()
                .set_precision(DateTimePrecision::Nanoseconds);
            schema.add_date_field(column, options)
        }
    })
}
