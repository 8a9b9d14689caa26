//! The language of a page: the stated one, unless its text contradicts; the site's language, if neither is conclusive.

use sitecast_scp::LanguageTag;
use whatlang::Script;

use super::detected_language::{DETECTION_BYTES, DetectedLanguage};
use super::language_codes::short_code;
use super::language_confirmation::is_clearly_in;
use super::metadata_elements::MetadataElements;
use super::schema::text_member;
use super::site_language::PageLanguage;
use super::text::first_chars;
use super::text_nodes::is_code_element;
use super::{Source, Survey};
use crate::dom::Element;
use crate::layout::Layout;

/// A shorter segment, in characters, is a label, often in another language than the page.
const MIN_SENTENCE_CHARS: u32 = 40;

/// Returns the language that the page states, if its text does not contradict, or else the language of its text. If the text is
/// inconclusive, returns the language of the site's pages that state the same language.
pub(super) fn language(survey: &Survey<'_>) -> Option<LanguageTag> {
    let Source {
        url,
        site_languages,
        ..
    } = *survey.source;
    let text = match inspect(survey) {
        Inspection::Confirmed(stated) => return Some(stated),
        Inspection::Text(text) => text,
    };
    let possible = stated(survey).find(|tag| !text.disproves(tag));
    let first = stated(survey).next();
    if possible.as_ref().is_some_and(|tag| text.shows(tag)) {
        return possible;
    }
    let is_first = first.is_none() || first == possible;
    let of_site = is_first.then(|| site_languages.of(url, first.as_ref()));
    of_site
        .flatten()
        .filter(|tag| !text.disproves(tag))
        .or(possible)
        .or_else(|| text.detected.and_then(DetectedLanguage::into_tag))
}

/// Determines the language of a page alone, for [`LanguageCounts`](super::LanguageCounts).
pub(super) fn page_language(survey: &Survey<'_>) -> Option<PageLanguage> {
    let first = stated(survey).next();
    let text = match inspect(survey) {
        Inspection::Confirmed(language) => {
            return Some(PageLanguage {
                stated: first,
                language,
                by_text: true,
            });
        }
        Inspection::Text(text) => text,
    };
    let possible = stated(survey).find(|tag| !text.disproves(tag));
    let by_text = possible != first || possible.as_ref().is_none_or(|tag| text.shows(tag));
    let language = possible.or_else(|| text.detected.and_then(DetectedLanguage::into_tag))?;
    Some(PageLanguage {
        stated: first,
        language,
        by_text,
    })
}

/// The first result about the language of a page's text.
enum Inspection {
    /// The text is clearly in the stated language.
    Confirmed(LanguageTag),
    Text(Text),
}

struct Text {
    sample: String,
    detected: Option<DetectedLanguage>,
}

impl Text {
    fn disproves(&self, tag: &LanguageTag) -> bool {
        let detected = self.detected.as_ref();
        detected.is_some_and(|detected| detected.disproves(tag, &self.sample))
    }

    /// Returns true if the text is certainly in the language of the tag, or in one that is detected for it.
    fn shows(&self, tag: &LanguageTag) -> bool {
        let detected = self.detected.as_ref();
        detected.is_some_and(|detected| detected.is_certain && detected.agrees(tag))
    }
}

fn inspect(survey: &Survey<'_>) -> Inspection {
    let layout = survey.source.layout;
    // Most pages state their language, and most of those are clearly in it.
    if let Some(tag) = stated(survey).next()
        && let Some(language) = tag.as_str().split('-').next()
        && is_clearly_in(language, sample(layout))
    {
        return Inspection::Confirmed(tag);
    }
    let sample = joined(sample(layout));
    // Sentences in Chinese, Japanese and Korean are short, so a page may have none that is long enough.
    let beyond_sentences =
        || DetectedLanguage::of(&layout.text).filter(|d| d.script != Script::Latin);
    let detected = DetectedLanguage::of(&sample).or_else(beyond_sentences);
    Inspection::Text(Text { sample, detected })
}

/// Returns the likeliest language of a text, if it is long enough.
pub(crate) fn language_of(text: &str) -> Option<LanguageTag> {
    DetectedLanguage::of(text)?.into_tag()
}

/// Iterates over the valid language tags that the page states, the most trustworthy first.
fn stated<'s>(survey: &'s Survey<'_>) -> impl Iterator<Item = LanguageTag> + 's {
    let MetadataElements { html, body, .. } = survey.source.metadata_elements;
    let of_element = |element: Element<'s>| {
        ["lang", "xml:lang"].iter().find_map(|name| {
            element
                .attribute(name)
                .filter(|value| !value.trim().is_empty())
        })
    };
    let articles = &survey.kind.articles;
    let head = &survey.head;
    // Lazy: a source is read only if the caller needs it.
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

/// Normalises the spelling of a tag; `None` if it is not a language.
fn tag(text: &str) -> Option<LanguageTag> {
    let text = text.trim();
    // A list names all languages of the site.
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

/// Iterates over the first segments with sentences, up to about [`DETECTION_BYTES`].
fn sample(layout: &Layout) -> impl Iterator<Item = &str> {
    let mut bytes = 0;
    layout
        .segments
        .iter()
        .filter(|segment| {
            let is_sentence =
                segment.chars >= MIN_SENTENCE_CHARS && segment.link_chars * 2 <= segment.chars;
            // Program text has no language.
            let is_program = || {
                let mut around = layout.around(segment.parent);
                around.any(|(_, inner)| is_code_element(inner.tag))
            };
            is_sentence && !is_program()
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
