//! Access control: path prefixes that need a bearer token.
//!
//! A protected page must not leak through another name of its file, its machine page, its Markdown, a link to its file,
//! or a file that lists it. So a page is protected under all names of its file, and a sitemap or collection needs a
//! token for every prefix whose pages it lists.

mod escapes;
pub(crate) mod links;

use sha2::{Digest, Sha256};

use crate::http::target;

/// A set of protected prefixes, as bits in the order of the settings. A resource needs a token for each of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProtectedParts(u64);

impl ProtectedParts {
    /// Needs a token for every prefix: for content that cannot be examined.
    pub(crate) const ALL: Self = Self(u64::MAX);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if this set contains all of `others`.
    pub(crate) fn covers(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The number of bits in [`ProtectedParts`].
pub(crate) const MAX_PREFIXES: usize = 64;

/// A path prefix and the tokens that open it.
#[derive(Clone)]
pub struct ProtectedPrefix {
    /// Decoded and in lower case, as paths are compared.
    prefix: String,
    tokens: Vec<[u8; 32]>,
}

/// Leaves out the tokens.
impl std::fmt::Debug for ProtectedPrefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProtectedPrefix")
            .field("prefix", &self.prefix)
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

impl ProtectedPrefix {
    /// Protects every path that begins with `prefix`, such as `/members/`. Upper and lower case are equal, because some
    /// file systems ignore case. Percent escapes are decoded (`/k%C3%A4se/`), and a prefix that is one name of a page
    /// (`/secret.html`) protects its other names, too.
    pub fn new<T: AsRef<str>>(prefix: &str, tokens: impl IntoIterator<Item = T>) -> Self {
        Self {
            prefix: escapes::percent_decoded(prefix).to_lowercase(),
            tokens: tokens
                .into_iter()
                .map(|token| Sha256::digest(token.as_ref()).into())
                .collect(),
        }
    }

    /// Returns the reason why no path can begin with the prefix. Such a prefix would protect nothing, so it is an
    /// error.
    pub(crate) fn problem(&self) -> Option<String> {
        let prefix = &self.prefix;
        let problem = if !prefix.starts_with('/') {
            "does not begin with `/`"
        } else if prefix.contains(['?', '#']) {
            "has a query or a fragment; name a path"
        } else if prefix.contains('*') {
            "has a `*`; leave it out, a prefix covers all paths below it"
        } else if target::decode(&prefix.replace('%', "%25")).is_err() {
            "is not the beginning of a valid path"
        } else {
            return None;
        };
        Some(format!("the protected prefix `{prefix}` {problem}"))
    }
}

/// All protected prefixes of a site.
#[derive(Debug, Default)]
pub(crate) struct Protection {
    parts: Vec<ProtectedPrefix>,
    links: links::HardLinks,
}

impl Protection {
    pub(crate) fn new(parts: Vec<ProtectedPrefix>) -> Self {
        Self {
            parts,
            links: links::HardLinks::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the prefixes that cover a path under any of the names of its page.
    pub(crate) fn of_path(&self, path: &str) -> ProtectedParts {
        let mut found = ProtectedParts::default();
        if self.parts.is_empty() {
            return found;
        }
        let path = path.to_lowercase();
        let stem = stem(&path);
        for (number, part) in self.parts.iter().enumerate().take(MAX_PREFIXES) {
            if path.starts_with(&part.prefix) || stem == self::stem(&part.prefix) {
                found.add(ProtectedParts(1 << number));
            }
        }
        found
    }

    /// Returns the prefixes that cover a folder or lie in it. `folder` ends with a slash.
    pub(crate) fn of_folder(&self, folder: &str) -> ProtectedParts {
        let mut found = self.of_path(folder);
        let folder = folder.to_lowercase();
        for (number, part) in self.parts.iter().enumerate().take(MAX_PREFIXES) {
            if part.prefix.starts_with(&folder) {
                found.add(ProtectedParts(1 << number));
            }
        }
        found
    }

    /// Returns the prefixes that a text mentions, in any escaping, also by links relative to `root`, where the text is.
    pub(crate) fn of_text(&self, text: &[u8], root: &str) -> ProtectedParts {
        let mut found = ProtectedParts::default();
        if self.parts.is_empty() {
            return found;
        }
        let root = root.to_lowercase();
        let all = ProtectedParts(
            (0..self.parts.len().min(MAX_PREFIXES)).fold(0, |all, at| all | 1 << at),
        );
        escapes::for_each_decoding(text, |text| {
            for (number, part) in self.parts.iter().enumerate().take(MAX_PREFIXES) {
                let name = stem(&part.prefix);
                let link = name.strip_prefix(&root).filter(|link| !link.is_empty());
                let mentions =
                    text.contains(name) || link.is_some_and(|link| escapes::links_to(text, link));
                if mentions {
                    found.add(ProtectedParts(1 << number));
                }
            }
            found == all
        });
        found
    }

    /// Lists the prefixes for a message.
    pub(crate) fn names(&self, parts: ProtectedParts) -> String {
        let named = self.parts.iter().enumerate().take(MAX_PREFIXES);
        let named = named.filter(|(number, _)| parts.0 & (1 << number) != 0);
        let names: Vec<String> = named
            .map(|(_, part)| format!("`{}`", part.prefix))
            .collect();
        names.join(", ")
    }

    /// Returns the prefixes that match no path below `root`.
    pub(crate) fn outside<'p>(&'p self, root: &'p str) -> impl Iterator<Item = &'p str> {
        let prefixes = self.parts.iter().map(|part| part.prefix.as_str());
        let root = root.to_lowercase();
        prefixes.filter(move |prefix| !prefix.starts_with(&root) && !root.starts_with(prefix))
    }

    /// Returns true if the token opens all of these prefixes. Tokens are compared by their hashes, so that timing
    /// reveals nothing about them.
    pub(crate) fn admits(&self, wanted: ProtectedParts, token: &str) -> bool {
        let hash: [u8; 32] = Sha256::digest(token).into();
        let parts = self.parts.iter().enumerate().take(MAX_PREFIXES);
        parts
            .filter(|(number, _)| wanted.0 & (1 << number) != 0)
            .all(|(_, part)| part.tokens.contains(&hash))
    }
}

/// Returns what the names of a page have in common: `/a` for `/a`, `/a/`, `/a.html`, `/a/index.html`, and for the
/// machine page and Markdown, `/a/llm.json` and `/a.html.md`.
fn stem(path: &str) -> &str {
    let path = page_of_derived(path);
    let path = [".html", ".htm", ".xhtml"]
        .into_iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    let path = last_part(path, "index").unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

/// Returns the page that a machine page or Markdown file belongs to, by the publisher's naming: a name in the page's
/// folder, or an extension, after a hash if the page has a query.
fn page_of_derived(path: &str) -> &str {
    let Some(page) = last_part(path, "llm.json")
        .or_else(|| path.strip_suffix(".llm.json"))
        .or_else(|| path.strip_suffix(".md"))
    else {
        return path;
    };
    let Some((rest, hash)) = page
        .len()
        .checked_sub(16)
        .and_then(|at| page.split_at_checked(at))
    else {
        return page;
    };
    match hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true if rest.ends_with('/') => rest,
        true => rest.strip_suffix('.').unwrap_or(page),
        false => page,
    }
}

/// Returns the folder if the last part of the path is `name`.
fn last_part<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_suffix(name)
        .filter(|folder| folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_protected_under_all_its_names() {
        let protection = Protection::new(vec![
            ProtectedPrefix::new("/members/", ["one"]),
            ProtectedPrefix::new("/secret", ["two", "three"]),
        ]);
        for path in [
            "/members/",
            "/members",
            "/members.html",
            "/Members/x",
            "/members/index.html",
            "/members/a/llm.json",
            "/members.md",
            "/members.html.md",
            "/members/index.md",
            "/members.llm.json",
            "/members.f422c82d6db73d91.md",
            "/members.html.f422c82d6db73d91.llm.json",
        ] {
            assert_eq!(protection.of_path(path), ProtectedParts(1), "{path}");
        }
        for path in ["/secret", "/secret.html", "/secrets/", "/secret.llm.json"] {
            assert_eq!(protection.of_path(path), ProtectedParts(2), "{path}");
        }
        for path in [
            "/",
            "/member",
            "/a/members/",
            "/membership",
            "/membership.md",
            "/memberships.f422c82d6db73d91.md",
        ] {
            assert_eq!(protection.of_path(path), ProtectedParts(0), "{path}");
        }
        let mut both = protection.of_path("/members/");
        assert!(protection.admits(both, "one") && !protection.admits(both, "two"));
        both.add(protection.of_path("/secret"));
        assert!(!protection.admits(both, "one") && !protection.admits(both, ""));
        assert_eq!(
            protection.of_text(b"see https://example.com/members/x", "/"),
            ProtectedParts(1)
        );
    }

    #[test]
    fn decodes_prefixes_like_paths() {
        let parts = |prefix: &str, path: &str| {
            let protection = Protection::new(vec![ProtectedPrefix::new(prefix, ["one"])]);
            !protection.of_path(path).is_empty()
        };
        for (prefix, path) in [
            ("/k%C3%A4se/", "/käse/"),
            ("/K%c3%84se/", "/käse/brie/"),
            ("/käse/", "/käse/llm.json"),
            ("/secret.html", "/secret"),
            ("/secret.html", "/secret/"),
            ("/secret.html", "/secret.html.llm.json"),
            ("/secret.html", "/secret.md"),
            ("/members/index.html", "/members/"),
            ("/members/index.html", "/members"),
            ("/members/index.html", "/members/llm.json"),
            ("/members/index.html", "/members/index"),
            ("/members/index", "/members/"),
            ("/index.html", "/"),
            ("/index.html", "/index.md"),
            ("/", "/anything"),
        ] {
            assert!(parts(prefix, path), "{prefix} {path}");
        }
        for (prefix, path) in [
            ("/secret.html", "/secrets"),
            ("/members/index.html", "/members/club/"),
            ("/index.html", "/tea/"),
        ] {
            assert!(!parts(prefix, path), "{prefix} {path}");
        }
    }

    #[test]
    fn reports_prefixes_that_protect_nothing() {
        for prefix in ["/", "/members/", "/k%C3%A4se", "/a%25b", "/a b"] {
            assert_eq!(
                ProtectedPrefix::new(prefix, ["one"]).problem(),
                None,
                "{prefix}"
            );
        }
        for prefix in [
            "", "members/", "/a?b", "/a#b", "/a/*", "//a", "/../a", "/a\\b",
        ] {
            assert!(
                ProtectedPrefix::new(prefix, ["one"]).problem().is_some(),
                "{prefix}"
            );
        }
    }

    #[test]
    fn finds_prefixes_in_text_in_any_escaping() {
        let protection = Protection::new(vec![
            ProtectedPrefix::new("/käse/", ["one"]),
            ProtectedPrefix::new("/a&b/index.html", ["two"]),
        ]);
        for text in [
            "- [Käse](https://example.com/k%C3%A4se/index.md)",
            "https://example.com/k%c3%a4se",
            "https://example.com/KÄSE/",
            r#"{"url":"https:\/\/example.com\/k\u00e4se\/"}"#,
            r#"{"url":"https:\/\/example.com\/k%C3%A4se\/"}"#,
        ] {
            assert_eq!(
                protection.of_text(text.as_bytes(), "/"),
                ProtectedParts(1),
                "{text}"
            );
        }
        for text in ["https://example.com/a&amp;b/", "https://example.com/a%26b"] {
            assert_eq!(
                protection.of_text(text.as_bytes(), "/"),
                ProtectedParts(2),
                "{text}"
            );
        }
        assert!(
            protection
                .of_text(b"50 % of /kase/ and %zz", "/")
                .is_empty()
        );
    }

    #[test]
    fn finds_prefixes_in_text_by_relative_links() {
        let protection = Protection::new(vec![ProtectedPrefix::new("/docs/tea/", ["one"])]);
        for text in [
            "[Tea](tea/index.md)",
            "[Tea](tea)",
            "[Tea](./tea.html)",
            r#"{"url":"tea/"}"#,
            "<loc>tea/</loc>",
            "tea/coffee",
            "- Tea: tea/index.html",
        ] {
            assert_eq!(
                protection.of_text(text.as_bytes(), "/docs/"),
                ProtectedParts(1),
                "{text}"
            );
        }
        for text in [
            "a cup (tea)",
            "tea. And tea",
            r#"["tea"]"#,
            "[Steak](steak/)",
            "black-tea/",
        ] {
            assert!(
                protection.of_text(text.as_bytes(), "/docs/").is_empty(),
                "{text}"
            );
        }
    }
}
