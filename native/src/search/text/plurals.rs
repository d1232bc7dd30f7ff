//! English plurals that no stemmer brings together with their singulars: `knives`.

use std::sync::Arc;

use crate::analysis::Analyzer;
use crate::search::text::placed::{add_terms, only_term, Placed, VARIANT_WEIGHT};

/// One and many. What is also another word (`leaves`, `lives`) is none.
const PAIRS: [(&str, &str); 20] = [
    ("child", "children"),
    ("man", "men"),
    ("woman", "women"),
    ("foot", "feet"),
    ("tooth", "teeth"),
    ("mouse", "mice"),
    ("goose", "geese"),
    ("louse", "lice"),
    ("ox", "oxen"),
    ("knife", "knives"),
    ("wife", "wives"),
    ("wolf", "wolves"),
    ("half", "halves"),
    ("shelf", "shelves"),
    ("calf", "calves"),
    ("loaf", "loaves"),
    ("leaf", "leaves"),
    ("thief", "thieves"),
    ("scarf", "scarves"),
    ("hoof", "hooves"),
];

/// Gives such a word its other number as another way to find it, which counts less than what is written.
pub(crate) fn add_plurals(analyzers: &[&Arc<Analyzer>], text: &str, placed: &mut [Placed]) {
    for place in placed {
        let Some(other) = other_number(&text[place.from..place.to]) else {
            continue;
        };
        let terms = analyzers.iter().map(|analyzer| {
            let english = Some(analyzer).filter(|analyzer| analyzer.stems_english);
            english.and_then(|analyzer| only_term(analyzer, other))
        });
        add_terms(place, &terms.collect::<Vec<_>>(), VARIANT_WEIGHT, true);
    }
}

fn other_number(word: &str) -> Option<&'static str> {
    PAIRS.iter().find_map(|(one, many)| match word {
        _ if word.eq_ignore_ascii_case(one) => Some(*many),
        _ if word.eq_ignore_ascii_case(many) => Some(*one),
        _ => None,
    })
}
