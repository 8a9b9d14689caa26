//! Machine pages: the JSON at a machine URL.

mod read;

use sitecast_scp::{HttpUrl, JsonObject, LanguageTag, Page, Timestamp};

use crate::canonical::{canonicalize_foreign, write_text};
use crate::{ContentHash, page_text};

pub use read::{PageError, PageWarning, ReadPage, Verification};

/// The profile that this crate writes.
pub const PROFILE: &str = "tct-1";

/// Typical bytes of a machine page without its content, for the initial capacity.
const OVERHEAD_BYTES: usize = 512;

/// A machine page, built from a [`Page`].
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
    /// The URL of the page for people.
    pub canonical_url: HttpUrl,
    /// The title of the page.
    pub title: String,
    /// The content as plain text.
    pub content: String,
    /// The language of the content.
    pub language: Option<LanguageTag>,
    /// The time of first publication.
    pub published: Option<Timestamp>,
    /// The time of the last change.
    pub modified: Option<Timestamp>,
    /// Schema.org data (JSON-LD).
    pub structured_data: Option<JsonObject>,
}

/// A machine page ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The body: canonical JSON without a final line feed.
    pub json: String,
    /// The hash by Method A, which is also the entity tag and the hash in the JSON sitemap.
    pub hash: ContentHash,
}

impl MachinePage {
    /// Builds a machine page with the required members only.
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

    /// Builds a machine page that also has the page's language, dates and Schema.org data.
    pub fn extended(page: &Page) -> Self {
        Self {
            language: Some(page.language.clone()),
            published: page.published,
            modified: Some(page.modified),
            structured_data: page.schema.clone(),
            ..Self::minimal(page)
        }
    }

    /// Returns the body and its hash.
    ///
    /// Numbers in the Schema.org data that do not fit a double become strings, as the draft asks. Data nested deeper than
    /// 128 levels is left out.
    pub fn payload(&self) -> Payload {
        let data = self
            .structured_data
            .as_ref()
            .and_then(|data| canonicalize_foreign(data.as_str()).ok());
        let mut json =
            String::with_capacity(self.content.len() + self.content.len() / 8 + OVERHEAD_BYTES);
        let before_hash = self.write(data.as_deref(), &mut json);
        let hash = ContentHash::of(json.as_bytes());
        json.insert_str(before_hash, &format!(",\"hash\":\"{hash}\""));
        Payload { json, hash }
    }

    /// Writes the members sorted by name, which makes the JSON canonical, except for `hash`, the hash of all others.
    /// Returns the offset at which to insert it.
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

/// Returns true for the profiles of drafts that this crate can read.
pub(crate) fn is_known_profile(profile: &str) -> bool {
    let uri = "https://www.ietf.org/archive/id/draft-jurkovikj-collab-tunnel-";
    profile == PROFILE || profile.starts_with(uri)
}

pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(100).collect()
}
