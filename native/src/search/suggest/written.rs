//! Words as documents write them: those of an index are without their accents, where it folds.

use std::collections::HashMap;
use std::sync::Arc;

use crate::analysis::compose::seen;
use crate::analysis::emoji::is_emoji;
use crate::analysis::Analyzer;
use crate::engine::snapshot::Snapshot;
use crate::failure::Failure;
use crate::search::deadline;
use crate::search::text::words;

/// Calls its last argument with the source of a document, as JSON, given the index and the document's number; not where it
/// is gone.
pub type Read<'a> = dyn Fn(u64, u64, &mut dyn FnMut(&[u8])) -> Result<(), Failure> + 'a;

/// Documents that are read for a word, at most.
const DOCUMENTS_MAX: usize = 8;
/// As many that agree are enough.
const AGREED: usize = 2;
/// Bytes of words that are taken apart for one answer: a millisecond.
const BYTES_MAX: usize = 32 * 1024;
/// As many that are only passed over count as one.
const PASSED: usize = 64;

/// Writes the words of one answer.
pub struct Writer<'a> {
    snapshots: &'a [(u64, Arc<Snapshot>)],
    read: &'a Read<'a>,
    bytes_left: usize,
    known: HashMap<String, String>,
}

impl<'a> Writer<'a> {
    /// Reads documents of these views by `read`.
    pub fn new(snapshots: &'a [(u64, Arc<Snapshot>)], read: &'a Read<'a>) -> Self {
        Writer {
            snapshots,
            read,
            bytes_left: BYTES_MAX,
            known: HashMap::new(),
        }
    }

    /// A word of an index as its documents write it, in lower case: as most of a few do. Where accents were `typed`, a way
    /// that goes on from them comes before others.
    pub fn written(&mut self, word: &str, typed: Option<&str>) -> Result<String, Failure> {
        if let Some(known) = self.known.get(word) {
            return Ok(known.clone());
        }
        let mut ways: Vec<(String, usize)> = Vec::new();
        let fits = |way: &str| typed.is_none_or(|typed| way.starts_with(typed));
        let mut documents = 0;
        'all: for (id, snapshot) in self.snapshots {
            let analyzer = &snapshot.definition.words_analyzer;
            // What an index keeps as it is written.
            let is_known = is_emoji(word) || word.is_ascii() && !analyzer.folds;
            let most = DOCUMENTS_MAX - documents;
            for ord in words::first_documents(snapshot, word, most)? {
                deadline::look()?;
                documents += 1;
                let mut way = is_known.then(|| word.to_owned());
                if !is_known && self.bytes_left > 0 {
                    let bytes_left = &mut self.bytes_left;
                    (self.read)(*id, ord, &mut |source| {
                        way = Some(way_in(source, word, analyzer, bytes_left));
                    })?;
                }
                let Some(way) = way else { continue };
                match ways.iter_mut().find(|(known, _)| *known == way) {
                    Some((_, count)) => *count += 1,
                    None => ways.push((way, 1)),
                }
                if ways
                    .iter()
                    .any(|(way, count)| *count >= AGREED && fits(way))
                {
                    break 'all;
                }
            }
        }
        // People leave accents out more than they add them.
        let best = ways
            .into_iter()
            .max_by_key(|(way, count)| (fits(way), *count, way != word));
        let written = best.map_or_else(|| word.to_owned(), |(way, _)| way);
        self.known.insert(word.to_owned(), written.clone());
        Ok(written)
    }
}

/// How a document first writes a word that it has.
fn way_in(source: &[u8], word: &str, analyzer: &Analyzer, bytes_left: &mut usize) -> String {
    *bytes_left = bytes_left.saturating_sub(source.len() / PASSED);
    let others = match source.is_ascii() {
        true => String::new(),
        false => beyond_ascii(source, word, bytes_left),
    };
    let mut terms = analyzer.terms(&others).into_iter();
    match terms.find(|term| term.text == word) {
        Some(term) => as_written(&others[term.from..term.to]),
        None => word.to_owned(),
    }
}

/// A word in lower case, with its accents.
pub fn as_written(word: &str) -> String {
    // Lower case leaves a second dot on the `i` that was `İ`.
    seen(word).to_lowercase().replace("i\u{307}", "i")
}

/// What a JSON text holds between spaces, quotes and escapes that is not all of ASCII, and may be a word: where it is
/// written in ASCII alone, it is as the index has it. `bytes_left` is how much of it is wanted.
fn beyond_ascii(source: &[u8], word: &str, bytes_left: &mut usize) -> String {
    let ends = |byte: &u8| matches!(byte, 0..=b' ' | b'"' | b'\\');
    let mut found = String::new();
    let mut at = 0;
    while let Some(other) = source[at..].iter().position(|byte| !byte.is_ascii()) {
        let other = at + other;
        let from = match source[..other].iter().rposition(ends) {
            Some(end) if is_escape(&source[..=end]) => end + 2,
            Some(end) => end + 1,
            None => 0,
        };
        let length = source[other..].iter().position(ends);
        at = length.map_or(source.len(), |length| other + length);
        let piece = String::from_utf8_lossy(&source[from..at]);
        if !may_hold(&piece, word) {
            continue;
        }
        if piece.len() > *bytes_left {
            break;
        }
        *bytes_left -= piece.len();
        found.push_str(&piece);
        found.push(' ');
    }
    found
}

/// Whether what follows a text is escaped in JSON.
fn is_escape(text: &[u8]) -> bool {
    let signs = text.iter().rev().take_while(|byte| **byte == b'\\');
    signs.count() % 2 == 1
}

/// Whether a text may hold a word: letters of ASCII stay what they are, so all of a part of it are in the word. That is told
/// sooner than by taking it apart.
fn may_hold(text: &str, word: &str) -> bool {
    let is_in = |run: &str| {
        let mut places = word.as_bytes().windows(run.len().max(1));
        run.is_empty() || places.any(|place| place.eq_ignore_ascii_case(run.as_bytes()))
    };
    let mut parts = text.split(|c: char| !c.is_alphanumeric());
    parts.any(|part| !part.is_empty() && part.split(|c: char| !c.is_ascii()).all(is_in))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::words_analyzer;

    fn way(source: &str, word: &str) -> String {
        way_in(source.as_bytes(), word, &words_analyzer(true), &mut 1000)
    }

    #[test]
    fn a_word_is_shown_with_the_letters_that_a_document_has() {
        for (source, folded, written) in [
            (r#"{"t":"El niño"}"#, "nino", "niño"),
            (r#"{"t":"El NIN\u0303O"}"#, "nino", "nino"),
            ("{\"t\":\"El NIN\u{303}O\"}", "nino", "niño"),
            (r#"{"t":"Große\nStraße"}"#, "strasse", "straße"),
            (r#"{"t":"smørbrød, œuvre"}"#, "smorbrod", "smørbrød"),
            (r#"{"t":"smørbrød, œuvre"}"#, "oeuvre", "œuvre"),
            (r#"{"t":"ёлка"}"#, "елка", "ёлка"),
            (r#"{"t":"Η ΟΔΟΣ"}"#, "οδοσ", "οδος"),
            (r#"{"t":"комп’ютер"}"#, "компютер", "комп’ютер"),
            (r#"{"t":"أَحْمَد"}"#, "أحمد", "أَحْمَد"),
            (r#"{"t":"İstanbul"}"#, "istanbul", "istanbul"),
            ("{\"t\":\"Fuß\u{ad}ball\"}", "fussball", "fußball"),
            (r#"{"t":"C:\\niño d’école"}"#, "nino", "niño"),
            (r#"{"t":"C:\\niño d’école"}"#, "ecole", "école"),
            (r#"{"t":"Don’t"}"#, "don't", "don’t"),
            (r#"{"t":"Résumé or \"resume\""}"#, "or", "or"),
        ] {
            assert_eq!(way(source, folded), written, "{source}");
        }
    }

    #[test]
    fn only_what_may_be_the_word_is_taken_apart_and_not_more_than_may_be() {
        let source = r#"{"año":1,"t":["a\né \"ü\"","plain, ünlike"]}"#.as_bytes();
        let (mut left, word) = (1000, "anoeu");
        assert_eq!(beyond_ascii(source, word, &mut left), "año é ü ");
        assert_eq!(left, 1000 - 8);
        assert_eq!(beyond_ascii(source, word, &mut 5), "año ");
    }
}
