//! Codes of a query that documents write in groups: `1K0698151E` for `1K0 698 151 E`, `9780140447934` for `978-0-14-044793-4`.

use std::collections::HashMap;

use crate::failure::Failure;

/// Characters of a code that is written in groups: shorter ones are cut in two at most.
const CODE_CHARS: std::ops::RangeInclusive<usize> = 7..=16;
/// Characters of the longest group.
const GROUP_MAX: usize = 8;
/// Groups of a code.
const GROUPS: std::ops::RangeInclusive<usize> = 3..=6;
/// Groups of one character: with more of them, nearly everything is cut into words that documents have.
const SINGLES_MAX: usize = 2;
/// Most ways to cut a code, those with the fewest groups first.
const ROWS_MAX: usize = 12;
/// The check digit of an ISBN of ten figures that is none.
pub(crate) const ISBN_TEN: &str = "x";
/// What an ISBN of thirteen figures begins with.
const ISBN_PREFIXES: [&str; 2] = ["978", "979"];
/// Figures of an ISBN between its prefix and its check digit, and of its three groups there: whose language or country it is,
/// whose book, and which of them.
const ISBN_FIGURES: usize = 9;
const ISBN_GROUPS: [std::ops::RangeInclusive<usize>; 2] = [1..=5, 2..=7];
/// The groups of a UUID.
const UUID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// The ways to cut a code, a word with digits, in three groups and more that documents have as words. Where these stand in a
/// row is seen when they are looked for.
pub(crate) fn groups_of(
    word: &str,
    mut is_known: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Vec<Vec<&str>>, Failure> {
    let is_code = word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit());
    if is_uuid(word) {
        let row = cut(word, UUID_GROUPS);
        return Ok(are_known(&row, &mut is_known)?
            .then_some(row)
            .into_iter()
            .collect());
    }
    if !is_code || !CODE_CHARS.contains(&word.len()) {
        return Ok(Vec::new());
    }
    let mut rows = groups_of_isbn(word, &mut is_known)?;
    // Where groups end that begin at a place that other groups lead to.
    let mut ends: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut is_reached = vec![false; word.len() + 1];
    is_reached[0] = true;
    for from in 0..word.len() {
        if !is_reached[from] {
            continue;
        }
        for to in from + 1..=word.len().min(from + GROUP_MAX) {
            if is_known(&word[from..to])? {
                ends.entry(from).or_default().push(to);
                is_reached[to] = true;
            }
        }
    }
    if is_reached[word.len()] {
        let mut others = Vec::new();
        for count in GROUPS {
            add_rows(word, &ends, count, &mut Vec::new(), &mut others);
        }
        others.retain(|row| !rows.contains(row));
        rows.extend(others);
    }
    Ok(rows)
}

/// The ways to cut an ISBN where books do, in groups that are known. A library has every number of three figures, so that the
/// fewest groups are of other numbers.
pub(crate) fn groups_of_isbn(
    word: &str,
    mut is_known: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Vec<Vec<&str>>, Failure> {
    let mut rows = Vec::new();
    if !is_isbn(word) {
        return Ok(rows);
    }
    let prefix = word.len() - ISBN_FIGURES - 1;
    let [countries, publishers] = ISBN_GROUPS;
    for country in countries {
        for publisher in publishers.clone() {
            let Some(title @ 1..) = ISBN_FIGURES.checked_sub(country + publisher) else {
                continue;
            };
            let mut row = cut(word, [prefix, country, publisher, title, 1]);
            row.retain(|group| !group.is_empty());
            if are_known(&row, &mut is_known)? {
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Whether a word is an ISBN: one of thirteen figures by what it begins with, a shorter one by its check digit.
pub(crate) fn is_isbn(word: &str) -> bool {
    if word.len() == 13 {
        let begins = ISBN_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
        return begins && word.bytes().all(|byte| byte.is_ascii_digit());
    }
    let digit = |(nth, sign): (usize, char)| match sign.to_digit(10) {
        None if nth == ISBN_FIGURES && ISBN_TEN.contains(sign) => Some(10),
        digit => digit,
    };
    let weighed = word.chars().enumerate().map(digit).zip((1..=10).rev());
    let sum = weighed
        .map(|(digit, weight)| Some(digit? * weight))
        .sum::<Option<u32>>();
    word.len() == 10 && sum.is_some_and(|sum| sum % 11 == 0)
}

fn is_uuid(word: &str) -> bool {
    word.len() == UUID_GROUPS.iter().sum::<usize>()
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Cuts a word in groups of these lengths.
fn cut<const COUNT: usize>(word: &str, lengths: [usize; COUNT]) -> Vec<&str> {
    let mut rest = word;
    let groups = lengths.iter().map(|length| {
        let (group, behind) = rest.split_at(*length);
        rest = behind;
        group
    });
    groups.collect()
}

fn are_known(
    groups: &[&str],
    is_known: &mut impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    for group in groups {
        if !is_known(group)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Adds the rows of `count` groups that begin with those that end at `cuts`.
fn add_rows<'a>(
    word: &'a str,
    ends: &HashMap<usize, Vec<usize>>,
    count: usize,
    cuts: &mut Vec<usize>,
    rows: &mut Vec<Vec<&'a str>>,
) {
    let from = cuts.last().copied().unwrap_or(0);
    let left = count - cuts.len();
    if rows.len() >= ROWS_MAX || word.len() - from > left * GROUP_MAX {
        return;
    }
    if left == 0 {
        let starts = [0].iter().chain(cuts.iter());
        let groups = starts.zip(cuts.iter()).map(|(from, to)| &word[*from..*to]);
        let groups: Vec<&str> = groups.collect();
        if groups.iter().filter(|group| group.len() == 1).count() <= SINGLES_MAX {
            rows.push(groups);
        }
        return;
    }
    for to in ends.get(&from).into_iter().flatten() {
        cuts.push(*to);
        add_rows(word, ends, count, cuts, rows);
        cuts.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::{groups_of, is_isbn};

    fn cut(word: &str, known: &[&str]) -> Vec<String> {
        let rows = groups_of(word, |group| Ok(known.contains(&group))).unwrap();
        rows.iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn a_code_is_cut_in_groups_that_are_known() {
        let known = ["1k0", "1k", "0", "698", "151", "e", "c"];
        assert_eq!(
            cut("1k0698151e", &known),
            ["1k0 698 151 e", "1k 0 698 151 e"]
        );
        assert_eq!(
            cut("0258006741", &["0", "258", "006", "741"]),
            ["0 258 006 741"]
        );
        assert!(cut("1k0698152e", &known).is_empty());
        assert!(cut("698151", &known).is_empty(), "short");
        assert!(cut("0101010", &["0", "1"]).is_empty(), "single digits");
        assert!(
            cut("notebooks", &["note", "book", "s"]).is_empty(),
            "no code"
        );
    }

    #[test]
    fn an_isbn_is_cut_where_books_do_before_all_others() {
        let groups: Vec<String> = (0..10_000).map(|n| n.to_string()).collect();
        let mut known: Vec<&str> = groups.iter().map(String::as_str).collect();
        known.extend(["44793", "044793"]);
        assert!(cut("9780140447934", &known).contains(&"978 0 14 044793 4".to_owned()));
        let only = ["978", "0", "14", "044793", "4", "x", "375", "70402"];
        assert_eq!(cut("9780140447934", &only), ["978 0 14 044793 4"]);
        assert_eq!(
            cut("0140447938", &["0", "14", "044793", "8"]),
            ["0 14 044793 8"]
        );
        assert_eq!(
            cut("097522980x", &["0", "9752298", "0", "x"]),
            ["0 9752298 0 x"]
        );
        for isbn in ["9780140447934", "0140447938", "097522980x", "9791032305690"] {
            assert!(is_isbn(isbn), "{isbn}");
        }
        for other in [
            "9770140447934",
            "0140447939",
            "x140447938",
            "4006381333931",
            "978",
            "",
        ] {
            assert!(!is_isbn(other), "{other}");
        }
    }

    #[test]
    fn a_uuid_is_cut_in_its_groups() {
        let row = "054049b7 3a03 42f2 9572 91ca7bc293b4";
        let known: Vec<&str> = row.split(' ').collect();
        let word = known.concat();
        let has = |group: &str| Ok(row.split(' ').any(|known| known == group));
        let rows = groups_of(&word, has).unwrap();
        assert_eq!(rows, [known]);
    }

    #[test]
    fn few_ways_are_tried() {
        let digits: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let known: Vec<&str> = digits.iter().map(String::as_str).collect();
        assert_eq!(cut("1234567891234567", &known).len(), 12);
    }
}
