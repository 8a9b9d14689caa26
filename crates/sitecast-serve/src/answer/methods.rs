//! `OPTIONS`, and the refusal of other methods.

use hyper::StatusCode;
use hyper::header::{ALLOW, HeaderMap, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::StorePath;

use super::{Answerer, is_collection};
use crate::Kind;
use crate::http::{cors, target};
use crate::reply::{Reply, ReplyBody};

const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// A 405.
pub(super) fn not_allowed() -> Reply {
    let text = "Method not allowed: use GET, HEAD or OPTIONS.\n";
    Reply::text(StatusCode::METHOD_NOT_ALLOWED, text).with(ALLOW, ALLOWED)
}

impl Answerer {
    /// Lists the methods, the same for every path, so that existence is not revealed. For what is published for
    /// everyone, also answers CORS preflights.
    pub(super) fn options(&self, request: &RequestParts) -> Reply {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(ALLOW, ALLOWED);
        let shared = self.shared_kind(request.uri.path());
        if shared.is_some() {
            cors::add_preflight_headers(&mut headers);
        }
        Reply {
            status: StatusCode::NO_CONTENT,
            headers,
            body: ReplyBody::Empty,
            kind: shared.unwrap_or(Kind::None),
            is_private: false,
        }
    }

    /// Returns the kind of the resource at a path if it is for agents and needs no token.
    fn shared_kind(&self, path: &str) -> Option<Kind> {
        let path = target::decode(path).ok()?;
        if !self.protection.of_path(&path).is_empty() {
            return None;
        }
        let site = self.current.borrow_site();
        let path = site.relative(&path)?;
        if let Some(page) = site.pages.by_machine(path) {
            return page.parts.is_empty().then_some(Kind::MachinePage);
        }
        if let Some(document) = site.document(path) {
            let kind = document.response.head.kind;
            return Some(kind).filter(|kind| document.parts.is_empty() && kind.is_for_agents());
        }
        if !is_collection(path) {
            return None;
        }
        // The prefixes of a collection are known after it was read, as all that the sitemap names have been.
        let is_open = self.protection.is_empty()
            || path
                .parse::<StorePath>()
                .ok()
                .and_then(|path| self.known.parts(&path))
                .is_some_and(|parts| parts.is_empty());
        is_open.then_some(Kind::Collection)
    }
}
