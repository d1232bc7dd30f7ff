//! Where words begin and end.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::char::is_combining_mark;

use crate::analysis::compose::{compose, is_cyrillic, SOFT_HYPHEN};
use crate::analysis::emoji::{boxed_at, emoji_at, fold, Boxed, KEYCAP};

/// Splits text into words: runs of letters, digits and marks, and runs of katakana. `3.14` and `1,000` stay whole,
/// `don't` and `комп'ютер` too, the `'s` of a possessive is left out, and each ideograph, each emoji and each syllable of the
/// scripts that put no spaces between words is a word of its own. Accented letters are composed; soft hyphens, and selectors
/// and skin tones of emoji, are left out.
#[derive(Clone, Default)]
pub struct WordTokenizer {
    token: Token,
}

/// Splits text into runs of letters.
#[derive(Clone, Default)]
pub struct LetterTokenizer {
    token: Token,
}

/// Splits text into words and each word into pieces of `min` to `max` characters: all of them, or only those at its
/// beginning. All pieces of a word have the word's position. Chinese and Japanese characters that stand side by side are
/// one word here, and so are syllables of Thai and its like. An emoji is one piece, however few characters it has, and so
/// is a word of those that is shorter than `min`.
#[derive(Clone)]
pub struct GramTokenizer {
    min: usize,
    max: usize,
    edge: bool,
    token: Token,
}

impl GramTokenizer {
    /// Pieces at every place of a word.
    pub fn all(min: usize, max: usize) -> Self {
        GramTokenizer::new(min, max, false)
    }

    /// Pieces at the beginning of a word.
    pub fn edge(min: usize, max: usize) -> Self {
        GramTokenizer::new(min, max, true)
    }

    fn new(min: usize, max: usize, edge: bool) -> Self {
        GramTokenizer {
            min,
            max,
            edge,
            token: Token::default(),
        }
    }
}

/// Where a word stands.
struct Span {
    from: usize,
    to: usize,
    /// Where to go on.
    next: usize,
    is_emoji: bool,
}

impl Span {
    fn word(from: usize, to: usize, next: usize) -> Span {
        Span {
            from,
            to,
            next,
            is_emoji: false,
        }
    }

    fn emoji(from: usize, to: usize, next: usize) -> Span {
        Span {
            from,
            to,
            next,
            is_emoji: true,
        }
    }
}

/// Finds the next word at or after an offset.
type Next = fn(&str, usize) -> Option<Span>;

/// The stream of `WordTokenizer` and `LetterTokenizer`.
pub struct SpanStream<'a> {
    text: &'a str,
    at: usize,
    next: Next,
    token: &'a mut Token,
}

impl<'a> SpanStream<'a> {
    fn new(text: &'a str, next: Next, token: &'a mut Token) -> Self {
        token.reset();
        SpanStream {
            text,
            at: 0,
            next,
            token,
        }
    }
}

impl TokenStream for SpanStream<'_> {
    fn advance(&mut self) -> bool {
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1);
        match (self.next)(self.text, self.at) {
            None => false,
            Some(span) => {
                self.at = span.next;
                self.token.offset_from = span.from;
                self.token.offset_to = span.to;
                self.token.text.push_str(&self.text[span.from..span.to]);
                if span.is_emoji {
                    fold(&mut self.token.text);
                } else {
                    compose(&mut self.token.text);
                }
                true
            }
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

impl Tokenizer for WordTokenizer {
    type TokenStream<'a> = SpanStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpanStream<'a> {
        SpanStream::new(text, next_word, &mut self.token)
    }
}

impl Tokenizer for LetterTokenizer {
    type TokenStream<'a> = SpanStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> SpanStream<'a> {
        SpanStream::new(text, next_letters, &mut self.token)
    }
}

impl Tokenizer for GramTokenizer {
    type TokenStream<'a> = GramStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> GramStream<'a> {
        self.token.reset();
        GramStream {
            min: self.min,
            max: self.max,
            edge: self.edge,
            text,
            at: 0,
            bounds: Vec::new(),
            first: 0,
            length: 0,
            is_emoji: false,
            token: &mut self.token,
        }
    }
}

/// The stream of `GramTokenizer`.
pub struct GramStream<'a> {
    min: usize,
    max: usize,
    edge: bool,
    text: &'a str,
    at: usize,
    /// Offsets of the characters of the current word, and its end.
    bounds: Vec<usize>,
    first: usize,
    length: usize,
    is_emoji: bool,
    token: &'a mut Token,
}

impl TokenStream for GramStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            let characters = self.bounds.len().saturating_sub(1);
            let begin = self.first;
            if self.length <= self.max && begin + self.length <= characters && self.length > 0 {
                let (from, to) = (self.bounds[begin], self.bounds[begin + self.length]);
                self.token.text.clear();
                self.token.text.push_str(&self.text[from..to]);
                if self.is_emoji {
                    fold(&mut self.token.text);
                }
                self.token.offset_from = from;
                self.token.offset_to = to;
                self.length += 1;
                return true;
            }
            if !self.edge && begin + 1 + self.min <= characters {
                self.first += 1;
                self.length = self.min;
                continue;
            }
            let Some(span) = next_run(self.text, self.at) else {
                return false;
            };
            let (from, to) = (span.from, span.to);
            self.at = span.next;
            self.token.position = self.token.position.wrapping_add(1);
            self.bounds.clear();
            let word = &self.text[from..to];
            self.is_emoji = span.is_emoji;
            if self.is_emoji {
                self.bounds.push(from);
                self.length = 1;
            } else {
                self.bounds
                    .extend(word.char_indices().map(|(i, _)| from + i));
                let is_short = self.bounds.len() < self.min;
                self.length = if is_short && word.starts_with(is_unspaced) {
                    self.bounds.len().min(self.max)
                } else {
                    self.min
                };
            }
            self.bounds.push(to);
            self.first = 0;
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Says in Burmese that the letter before ends a syllable.
const VOWEL_KILLER: char = '\u{103A}';

fn char_at(text: &str, at: usize) -> Option<char> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 128 {
        return Some(byte as char);
    }
    text[at..].chars().next()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && (c.is_alphanumeric() || is_mark(c)))
}

/// Combining marks and the joiners that stand inside words: vowel signs, and what takes a vowel away, of all scripts.
/// Not selectors, which are no part of a word.
fn is_mark(c: char) -> bool {
    match c as u32 {
        0..=0x02FF => false,
        0x200C..=0x200D => true,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF => false,
        _ => is_combining_mark(c),
    }
}

/// Characters that are words by themselves: Chinese characters and Japanese syllables.
pub fn is_ideograph(c: char) -> bool {
    let code = c as u32;
    code >= 0x3040
        && matches!(code,
            0x3040..=0x3096 | 0x309B..=0x309F | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
            | 0x20000..=0x3FFFF)
}

/// Katakana, of full or half width, with the signs that stand inside their words.
pub fn is_katakana(c: char) -> bool {
    let code = c as u32;
    code >= 0x3099
        && matches!(code,
            0x3099..=0x309A | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF
            | 0xFF66..=0xFF9F)
}

/// Letters and marks of Thai, Lao, Burmese and Khmer, which put no spaces between words.
fn is_syllabic(c: char) -> bool {
    let code = c as u32;
    code >= 0x0E01
        && matches!(code,
            0x0E01..=0x0E3E | 0x0E40..=0x0E4E | 0x0E81..=0x0ECF | 0x0EDC..=0x0EDF
            | 0x1000..=0x103F | 0x1050..=0x108F | 0x109A..=0x109D
            | 0x1780..=0x17D3 | 0x17D7 | 0x17DC..=0x17DD)
}

/// Whether a word that begins so is a piece of a script without spaces, of which a word as people count them has several.
pub fn stands_alone(c: char) -> bool {
    is_ideograph(c) || is_syllabic(c)
}

/// Where the syllable ends that begins with one of these: vowels that are written before or behind a letter go with it,
/// as marks do, and letters that stand below another one or, in Burmese, have no vowel.
///
/// Not always a whole syllable as it is spoken: where a letter says no vowel, only a dictionary knows to which it belongs.
/// What matters is that a text and a query are cut alike, wherever their words begin.
fn syllable_end(text: &str, mut at: usize) -> usize {
    // A vowel that is written before its letter; a letter that is to stand below the one before.
    let leads = |c: char| matches!(c as u32, 0x0E40..=0x0E44 | 0x0EC0..=0x0EC4 | 0x1039 | 0x17D2);
    let trails = |c: char| {
        is_combining_mark(c)
            || matches!(c as u32, 0x0E30 | 0x0E32..=0x0E33 | 0x0E45..=0x0E46
                | 0x0EB0 | 0x0EB2..=0x0EB3 | 0x0EBD | 0x0EC6 | 0x17D7)
    };
    let mut is_led = true;
    while let Some(c) = char_at(text, at).filter(|c| is_syllabic(*c)) {
        let after = at + c.len_utf8();
        let is_closing = char_at(text, after) == Some(VOWEL_KILLER);
        if !is_led && !trails(c) && !is_closing {
            break;
        }
        is_led = leads(c);
        at = after;
    }
    at
}

/// Where the marks end that are written behind a letter for itself, as in file names of some systems (`か\u{3099}`).
fn voiced_end(text: &str, mut at: usize) -> usize {
    while char_at(text, at).is_some_and(|c| matches!(c as u32, 0x3099..=0x309A)) {
        at += 3;
    }
    at
}

/// What comes first.
enum Start {
    /// Where a word begins.
    Word(usize),
    Emoji(Span),
}

fn next_start(text: &str, mut at: usize) -> Option<Start> {
    loop {
        let c = char_at(text, at)?;
        let after = at + c.len_utf8();
        if c == KEYCAP {
            match boxed_at(text, at) {
                None => return Some(Start::Word(at)),
                Some(Boxed::Sign(from)) => {
                    return Some(Start::Emoji(Span::emoji(from, after, after)))
                }
                Some(Boxed::Digit) => {}
            }
        } else if is_word(c) {
            return Some(Start::Word(at));
        } else if !c.is_ascii() {
            if let Some((end, next)) = emoji_at(text, at) {
                return Some(Start::Emoji(Span::emoji(at, end, next)));
            }
        }
        at = after;
    }
}

fn next_word(text: &str, at: usize) -> Option<Span> {
    let from = match next_start(text, at)? {
        Start::Word(from) => from,
        Start::Emoji(span) => return Some(span),
    };
    let mut at = from;
    let mut last = ' ';
    let of_katakana = char_at(text, from).is_some_and(is_katakana);
    while let Some(c) = char_at(text, at) {
        if is_ideograph(c) {
            let end = if at == from {
                voiced_end(text, from + c.len_utf8())
            } else {
                at
            };
            return Some(Span::word(from, end, end));
        }
        if is_syllabic(c) {
            let end = if at == from {
                syllable_end(text, from)
            } else {
                at
            };
            return Some(Span::word(from, end, end));
        }
        if c == SOFT_HYPHEN {
            at += c.len_utf8();
            continue;
        }
        if is_word(c) {
            // Nothing else stands between the words of `USBケーブル`.
            if (c == KEYCAP && last.is_ascii_digit()) || is_katakana(c) != of_katakana {
                break;
            }
            last = c;
            at += c.len_utf8();
            continue;
        }
        let after = at + c.len_utf8();
        match c {
            '.' | ',' if last.is_ascii_digit() => match char_at(text, after) {
                Some(next) if next.is_ascii_digit() => at = after,
                _ => break,
            },
            '\'' | '\u{2019}' if is_cyrillic(last) => match char_at(text, after) {
                Some(next) if is_cyrillic(next) => at = after,
                _ => break,
            },
            '\'' | '\u{2019}' if last.is_alphabetic() => {
                let (to, next) = shortened_end(text, at, after);
                return Some(Span::word(from, to, next));
            }
            _ => break,
        }
    }
    Some(Span::word(from, at, at))
}

/// Where a word before an apostrophe ends, and where the text goes on: `dog's` is `dog`, `don't` is one word.
fn shortened_end(text: &str, apostrophe: usize, after: usize) -> (usize, usize) {
    let end = run_end(text, after);
    match &text[after..end] {
        "s" | "S" => (apostrophe, end),
        "t" | "ll" | "ve" | "re" | "d" | "m" | "T" | "LL" | "VE" | "RE" | "D" | "M" => (end, end),
        _ => (apostrophe, apostrophe),
    }
}

/// The next word, or the next row of those that are written without spaces between them.
fn next_run(text: &str, at: usize) -> Option<Span> {
    let mut span = next_word(text, at)?;
    if span.is_emoji || !text[span.from..span.to].ends_with(is_unspaced) {
        return Some(span);
    }
    while char_at(text, span.next).is_some_and(is_unspaced) {
        let Some(more) = next_word(text, span.next) else {
            break;
        };
        (span.to, span.next) = (more.to, more.next);
    }
    Some(span)
}

/// Characters of words that have no spaces between them: Chinese and Japanese ones, katakana and the sign of a long
/// vowel among them, and those of Thai and its like.
fn is_unspaced(c: char) -> bool {
    is_ideograph(c) || is_katakana(c) || is_syllabic(c)
}

fn run_end(text: &str, mut at: usize) -> usize {
    while let Some(c) = char_at(text, at).filter(|c| is_word(*c)) {
        at += c.len_utf8();
    }
    at
}

fn next_letters(text: &str, mut at: usize) -> Option<Span> {
    let from = loop {
        let c = char_at(text, at)?;
        if c.is_alphabetic() {
            break at;
        }
        at += c.len_utf8();
    };
    let stands_inside = |c: &char| c.is_alphabetic() || is_mark(*c) || *c == SOFT_HYPHEN;
    while let Some(c) = char_at(text, at).filter(stands_inside) {
        at += c.len_utf8();
    }
    Some(Span::word(from, at, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens<T: Tokenizer>(mut tokenizer: T, text: &str) -> Vec<(String, usize)> {
        let mut stream = tokenizer.token_stream(text);
        let mut out = Vec::new();
        while stream.advance() {
            let token = stream.token();
            assert!(text.is_char_boundary(token.offset_from));
            assert!(text.is_char_boundary(token.offset_to));
            out.push((token.text.clone(), token.position));
        }
        out
    }

    fn words(text: &str) -> Vec<String> {
        let found = tokens(WordTokenizer::default(), text);
        for (i, (_, position)) in found.iter().enumerate() {
            assert_eq!(i, *position);
        }
        found.into_iter().map(|t| t.0).collect()
    }

    #[test]
    fn words_are_split_as_people_read_them() {
        assert_eq!(words("Hello, tax payer!"), ["Hello", "tax", "payer"]);
        assert_eq!(words("3.14 1,000. v2.x"), ["3.14", "1,000", "v2", "x"]);
        assert_eq!(
            words("don't the author’s l'avion"),
            ["don't", "the", "author", "l", "avion"]
        );
        assert_eq!(
            words("node.js snake_case wi-fi"),
            ["node", "js", "snake", "case", "wi", "fi"]
        );
        assert_eq!(words("東京tower はな"), ["東", "京", "tower", "は", "な"]);
        assert_eq!(
            words("USBケーブル 5GルーターとTシャツ"),
            ["USB", "ケーブル", "5G", "ルーター", "と", "T", "シャツ"]
        );
        assert_eq!(words("ﾊﾟｽﾜｰﾄﾞ2"), ["パスワード", "2"]);
        assert_eq!(
            words("ハ\u{309A}スか\u{3099}3.5ワット"),
            ["パス", "が", "3.5", "ワット"]
        );
        assert_eq!(words("e\u{301}te\u{301} हिन्दी"), ["\u{e9}t\u{e9}", "हिन्दी"]);
        assert_eq!(words(""), Vec::<String>::new());
        assert_eq!(words("'' . ,5."), ["5"]);
    }

    #[test]
    fn marks_of_all_scripts_stand_inside_words() {
        // Telugu, Kannada, Malayalam, Gujarati, Punjabi, Odia, Sinhala, Bengali, Maldivian, Syriac, Hebrew, Arabic.
        let text = "స్వాగతం ಕನ್ನಡ മലയാളത്തിൽ વિદ્યાર્થી ਸਿੱਖ਼ ଓଡ଼ିଶାର୍ සිංහල් বিশ্ব ދިވެހި ܫܠܡ\u{730}ܐ שָׁלוֹם ٱلرَّحْمَـٰنِ";
        let expected: Vec<_> = text.split(' ').collect();
        assert_eq!(words(text).len(), expected.len());
        for word in expected {
            assert_eq!(words(word), words(&format!("({word})")));
            assert_eq!(words(word).len(), 1);
        }
        // A selector says which form of a character is shown.
        assert_eq!(words("葛\u{E0100}城 a\u{FE0F}"), ["葛", "城", "a"]);
    }

    #[test]
    fn syllables_are_words_where_no_spaces_stand_between_words() {
        assert_eq!(
            words("ภาษาไทย2เล่ม"),
            ["ภา", "ษา", "ไท", "ย", "2", "เล่", "ม"]
        );
        assert_eq!(
            words("ที่น้ำ เปิดWi-Fiได้๒๕"),
            ["ที่", "น้ำ", "เปิ", "ด", "Wi", "Fi", "ได้", "๒๕"]
        );
        assert_eq!(words("ພາສາລາວ"), ["ພາ", "ສາ", "ລາ", "ວ"]);
        assert_eq!(words("ភាសាខ្មែរ"), ["ភា", "សា", "ខ្មែ", "រ"]);
        assert_eq!(
            words("မြန်မာဘာသာ၊ အက္ခရာ"),
            ["မြန်", "မာ", "ဘာ", "သာ", "အ", "က္ခ", "ရာ"]
        );
        // What stands alone or ends too soon is a word, too, and nothing is left behind.
        assert_eq!(
            words("เ \u{E31} \u{17D2}\u{1780} ไ"),
            ["เ", "\u{E31}", "\u{17D2}\u{1780}", "ไ"]
        );
        let grams = tokens(GramTokenizer::all(3, 3), "ไทย กา");
        let expected = [("ไทย", 0), ("กา", 1)];
        assert_eq!(grams, expected.map(|(t, p)| (t.to_owned(), p)));
    }

    #[test]
    fn a_hyphen_that_is_seen_only_where_a_line_ends_is_no_letter() {
        assert_eq!(words("Donau\u{AD}dampf\u{AD}schiff"), ["Donaudampfschiff"]);
        assert_eq!(words("\u{AD} \u{AD}so\u{AD} 3.\u{AD}5"), ["so", "3", "5"]);
        let letters = tokens(LetterTokenizer::default(), "so\u{AD}ft \u{AD}");
        assert_eq!(letters, [("soft".to_owned(), 0)]);
        let mut tokenizer = WordTokenizer::default();
        let mut stream = tokenizer.token_stream("so\u{AD}ft");
        assert!(stream.advance());
        assert_eq!(
            (stream.token().offset_from, stream.token().offset_to),
            (0, 6)
        );
    }

    #[test]
    fn an_apostrophe_between_cyrillic_letters_is_part_of_the_word() {
        let written = "комп'ютер комп’ютер компʼютер компютер 'м'ята' б'";
        let [computer, mint] = ["компютер", "мята"];
        assert_eq!(
            words(written),
            [computer, computer, computer, computer, mint, "б"]
        );
    }

    #[test]
    fn each_emoji_is_a_word_of_its_own() {
        assert_eq!(words("hot🍕🍕pizza 🌶!"), ["hot", "🍕", "🍕", "pizza", "🌶"]);
        assert_eq!(words("★★☆ ✓done ⭐"), ["★", "★", "☆", "✓", "done", "⭐"]);
        let family = "👨\u{200D}👩\u{200D}👧";
        assert_eq!(words(&format!("my {family}s")), ["my", family, "s"]);
        assert_eq!(words("🏳️‍🌈🏳"), ["🏳\u{200D}🌈", "🏳"]);
        assert_eq!(words("🇩🇪🇫🇷 🇺"), ["🇩🇪", "🇫🇷", "🇺"]);
        let wales = "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
        assert_eq!(words(&format!("{wales}{wales}")), [wales, wales]);
        // A joiner that joins nothing belongs to no word.
        assert_eq!(words("🍕\u{200D}a"), ["🍕", "a"]);
    }

    #[test]
    fn how_an_emoji_is_shown_is_left_out() {
        assert_eq!(words("❤️ ❤ ❤\u{FE0E}"), ["❤", "❤", "❤"]);
        assert_eq!(words("👍🏽 👍 👍🏿"), ["👍", "👍", "👍"]);
        let cook = "👩\u{200D}🍳";
        assert_eq!(words("👩🏾\u{200D}🍳"), [cook]);
        let mut tokenizer = WordTokenizer::default();
        let mut stream = tokenizer.token_stream("so 👩🏾\u{200D}🍳️!");
        assert!(stream.advance() && stream.advance());
        let token = stream.token();
        assert_eq!((token.offset_from, token.offset_to), (3, 21));
    }

    #[test]
    fn keys_are_their_digit_or_sign() {
        assert_eq!(words("1️⃣ one 1⃣2️⃣"), ["1", "one", "1", "2"]);
        assert_eq!(words("#️⃣ *⃣ # *"), ["#\u{20E3}", "*\u{20E3}"]);
        assert_eq!(words("a\u{20E3}"), ["a\u{20E3}"]);
    }

    #[test]
    fn signs_of_text_are_no_words_unless_they_are_shown_as_pictures() {
        assert_eq!(
            words("Foo™ © 2020 → a ▶ b ‼ € 5 + • 〽"),
            ["Foo", "2020", "a", "b", "5"]
        );
        assert_eq!(words("Foo™️ ▶️b ↔️"), ["Foo", "™", "▶", "b", "↔"]);
        assert_eq!(words("🙂\u{200D}↔️"), ["🙂\u{200D}↔"]);
        assert_eq!(words("ℹ️ 🅰b Ⓜ①"), ["ℹ", "🅰b", "Ⓜ①"]);
        // A skin tone without anybody.
        assert_eq!(words("a 🏽 b"), ["a", "b"]);
    }

    #[test]
    fn grams_keep_the_position_of_their_word() {
        let edge = tokens(GramTokenizer::edge(1, 3), "été ab");
        let expected = [("é", 0), ("ét", 0), ("été", 0), ("a", 1), ("ab", 1)];
        assert_eq!(edge, expected.map(|(t, p)| (t.to_owned(), p)));
        let all = tokens(GramTokenizer::all(2, 3), "abcd x");
        let expected = [("ab", 0), ("abc", 0), ("bc", 0), ("bcd", 0), ("cd", 0)];
        assert_eq!(all, expected.map(|(t, p)| (t.to_owned(), p)));
    }

    #[test]
    fn words_without_spaces_are_cut_as_one() {
        let grams = |tokenizer, text| -> Vec<String> {
            tokens(tokenizer, text).into_iter().map(|t| t.0).collect()
        };
        let all = grams(GramTokenizer::all(2, 2), "東京都tower アルミ缶、犬。は");
        let expected = [
            "東京", "京都", "to", "ow", "we", "er", "アル", "ルミ", "ミ缶", "犬", "は",
        ];
        assert_eq!(all, expected);
        assert_eq!(
            grams(GramTokenizer::edge(2, 3), "東京都 犬 x"),
            ["東京", "東京都", "犬"]
        );
        assert_eq!(grams(GramTokenizer::all(1, 1), "東京"), ["東", "京"]);
    }

    #[test]
    fn an_emoji_is_one_gram() {
        let family = "👨\u{200D}👩\u{200D}👧";
        let text = format!("ab{family}c👍🏽");
        for tokenizer in [GramTokenizer::edge(2, 3), GramTokenizer::all(2, 3)] {
            let expected = [("ab", 0), (family, 1), ("👍", 3)];
            assert_eq!(
                tokens(tokenizer, &text),
                expected.map(|(t, p)| (t.to_owned(), p))
            );
        }
    }

    #[test]
    fn letters_leave_digits_out() {
        let found = tokens(LetterTokenizer::default(), "ab12cd");
        assert_eq!(found, [("ab".to_owned(), 0), ("cd".to_owned(), 1)]);
    }
}
