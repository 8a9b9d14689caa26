//! `OPTIONS`, and methods that are not answered.

use hyper::StatusCode;
use hyper::header::{ALLOW, HeaderMap, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::StorePath;

use super::{Answerer, is_collection};
use crate::Kind;
use crate::http::{open, target};
use crate::reply::{Reply, Sending};

const ALLOWED: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The refusal of a method.
pub(super) fn not_allowed() -> Reply {
    let text = "Only GET, HEAD and OPTIONS are answered.\n";
    Reply::text(StatusCode::METHOD_NOT_ALLOWED, text).with(ALLOW, ALLOWED)
}

impl Answerer {
    /// The methods that there are, the same for every path, whether anything is there or not; and for what is published
    /// for everyone the permission that browsers ask for before a script of another site may ask (a CORS preflight).
    pub(super) fn options(&self, request: &RequestParts) -> Reply {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(ALLOW, ALLOWED);
        let shared = self.shared_kind(request.uri.path());
        if shared.is_some() {
            open::allow_requests(&mut headers);
        }
        Reply {
            status: StatusCode::NO_CONTENT,
            headers,
            body: Sending::Nothing,
            kind: shared.unwrap_or(Kind::None),
            is_private: false,
        }
    }

    /// The kind of what is at a path, if it is for agents and open to everyone.
    fn shared_kind(&self, path: &str) -> Option<Kind> {
        let path = target::decode(path).ok()?;
        if !self.protection.of_path(&path).is_empty() {
            return None;
        }
        let site = self.current.glance();
        let path = site.relative(&path)?;
        if let Some(page) = site.pages.by_machine(path) {
            return page.parts.is_empty().then_some(Kind::MachinePage);
        }
        if let Some(document) = site.document(path) {
            let kind = document.held.head.kind;
            return Some(kind).filter(|kind| document.parts.is_empty() && kind.is_for_agents());
        }
        if !is_collection(path) {
            return None;
        }
        // What a collection lists is known when it has been read, and those that the sitemap names have.
        let is_open = self.protection.is_empty()
            || path
                .parse::<StorePath>()
                .ok()
                .and_then(|path| self.known.parts(&path))
                .is_some_and(|parts| parts.is_empty());
        is_open.then_some(Kind::Collection)
    }
}
