//! `/healthz`, the health check for load balancers.

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};

use crate::current::Current;
use crate::reply::{Reply, ReplyBody};

/// Replies with the status and the size of the publication in force.
pub(crate) fn health(current: &Current) -> Reply {
    let site = current.site();
    let text = format!(
        "{{\"status\":\"ok\",\"publication\":{},\"pages\":{},\"collections\":{}}}\n",
        site.generation,
        site.pages.len(),
        site.collections.len()
    );
    let mut reply = Reply::text(StatusCode::OK, "");
    reply
        .headers
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
        .headers
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply.body = ReplyBody::Bytes(Bytes::from(text));
    reply
}
