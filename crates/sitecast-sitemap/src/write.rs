//! Writers of sitemaps and indexes.

mod index;
mod output;
mod scp;
mod set;
mod sitemap;

use std::io;

pub use index::write_index;
pub(crate) use scp::write_elements;
pub use set::{Added, Part, SitemapSet, Written};
pub use sitemap::SitemapWriter;

/// Options of the writers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// Compress with gzip.
    pub gzip: bool,
    /// The most entries of one file.
    pub max_entries: u64,
    /// The most bytes of one file, before compression.
    pub max_bytes: u64,
    /// A comment at the beginning of each file, such as the name of the program that wrote it. Characters that could
    /// end the comment are replaced by spaces.
    pub comment: Option<String>,
}

impl Default for WriterOptions {
    /// No compression, and the limits of the protocol.
    fn default() -> Self {
        Self {
            gzip: false,
            max_entries: crate::MAX_ENTRIES,
            max_bytes: crate::MAX_BYTES,
            comment: None,
        }
    }
}

impl WriterOptions {
    /// The text before the first element.
    fn prolog(&self) -> String {
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        match &self.comment {
            Some(comment) => {
                let comment = comment.replace(['-', '<', '>'], " ");
                format!("{declaration}<!-- {comment} -->\n")
            }
            None => declaration.to_owned(),
        }
    }
}

/// The reason why a sitemap could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output could not be written.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// An `scp:` element would not be valid by its schema.
    #[error("`scp:{element}` {problem}")]
    Scp {
        /// The local name of the element.
        element: &'static str,
        /// The problem, as the predicate of a sentence.
        problem: String,
    },
    /// The content does not fit into one file.
    #[error("more than fits into one file of {entries} entries and {bytes} bytes")]
    Full {
        /// The most entries of one file.
        entries: u64,
        /// The most bytes of one file.
        bytes: u64,
    },
    /// The sitemap to extend cannot be read.
    #[error("cannot extend the sitemap: {0}")]
    Read(#[from] crate::ReadError),
    /// The document to extend is not a sitemap of pages.
    #[error("cannot extend the sitemap: {0}")]
    NotExtensible(&'static str),
}

/// Escapes the five special characters of XML.
pub(crate) fn escape(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or_default();
        into.push_str(plain);
        into.push_str(match from.as_bytes().first() {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            Some(b'"') => "&quot;",
            _ => "&apos;",
        });
        rest = from.get(1..).unwrap_or_default();
    }
    into.push_str(rest);
}

#[cfg(test)]
mod tests {
    #[test]
    fn special_characters_must_be_escaped() {
        let mut escaped = String::new();
        super::escape(r#"a&b<c>d"e'f&"#, &mut escaped);
        assert_eq!(escaped, "a&amp;b&lt;c&gt;d&quot;e&apos;f&amp;");
    }
}
