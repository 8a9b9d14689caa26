//! The language of a page: what it says, unless the text says otherwise.

use sitecast_scp::LanguageTag;
use whatlang::{Lang, Script};

use super::Survey;
use super::landmarks::Landmarks;
use super::language_codes::{are_alike, short_code, two_letters};
use super::plain_language::{has_words_of, is_plainly, plain_language};
use super::schema::text_member;
use super::text::first_chars;
use crate::dom::Element;
use crate::layout::Layout;

/// Enough to be sure, little enough to cost nothing.
const DETECTION_BYTES: usize = 4_096;
/// Less text than this contradicts nobody.
const MIN_CHARS: usize = 200;
/// A shorter run of text is a label, often in another language than the page.
const MIN_SENTENCE_CHARS: u32 = 40;

/// The language that the page states and its text does not contradict, or else that of its text.
pub(super) fn language(survey: &Survey<'_>) -> Option<LanguageTag> {
    let layout = survey.source.layout;
    // Most pages say which language they are in, and most of these plainly are.
    if let Some(tag) = stated(survey).next()
        && let Some(language) = tag.as_str().split('-').next()
        && is_plainly(language, sample(layout))
    {
        return Some(tag);
    }
    let text = joined(sample(layout));
    // Sentences of Chinese and its neighbours are short, and so may all of a page be.
    let beyond_sentences = || Detected::of(&layout.text).filter(|d| d.script != Script::Latin);
    let detected = Detected::of(&text).or_else(beyond_sentences);
    let disproves = |tag: &LanguageTag| {
        let detected = detected.as_ref();
        detected.is_some_and(|detected| detected.disproves(tag, &text))
    };
    stated(survey)
        .find(|tag| !disproves(tag))
        .or_else(|| detected.and_then(Detected::into_tag))
}

/// The language that a text most likely is in, if there is enough of it.
pub(crate) fn language_of(text: &str) -> Option<LanguageTag> {
    Detected::of(text)?.into_tag()
}

/// The tags that the page states and that can be, the most trustworthy first.
fn stated<'s>(survey: &'s Survey<'_>) -> impl Iterator<Item = LanguageTag> + 's {
    let Landmarks { html, body, .. } = survey.source.landmarks;
    let of_element = |element: Element<'s>| {
        ["lang", "xml:lang"].iter().find_map(|name| {
            element
                .attribute(name)
                .filter(|value| !value.trim().is_empty())
        })
    };
    let articles = &survey.kind.articles;
    let head = &survey.head;
    // The next is looked for only where the one before is none.
    let source = move |place| match place {
        0 => html.and_then(of_element),
        1 => body.and_then(|(_, body)| of_element(body)),
        2 => survey.source.content_language,
        3 => head.meta(&["content-language"]),
        4 => head.meta(&["language", "dc.language", "dcterms.language"]),
        5 => head.meta(&["og:locale"]),
        _ => articles
            .iter()
            .find_map(|map| text_member(map, "inLanguage")),
    };
    (0..7).filter_map(source).filter_map(tag)
}

/// The tag in its usual spelling; `None` for what is no language.
fn tag(text: &str) -> Option<LanguageTag> {
    let text = text.trim();
    // A list is of all languages that readers may have.
    if text.len() > 35 || text.contains([',', ';']) {
        return None;
    }
    let mut spelled = String::new();
    for (at, part) in text.split(['-', '_', '.']).enumerate() {
        if at == 0 {
            let primary = part.to_ascii_lowercase();
            spelled.push_str(short_code(&primary)?);
        } else {
            // `en_US.UTF-8`
            if part.eq_ignore_ascii_case("utf") {
                break;
            }
            spelled.push('-');
            match (at, part.len()) {
                (1, 2) => spelled.push_str(&part.to_ascii_uppercase()),
                (1, 4) if part.bytes().all(|b| b.is_ascii_alphabetic()) => {
                    let (first, rest) = part.split_at_checked(1)?;
                    spelled.push_str(&first.to_ascii_uppercase());
                    spelled.push_str(&rest.to_ascii_lowercase());
                }
                (2, 2) => spelled.push_str(&part.to_ascii_uppercase()),
                _ => spelled.push_str(&part.to_ascii_lowercase()),
            }
        }
    }
    LanguageTag::new(spelled.as_str())
        .or_else(|_| LanguageTag::new(spelled.split('-').next().unwrap_or_default()))
        .ok()
}

/// Runs of text in sentences, from the beginning: a space after each, they are the text that is looked at.
fn sample(layout: &Layout) -> impl Iterator<Item = &str> {
    let mut bytes = 0;
    layout
        .segments
        .iter()
        .filter(|segment| {
            segment.chars >= MIN_SENTENCE_CHARS && segment.link_chars * 2 <= segment.chars
        })
        .map(|segment| first_chars(layout.text_of(segment), DETECTION_BYTES))
        .take_while(move |text| {
            let is_wanted = bytes < DETECTION_BYTES;
            bytes += text.len() + 1;
            is_wanted
        })
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut out = String::with_capacity(DETECTION_BYTES);
    for text in texts {
        out.push_str(text);
        out.push(' ');
    }
    out
}

struct Detected {
    lang: Lang,
    script: Script,
    /// The next best language is far behind.
    is_certain: bool,
}

impl Detected {
    fn of(text: &str) -> Option<Self> {
        let mut end = text.len().min(DETECTION_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end)?;
        let (mut letters, mut latin) = (0, 0);
        for c in text.chars() {
            // Chinese and Korean; all others are looked up.
            let is_letter =
                matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}') || c.is_alphabetic();
            letters += usize::from(is_letter);
            latin += usize::from(is_letter && c < '\u{250}');
            // Enough for any script.
            if letters >= MIN_CHARS {
                break;
            }
        }
        // A character of Chinese says more than one of English.
        let enough = |script| match script {
            Script::Latin | Script::Cyrillic | Script::Arabic => MIN_CHARS,
            _ => MIN_CHARS / 4,
        };
        let least = if latin == letters {
            enough(Script::Latin)
        } else {
            MIN_CHARS / 4
        };
        if letters < least {
            return None;
        }
        if let Some(lang) = plain_language(text) {
            let script = Script::Latin;
            return (letters >= MIN_CHARS).then_some(Self {
                lang,
                script,
                is_certain: true,
            });
        }
        let info = whatlang::detect(text)?;
        (letters >= enough(info.script())).then(|| Self {
            lang: info.lang(),
            script: info.script(),
            is_certain: info.is_reliable(),
        })
    }

    /// Tells that the text cannot be in the language of the tag. Names of products and places make a short text look like
    /// one in another language, so that of two languages with the same letters the little words decide.
    fn disproves(&self, tag: &LanguageTag, text: &str) -> bool {
        if !self.is_certain || self.agrees(tag) {
            return false;
        }
        if self.script != Script::Latin {
            return true;
        }
        let stated = tag.as_str().split('-').next().unwrap_or_default();
        let mut latin = Script::Latin.langs().iter();
        match latin.any(|lang| two_letters(*lang) == stated) {
            true => has_words_of(text, two_letters(self.lang), stated),
            false => is_latin_alone(text),
        }
    }

    /// Whether the text may well be in the language of the tag.
    fn agrees(&self, tag: &LanguageTag) -> bool {
        let primary = tag.as_str().split('-').next().unwrap_or_default();
        let detected = two_letters(self.lang);
        if primary == detected || are_alike(primary, detected) {
            return true;
        }
        // What is not among the languages that can be detected is taken for one that can; only a
        // script that the language has no use for tells.
        let known = Lang::all().iter().any(|lang| two_letters(*lang) == primary);
        if known {
            false
        } else {
            !is_of_few(self.script)
        }
    }

    fn into_tag(self) -> Option<LanguageTag> {
        LanguageTag::new(two_letters(self.lang)).ok()
    }
}

/// Tells that at most one letter in ten is of another script than Latin.
fn is_latin_alone(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, others) = letters.fold((0, 0), |(all, others), c| {
        (all + 1, others + usize::from(c >= '\u{250}'))
    });
    others * 10 <= all
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
