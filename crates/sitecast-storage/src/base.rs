//! The base URL, and the mapping between URLs and paths in the store.

use std::borrow::Cow;

use url::Url;

use crate::{Store, StoreError, StorePath, decode_url_path};

/// The URL of the store's root: `https://example.com/docs/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    url: Url,
    /// The decoded path; ends with `/`.
    path: String,
}

impl Base {
    /// Creates a base. A missing last slash is added.
    pub fn new(mut url: Url) -> Option<Self> {
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        url.set_query(None);
        url.set_fragment(None);
        let path = decode_url_path(url.path()).ok()?.into_owned();
        Some(Self { url, path })
    }

    /// Returns the path of the base with its percent escapes.
    pub fn url_path(&self) -> &str {
        self.url.path()
    }

    /// Derives the base from the URL of an object in the store: the shortest path prefix under which the store has the
    /// file.
    pub fn guess(store: &dyn Store, url: &str) -> Result<Option<Self>, StoreError> {
        let Ok(url) = Url::parse(url) else {
            return Ok(None);
        };
        let Ok(decoded) = decode_url_path(url.path()) else {
            return Ok(None);
        };
        for (slash, _) in decoded.match_indices('/') {
            let (path, file) = decoded.split_at(slash + 1);
            let Ok(file) = file.parse::<StorePath>() else {
                return Ok(None);
            };
            let is_there = match store.open(&file) {
                Ok(opened) => opened.is_some(),
                Err(error) if error.is_refusal() => false,
                Err(error) => return Err(error),
            };
            if is_there {
                let raw_parts = path.matches('/').count();
                let raw: String = url.path().split_inclusive('/').take(raw_parts).collect();
                let mut base = url.clone();
                base.set_path(&raw);
                return Ok(Self::new(base));
            }
        }
        Ok(None)
    }

    /// Returns the URL of a file below the base.
    pub fn url_of(&self, file: &str) -> String {
        format!("{}{file}", self.url)
    }

    /// Returns the decoded path of a URL relative to the base, which is the object's path in the store. `None` for
    /// other hosts, URLs outside of the base, and URLs with a query.
    pub fn relative<'u>(&self, url: &'u str) -> Option<Cow<'u, str>> {
        let (address, query) = match url.split_once(['?', '#']) {
            Some((address, rest)) => (address, url.contains('?') && !rest.is_empty()),
            None => (url, false),
        };
        if query {
            return None;
        }
        let rest = address.strip_prefix(self.url.as_str());
        match rest {
            Some(rest)
                if rest
                    .bytes()
                    .all(|b| b.is_ascii() && b != b'%' && b != b'\\') =>
            {
                Some(Cow::Borrowed(rest))
            }
            _ => {
                let parsed = Url::parse(address).ok()?;
                if parsed.origin() != self.url.origin() {
                    return None;
                }
                let decoded = decode_url_path(parsed.path()).ok()?;
                decoded
                    .strip_prefix(&self.path)
                    .map(|rest| Cow::Owned(rest.to_owned()))
            }
        }
    }

    /// Strips the base from a decoded path.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.path)
    }

    /// Returns the decoded path of the base, which ends with `/`.
    pub fn path(&self) -> &str {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use crate::{Attributes, Body, Condition, Memory, Put};

    use super::*;

    #[test]
    fn resolves_urls_relative_to_the_base() {
        let base = Base::new("https://example.com/docs".parse().unwrap()).unwrap();
        for (url, expected) in [
            ("https://example.com/docs/", Some("")),
            ("https://example.com/docs/a/b", Some("a/b")),
            ("https://example.com/docs/k%C3%A4se/", Some("käse/")),
            ("https://EXAMPLE.com/docs/a", Some("a")),
            ("https://example.com/docs/a?b=c", None),
            ("https://example.com/docs/a#b", Some("a")),
            ("https://example.com/", None),
            ("https://elsewhere.example/docs/a", None),
        ] {
            assert_eq!(base.relative(url).as_deref(), expected, "{url}");
        }
        assert_eq!(base.strip("/docs/a"), Some("a"));
        assert_eq!(base.strip("/a"), None);
    }

    #[test]
    fn guesses_the_base_from_existing_files() {
        let store = Memory::new();
        store
            .put(Put {
                path: "a/llm.json".parse().unwrap(),
                body: Body::Bytes(Vec::new()),
                attributes: Attributes::default(),
                condition: Condition::None,
            })
            .unwrap();
        let guess = |url: &str| {
            let base = Base::guess(&store, url).unwrap();
            base.map(|base| base.url_of("x"))
        };
        assert_eq!(
            guess("https://example.com/a/llm.json").as_deref(),
            Some("https://example.com/x")
        );
        assert_eq!(
            guess("https://example.com/d%20e/f/a/llm.json").as_deref(),
            Some("https://example.com/d%20e/f/x")
        );
        assert_eq!(guess("https://example.com/b/llm.json"), None);
    }
}
