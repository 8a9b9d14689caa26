//! Validation of a line: fatal errors, rejected pages, dropped blocks and corrected values.
//!
//! Checking a file and building a [`Page`](crate::Page) share one walk over a line's JSON: checking ignores the views of
//! blocks that it returns, and building collects them. So the two cannot disagree.

mod block;
mod media;
mod metadata;
mod page;
mod slots;

pub(crate) use block::BlockView;
pub(crate) use metadata::{ChecksumCut, Metadata, check_metadata};
pub(crate) use page::{Verdict, check_page};

/// Characters of untrusted text in a warning: enough to find it in the file.
const EXCERPT_CHARS: usize = 200;

/// Characters of a page's URL in a warning. Programs use it as a key, so it is cut only if it is too long to work.
const URL_CHARS: usize = 2048;

/// The beginning of an untrusted text, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    beginning(text, EXCERPT_CHARS)
}

/// The beginning of a page's URL, for [`Warning::url`](crate::Warning::url).
pub(crate) fn excerpt_of_url(url: &str) -> String {
    beginning(url, URL_CHARS)
}

fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
    }
}
