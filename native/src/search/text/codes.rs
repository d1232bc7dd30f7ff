//! Codes of a query that documents write in groups: `1K0698151E` for `1K0 698 151 E`.

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

/// The ways to cut a code, a word with digits, in three groups and more that documents have as words. Where these stand in a
/// row is seen when they are looked for.
pub(crate) fn groups_of(
    word: &str,
    mut is_known: impl FnMut(&str) -> Result<bool, Failure>,
) -> Result<Vec<Vec<&str>>, Failure> {
    let is_code = word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && word.bytes().any(|byte| byte.is_ascii_digit());
    if !is_code || !CODE_CHARS.contains(&word.len()) {
        return Ok(Vec::new());
    }
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
    let mut rows = Vec::new();
    if is_reached[word.len()] {
        for count in GROUPS {
            add_rows(word, &ends, count, &mut Vec::new(), &mut rows);
        }
    }
    Ok(rows)
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
    use super::groups_of;

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
    fn few_ways_are_tried() {
        let digits: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let known: Vec<&str> = digits.iter().map(String::as_str).collect();
        assert_eq!(cut("1234567891234567", &known).len(), 12);
    }
}
