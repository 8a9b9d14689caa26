//! Replies with collections.

use std::sync::Arc;

use hyper::header::{CACHE_CONTROL, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::StorePath;

use super::{Answerer, private};
use crate::Kind;
use crate::http::encoding::Coding;
use crate::protection::links::FileAccess;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::variants::SizedContent;

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
        let (protection, asked) = (Arc::clone(&self.protection), store_path.clone());
        let root = site.root().to_owned();
        let read = self
            .blocking(move || {
                let Some((opened, facts)) = known.open(&*store, &asked, &protection)? else {
                    return Ok(None);
                };
                // Checked each time: a link may change its target while the bytes stay the same.
                let mut parts = facts.parts;
                match protection.of_file(&*store, &root, &asked, &opened)? {
                    FileAccess::Visible(_, own) => parts.add(own),
                    FileAccess::Private => return Ok(None),
                }
                Ok(Some((opened, facts, parts)))
            })
            .await;
        let (opened, facts, parts) = match read {
            Ok(Some(read)) => read,
            Ok(None) => return self.missing_collection(site, &store_path).await,
            Err(reply) => return reply.of_kind(Kind::Collection),
        };
        if let Some(refusal) = self.refuse(parts, request) {
            return refusal;
        }
        let cache_control = facts.cache_control(site.frequency(&facts.section));
        let etag = match &facts.checksum {
            Some(checksum) => format!("\"{checksum}\""),
            None => format!("\"{}\"", opened.tag.0.trim_matches('"')),
        };
        let head = Head::new(
            Kind::Collection,
            HeaderValue::from_static("application/scp"),
            HeaderValue::from_str(&etag).ok(),
            Some(facts.generated),
        )
        .with(CACHE_CONTROL, HeaderValue::from_str(&cache_control).ok());
        let coding = match path.rsplit_once('.') {
            Some((_, "gz")) => Coding::Gzip,
            Some((_, "zst")) => Coding::Zstd,
            _ => Coding::Identity,
        };
        let content = SizedContent::new(opened.content, opened.size);
        let reply = head
            .precondition(&request.headers)
            .unwrap_or_else(|| head.deliver(request, Some(coding), &content));
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// Replies for a path that is missing or not a collection. If the sitemap in force names it, a newer publication
    /// has removed it, and a client that gets a 410 must not find it in a sitemap afterwards; so this waits for that
    /// publication.
    async fn missing_collection(&self, site: &Site, path: &StorePath) -> Reply {
        if !site.collections.contains(path) {
            return Reply::not_found();
        }
        let later = self
            .current
            .wait_for_newer(site.generation, self.publication_wait);
        match later.await {
            Some(later) if !later.collections.contains(path) => {
                Reply::gone().of_kind(Kind::Collection)
            }
            _ => Reply::unavailable(2).of_kind(Kind::Collection),
        }
    }
}
