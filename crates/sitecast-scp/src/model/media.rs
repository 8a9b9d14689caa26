//! Video and audio blocks.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::{HttpUrl, JsonObject, MediaDuration};

/// A video: the properties of an ActivityStreams 2.0 Video, and captions, chapters and a transcript for search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Video {
    /// The title.
    pub name: String,
    /// The URL of the video, or several.
    pub url: MediaUrl,
    /// The length in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<MediaDuration>,
    /// The width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// The height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// A still image of the video.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// A short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Caption files, one for each language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captions: Vec<Caption>,
    /// The chapters, with their start times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
    /// The spoken words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// An audio recording: the properties of an ActivityStreams 2.0 Audio, and chapters and a transcript for search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audio {
    /// The title.
    pub name: String,
    /// The URL of the recording, or several.
    pub url: MediaUrl,
    /// The length in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<MediaDuration>,
    /// The cover image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// A short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The artist or author: a name, or a Person object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributed_to: Option<TextOrObject>,
    /// The album or series: a name, or a Collection object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<TextOrObject>,
    /// The chapters, with their start times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
    /// The spoken words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// The URL or URLs of a video or audio recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MediaUrl {
    /// One URL.
    One(HttpUrl),
    /// The same medium in several formats or at several URLs; at least one.
    Several(Vec<MediaLink>),
}

/// One of several URLs of a video or audio recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaLink {
    /// The URL.
    pub href: HttpUrl,
    /// The media type of the resource at the URL, such as `video/mp4`.
    pub media_type: String,
    /// The link relation, such as `alternate` for a page with a player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// A small image that represents a video or audio recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// The URL of the image file.
    pub url: HttpUrl,
}

/// Serialises to an ActivityStreams Image object.
impl Serialize for Icon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut image = serializer.serialize_struct("Icon", 2)?;
        image.serialize_field("type", "Image")?;
        image.serialize_field("url", &self.url)?;
        image.end()
    }
}

/// A file with the captions of a video in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caption {
    /// The language as the site gives it; not validated.
    pub language: String,
    /// The URL of the WebVTT file.
    pub url: HttpUrl,
    /// The name to display.
    pub label: String,
}

/// A chapter of a video or audio recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chapter {
    /// The start of the chapter, in seconds from the beginning.
    pub time: u64,
    /// The title of the chapter.
    pub title: String,
}

/// A name, or an object with more details.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TextOrObject {
    /// A name.
    Text(String),
    /// An ActivityStreams object.
    Object(JsonObject),
}
