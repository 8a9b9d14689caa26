use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::{HttpUrl, JsonObject, MediaDuration};

/// A video with the properties of an ActivityStreams 2.0 Video and what search needs beyond them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Video {
    /// Its title.
    pub name: String,
    /// Where it is.
    pub url: MediaUrl,
    /// How long it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<MediaDuration>,
    /// Pixels across.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    /// Pixels down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// A still picture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Files with captions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub captions: Vec<Caption>,
    /// Where its parts begin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
    /// What is said in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// A sound with the properties of an ActivityStreams 2.0 Audio and what search needs beyond them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audio {
    /// Its title.
    pub name: String,
    /// Where it is.
    pub url: MediaUrl,
    /// How long it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<MediaDuration>,
    /// Its cover.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Who made it: a name, or a Person object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributed_to: Option<TextOrObject>,
    /// The album or series: a name, or a Collection object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<TextOrObject>,
    /// Where its parts begin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
    /// What is said in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// Where a video or a sound is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MediaUrl {
    /// One URL.
    One(HttpUrl),
    /// The same thing in several formats or places; at least one.
    Several(Vec<MediaLink>),
}

/// One of several places of a video or a sound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MediaLink {
    /// Where.
    pub href: HttpUrl,
    /// The media type of what is there, such as `video/mp4`.
    pub media_type: String,
    /// How it relates to the thing, such as `alternate` for a page that plays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// A small picture that stands for a video or a sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    /// Where it is.
    pub url: HttpUrl,
}

/// As an ActivityStreams Image object.
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
    /// The language, as the publisher names it.
    pub language: String,
    /// Where the WebVTT file is.
    pub url: HttpUrl,
    /// What to call it.
    pub label: String,
}

/// Where a part of a video or a sound begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chapter {
    /// Seconds from the beginning.
    pub time: u64,
    /// What to call it.
    pub title: String,
}

/// A name, or an object that says more.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TextOrObject {
    /// A name.
    Text(String),
    /// An ActivityStreams object.
    Object(JsonObject),
}
