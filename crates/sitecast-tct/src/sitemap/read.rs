//! Reading JSON sitemaps, item by item.

use std::collections::VecDeque;
use std::io::Read;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use sitecast_scp::{HttpUrl, Timestamp};

use super::{MAX_ITEMS, ReadError, ReadErrorKind, Warning, WarningKind};
use crate::page::{excerpt, is_known_profile};
use crate::stream::{JsonStream, StreamError, Value};
use crate::{ContentHash, Limits, clean_etag};

/// The next part of a JSON sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A machine page.
    Item(Item),
    /// A JSON sitemap that an index lists.
    Sitemap(ChildSitemap),
    /// A defect that was ignored or repaired.
    Warning(Warning),
}

/// A machine page that a JSON sitemap lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The URL of the page for people.
    pub c_url: HttpUrl,
    /// The URL of the machine page.
    pub m_url: HttpUrl,
    /// The entity tag of the machine page, without quotes. Optional in later drafts.
    pub hash: Option<String>,
    /// The time of the last change.
    pub modified: Option<Timestamp>,
}

/// A JSON sitemap that an index lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildSitemap {
    /// The URL of the sitemap.
    pub url: HttpUrl,
    /// The entity tag of the sitemap, without quotes.
    pub hash: Option<String>,
    /// The time of the last change.
    pub modified: Option<Timestamp>,
}

/// The kind of a JSON sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitemapKind {
    /// A list of machine pages.
    Items,
    /// An index of JSON sitemaps.
    Index,
}

/// Totals of the parts read so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Machine pages.
    pub items: u64,
    /// JSON sitemaps of an index.
    pub sitemaps: u64,
    /// Items that were left out.
    pub left_out: u64,
    /// Warnings.
    pub warnings: u64,
    /// Bytes read from the source.
    pub bytes: u64,
}

/// Reads a JSON sitemap or index of any draft, item by item.
///
/// ```
/// use sitecast_tct::Limits;
/// use sitecast_tct::sitemap::{Event, SitemapReader};
///
/// let json = r#"{"version":1,"profile":"tct-1","items":[
///     {"cUrl":"https://example.com/","mUrl":"https://example.com/llm/","modified":"2025-10-01T12:34:56Z",
///      "contentHash":"sha256-2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"},
///     {"cUrl":"not a URL"}]}"#;
/// let mut reader = SitemapReader::new(json.as_bytes(), &Limits::default());
/// let mut left_out = 0;
/// while let Some(event) = reader.next_event()? {
///     match event {
///         Event::Item(item) => assert_eq!(item.c_url.as_str(), "https://example.com/"),
///         Event::Warning(warning) => left_out += u32::from(warning.kind.leaves_out()),
///         _ => {}
///     }
/// }
/// assert_eq!(left_out, 1);
/// # Ok::<(), sitecast_tct::sitemap::ReadError>(())
/// ```
///
/// A malformed item is left out with a warning. A malformed document yields the items before the defect, then the error,
/// then `None`.
pub struct SitemapReader<R> {
    stream: JsonStream<R>,
    limits: Limits,
    state: State,
    kind: Option<SitemapKind>,
    seen: u64,
    /// The known members seen so far, to detect duplicate and missing ones.
    members: Vec<&'static str>,
    counts: Counts,
    pending: VecDeque<Event>,
    failure: Option<ReadError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// Before a member or the end of the object.
    Member {
        first: bool,
    },
    /// Before an element or the end of the array.
    Element {
        first: bool,
        kind: SitemapKind,
    },
    Done,
}

impl<R: Read> SitemapReader<R> {
    /// Builds a reader of `source`.
    pub fn new(source: R, limits: &Limits) -> Self {
        Self {
            stream: JsonStream::new(source, limits),
            limits: limits.clone(),
            state: State::Start,
            kind: None,
            seen: 0,
            members: Vec::new(),
            counts: Counts::default(),
            pending: VecDeque::new(),
            failure: None,
        }
    }

    /// Returns the kind of the sitemap, once it is known.
    pub fn kind(&self) -> Option<SitemapKind> {
        self.kind
    }

    /// Returns the totals of the parts read so far.
    pub fn counts(&self) -> Counts {
        Counts {
            bytes: self.stream.bytes(),
            ..self.counts
        }
    }

    /// Returns the next event, or `None` at the end.
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Ok(Some(event));
            }
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
            if self.state == State::Done {
                return Ok(None);
            }
            if let Err(kind) = self.step() {
                self.state = State::Done;
                self.failure = Some(ReadError {
                    position: self.stream.position(),
                    kind,
                });
            }
        }
    }

    fn step(&mut self) -> Result<(), ReadErrorKind> {
        match self.state {
            State::Start => {
                if self.stream.peek_token()? == Some(0xef) {
                    self.stream.expect_byte_order_mark("`{`")?;
                    self.warn(None, None, WarningKind::ByteOrderMark);
                }
                self.stream.expect(b'{', "`{`")?;
                self.state = State::Member { first: true };
            }
            State::Member { first } => {
                if first && self.stream.peek_token()? == Some(b'}') {
                    self.stream.expect(b'}', "`}`")?;
                    return self.end();
                }
                if !first && !self.stream.either(b',', b'}', "`,` or `}`")? {
                    return self.end();
                }
                self.member()?;
            }
            State::Element { first, kind } => {
                let another = if first {
                    self.stream.peek_token()? != Some(b']')
                } else {
                    self.stream.either(b',', b']', "`,` or `]`")?
                };
                if another {
                    self.state = State::Element { first: false, kind };
                    self.element(kind)?;
                } else {
                    if first {
                        self.stream.expect(b']', "`]`")?;
                    }
                    self.state = State::Member { first: false };
                }
            }
            State::Done => {}
        }
        Ok(())
    }

    fn member(&mut self) -> Result<(), ReadErrorKind> {
        if self.stream.peek_token()? != Some(b'"') {
            return Err(match self.stream.peek_token()? {
                None => ReadErrorKind::CutShort,
                Some(_) => ReadErrorKind::NotJson("a member name"),
            });
        }
        let name: Option<String> = match self.stream.value(self.limits.item_bytes)? {
            Value::TooLong => None,
            Value::Text(text) => match serde_json::from_slice(text) {
                Ok(name) => Some(name),
                Err(_) => return Err(ReadErrorKind::NotJson("a member name")),
            },
        };
        self.stream.expect(b':', "`:`")?;
        self.state = State::Member { first: false };
        if let Some(name) = &name {
            let known = ["items", "sitemaps", "version", "profile"];
            if let Some(known) = known.iter().find(|known| **known == name) {
                if self.members.contains(known) {
                    let kind = WarningKind::Repeated(name.clone());
                    self.warn(None, None, kind);
                }
                self.members.push(known);
            }
        }
        let array = match name.as_deref() {
            Some("items") => Some(SitemapKind::Items),
            Some("sitemaps") => Some(SitemapKind::Index),
            _ => None,
        };
        if let Some(kind) = array
            && self.stream.peek_token()? == Some(b'[')
        {
            self.stream.expect(b'[', "`[`")?;
            self.kind.get_or_insert(kind);
            self.state = State::Element { first: true, kind };
            return Ok(());
        }
        let value = match self.stream.value(self.limits.item_bytes)? {
            Value::TooLong => return Ok(()),
            Value::Text(text) => serde_json::from_slice::<Json>(text)
                .map_err(|_| ReadErrorKind::NotJson("a JSON value"))?,
        };
        match name.as_deref() {
            Some("version") if !matches!(value.as_u64(), Some(1 | 2)) => {
                let kind = WarningKind::Version(excerpt(&value.to_string()));
                self.warn(None, None, kind);
            }
            Some("profile") if !value.as_str().is_some_and(is_known_profile) => {
                let kind = WarningKind::Profile(excerpt(&value.to_string()));
                self.warn(None, None, kind);
            }
            _ => {}
        }
        Ok(())
    }

    fn element(&mut self, kind: SitemapKind) -> Result<(), ReadErrorKind> {
        if self.seen >= self.limits.items {
            return Err(ReadErrorKind::TooManyItems(self.limits.items));
        }
        self.seen += 1;
        let number = Some(self.seen);
        let longest = self.limits.item_bytes;
        let raw = match self.stream.value(longest)? {
            Value::TooLong => {
                self.warn(number, None, WarningKind::TooLong(longest));
                return Ok(());
            }
            Value::Text(text) => raw_item(text),
        };
        let mut notes = Vec::new();
        let event = match raw {
            Ok(raw) => match kind {
                SitemapKind::Items => raw.into_item(&mut notes).map(Event::Item),
                SitemapKind::Index => raw.into_child(&mut notes).map(Event::Sitemap),
            }
            .map_err(WarningKind::Malformed),
            Err(problem) => Err(problem),
        };
        let url = match &event {
            Ok(Event::Item(item)) => Some(excerpt(item.c_url.as_str())),
            Ok(Event::Sitemap(child)) => Some(excerpt(child.url.as_str())),
            _ => None,
        };
        for note in notes {
            self.warn(number, url.clone(), note);
        }
        match event {
            Ok(event) => {
                match event {
                    Event::Sitemap(_) => self.counts.sitemaps += 1,
                    _ => self.counts.items += 1,
                }
                self.pending.push_back(event);
            }
            Err(problem) => self.warn(number, None, problem),
        }
        Ok(())
    }

    /// Checks the document after its last member.
    fn end(&mut self) -> Result<(), ReadErrorKind> {
        self.state = State::Done;
        if self.kind.is_none() {
            return Err(ReadErrorKind::NotASitemap);
        }
        if self.stream.peek_token()?.is_some() {
            self.warn(None, None, WarningKind::TrailingContent);
        }
        if !self.members.contains(&"version") {
            self.warn(None, None, WarningKind::NoVersion);
        }
        if !self.members.contains(&"profile") {
            self.warn(None, None, WarningKind::NoProfile);
        }
        if self.seen == 0 {
            self.warn(None, None, WarningKind::NoItems);
        }
        if self.seen > MAX_ITEMS {
            self.warn(None, None, WarningKind::TooManyItems(self.seen));
        }
        Ok(())
    }

    fn warn(&mut self, item: Option<u64>, url: Option<String>, kind: WarningKind) {
        self.counts.warnings += 1;
        self.counts.left_out += u64::from(kind.leaves_out());
        self.pending.push_back(Event::Warning(Warning {
            line: self.stream.position().line,
            item,
            url,
            kind,
        }));
    }
}

impl From<StreamError> for ReadErrorKind {
    fn from(stop: StreamError) -> Self {
        match stop {
            StreamError::Io(error) => Self::Io(error),
            StreamError::TooLarge(limit) => Self::TooLarge(limit),
            StreamError::CutShort => Self::CutShort,
            StreamError::Expected(expected) => Self::NotJson(expected),
        }
    }
}

/// Parses an element of the list.
fn raw_item(text: &[u8]) -> Result<RawItem, WarningKind> {
    // Serde would not check the encoding of members that it skips.
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(WarningKind::NotJson("it is not UTF-8".to_owned()));
    };
    let problem_of = |error: serde_json::Error| {
        let problem = error.to_string();
        excerpt(problem.split(" at line ").next().unwrap_or_default())
    };
    let malformed = if text.starts_with('{') {
        match serde_json::from_str(text) {
            Ok(item) => return Ok(item),
            Err(error) if error.is_data() => problem_of(error),
            Err(error) => return Err(WarningKind::NotJson(problem_of(error))),
        }
    } else {
        // Serde would accept an array as the fields of an item in order.
        "not an object".to_owned()
    };
    // Serde stopped at the first wrong member: check that the rest is JSON.
    Err(match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => WarningKind::Malformed(malformed),
        Err(error) => WarningKind::NotJson(problem_of(error)),
    })
}

/// An item of any draft, before its members' types are checked.
#[derive(Debug, Deserialize)]
struct RawItem {
    #[serde(rename = "cUrl")]
    c_url: Option<Json>,
    #[serde(rename = "mUrl")]
    m_url: Option<Json>,
    url: Option<Json>,
    #[serde(rename = "contentHash")]
    content_hash: Option<Json>,
    etag: Option<Json>,
    modified: Option<Json>,
    #[serde(rename = "lastModified")]
    last_modified: Option<Json>,
}

impl RawItem {
    fn into_item(self, notes: &mut Vec<WarningKind>) -> Result<Item, String> {
        let c_url = required_url("cUrl", self.c_url.as_ref())?;
        let m_url = required_url("mUrl", self.m_url.as_ref())?;
        if !is_https(&m_url) {
            notes.push(WarningKind::NotHttps("mUrl"));
        }
        Ok(Item {
            c_url,
            m_url,
            hash: self.hash(notes)?,
            modified: self.time(notes),
        })
    }

    fn into_child(self, notes: &mut Vec<WarningKind>) -> Result<ChildSitemap, String> {
        let url = required_url("url", self.url.as_ref())?;
        if !is_https(&url) {
            notes.push(WarningKind::NotHttps("url"));
        }
        Ok(ChildSitemap {
            url,
            hash: self.hash(notes)?,
            modified: self.time(notes),
        })
    }

    /// Returns the hash under any of its names, without the quotes and `W/` that intermediaries and some writers add.
    fn hash(&self, notes: &mut Vec<WarningKind>) -> Result<Option<String>, String> {
        let mut text = |name: &str, value: &Option<Json>| match value {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) if clean_etag(text).is_empty() => Ok(None),
            Some(Json::String(text)) => {
                let clean = clean_etag(text);
                if clean != text {
                    notes.push(WarningKind::HashSpelling(excerpt(text)));
                }
                Ok(Some(clean.to_owned()))
            }
            Some(_) => Err(format!("`{name}` is not a string")),
        };
        let content_hash = text("contentHash", &self.content_hash)?;
        let etag = text("etag", &self.etag)?;
        if content_hash.is_some() && etag.is_some() && content_hash != etag {
            notes.push(WarningKind::TwoHashes);
        }
        let hash = etag.or(content_hash);
        match &hash {
            None => notes.push(WarningKind::NoHash),
            Some(hash) if hash.parse::<ContentHash>().is_err() => {
                notes.push(WarningKind::HashSpelling(excerpt(hash)));
            }
            Some(_) => {}
        }
        Ok(hash)
    }

    fn time(&self, notes: &mut Vec<WarningKind>) -> Option<Timestamp> {
        let (name, value) = match (&self.last_modified, &self.modified) {
            (Some(value), _) if !value.is_null() => ("lastModified", value),
            (_, Some(value)) if !value.is_null() => ("modified", value),
            _ => return None,
        };
        let time = value.as_str().and_then(|text| text.parse().ok());
        if time.is_none() {
            notes.push(WarningKind::Time(name, excerpt(&value.to_string())));
        }
        time
    }
}

fn is_https(url: &HttpUrl) -> bool {
    let scheme = url.as_str().get(..8);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
}

fn required_url(name: &str, value: Option<&Json>) -> Result<HttpUrl, String> {
    let text = match value {
        Some(Json::String(text)) => text,
        Some(_) => return Err(format!("`{name}` is not a string")),
        None => return Err(format!("`{name}` is missing")),
    };
    text.parse().map_err(|_| {
        format!(
            "`{name}` is `{}`, not an absolute http or https URL",
            excerpt(text)
        )
    })
}
