//! One page of a site.

use serde::Serialize;

use crate::validate::{BlockView, Verdict, check_page};
use crate::{Block, HttpUrl, JsonObject, LanguageTag, Limits, PageError, Timestamp, WarningKind};

/// One page of a site: its metadata, and its content as a sequence of blocks.
///
/// The fields are in the order in which they are written. Members that this version does not know
/// are not kept; [`PageRecord::line`](crate::PageRecord::line) has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// The URL of the page.
    pub url: HttpUrl,
    /// The title.
    pub title: String,
    /// A description of one or two sentences; may be empty.
    pub description: String,
    /// The name of the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The time of the first publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Timestamp>,
    /// The time of the last change of the content.
    pub modified: Timestamp,
    /// The language of the content.
    pub language: LanguageTag,
    /// The canonical URL of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<HttpUrl>,
    /// Schema.org data as a JSON-LD object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
    /// The content.
    pub content: Vec<Block>,
    /// Robots directives of drafts one and two. Read, never written.
    #[serde(skip)]
    pub robots: Vec<String>,
}

impl Page {
    /// A page with the required metadata, an empty description and no content.
    ///
    /// ```
    /// use sitecast_scp::{Block, Page};
    ///
    /// let modified = "2025-01-15T09:00:00Z".parse()?;
    /// let mut page = Page::new("https://example.com/".parse()?, "Home", modified, "en".parse()?);
    /// page.content.push(Block::Text { text: "Hello".to_owned() });
    /// # Ok::<(), sitecast_scp::InvalidValue>(())
    /// ```
    pub fn new(
        url: HttpUrl,
        title: impl Into<String>,
        modified: Timestamp,
        language: LanguageTag,
    ) -> Self {
        Self {
            url,
            title: title.into(),
            description: String::new(),
            author: None,
            published: None,
            modified,
            language,
            canonical: None,
            schema: None,
            content: Vec::new(),
            robots: Vec::new(),
        }
    }

    /// Reads one line of a collection by the rules of [`Reader`](crate::Reader): drops unusable blocks and members,
    /// clamps heading levels and converts the media of older drafts. Returns a warning for each such change.
    ///
    /// ```
    /// use sitecast_scp::{Limits, Page};
    ///
    /// let line = r#"{"url":"https://example.com/","title":"Home","description":"",
    ///     "modified":"2025-01-15T09:00:00Z","language":"en",
    ///     "content":[{"type":"text","text":"Hello"},{"type":"poll"}]}"#;
    /// let (page, warnings) = Page::from_line(line, &Limits::default())?;
    /// assert_eq!(page.content.len(), 1);
    /// assert_eq!(warnings[0].code(), "unknown-block");
    /// # Ok::<(), sitecast_scp::PageError>(())
    /// ```
    pub fn from_line(line: &str, limits: &Limits) -> Result<(Self, Vec<WarningKind>), PageError> {
        let mut warnings = Vec::new();
        let mut content = Vec::new();
        let mut structured = None;
        let verdict = check_page(line, limits, &mut warnings, |view| match view {
            BlockView::Structured { data } => {
                structured = structured
                    .take()
                    .or_else(|| Some(JsonObject::from_checked(data.raw)));
            }
            view => content.extend(view.into_block()),
        })?;
        match verdict {
            Verdict::Rejected { rejection, .. } => {
                Err(PageError::Page(WarningKind::PageRejected(rejection)))
            }
            Verdict::Kept(view) => view
                .to_page(content, structured)
                .map(|page| (page, warnings))
                .map_err(|problem| PageError::Page(WarningKind::PageRejected(problem))),
        }
    }
}
