//! Greek letters in names, which others spell out: `TNF-alpha` for `TNF-α`, `NF-κB` for `NF-kappaB`.

use crate::analysis::term::Term;
use crate::failure::Failure;
use crate::search::text::apart::add_row;
use crate::search::text::expansion::{Expansion, VARIANT_WEIGHT};

/// Letters with their names.
const LETTERS: [(&str, &str); 24] = [
    ("α", "alpha"),
    ("β", "beta"),
    ("γ", "gamma"),
    ("δ", "delta"),
    ("ε", "epsilon"),
    ("ζ", "zeta"),
    ("η", "eta"),
    ("θ", "theta"),
    ("ι", "iota"),
    ("κ", "kappa"),
    ("λ", "lambda"),
    ("μ", "mu"),
    ("ν", "nu"),
    ("ξ", "xi"),
    ("ο", "omicron"),
    ("π", "pi"),
    ("ρ", "rho"),
    ("σ", "sigma"),
    ("τ", "tau"),
    ("υ", "upsilon"),
    ("φ", "phi"),
    ("χ", "chi"),
    ("ψ", "psi"),
    ("ω", "omega"),
];
/// Longest name.
const NAME_MAX: usize = 7;
/// Shortest name that is looked for inside a word: most words have a shorter one by chance.
const NAME_MIN: usize = 4;
/// Pieces of a word, at most: `αvβ3` has four.
const PIECES_MAX: usize = 4;
/// Longest query, in words, that is looked through. Letters say much in long ones, too, and few words have any.
const QUERY_WORDS_MAX: usize = 64;

/// Gives each word that has a Greek letter, or the name of one, its other spelling as another way to find it, in one word and
/// in several; and words side by side of which one is such a name the word that they are with its letter: `TGFβ`.
pub(crate) fn add_greek(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    if part.placed.len() > QUERY_WORDS_MAX {
        return Ok(());
    }
    for place in part.placed.iter_mut() {
        let word = plain.only_word(place.from, place.to);
        let Some((word, pieces)) = word.and_then(|word| Some((word.text, pieces_of(word.text)?)))
        else {
            continue;
        };
        for spelt in [spelt_with(&pieces, letter_of), spelt_with(&pieces, name_of)] {
            let together = spelt.concat();
            if together != word && scope.vocabulary.has(&together)? {
                place.add_variant(&scope.terms_of(&together));
            }
            if spelt.len() > 1 {
                add_row(scope.analyzers, place, &spelt, VARIANT_WEIGHT, true);
            }
        }
    }
    for pair in plain.words.windows(2) {
        let Some(together) = together_with_letter(pair) else {
            continue;
        };
        if !scope.vocabulary.has(&together)? {
            continue;
        }
        let terms = scope.terms_of(&together);
        let is_in_pair = |from, to| pair.iter().any(|word| from < word.to && word.from < to);
        for place in part.placed.iter_mut() {
            if is_in_pair(place.from, place.to) {
                place.add_variant(&terms);
            }
        }
    }
    Ok(())
}

/// The letter that has a name. Nearly every word is seen to be none by its length or its end.
fn letter_of(name: &str) -> Option<&'static str> {
    let end = name.as_bytes().last()?;
    if name.len() > NAME_MAX || !b"aioun".contains(end) {
        return None;
    }
    let mut letters = LETTERS.iter();
    letters
        .find(|(_, own)| *own == name)
        .map(|(letter, _)| *letter)
}

/// The name of a letter.
fn name_of(letter: &str) -> Option<&'static str> {
    let mut letters = LETTERS.iter();
    letters
        .find(|(own, _)| *own == letter)
        .map(|(_, name)| *name)
}

/// Pieces of a word, each with what `other` has for it.
fn spelt_with<'a>(
    pieces: &[&'a str],
    other: impl Fn(&str) -> Option<&'static str>,
) -> Vec<&'a str> {
    let spelt = pieces.iter().map(|piece| other(piece).unwrap_or(piece));
    spelt.collect()
}

/// What two words are together where the names among them are letters; none where there is no name.
fn together_with_letter(pair: &[Term]) -> Option<String> {
    let [first, second] = pair else {
        return None;
    };
    let letters = [letter_of(&first.text), letter_of(&second.text)];
    if letters == [None, None] {
        return None;
    }
    Some(
        [
            letters[0].unwrap_or(&first.text),
            letters[1].unwrap_or(&second.text),
        ]
        .concat(),
    )
}

/// The pieces of a word with a Greek letter among others, or its name at the beginning or the end; none of other words, as
/// those of Greek texts are.
fn pieces_of(word: &str) -> Option<Vec<&str>> {
    if !word.is_ascii() {
        return pieces_at_letters(word);
    }
    if letter_of(word).is_some() {
        return Some(vec![word]);
    }
    let names = LETTERS.iter().map(|(_, name)| *name);
    let mut names = names.filter(|name| (NAME_MIN..word.len()).contains(&name.len()));
    let bytes = word.as_bytes();
    let parts = names.find_map(|name| {
        let own = name.as_bytes();
        // Asked first of all: a comparison of both costs ten times as much.
        if own[..2] == bytes[..2] && word.starts_with(name) {
            return Some(word.split_at(name.len()));
        }
        let is_end = own[own.len() - 2..] == bytes[bytes.len() - 2..] && word.ends_with(name);
        is_end.then(|| word.split_at(word.len() - name.len()))
    })?;
    Some(vec![parts.0, parts.1])
}

fn pieces_at_letters(word: &str) -> Option<Vec<&str>> {
    let is_greek = |sign: char| ('α'..='ω').contains(&sign);
    let is_other = |sign: char| sign.is_ascii_alphanumeric();
    let is_single = word.chars().count() == 1;
    if !word.chars().all(|sign| is_greek(sign) || is_other(sign))
        || !is_single && !word.contains(is_other)
    {
        return None;
    }
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, letter) in word.match_indices(is_greek) {
        pieces.extend([&word[from..at], letter]);
        from = at + letter.len();
    }
    pieces.push(&word[from..]);
    pieces.retain(|piece| !piece.is_empty());
    (pieces.len() <= PIECES_MAX).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{letter_of, name_of, pieces_of, spelt_with};

    #[test]
    fn a_word_is_cut_at_greek_letters_and_their_names() {
        let pieces = |word| pieces_of(word).map(|pieces| pieces.join(" "));
        for (word, expected) in [
            ("α", "α"),
            ("alpha", "alpha"),
            ("mu", "mu"),
            ("tgfβ", "tgf β"),
            ("αvβ3", "α v β 3"),
            ("kappab", "kappa b"),
            ("ppargamma", "ppar gamma"),
        ] {
            assert_eq!(pieces(word).as_deref(), Some(expected), "{word}");
        }
        for word in ["", "tgf", "music", "και", "größe", "αβ", "1β2γ3"] {
            assert_eq!(pieces(word), None, "{word}");
        }
    }

    #[test]
    fn letters_and_names_stand_for_each_other() {
        assert_eq!(spelt_with(&["ppar", "gamma"], letter_of), ["ppar", "γ"]);
        assert_eq!(spelt_with(&["κ", "b"], name_of), ["kappa", "b"]);
    }
}
