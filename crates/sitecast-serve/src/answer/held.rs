//! What is held ready: sitemaps, the policy, robots.txt, machine pages in memory.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderName;
use hyper::http::request::Parts as RequestParts;

use super::Answerer;
use crate::http::encoding::{Coding, accepted};
use crate::reply::{Head, Reply, Sending};
use crate::site::held::Held;
use crate::site::variants::{Sized, Variants};

impl Answerer {
    /// The answer, if it can be given without waiting.
    pub(super) fn held_now(
        &self,
        head: &Head,
        variants: &Variants,
        request: &RequestParts,
    ) -> Option<Reply> {
        if let Some(reply) = head.precondition(&request.headers) {
            return Some(reply);
        }
        if !head.varies() {
            return Some(head.deliver(request, None, &variants.identity));
        }
        let codings = accepted(&request.headers);
        if codings.is_empty() {
            let text = "It can be had plain, with gzip and with zstd.\n";
            return Some(Reply::text(StatusCode::NOT_ACCEPTABLE, text).of_kind(head.kind));
        }
        let (coding, content) = variants.ready(&codings)?;
        Some(self.chosen(head, coding, content, request))
    }

    /// The answer, in the compression that suits the client best; made now if nobody has asked for it before.
    pub(super) async fn held(&self, held: &Arc<Held>, request: &RequestParts) -> Reply {
        if let Some(reply) = self.held_now(&held.head, &held.variants, request) {
            return reply;
        }
        let (codings, variants) = (accepted(&request.headers), Arc::clone(&held.variants));
        match tokio::task::spawn_blocking(move || variants.make(&codings)).await {
            Ok(Ok((coding, content))) => self.chosen(&held.head, coding, &content, request),
            _ => Reply::unavailable(5).of_kind(held.head.kind),
        }
    }

    fn chosen(
        &self,
        head: &Head,
        coding: Coding,
        content: &Sized,
        request: &RequestParts,
    ) -> Reply {
        let reply = head.deliver(request, Some(coding), content);
        if self.content_digest {
            digested(reply, content)
        } else {
            reply
        }
    }
}

/// Adds the digest of what is sent (RFC 9530), where all of it is at hand.
fn digested(mut reply: Reply, content: &Sized) -> Reply {
    const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
    if reply.status == StatusCode::OK
        && let Sending::Bytes(_) = &reply.body
        && let Some(digest) = content.digest()
    {
        reply.headers.insert(CONTENT_DIGEST, digest);
    }
    reply
}
