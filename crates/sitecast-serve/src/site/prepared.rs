//! Prepared responses: content in memory or pinned, with its headers.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hyper::Request;
use hyper::http::request::Parts as RequestParts;

use super::variants::Variants;
use crate::http::body::Piece;
use crate::http::encoding::Coding;
use crate::reply::{Head, Reply};

/// Content with the metadata of its replies, and the serialized headers for the fast path.
#[derive(Debug)]
pub(crate) struct PreparedResponse {
    /// The publication that the headers belong to.
    pub(crate) generation: u64,
    pub(crate) head: Head,
    pub(crate) variants: Arc<Variants>,
    not_modified: OnceLock<Box<[u8]>>,
    /// By coding: identity, gzip, zstd.
    whole: [OnceLock<Box<[u8]>>; 3],
}

impl PreparedResponse {
    pub(crate) fn new(generation: u64, head: Head, variants: Arc<Variants>) -> Self {
        Self {
            generation,
            head,
            variants,
            not_modified: OnceLock::new(),
            whole: Default::default(),
        }
    }

    /// Returns the status line and headers of a 304, without `Date` and the final empty line.
    pub(crate) fn not_modified(&self) -> &[u8] {
        self.not_modified
            .get_or_init(|| block(self.head.not_modified(), None))
    }

    /// Returns the status line and headers of a 200, without `Date`, and its body, in the best coding. `None` if that
    /// is not in memory.
    pub(crate) fn whole(&self, codings: &[Coding]) -> Option<(&[u8], Bytes)> {
        let (coding, content) = match self.head.varies() {
            true => self.variants.ready(codings)?,
            false => (Coding::Identity, &self.variants.identity),
        };
        let Piece::Bytes(body) = content.piece(0..content.size) else {
            return None;
        };
        let place = match coding {
            Coding::Identity => 0,
            Coding::Gzip => 1,
            Coding::Zstd => 2,
        };
        let block = self.whole.get(place)?.get_or_init(|| {
            let coding = self.head.varies().then_some(coding);
            let reply = self.head.deliver(&plain_get(), coding, content);
            block(reply, Some(body.len()))
        });
        Some((block, body))
    }
}

/// A GET without conditions or ranges.
fn plain_get() -> RequestParts {
    Request::new(()).into_parts().0
}

/// Serializes a status line and headers.
fn block(mut reply: Reply, length: Option<usize>) -> Box<[u8]> {
    reply.add_browser_headers();
    let reason = reply.status.canonical_reason().unwrap_or_default();
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", reply.status.as_str()).into_bytes();
    for (name, value) in &reply.headers {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
    if let Some(length) = length {
        text.extend_from_slice(format!("content-length: {length}\r\n").as_bytes());
    }
    text.into()
}
