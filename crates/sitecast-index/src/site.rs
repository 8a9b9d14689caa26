//! The identity of a site.

use std::fmt;

use sitecast_scp::HttpUrl;

/// The base URL of a site, normalized.
///
/// Scheme and host are in lower case, the default port, query and fragment are removed, and the path ends
/// with a slash: `https://example.com/`, `https://example.org/docs/`.
///
/// ```
/// use sitecast_index::SiteId;
///
/// let site = SiteId::new(&"HTTPS://Example.com:443?x".parse()?);
/// assert_eq!(site.as_str(), "https://example.com/");
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteId(String);

impl SiteId {
    /// Normalizes the base URL of a site.
    pub fn new(url: &HttpUrl) -> Self {
        let text = url.as_str();
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        let scheme = scheme.to_ascii_lowercase();
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let rest = rest.get(..end).unwrap_or(rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = authority.to_ascii_lowercase();
        let port = if scheme == "http" { ":80" } else { ":443" };
        let authority = authority.strip_suffix(port).unwrap_or(&authority);
        let slash = if path.is_empty() || path.ends_with('/') {
            ""
        } else {
            "/"
        };
        Self(format!("{scheme}://{authority}/{path}{slash}"))
    }

    /// Returns the normalized base URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Wraps a URL of the database, which is already normalized.
    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_site_urls() {
        for (given, site) in [
            ("https://example.com", "https://example.com/"),
            ("https://EXAMPLE.com/", "https://example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("http://example.com:443/", "http://example.com:443/"),
            ("https://example.com/Docs", "https://example.com/Docs/"),
            ("https://example.com/?a#b", "https://example.com/"),
            ("https://[::1]:8080/a/#b", "https://[::1]:8080/a/"),
        ] {
            assert_eq!(SiteId::new(&given.parse().unwrap()).as_str(), site);
        }
    }
}
