//! The rules for a line: what is fatal, what is left out, what is put right.
//!
//! There is one walk over a line's JSON. Checking a file takes its verdict and throws the views
//! away; building a [`Page`](crate::Page) collects them. So the two can never disagree.

mod block;
mod media;
mod metadata;
mod page;
mod slots;

pub(crate) use block::BlockView;
pub(crate) use metadata::{ChecksumCut, Metadata, check_metadata};
pub(crate) use page::{Verdict, check_page};

/// Warnings carry foreign text; this much of it is enough to find the place.
const EXCERPT_CHARS: usize = 200;

/// A page's URL is what programs know it by; longer ones than this do not work in practice.
const URL_CHARS: usize = 2048;

/// The beginning of a foreign text, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    beginning(text, EXCERPT_CHARS)
}

/// A page's URL, to go with a warning.
pub(crate) fn excerpt_of_url(url: &str) -> String {
    beginning(url, URL_CHARS)
}

fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
    }
}
