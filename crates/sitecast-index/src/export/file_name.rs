//! File names for exported pages.
//!
//! URLs are untrusted input. They may contain `..`, empty and hidden names, separators of other systems,
//! reserved names (`CON`) or names that are too long, and two URLs may differ only in case or in characters
//! that a file system cannot store. So a name keeps only lower-case letters, digits and `-_.`. If that
//! changed the name, a hash of the URL makes it unique.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// The most nested folders.
const DEPTH: usize = 8;

/// The most characters of a name.
const LENGTH: usize = 80;

/// Returns a relative path for the page at `url`, without the extension `.md`: the host, then the path.
pub(super) fn stem(url: &str) -> PathBuf {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (before_query, query) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    let mut segments = before_query.split('/');
    let host = segments.next().unwrap_or_default();
    let segments: Vec<&str> = segments.collect();
    let (name, folders) = segments.split_last().unwrap_or((&"", &[]));

    let mut exact = query.is_empty() && folders.len() < DEPTH && url.starts_with("https://");
    let mut path = PathBuf::new();
    for folder in std::iter::once(&host).chain(folders.iter().take(DEPTH)) {
        let kept = plain(folder, &mut exact);
        // Another page may have a file of that name.
        let kept = if kept.ends_with(".md") {
            exact = false;
            format!("{kept}_")
        } else {
            kept
        };
        path.push(kept);
    }
    let mut name = match *name {
        "" => "index".to_owned(),
        name => plain(name, &mut exact),
    };
    // `/a/` and `/a/index` are different pages.
    exact &= segments.last() != Some(&"index");
    if !exact {
        let mut hash = Sha256::new_with_prefix(url.as_bytes());
        // A URL without a path and the root of its host are the same page.
        if segments.is_empty() && query.is_empty() {
            hash.update(b"/");
        }
        let hash = hash.finalize();
        name.push('-');
        for byte in hash.iter().take(8) {
            name.push_str(&format!("{byte:02x}"));
        }
    }
    path.push(name);
    path
}

/// Reduces `segment` to allowed characters; never returns an empty name. Clears `exact` if that changed it.
fn plain(segment: &str, exact: &mut bool) -> String {
    let keep =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.');
    let kept: String = segment
        .chars()
        .take(LENGTH)
        .map(|c| c.to_ascii_lowercase())
        .map(|c| if keep(c) { c } else { '-' })
        .collect();
    let kept = kept.trim_matches('.').to_owned();
    let kept = if kept.is_empty() || is_reserved(&kept) {
        format!("_{kept}")
    } else {
        kept
    };
    *exact &= kept == segment;
    kept
}

/// Returns true if Windows treats the name as a device, whatever its extension.
fn is_reserved(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name);
    let numbered = |device: &str| {
        base.strip_prefix(device)
            .is_some_and(|rest| rest.len() == 1 && rest.chars().all(|c| c.is_ascii_digit()))
    };
    matches!(base, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Component;

    use proptest::prelude::*;

    use super::*;

    fn text(url: &str) -> String {
        stem(url).to_str().unwrap().replace('\\', "/")
    }

    #[test]
    fn plain_urls_keep_their_names() {
        assert_eq!(text("https://example.com/"), "example.com/index");
        assert_eq!(text("https://example.com"), "example.com/index");
        assert_eq!(text("https://example.com/a/b"), "example.com/a/b");
        assert_eq!(text("https://example.com/a/b/"), "example.com/a/b/index");
        assert_eq!(text("https://example.com/a.html"), "example.com/a.html");
    }

    #[test]
    fn hostile_urls_stay_inside_the_folder() {
        for url in [
            "https://example.com/../../etc/passwd",
            "https://example.com/..%2f..",
            "https://example.com/a\\..\\b",
            "https://example.com//",
            "https://../x",
            "https://example.com/.git/config",
            "https://example.com/con",
            "https://example.com/c:/x",
            "https://example.com/\0",
            "..",
            "",
            "/etc/passwd",
        ] {
            let path = stem(url);
            for part in path.components() {
                let Component::Normal(name) = part else {
                    panic!("{url}: {path:?}");
                };
                assert!(!name.to_str().unwrap().starts_with('.'), "{url}: {path:?}");
            }
        }
        assert!(
            stem(&format!("https://example.com/{}", "a/".repeat(500)))
                .as_os_str()
                .len()
                < 900
        );
        assert!(
            stem(&format!("https://example.com/{}", "a".repeat(500)))
                .as_os_str()
                .len()
                < 200
        );
    }

    #[test]
    fn similar_urls_get_different_files() {
        let mut taken = HashMap::new();
        for url in [
            "https://example.com/a",
            "https://example.com/A",
            "http://example.com/a",
            "https://example.com/a?b",
            "https://example.com/a?c",
            "https://example.com/a/",
            "https://example.com/a/index",
            "https://example.com/%61",
            "https://example.com/a.",
            "https://example.com/.a",
            "https://example.com//a",
            "https://example.com/é",
            "https://example.com/è",
            "https://example.com:80/a",
        ] {
            assert_eq!(taken.insert(text(url), url), None, "{url}");
        }
        assert_eq!(text("http://example.com"), text("http://example.com/"));
    }

    #[test]
    fn folder_names_never_end_in_md() {
        assert!(!stem("https://example.com/a.md/b").starts_with("example.com/a.md"));
    }

    proptest! {
        #[test]
        fn different_urls_have_different_files(a in "https?://[a-c]{1,2}(/[a-cA-C.é%]{0,3}){0,3}(\\?[ab])?", b in "https?://[a-c]{1,2}(/[a-cA-C.é%]{0,3}){0,3}(\\?[ab])?") {
            // A URL without a path and the root of its host are the same page.
            let whole = |url: &str| if url.matches('/').count() == 2 && !url.contains('?') { format!("{url}/") } else { url.to_owned() };
            prop_assert_eq!(whole(&a) == whole(&b), text(&a).to_lowercase() == text(&b).to_lowercase());
        }
    }
}
