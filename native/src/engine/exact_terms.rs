//! The terms of whole values: what documents are looked up by as it is, all of it in one dictionary. Each dictionary begins
//! with an empty table of a megabyte, in each small segment and in each merge, and would do so for each field.

/// What all terms of one kind begin with.
const NAME: u8 = 0;
const VALUE: u8 = 1;

/// The name of a field that a document has, or of an object around one; terms of names are ordered like the names.
pub fn name_term(name: &str) -> Vec<u8> {
    [&[NAME], name.as_bytes()].concat()
}

/// The name that a term of one says.
pub fn name_of(term: &[u8]) -> String {
    String::from_utf8_lossy(&term[1..]).into_owned()
}

/// Where the terms of names end: the smallest term behind them.
pub fn behind_names() -> [u8; 1] {
    [NAME + 1]
}

/// A value of a keyword field, which goes by its number.
pub fn value_term(field: u32, value: &str) -> Vec<u8> {
    [&[VALUE][..], &field.to_be_bytes(), value.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_term_of_one_kind_is_one_of_another() {
        let name = String::from_utf8(7_u64.to_be_bytes().to_vec()).unwrap();
        let inner = String::from_utf8([&3_u32.to_be_bytes()[..], b"x"].concat()).unwrap();
        let terms = [
            name_term(&name),
            name_term(&inner),
            value_term(3, "x"),
            value_term(4, "x"),
            value_term(3, &name),
        ];
        for (nth, term) in terms.iter().enumerate() {
            assert!(!terms[..nth].contains(term));
        }
    }

    #[test]
    fn names_stand_together_in_their_order() {
        let names = ["", "a", "a.b", "a\u{10ffff}", "b", "ä", "\u{10ffff}"];
        let terms = names.map(name_term);
        assert!(terms.is_sorted());
        assert_eq!(terms.each_ref().map(|term| name_of(term)), names);
        let last = terms.last().unwrap().as_slice();
        assert!(last < behind_names().as_slice());
        assert!(behind_names().as_slice() < value_term(0, "").as_slice());
    }
}
