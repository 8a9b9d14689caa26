//! Collections.

use std::sync::Arc;

use hyper::header::{CACHE_CONTROL, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::StorePath;

use super::{Answerer, private};
use crate::Kind;
use crate::http::encoding::Coding;
use crate::protection::links::Judged;
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
        let (protection, asked) = (Arc::clone(&self.protection), store_path.clone());
        let root = site.root().to_owned();
        let learnt = self
            .blocking(move || {
                let Some((opened, facts)) = known.learn(&*store, &asked, &protection)? else {
                    return Ok(None);
                };
                // What it is when links are followed may change while its bytes stay: it is looked at each time.
                let mut parts = facts.parts;
                match protection.of_file(&*store, &root, &asked, &opened)? {
                    Judged::Visible(_, own) => parts.add(own),
                    Judged::Private => return Ok(None),
                }
                Ok(Some((opened, facts, parts)))
            })
            .await;
        let (opened, facts, parts) = match learnt {
            Ok(Some(learnt)) => learnt,
            Ok(None) => return self.no_collection(site, &store_path).await,
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
        let content = Sized::new(opened.content, opened.size);
        let reply = head
            .precondition(&request.headers)
            .unwrap_or_else(|| head.deliver(request, Some(coding), &content));
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// It is not there, or not a collection, whatever it is called. If the sitemap in force names it, it has been removed
    /// by a publication that is not in force yet, and whoever is told so is to find it in no sitemap either.
    async fn no_collection(&self, site: &Site, path: &StorePath) -> Reply {
        if !site.collections.contains(path) {
            return Reply::not_found();
        }
        let later = self.current.later_than(site.generation, self.patience);
        match later.await {
            Some(later) if !later.collections.contains(path) => {
                Reply::gone().of_kind(Kind::Collection)
            }
            _ => Reply::unavailable(2).of_kind(Kind::Collection),
        }
    }
}
