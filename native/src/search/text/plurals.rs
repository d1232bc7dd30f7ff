//! English plurals that no stemmer brings together with their singulars: `knives`.

use crate::search::text::expansion::Expansion;

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
pub(crate) fn add_plurals(part: &mut Expansion) {
    for place in part.placed.iter_mut() {
        if let Some(other) = other_number(&part.plain.text[place.from..place.to]) {
            place.add_variant(&part.scope.english_terms_of(other));
        }
    }
}

fn other_number(word: &str) -> Option<&'static str> {
    PAIRS.iter().find_map(|(one, many)| match word {
        _ if word.eq_ignore_ascii_case(one) => Some(*many),
        _ if word.eq_ignore_ascii_case(many) => Some(*one),
        _ => None,
    })
}
