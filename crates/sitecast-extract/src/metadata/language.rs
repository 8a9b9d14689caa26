//! The language of a page: what it says, unless the text says otherwise; what the site says, if neither says anything.

use sitecast_scp::LanguageTag;
use whatlang::Script;

use super::detected_language::{DETECTION_BYTES, Detected};
use super::landmarks::Landmarks;
use super::language_codes::short_code;
use super::pieces::is_sample;
use super::plain_language::is_plainly;
use super::schema::text_member;
use super::site_language::Shown;
use super::text::first_chars;
use super::{Source, Survey};
use crate::dom::Element;
use crate::layout::Layout;

/// A shorter run of text is a label, often in another language than the page.
const MIN_SENTENCE_CHARS: u32 = 40;

/// The language that the page states and its text does not contradict, or else that of its text. Where the text shows none, that of
/// the pages of the site that state the same.
pub(super) fn language(survey: &Survey<'_>) -> Option<LanguageTag> {
    let Source {
        url,
        site_languages,
        ..
    } = *survey.source;
    let text = match read(survey) {
        Read::Plainly(stated) => return Some(stated),
        Read::Text(text) => text,
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
        .or_else(|| text.detected.and_then(Detected::into_tag))
}

/// What a page shows of its language, for [`LanguageCounts`](super::LanguageCounts).
pub(super) fn shown(survey: &Survey<'_>) -> Option<Shown> {
    let first = stated(survey).next();
    let text = match read(survey) {
        Read::Plainly(language) => {
            return Some(Shown {
                stated: first,
                language,
                by_text: true,
            });
        }
        Read::Text(text) => text,
    };
    let possible = stated(survey).find(|tag| !text.disproves(tag));
    let by_text = possible != first || possible.as_ref().is_none_or(|tag| text.shows(tag));
    let language = possible.or_else(|| text.detected.and_then(Detected::into_tag))?;
    Some(Shown {
        stated: first,
        language,
        by_text,
    })
}

/// The text of a page, looked at for its language.
enum Read {
    /// It plainly is in the language that the page states.
    Plainly(LanguageTag),
    Text(Text),
}

struct Text {
    sample: String,
    detected: Option<Detected>,
}

impl Text {
    fn disproves(&self, tag: &LanguageTag) -> bool {
        let detected = self.detected.as_ref();
        detected.is_some_and(|detected| detected.disproves(tag, &self.sample))
    }

    /// Tells that the text is in the language of the tag, as far as that can be told.
    fn shows(&self, tag: &LanguageTag) -> bool {
        let detected = self.detected.as_ref();
        detected.is_some_and(|detected| detected.is_certain && detected.agrees(tag))
    }
}

fn read(survey: &Survey<'_>) -> Read {
    let layout = survey.source.layout;
    // Most pages say which language they are in, and most of these plainly are.
    if let Some(tag) = stated(survey).next()
        && let Some(language) = tag.as_str().split('-').next()
        && is_plainly(language, sample(layout))
    {
        return Read::Plainly(tag);
    }
    let sample = joined(sample(layout));
    // Sentences of Chinese and its neighbours are short, and so may all of a page be.
    let beyond_sentences = || Detected::of(&layout.text).filter(|d| d.script != Script::Latin);
    let detected = Detected::of(&sample).or_else(beyond_sentences);
    Read::Text(Text { sample, detected })
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
            let is_sentence =
                segment.chars >= MIN_SENTENCE_CHARS && segment.link_chars * 2 <= segment.chars;
            // Program text is in no language.
            let is_program = || {
                let mut around = layout.around(segment.parent);
                around.any(|(_, inner)| is_sample(inner.tag))
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
