//! The parts of a query: plain words and quoted phrases.

/// A stretch of the query: plain words, or a phrase.
#[derive(Debug, PartialEq)]
pub struct Part<'a> {
    /// The stretch, without its quotes.
    pub text: &'a str,
    /// Whether it stood in quotes.
    pub phrase: bool,
}

/// Splits a query at its quoted phrases. A quote without a partner is no quote.
pub fn parts_of(query: &str, whole: bool) -> Vec<Part<'_>> {
    if whole {
        let text = query.trim().trim_matches('"');
        return vec![Part { text, phrase: true }];
    }
    let mut parts = Vec::new();
    let mut rest = query;
    while let Some(open) = rest.find('"') {
        let Some(length) = rest[open + 1..].find('"') else {
            break;
        };
        push_part(&mut parts, &rest[..open], false);
        push_part(&mut parts, &rest[open + 1..open + 1 + length], true);
        rest = &rest[open + length + 2..];
    }
    push_part(&mut parts, rest, false);
    parts
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
    fn a_quote_without_a_partner_is_no_quote() {
        assert_eq!(split(r#"5" disk"#), [(r#"5" disk"#, false)]);
        assert_eq!(split(r#""""#), []);
    }
}
