//! Players: elements that play a video or a sound, and hosts whose players are embedded.

use sitecast_scp::HttpUrl;
use url::Url;

use super::class::{classes, has_class};
use super::link::resolve;
use crate::dom::{Element, Tag};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Video,
    Audio,
}

use Kind::{Audio, Video};

/// Returns true if the element may be a player.
pub(super) fn is_player(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Video | Tag::Audio | Tag::Iframe | Tag::Embed | Tag::Object => true,
        Tag::Div | Tag::A | Tag::Other => placeholder_url(element).is_some(),
        _ => false,
    }
}

/// Hosts and the paths of their players. A host includes its subdomains.
const HOSTS: &[(&str, &str, Kind, &str)] = &[
    ("youtube.com", "/embed/", Video, "YouTube"),
    ("youtube.com", "/v/", Video, "YouTube"),
    ("youtube-nocookie.com", "/embed/", Video, "YouTube"),
    ("player.vimeo.com", "/video/", Video, "Vimeo"),
    ("vimeo.com", "/event/", Video, "Vimeo"),
    ("dailymotion.com", "/embed/", Video, "Dailymotion"),
    ("geo.dailymotion.com", "/player", Video, "Dailymotion"),
    ("tiktok.com", "/embed", Video, "TikTok"),
    ("tiktok.com", "/player/", Video, "TikTok"),
    ("wistia.net", "/embed/", Video, "Wistia"),
    ("wistia.com", "/embed/", Video, "Wistia"),
    ("loom.com", "/embed/", Video, "Loom"),
    ("player.twitch.tv", "/", Video, "Twitch"),
    ("clips.twitch.tv", "/embed", Video, "Twitch"),
    ("facebook.com", "/plugins/video", Video, "Facebook"),
    ("streamable.com", "/", Video, "Streamable"),
    ("rumble.com", "/embed/", Video, "Rumble"),
    ("odysee.com", "/$/embed/", Video, "Odysee"),
    ("player.bilibili.com", "/", Video, "Bilibili"),
    ("rutube.ru", "/play/embed/", Video, "Rutube"),
    ("player.youku.com", "/embed/", Video, "Youku"),
    ("embed.nicovideo.jp", "/", Video, "Niconico"),
    ("cdn.jwplayer.com", "/players/", Video, "JW Player"),
    ("content.jwplatform.com", "/players/", Video, "JW Player"),
    ("players.brightcove.net", "/", Video, "Brightcove"),
    ("play.vidyard.com", "/", Video, "Vidyard"),
    ("embed.ted.com", "/", Video, "TED"),
    ("media.ccc.de", "/v/", Video, "media.ccc.de"),
    ("archive.org", "/embed/", Video, "Internet Archive"),
    ("fast.wistia.net", "/embed/", Video, "Wistia"),
    ("iframe.mediadelivery.net", "/embed/", Video, "Bunny Stream"),
    ("videos.sproutvideo.com", "/embed/", Video, "SproutVideo"),
    ("w.soundcloud.com", "/player", Audio, "SoundCloud"),
    ("open.spotify.com", "/embed", Audio, "Spotify"),
    ("embed.podcasts.apple.com", "/", Audio, "Apple Podcasts"),
    ("embed.music.apple.com", "/", Audio, "Apple Music"),
    ("bandcamp.com", "/embeddedplayer", Audio, "Bandcamp"),
    ("mixcloud.com", "/widget/", Audio, "Mixcloud"),
    ("widget.deezer.com", "/", Audio, "Deezer"),
    ("buzzsprout.com", "/", Audio, "Buzzsprout"),
    ("html5-player.libsyn.com", "/embed/", Audio, "Libsyn"),
    ("playlist.megaphone.fm", "/", Audio, "Megaphone"),
    ("player.megaphone.fm", "/", Audio, "Megaphone"),
    ("anchor.fm", "/", Audio, "Spotify for Podcasters"),
    ("player.simplecast.com", "/", Audio, "Simplecast"),
    ("share.transistor.fm", "/e/", Audio, "Transistor"),
    ("podbean.com", "/player", Audio, "Podbean"),
    ("widget.spreaker.com", "/player", Audio, "Spreaker"),
    ("embeds.audioboom.com", "/", Audio, "Audioboom"),
    ("embed.acast.com", "/", Audio, "Acast"),
    ("player.captivate.fm", "/", Audio, "Captivate"),
    ("omny.fm", "/", Audio, "Omny"),
    ("player.fireside.fm", "/", Audio, "Fireside"),
];

/// Returns the kind of player that a URL in a frame shows, and the name of its host.
pub(super) fn host(url: &str) -> Option<(Kind, &'static str)> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let path = url.path().to_ascii_lowercase();
    if path.contains("/videos/embed/") {
        return Some((Video, "PeerTube"));
    }
    HOSTS
        .iter()
        .find(|(name, start, _, _)| {
            let is_host = host
                .strip_suffix(name)
                .is_some_and(|sub| sub.is_empty() || sub.ends_with('.'));
            is_host && path.starts_with(start)
        })
        .map(|(_, _, kind, name)| (*kind, *name))
}

/// Returns the URL of the player that a script will put in place of this element.
fn placeholder_url(element: Element<'_>) -> Option<String> {
    let attribute = |names: &[&str]| {
        let value = names
            .iter()
            .find_map(|name| element.attribute(name))?
            .trim();
        let is_id = !value.is_empty()
            && value.len() <= 64
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        is_id.then_some(value)
    };
    let youtube = |id: &str| format!("https://www.youtube.com/embed/{id}");
    let vimeo = |id: &str| format!("https://player.vimeo.com/video/{id}");
    if element.tag == Tag::Other {
        return match element.name() {
            "lite-youtube" | "youtube-video" | "amp-youtube" => {
                attribute(&["videoid", "data-videoid", "video-id"]).map(youtube)
            }
            "lite-vimeo" | "vimeo-video" | "amp-vimeo" => {
                attribute(&["videoid", "data-videoid", "video-id"]).map(vimeo)
            }
            "wistia-player" => attribute(&["media-id"])
                .map(|id| format!("https://fast.wistia.net/embed/iframe/{id}")),
            _ => None,
        };
    }
    // All of these class names contain a `y`, and few others do.
    let class = element.attribute("class")?;
    if !class.bytes().any(|byte| matches!(byte, b'y' | b'Y')) {
        return None;
    }
    if has_class(
        element,
        &[
            "youtube-player",
            "rll-youtube-player",
            "lazyyt",
            "lite-youtube",
            "lyte",
            "yt-lite",
        ],
    ) {
        return attribute(&[
            "data-id",
            "data-youtube-id",
            "data-videoid",
            "data-video-id",
        ])
        .map(youtube);
    }
    classes(element)
        .find_map(|word| word.strip_prefix("wistia_async_"))
        .filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric()))
        .map(|id| format!("https://fast.wistia.net/embed/iframe/{id}"))
}

/// Returns the URL of the player that a frame, or an element that a script replaces by one, shows.
pub(super) fn framed_url(element: Element<'_>, base: &Url) -> Option<HttpUrl> {
    if let Some(url) = placeholder_url(element) {
        return HttpUrl::new(url).ok();
    }
    [
        "data-src",
        "data-lazy-src",
        "data-litespeed-src",
        "data-cookieblock-src",
        "data-cmp-src",
        "src",
        "data-url",
        "data",
    ]
    .iter()
    .find_map(|name| resolve(base, element.attribute(name)?))
}

/// Returns the media type of a file by its extension.
pub(super) fn media_type(url: &str, kind: Kind) -> Option<&'static str> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let (_, extension) = name.rsplit_once('.')?;
    Some(match (extension.to_ascii_lowercase().as_str(), kind) {
        ("mp4" | "m4v", _) => "video/mp4",
        ("webm", Video) => "video/webm",
        ("webm" | "weba", Audio) => "audio/webm",
        ("ogv", _) | ("ogg", Video) => "video/ogg",
        ("ogg" | "oga" | "opus", _) => "audio/ogg",
        ("mov", _) => "video/quicktime",
        ("m3u8", _) => "application/vnd.apple.mpegurl",
        ("mpd", _) => "application/dash+xml",
        ("mp3", _) => "audio/mpeg",
        ("m4a" | "aac", _) => "audio/mp4",
        ("wav", _) => "audio/wav",
        ("flac", _) => "audio/flac",
        _ => return None,
    })
}
