use serde::Serialize;

use super::{Audio, Video};
use crate::HttpUrl;

/// A piece of a page's content.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Block {
    /// A paragraph.
    Text {
        /// What it says.
        text: String,
    },
    /// A heading.
    Heading {
        /// From 1, the highest, to 6.
        level: HeadingLevel,
        /// What it says.
        text: String,
    },
    /// A link.
    Link {
        /// Where it leads.
        url: HttpUrl,
        /// What it says.
        text: String,
        /// Its relations, such as `nofollow`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rel: Vec<String>,
    },
    /// A picture.
    Image {
        /// Where it is.
        url: HttpUrl,
        /// What it shows, in words.
        alt: String,
    },
    /// A list.
    List {
        /// Whether the items are numbered.
        ordered: bool,
        /// Their texts.
        items: Vec<String>,
    },
    /// Program text.
    Code {
        /// The programming language, where known.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        /// The text, white space and all.
        code: String,
    },
    /// A table.
    Table {
        /// Its cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// A quotation.
    Quote {
        /// What it says.
        text: String,
        /// Whose it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        citation: Option<String>,
    },
    /// A video.
    Video(Video),
    /// A sound.
    Audio(Audio),
}

/// The level of a heading, 1 to 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct HeadingLevel(u8);

impl HeadingLevel {
    /// The nearest level that there is.
    pub fn clamped(level: u8) -> Self {
        Self(level.clamp(1, 6))
    }

    /// The level as a number.
    pub fn get(self) -> u8 {
        self.0
    }
}
