//! Query expansion: the rules that give the words of a query other ways to say them, in their order. Texts are indexed as
//! they are written; whatever writes one thing in two ways is brought together here, where a word of a query can be weighed
//! against what documents have.
//!
//! | rule | gives | the way |
//! |---|---|---|
//! | `apart::add_pieces` | a word that no document has | its pieces in a row: `AB1234x`, `AB-1234/x` |
//! | `katakana` | a word in katakana that is found in no other way | the words that it is made of, each by itself: `ネットワークデーモン` |
//! | `plurals` | an English word whose number stemmers do not see through | its other number: `mice`, `mouse`; `TVs`, `TV` |
//! | `numbers` | a number | its other forms: `Part II`, `part 2`; behind the same word `Part I`, `part 1` |
//! | `grouped` | a number | with signs between its thousands, and without: `10000`, `10,000`; with a point before its fraction, or a comma: `38.5`, `38,5` |
//! | `apart::add_measures` | a number with its unit, a measure of several sides, an ISBN, or a long number that no document has | its pieces in a row: `32gb`, `32 GB`; `3x5`, `3 x 5` |
//! | `apart::add_known_pieces` | a word with digits or capitals inside, an `e` before it or a particle behind it, that documents have | its pieces in a row, too: `covid19`, `COVID-19`; `email`, `e-mail`; `setup`, `set up` |
//! | `greek` | a Greek letter, or its name | the other, in one word and in several: `TGF-beta`, `TGFβ` |
//! | `versions` | a number with points | the same with a `v` before, or without; if it is found in no way, what goes on behind it: `2.1`, `v2.1.3` |
//! | `signed` | a word with signs behind it | its name with them, before the word alone: `C++` |
//! | `umlauts` | two letters that may be one, or one that may be two | the other spelling: `Mueller`, `Müller` |
//! | `joined` | words side by side | the word, or the long number, that they are together: `note book`, `notebook` |
//! | `guessed` | a word that is found in no way | what it begins, is nearly, or is made of: `reciept`, `receipt` |
//! | `within` | a word of German, Dutch, Swedish, Danish or Norwegian | compounds with it, and its parts: `Jacke`, `Regenjacke` |
//!
//! The first one is asked as each analyzer reads the query (`part_reader.rs`), the second right behind it, as it changes which
//! words there are, the last two (by `plan.rs`) when all parts of
//! the query are read: guesses where nobody has said how alike words must be, and behind them compounds, whose parts are no reason
//! not to guess. The ones between belong to each part. A rule sees what
//! those before it have added. What is nearly a word when that is asked for (`fuzziness`), and what one is the beginning of
//! (`prefix`), are no rules: who sends these means other words.

use crate::failure::Failure;
use crate::search::text::apart::{add_known_pieces, add_measures};
use crate::search::text::expansion::Expansion;
use crate::search::text::greek::add_greek;
use crate::search::text::grouped::add_grouped;
use crate::search::text::joined::add_joined;
use crate::search::text::numbers::add_numbers;
use crate::search::text::plurals::add_plurals;
use crate::search::text::signed::prefer_signed;
use crate::search::text::umlauts::add_umlauts;
use crate::search::text::versions::add_versions;

/// Lets each rule about a part of a query add to its words.
pub(crate) fn expand(part: &mut Expansion) -> Result<(), Failure> {
    add_plurals(part)?;
    add_numbers(part);
    add_grouped(part)?;
    add_measures(part)?;
    add_known_pieces(part)?;
    add_greek(part)?;
    add_versions(part)?;
    prefer_signed(part)?;
    add_umlauts(part)?;
    add_joined(part)
}
