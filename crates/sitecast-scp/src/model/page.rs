use serde::Serialize;

use crate::validate::{BlockView, Verdict, check_page};
use crate::{Block, HttpUrl, JsonObject, LanguageTag, Limits, PageError, Timestamp, WarningKind};

/// One page of a site: what it is called, when it changed, and its content as ordered blocks.
///
/// Members are in the order in which they are written. Members that this version does not know
/// are not kept here; [`PageRecord::line`](crate::PageRecord::line) has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// Where the page is.
    pub url: HttpUrl,
    /// Its title.
    pub title: String,
    /// What it is about, in a sentence or two; may be empty.
    pub description: String,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it first appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Timestamp>,
    /// When its content last changed.
    pub modified: Timestamp,
    /// The language of its content.
    pub language: LanguageTag,
    /// The URL it prefers to be known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<HttpUrl>,
    /// Schema.org data as a JSON-LD object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<JsonObject>,
    /// The content.
    pub content: Vec<Block>,
    /// Robots directives, which drafts one and two carry. Read, never written.
    #[serde(skip)]
    pub robots: Vec<String>,
}

impl Page {
    /// A page with what every page has, and no content yet.
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

    /// Reads one line of a collection, with the same rules as [`Reader`](crate::Reader): what it
    /// would drop is dropped, what it would clamp is clamped, media of older drafts come in their
    /// present form. Also answers what was dropped or changed.
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
