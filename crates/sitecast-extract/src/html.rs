//! The input of extraction.

use sitecast_scp::{HttpUrl, Timestamp};

/// An HTML page to extract: its bytes, its URL and its HTTP headers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Html<'a> {
    /// The URL of the page.
    pub url: &'a HttpUrl,
    /// The content, in any encoding.
    pub bytes: &'a [u8],
    /// The time when it was fetched or read. `modified` of a page that states no other time.
    pub seen: Timestamp,
    /// The header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The header `Content-Language`.
    pub content_language: Option<&'a str>,
    /// The base of its relative links, if that is not `url`. A `<base>` in the page is relative to this.
    pub base: Option<&'a HttpUrl>,
    /// The header `X-Robots-Tag`. If the server sent it several times, put each value on a line of its own: a value may begin
    /// with the name of a crawler, which applies up to the end of its line. If values are joined by commas, as HTTP libraries
    /// do, `googlebot: noindex` also claims the values after it for `googlebot`.
    pub robots_tag: Option<&'a str>,
    /// The header `Last-Modified`, or the date of the file.
    pub last_modified: Option<Timestamp>,
}

impl<'a> Html<'a> {
    /// Returns a page without HTTP headers.
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
