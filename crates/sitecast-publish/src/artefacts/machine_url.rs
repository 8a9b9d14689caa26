//! URLs and files of the machine page and the Markdown twin of a page.
//!
//! | page | machine page | Markdown |
//! |---|---|---|
//! | `/` | `/llm.json` | `/index.md` |
//! | `/post/` | `/post/llm.json` | `/post/index.md` |
//! | `/post` | `/post.llm.json` | `/post.md` |
//! | `/post.html` | `/post.html.llm.json` | `/post.html.md` |
//! | `/post?id=7` | `/post.f422c82d6db73d91.llm.json` | `/post.f422c82d6db73d91.md` |
//! | `/?id=7` | `/f422c82d6db73d91.llm.json` | `/f422c82d6db73d91.md` |
//!
//! No two pages share one. That is why the extension stays (`/post` and `/post.html` may both be
//! pages), and why a page whose own name could be mistaken for one of these gets a hash as well:
//! `/f422c82d6db73d91` without a query, and `/post/index` for Markdown. A query becomes a hash because a
//! static host looks for files by the path alone.

use sha2::{Digest, Sha256};
use sitecast_scp::HttpUrl;
use sitecast_storage::{InvalidPath, StorePath};
use url::Url;

use crate::percent::decode;

/// The reason that a URL has no file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum UrlError {
    /// It passes as a URL in a collection, but nothing could fetch it.
    #[error("`{url}` is not a URL that can be fetched: {source}")]
    Unusable {
        /// The input.
        url: String,
        /// The problem.
        source: url::ParseError,
    },
    /// Another host, or another part of the host.
    #[error("`{url}` is not under `{base}`")]
    Elsewhere {
        /// The input.
        url: String,
        /// The base that it should be under.
        base: String,
    },
    /// Files are found by the path alone.
    #[error("`{0}` has a query, so it cannot be a file")]
    Query(String),
    /// An escape that servers read differently, or as the end of a folder's name.
    #[error("`{url}` cannot be a file: {problem}")]
    Escape {
        /// The input.
        url: String,
        /// The problem.
        problem: &'static str,
    },
    /// Not a name that a store takes.
    #[error("`{url}` cannot be a file: {source}")]
    Path {
        /// The input.
        url: String,
        /// The reason.
        source: InvalidPath,
    },
}

/// Returns the URL of a page's machine page. The fragment does not count.
pub(crate) fn machine_url(page: &HttpUrl) -> Result<String, UrlError> {
    twin(page, "llm.json", ".llm.json")
}

/// Returns the file of a page's machine page in a store; `None` if the page has none.
pub(crate) fn machine_path(base: &Url, page: &HttpUrl) -> Option<StorePath> {
    store_path(base, &machine_url(page).ok()?).ok()
}

/// The URL of a page's Markdown twin. The fragment does not count.
pub(crate) fn markdown_url(page: &HttpUrl) -> Result<String, UrlError> {
    twin(page, "index.md", ".md")
}

/// The file in a store that a URL under `base` stands for: what a server looks for when it is asked for it.
///
/// URLs that differ, but that RFC 3986 calls equivalent (`/%61` and `/a`), are one file.
pub(crate) fn store_path(base: &Url, url: &str) -> Result<StorePath, UrlError> {
    let parsed = parse(url)?;
    if parsed.query().is_some() {
        return Err(UrlError::Query(url.to_owned()));
    }
    let elsewhere = || UrlError::Elsewhere {
        url: url.to_owned(),
        base: base.to_string(),
    };
    if parsed.origin() != base.origin() {
        return Err(elsewhere());
    }
    let mut parts = parts(&parsed, url)?.into_iter();
    let mut folders = self::parts(base, base.as_str())?;
    // `https://example.com/docs/` ends in an empty part; `https://example.com/docs` means the same.
    if folders.last().is_some_and(String::is_empty) {
        folders.pop();
    }
    for folder in folders {
        if parts.next() != Some(folder) {
            return Err(elsewhere());
        }
    }
    let path = parts.collect::<Vec<_>>().join("/");
    path.parse().map_err(|source| UrlError::Path {
        url: url.to_owned(),
        source,
    })
}

fn parse(url: &str) -> Result<Url, UrlError> {
    Url::parse(url).map_err(|source| UrlError::Unusable {
        url: url.to_owned(),
        source,
    })
}

/// `of_folder` is the whole name for a URL that ends in `/`, `suffix` what is put after other names.
fn twin(page: &HttpUrl, of_folder: &str, suffix: &str) -> Result<String, UrlError> {
    let mut url = parse(page.as_str())?;
    let path = url.path();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let decoded = decode(name);
    let decoded = decoded.as_deref().unwrap_or(name);
    let twin = match (url.query(), name) {
        (Some(query), "") => format!("{folder}/{}{suffix}", digest(query)),
        (Some(query), _) => format!("{path}.{}{suffix}", digest(query)),
        (None, "") => format!("{folder}/{of_folder}"),
        (None, _) if ends_in_digest(decoded) || format!("{decoded}{suffix}") == of_folder => {
            format!("{path}.{}{suffix}", digest(NO_QUERY))
        }
        (None, _) => format!("{path}{suffix}"),
    };
    url.set_path(&twin);
    url.set_query(None);
    url.set_fragment(None);
    Ok(url.into())
}

/// Hashed in place of a query where there is none. No query holds it.
const NO_QUERY: &str = "#";

/// The hexadecimal digits that stand for a query. 64 bits: for two of a million queries of one page to
/// share them is a matter of one in tens of millions.
const DIGEST_DIGITS: usize = 16;

fn digest(query: &str) -> String {
    let mut digits = String::with_capacity(DIGEST_DIGITS);
    for byte in Sha256::digest(query).iter().take(DIGEST_DIGITS / 2) {
        digits.push_str(&format!("{byte:02x}"));
    }
    digits
}

/// Returns true if the name alone looks like one with the hash of a query.
fn ends_in_digest(name: &str) -> bool {
    let last = name.rsplit_once('.').map_or(name, |(_, last)| last);
    last.len() == DIGEST_DIGITS && last.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The parts of a URL's path, decoded one by one: what `%2F` stands for does not divide parts.
fn parts(parsed: &Url, given: &str) -> Result<Vec<String>, UrlError> {
    let wrong = |problem| UrlError::Escape {
        url: given.to_owned(),
        problem,
    };
    let path = parsed.path();
    path.strip_prefix('/')
        .unwrap_or(path)
        .split('/')
        .map(|part| {
            let decoded = decode(part).ok_or_else(|| {
                wrong("a `%` in it is not followed by two digits, or its bytes are not UTF-8")
            })?;
            if decoded.contains('/') {
                return Err(wrong("it holds `%2F`, which is not a division of folders"));
            }
            Ok(decoded)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn page(path: &str) -> HttpUrl {
        HttpUrl::new(format!("https://example.com{path}")).unwrap()
    }

    fn machine(path: &str) -> String {
        let url = machine_url(&page(path)).unwrap();
        url.strip_prefix("https://example.com").unwrap().to_owned()
    }

    fn markdown(path: &str) -> String {
        let url = markdown_url(&page(path)).unwrap();
        url.strip_prefix("https://example.com").unwrap().to_owned()
    }

    fn stored(base: &str, url: &str) -> Result<String, UrlError> {
        store_path(&base.parse().unwrap(), url).map(|path| path.as_str().to_owned())
    }

    #[test]
    fn machine_pages_stand_beside_their_pages() {
        for (page, expected) in [
            ("", "/llm.json"),
            ("/", "/llm.json"),
            ("/post/", "/post/llm.json"),
            ("/post", "/post.llm.json"),
            ("/post.html", "/post.html.llm.json"),
            ("/a/b.c/d", "/a/b.c/d.llm.json"),
            ("/post/#top", "/post/llm.json"),
            ("/käse/", "/k%C3%A4se/llm.json"),
            ("/a b", "/a%20b.llm.json"),
            ("/post?id=7", "/post.f422c82d6db73d91.llm.json"),
            ("/?id=7", "/f422c82d6db73d91.llm.json"),
            ("/post/?id=7#x", "/post/f422c82d6db73d91.llm.json"),
        ] {
            assert_eq!(machine(page), expected, "{page}");
        }
    }

    #[test]
    fn markdown_twins_stand_beside_their_pages() {
        for (page, expected) in [
            ("/", "/index.md"),
            ("/post/", "/post/index.md"),
            ("/post", "/post.md"),
            ("/post.html", "/post.html.md"),
            ("/post?id=7", "/post.f422c82d6db73d91.md"),
            ("/?id=7", "/f422c82d6db73d91.md"),
        ] {
            assert_eq!(markdown(page), expected, "{page}");
        }
    }

    #[test]
    fn a_hash_is_the_beginning_of_sha256() {
        // printf 'id=7' | sha256sum
        assert_eq!(digest("id=7"), "f422c82d6db73d91");
    }

    #[test]
    fn names_that_look_like_another_pages_twin_are_told_apart() {
        assert_ne!(machine("/f422c82d6db73d91"), machine("/?id=7"));
        assert_ne!(machine("/post.f422c82d6db73d91"), machine("/post?id=7"));
        assert_ne!(markdown("/post/index"), markdown("/post/"));
        let base = "https://example.com/";
        let file = |url: Result<String, UrlError>| stored(base, &url.unwrap()).unwrap();
        assert_ne!(
            file(markdown_url(&page("/post/%69ndex"))),
            file(markdown_url(&page("/post/")))
        );
        assert_ne!(
            file(machine_url(&page("/post.%66422c82d6db73d91"))),
            file(machine_url(&page("/post?id=7")))
        );
    }

    #[test]
    fn user_port_and_scheme_stay() {
        let page = HttpUrl::new("http://u@example.com:8080/a?b#c").unwrap();
        let url = machine_url(&page).unwrap();
        assert!(url.starts_with("http://u@example.com:8080/a."), "{url}");
    }

    #[test]
    fn files_are_relative_to_the_base() {
        for (base, url, expected) in [
            ("https://example.com", "https://example.com/a", "a"),
            ("https://example.com/", "https://example.com/a/b", "a/b"),
            (
                "https://example.com/docs/",
                "https://example.com/docs/a/llm.json",
                "a/llm.json",
            ),
            (
                "https://example.com/docs",
                "https://example.com/docs/llm.json",
                "llm.json",
            ),
            (
                "https://example.com/k%c3%a4se/",
                "https://example.com/k%C3%A4se/a%20b",
                "a b",
            ),
            (
                "https://example.com/",
                "https://EXAMPLE.com:443/a/../b/./c",
                "b/c",
            ),
            ("https://example.com/", "https://example.com/100%25", "100%"),
            ("https://example.com/", "https://example.com/a#b", "a"),
        ] {
            assert_eq!(stored(base, url).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn what_is_not_under_the_base_has_no_file() {
        for (base, url) in [
            ("https://example.com/", "https://example.org/a"),
            ("https://example.com/", "http://example.com/a"),
            ("https://example.com/", "https://example.com:8443/a"),
            ("https://example.com/docs/", "https://example.com/a"),
            ("https://example.com/docs/", "https://example.com/docsa"),
            ("https://example.com/docs/", "https://example.com/"),
        ] {
            assert!(
                matches!(stored(base, url), Err(UrlError::Elsewhere { .. })),
                "{url}"
            );
        }
    }

    #[test]
    fn what_cannot_name_a_file_is_refused() {
        let long = format!("https://example.com/{}", "a".repeat(241));
        for url in [
            "https://example.com/a%2Fb",
            "https://example.com/a%2fb",
            "https://example.com/%00",
            "https://example.com/a%0Ab",
            "https://example.com/a%5Cb",
            "https://example.com/%",
            "https://example.com/%4",
            "https://example.com/%zz",
            "https://example.com/%FF",
            "https://example.com/a//b",
            "https://example.com/a/",
            "https://example.com/",
            "https://example.com/..%2F..%2Fetc",
            "https://example.com/a?b",
            "/a",
            "https://exa mple.com/",
            &long,
        ] {
            assert!(stored("https://example.com/", url).is_err(), "{url}");
        }
        // The URL standard takes dots away, however they are spelled.
        assert_eq!(
            stored("https://example.com/", "https://example.com/%2e%2E/a").unwrap(),
            "a"
        );
    }

    #[test]
    fn a_url_that_no_client_takes_is_an_error() {
        let page = HttpUrl::new("https://xn--a/").unwrap();
        assert!(matches!(machine_url(&page), Err(UrlError::Unusable { .. })));
    }

    /// Paths that are likely to meet: few names, hashes of queries among them.
    fn paths() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "a",
            "a.html",
            "index",
            "llm",
            "llm.json",
            "index.md",
            "%69ndex",
            "f422c82d6db73d91",
            "a.f422c82d6db73d91",
            "a.334359b90efed75d",
            "%66422c82d6db73d91",
            "",
            "a.llm.json",
            "a%20b",
            "%zz",
        ]);
        let query = prop::sample::select(vec!["", "?", "?id=7", "?a", "?#", "#x"]);
        (prop::collection::vec(name, 0..4), query)
            .prop_map(|(names, query)| format!("/{}{query}", names.join("/")))
    }

    proptest! {
        #[test]
        fn no_two_pages_share_a_twin(paths in prop::collection::vec(paths(), 2..40)) {
            let mut owners: HashMap<String, Url> = HashMap::new();
            let mut files: HashMap<String, (Vec<String>, Option<String>)> = HashMap::new();
            for path in paths {
                let page = page(&path);
                let mut url = Url::parse(page.as_str()).unwrap();
                url.set_fragment(None);
                // Both kinds into one map: neither do a machine page and a Markdown twin meet.
                for twin in [machine_url(&page).unwrap(), markdown_url(&page).unwrap()] {
                    let owner = owners.entry(twin.clone()).or_insert_with(|| url.clone());
                    prop_assert_eq!(&*owner, &url, "{}", twin);
                    if let Ok(file) = stored("https://example.com/", &twin) {
                        let identity = (parts(&url, "").unwrap(), url.query().map(str::to_owned));
                        let owner = files.entry(file).or_insert_with(|| identity.clone());
                        prop_assert_eq!(&*owner, &identity, "{}", twin);
                    }
                }
            }
        }

        #[test]
        fn twins_of_ordinary_pages_have_files(path in "(/[a-zäñ0-9_~-][a-zäñ0-9 ._~-]{0,19}){0,4}/?(\\?[a-z=&]{1,9})?") {
            let page = page(&path);
            for twin in [machine_url(&page).unwrap(), markdown_url(&page).unwrap()] {
                prop_assert!(store_path(&"https://example.com/".parse().unwrap(), &twin).is_ok(), "{}", twin);
            }
        }

        #[test]
        fn no_url_panics_or_leaves_the_store(text in "https://example.com/[ -~ä\\u{0}]{0,40}") {
            if let Ok(page) = HttpUrl::new(text.clone()) {
                let _ = machine_url(&page);
            }
            if let Ok(path) = store_path(&"https://example.com/".parse().unwrap(), &text) {
                prop_assert!(path.parts().all(|part| !matches!(part, "" | "." | "..")));
            }
        }
    }
}
