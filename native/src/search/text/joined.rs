//! Words of a query side by side that documents write as one: `note book`, `wi-fi`, `32 GB`.

use std::ops::Range;

use crate::analysis::synonyms::row_of;
use crate::analysis::term::Term;
use crate::failure::Failure;
use crate::search::text::apart::LONG_NUMBER_MIN;
use crate::search::text::clause::Way;
use crate::search::text::codes::ISBN_TEN;
use crate::search::text::decimal::decimal;
use crate::search::text::expansion::{Expansion, Placed, Scope};
use crate::search::text::vocabulary::PlainText;

/// Longest query, in words, of which neighbours are looked up as one: a longer one says enough, and each run is a look into
/// the dictionary.
const QUERY_WORDS_MAX: usize = 12;
/// Most words that are one elsewhere: names in code are the longest (`get user by id`). Who knows them asks for little else.
const RUN_WORDS_MAX: usize = 4;
const LONG_RUN_QUERY_WORDS_MAX: usize = 6;

/// Most groups of a long number: an ISBN has five.
const NUMBER_GROUPS_MAX: usize = 6;

/// The sign between the sides of a measure, which is no part of a word, and what is typed for it.
const TIMES: (&str, &str) = ("×", "x");
/// Most words of a measure, with what stands between its sides: `20 x 30 x 2 cm`.
const MEASURE_WORDS_MAX: usize = 8;

/// Gives each word of a run that documents write as one word this word as another way to find it. So a document that has it
/// matches as one with all words of the run does, and whatever was found by one of these still is. It counts less where
/// documents have the run as it is written, too. Terms of such words go to `meant`.
pub(crate) fn add_joined(part: &mut Expansion) -> Result<(), Failure> {
    let scope = part.scope;
    let PlainText { text, words, .. } = part.plain;
    let sought = |word: &Term| part.placed.iter().any(|place| covers(place, word));
    for run in runs(text, words, sought) {
        let Some(joined) = written_in_one(scope, &run)? else {
            continue;
        };
        let terms = scope.terms_of(&joined);
        let own = &words[run.words];
        let written = &text[own[0].from..own[own.len() - 1].to];
        // A number behind a stop word is mostly just that.
        let is_written = !run.is_begun || is_written(scope, written)?;
        let places = part.placed.iter_mut();
        for place in places.filter(|place| own.iter().any(|word| covers(place, word))) {
            match is_written {
                true => place.add_variant(&terms),
                false => place.add(&terms, 1.0, false),
            }
        }
        if !is_written {
            part.meant.extend(terms.into_iter().flatten());
        }
    }
    Ok(())
}

/// The word of documents that a run is, maybe with another sign before its fraction: `1,8 m`, `1.8m`.
fn written_in_one(scope: &Scope, run: &Run) -> Result<Option<String>, Failure> {
    let other = decimal(&run.joined);
    for joined in [&run.joined].into_iter().chain(&other) {
        if scope.vocabulary.has(joined)? {
            return Ok(Some(joined.clone()));
        }
    }
    Ok(None)
}

/// Words of a query side by side that may be one elsewhere.
pub(crate) struct Run {
    /// Which ones.
    pub words: Range<usize>,
    /// What they are together.
    pub joined: String,
    /// Whether the first one is looked for.
    is_begun: bool,
}

/// The runs of words of a text that may be one elsewhere. One begins with a word that is looked for, as "a part" is not
/// "apart", or with the letters of a code: "A 54".
pub(crate) fn runs(text: &str, words: &[Term], is_sought: impl Fn(&Term) -> bool) -> Vec<Run> {
    let mut found = Vec::new();
    let run_words_max = match words.len() {
        2..=LONG_RUN_QUERY_WORDS_MAX => RUN_WORDS_MAX,
        ..=QUERY_WORDS_MAX => 2,
        _ => return found,
    };
    for first in 0..words.len() {
        let is_begun = is_sought(&words[first]);
        let is_code = words
            .get(first + 1)
            .is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
        let run_max = match (is_begun, is_code) {
            (true, _) => run_words_max,
            (false, true) => 2,
            (false, false) => continue,
        };
        let run_max = run_max.max(measure_words(text, &words[first..]));
        let mut joined = words[first].text.clone();
        let neighbours = words[first..].windows(2).take(run_max - 1);
        for (behind, pair) in neighbours.enumerate() {
            let between = &text[pair[0].to..pair[1].from];
            if is_times(between, &pair[0].text, &pair[1].text) {
                joined.push_str(TIMES.1);
            } else if !is_joint(between, &pair[0].text, &pair[1].text) {
                break;
            }
            joined.push_str(&pair[1].text);
            found.push(Run {
                words: first..first + behind + 2,
                joined: joined.clone(),
                is_begun,
            });
        }
    }
    add_long_numbers(text, words, is_sought, &mut found);
    found
}

/// Adds groups of figures that are one number elsewhere: `978-0-14-044793-4`, `0221 123456`. What has fewer figures in all is
/// as likely several numbers.
fn add_long_numbers(
    text: &str,
    words: &[Term],
    is_sought: impl Fn(&Term) -> bool,
    found: &mut Vec<Run>,
) {
    for first in 0..words.len() {
        let mut joined = String::new();
        for (behind, word) in words[first..].iter().take(NUMBER_GROUPS_MAX).enumerate() {
            let is_check = behind > 0 && word.text == ISBN_TEN;
            let before = words[first..][..behind].last();
            let between = before.map_or(" ", |before| &text[before.to..word.from]);
            if !is_check && !is_number(&word.text) || !are_apart(between) {
                break;
            }
            joined.push_str(&word.text);
            if behind > 0 && joined.len() >= LONG_NUMBER_MIN {
                found.push(Run {
                    words: first..first + behind + 1,
                    joined: joined.clone(),
                    is_begun: is_sought(&words[first]),
                });
            }
            if is_check {
                break;
            }
        }
    }
}

/// How many of some words are a measure of several sides that they begin with, its unit included; 0 if they begin with none.
fn measure_words(text: &str, words: &[Term]) -> usize {
    let mut last = 0;
    while let Some([side, next, ..]) = words.get(last..) {
        if is_times(&text[side.to..next.from], &side.text, &next.text) {
            last += 1;
            continue;
        }
        let end = words.get(last + 2).map_or("", |term| term.text.as_str());
        if next.text != TIMES.1 || !are_numbers(&side.text, end) {
            break;
        }
        last += 2;
    }
    match last {
        0 => 0,
        _ => (last + 2).min(words.len()).min(MEASURE_WORDS_MAX),
    }
}

/// Whether any document has a run as it is written, of two words and more.
fn is_written(scope: &Scope, run: &str) -> Result<bool, Failure> {
    let rows = scope.analyzers.iter().map(|analyzer| {
        let row = row_of(&analyzer.terms(run));
        match row.len() {
            0 | 1 => Vec::new(),
            _ => vec![Way::row(&row)],
        }
    });
    scope.has(&rows.collect::<Vec<_>>())
}

fn covers(place: &Placed, word: &Term) -> bool {
    place.from < word.to && word.from < place.to
}

/// Whether two words may be one elsewhere, given what stands between them: something does (characters of Chinese are words
/// as they are), and no two numbers meet, which would be a third one, but for thousands.
fn is_joint(between: &str, before: &str, behind: &str) -> bool {
    let may_meet = !are_numbers(before, behind) || are_thousands(before, behind);
    are_apart(between) && may_meet
}

/// Whether what stands between two words is white space, or one sign.
fn are_apart(between: &str) -> bool {
    !between.is_empty() && between.trim().chars().count() <= 1
}

/// Whether two words are sides of a measure with a sign between them.
fn is_times(between: &str, before: &str, behind: &str) -> bool {
    between.trim() == TIMES.0 && are_numbers(before, behind)
}

/// Whether a number goes on with its thousands: `250 000`.
fn are_thousands(before: &str, behind: &str) -> bool {
    let is_begun = (1..=3).contains(&before.len()) && !before.starts_with('0');
    is_begun && behind.len() == 3 && is_number(before) && is_number(behind)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn are_numbers(before: &str, behind: &str) -> bool {
    before.ends_with(|c: char| c.is_ascii_digit())
        && behind.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_joint;

    #[test]
    fn words_with_a_space_or_a_sign_between_them_may_be_one() {
        assert!(is_joint(" ", "note", "book"));
        assert!(is_joint("-", "wi", "fi"));
        assert!(is_joint(" & ", "h", "m"));
        assert!(is_joint(" ", "32", "gb"));
        assert!(!is_joint("", "東", "京"));
        assert!(!is_joint(" ", "12", "24"));
        assert!(is_joint(" ", "250", "000"));
        assert!(!is_joint(" ", "0", "698"));
        assert!(!is_joint(" (=", "net", "work"));
    }
}
