//! Sitemaps, the policy, robots.txt.

use std::sync::Arc;

use hyper::header::HeaderValue;
use hyper::http::request::Parts as RequestParts;

use super::{Answerer, private};
use crate::http::encoding::{Coding, accepted};
use crate::reply::{Head, Reply};
use crate::site::document::Document;
use crate::site::variants::{Sized, Variants};

impl Answerer {
    pub(super) async fn document(&self, document: &Arc<Document>, request: &RequestParts) -> Reply {
        if let Some(refusal) = self.refuse(document.parts, request) {
            return refusal;
        }
        let varies = document.content_type != "application/gzip";
        let head = Head {
            kind: document.kind,
            content_type: HeaderValue::from_static(document.content_type),
            etag: document.etag.clone(),
            modified: document.modified,
            cache_control: Some(HeaderValue::from_static(document.cache_control)),
            link: document.link.clone(),
            varies,
        };
        let reply = match head.precondition(&request.headers) {
            Some(reply) => reply,
            None if !varies => head.deliver(request, None, &document.variants.identity),
            None => {
                let codings = accepted(&request.headers);
                let held = Arc::clone(document);
                let made = self
                    .variant(&document.variants, &codings, move |codings| {
                        held.variants.make(codings)
                    })
                    .await;
                match made {
                    Ok((coding, content)) => {
                        self.digested(head.deliver(request, Some(coding), &content), &content)
                    }
                    Err(reply) => reply.of_kind(document.kind),
                }
            }
        };
        match document.parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// The compression that suits the client best; made now if nobody has asked for it before.
    pub(super) async fn variant(
        &self,
        variants: &Variants,
        codings: &[Coding],
        make: impl FnOnce(&[Coding]) -> std::io::Result<(Coding, Sized)> + Send + 'static,
    ) -> Result<(Coding, Sized), Reply> {
        if codings.is_empty() {
            return Err(Reply::text(
                hyper::StatusCode::NOT_ACCEPTABLE,
                "It can be had plain, with gzip and with zstd.\n",
            ));
        }
        if let Some((coding, made)) = variants.ready(codings) {
            return Ok((coding, made.clone()));
        }
        let codings = codings.to_vec();
        match tokio::task::spawn_blocking(move || make(&codings)).await {
            Ok(Ok(made)) => Ok(made),
            _ => Err(Reply::unavailable(5)),
        }
    }
}
