//! The scope of a site: the URLs that belong to it.

use sitecast_sitemap::ScpBlock;
use url::{Host, Url};

/// The base URL of a site, with the rule for URLs of its own.
///
/// A collection or a sitemap can name any URL; the agent accepts only those on the site's host or its
/// subdomains. `www.`, scheme and port make no difference. The registrable domain (public suffix list) is the
/// limit: `www.com` does not speak for `bank.com`, nor `www.github.io` for `victim.github.io`.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    root: Url,
    host: String,
    /// The path of the base URL, below which all pages are: `/` or `/docs/`.
    folder: String,
}

impl Scope {
    /// Creates the scope of a base URL, which ends with a slash.
    pub(crate) fn new(root: &Url) -> Self {
        Self {
            host: bare(root.host_str().unwrap_or_default()).to_owned(),
            folder: root.path().to_owned(),
            root: root.clone(),
        }
    }

    /// Returns the base URL.
    pub(crate) fn root(&self) -> &Url {
        &self.root
    }

    /// Returns true if the host of `url` is the site's host or a subdomain of it.
    pub(crate) fn has_host(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        if host == self.host {
            return true;
        }
        let is_below = host
            .strip_suffix(self.host.as_str())
            .is_some_and(|rest| rest.ends_with('.'));
        let domain = psl::domain_str(&self.host);
        is_below && domain.is_some() && psl::domain_str(host) == domain
    }

    /// Returns the origin of the collections if the base URL has an IP address and all collections are on one
    /// other host: the owner may be testing a publication on a local server.
    pub(crate) fn copy_of(&self, offered: &ScpBlock) -> Option<String> {
        if let Some(Host::Domain(_)) | None = self.root.host() {
            return None;
        }
        let places = offered.collections.iter().map(|file| Url::parse(&file.url));
        let places: Vec<Url> = places.filter_map(Result::ok).collect();
        let origin = places.first()?.origin();
        let is_elsewhere = |url: &Url| !self.has_host(url) && url.origin() == origin;
        let all = places.iter().all(is_elsewhere);
        all.then(|| origin.ascii_serialization())
    }

    /// Returns true if the page belongs to the site.
    pub(crate) fn has(&self, url: &Url) -> bool {
        let below = self.folder == "/"
            || url.path().starts_with(&self.folder)
            || Some(url.path()) == self.folder.strip_suffix('/');
        self.has_host(url) && below
    }

    /// Like [`Scope::has`], for a URL that is not parsed yet. Skips the parser for URLs that begin with the base
    /// URL, as nearly all of the many URLs in a collection do.
    pub(crate) fn has_text(&self, url: &str) -> bool {
        url.starts_with(self.root.as_str()) || Url::parse(url).is_ok_and(|url| self.has(&url))
    }
}

/// Removes `www.` from a host, unless the rest is a public suffix, below which domains have different owners.
fn bare(host: &str) -> &str {
    let bare = host.strip_prefix("www.");
    bare.filter(|bare| psl::domain_str(bare).is_some())
        .unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_is_the_host_and_what_is_below() {
        let scope = Scope::new(&"https://www.example.com/".parse().unwrap());
        for url in [
            "https://www.example.com/a",
            "https://example.com/a",
            "http://example.com:8080/",
            "https://blog.example.com/",
        ] {
            assert!(scope.has_text(url), "{url}");
        }
        for url in [
            "https://example.org/",
            "https://badexample.com/",
            "https://example.com.evil.org/",
            "not a url",
        ] {
            assert!(!scope.has_text(url), "{url}");
        }
        let blog = Scope::new(&"https://blog.example.com/".parse().unwrap());
        assert!(blog.has_text("https://www.blog.example.com/"));
        assert!(!blog.has_text("https://example.com/"));
        let docs = Scope::new(&"https://example.com/docs/".parse().unwrap());
        assert!(docs.has_text("https://example.com/docs/a"));
        assert!(docs.has_text("https://example.com/docs"));
        assert!(!docs.has_text("https://example.com/blog"));
    }

    #[test]
    fn scope_ends_at_the_registrable_domain() {
        for (site, other) in [
            ("https://www.com/", "https://bank.com/"),
            ("https://www.com/", "https://com/"),
            ("https://www.github.io/", "https://victim.github.io/"),
            ("https://github.io/", "https://victim.github.io/"),
            ("https://www.co.uk/", "https://bank.co.uk/"),
            ("https://www.xn--55qx5d.cn/", "https://bank.xn--55qx5d.cn/"),
            ("https://www.公司.cn/", "https://bank.公司.cn/"),
            ("https://amazonaws.com/", "https://a.s3.amazonaws.com/"),
            ("https://www.intranet/", "https://bank.intranet/"),
            ("http://127.0.0.1/", "http://9.127.0.0.1.example/"),
            ("http://[::1]/", "http://[::2]/"),
        ] {
            let scope = Scope::new(&site.parse().unwrap());
            assert!(scope.has_text(site), "{site}");
            assert!(!scope.has_text(other), "{site} speaks for {other}");
        }
        for (site, own) in [
            ("https://me.github.io/", "https://me.github.io/a"),
            ("https://me.github.io/", "https://www.me.github.io/a"),
            ("https://www.example.co.uk/", "https://shop.example.co.uk/"),
            ("https://www.com/", "https://a.www.com/"),
            ("http://localhost:8080/", "http://localhost/a"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1/a"),
            ("https://www.bücher.example/", "https://bücher.example/"),
        ] {
            let scope = Scope::new(&site.parse().unwrap());
            assert!(scope.has_text(own), "{own} is of {site}");
        }
    }
}
