//! What belongs to a site.

use sitecast_sitemap::ScpBlock;
use url::{Host, Url};

/// A site, and which URLs are its own.
///
/// A collection or a sitemap can name any page of the world; only those on the site's own host, or
/// below it, are taken. `www.` makes no difference, neither do scheme and port. The registrable domain
/// is the limit in any case (public suffix list): `www.com` does not speak for `bank.com`, nor
/// `www.github.io` for `victim.github.io`.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    root: Url,
    host: String,
    /// Folder below which all pages are: `/` or `/docs/`.
    folder: String,
}

impl Scope {
    /// The site that begins at this URL, which has a slash at its end.
    pub(crate) fn new(root: &Url) -> Self {
        Self {
            host: bare(root.host_str().unwrap_or_default()).to_owned(),
            folder: root.path().to_owned(),
            root: root.clone(),
        }
    }

    /// Where the site begins.
    pub(crate) fn root(&self) -> &Url {
        &self.root
    }

    /// Whether the host is the site's.
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

    /// The site that these collections are of, if this is a server that has an address and no name, and they
    /// are all elsewhere: it may be that somebody tries a publication before it is online.
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

    /// Whether the page is one of the site's.
    pub(crate) fn has(&self, url: &Url) -> bool {
        let below = self.folder == "/"
            || url.path().starts_with(&self.folder)
            || Some(url.path()) == self.folder.strip_suffix('/');
        self.has_host(url) && below
    }

    /// The same for a URL that is not parsed yet. Collections hold a hundred thousand of them, nearly
    /// all of which begin as the site does.
    pub(crate) fn has_text(&self, url: &str) -> bool {
        url.starts_with(self.root.as_str()) || Url::parse(url).is_ok_and(|url| self.has(&url))
    }
}

/// A host without `www.`, unless what is left is a public suffix, below which everybody has a site of
/// their own.
fn bare(host: &str) -> &str {
    let bare = host.strip_prefix("www.");
    bare.filter(|bare| psl::domain_str(bare).is_some())
        .unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_its_host_and_what_is_below() {
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
    fn a_site_never_speaks_for_others_below_the_same_public_suffix() {
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
