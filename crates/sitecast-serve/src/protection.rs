//! Parts of the site that only those may see who have a token.
//!
//! What could give a protected page away: the page itself under another of its names, its machine
//! page and its Markdown, a link to its file, and whatever lists it. So a page is protected under all names that its
//! file has, and a sitemap or collection asks for a token of every part that it lists pages of.

pub(crate) mod links;
mod spelling;

use sha2::{Digest, Sha256};

use crate::http::target;

/// Which protected parts something shows: bit by bit, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Parts(u64);

impl Parts {
    /// Asks for tokens of all parts: for what cannot be known.
    pub(crate) const ALL: Self = Self(u64::MAX);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of the others are among these.
    pub(crate) fn covers(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The most protected parts.
pub(crate) const MOST: usize = 64;

/// A part of the site, and who may see it.
#[derive(Clone)]
pub struct Protected {
    /// As paths are compared: decoded, in small letters.
    prefix: String,
    tokens: Vec<[u8; 32]>,
}

/// Without the tokens.
impl std::fmt::Debug for Protected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Protected")
            .field("prefix", &self.prefix)
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

impl Protected {
    /// Everything whose path begins with `prefix`, letter for letter: `/members/`. The case of letters
    /// does not count: some file systems do not look at it either. Escapes mean what they mean in a
    /// URL (`/k%C3%A4se/`); and a prefix that is one of the names of a page (`/secret.html`) protects
    /// it under the others, too.
    pub fn new<T: AsRef<str>>(prefix: &str, tokens: impl IntoIterator<Item = T>) -> Self {
        Self {
            prefix: spelling::decoded(prefix).to_lowercase(),
            tokens: tokens
                .into_iter()
                .map(|token| Sha256::digest(token.as_ref()).into())
                .collect(),
        }
    }

    /// What is wrong with the prefix: one that no path can begin with would protect nothing.
    pub(crate) fn problem(&self) -> Option<String> {
        let prefix = &self.prefix;
        let problem = if !prefix.starts_with('/') {
            "does not begin with `/`"
        } else if prefix.contains(['?', '#']) {
            "has a query or a fragment, and only paths are compared"
        } else if prefix.contains('*') {
            "has a `*`, and everything that begins with it is protected anyway"
        } else if target::decode(&prefix.replace('%', "%25")).is_err() {
            "is not the beginning of any path"
        } else {
            return None;
        };
        Some(format!("the protected prefix `{prefix}` {problem}"))
    }
}

/// All protected parts of a site.
#[derive(Debug, Default)]
pub(crate) struct Protection {
    parts: Vec<Protected>,
    links: links::HardLinks,
}

impl Protection {
    pub(crate) fn new(parts: Vec<Protected>) -> Self {
        Self {
            parts,
            links: links::HardLinks::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The parts that a path belongs to, by any of the names that its page may have.
    pub(crate) fn of_path(&self, path: &str) -> Parts {
        let mut found = Parts::default();
        if self.parts.is_empty() {
            return found;
        }
        let path = path.to_lowercase();
        let stem = stem(&path);
        for (number, part) in self.parts.iter().enumerate().take(MOST) {
            if path.starts_with(&part.prefix) || stem == self::stem(&part.prefix) {
                found.add(Parts(1 << number));
            }
        }
        found
    }

    /// The parts that a folder belongs to, and those that lie in it. Its path ends with a slash.
    pub(crate) fn of_folder(&self, folder: &str) -> Parts {
        let mut found = self.of_path(folder);
        let folder = folder.to_lowercase();
        for (number, part) in self.parts.iter().enumerate().take(MOST) {
            if part.prefix.starts_with(&folder) {
                found.add(Parts(1 << number));
            }
        }
        found
    }

    /// The parts that a text speaks of, wherever in it, and however their addresses are spelt there; also by links that
    /// begin at `root`, where the text is.
    pub(crate) fn of_text(&self, text: &[u8], root: &str) -> Parts {
        let mut found = Parts::default();
        if self.parts.is_empty() {
            return found;
        }
        let root = root.to_lowercase();
        let all = Parts((0..self.parts.len().min(MOST)).fold(0, |all, at| all | 1 << at));
        spelling::read_in_all_ways(text, |text| {
            for (number, part) in self.parts.iter().enumerate().take(MOST) {
                let name = stem(&part.prefix);
                let link = name.strip_prefix(&root).filter(|link| !link.is_empty());
                let speaks =
                    text.contains(name) || link.is_some_and(|link| spelling::links_to(text, link));
                if speaks {
                    found.add(Parts(1 << number));
                }
            }
            found == all
        });
        found
    }

    /// The prefixes of some parts, for a person to read.
    pub(crate) fn names(&self, parts: Parts) -> String {
        let named = self.parts.iter().enumerate().take(MOST);
        let named = named.filter(|(number, _)| parts.0 & (1 << number) != 0);
        let names: Vec<String> = named
            .map(|(_, part)| format!("`{}`", part.prefix))
            .collect();
        names.join(", ")
    }

    /// The prefixes that no path below `root` has.
    pub(crate) fn outside<'p>(&'p self, root: &'p str) -> impl Iterator<Item = &'p str> {
        let prefixes = self.parts.iter().map(|part| part.prefix.as_str());
        let root = root.to_lowercase();
        prefixes.filter(move |prefix| !prefix.starts_with(&root) && !root.starts_with(prefix))
    }

    /// Whether a token is one for each of these parts. Tokens are compared by their hashes, so that
    /// the time it takes tells nothing of them.
    pub(crate) fn admits(&self, wanted: Parts, token: &str) -> bool {
        let hash: [u8; 32] = Sha256::digest(token).into();
        let parts = self.parts.iter().enumerate().take(MOST);
        parts
            .filter(|(number, _)| wanted.0 & (1 << number) != 0)
            .all(|(_, part)| part.tokens.contains(&hash))
    }
}

/// `/a` for `/a`, `/a/`, `/a.html`, `/a/index.html`, and for their machine pages and Markdown twins, `/a/llm.json` and
/// `/a.html.md`: what the names of a page have in common.
fn stem(path: &str) -> &str {
    let path = page_of_twin(path);
    let path = [".html", ".htm", ".xhtml"]
        .into_iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    let path = last_part(path, "index").unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
}

/// The page that something is the machine page or the Markdown twin of, by the publisher's rules: a name in the page's
/// folder, or an ending; before it stands a hash where the page has a query.
fn page_of_twin(path: &str) -> &str {
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

/// The folder, if the last part of a path is this.
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
            Protected::new("/members/", ["one"]),
            Protected::new("/secret", ["two", "three"]),
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
            assert_eq!(protection.of_path(path), Parts(1), "{path}");
        }
        for path in ["/secret", "/secret.html", "/secrets/", "/secret.llm.json"] {
            assert_eq!(protection.of_path(path), Parts(2), "{path}");
        }
        for path in [
            "/",
            "/member",
            "/a/members/",
            "/membership",
            "/membership.md",
            "/memberships.f422c82d6db73d91.md",
        ] {
            assert_eq!(protection.of_path(path), Parts(0), "{path}");
        }
        let mut both = protection.of_path("/members/");
        assert!(protection.admits(both, "one") && !protection.admits(both, "two"));
        both.add(protection.of_path("/secret"));
        assert!(!protection.admits(both, "one") && !protection.admits(both, ""));
        assert_eq!(
            protection.of_text(b"see https://example.com/members/x", "/"),
            Parts(1)
        );
    }

    #[test]
    fn a_prefix_is_read_as_a_path_is() {
        let parts = |prefix: &str, path: &str| {
            let protection = Protection::new(vec![Protected::new(prefix, ["one"])]);
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
    fn a_prefix_that_protects_nothing_is_a_problem() {
        for prefix in ["/", "/members/", "/k%C3%A4se", "/a%25b", "/a b"] {
            assert_eq!(Protected::new(prefix, ["one"]).problem(), None, "{prefix}");
        }
        for prefix in [
            "", "members/", "/a?b", "/a#b", "/a/*", "//a", "/../a", "/a\\b",
        ] {
            assert!(
                Protected::new(prefix, ["one"]).problem().is_some(),
                "{prefix}"
            );
        }
    }

    #[test]
    fn a_text_speaks_of_a_part_however_it_is_spelt() {
        let protection = Protection::new(vec![
            Protected::new("/käse/", ["one"]),
            Protected::new("/a&b/index.html", ["two"]),
        ]);
        for text in [
            "- [Käse](https://example.com/k%C3%A4se/index.md)",
            "https://example.com/k%c3%a4se",
            "https://example.com/KÄSE/",
            r#"{"url":"https:\/\/example.com\/k\u00e4se\/"}"#,
            r#"{"url":"https:\/\/example.com\/k%C3%A4se\/"}"#,
        ] {
            assert_eq!(protection.of_text(text.as_bytes(), "/"), Parts(1), "{text}");
        }
        for text in ["https://example.com/a&amp;b/", "https://example.com/a%26b"] {
            assert_eq!(protection.of_text(text.as_bytes(), "/"), Parts(2), "{text}");
        }
        assert!(
            protection
                .of_text(b"50 % of /kase/ and %zz", "/")
                .is_empty()
        );
    }

    #[test]
    fn a_text_speaks_of_a_part_by_links_without_their_beginning() {
        let protection = Protection::new(vec![Protected::new("/docs/tea/", ["one"])]);
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
                Parts(1),
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
