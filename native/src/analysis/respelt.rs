//! Words with umlauts as they are spelt where a keyboard lacks these: `Mueller` for `Müller`.

/// Letters with marks, and what is typed for them.
const WRITTEN: [(char, &str); 5] = [
    ('ä', "ae"),
    ('ö', "oe"),
    ('ü', "ue"),
    ('ø', "oe"),
    ('å', "aa"),
];
/// What such spellings begin with among the words of an index. It is longer than a misspelling may be.
const MARK: &str = "\u{1}\u{1}\u{1}";

/// What tells among the words of an index that documents have a word with umlauts that is spelt so without them.
pub fn spelling(word: &str) -> String {
    format!("{MARK}{word}")
}

/// The words of a text that may have umlauts.
pub fn words_with_umlauts(text: &str) -> impl Iterator<Item = &str> {
    let may_have = |sign| is_umlaut(sign) || is_mark(sign);
    let text = if text.contains(may_have) { text } else { "" };
    let words = text.split(|sign: char| !sign.is_alphanumeric() && !is_mark(sign));
    words.filter(move |word| word.contains(may_have))
}

/// Whether a sign is one of these letters, or its capital.
fn is_umlaut(sign: char) -> bool {
    matches!(
        sign,
        'ä' | 'ö' | 'ü' | 'ø' | 'å' | 'Ä' | 'Ö' | 'Ü' | 'Ø' | 'Å'
    )
}

/// Whether a sign stands within words: the marks of umlauts where these are two signs, and a soft hyphen.
fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{308}' | '\u{30a}' | '\u{ad}')
}

/// A word in lower case, if it has umlauts, as it is spelt without them.
pub fn respelt(word: &str) -> Option<String> {
    let of = |letter| WRITTEN.iter().find(|(written, _)| *written == letter);
    let has_any = !word.is_ascii() && word.chars().any(|letter| of(letter).is_some());
    let mut out = String::with_capacity(word.len() + 2);
    for letter in word.chars().filter(|_| has_any) {
        match of(letter) {
            Some((_, typed)) => out.push_str(typed),
            None => out.push(letter),
        }
    }
    has_any.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{respelt, words_with_umlauts};

    #[test]
    fn words_have_umlauts_in_one_sign_or_in_two() {
        let words = |text| words_with_umlauts(text).collect::<Vec<_>>();
        assert_eq!(words("Frau Müller, ÖBB: Åse"), ["Müller", "ÖBB", "Åse"]);
        assert_eq!(words("Herr Mu\u{308}ller"), ["Mu\u{308}ller"]);
        assert!(words("L'été à Nice").is_empty() && words("Mueller").is_empty());
    }

    #[test]
    fn an_umlaut_may_be_typed_as_two_letters() {
        assert_eq!(respelt("müller").as_deref(), Some("mueller"));
        assert_eq!(respelt("ålesund").as_deref(), Some("aalesund"));
        assert_eq!(respelt("été"), None);
        assert_eq!(respelt("shoes"), None);
    }
}
