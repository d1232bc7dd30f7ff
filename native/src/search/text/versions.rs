//! Versions, of which people leave out the end, or the letter before them: `2.10` for `2.10.3`, `3.4` for `v3.4`. The letter is
//! left out here and written there in most collections, so that it is looked for also where documents have the version as typed.
//! What a hyphen joins to one stands behind others, too (`2.0.0-rc.1`), and means it there alone.

use crate::failure::Failure;
use crate::search::text::expansion::Expansion;
use crate::search::text::words;

/// Most versions that begin like one.
const BEGUN_MAX: usize = 16;

/// Signs that join a version with what stands behind it.
const JOINTS: [&str; 2] = ["-", "+"];

/// Gives a number with points itself with a `v` before it and without, and where it is found in no way the versions that go on
/// behind it, too. `2.1` is not the beginning of `2.10`.
pub(crate) fn add_versions(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    for nth in 0..part.placed.len() {
        let place = &part.placed[nth];
        let Some(word) = plain.only_word(place.from, place.to) else {
            continue;
        };
        let Some(number) = number_of(word.text) else {
            continue;
        };
        let is_known = part.is_known(nth)?;
        let mut others = Vec::new();
        for begun in [number.to_owned(), format!("v{number}")] {
            if !is_known {
                let longer = format!("{begun}.");
                let longer = words::completions(scope.vocabulary.snapshot, &longer, BEGUN_MAX)?;
                others.extend(longer.into_iter().map(|word| word.text));
            }
            if begun != word.text && (!is_known || scope.vocabulary.has(&begun)?) {
                others.push(begun);
            }
        }
        for other in others {
            part.add_form(nth, scope.terms_of(&other), is_known);
        }
    }
    Ok(())
}

/// A version of a query that something is joined with, given what stands between them: as it is typed, and with a `v` or without.
pub(crate) fn joined_forms(version: &str, between: &str) -> Option<[String; 2]> {
    if !JOINTS.contains(&between) {
        return None;
    }
    let typed = version.to_lowercase();
    let number = number_of(&typed)?;
    let other = match number == typed {
        true => format!("v{number}"),
        false => number.to_owned(),
    };
    Some([typed, other])
}

/// The number of a version, if a word is one of two parts at least.
fn number_of(word: &str) -> Option<&str> {
    let number = word.strip_prefix('v').unwrap_or(word);
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (number.contains('.') && number.split('.').all(is_part)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::{joined_forms, number_of};

    #[test]
    fn a_hyphen_joins_a_version_with_what_stands_behind_it() {
        let forms = |one: &str, other: &str| Some([one.to_owned(), other.to_owned()]);
        assert_eq!(joined_forms("1.2.3", "-"), forms("1.2.3", "v1.2.3"));
        assert_eq!(joined_forms("V1.2", "+"), forms("v1.2", "1.2"));
        for (version, between) in [("1.2.3", " "), ("1.2.3", " - "), ("wi", "-"), ("2", "-")] {
            assert_eq!(joined_forms(version, between), None, "{version}{between}");
        }
    }

    #[test]
    fn a_version_is_numbers_with_points_between() {
        assert_eq!(number_of("2.10"), Some("2.10"));
        assert_eq!(number_of("v2.10.3"), Some("2.10.3"));
        for other in ["2", "v2", "2.", ".5", "2..1", "x2.1", "2.1b", "v", ""] {
            assert_eq!(number_of(other), None, "{other}");
        }
    }
}
