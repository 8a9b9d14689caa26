//! What is ready to be sent: content with its headers.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hyper::Request;
use hyper::http::request::Parts as RequestParts;

use super::variants::Variants;
use crate::http::body::Piece;
use crate::http::encoding::Coding;
use crate::reply::{Head, Reply};

/// Content that is held as it was, and the headers that it is sent with.
#[derive(Debug)]
pub(crate) struct Held {
    /// The publication that the headers are of.
    pub(crate) generation: u64,
    pub(crate) head: Head,
    pub(crate) variants: Arc<Variants>,
    not_modified: OnceLock<Box<[u8]>>,
    /// With each of the codings.
    whole: [OnceLock<Box<[u8]>>; 3],
}

impl Held {
    pub(crate) fn new(generation: u64, head: Head, variants: Arc<Variants>) -> Self {
        Self {
            generation,
            head,
            variants,
            not_modified: OnceLock::new(),
            whole: Default::default(),
        }
    }

    /// The beginning of a 304 as HTTP/1.1 sends it, up to the date.
    pub(crate) fn not_modified(&self) -> &[u8] {
        self.not_modified
            .get_or_init(|| block(self.head.not_modified(), None))
    }

    /// The beginning of a 200, up to the date, and its body, in the coding that suits best; if it is in memory.
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

/// A request that asks for nothing in particular.
fn plain_get() -> RequestParts {
    Request::new(()).into_parts().0
}

/// A status line and headers.
fn block(mut reply: Reply, length: Option<usize>) -> Box<[u8]> {
    reply.open_to_browsers();
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
