use sitecast_scp::{HttpUrl, Timestamp};

/// A page as it came: its bytes, where it is, and what was said about it on the way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Html<'a> {
    /// Where the page is.
    pub url: &'a HttpUrl,
    /// What is there, in any encoding.
    pub bytes: &'a [u8],
    /// When it was seen. A page that does not say when it changed has this as `modified`.
    pub seen: Timestamp,
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The header `Content-Language`.
    pub content_language: Option<&'a str>,
    /// What its relative links are relative to, where that is not `url`. A `<base>` in the page
    /// is relative to this.
    pub base: Option<&'a HttpUrl>,
    /// The header `X-Robots-Tag`. Where it was sent several times, one value a line: a value may
    /// begin with the name of a crawler, which holds up to the end of its line. Joined by commas,
    /// as HTTP libraries do it, `googlebot: noindex` would take in what was sent after it.
    pub robots_tag: Option<&'a str>,
    /// The header `Last-Modified`, or the date of the file.
    pub last_modified: Option<Timestamp>,
}

impl<'a> Html<'a> {
    /// A page about which nothing else is known.
    pub fn new(url: &'a HttpUrl, bytes: &'a [u8], seen: Timestamp) -> Self {
        Self {
            url,
            bytes,
            seen,
            content_type: None,
            content_language: None,
            base: None,
            robots_tag: None,
            last_modified: None,
        }
    }
}
