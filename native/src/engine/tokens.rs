//! Terms of a text on their way into the text index. A document is analysed once, where its vector's
//! terms are counted too; the writer of the index gets the terms in a row and only takes them apart.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer, MAX_TOKEN_LEN};

/// A number is written in digits of so many bits; a digit is a character, with a mark when more follow.
const DIGIT_BITS: u32 = 14;
const MORE: u32 = 1 << DIGIT_BITS;

/// Terms in a row: of each the words since the last one, its length in bytes, and itself.
#[derive(Default)]
pub struct Row {
    written: String,
    position: usize,
    from: usize,
}

impl Row {
    /// A row whose first place is not 0.
    pub fn beginning_at(from: usize) -> Row {
        Row {
            from,
            ..Row::default()
        }
    }

    /// Adds a term at its place; places never go back. Terms that are too long for the index are left out.
    pub fn push(&mut self, position: usize, term: &str) {
        if term.len() > MAX_TOKEN_LEN {
            return;
        }
        let position = position.saturating_add(self.from);
        write_number(position.saturating_sub(self.position), &mut self.written);
        self.position = self.position.max(position);
        write_number(term.len(), &mut self.written);
        self.written.push_str(term);
    }

    /// What `RowTokenizer` reads.
    pub fn into_text(self) -> String {
        self.written
    }
}

fn write_number(number: usize, out: &mut String) {
    let mut rest = number;
    loop {
        let digit = rest as u32 % MORE;
        rest >>= DIGIT_BITS;
        let more = if rest > 0 { MORE } else { 0 };
        // Every number below 2^15 is a character.
        out.push(char::from_u32(digit | more).unwrap_or_default());
        if rest == 0 {
            return;
        }
    }
}

/// Takes a `Row` apart.
#[derive(Clone, Default)]
pub struct RowTokenizer {
    token: Token,
}

impl Tokenizer for RowTokenizer {
    type TokenStream<'a> = RowStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> RowStream<'a> {
        self.token.reset();
        self.token.position = 0;
        RowStream {
            rest: text,
            token: &mut self.token,
        }
    }
}

/// The stream of `RowTokenizer`; text that is no row ends it.
pub struct RowStream<'a> {
    rest: &'a str,
    token: &'a mut Token,
}

impl RowStream<'_> {
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for place in 0..usize::BITS.div_ceil(DIGIT_BITS) {
            let digit = self.rest.chars().next()?;
            self.rest = &self.rest[digit.len_utf8()..];
            number |= (digit as usize % MORE as usize) << (place * DIGIT_BITS);
            if (digit as u32) < MORE {
                break;
            }
        }
        Some(number)
    }

    fn next(&mut self) -> Option<()> {
        let gap = self.number()?;
        let length = self.number()?;
        let (term, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        self.token.position = self.token.position.saturating_add(gap);
        self.token.text.clear();
        self.token.text.push_str(term);
        Some(())
    }
}

impl TokenStream for RowStream<'_> {
    fn advance(&mut self) -> bool {
        self.next().is_some()
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, String)> {
        let mut tokenizer = RowTokenizer::default();
        let mut stream = tokenizer.token_stream(text);
        let mut read = Vec::new();
        while stream.advance() {
            read.push((stream.token().position, stream.token().text.clone()));
        }
        read
    }

    #[test]
    fn a_row_may_begin_behind_another_one() {
        let mut row = Row::beginning_at(256);
        row.push(0, "a");
        row.push(2, "b");
        let expected = [(256, "a".to_owned()), (258, "b".to_owned())];
        assert_eq!(read(&row.into_text()), expected);
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let long = "é".repeat(30_000);
        let mut terms: Vec<(usize, &str)> = vec![(0, "a"), (0, "ab"), (3, ""), (3, "two words\n")];
        terms.extend([
            (127, "x"),
            (128 + 127, "y"),
            (20_000, "\u{0}"),
            (20_000, &long),
        ]);
        terms.extend([(1 << 30, "stone"), (1 << 40, "дом")]);
        let mut row = Row::default();
        for (position, term) in &terms {
            row.push(*position, term);
        }
        let read = read(&row.into_text());
        let read: Vec<_> = read.iter().map(|(at, term)| (*at, term.as_str())).collect();
        assert_eq!(read, terms);
    }

    #[test]
    fn what_the_index_does_not_take_is_left_out() {
        let mut row = Row::default();
        row.push(0, &"a".repeat(MAX_TOKEN_LEN));
        row.push(1, &"a".repeat(MAX_TOKEN_LEN + 1));
        row.push(2, "b");
        let lengths = read(&row.into_text()).into_iter();
        let lengths: Vec<_> = lengths.map(|(at, term)| (at, term.len())).collect();
        assert_eq!(lengths, [(0, MAX_TOKEN_LEN), (2, 1)]);
    }

    #[test]
    fn no_row_is_no_terms() {
        assert_eq!(read(""), []);
        assert_eq!(read("\u{0}\u{9}short"), []);
        assert_eq!(read("\u{0}\u{1}é"), []);
        assert_eq!(read(&"\u{7fff}".repeat(9)), []);
    }
}
