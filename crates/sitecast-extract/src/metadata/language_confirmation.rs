//! Fast confirmation of the language that a page states.
//!
//! Detecting one of seventy languages takes longer than parsing a small page. Function words or the script mostly suffice to
//! confirm a given language.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use crate::names::NameHasher;

/// Function words that are frequent in one language and rare in others. `de` is missing: it is Dutch, French, Spanish and
/// Portuguese.
const WORDS: [(&str, &[&str]); 7] = [
    (
        "en",
        &[
            "the", "and", "of", "to", "for", "with", "that", "you", "your", "are", "this",
        ],
    ),
    (
        "de",
        &[
            "der", "die", "und", "das", "nicht", "mit", "ist", "den", "von", "für", "auf", "ein",
            "eine", "einer", "werden", "wird", "oder", "auch", "sich", "zu", "zum", "zur", "dem",
            "im", "in", "bei", "aus", "nach",
        ],
    ),
    (
        "fr",
        &[
            "les", "des", "est", "une", "dans", "pour", "qui", "sur", "pas", "du", "et", "le",
            "au", "avec", "par", "vous", "nous", "ce", "ou", "sont",
        ],
    ),
    (
        "es",
        &[
            "el", "los", "las", "del", "una", "con", "por", "es", "y", "para", "más", "su", "al",
        ],
    ),
    (
        "it",
        &[
            "il", "di", "che", "è", "per", "una", "del", "della", "con", "non", "si", "sono",
            "gli", "dei", "le", "più", "da", "alla", "nel",
        ],
    ),
    (
        "pt",
        &[
            "o", "os", "não", "uma", "com", "para", "em", "do", "da", "dos", "das", "que", "é",
            "ao", "na", "no", "mais", "por",
        ],
    ),
    (
        "nl",
        &[
            "het", "een", "van", "op", "met", "voor", "niet", "zijn", "dat", "te", "aan", "ook",
            "bij", "naar",
        ],
    ),
];

/// The length of the longest of these words.
const MAX_WORD_BYTES: usize = 6;

/// The most words of a text that count.
const MAX_WORDS: usize = 300;
/// The fewest words that confirm a language.
const MIN_WORDS: usize = 30;
/// At least one in this many words must be a function word of the language.
const ONE_IN: usize = 8;
/// The fewest letters of a script that confirm its language.
const MIN_CHARS: usize = 50;

/// A set of the languages of [`WORDS`]: the first is the lowest bit.
type Languages = u8;

/// Returns true if a text is clearly in this language; false is inconclusive. Words do not span the items of `text`.
pub(super) fn is_clearly_in<'t>(language: &str, text: impl Iterator<Item = &'t str>) -> bool {
    match language {
        "zh" => Scripts::of(text).is_chinese(),
        "ko" => Scripts::of(text).is_korean(),
        _ => WORDS
            .iter()
            .position(|(code, _)| *code == language)
            .is_some_and(|at| says_enough(text, 1 << at)),
    }
}

/// Returns true if enough of the first words are function words of a language.
fn says_enough<'t>(text: impl Iterator<Item = &'t str>, language: Languages) -> bool {
    let (mut words, mut known) = (0, 0);
    for word in text.flat_map(str::split_ascii_whitespace).take(MAX_WORDS) {
        words += 1;
        if languages_of(word) & language != 0 {
            known += 1;
            // Enough for any number of further words.
            if known * ONE_IN >= MAX_WORDS {
                return true;
            }
        }
    }
    words >= MIN_WORDS && known * ONE_IN >= words
}

/// Returns the languages that have a word among their function words.
fn languages_of(word: &str) -> Languages {
    let known = key(word).and_then(|key| LITTLE.get(&key));
    known.copied().unwrap_or_default()
}

/// The function words of all languages, by key.
static LITTLE: LazyLock<HashMap<u64, Languages, BuildHasherDefault<NameHasher>>> =
    LazyLock::new(|| {
        let mut all = HashMap::default();
        for (at, (_, little)) in WORDS.iter().enumerate() {
            for key in little.iter().filter_map(|word| key(word)) {
                *all.entry(key).or_default() |= 1 << at;
            }
        }
        all
    });

/// Packs a word of at most [`MAX_WORD_BYTES`] into a number, ignoring the case of ASCII; longer words are not in [`WORDS`].
fn key(word: &str) -> Option<u64> {
    let bytes = word.as_bytes();
    (bytes.len() <= MAX_WORD_BYTES).then(|| {
        let lower = bytes.iter().map(u8::to_ascii_lowercase);
        // The leading 1 marks the length of the word.
        lower.fold(1, |key, byte| key << 8 | u64::from(byte))
    })
}

/// Counts of letters by script.
#[derive(Default)]
struct Scripts {
    han: usize,
    hangul: usize,
    kana: usize,
    other: usize,
}

impl Scripts {
    fn of<'t>(text: impl Iterator<Item = &'t str>) -> Self {
        let mut scripts = Self::default();
        for c in text.flat_map(str::chars) {
            match c {
                '\u{4e00}'..='\u{9fff}' => scripts.han += 1,
                '\u{ac00}'..='\u{d7a3}' => scripts.hangul += 1,
                '\u{3040}'..='\u{30ff}' => scripts.kana += 1,
                _ => scripts.other += usize::from(c.is_alphabetic()),
            }
        }
        scripts
    }

    fn is_chinese(&self) -> bool {
        self.kana + self.hangul == 0 && self.han > self.other && self.han >= MIN_CHARS
    }

    fn is_korean(&self) -> bool {
        self.hangul > self.han + self.kana + self.other && self.hangul >= MIN_CHARS
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Repeats a text so that it is long enough. The texts are Article 1 of the Universal Declaration of Human Rights.
    fn text(once: &str) -> String {
        [once; 4].join(" ")
    }

    fn is_in(language: &str, text: &str) -> bool {
        is_clearly_in(language, std::iter::once(text))
    }

    const TEXTS: [(&str, &str); 9] = [
        (
            "en",
            "All human beings are born free and equal in dignity and rights. They are endowed with reason and \
             conscience and should act towards one another in a spirit of brotherhood.",
        ),
        (
            "de",
            "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen \
             begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
        ),
        (
            "fr",
            "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de \
             conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
        ),
        (
            "es",
            "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y \
             conciencia, deben comportarse fraternalmente los unos con los otros.",
        ),
        (
            "it",
            "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di \
             coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
        ),
        (
            "pt",
            "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de \
             consciência, devem agir uns para com os outros em espírito de fraternidade.",
        ),
        (
            "nl",
            "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en \
             geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
        ),
        (
            "zh",
            "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
        ),
        (
            "ko",
            "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 \
             부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
        ),
    ];

    #[test]
    fn confirms_the_language_of_a_text_and_no_other() {
        for (language, once) in TEXTS {
            for (other, _) in TEXTS {
                let is = is_in(other, &text(once));
                assert_eq!(is, language == other, "a text in {language} as {other}");
            }
        }
    }

    #[test]
    fn does_not_confirm_chinese_for_japanese_nor_short_texts() {
        let japanese =
            "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。";
        assert!(!is_in("zh", &text(japanese)));
        assert!(!is_in("en", "the end of the day"));
        assert!(!is_in("zh", "人人生而自由"));
        assert!(!is_in("xx", &text(japanese)));
    }

    #[test]
    fn finds_function_words_in_any_case() {
        for (at, (_, little)) in WORDS.iter().enumerate() {
            for word in *little {
                assert_ne!(languages_of(word) & 1 << at, 0, "{word}");
                let shouted = word.to_ascii_uppercase();
                assert_eq!(languages_of(&shouted), languages_of(word));
            }
        }
        for word in ["", "thee", "th", "\0the", "überhaupt"] {
            assert_eq!(languages_of(word), 0, "{word}");
        }
    }

    proptest! {
        #[test]
        fn counts_function_words_across_items(words in vec(word(), 0..400), cut in 0..400_usize) {
            let (first, second) = words.split_at(cut.min(words.len()));
            let (first, second) = (first.join(" "), second.join("\n"));
            let looked_at = words.iter().take(MAX_WORDS);
            for (language, little) in WORDS {
                let is_little = |word: &&String| little.iter().any(|one| word.eq_ignore_ascii_case(one));
                let known = looked_at.clone().filter(is_little).count();
                let count = looked_at.len();
                let expected = count >= MIN_WORDS && known * ONE_IN >= count;
                prop_assert_eq!(is_clearly_in(language, [&*first, &*second].into_iter()), expected);
            }
        }
    }

    fn word() -> impl Strategy<Value = String> {
        let words = WORDS.iter().flat_map(|(_, little)| little.iter().copied());
        let others = ["Tea", "fürs", "word", "überhaupt", "a", "1"].repeat(60);
        let all: Vec<String> = words.chain(others).map(str::to_owned).collect();
        prop::sample::select(all)
    }
}
