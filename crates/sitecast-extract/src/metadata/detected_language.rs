//! The language of a text: by its letters, by its frequent words, or else by whatlang's trigrams.

use sitecast_scp::LanguageTag;
use whatlang::{Lang, Script};

use super::frequent_words::{Likelihood, can_be_told};
use super::language_codes::{are_alike, two_letters};

/// Enough to be sure, little enough to cost nothing.
pub(super) const DETECTION_BYTES: usize = 4_096;
/// Less text than this, in letters, is in no language; two hundred characters have so many.
const MIN_CHARS: usize = 140;
/// So much is enough where its words leave no doubt, …
const MIN_CHARS_OF_WORDS: usize = 60;
/// … which is where the next language is that far behind, …
const PLAIN_LEAD: u32 = 60;
/// … and one in so many of the words a frequent one of the language.
const PLAIN_ONE_IN: usize = 5;
/// One in so many different words has to be a frequent one of the language for its words to tell it, …
const LEAST_KNOWN_ONE_IN: usize = 20;
/// … and where the next language is no less likely than this, whatlang is asked which of the two it is.
const CLOSE: u32 = 20;
/// What disproves a stated language: so many words, …
const LEAST_WORDS: usize = 25;
/// … one in so many of the different ones a frequent one of the other language, …
const PROOF_ONE_IN: usize = 8;
/// … and a lead of the other language, of so much in all …
const LEAST_PROOF: u32 = 100;
/// … and of so much for each word: half of the page may be a quotation.
const PROOF_OF_WORD: u32 = 4;
/// Languages with long words have fewer frequent ones: so many of them are enough, with a lead of so much for each word.
const LEAST_KNOWN: usize = 6;
const PLAIN_PROOF_OF_WORD: u32 = 10;

/// The language that a text most likely is in.
pub(super) struct Detected {
    /// In two letters.
    language: &'static str,
    pub(super) script: Script,
    /// The next best language is far behind.
    pub(super) is_certain: bool,
    /// What the text costs in the languages that are told apart by their words.
    likelihood: Option<Likelihood>,
}

impl Detected {
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
                likelihood: None,
            });
        }
        let script = whatlang::detect_script(text)?;
        let has_words = has_words(script);
        // A character of Chinese says more than one of English.
        let enough = if has_words {
            MIN_CHARS_OF_WORDS
        } else {
            MIN_CHARS / 4
        };
        if letters.all < enough {
            return None;
        }
        let by_words = || {
            let likelihood = Likelihood::of(text);
            let best = likelihood.best()?;
            // Too few of the words are known for the others to count.
            (best.known * LEAST_KNOWN_ONE_IN >= likelihood.different).then_some((likelihood, best))
        };
        if let Some((likelihood, best)) = has_words.then(by_words).flatten() {
            let is_plain =
                best.lead >= PLAIN_LEAD && best.known * PLAIN_ONE_IN >= likelihood.different;
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
                likelihood: Some(likelihood),
            });
        }
        if has_words && letters.all < MIN_CHARS {
            return None;
        }
        let info = whatlang::detect(text)?;
        Some(Self {
            language: two_letters(info.lang()),
            script: info.script(),
            // Letters in which few languages are written are a proof by themselves.
            is_certain: info.is_reliable() || !has_words,
            likelihood: None,
        })
    }

    /// Tells that the text cannot be in the language of the tag. Names of products and places make a short text look like
    /// one in another language, so that of two languages with the same letters the frequent words decide.
    pub(super) fn disproves(&self, tag: &LanguageTag, text: &str) -> bool {
        if self.agrees(tag) {
            return false;
        }
        let stated = tag.as_str().split('-').next().unwrap_or_default();
        let Some(likelihood) = &self.likelihood else {
            // Trigrams of Latin letters are no proof: names have them, too.
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
            likelihood.in_language(self.language),
            likelihood.in_language(stated),
        ) {
            (Some((cost, known)), Some((other, _))) => {
                let words = u32::try_from(likelihood.words).unwrap_or(u32::MAX);
                let lead = other.saturating_sub(cost);
                let has_sentences = known * PROOF_ONE_IN >= likelihood.different
                    || known >= LEAST_KNOWN && lead >= words.saturating_mul(PLAIN_PROOF_OF_WORD);
                likelihood.words >= LEAST_WORDS
                    && has_sentences
                    && lead >= LEAST_PROOF.max(words.saturating_mul(PROOF_OF_WORD))
                    && (!has_other_script || is_latin_alone(text))
            }
            // The stated language has letters of its own.
            _ => self.script != Script::Latin || is_latin_alone(text),
        }
    }

    /// Whether the text may well be in the language of the tag.
    pub(super) fn agrees(&self, tag: &LanguageTag) -> bool {
        let primary = tag.as_str().split('-').next().unwrap_or_default();
        if primary == self.language || are_alike(primary, self.language) {
            return true;
        }
        // What is not among the languages that can be detected is taken for one that can; only a
        // script that the language has no use for tells.
        let known =
            can_be_told(primary) || Lang::all().iter().any(|lang| two_letters(*lang) == primary);
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

/// How many letters a text has, and of which script.
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

    /// Chinese, Japanese and Korean, if the text has enough of them: what it says in their letters takes three times as
    /// many in Latin ones, in which such texts have their technical terms.
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

/// Tells that at most one letter in ten is of another script than Latin.
fn is_latin_alone(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, others) = letters.fold((0, 0), |(all, others), c| {
        let is_latin = c < '\u{2b0}' || matches!(c, '\u{1e00}'..='\u{1eff}');
        (all + 1, others + usize::from(!is_latin))
    });
    others * 10 <= all
}

/// The script of a language that [`Likelihood`] tells; `None` for Serbian, which has two.
fn script_of(language: &str) -> Option<Script> {
    match language {
        "be" | "bg" | "mk" | "ru" | "uk" => Some(Script::Cyrillic),
        "ar" | "fa" | "ur" => Some(Script::Arabic),
        "sr" => None,
        _ => can_be_told(language).then_some(Script::Latin),
    }
}

/// Scripts of the languages that [`Likelihood`] tells apart.
fn has_words(script: Script) -> bool {
    matches!(script, Script::Latin | Script::Cyrillic | Script::Arabic)
}

/// Scripts of a handful of languages, all of which can be detected.
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
