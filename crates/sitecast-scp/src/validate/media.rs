//! Validation of video and audio blocks, in the current form and in that of drafts one and two.

use super::block::{BlockCheck, BlockMember, Defect};
use super::slots::{Member, Slots, members, object, objects};
use crate::json::{Kind, Value};
use crate::{
    Audio, BlockProblem, Caption, Chapter, HttpUrl, Icon, JsonObject, MediaDuration, MediaLink,
    MediaUrl, TextOrObject, Video,
};

members! {
    /// Members of objects within media blocks: links, sources, captions, chapters, icons.
    PartMember {
        Href = "href",
        MediaType = "mediaType",
        Rel = "rel",
        Url = "url",
        Format = "format",
        Language = "language",
        Label = "label",
        Time = "time",
        Title = "title",
        Type = "type",
    }
}

type Part<'a> = Slots<'a, PartMember>;

pub(super) fn check_video(check: &mut BlockCheck<'_, '_>) -> Result<Video, Defect> {
    let form = Form::of(check);
    Ok(Video {
        name: check.text(form.name())?,
        url: media_url(check, form, "video")?,
        duration: duration(check, form),
        width: pixels(check, BlockMember::Width),
        height: pixels(check, BlockMember::Height),
        icon: icon(check, form, BlockMember::Poster)?,
        summary: check.optional_text(form.summary()),
        captions: captions(check)?,
        chapters: chapters(check),
        transcript: check.optional_text(BlockMember::Transcript),
    })
}

pub(super) fn check_audio(check: &mut BlockCheck<'_, '_>) -> Result<Audio, Defect> {
    let form = Form::of(check);
    let (attributed_to, part_of) = match form {
        Form::Current => (BlockMember::AttributedTo, BlockMember::PartOf),
        Form::Legacy => (BlockMember::Artist, BlockMember::Album),
    };
    Ok(Audio {
        name: check.text(form.name())?,
        url: media_url(check, form, "audio")?,
        duration: duration(check, form),
        icon: icon(check, form, BlockMember::CoverArt)?,
        summary: check.optional_text(form.summary()),
        attributed_to: text_or_object(check, attributed_to),
        part_of: text_or_object(check, part_of),
        chapters: chapters(check),
        transcript: check.optional_text(BlockMember::Transcript),
    })
}

/// The form of a media block, by draft.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// ActivityStreams names: `name`, `url`, `icon`, `summary`, ISO 8601 durations.
    Current,
    /// `title`, `sources`, `poster` or `coverArt`, `description`, seconds.
    Legacy,
}

impl Form {
    fn of(check: &mut BlockCheck<'_, '_>) -> Self {
        if check.get(BlockMember::Url).is_none() && check.get(BlockMember::Sources).is_some() {
            check.legacy_media();
            Self::Legacy
        } else {
            Self::Current
        }
    }

    fn name(self) -> BlockMember {
        match self {
            Self::Current => BlockMember::Name,
            Self::Legacy => BlockMember::Title,
        }
    }

    fn summary(self) -> BlockMember {
        match self {
            Self::Current => BlockMember::Summary,
            Self::Legacy => BlockMember::Description,
        }
    }
}

fn media_url(check: &mut BlockCheck<'_, '_>, form: Form, media: &str) -> Result<MediaUrl, Defect> {
    match form {
        Form::Current => {
            let value = check.required(BlockMember::Url, URL_OR_LINKS, |value| {
                value.is_string() || value.is_array()
            })?;
            if value.is_string() {
                Ok(MediaUrl::One(http_url(check, value)?))
            } else {
                links(check, value)
            }
        }
        Form::Legacy => sources(check, media),
    }
}

const URL_OR_LINKS: &str = "a URL or a list of objects with `href` and `mediaType`";

fn links<'a>(check: &mut BlockCheck<'a, '_>, value: Value<'a>) -> Result<MediaUrl, Defect> {
    let wrong = || {
        Defect::from(BlockProblem::WrongType {
            member: BlockMember::Url.name(),
            expected: URL_OR_LINKS,
        })
    };
    let links = objects(value, |part: &Part<'a>| {
        let rel = match part.get(PartMember::Rel) {
            Some(rel) => Some(text(rel)?),
            None => None,
        };
        Some((
            part.get(PartMember::Href).filter(Value::is_string)?,
            text(part.get(PartMember::MediaType)?)?,
            rel,
        ))
    })
    .filter(|links| !links.is_empty())
    .ok_or_else(wrong)?;
    links
        .into_iter()
        .map(|(href, media_type, rel)| {
            Ok(MediaLink {
                href: http_url(check, href)?,
                media_type,
                rel,
            })
        })
        .collect::<Result<_, Defect>>()
        .map(MediaUrl::Several)
}

/// Converts the sources and the embed of draft one to links.
fn sources(check: &mut BlockCheck<'_, '_>, media: &str) -> Result<MediaUrl, Defect> {
    let expected = "a list of objects with `url`";
    let member = BlockMember::Sources;
    let value = check.required(member, expected, Value::is_array)?;
    let sources = objects(value, |part: &Part<'_>| {
        let format = part.get(PartMember::Format).and_then(text);
        Some((part.get(PartMember::Url).filter(Value::is_string)?, format))
    })
    .filter(|sources| !sources.is_empty())
    .ok_or(BlockProblem::WrongType {
        member: member.name(),
        expected,
    })?;

    let mut links = Vec::new();
    for (url, format) in sources {
        let href = http_url(check, url)?;
        let media_type = legacy_media_type(media, format.as_deref(), href.as_str());
        links.push(MediaLink {
            href,
            media_type,
            rel: None,
        });
    }
    if let Some(embed) = check.optional(BlockMember::Embed, "a string", Value::is_string) {
        let (media_type, rel) = ("text/html".to_owned(), Some("alternate".to_owned()));
        links.push(MediaLink {
            href: http_url(check, embed)?,
            media_type,
            rel,
        });
    }
    Ok(MediaUrl::Several(links))
}

/// Guesses the media type of a source by its format (`mp4`), or by the extension of its URL.
fn legacy_media_type(media: &str, format: Option<&str>, url: &str) -> String {
    let from_url = || {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map(|(_, extension)| extension)
    };
    let format = format
        .or_else(from_url)
        .unwrap_or_default()
        .to_ascii_lowercase();
    if format.contains('/') {
        return format;
    }
    let subtype = match format.as_str() {
        "mp4" | "m4v" => "mp4",
        "webm" => "webm",
        "ogg" | "ogv" | "oga" | "opus" => "ogg",
        "mov" => "quicktime",
        "mp3" | "mpeg" => "mpeg",
        "m4a" | "aac" if media == "audio" => "mp4",
        "wav" => "wav",
        "flac" => "flac",
        _ => return "application/octet-stream".to_owned(),
    };
    format!("{media}/{subtype}")
}

fn duration(check: &mut BlockCheck<'_, '_>, form: Form) -> Option<MediaDuration> {
    let value = check.get(BlockMember::Duration)?;
    let duration = match form {
        Form::Current => value.text().and_then(|text| MediaDuration::new(text).ok()),
        Form::Legacy => value
            .non_negative_integer()
            .map(MediaDuration::from_seconds),
    };
    if duration.is_none() {
        check.ignore(
            BlockMember::Duration,
            match form {
                Form::Current => "an ISO 8601 duration such as `PT5M20S`",
                Form::Legacy => "a whole number of seconds",
            },
        );
    }
    duration
}

fn pixels(check: &mut BlockCheck<'_, '_>, member: BlockMember) -> Option<u64> {
    let pixels = check.get(member)?.non_negative_integer();
    if pixels.is_none() {
        check.ignore(member, "a whole number");
    }
    pixels
}

fn icon(
    check: &mut BlockCheck<'_, '_>,
    form: Form,
    legacy: BlockMember,
) -> Result<Option<Icon>, Defect> {
    let url = match form {
        Form::Legacy => check.optional(legacy, "a string", Value::is_string),
        Form::Current => match check.get(BlockMember::Icon) {
            None => None,
            Some(value) => match icon_url(value) {
                Some(url) => url,
                None => {
                    check.ignore(BlockMember::Icon, "an Image object with `url`");
                    None
                }
            },
        },
    };
    url.map(|url| http_url(check, url).map(|url| Icon { url }))
        .transpose()
}

/// Returns the URL of an Image object, which may be missing, as may its type: the schema requires neither. Returns
/// `None` if `value` is not an Image object.
fn icon_url(value: Value<'_>) -> Option<Option<Value<'_>>> {
    if value.kind != Kind::Object {
        return None;
    }
    let icon: Part<'_> = object(value)?;
    if icon
        .get(PartMember::Type)
        .is_some_and(|name| name.text().as_deref() != Some("Image"))
    {
        return None;
    }
    match icon.get(PartMember::Url) {
        Some(url) if url.is_string() => Some(Some(url)),
        Some(_) => None,
        None => Some(None),
    }
}

fn captions<'a>(check: &mut BlockCheck<'a, '_>) -> Result<Vec<Caption>, Defect> {
    let Some(value) = check.get(BlockMember::Captions) else {
        return Ok(Vec::new());
    };
    let parts = array_of(value, |part: &Part<'a>| {
        let url = part.get(PartMember::Url).filter(Value::is_string)?;
        Some((
            text(part.get(PartMember::Language)?)?,
            url,
            text(part.get(PartMember::Label)?)?,
        ))
    });
    let Some(parts) = parts else {
        check.ignore(
            BlockMember::Captions,
            "a list of objects with `language`, `url` and `label`",
        );
        return Ok(Vec::new());
    };
    parts
        .into_iter()
        .map(|(language, url, label)| {
            Ok(Caption {
                language,
                url: http_url(check, url)?,
                label,
            })
        })
        .collect()
}

fn chapters(check: &mut BlockCheck<'_, '_>) -> Vec<Chapter> {
    let Some(value) = check.get(BlockMember::Chapters) else {
        return Vec::new();
    };
    let chapters = array_of(value, |part: &Part<'_>| {
        let time = part.get(PartMember::Time)?.non_negative_integer()?;
        Some(Chapter {
            time,
            title: text(part.get(PartMember::Title)?)?,
        })
    });
    if chapters.is_none() {
        check.ignore(
            BlockMember::Chapters,
            "a list of objects with `time` in whole seconds and `title`",
        );
    }
    chapters.unwrap_or_default()
}

fn array_of<'a, T>(
    value: Value<'a>,
    element: impl FnMut(&Part<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    value.is_array().then(|| objects(value, element)).flatten()
}

fn text_or_object(check: &mut BlockCheck<'_, '_>, member: BlockMember) -> Option<TextOrObject> {
    let value = check.get(member)?;
    let named = match value.kind {
        Kind::Plain | Kind::Escaped => text(value).map(TextOrObject::Text),
        Kind::Object => Some(TextOrObject::Object(JsonObject::from_checked(value.raw))),
        _ => None,
    };
    if named.is_none() {
        check.ignore(member, "a string or an object");
    }
    named
}

fn text(value: Value<'_>) -> Option<String> {
    value.text().map(|text| text.into_owned())
}

fn http_url<'a>(check: &mut BlockCheck<'a, '_>, value: Value<'a>) -> Result<HttpUrl, Defect> {
    let url = check.link(value)?;
    HttpUrl::new(url.as_ref()).map_err(|_| Defect::Url {
        url: super::excerpt(&url),
        problem: crate::UrlProblem::NotHttp,
    })
}
