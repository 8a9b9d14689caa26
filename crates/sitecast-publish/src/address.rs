//! URLs of the files of a site.

use std::collections::{HashMap, HashSet};

use sitecast_scp::HttpUrl;
use url::Url;

use crate::BaseUrl;
use crate::base::decoded;

/// The spelling of the site's URLs, learnt from its canonical links and its sitemap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Style {
    index: IndexStyle,
    file: FileStyle,
}

/// The URL of `a/index.html`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
enum IndexStyle {
    /// `a/`
    #[default]
    Folder,
    /// `a`
    Bare,
    /// `a/index.html`
    File,
}

/// The URL of `a.html`.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
enum FileStyle {
    /// `a.html`
    #[default]
    File,
    /// `a`
    Bare,
    /// `a/`
    Folder,
}

/// The ways in which a file can be called, below the base.
struct Names {
    is_index: bool,
    folder: String,
    bare: String,
    file: String,
}

impl Names {
    fn of(path: &str) -> Self {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_index = stem.eq_ignore_ascii_case("index");
        let slash = if parent.is_empty() { "" } else { "/" };
        let (folder, bare) = if is_index {
            (format!("{parent}{slash}"), parent.to_owned())
        } else {
            (
                format!("{parent}{slash}{stem}/"),
                format!("{parent}{slash}{stem}"),
            )
        };
        Self {
            is_index,
            folder,
            bare,
            file: path.to_owned(),
        }
    }

    fn by(&self, style: Style) -> &str {
        match (self.is_index, style.index, style.file) {
            (true, IndexStyle::Folder, _) | (false, _, FileStyle::Folder) => &self.folder,
            // The base itself has no other name.
            (true, IndexStyle::Bare, _) if self.bare.is_empty() => &self.folder,
            (true, IndexStyle::Bare, _) | (false, _, FileStyle::Bare) => &self.bare,
            (true, IndexStyle::File, _) | (false, _, FileStyle::File) => &self.file,
        }
    }

    /// Returns true if a path below the base, decoded, is this file.
    fn has(&self, path: &str) -> bool {
        path == self.folder || path == self.bare || path == self.file
    }
}

/// The URL of a file, by its canonical link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// The page is here.
    Here(Url),
    /// Another page is the one to be known.
    Elsewhere(Url),
}

impl Style {
    /// Returns the URL of a file by its path alone.
    pub(crate) fn url(self, base: &BaseUrl, path: &str) -> Url {
        let names = Names::of(path);
        let name = names.by(self);
        if name.is_empty() {
            base.as_url().clone()
        } else {
            base.url_of(name)
        }
    }

    /// Returns the URL of a file by its canonical link. A link to the same file on another host counts as one to this
    /// host: sites are often built for a test host.
    pub(crate) fn address(self, base: &BaseUrl, path: &str, canonical: Option<&str>) -> Address {
        let own = self.url(base, path);
        let Some(canonical) = canonical.map(str::trim).filter(|text| !text.is_empty()) else {
            return Address::Here(own);
        };
        let Ok(canonical) = own.join(canonical) else {
            return Address::Here(own);
        };
        if !matches!(canonical.scheme(), "http" | "https") {
            return Address::Here(own);
        }
        let names = Names::of(path);
        let asked = decoded(canonical.path());
        let prefix = decoded(base.as_url().path());
        let below = asked.strip_prefix(&prefix);
        let elsewhere = is_other_host(&canonical, base.as_url());
        let unprefixed = asked.strip_prefix('/').filter(|_| elsewhere);
        let is_here = [below, unprefixed]
            .into_iter()
            .flatten()
            .find(|path| names.has(path));
        match is_here {
            Some(path) if canonical.query().is_none() => Address::Here(if path.is_empty() {
                base.as_url().clone()
            } else {
                base.url_of(path)
            }),
            _ => Address::Elsewhere(canonical),
        }
    }
}

/// The page that one with a URL of its own names as the one to be known, if that is another. Neither a slash at the
/// end nor the host makes another page: sites are often built for a test host.
pub(crate) fn other_page(page: &HttpUrl, canonical: &str) -> Option<Url> {
    let canonical = Some(canonical.trim()).filter(|text| !text.is_empty())?;
    let own = Url::parse(page.as_str()).ok()?;
    let asked = own.join(canonical).ok()?;
    let name = |url: &Url| {
        let path = decoded(url.path());
        let query = url.query().map(str::to_owned);
        (path.trim_end_matches('/').to_owned(), query)
    };
    let is_other = matches!(asked.scheme(), "http" | "https") && name(&asked) != name(&own);
    is_other.then_some(asked)
}

/// Returns true if two URLs are on different hosts, `www.` aside.
fn is_other_host(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    host(one) != host(other)
}

/// Gathers which hosts canonical links name.
#[derive(Debug, Default)]
pub(crate) struct HostVotes {
    here: u32,
    elsewhere: HashMap<String, u32>,
}

/// The host that canonical links name in place of the site's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OtherHost {
    /// Scheme, host and port: `https://example.org`.
    pub(crate) origin: String,
    pub(crate) links: u32,
    /// All that were looked at.
    pub(crate) of: u32,
}

impl HostVotes {
    /// Counts a canonical link. One to this machine says nothing: sites are often built for a test host.
    pub(crate) fn add(&mut self, base: &BaseUrl, canonical: &Url) {
        let is_test = match canonical.host() {
            Some(url::Host::Domain(name)) => {
                name == "localhost"
                    || [".localhost", ".test", ".invalid"]
                        .iter()
                        .any(|end| name.ends_with(end))
            }
            Some(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | None => true,
        };
        if !is_other_host(canonical, base.as_url()) {
            self.here += 1;
        } else if !is_test {
            let origin = canonical.origin().ascii_serialization();
            *self.elsewhere.entry(origin).or_default() += 1;
        }
    }

    /// The host that most links name, if none names the site's own.
    pub(crate) fn other(&self) -> Option<OtherHost> {
        let most = self
            .elsewhere
            .iter()
            .max_by_key(|(origin, links)| (**links, *origin));
        let (origin, links) = most.filter(|_| self.here == 0)?;
        Some(OtherHost {
            origin: origin.clone(),
            links: *links,
            of: self.elsewhere.values().sum(),
        })
    }
}

/// Gathers how a site spells its URLs.
#[derive(Debug, Default)]
pub(crate) struct StyleVotes {
    index: HashMap<IndexStyle, u32>,
    file: HashMap<FileStyle, u32>,
}

impl StyleVotes {
    /// A file, and a URL that is meant for it or for another.
    pub(crate) fn add(&mut self, base: &BaseUrl, path: &str, url: &Url) {
        let asked = decoded(url.path());
        let prefix = decoded(base.as_url().path());
        let Some(asked) = asked.strip_prefix(&prefix) else {
            return;
        };
        let names = Names::of(path);
        if names.is_index {
            // All names of the homepage are the same.
            let vote = match asked {
                _ if names.bare.is_empty() => return,
                _ if asked == names.folder => IndexStyle::Folder,
                _ if asked == names.bare => IndexStyle::Bare,
                _ if asked == names.file => IndexStyle::File,
                _ => return,
            };
            *self.index.entry(vote).or_default() += 1;
        } else {
            let vote = match asked {
                _ if asked == names.file => FileStyle::File,
                _ if asked == names.bare => FileStyle::Bare,
                _ if asked == names.folder => FileStyle::Folder,
                _ => return,
            };
            *self.file.entry(vote).or_default() += 1;
        }
    }

    /// Votes for a file by whichever of its names is among the site's own `urls`.
    pub(crate) fn add_from(&mut self, base: &BaseUrl, path: &str, urls: &HashSet<String>) {
        let names = Names::of(path);
        for name in [&names.folder, &names.bare, &names.file] {
            let url = base.url_of(name);
            if urls.contains(url.as_str()) {
                self.add(base, path, &url);
            }
        }
    }

    /// Returns the spelling that most files have.
    pub(crate) fn decide(&self) -> Style {
        // The order settles ties: what a plain server does comes first.
        let most = |count: &dyn Fn(usize) -> u32| {
            (0..3).max_by_key(|at| (count(*at), std::cmp::Reverse(*at)))
        };
        let index = [IndexStyle::Folder, IndexStyle::Bare, IndexStyle::File];
        let file = [FileStyle::File, FileStyle::Bare, FileStyle::Folder];
        let index_count = |at: usize| {
            index
                .get(at)
                .and_then(|s| self.index.get(s))
                .copied()
                .unwrap_or(0)
        };
        let file_count = |at: usize| {
            file.get(at)
                .and_then(|s| self.file.get(s))
                .copied()
                .unwrap_or(0)
        };
        Style {
            index: most(&index_count)
                .and_then(|at| index.get(at).copied())
                .unwrap_or_default(),
            file: most(&file_count)
                .and_then(|at| file.get(at).copied())
                .unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> BaseUrl {
        "https://example.com/blog/".parse().unwrap()
    }

    fn here(path: &str, canonical: &str) -> Option<String> {
        match Style::default().address(&base(), path, Some(canonical)) {
            Address::Here(url) => Some(url.to_string()),
            Address::Elsewhere(_) => None,
        }
    }

    #[test]
    fn index_files_are_their_folders_and_others_keep_their_names() {
        let url = |path| Style::default().url(&base(), path).to_string();
        assert_eq!(url("index.html"), "https://example.com/blog/");
        assert_eq!(url("a/index.html"), "https://example.com/blog/a/");
        assert_eq!(url("a/b.html"), "https://example.com/blog/a/b.html");
    }

    #[test]
    fn a_canonical_link_decides_among_the_names_of_a_file() {
        assert_eq!(
            here("a/b.html", "https://example.com/blog/a/b").as_deref(),
            Some("https://example.com/blog/a/b")
        );
        assert_eq!(
            here("a/b.html", "/blog/a/b/").as_deref(),
            Some("https://example.com/blog/a/b/")
        );
        assert_eq!(
            here(
                "caf\u{e9}/index.html",
                "https://example.com/blog/caf%C3%A9/"
            )
            .as_deref(),
            Some("https://example.com/blog/caf%C3%A9/")
        );
        assert_eq!(here("a/b.html", "https://example.com/blog/c.html"), None);
        assert_eq!(here("a.html", "https://example.com/blog/a?x=1"), None);
    }

    #[test]
    fn a_canonical_link_to_a_test_host_means_here() {
        assert_eq!(
            here("a/index.html", "http://localhost:1313/a/").as_deref(),
            Some("https://example.com/blog/a/")
        );
        assert_eq!(here("a/index.html", "http://localhost:1313/b/"), None);
        assert_eq!(
            here("a/index.html", "https://other.example/x/").as_deref(),
            None
        );
    }

    #[test]
    fn another_host_counts_if_no_link_names_the_sites_own() {
        let other = |links: &[&str]| {
            let mut votes = HostVotes::default();
            for link in links {
                votes.add(&base(), &Url::parse(link).unwrap());
            }
            votes
                .other()
                .map(|other| (other.origin, other.links, other.of))
        };
        let elsewhere = [
            "https://examp1e.com/a",
            "https://examp1e.com/b",
            "https://x.example/",
        ];
        assert_eq!(
            other(&elsewhere),
            Some(("https://examp1e.com".to_owned(), 2, 3))
        );
        assert_eq!(
            other(&["https://examp1e.com/a", "https://www.example.com/blog/b"]),
            None
        );
        assert_eq!(
            other(&["http://localhost:1313/a", "http://127.0.0.1/b"]),
            None
        );
        assert_eq!(other(&[]), None);
    }

    #[test]
    fn the_majority_decides_how_others_are_called() {
        let base = base();
        let mut votes = StyleVotes::default();
        for (path, url) in [
            ("a.html", "https://example.com/blog/a"),
            ("b.html", "https://example.com/blog/b"),
            ("c.html", "https://example.com/blog/c.html"),
            ("index.html", "https://example.com/blog/"),
            ("d/index.html", "https://example.com/blog/d"),
        ] {
            votes.add(&base, path, &Url::parse(url).unwrap());
        }
        let style = votes.decide();
        assert_eq!(
            style.url(&base, "x.html").as_str(),
            "https://example.com/blog/x"
        );
        assert_eq!(
            style.url(&base, "y/index.html").as_str(),
            "https://example.com/blog/y"
        );
        assert_eq!(
            style.url(&base, "index.html").as_str(),
            "https://example.com/blog/"
        );
        assert_eq!(StyleVotes::default().decide(), Style::default());
    }

    #[test]
    fn the_sitemap_votes_too() {
        let base = base();
        let urls = HashSet::from(["https://example.com/blog/x".to_owned()]);
        let mut votes = StyleVotes::default();
        votes.add_from(&base, "x.html", &urls);
        votes.add_from(&base, "unlisted.html", &urls);
        assert_eq!(
            votes.decide().url(&base, "z.html").as_str(),
            "https://example.com/blog/z"
        );
    }
}
