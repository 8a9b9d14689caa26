//! Paths of objects in a store.

use std::fmt;
use std::str::FromStr;

/// The path of an object in a store: `scp/all-snapshot-20250115T100000Z.scp.zst`.
///
/// Parts are separated by `/`; none is empty, `.` or `..`, and none contains a control character or a
/// backslash. So no path leaves its store.
///
/// ```
/// use sitecast_storage::StorePath;
///
/// let path: StorePath = "blog/first post/llm.json".parse()?;
/// assert_eq!(path.as_str(), "blog/first post/llm.json");
/// assert!("../secret".parse::<StorePath>().is_err());
/// assert!("/etc/passwd".parse::<StorePath>().is_err());
/// # Ok::<(), sitecast_storage::InvalidPath>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StorePath(Box<str>);

/// The error for a malformed path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` cannot name a file: {problem}")]
pub struct InvalidPath {
    path: String,
    problem: &'static str,
}

/// The longest part in bytes: the 255 of common file systems, less a margin for temporary names.
const LONGEST_PART: usize = 240;

impl StorePath {
    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Iterates over the parts, from the top.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

impl FromStr for StorePath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        let wrong = |problem| InvalidPath {
            path: text.chars().take(200).collect(),
            problem,
        };
        if text.chars().any(|c| c.is_control() || c == '\\') {
            return Err(wrong("it contains a control character or a backslash"));
        }
        for part in text.split('/') {
            match part {
                "" => return Err(wrong("a part of it is empty")),
                "." | ".." => return Err(wrong("`.` and `..` are not allowed")),
                _ if part.len() > LONGEST_PART => return Err(wrong("a part of it is too long")),
                _ => {}
            }
        }
        Ok(Self(text.into()))
    }
}

impl fmt::Display for StorePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
