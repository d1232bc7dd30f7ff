//! English plurals that no stemmer brings together with their singulars: `knives`, `lenses`, `TVs`.

use std::sync::LazyLock;

use crate::failure::Failure;
use crate::search::text::expansion::Expansion;

/// One and many. What is also another word (`lives`, `bases`) is none.
const PAIRS: [(&str, &str); 47] = [
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
    ("elf", "elves"),
    ("dwarf", "dwarves"),
    ("bus", "buses"),
    ("gas", "gases"),
    ("lens", "lenses"),
    ("iris", "irises"),
    ("canvas", "canvases"),
    ("quiz", "quizzes"),
    ("index", "indices"),
    ("vertex", "vertices"),
    ("appendix", "appendices"),
    ("bacterium", "bacteria"),
    ("criterion", "criteria"),
    ("phenomenon", "phenomena"),
    ("curriculum", "curricula"),
    ("aquarium", "aquaria"),
    ("fungus", "fungi"),
    ("cactus", "cacti"),
    ("nucleus", "nuclei"),
    ("stimulus", "stimuli"),
    ("radius", "radii"),
    ("alumnus", "alumni"),
    ("locus", "loci"),
    ("corpus", "corpora"),
    ("genus", "genera"),
    ("oasis", "oases"),
    ("axis", "axes"),
];
/// Words whose only vowel is their last letter, so that stemmers leave the `s` behind it, as they do in `was` and `his`.
const SHORT: [&str; 20] = [
    "bra", "spa", "pro", "flu", "gnu", "cpu", "gpu", "npu", "psu", "kpi", "sku", "sla", "nda",
    "pda", "mba", "ngo", "dna", "rna", "mrna", "trna",
];
/// Letters of the shortest word that ends in `sis` and has a plural in `ses`: `thesis`, not `basis`, as `bases` are others.
const GREEK_MIN: usize = 6;
/// Letters that a compound has before one of `PAIRS`, at least: `firemen`, not `ramen`.
const FIRST_PART_MIN: usize = 3;
/// Letters of the longest word that is looked at.
const WORD_MAX: usize = 32;
/// Letters of the alphabet.
const LETTERS: usize = 26;

/// Gives such a word its other number as another way to find it, which counts less than what is written where documents have
/// that. Terms of others go to `meant`.
pub(crate) fn add_plurals(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    if !scope.analyzers.iter().any(|read| read.stems_english) {
        return Ok(());
    }
    for nth in 0..part.placed.len() {
        let place = &part.placed[nth];
        let written = &plain.text[place.from..place.to];
        let other = match listed(written) {
            Some(other) => other.to_owned(),
            None => match by_rule(written) {
                Some(other) if scope.vocabulary.has(&other)? => other,
                _ => continue,
            },
        };
        let terms = scope.english_terms_of(&other);
        let is_known = part.is_known(nth)?;
        part.add_form(nth, terms, is_known);
    }
    Ok(())
}

/// Both of each of `PAIRS`, with the other one behind it, by their last two letters: it is asked for every word of a query,
/// and comparing each with all of them took 3 to 4 % of a search by words.
static BY_END: LazyLock<Vec<Vec<(&str, &str)>>> = LazyLock::new(|| {
    let mut by_end = vec![Vec::new(); LETTERS * LETTERS];
    for (one, many) in PAIRS {
        for (word, other) in [(many, one), (one, many)] {
            by_end[end_of(word).expect("it ends in two letters")].push((word, other));
        }
    }
    by_end
});

/// The words of `PAIRS` that end in the same two letters as one does, each with the other of its pair.
fn ending_as(word: &str) -> &'static [(&'static str, &'static str)] {
    end_of(word).map_or(&[], |end| &BY_END[end])
}

/// The number of two letters at the end of a word, in whatever case.
fn end_of(word: &str) -> Option<usize> {
    let end = word.as_bytes().last_chunk::<2>()?;
    let [before, last] = end.map(|byte| usize::from(byte.to_ascii_lowercase().wrapping_sub(b'a')));
    (before < LETTERS && last < LETTERS).then_some(before * LETTERS + last)
}

fn listed(word: &str) -> Option<&'static str> {
    let mut ends = ending_as(word).iter();
    let found = ends.find(|(known, _)| word.eq_ignore_ascii_case(known));
    found.map(|(_, other)| *other)
}

/// The other number of a word of no list; it may be none, which documents then do not have.
fn by_rule(written: &str) -> Option<String> {
    let is_word = written.starts_with(|first: char| first.is_ascii_alphabetic())
        && written.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_word || written.len() > WORD_MAX {
        return None;
    }
    let word = written.to_ascii_lowercase();
    let compound = ending_as(&word).iter().find_map(|(end, other)| {
        let first = word.strip_suffix(end)?;
        (first.len() >= FIRST_PART_MIN).then(|| format!("{first}{other}"))
    });
    compound.or_else(|| greek(&word)).or_else(|| {
        let one = word.strip_suffix('s').unwrap_or(&word);
        let is_many = one.len() < word.len();
        keeps_s(one, &written[..one.len()]).then(|| match is_many {
            true => one.to_owned(),
            false => format!("{word}s"),
        })
    })
}

/// `analysis`, `analyses`.
fn greek(word: &str) -> Option<String> {
    if word.len() < GREEK_MIN {
        return None;
    }
    let many = word.strip_suffix("sis").map(|start| format!("{start}ses"));
    many.or_else(|| {
        let start = word.strip_suffix("ses").filter(|s| !s.ends_with('s'))?;
        Some(format!("{start}sis"))
    })
}

/// Whether stemmers leave the `s` of a plural: behind letters without a vowel, as abbreviations are (`TVs`), behind a word
/// whose only vowel comes last, which is known as a word or by its capitals (`CPUs`), and behind another `u` (`menus`).
fn keeps_s(one: &str, written: &str) -> bool {
    // A man, and no two of them.
    if one.len() < 2 || one.ends_with('s') || one == "mr" {
        return false;
    }
    let is_vowel = |letter: char| "aeiouy".contains(letter);
    let first = one.find(is_vowel);
    match first {
        None => true,
        Some(at) if at + 1 == one.len() => {
            SHORT.contains(&one) || !written.contains(|letter: char| letter.is_ascii_lowercase())
        }
        Some(_) => one.ends_with('u'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many_are_known_by_a_list() {
        assert_eq!(listed("Mice"), Some("mouse"));
        assert_eq!(listed("lens"), Some("lenses"));
        assert_eq!(listed("lives"), None);
        for (one, many) in PAIRS {
            assert_eq!(listed(one), Some(many));
            assert_eq!(listed(&many.to_uppercase()), Some(one));
            let compound = Some(format!("north{many}"));
            assert_eq!(by_rule(&format!("North{one}")), compound, "{one}");
        }
    }

    #[test]
    fn one_and_many_are_known_by_rules() {
        for (one, many) in [
            ("tv", "tvs"),
            ("ssd", "ssds"),
            ("mp3", "mp3s"),
            ("bra", "bras"),
            ("cpu", "cpus"),
            ("menu", "menus"),
            ("plateau", "plateaus"),
            ("analysis", "analyses"),
            ("thesis", "theses"),
            ("fireman", "firemen"),
            ("bookshelf", "bookshelves"),
            ("grandchild", "grandchildren"),
            ("minibus", "minibuses"),
        ] {
            assert_eq!(by_rule(one).as_deref(), Some(many));
            assert_eq!(by_rule(many).as_deref(), Some(one));
        }
        assert_eq!(by_rule("BBCs").as_deref(), Some("bbc"));
        assert_eq!(by_rule("IDE"), None, "stemmers do it");
        assert_eq!(by_rule("EPAs"), None, "stemmers do it");
        assert_eq!(by_rule("SBA").as_deref(), Some("sbas"));
        for none in [
            "his", "has", "hi", "yes", "thu", "plu", "css", "cs", "mr", "mrs", "s", "x", "ramen",
            "basis", "glasses", "5s", "größe", "",
        ] {
            assert_eq!(by_rule(none), None, "{none}");
        }
    }
}
