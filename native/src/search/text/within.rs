//! Words within compounds, where a language writes these in one word: `Jacke` in `Regenjacke`, and the other way round.

use std::collections::HashMap;

use crate::engine::long_words::is_word;
use crate::failure::Failure;
use crate::search::deadline::Steps;
use crate::search::text::expansion::{only_term, Expansion, Scope, FAR_WEIGHT, VARIANT_WEIGHT};
use crate::search::text::vocabulary::Vocabulary;
use crate::search::text::words::{first_live, live_with, Word};

/// Longest query, in words, whose words are looked for in compounds.
const QUERY_WORDS_MAX: usize = 12;
/// Letters of the shortest part of a compound.
const PART_MIN: usize = 3;
/// What may stand between the parts of a compound.
const LINKS: [&str; 7] = ["", "s", "es", "n", "en", "e", "er"];
/// Words with a word in them that are looked at, those that most documents have first, …
const LOOKED_AT_MAX: usize = 32;
/// … and those of them that are looked for, at most.
const COMPOUNDS_MAX: usize = 8;
/// Parts of a compound that more than one of so many documents have say too little, …
const COMMON_SHARE: u32 = 10;
/// … unless they are as few as these.
const COMMON_MIN: u32 = 8;

/// Gives words the compounds that have them as a part, and compounds their parts, as other ways to find them, which count
/// less. Terms of parts go to `meant`.
pub(crate) fn add_compounds(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    let is_asked = scope
        .analyzers
        .iter()
        .any(|read| !read.compound_endings.is_empty());
    if !is_asked || part.placed.len() > QUERY_WORDS_MAX {
        return Ok(());
    }
    for place in part.placed.iter_mut() {
        let word = plain.only_word(place.from, place.to);
        let Some(word) = word.filter(|word| is_word(word.text)) else {
            continue;
        };
        // An analyzer that leaves the word out, as a stop word, is not asked for others: it knows these as they are written.
        let stems = scope.compound_terms_of(&plain.text[place.from..place.to]);
        if !is_part(word.text) || stems.iter().all(Option::is_none) {
            continue;
        }
        let terms_of = |other: &str| -> Vec<Option<String>> {
            let terms = scope.compound_terms_of(other).into_iter().zip(&stems);
            terms.map(|(term, stem)| stem.as_ref().and(term)).collect()
        };
        let forms = forms_of(scope, word.text, &stems);
        for compound in compounds_with(&scope.vocabulary, &forms)? {
            place.add(&terms_of(&compound), VARIANT_WEIGHT, true);
        }
        for part_of_it in parts_of(&scope.vocabulary, word.text)? {
            let terms = terms_of(part_of_it);
            place.add(&terms, FAR_WEIGHT, true);
            part.meant.extend(terms.into_iter().flatten());
        }
    }
    Ok(())
}

/// A word, and others that are stemmed as it is, given its stem per analyzer: `jacken` is not in `regenjacke`, `jacke` is.
fn forms_of(scope: &Scope, word: &str, stems: &[Option<String>]) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    for (reader, stem) in scope.analyzers.iter().zip(stems) {
        let Some(stem) = stem.as_ref().filter(|stem| is_part(stem)) else {
            continue;
        };
        for ending in reader.compound_endings {
            let form = format!("{stem}{ending}");
            if !forms.contains(&form) && only_term(reader, &form).as_ref() == Some(stem) {
                forms.push(form);
            }
        }
    }
    forms
}

/// The words of documents that a word begins or ends, beside another one, given its forms.
fn compounds_with(vocabulary: &Vocabulary, forms: &[String]) -> Result<Vec<String>, Failure> {
    let snapshot = vocabulary.snapshot;
    // What begins with one form begins with the beginning of that, too.
    let is_start = |form: &&String| {
        let mut others = forms.iter().filter(|other| other != form);
        !others.any(|other| form.starts_with(other.as_str()))
    };
    let starts: Vec<&str> = forms.iter().filter(is_start).map(String::as_str).collect();
    let mut found: HashMap<&str, u32> = HashMap::new();
    let mut steps = Steps::default();
    for segment in 0..snapshot.segments.len() {
        let known = snapshot.long_words(segment, || steps.step())?;
        for start in &starts {
            for (compound, documents) in known.beginning_with(start) {
                steps.step()?;
                if compound.len() >= start.len() + PART_MIN {
                    *found.entry(compound).or_default() += documents;
                }
            }
        }
        for form in forms {
            for (compound, documents) in known.ending_with(form) {
                steps.step()?;
                // Those that begin with one, too, are counted.
                let is_new = !starts.iter().any(|start| compound.starts_with(*start));
                if is_new && compound.len() >= form.len() + PART_MIN {
                    *found.entry(compound).or_default() += documents;
                }
            }
        }
    }
    let found = found.into_iter().map(|(compound, documents)| Word {
        text: compound.to_owned(),
        documents,
        distance: 0,
    });
    let mut compounds = Vec::new();
    for found in first_live(snapshot, found.collect(), LOOKED_AT_MAX)? {
        if compounds.len() == COMPOUNDS_MAX {
            break;
        }
        for form in forms {
            if is_compound(vocabulary, &found.text, form)? {
                compounds.push(found.text);
                break;
            }
        }
    }
    Ok(compounds)
}

/// The words of documents that end with one that none of them has, whatever stands before it: an `Abendkleid` is a `Kleid` also
/// where nothing says what `Abend` is. Those that most documents have, as many at most as are asked for, and none where compounds
/// are not one word.
pub(crate) fn headed_by(
    scope: &Scope,
    (written, word): (&str, &str),
    count: usize,
) -> Result<Vec<String>, Failure> {
    let stems = scope.compound_terms_of(written);
    if stems.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let snapshot = scope.vocabulary.snapshot;
    let mut found: HashMap<&str, u32> = HashMap::new();
    let mut steps = Steps::default();
    let forms = forms_of(scope, word, &stems);
    for form in &forms {
        for segment in 0..snapshot.segments.len() {
            let known = snapshot.long_words(segment, || steps.step())?;
            for (compound, documents) in known.ending_with(form) {
                steps.step()?;
                if is_begun(&compound[..compound.len() - form.len()]) {
                    *found.entry(compound).or_default() += documents;
                }
            }
        }
    }
    let found = found.into_iter().map(|(compound, documents)| Word {
        text: compound.to_owned(),
        documents,
        distance: 0,
    });
    let first = first_live(snapshot, found.collect(), count)?;
    Ok(first.into_iter().map(|word| word.text).collect())
}

/// Whether what stands before the last part of a compound may be a word: `gr` of `Grund` is none.
fn is_begun(first: &str) -> bool {
    let is_vowel = |letter: char| !letter.is_ascii() || "aeiouy".contains(letter);
    is_part(first) && first.contains(is_vowel)
}

/// Whether what stands in a word beside one that it begins or ends with is a word of documents, too.
fn is_compound(vocabulary: &Vocabulary, compound: &str, word: &str) -> Result<bool, Failure> {
    let behind = compound.strip_prefix(word);
    let before = compound.strip_suffix(word);
    for link in LINKS {
        let last = behind.and_then(|rest| rest.strip_prefix(link));
        let first = before.and_then(|rest| rest.strip_suffix(link));
        for other in last.into_iter().chain(first) {
            if is_part(other) && vocabulary.has(other)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_part(word: &str) -> bool {
    word.chars().nth(PART_MIN - 1).is_some()
}

/// The two words that a word is made of, of which documents have the most, without what nearly all have; none of a word that
/// more documents have than these.
fn parts_of<'a>(vocabulary: &Vocabulary, word: &'a str) -> Result<Vec<&'a str>, Failure> {
    let snapshot = vocabulary.snapshot;
    let mut own = None;
    let mut best: Option<(u64, [(&str, u32); 2])> = None;
    for (at, _) in word.char_indices().skip(PART_MIN) {
        let (before, last) = word.split_at(at);
        if !is_part(last) || !vocabulary.has(last)? {
            continue;
        }
        for link in LINKS {
            let first = before.strip_suffix(link);
            let Some(first) = first.filter(|first| is_part(first)) else {
                continue;
            };
            if !vocabulary.has(first)? {
                continue;
            }
            let own = match own {
                Some(own) => own,
                None => *own.insert(u64::from(live_with(snapshot, word)?)),
            };
            let parts = [
                (first, live_with(snapshot, first)?),
                (last, live_with(snapshot, last)?),
            ];
            let both = u64::from(parts[0].1) * u64::from(parts[1].1);
            if both >= own * own && best.is_none_or(|(most, _)| both > most) {
                best = Some((both, parts));
            }
        }
    }
    let common = (snapshot.live / COMMON_SHARE).max(COMMON_MIN);
    let parts = best.into_iter().flat_map(|(_, parts)| parts);
    let telling = parts.filter(|(_, documents)| *documents <= common);
    Ok(telling.map(|(part, _)| part).collect())
}
