//! The parts of a query: plain words and quoted phrases.

/// A stretch of the query: plain words, or a phrase.
#[derive(Debug, PartialEq)]
pub struct Part<'a> {
    /// The stretch, without its quotes.
    pub text: &'a str,
    /// Whether it stood in quotes.
    pub phrase: bool,
}

/// Quotes as keyboards give them, and full-width ones.
const STRAIGHT: [char; 2] = ['"', '\u{ff02}'];
/// Quotes as phones and word processors set them. Languages disagree about which one opens (“a”, „a“, «a», »a«).
const CURLY: [char; 6] = ['“', '”', '„', '‟', '«', '»'];

/// Splits a query at its quoted phrases. A quote without a partner is no quote.
pub fn parts_of(query: &str, whole: bool) -> Vec<Part<'_>> {
    if whole {
        let text = query.trim().trim_matches(is_quote);
        return vec![Part { text, phrase: true }];
    }
    let mut parts = Vec::new();
    let mut rest = query;
    while let Some((before, inside, after)) = quoted(rest) {
        push_part(&mut parts, before, false);
        push_part(&mut parts, inside, true);
        rest = after;
    }
    push_part(&mut parts, rest, false);
    parts
}

/// The first quoted stretch, with what stands before and behind it.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices(is_quote).find_map(|(open, mark)| {
        let straight = mark.chars().all(|sign| STRAIGHT.contains(&sign));
        let partners: &[char] = if straight { &STRAIGHT } else { &CURLY };
        let behind = &text[open + mark.len()..];
        let (inside, after) = behind.split_once(partners)?;
        Some((&text[..open], inside, after))
    })
}

fn is_quote(sign: char) -> bool {
    STRAIGHT.contains(&sign) || CURLY.contains(&sign)
}

fn push_part<'a>(parts: &mut Vec<Part<'a>>, text: &'a str, phrase: bool) {
    if !text.trim().is_empty() {
        parts.push(Part { text, phrase });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(query: &str) -> Vec<(&str, bool)> {
        parts_of(query, false)
            .into_iter()
            .map(|part| (part.text, part.phrase))
            .collect()
    }

    #[test]
    fn quoted_parts_are_phrases() {
        assert_eq!(
            split(r#"a "b c" d"#),
            [("a ", false), ("b c", true), (" d", false)]
        );
    }

    #[test]
    fn quotes_of_phones_and_other_languages_are_quotes() {
        for query in [
            "a “b c” d",
            "a „b c“ d",
            "a «b c» d",
            "a »b c« d",
            "a ＂b c＂ d",
        ] {
            assert_eq!(split(query), [("a ", false), ("b c", true), (" d", false)]);
        }
        assert_eq!(
            split(r#"5" disk “b c”"#),
            [(r#"5" disk "#, false), ("b c", true)]
        );
        assert_eq!(parts_of("“b c”", true)[0].text, "b c");
    }

    #[test]
    fn a_quote_without_a_partner_is_no_quote() {
        assert_eq!(split(r#"5" disk"#), [(r#"5" disk"#, false)]);
        assert_eq!(split("5” disk"), [("5” disk", false)]);
        assert_eq!(split(r#""""#), []);
    }
}
