use super::*;

fn analyzer(json: &str) -> Analyzer {
    Analyzer::build(&serde_json::from_str(json).unwrap()).unwrap()
}

fn ways(analyzer: &Analyzer, query: &str) -> Vec<Vec<String>> {
    let terms = analyzer
        .query_terms(query, &Synonyms::default())
        .into_iter();
    terms
        .map(|t| t.alternatives.iter().map(|row| said(row)).collect())
        .collect()
}

/// A row with an underline for each gap.
fn said(row: &[Step]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for step in row {
        words.resize(step.offset as usize, "_");
        words.push(&step.text);
    }
    words.join(" ")
}

const ENGLISH: &str = r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},
    {"type":"asciifolding"},{"type":"length","max":10},{"type":"stop","words":["the"]},
    {"type":"synonym","rules":[["car","automobile"],["tv, telly => television"],
        ["united states","usa"],["Déjà vu => repeat, déjà vu"]]},
    {"type":"stemmer","language":"english"}]}"#;

#[test]
fn filters_work_in_their_order_and_gaps_are_kept() {
    let english = analyzer(ENGLISH);
    let terms = english.terms("The Running CATS of the Café, incomprehensibly");
    let found: Vec<_> = terms
        .iter()
        .map(|t| (t.text.as_str(), t.position))
        .collect();
    assert_eq!(found, [("run", 1), ("cat", 2), ("of", 3), ("cafe", 5)]);
}

#[test]
fn a_word_is_found_by_its_stem_whether_its_accents_are_written_or_not() {
    let language = |name: &str| {
        analyzer(&format!(
            r#"{{"tokenizer":"standard","filters":[{{"type":"lowercase"}},{{"type":"asciifolding"}},
            {{"type":"synonym","rules":[["moto","vélo"]]}},{{"type":"stemmer","language":"{name}"}}]}}"#
        ))
    };
    let finds = |analyzer: &Analyzer, query: &str, text: &str| {
        let mut said = ways(analyzer, query).into_iter().flatten();
        let terms: Vec<Term> = analyzer.forms(text);
        said.any(|way| terms.iter().any(|term| term.text == way))
    };
    for (name, words) in [
        ("portuguese", ["informações", "informação", "informacao"]),
        ("french", ["achetée", "acheté", "achetee"]),
        ("turkish", ["kızlar", "kız", "kiz"]),
    ] {
        let analyzer = language(name);
        let [inflected, plain, typed] = words;
        assert!(finds(&analyzer, plain, inflected), "{plain} {inflected}");
        assert!(finds(&analyzer, inflected, plain), "{inflected} {plain}");
        let without_accents = [plain, inflected];
        let without_accents = without_accents.iter().filter(|word| fold(word) == typed);
        without_accents.for_each(|word| assert!(finds(&analyzer, typed, word), "{typed} {word}"));
    }
    let french = language("french");
    let places = french.forms("une moto achetée hier");
    let places: Vec<_> = places
        .iter()
        .map(|t| (t.text.as_str(), t.position))
        .collect();
    assert_eq!(
        places,
        [
            ("une", 0),
            ("moto", 1),
            ("achete", 2),
            ("achet", 2),
            ("hi", 3)
        ]
    );
    assert_eq!(
        ways(&french, "Vélo achetée"),
        [vec!["velo", "moto"], vec!["achete", "achet"]]
    );
}

fn fold(word: &str) -> String {
    words_analyzer(true).terms(word).remove(0).text
}

#[test]
fn acronyms_with_points_are_one_word_beside_their_letters() {
    let english = analyzer(ENGLISH);
    let forms = |analyzer: &Analyzer, text: &str| -> Vec<(String, usize, usize, usize)> {
        let all = analyzer.forms(text).into_iter();
        all.map(|t| (t.text, t.position, t.from, t.to)).collect()
    };
    let term = |text: &str, position, from, to| (text.to_owned(), position, from, to);
    assert_eq!(
        forms(&english, "The U.S. law"),
        [
            term("us", 1, 4, 8),
            term("u", 1, 4, 5),
            term("s", 2, 6, 7),
            term("law", 3, 9, 12)
        ]
    );
    // Where its first letter is a stop word it stands at the next.
    let stops = analyzer(
        r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"stop","words":["a"]}]}"#,
    );
    assert_eq!(
        forms(&stops, "A.I."),
        [term("ai", 1, 0, 4), term("i", 1, 2, 3)]
    );
    assert_eq!(
        words_analyzer(true).forms("U.K.")[0],
        Term {
            text: "uk".into(),
            position: 0,
            from: 0,
            to: 4
        }
    );
    let plain = analyzer(r#"{"tokenizer":"standard"}"#);
    assert_eq!(forms(&plain, "U.K.").len(), 2);
    assert_eq!(ways(&stops, "A.I. law"), [vec!["i", "ai"], vec!["law"]]);
}

#[test]
fn synonyms_are_other_ways_to_say_the_same_place() {
    let english = analyzer(ENGLISH);
    assert_eq!(ways(&english, "fast Cars"), [["fast"], ["car"]]);
    assert_eq!(
        ways(&english, "fast car"),
        [vec!["fast"], vec!["car", "automobil"]]
    );
    assert_eq!(ways(&english, "TV"), [["tv", "televis"]]);
    assert_eq!(ways(&english, "television"), [["televis", "tv", "telli"]]);
    assert_eq!(ways(&english, "telly"), [["telli", "televis"]]);
    let long = ways(&english, "the United States Army");
    assert_eq!(long, [vec!["unit state", "usa"], vec!["armi"]]);
    assert_eq!(ways(&english, "usa"), [["usa", "unit state"]]);
    assert_eq!(ways(&english, "deja vu"), [["deja vu", "repeat"]]);
    assert_eq!(
        english.terms("car")[0].text,
        "car",
        "the index has no synonyms"
    );
}

#[test]
fn rows_keep_the_gaps_that_stop_words_leave() {
    for filters in [
        r#"{"type":"stop","words":["of","the"]},{"type":"synonym","rules":R}"#,
        r#"{"type":"synonym","rules":R},{"type":"stop","words":["of","the"]}"#,
    ] {
        let filters = filters.replace(
            'R',
            r#"[["head of state","president"],["the beatles","fab four"]]"#,
        );
        let one = analyzer(&format!(
            r#"{{"tokenizer":"standard","filters":[{filters}]}}"#
        ));
        assert_eq!(ways(&one, "president"), [["president", "head _ state"]]);
        let head = ways(&one, "a head of state speaks");
        assert_eq!(
            head,
            [vec!["a"], vec!["head _ state", "president"], vec!["speaks"]]
        );
        assert_eq!(ways(&one, "head state"), [["head"], ["state"]]);
        let fab = ways(&one, "fab four");
        assert_eq!(fab[0][0], "fab four");
        assert!(fab[0][1].ends_with("beatles"), "{fab:?}");
    }
}

#[test]
fn rules_of_a_query_stand_beside_those_of_the_analyzer() {
    let english = analyzer(ENGLISH);
    let rules = [vec!["cars", "vehicle of love"], vec!["bike => tandem"]];
    let rules = rules.map(|rule| rule.into_iter().map(str::to_owned).collect());
    let more = english.read_synonyms(&rules);
    let said_of = |query: &str| -> Vec<Vec<String>> {
        let terms = english.query_terms(query, &more).into_iter();
        let rows = |t: QueryTerm| t.alternatives.iter().map(|row| said(row)).collect();
        terms.map(rows).collect()
    };
    assert_eq!(
        said_of("fast car"),
        [vec!["fast"], vec!["car", "automobil", "vehicl of love"]]
    );
    assert_eq!(said_of("vehicles of love"), [["vehicl of love", "car"]]);
    assert_eq!(said_of("vehicle"), [["vehicl"]]);
    assert_eq!(said_of("bikes"), [["bike", "tandem"]]);
    assert_eq!(said_of("tandem"), [["tandem"]], "one way only");
}

#[test]
fn a_sigma_at_the_end_of_a_word_is_one_in_lists_of_stop_words_too() {
    let greek = analyzer(
        r#"{"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"stop","words":["τους"]}]}"#,
    );
    let found = words_of(&greek.full, "ΤΟΥΣ τους ΟΔΟΣ οδος");
    assert_eq!(found, ["οδοσ", "οδοσ"]);
}

#[test]
fn how_long_a_word_may_be_is_told_in_characters() {
    let six = analyzer(r#"{"tokenizer":"standard","filters":[{"type":"length","max":6}]}"#);
    let found = words_of(&six.full, "sixths seventh გრძელი გრძელია");
    assert_eq!(found, ["sixths", "გრძელი"]);
    let some =
        analyzer(r#"{"tokenizer":"standard","filters":[{"type":"length","min":3,"max":6}]}"#);
    let found = words_of(&some.full, "it ten sixths seventh და დაა გრძელია");
    assert_eq!(found, ["ten", "sixths", "დაა"]);
}

#[test]
fn all_tokenizers_are_known() {
    let count = |tokenizer: &str, text: &str| {
        analyzer(&format!(r#"{{"tokenizer":{tokenizer}}}"#))
            .terms(text)
            .len()
    };
    assert_eq!(count(r#""whitespace""#, "a-b c"), 2);
    assert_eq!(count(r#""keyword""#, "a-b c"), 1);
    assert_eq!(count(r#""letter""#, "a1b c"), 3);
    assert_eq!(count(r#"{"type":"ngram","min":2,"max":3}"#, "abcd"), 5);
    assert_eq!(count(r#"{"type":"edge_ngram","min":1,"max":3}"#, "abcd"), 3);
}
