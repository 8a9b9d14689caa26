//! Videos and sounds with their metadata.

use sitecast_scp::{
    Audio, Block, Caption, HttpUrl, Icon, MediaDuration, MediaLink, MediaUrl, Video,
};
use url::Url;

use super::class::whole_number;
use super::embed::{Kind, framed_url, host, media_type};
use super::link::resolve;
use super::prose::tidy;
use super::transcript::clock;
use crate::dom::{Dom, Element, NodeId, Tag};

/// Look at this many siblings of a player for schema.org metadata.
const DESCRIBING_SIBLINGS: usize = 16;
/// The most files or captions of one player.
const MAX_FILES: usize = 32;

pub(super) struct Player {
    kind: Kind,
    url: MediaUrl,
    name: Option<String>,
    /// The name of its host.
    host: Option<&'static str>,
    file: Option<String>,
    icon: Option<Icon>,
    duration: Option<MediaDuration>,
    summary: Option<String>,
    size: [Option<u64>; 2],
    captions: Vec<Caption>,
}

impl Player {
    pub(super) fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Makes the block. A player without a name takes `heading`, its file name or its host.
    pub(super) fn into_block(self, heading: Option<&str>) -> Block {
        let name = self
            .name
            .or_else(|| heading.map(str::to_owned))
            .or(self.file)
            .or_else(|| self.host.map(str::to_owned))
            .unwrap_or_default();
        let (url, duration, icon, summary) = (self.url, self.duration, self.icon, self.summary);
        let [width, height] = self.size;
        match self.kind {
            Kind::Video => Block::Video(Video {
                name,
                url,
                duration,
                width,
                height,
                icon,
                summary,
                captions: self.captions,
                chapters: Vec::new(),
                transcript: None,
            }),
            Kind::Audio => Block::Audio(Audio {
                name,
                url,
                duration,
                icon,
                summary,
                attributed_to: None,
                part_of: None,
                chapters: Vec::new(),
                transcript: None,
            }),
        }
    }
}

pub(super) fn read(dom: &Dom, id: NodeId, element: Element<'_>, base: &Url) -> Option<Player> {
    let (kind, url, owner) = match element.tag {
        Tag::Video => (
            Kind::Video,
            files(dom, id, element, base, Kind::Video)?,
            None,
        ),
        Tag::Audio => (
            Kind::Audio,
            files(dom, id, element, base, Kind::Audio)?,
            None,
        ),
        _ => {
            let url = framed_url(element, base)?;
            let (kind, owner) = match host(url.as_str()) {
                Some((kind, owner)) => (kind, Some(owner)),
                None => (kind_of_file(element, url.as_str())?, None),
            };
            (kind, MediaUrl::One(url), owner)
        }
    };
    let stated = SchemaMetadata::about(dom, id);
    let name = ["title", "aria-label", "playlabel", "data-title"]
        .iter()
        .find_map(|name| tidy(element.attribute(name)?))
        .filter(|name| !names_only_the_player(name))
        .or_else(|| tidy(stated.name?));
    let poster = element.attribute("poster").or(stated.thumbnail);
    let duration = element.attribute("data-duration").or(stated.duration);
    let pixels = |name| {
        let value = element
            .attribute(name)
            .filter(|value| !value.contains('%'))?;
        u64::try_from(whole_number(value)?)
            .ok()
            .filter(|pixels| *pixels > 0)
    };
    Some(Player {
        kind,
        name,
        host: owner,
        file: owner.is_none().then(|| file_name(&url)).flatten(),
        url,
        icon: poster
            .and_then(|poster| resolve(base, poster))
            .map(|url| Icon { url }),
        duration: duration.and_then(read_duration),
        summary: stated.description.and_then(tidy),
        size: [pixels("width"), pixels("height")],
        captions: captions(dom, id, base),
    })
}

/// Returns true for titles that hosts put into the code for embedding.
fn names_only_the_player(name: &str) -> bool {
    let name = name.to_lowercase();
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.all(|word| {
        matches!(
            word,
            "audio"
                | "embed"
                | "embedded"
                | "iframe"
                | "player"
                | "podcast"
                | "soundcloud"
                | "spotify"
                | "video"
                | "vimeo"
                | "wistia"
                | "youtube"
        )
    })
}

/// Returns the distinct files that a `video` or `audio` names.
fn files(dom: &Dom, id: NodeId, element: Element<'_>, base: &Url, kind: Kind) -> Option<MediaUrl> {
    let own = ["src", "data-src", "data-lazy-src"]
        .iter()
        .filter_map(|name| Some((element.attribute(name)?, None)));
    let sources = dom
        .elements(id)
        .take(MAX_FILES * 4)
        .filter(|(_, source)| source.tag == Tag::Source)
        .filter_map(|(_, source)| {
            let url = source.attribute("src").or(source.attribute("data-src"))?;
            Some((url, source.attribute("type")))
        });
    let mut links: Vec<MediaLink> = Vec::new();
    for (url, declared) in own.chain(sources).take(MAX_FILES) {
        let Some(href) = resolve(base, url) else {
            continue;
        };
        if links.iter().any(|link| link.href == href) {
            continue;
        }
        let declared = declared
            .and_then(|name| name.split(';').next())
            .map(|name| name.trim().to_ascii_lowercase())
            .filter(|name| name.contains('/'));
        let media_type = declared
            .or_else(|| media_type(href.as_str(), kind).map(str::to_owned))
            .unwrap_or_else(|| "application/octet-stream".to_owned());
        links.push(MediaLink {
            href,
            media_type,
            rel: None,
        });
    }
    match links.len() {
        0 => None,
        1 => links.pop().map(|link| MediaUrl::One(link.href)),
        _ => Some(MediaUrl::Several(links)),
    }
}

/// Returns the kind of the file that a frame or an object plays.
fn kind_of_file(element: Element<'_>, url: &str) -> Option<Kind> {
    let declared = element.attribute("type").unwrap_or_default();
    let found = media_type(url, Kind::Video).unwrap_or_default();
    [declared, found].iter().find_map(|media_type| {
        if media_type.starts_with("video/") {
            Some(Kind::Video)
        } else if media_type.starts_with("audio/") {
            Some(Kind::Audio)
        } else {
            None
        }
    })
}

fn file_name(url: &MediaUrl) -> Option<String> {
    let url = match url {
        MediaUrl::One(url) => url,
        MediaUrl::Several(links) => &links.first()?.href,
    };
    let path = url.as_str().split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn captions(dom: &Dom, id: NodeId, base: &Url) -> Vec<Caption> {
    dom.elements(id)
        .take(MAX_FILES * 4)
        .filter(|(_, track)| track.tag == Tag::Track)
        .filter(|(_, track)| {
            // HTML, "the track element": the default kind is `subtitles`.
            let kind = track.attribute("kind").unwrap_or("subtitles");
            kind.eq_ignore_ascii_case("captions") || kind.eq_ignore_ascii_case("subtitles")
        })
        .filter_map(|(_, track)| {
            let url: HttpUrl = resolve(base, track.attribute("src")?)?;
            let language = track.attribute("srclang").and_then(tidy);
            let label = track.attribute("label").and_then(tidy);
            Some(Caption {
                label: label.or_else(|| language.clone())?,
                // BCP 47 has a tag for undetermined languages.
                language: language.unwrap_or_else(|| "und".to_owned()),
                url,
            })
        })
        .collect()
}

/// schema.org metadata beside a player.
#[derive(Default)]
struct SchemaMetadata<'a> {
    name: Option<&'a str>,
    thumbnail: Option<&'a str>,
    duration: Option<&'a str>,
    description: Option<&'a str>,
}

impl<'a> SchemaMetadata<'a> {
    fn about(dom: &'a Dom, id: NodeId) -> Self {
        let mut found = Self::default();
        let Some(parent) = dom.parent(id) else {
            return found;
        };
        let is_media = dom
            .attribute(parent, "itemtype")
            .is_some_and(|kind| kind.contains("VideoObject") || kind.contains("AudioObject"));
        if !is_media {
            return found;
        }
        let described = dom.children(parent).take(DESCRIBING_SIBLINGS);
        for element in described.filter_map(|id| dom.element(id)) {
            let content = element.attribute("content").or(element.attribute("href"));
            match element.attribute("itemprop") {
                Some("name") => found.name = content,
                Some("thumbnailUrl" | "thumbnail") => found.thumbnail = content,
                Some("duration") => found.duration = content,
                Some("description") => found.description = content,
                _ => {}
            }
        }
        found
    }
}

/// Reads a duration in ISO 8601, as a clock shows it, or in seconds.
fn read_duration(text: &str) -> Option<MediaDuration> {
    let text = text.trim();
    if let Ok(duration) = MediaDuration::new(text.to_ascii_uppercase()) {
        return Some(duration);
    }
    let seconds = clock(text).or_else(|| {
        let whole = text.split('.').next()?;
        whole.parse().ok()
    })?;
    (seconds > 0).then(|| MediaDuration::from_seconds(seconds))
}
