//! Responses kept in memory: sitemaps, the policy, robots.txt, machine pages.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderName;
use hyper::http::request::Parts as RequestParts;

use super::Answerer;
use crate::http::encoding::{Coding, accepted};
use crate::reply::{Head, Reply, ReplyBody};
use crate::site::prepared::PreparedResponse;
use crate::site::variants::{SizedContent, Variants};

impl Answerer {
    /// Returns the reply if it needs no waiting.
    pub(super) fn respond_now(
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
            let text = "Not acceptable: available codings are identity, gzip and zstd.\n";
            return Some(Reply::text(StatusCode::NOT_ACCEPTABLE, text).of_kind(head.kind));
        }
        let (coding, content) = variants.ready(&codings)?;
        Some(self.deliver(head, coding, content, request))
    }

    /// Replies in the coding that the client prefers, compressing the content on first use.
    pub(super) async fn respond(
        &self,
        response: &Arc<PreparedResponse>,
        request: &RequestParts,
    ) -> Reply {
        if let Some(reply) = self.respond_now(&response.head, &response.variants, request) {
            return reply;
        }
        let (codings, variants) = (accepted(&request.headers), Arc::clone(&response.variants));
        match tokio::task::spawn_blocking(move || variants.make(&codings)).await {
            Ok(Ok((coding, content))) => self.deliver(&response.head, coding, &content, request),
            _ => Reply::unavailable(5).of_kind(response.head.kind),
        }
    }

    fn deliver(
        &self,
        head: &Head,
        coding: Coding,
        content: &SizedContent,
        request: &RequestParts,
    ) -> Reply {
        let reply = head.deliver(request, Some(coding), content);
        if self.content_digest {
            with_digest(reply, content)
        } else {
            reply
        }
    }
}

/// Adds `Content-Digest` (RFC 9530) if the whole body is in memory.
fn with_digest(mut reply: Reply, content: &SizedContent) -> Reply {
    const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
    if reply.status == StatusCode::OK
        && let ReplyBody::Bytes(_) = &reply.body
        && let Some(digest) = content.digest()
    {
        reply.headers.insert(CONTENT_DIGEST, digest);
    }
    reply
}
