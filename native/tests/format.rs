//! What a sample of documents becomes in an index, held by a number for each way to read it. Nothing else tells that words are
//! read in another way than those of an index that is there already: a search would look for other terms than it has.

use std::sync::Arc;

use attune_native::engine::definition::Definition;
use attune_native::engine::document::Preparer;
use attune_native::engine::format::FORMAT;
use attune_native::engine::tokens::RowTokenizer;
use attune_native::space::Space;
use serde_json::{json, Value};
use tantivy::schema::document::Document as _;
use tantivy::tokenizer::{TokenStream, Tokenizer};

/// Words of many languages, with endings and accents, and what is read in a way of its own.
const TEXT: &str = "The runners were running; knives and generously happier skies. It's U.S.A. and log in, C++ 3.14 \
    informações informação achetée acheté chevaux Häuser Häusern Müllerstraße kızlar kitaplarımızdan huizen lopende \
    flickorna husene bilerne talossa taloissa városokban città corriendo buenísimos niños casele copiilor książkami knihami \
    књигама книгами столів комп'ютер βιβλίων ᾠδῇ ΟΔΟΣ الكتب کتاب‌ها किताबों लड़कियों हिन्दी புத்தகங்கள் շնորհակալություն \
    etxeetan llibres raamatutes buku-bukunya leabharlann namuose 비밀번호를 학생들에게는 サーバー USBケーブル 東京都 電視 \
    ตั๋วเครื่องบิน ភាសាខ្មែរ 👩🏽‍🍳 1️⃣ שָׁלוֹם µm Ⅳ 0x1f";

/// The values that a mapping knows of a document, and others.
fn values() -> (Value, Value) {
    let kinds = [
        "keyword", "integer", "long", "float", "double", "boolean", "date",
    ];
    let fields =
        kinds.map(|kind| json!({ "name": kind, "source": format!("known.{kind}"), "type": kind }));
    let known = json!({ "keyword": ["A b", "c"], "integer": "7", "long": -8e15, "float": 0.1, "double": 1e300,
                        "boolean": "true", "date": ["9999-12-31", "1492-10-12T08:00:00+02:00"] });
    let source = json!({ "known": known, "other": { "name": "Ä", "at": "2024-02-29", "list": [1, 2.5, true, null] },
                         "dotted.name": [[1], { "x": "y" }], "created": "no date", "updated": 1_700_000_000_000_u64 });
    (json!(fields), source)
}

/// A number for everything that goes into an index of a document.
fn number_of(analyzer: Value, fields: Value, source: &Value) -> u32 {
    let definition = json!({ "analyzers": { "a": analyzer }, "fields": fields, "dynamic": true,
                             "embedder": { "kind": "learned", "dimensions": 512 } });
    let definition = Arc::new(Definition::parse(&definition.to_string()).unwrap());
    let mut preparer = Preparer::new(definition.clone(), true);
    let prepared = preparer.prepare(1, &source.to_string()).unwrap();
    let mut vector = [0.0; 512];
    let mut terms = prepared
        .terms
        .iter()
        .map(|(term, count)| (term.as_str(), *count));
    Space::hashed(1, vector.len()).embed(&mut terms, &mut vector);
    let places: Vec<bool> = vector.iter().map(|number| *number != 0.0).collect();
    let mut stored: Value =
        serde_json::from_str(&prepared.fields.to_json(&definition.schema)).unwrap();
    // Plain words stand in no order.
    let row = stored["_words"].take();
    let mut words = Vec::new();
    let mut tokenizer = RowTokenizer::default();
    let mut stream = tokenizer.token_stream(row[0].as_str().unwrap());
    stream.process(&mut |token| words.push(token.text.clone()));
    words.sort_unstable();
    let terms = stored["_terms"].as_array_mut().unwrap();
    terms.sort_by_key(Value::to_string);
    let all = json!([stored, words, prepared.terms, places]);
    crc32fast::hash(all.to_string().as_bytes())
}

/// The numbers of format `HELD`: of a language, of a tokenizer without filters, and of values.
const NUMBERS: [(&str, u32); 38] = [
    ("arabic", 2276053545),
    ("armenian", 2276053545),
    ("basque", 2795748408),
    ("catalan", 2053000476),
    ("czech", 2364093835),
    ("danish", 540317897),
    ("dutch", 71414020),
    ("english", 3919715880),
    ("estonian", 2596900211),
    ("finnish", 1543599084),
    ("french", 21149475),
    ("german", 1123988510),
    ("greek", 2276053545),
    ("hindi", 2276053545),
    ("hungarian", 2781661195),
    ("indonesian", 2548285878),
    ("irish", 2069463231),
    ("italian", 2937034994),
    ("lithuanian", 1146770525),
    ("nepali", 3193472848),
    ("norwegian", 2607090115),
    ("persian", 3113872693),
    ("polish", 1296055637),
    ("portuguese", 1354872099),
    ("romanian", 609525928),
    ("russian", 2276053545),
    ("serbian", 3250644404),
    ("spanish", 1064959954),
    ("swedish", 3175304483),
    ("tamil", 2276053545),
    ("turkish", 3941005091),
    ("standard", 2935067508),
    ("whitespace", 2958470423),
    ("keyword", 3674049067),
    ("letter", 167936003),
    ("ngram", 2986622050),
    ("edge_ngram", 1757778236),
    ("values", 993671573),
];
const HELD: u32 = 17;

const ANOTHER: &str = "these documents become something else than they are in indices of before: append a line to CHANGES of \
    native/src/engine/format.rs, so that those are built anew, and put HELD and the new numbers here";

#[test]
fn documents_become_what_they_are_in_indices_of_this_format() {
    let text = json!([{ "name": "t", "type": "text", "analyzer": "a", "searched": true, "vectorized": true }]);
    let words = json!({ "t": [TEXT, "it"] });
    let (fields, known_and_others) = values();
    let number = |name: &str| match name {
        "values" => number_of(
            json!({ "tokenizer": "standard" }),
            fields.clone(),
            &known_and_others,
        ),
        "ngram" | "edge_ngram" => {
            let pieces = json!({ "tokenizer": { "type": name, "min": 2, "max": 3 } });
            number_of(pieces, text.clone(), &words)
        }
        "standard" | "whitespace" | "keyword" | "letter" => {
            number_of(json!({ "tokenizer": name }), text.clone(), &words)
        }
        language => {
            let filters = json!([{ "type": "lowercase" }, { "type": "asciifolding" }, { "type": "length", "max": 64 },
                                 { "type": "stop", "language": language, "unlessAlone": true },
                                 { "type": "stemmer", "language": language }]);
            let analyzer = json!({ "tokenizer": "standard", "filters": filters });
            number_of(analyzer, text.clone(), &words)
        }
    };
    let found = NUMBERS.map(|(name, _)| (name, number(name)));
    let others = found.into_iter().filter(|own| !NUMBERS.contains(own));
    let others: Vec<(&str, u32)> = others.collect();
    assert!(others.is_empty(), "{ANOTHER}: {others:?}");
    assert_eq!(FORMAT, HELD, "the numbers are those of a format of before");
}
