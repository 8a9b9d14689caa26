//! The blocks of a page's content.

use serde::Serialize;

use super::{Audio, Video};
use crate::HttpUrl;

/// One block of a page's content.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Block {
    /// A paragraph.
    Text {
        /// The text; line feeds are line breaks.
        text: String,
    },
    /// A heading.
    Heading {
        /// From 1, the highest, to 6.
        level: HeadingLevel,
        /// The text of the heading.
        text: String,
    },
    /// A link.
    Link {
        /// The target of the link.
        url: HttpUrl,
        /// The text of the link.
        text: String,
        /// Link relations, such as `nofollow`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rel: Vec<String>,
    },
    /// An image.
    Image {
        /// The URL of the image file.
        url: HttpUrl,
        /// The alternative text; may be empty.
        alt: String,
    },
    /// A list.
    List {
        /// True if the items are numbered.
        ordered: bool,
        /// The texts of the items. An item of a nested list is indented and has a marker: see [`list_items`](crate::list_items).
        items: Vec<String>,
    },
    /// Source code or other preformatted text.
    Code {
        /// The programming language, where known.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<String>,
        /// The code, with its white space.
        code: String,
    },
    /// A table.
    Table {
        /// Its cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// A quotation.
    Quote {
        /// The quoted text.
        text: String,
        /// The source of the quotation.
        #[serde(skip_serializing_if = "Option::is_none")]
        citation: Option<String>,
    },
    /// A video.
    Video(Video),
    /// An audio recording.
    Audio(Audio),
}

/// The level of a heading, 1 to 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct HeadingLevel(u8);

impl HeadingLevel {
    /// The valid level nearest to `level`.
    pub fn clamped(level: u8) -> Self {
        Self(level.clamp(1, 6))
    }

    /// The level as a number.
    pub fn get(self) -> u8 {
        self.0
    }
}
