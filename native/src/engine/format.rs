//! The format of an index's files: which documents they hold is the records' say, in which form is this one's. Files of
//! another format are not read, and the index is built anew from the records.

/// What each format brought, from the second one on. Whoever changes what is indexed, or where it stands, appends a line:
/// that raises `FORMAT`.
const CHANGES: [&str; 16] = [
    "2: letters are composed, and objects are present where a field of theirs is",
    "3: emoji are words",
    "4: words have the forms that their accents tell, a dotted I is an i, and hashed features have several places",
    "5: words in katakana end where letters of another kind begin, and have one width",
    "6: marks of all scripts stand inside words, soft hyphens are left out, and a final sigma is a sigma",
    "7: plain words keep accents that no searched field folds",
    "8: Thai, Lao, Khmer and Burmese are cut into syllables, how long a word may be is told in characters, and words are \
     stemmed as those of a language that has their script",
    "9: very small and very large numbers are words as JavaScript writes them, and the values of a list stand far apart",
    "10: acronyms with points are words, and a document that was deleted in the middle of a merge, which files of before \
     may show, is gone",
    "11: the `µ` of keyboards is the Greek letter",
    "12: what is no date under `created` and `updated` has no time of a write, and of a name with dots the outer objects \
     are present",
    "13: columns of dates have microseconds, and dates of all years",
    "14: `log in` is `login`, too, and how umlauts are spelt in two letters is known",
    "15: values of numbers, and of what no field names, are in their columns alone, and a hashed vector has its words in \
     other places",
    "16: numbers of documents, names of fields and keywords are terms of one dictionary",
    "17: numbers of documents are in their column alone, and what is deleted stands in files of our own",
];

/// The format of the files that are written, and the only one that is read.
pub const FORMAT: u32 = 1 + CHANGES.len() as u32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_says_what_it_brought() {
        for (number, change) in (2..).zip(CHANGES) {
            assert!(change.starts_with(&format!("{number}: ")), "{change}");
        }
    }
}
