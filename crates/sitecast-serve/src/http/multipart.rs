//! Several ranges in one response: `multipart/byteranges` (RFC 9110 §15.3.7.2).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::body::Piece;
use crate::site::variants::SizedContent;

/// Returns the `Content-Type` and the pieces of the body.
pub(crate) fn multipart(
    content: &SizedContent,
    content_type: &str,
    parts: &[Range<u64>],
) -> (String, Vec<Piece>) {
    let (boundary, size) = (boundary(), content.size);
    let mut pieces = Vec::with_capacity(parts.len() * 2 + 1);
    let mut before = "";
    for part in parts {
        let last = part.end.saturating_sub(1);
        let head = format!(
            "{before}--{boundary}\r\nContent-Type: {content_type}\r\nContent-Range: bytes {}-{last}/{size}\r\n\r\n",
            part.start
        );
        pieces.push(Piece::Bytes(Bytes::from(head)));
        pieces.push(content.piece(part.clone()));
        before = "\r\n";
    }
    pieces.push(Piece::Bytes(Bytes::from(format!("\r\n--{boundary}--\r\n"))));
    (format!("multipart/byteranges; boundary={boundary}"), pieces)
}

/// A random boundary, so that no file can contain it on purpose.
fn boundary() -> String {
    use std::hash::{BuildHasher, RandomState};
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let random = RandomState::new();
    format!(
        "sitecast-{:016x}{:016x}",
        random.hash_one(number),
        random.hash_one(!number)
    )
}
