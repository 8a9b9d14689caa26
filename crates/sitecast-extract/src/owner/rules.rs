//! Rules of the settings: CSS selectors of content for pages with some paths.

use std::fmt;
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use sitecast_scp::HttpUrl;
use url::Url;

use super::{Selector, SelectorError};

/// A rule of the owner's settings: the parts of some pages that are content.
#[derive(Clone)]
pub struct Rule {
    path: Option<GlobMatcher>,
    /// On a page where these match something, only the matched elements are content.
    pub content: Vec<Selector>,
    /// Matched elements are content, whatever they look like.
    pub include: Vec<Selector>,
    /// Matched elements are not content.
    pub exclude: Vec<Selector>,
}

impl Rule {
    /// Returns a rule without selectors for pages that match a path glob such as `/blog/**`; for all pages if `path` is `None`.
    pub fn new(path: Option<&str>) -> Result<Self, RuleError> {
        let path = path.map(path_glob).transpose()?;
        Ok(Self {
            path: path.map(|glob| glob.compile_matcher()),
            content: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
        })
    }

    /// Returns the path glob as it was written, with its leading slash.
    fn path(&self) -> Option<&str> {
        Some(self.path.as_ref()?.glob().glob())
    }
}

impl fmt::Debug for Rule {
    /// Writes the glob and the selectors as text, without the compiled automaton. [`Rules::fingerprint`] depends on it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = |selectors: &[Selector]| -> Vec<String> {
            selectors.iter().map(ToString::to_string).collect()
        };
        f.debug_struct("Rule")
            .field("path", &self.path())
            .field("content", &texts(&self.content))
            .field("include", &texts(&self.include))
            .field("exclude", &texts(&self.exclude))
            .finish()
    }
}

/// The reason why a rule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The path is not a glob.
    #[error("`{pattern}` is not a glob: {problem}")]
    Glob {
        /// The path.
        pattern: String,
        /// The error of the glob parser.
        problem: String,
    },
    /// A selector is invalid or unsupported.
    #[error(transparent)]
    Selector(#[from] SelectorError),
}

/// Parses a glob for the paths of pages. Paths begin with a slash, so one is added to patterns without it.
pub fn path_glob(pattern: &str) -> Result<Glob, RuleError> {
    let spelled = if pattern.starts_with(['/', '*']) {
        pattern.to_owned()
    } else {
        format!("/{pattern}")
    };
    Glob::new(&spelled).map_err(|error| RuleError::Glob {
        pattern: pattern.to_owned(),
        problem: error.kind().to_string(),
    })
}

/// The rules of a site. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The URL that paths are relative to.
    base: Option<Arc<str>>,
    rules: Arc<[Rule]>,
}

impl Rules {
    /// Returns rules for pages below `base`, the URL of the homepage; without it, paths are relative to the host.
    pub fn new(base: Option<&Url>, rules: Vec<Rule>) -> Self {
        Self {
            base: base.map(|base| base.as_str().into()),
            rules: rules.into(),
        }
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the rules as a text that differs between different rules.
    pub fn fingerprint(&self) -> String {
        format!("{:?} {:?}", self.base, self.rules)
    }

    /// Returns the rules that apply to a page, in their order.
    pub(crate) fn of(&self, url: &HttpUrl) -> Vec<&Rule> {
        if self.is_empty() {
            return Vec::new();
        }
        let path = self.path_of(url);
        let holds = |rule: &&Rule| match &rule.path {
            Some(glob) => glob.is_match(&path),
            None => true,
        };
        self.rules.iter().filter(holds).collect()
    }

    /// Returns the path of a page below the base, percent-decoded if that is valid UTF-8.
    fn path_of(&self, url: &HttpUrl) -> String {
        let Ok(url) = Url::parse(url.as_str()) else {
            return "/".to_owned();
        };
        let path = url.path();
        let base = self.base.as_deref().and_then(|base| Url::parse(base).ok());
        let below = base.as_ref().and_then(|base| {
            let folder = base.path().strip_suffix('/').unwrap_or(base.path());
            path.strip_prefix(folder)
                .filter(|below| below.is_empty() || below.starts_with('/'))
        });
        let path = below.unwrap_or(path);
        let path = if path.is_empty() { "/" } else { path };
        let bytes = percent_decoded(path);
        String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let digit = |byte: u8| char::from(byte).to_digit(16);
    while let Some((first, rest)) = bytes.split_first() {
        let escaped = match rest {
            [high, low, ..] if *first == b'%' => digit(*high).zip(digit(*low)),
            _ => None,
        };
        match escaped {
            // Two hexadecimal digits fit into a byte.
            Some((high, low)) => {
                decoded.push((high * 16 + low) as u8);
                bytes = rest.get(2..).unwrap_or_default();
            }
            None => {
                decoded.push(*first);
                bytes = rest;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(base: Option<&str>, path: &str, url: &str) -> usize {
        let base = base.map(|base| base.parse().unwrap());
        let rules = Rules::new(base.as_ref(), vec![Rule::new(Some(path)).unwrap()]);
        rules.of(&url.parse().unwrap()).len()
    }

    #[test]
    fn rules_apply_to_paths_below_the_base() {
        let base = Some("https://example.com/site/");
        for (path, url, expected) in [
            ("/blog/**", "https://example.com/site/blog/a", 1),
            ("blog/**", "https://example.com/site/blog/a?x#y", 1),
            ("/blog/**", "https://example.com/site/docs/a", 0),
            ("/", "https://example.com/site/", 1),
            ("/**", "https://example.com/sitemap", 1),
            ("/té*", "https://example.com/site/t%C3%A9", 1),
            ("/50%", "https://example.com/site/50%", 1),
        ] {
            assert_eq!(count(base, path, url), expected, "{path} {url}");
        }
        assert_eq!(
            count(None, "/site/blog/*", "https://example.com/site/blog/a"),
            1
        );
        assert!(Rule::new(Some("[x")).is_err());
    }

    #[test]
    fn different_rules_have_different_fingerprints() {
        let print = |path: Option<&str>, include: &[&str], exclude: &[&str]| {
            let mut rule = Rule::new(path).unwrap();
            let parsed = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
            rule.include = parsed(include);
            rule.exclude = parsed(exclude);
            Rules::new(None, vec![rule]).fingerprint()
        };
        let prints = [
            print(None, &[], &[]),
            print(Some("/a"), &[], &[]),
            print(None, &["p"], &[]),
            print(None, &[], &["p"]),
            print(None, &["p", "b"], &[]),
            print(None, &["p, b"], &[]),
            Rules::default().fingerprint(),
        ];
        for (at, print) in prints.iter().enumerate() {
            assert!(!prints.iter().skip(at + 1).any(|other| other == print));
        }
    }
}
