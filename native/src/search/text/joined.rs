//! Words of a query side by side that documents write as one: `note book`, `wi-fi`, `32 GB`.

use std::sync::Arc;

use crate::analysis::synonyms::row_of;
use crate::analysis::term::Term;
use crate::analysis::Analyzer;
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::placed::{add_terms, occurs, only_term, Placed, VARIANT_WEIGHT};
use crate::search::text::search_field::SearchField;
use crate::search::text::vocabulary::{PlainText, Vocabulary};

/// Longest query, in words, of which neighbours are looked up as one: a longer one says enough, and each run is a look into
/// the dictionary.
const QUERY_WORDS_MAX: usize = 12;
/// Most words that are one elsewhere: names in code are the longest (`get user by id`). Who knows them asks for little else.
const RUN_WORDS_MAX: usize = 4;
const LONG_RUN_QUERY_WORDS_MAX: usize = 6;

/// Gives each word of a run that documents write as one word this word as another way to find it. So a document that has it
/// matches as one with all words of the run does, and whatever was found by one of these still is. It counts less where
/// documents have the run as it is written, too. Terms of such words go to `meant`.
pub(crate) fn add_joined(
    vocabulary: &Vocabulary,
    fields: &[SearchField],
    analyzers: &[&Arc<Analyzer>],
    (plain, placed): (&PlainText, &mut [Placed]),
    meant: &mut Vec<String>,
) -> Result<(), Failure> {
    let PlainText { text, words, .. } = plain;
    if !(2..=QUERY_WORDS_MAX).contains(&words.len()) {
        return Ok(());
    }
    let run_words_max = match words.len() {
        ..=LONG_RUN_QUERY_WORDS_MAX => RUN_WORDS_MAX,
        _ => 2,
    };
    for first in 0..words.len() {
        // A run begins with a word that is looked for, as "a part" is not "apart", or with the letters of a code: "A 54".
        let is_begun = placed.iter().any(|place| covers(place, &words[first]));
        let is_code = words
            .get(first + 1)
            .is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()));
        let run_max = match (is_begun, is_code) {
            (true, _) => run_words_max,
            (false, true) => 2,
            (false, false) => continue,
        };
        let mut joined = words[first].text.clone();
        let neighbours = words[first..].windows(2).take(run_max - 1);
        for (behind, pair) in neighbours.enumerate() {
            if !is_joint(
                &text[pair[0].to..pair[1].from],
                &pair[0].text,
                &pair[1].text,
            ) {
                break;
            }
            joined.push_str(&pair[1].text);
            if !vocabulary.has(&joined)? {
                continue;
            }
            let terms = analyzers.iter().map(|a| only_term(a, &joined));
            let terms: Vec<Option<String>> = terms.collect();
            let run = &words[first..first + behind + 2];
            let written = &text[run[0].from..run[run.len() - 1].to];
            let rows = analyzers.iter().map(|a| row_of(&a.terms(written)));
            let rows = rows.map(|row| match row.len() {
                0 | 1 => Vec::new(),
                _ => vec![Way::row(&row)],
            });
            // A number behind a stop word is mostly just that.
            let is_written =
                !is_begun || occurs(vocabulary.snapshot, fields, &rows.collect::<Vec<_>>())?;
            if !is_written {
                meant.extend(terms.iter().flatten().cloned());
            }
            let weight = if is_written { VARIANT_WEIGHT } else { 1.0 };
            for place in placed.iter_mut() {
                if run.iter().any(|word| covers(place, word)) {
                    add_terms(place, &terms, weight, is_written);
                }
            }
        }
    }
    Ok(())
}

fn covers(place: &Placed, word: &Term) -> bool {
    place.from < word.to && word.from < place.to
}

/// Whether two words may be one elsewhere, given what stands between them: something does (characters of Chinese are words
/// as they are), and no two numbers meet, which would be a third one.
fn is_joint(between: &str, before: &str, behind: &str) -> bool {
    let are_numbers = before.ends_with(|c: char| c.is_ascii_digit())
        && behind.starts_with(|c: char| c.is_ascii_digit());
    let signs = between.trim().chars().count();
    !between.is_empty() && signs <= 1 && !are_numbers
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
        assert!(!is_joint(" (=", "net", "work"));
    }
}
