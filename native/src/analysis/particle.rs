//! Verbs with a particle that are a noun in one word, of which texts keep only the verb, as the particle is a stop word: `log in`
//! is `login`, too, and `in-ear` `inear`.

use crate::analysis::term::OneWord;

/// Particles that are stop words, with the verbs that are a noun together with them, also where a space stands between: other
/// verbs have them behind them by chance.
const VERBS: [(&str, &[&str]); 3] = [
    (
        "in",
        &[
            "break", "built", "buy", "check", "clip", "clock", "dial", "drive", "drop", "lock",
            "log", "opt", "plug", "sign", "trade", "walk",
        ],
    ),
    (
        "on",
        &[
            "add", "carry", "clip", "hands", "iron", "log", "roll", "sign", "slip", "stick",
        ],
    ),
    ("by", &["drive", "fly", "lay", "stand"]),
];
/// How a particle is written that another word is one with, or a noun of several things: `log into`, `plug-ins`.
const WRITTEN: [(&str, &str, &str); 4] = [
    ("into", "in", "in"),
    ("onto", "on", "on"),
    ("ins", "in", "ins"),
    ("ons", "on", "ons"),
];
/// What verbs may have behind them.
const ENDINGS: [&str; 4] = ["", "s", "ed", "ing"];
/// Stop words that are one word with any other that a hyphen parts from them, before it and behind it.
const BEFORE: [&str; 5] = ["by", "in", "no", "on", "to"];
const BEHIND: [&str; 3] = ["by", "in", "on"];
/// Letters of the longest word beside a hyphen.
const LETTERS_MAX: usize = 16;

/// What of a text is one word elsewhere, in its order.
pub fn particles(text: &str) -> impl Iterator<Item = OneWord> + '_ {
    let mut free = 0;
    let joints = text.as_bytes().iter().enumerate();
    let joints = joints.filter(|(_, byte)| matches!(byte, b' ' | b'-'));
    joints.filter_map(move |(at, _)| {
        let found = one_word_at(text, at).filter(|found| found.range.start >= free)?;
        free = found.range.end;
        Some(found)
    })
}

/// The word that those beside a space or a hyphen are together.
fn one_word_at(text: &str, at: usize) -> Option<OneWord> {
    let bytes = text.as_bytes();
    let is_hyphen = bytes[at] == b'-';
    // Nearly all words are no particle, most by their first letter: more looks would make a load a tenth slower.
    let first = bytes.get(at + 1)?.to_ascii_lowercase();
    if !is_hyphen && !matches!(first, b'b' | b'i' | b'o') {
        return None;
    }
    let to = at + 1 + letters(bytes[at + 1..].iter());
    let behind = &text[at + 1..to];
    if !is_hyphen && particle_of(behind).is_none() {
        return None;
    }
    let from = at.checked_sub(letters(bytes[..at].iter().rev()))?;
    let before = &text[from..at];
    let lengths = 1..=LETTERS_MAX;
    if !lengths.contains(&before.len()) || !lengths.contains(&behind.len()) {
        return None;
    }
    let around = [text[..from].chars().next_back(), text[to..].chars().next()];
    if around.into_iter().flatten().any(is_joined) {
        return None;
    }
    let letters = noun_of(before, behind).or_else(|| {
        let has_one = is_among(&BEFORE, before) != is_among(&BEHIND, behind);
        (is_hyphen && has_one).then(|| [before, behind].concat().to_ascii_lowercase())
    })?;
    Some(OneWord {
        range: from..to,
        letters,
    })
}

fn is_among(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The particle that a word is, and how it ends the noun.
fn particle_of(word: &str) -> Option<(&'static str, &'static str)> {
    if !(2..=4).contains(&word.len()) {
        return None;
    }
    let plain = VERBS
        .iter()
        .map(|(particle, _)| (*particle, *particle, *particle));
    let mut all = plain.chain(WRITTEN);
    let (_, particle, end) = all.find(|(written, ..)| written.eq_ignore_ascii_case(word))?;
    Some((particle, end))
}

/// How many letters of A to Z some bytes begin with, as far as that matters.
fn letters<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    let letters = bytes.take_while(|byte| byte.is_ascii_alphabetic());
    letters.take(LETTERS_MAX + 1).count()
}

/// Whether a sign beside a word belongs to it, or joins it with others.
fn is_joined(sign: char) -> bool {
    sign.is_alphanumeric() || "-'’_".contains(sign)
}

/// The noun that a verb is with what stands behind it, whatever ending the verb has.
fn noun_of(verb: &str, behind: &str) -> Option<String> {
    let (particle, end) = particle_of(behind)?;
    let (_, verbs) = VERBS.iter().find(|(known, _)| *known == particle)?;
    let verb = verbs.iter().find(|known| is_form(verb, known))?;
    Some(format!("{verb}{end}"))
}

/// Whether a word is a verb with one of its endings, before which its last letter may be doubled.
fn is_form(word: &str, verb: &str) -> bool {
    let Some((stem, ending)) = word.split_at_checked(verb.len()) else {
        return false;
    };
    let last = &verb[verb.len() - 1..];
    let doubled = ending
        .get(..1)
        .filter(|letter| letter.eq_ignore_ascii_case(last));
    stem.eq_ignore_ascii_case(verb)
        && (is_among(&ENDINGS, ending)
            || doubled.is_some_and(|_| is_among(&ENDINGS[2..], &ending[1..])))
}

#[cfg(test)]
mod tests {
    use super::particles;

    fn found(text: &str) -> Vec<(&str, String)> {
        let all = particles(text).map(|found| (&text[found.range], found.letters));
        all.collect()
    }

    #[test]
    fn verbs_are_nouns_with_their_particles() {
        for (text, range, letters) in [
            ("How to log in", "log in", "login"),
            ("Log in, please", "Log in", "login"),
            ("(sign-in)", "sign-in", "signin"),
            ("trouble logging in to it", "logging in", "login"),
            ("logs into it", "logs into", "login"),
            ("Plug-Ins", "Plug-Ins", "plugins"),
            ("an add on", "add on", "addon"),
            ("In-Ear phones", "In-Ear", "inear"),
            ("a to-do list", "to-do", "todo"),
            ("no-frost", "no-frost", "nofrost"),
            ("the check-in", "check-in", "checkin"),
        ] {
            assert_eq!(found(text), [(range, letters.to_owned())], "{text}");
        }
        let two = found("log in or sign on");
        assert_eq!(
            two,
            [("log in", "login".into()), ("sign on", "signon".into())]
        );
    }

    #[test]
    fn others_are_not() {
        for text in [
            "a look in it",
            "in-on",
            "all-in-one",
            "catalog in print",
            "log inside",
            "log in-house-made",
            "élog in",
            "don't-in",
            "day-to-day",
            "wi-fi",
            "logical in",
            "-in",
            "log ",
            "log-",
            "",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
