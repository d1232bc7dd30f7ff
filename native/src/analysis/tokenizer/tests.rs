use super::grams::GramTokenizer;
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
