//! Detection of the language of a text: by its script, by its frequent words, or else by whatlang's trigrams.

use sitecast_scp::LanguageTag;
use whatlang::{Lang, Script};

use super::frequent_words::{LanguageCosts, has_word_costs};
use super::language_codes::{are_alike, two_letters};

/// Bytes of text from which the language is detected.
pub(super) const DETECTION_BYTES: usize = 4_096;
/// The fewest letters for detection; about 200 characters of text have them.
const MIN_CHARS: usize = 140;
/// The fewest letters for detection if the words are plain: see [`PLAIN_LEAD`] and [`PLAIN_ONE_IN`].
const MIN_CHARS_OF_WORDS: usize = 60;
/// The lead, in costs, over the next language in plain text.
const PLAIN_LEAD: u32 = 60;
/// In plain text, at least one in this many different words is a frequent word of the language.
const PLAIN_ONE_IN: usize = 5;
/// Words decide only if at least one in this many different words is a frequent word of the language.
const MIN_KNOWN_ONE_IN: usize = 20;
/// With a smaller lead over the next language, whatlang decides between the two.
const CLOSE: u32 = 20;
/// Disproving a stated language takes at least this many words.
const MIN_WORDS: usize = 25;
/// Disproving takes at least one frequent word of the other language in this many different words, …
const PROOF_ONE_IN: usize = 8;
/// … and a lead of the other language of this much in total, …
const MIN_PROOF: u32 = 100;
/// … and of this much per word: half of the page may be a quotation.
const PROOF_OF_WORD: u32 = 4;
/// Text in languages with long words has fewer frequent words: this many are enough with a lead of [`PLAIN_PROOF_OF_WORD`].
const MIN_KNOWN: usize = 6;
/// The lead per word that makes [`MIN_KNOWN`] frequent words enough.
const PLAIN_PROOF_OF_WORD: u32 = 10;

/// The likeliest language of a text.
pub(super) struct DetectedLanguage {
    /// The two-letter code.
    language: &'static str,
    pub(super) script: Script,
    /// The lead over the next language is large.
    pub(super) is_certain: bool,
    /// The costs of the text, if its words decided.
    language_costs: Option<LanguageCosts>,
}

impl DetectedLanguage {
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut end = text.len().min(DETECTION_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end)?;
        let letters = Letters::of(text);
        if let Some((language, script)) = letters.east_asian() {
            return Some(Self {
                language,
                script,
                is_certain: letters.is_mostly_east_asian(),
                language_costs: None,
            });
        }
        let script = whatlang::detect_script(text)?;
        let has_words = has_words(script);
        // Scripts without word costs need fewer letters: a Chinese character is worth several Latin letters.
        let enough = if has_words {
            MIN_CHARS_OF_WORDS
        } else {
            MIN_CHARS / 4
        };
        if letters.all < enough {
            return None;
        }
        let by_words = || {
            let language_costs = LanguageCosts::of(text);
            let best = language_costs.best()?;
            // With too few known words, the costs are not reliable.
            (best.known * MIN_KNOWN_ONE_IN >= language_costs.different)
                .then_some((language_costs, best))
        };
        if let Some((language_costs, best)) = has_words.then(by_words).flatten() {
            let is_plain =
                best.lead >= PLAIN_LEAD && best.known * PLAIN_ONE_IN >= language_costs.different;
            if letters.all < MIN_CHARS && !is_plain {
                return None;
            }
            let is_close = best.lead < CLOSE;
            let by_letters = || whatlang::detect(text).map(|info| two_letters(info.lang()));
            let is_next = is_close && by_letters() == Some(best.next);
            return Some(Self {
                language: if is_next { best.next } else { best.language },
                script,
                is_certain: !is_close,
                language_costs: Some(language_costs),
            });
        }
        if has_words && letters.all < MIN_CHARS {
            return None;
        }
        let info = whatlang::detect(text)?;
        Some(Self {
            language: two_letters(info.lang()),
            script: info.script(),
            // Few languages share these scripts.
            is_certain: info.is_reliable() || !has_words,
            language_costs: None,
        })
    }

    /// Returns true if the text cannot be in the language of the tag. Between languages with the same script, frequent words
    /// decide: names of products and places make a short text look like another language.
    pub(super) fn disproves(&self, tag: &LanguageTag, text: &str) -> bool {
        if self.agrees(tag) {
            return false;
        }
        let stated = tag.as_str().split('-').next().unwrap_or_default();
        let Some(language_costs) = &self.language_costs else {
            // Trigrams of Latin letters are not a proof: names have them, too.
            return self.is_certain && self.script != Script::Latin;
        };
        let has_other_script = script_of(stated).is_some_and(|script| script != self.script);
        if has_other_script && self.script != Script::Latin {
            return true;
        }
        if !self.is_certain {
            return false;
        }
        match (
            language_costs.in_language(self.language),
            language_costs.in_language(stated),
        ) {
            (Some((cost, known)), Some((other, _))) => {
                let words = u32::try_from(language_costs.words).unwrap_or(u32::MAX);
                let lead = other.saturating_sub(cost);
                let has_sentences = known * PROOF_ONE_IN >= language_costs.different
                    || known >= MIN_KNOWN && lead >= words.saturating_mul(PLAIN_PROOF_OF_WORD);
                language_costs.words >= MIN_WORDS
                    && has_sentences
                    && lead >= MIN_PROOF.max(words.saturating_mul(PROOF_OF_WORD))
                    && (!has_other_script || is_latin_alone(text))
            }
            // The stated language has no word costs, for example because it has its own script.
            _ => self.script != Script::Latin || is_latin_alone(text),
        }
    }

    /// Returns true if the text may be in the language of the tag.
    pub(super) fn agrees(&self, tag: &LanguageTag) -> bool {
        let primary = tag.as_str().split('-').next().unwrap_or_default();
        if primary == self.language || are_alike(primary, self.language) {
            return true;
        }
        // A language that cannot be detected is mistaken for one that can; only a script that it does not use contradicts it.
        let known =
            has_word_costs(primary) || Lang::all().iter().any(|lang| two_letters(*lang) == primary);
        if known {
            false
        } else {
            !is_of_few(self.script)
        }
    }

    pub(super) fn into_tag(self) -> Option<LanguageTag> {
        LanguageTag::new(self.language).ok()
    }
}

/// Counts of the letters of a text by script.
struct Letters {
    all: usize,
    han: usize,
    hangul: usize,
    kana: usize,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Self {
            all: 0,
            han: 0,
            hangul: 0,
            kana: 0,
        };
        for c in text.chars() {
            match c {
                '\u{4e00}'..='\u{9fff}' => letters.han += 1,
                '\u{ac00}'..='\u{d7a3}' => letters.hangul += 1,
                '\u{3040}'..='\u{30ff}' => letters.kana += 1,
                _ if c.is_alphabetic() => {}
                _ => continue,
            }
            letters.all += 1;
        }
        letters
    }

    fn is_mostly_east_asian(&self) -> bool {
        (self.han + self.hangul + self.kana) * 2 > self.all
    }

    /// Returns Chinese, Japanese or Korean if at least a quarter of the letters are theirs: such texts have technical terms in
    /// Latin letters, of which a term takes three times as many.
    fn east_asian(&self) -> Option<(&'static str, Script)> {
        let own = self.han + self.hangul + self.kana;
        if own < MIN_CHARS / 4 || own * 4 < self.all {
            return None;
        }
        Some(if self.hangul * 2 > own {
            ("ko", Script::Hangul)
        } else if self.kana * 20 > own {
            ("ja", Script::Hiragana)
        } else {
            ("zh", Script::Mandarin)
        })
    }
}

/// Returns true if at most one letter in ten is not Latin.
fn is_latin_alone(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, others) = letters.fold((0, 0), |(all, others), c| {
        let is_latin = c < '\u{2b0}' || matches!(c, '\u{1e00}'..='\u{1eff}');
        (all + 1, others + usize::from(!is_latin))
    });
    others * 10 <= all
}

/// Returns the script of a language with word costs; `None` for Serbian, which has two.
fn script_of(language: &str) -> Option<Script> {
    match language {
        "be" | "bg" | "mk" | "ru" | "uk" => Some(Script::Cyrillic),
        "ar" | "fa" | "ur" => Some(Script::Arabic),
        "sr" => None,
        _ => has_word_costs(language).then_some(Script::Latin),
    }
}

/// Returns true for the scripts of the languages with word costs.
fn has_words(script: Script) -> bool {
    matches!(script, Script::Latin | Script::Cyrillic | Script::Arabic)
}

/// Returns true for scripts of few languages, all of which can be detected.
fn is_of_few(script: Script) -> bool {
    matches!(
        script,
        Script::Hangul
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Greek
            | Script::Georgian
            | Script::Armenian
    )
}
