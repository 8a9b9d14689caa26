//! Collections.

use std::sync::Arc;

use hyper::header::HeaderValue;
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::StorePath;

use super::{Answerer, private};
use crate::Kind;
use crate::http::encoding::Coding;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::variants::Sized;

impl Answerer {
    pub(super) async fn collection(
        &self,
        site: &Arc<Site>,
        path: &str,
        request: &RequestParts,
    ) -> Reply {
        let Ok(store_path) = path.parse::<StorePath>() else {
            return Reply::not_found();
        };
        let (store, known) = (Arc::clone(&self.store), Arc::clone(&self.known));
        let protection = Arc::clone(&self.protection);
        let learnt = self
            .blocking(move || known.learn(&*store, &store_path, &protection))
            .await;
        let (opened, facts) = match learnt {
            Ok(Some(learnt)) => learnt,
            // Not a collection, whatever it is called.
            Ok(None) => return Reply::not_found(),
            Err(reply) => return reply.of_kind(Kind::Collection),
        };
        if let Some(refusal) = self.refuse(facts.parts, request) {
            return refusal;
        }
        let cache_control = facts.cache_control(site.frequency(&facts.section));
        let etag = match &facts.checksum {
            Some(checksum) => format!("\"{checksum}\""),
            None => format!("\"{}\"", opened.tag.0.trim_matches('"')),
        };
        let head = Head {
            kind: Kind::Collection,
            content_type: HeaderValue::from_static("application/scp"),
            etag: HeaderValue::from_str(&etag).ok(),
            modified: Some(facts.generated),
            cache_control: HeaderValue::from_str(&cache_control).ok(),
            link: None,
            varies: false,
        };
        let coding = match path.rsplit_once('.') {
            Some((_, "gz")) => Coding::Gzip,
            Some((_, "zst")) => Coding::Zstd,
            _ => Coding::Identity,
        };
        let content = Sized {
            content: opened.content,
            size: opened.size,
        };
        let reply = head
            .precondition(&request.headers)
            .unwrap_or_else(|| head.deliver(request, Some(coding), &content));
        match facts.parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }
}
