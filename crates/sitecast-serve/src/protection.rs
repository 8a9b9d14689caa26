//! Parts of the site that only those may see who have a token.
//!
//! What could give a protected page away: the page itself under another of its names, its machine
//! page, and whatever lists it. So a page is protected under all names that its file has, and a
//! sitemap or collection asks for a token of every part that it lists pages of.

use sha2::{Digest, Sha256};

/// Which protected parts something shows: bit by bit, in their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Parts(u64);

impl Parts {
    /// Asks for tokens of all parts: for what cannot be known.
    pub(crate) const ALL: Self = Self(u64::MAX);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
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
    /// does not count: some file systems do not look at it either.
    pub fn new<T: AsRef<str>>(prefix: &str, tokens: impl IntoIterator<Item = T>) -> Self {
        Self {
            prefix: prefix.to_lowercase(),
            tokens: tokens
                .into_iter()
                .map(|token| Sha256::digest(token.as_ref()).into())
                .collect(),
        }
    }
}

/// All protected parts of a site.
#[derive(Debug, Default)]
pub(crate) struct Protection {
    parts: Vec<Protected>,
}

impl Protection {
    pub(crate) fn new(parts: Vec<Protected>) -> Self {
        Self { parts }
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
            let names = [path.as_str(), stem, &format!("{stem}/")];
            if names.iter().any(|name| name.starts_with(&part.prefix)) {
                found.add(Parts(1 << number));
            }
        }
        found
    }

    /// The parts that a text speaks of, wherever in it.
    pub(crate) fn of_text(&self, text: &[u8]) -> Parts {
        let mut found = Parts::default();
        let text = String::from_utf8_lossy(text).to_lowercase();
        for (number, part) in self.parts.iter().enumerate().take(MOST) {
            if text.contains(part.prefix.trim_end_matches('/')) {
                found.add(Parts(1 << number));
            }
        }
        found
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

/// `/a` for `/a`, `/a/`, `/a.html`, `/a/index.html`: what the names of a page have in common.
fn stem(path: &str) -> &str {
    let path = ["index.html", "index.htm", "index.xhtml"]
        .into_iter()
        .find_map(|index| {
            path.strip_suffix(index)
                .filter(|folder| folder.ends_with('/'))
        })
        .unwrap_or(path);
    let path = [".html", ".htm", ".xhtml"]
        .into_iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path);
    path.strip_suffix('/').unwrap_or(path)
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
        ] {
            assert_eq!(protection.of_path(path), Parts(1), "{path}");
        }
        for path in ["/secret", "/secret.html", "/secrets/", "/secret.llm.json"] {
            assert_eq!(protection.of_path(path), Parts(2), "{path}");
        }
        for path in ["/", "/member", "/a/members/", "/membership"] {
            assert_eq!(protection.of_path(path), Parts(0), "{path}");
        }
        let mut both = protection.of_path("/members/");
        assert!(protection.admits(both, "one") && !protection.admits(both, "two"));
        both.add(protection.of_path("/secret"));
        assert!(!protection.admits(both, "one") && !protection.admits(both, ""));
        assert_eq!(
            protection.of_text(b"see https://example.com/members/x"),
            Parts(1)
        );
    }
}
