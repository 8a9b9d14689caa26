//! Machine pages: the JSON behind a machine URL.

mod read;

use sitecast_scp::{HttpUrl, JsonObject, LanguageTag, Page, Timestamp};

use crate::canonical::{canonicalize_foreign, write_text};
use crate::{ContentHash, page_text};

pub use read::{PageError, PageWarning, ReadPage, Verification};

/// The profile that this crate writes.
pub const PROFILE: &str = "tct-1";

/// What a machine page takes beside its content, most of the time.
const ROOM_FOR_THE_REST: usize = 512;

/// A machine page, as it is built from a [`Page`].
///
/// ```
/// use sitecast_scp::{Block, Page};
/// use sitecast_tct::MachinePage;
///
/// let mut page = Page::new("https://example.com/post/".parse()?, "Title", "2025-10-15T14:30:00Z".parse()?, "en".parse()?);
/// page.content.push(Block::Text { text: "Text.".to_owned() });
/// let payload = MachinePage::minimal(&page).payload();
/// assert_eq!(payload.json, format!(
///     r#"{{"canonical_url":"https://example.com/post/","content":"Title\n\nText.","hash":"{}","profile":"tct-1","title":"Title"}}"#,
///     payload.hash));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MachinePage {
    /// The page's own URL.
    pub canonical_url: HttpUrl,
    /// Its title.
    pub title: String,
    /// What it says, as plain text.
    pub content: String,
    /// The language of it.
    pub language: Option<LanguageTag>,
    /// When it first appeared.
    pub published: Option<Timestamp>,
    /// When it last changed.
    pub modified: Option<Timestamp>,
    /// Schema.org data.
    pub structured_data: Option<JsonObject>,
}

/// A machine page ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The body: canonical JSON without a line feed at its end.
    pub json: String,
    /// Its hash by Method A, which is also its entity tag and what the JSON sitemap says.
    pub hash: ContentHash,
}

impl MachinePage {
    /// With the members that every machine page has.
    pub fn minimal(page: &Page) -> Self {
        Self {
            canonical_url: page.url.clone(),
            title: page.title.clone(),
            content: page_text(page),
            language: None,
            published: None,
            modified: None,
            structured_data: None,
        }
    }

    /// With language, dates and Schema.org data as well, where the page has them.
    pub fn extended(page: &Page) -> Self {
        Self {
            language: Some(page.language.clone()),
            published: page.published,
            modified: Some(page.modified),
            structured_data: page.schema.clone(),
            ..Self::minimal(page)
        }
    }

    /// The body and its hash.
    ///
    /// Numbers in the Schema.org data that a double cannot hold become strings, as the draft asks;
    /// data nested deeper than 128 levels is left out.
    pub fn payload(&self) -> Payload {
        let data = self
            .structured_data
            .as_ref()
            .and_then(|data| canonicalize_foreign(data.as_str()).ok());
        let mut json =
            String::with_capacity(self.content.len() + self.content.len() / 8 + ROOM_FOR_THE_REST);
        let before_hash = self.write(data.as_deref(), &mut json);
        let hash = ContentHash::of(json.as_bytes());
        json.insert_str(before_hash, &format!(",\"hash\":\"{hash}\""));
        Payload { json, hash }
    }

    /// The members in the order of their names, which is all that canonical JSON asks here. All but the hash, which is
    /// of all others; answers where it belongs.
    fn write(&self, structured_data: Option<&str>, json: &mut String) -> usize {
        let mut member = |name: &str, text: Option<&str>| {
            if let Some(text) = text {
                json.push(if json.is_empty() { '{' } else { ',' });
                write_text(name, json);
                json.push(':');
                write_text(text, json);
            }
            json.len()
        };
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        member("canonical_url", Some(self.canonical_url.as_str()));
        let before_hash = member("content", Some(&self.content));
        member("language", self.language.as_ref().map(LanguageTag::as_str));
        member("modified", time(self.modified).as_deref());
        member("profile", Some(PROFILE));
        member("published", time(self.published).as_deref());
        if let Some(data) = structured_data {
            json.push_str(",\"structured_data\":");
            json.push_str(data);
        }
        json.push_str(",\"title\":");
        write_text(&self.title, json);
        json.push('}');
        before_hash
    }
}

/// Whether the profile is that of a draft that this crate can read.
pub(crate) fn is_known_profile(profile: &str) -> bool {
    let uri = "https://www.ietf.org/archive/id/draft-jurkovikj-collab-tunnel-";
    profile == PROFILE || profile.starts_with(uri)
}

pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(100).collect()
}
