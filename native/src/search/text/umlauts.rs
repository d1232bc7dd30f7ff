//! Letters that some keyboards lack: `Mueller` for `Müller`, `Koebenhavn` for `København`.

use crate::analysis::respelt::{respelt, spelling};
use crate::failure::Failure;
use crate::search::text::clause::Way;
use crate::search::text::expansion::Expansion;

/// What is typed for a letter, and that letter without its mark, as words are kept.
const TYPED: [(&str, char); 4] = [("ae", 'a'), ("oe", 'o'), ("ue", 'u'), ("aa", 'a')];
/// Pairs in a word of which each may be typed for a letter, or be two letters: three give seven spellings.
const PAIRS_MAX: usize = 3;

/// Gives words that no document has in any form those that they may be spelt for, others those that documents write with
/// umlauts, and words with umlauts those that are spelt without, which count less where documents have the word as it is
/// written. Terms of such words go to `meant`.
pub(crate) fn add_umlauts(part: &mut Expansion) -> Result<(), Failure> {
    let (scope, plain) = (part.scope, part.plain);
    for nth in 0..part.placed.len() {
        let place = &part.placed[nth];
        let written = plain.text[place.from..place.to].to_lowercase();
        let respelt = respelt(&written);
        let others = if respelt.is_some() {
            respelt.into_iter().collect()
        } else {
            contracted(&written)
        };
        if others.is_empty() {
            continue;
        }
        let has_umlaut = !written.is_ascii();
        let is_known = part.is_known(nth)?;
        // `poet` is `pot` where nobody has it, and else only where somebody writes `pöt`.
        if is_known && !has_umlaut && !scope.vocabulary.has(&spelling(&written))? {
            continue;
        }
        for other in others {
            let terms = scope.terms_of(&other);
            let ways = terms.iter().map(|term| {
                let way = term.clone().map(|term| Way::term(term, 1.0));
                way.into_iter().collect()
            });
            if scope.has(&ways.collect::<Vec<_>>())? {
                part.add_form(nth, terms, is_known);
            }
        }
    }
    Ok(())
}

/// The words that one may be spelt for: each pair of its letters that may stand for one does, or does not.
fn contracted(word: &str) -> Vec<String> {
    let mut pairs: Vec<(usize, char)> = Vec::new();
    for (typed, letter) in TYPED {
        // `neue`, `quelle`: behind these letters it is no umlaut.
        let is_umlaut =
            |at: usize| letter != 'u' || !word[..at].ends_with(['a', 'e', 'i', 'o', 'u', 'q']);
        let found = word.match_indices(typed).map(|(at, _)| at);
        pairs.extend(found.filter(|at| is_umlaut(*at)).map(|at| (at, letter)));
    }
    pairs.sort_unstable();
    pairs.truncate(PAIRS_MAX);
    let mut spellings: Vec<String> = (1..1_usize << pairs.len())
        .map(|chosen| {
            let mut out = String::with_capacity(word.len());
            let mut from = 0;
            for (nth, (at, letter)) in pairs.iter().enumerate() {
                if chosen & 1 << nth != 0 && *at >= from {
                    out.push_str(&word[from..*at]);
                    out.push(*letter);
                    from = at + 2;
                }
            }
            out + &word[from..]
        })
        .collect();
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_letters_may_stand_for_one() {
        assert_eq!(contracted("mueller"), ["muller"]);
        assert_eq!(contracted("koebenhavn"), ["kobenhavn"]);
        assert_eq!(contracted("aalesund"), ["alesund"]);
        assert_eq!(contracted("roedgroed"), ["rodgroed", "roedgrod", "rodgrod"]);
        assert!(contracted("quelle").is_empty() && contracted("neue").is_empty());
        assert!(contracted("shop").is_empty());
    }
}
