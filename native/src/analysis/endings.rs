//! What `stem.rs` knows of inflections beside Snowball: endings of words in scripts that no stemmer reads, and letters that
//! stemmers know by another one.

/// Whether a word ends in a Korean syllable.
pub fn is_korean(word: &str) -> bool {
    word.chars().next_back().is_some_and(is_syllable)
}

fn is_syllable(letter: char) -> bool {
    ('가'..='힣').contains(&letter)
}

/// What an ending may stand behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Any,
    /// A syllable that ends in a vowel.
    Vowel,
    /// A syllable that ends in a consonant.
    Consonant,
    /// A syllable that ends in a vowel, or in `ㄹ`.
    Open,
}

/// Particles, the plural, `for`, and what makes verbs of nouns; longer ones before those that they end in.
const ENDINGS: [(&str, Behind); 94] = [
    ("하였습니다", Behind::Any),
    ("되었습니다", Behind::Any),
    ("하십시오", Behind::Any),
    ("했습니다", Behind::Any),
    ("됐습니다", Behind::Any),
    ("으로부터", Behind::Consonant),
    ("에서부터", Behind::Any),
    ("합니다", Behind::Any),
    ("됩니다", Behind::Any),
    ("입니다", Behind::Any),
    ("하세요", Behind::Any),
    ("하려면", Behind::Any),
    ("되려면", Behind::Any),
    ("하였다", Behind::Any),
    ("되었다", Behind::Any),
    ("에게서", Behind::Any),
    ("한테서", Behind::Any),
    ("에서는", Behind::Any),
    ("에서도", Behind::Any),
    ("에게는", Behind::Any),
    ("께서는", Behind::Any),
    ("으로는", Behind::Consonant),
    ("으로도", Behind::Consonant),
    ("로부터", Behind::Open),
    ("이라도", Behind::Consonant),
    ("하는", Behind::Any),
    ("되는", Behind::Any),
    ("하기", Behind::Any),
    ("되기", Behind::Any),
    ("하고", Behind::Any),
    ("되고", Behind::Any),
    ("하며", Behind::Any),
    ("되며", Behind::Any),
    ("하면", Behind::Any),
    ("되면", Behind::Any),
    ("하지", Behind::Any),
    ("하다", Behind::Any),
    ("되다", Behind::Any),
    ("한다", Behind::Any),
    ("된다", Behind::Any),
    ("했다", Behind::Any),
    ("됐다", Behind::Any),
    ("했던", Behind::Any),
    ("하여", Behind::Any),
    ("해서", Behind::Any),
    ("해야", Behind::Any),
    ("해요", Behind::Any),
    ("돼요", Behind::Any),
    ("하게", Behind::Any),
    ("까지", Behind::Any),
    ("부터", Behind::Any),
    ("에서", Behind::Any),
    ("에게", Behind::Any),
    ("한테", Behind::Any),
    ("께서", Behind::Any),
    ("처럼", Behind::Any),
    ("보다", Behind::Any),
    ("마다", Behind::Any),
    ("밖에", Behind::Any),
    ("조차", Behind::Any),
    ("에는", Behind::Any),
    ("에도", Behind::Any),
    ("으로", Behind::Consonant),
    ("로는", Behind::Open),
    ("로도", Behind::Open),
    ("이나", Behind::Consonant),
    ("이랑", Behind::Consonant),
    ("라도", Behind::Vowel),
    ("이다", Behind::Consonant),
    ("적인", Behind::Any),
    ("은", Behind::Consonant),
    ("는", Behind::Vowel),
    ("이", Behind::Consonant),
    ("가", Behind::Vowel),
    ("을", Behind::Consonant),
    ("를", Behind::Vowel),
    ("과", Behind::Consonant),
    ("와", Behind::Vowel),
    ("로", Behind::Open),
    ("랑", Behind::Vowel),
    ("의", Behind::Any),
    ("에", Behind::Any),
    ("도", Behind::Any),
    ("만", Behind::Any),
    ("들", Behind::Any),
    ("용", Behind::Any),
    ("한", Behind::Any),
    ("할", Behind::Any),
    ("함", Behind::Any),
    ("해", Behind::Any),
    ("된", Behind::Any),
    ("될", Behind::Any),
    ("됨", Behind::Any),
    ("적", Behind::Any),
];
/// Endings that one word has at most: `학생들에게는` has three.
const ENDINGS_MAX: usize = 3;
/// Syllables that are left of a word at least: of one nothing can be told.
const SYLLABLES_MIN: usize = 2;

/// A Korean word without its particles. Which of two forms a particle has is said by the sound before it, so that few words
/// lose a syllable of their own, and these lose it wherever they stand.
pub fn without_particles(word: &str) -> &str {
    let mut rest = word;
    for _ in 0..ENDINGS_MAX {
        let shorter = ENDINGS.iter().find_map(|(ending, behind)| {
            let before = rest.strip_suffix(ending)?;
            (before.chars().nth(SYLLABLES_MIN - 1).is_some() && stands(before, *behind))
                .then_some(before)
        });
        match shorter {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

fn stands(before: &str, behind: Behind) -> bool {
    let Some(last) = before.chars().next_back() else {
        return false;
    };
    // How a foreign word ends is not told by its letters.
    if behind == Behind::Any || !is_syllable(last) {
        return true;
    }
    let consonant = (last as u32 - '가' as u32) % 28;
    match behind {
        Behind::Any => true,
        Behind::Vowel => consonant == 0,
        Behind::Consonant => consonant != 0,
        Behind::Open => consonant == 0 || consonant == 8,
    }
}

/// Characters of the shortest word in katakana whose long last vowel may be left out.
const KATAKANA_MIN: usize = 4;

/// A word in katakana without the sign of a long last vowel, which some write and some don't: `サーバー`, `サーバ`.
pub fn without_long_vowel(word: &str) -> &str {
    match word.strip_suffix('ー') {
        Some(short) if short.chars().nth(KATAKANA_MIN - 2).is_some() => short,
        _ => word,
    }
}

/// A Ukrainian word in the letters of Russian, whose stemmer knows most of its endings then.
pub fn russian_letter(letter: char) -> char {
    match letter {
        'і' | 'ї' => 'и',
        'є' => 'е',
        'ґ' => 'г',
        _ => letter,
    }
}

/// A letter of Persian keyboards as those of Arabic have it.
pub fn arabic_letter(letter: char) -> char {
    match letter {
        'ی' => 'ي',
        'ک' => 'ك',
        _ => letter,
    }
}

/// A letter of Arabic keyboards as those of Persian have it.
pub fn persian_letter(letter: char) -> char {
    match letter {
        'ي' => 'ی',
        'ك' => 'ک',
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_are_left_out() {
        for (word, stem) in [
            ("비밀번호를", "비밀번호"),
            ("병원이", "병원"),
            ("학생들에게는", "학생"),
            ("발송됩니다", "발송"),
            ("변경하는", "변경"),
            ("여성용", "여성"),
            ("서울에서", "서울"),
            ("카드로", "카드"),
            ("usb를", "usb"),
            // Not behind this sound, or too little would be left.
            ("전문가", "전문가"),
            ("회의", "회의"),
            ("나라", "나라"),
        ] {
            assert_eq!(without_particles(word), stem, "{word}");
        }
        assert!(is_korean("병원") && is_korean("usb를") && !is_korean("usb"));
    }

    #[test]
    fn a_long_last_vowel_is_left_out_of_long_words() {
        assert_eq!(without_long_vowel("サーバー"), "サーバ");
        assert_eq!(without_long_vowel("コーヒー"), "コーヒ");
        assert_eq!(without_long_vowel("コピー"), "コピー");
        assert_eq!(without_long_vowel("カメラ"), "カメラ");
    }
}
