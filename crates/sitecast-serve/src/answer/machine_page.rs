//! Machine pages, served only in the version that the sitemap in force states.

use std::sync::Arc;
use std::time::Instant;

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::{Content, Opened, StorePath};
use sitecast_tct::{CACHE_CONTROL, ContentHash, ReadPage, canonical_link};

use super::{Answerer, private, unreadable};
use crate::Kind;
use crate::protection::links::FileAccess;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::pages::Page;
use crate::site::pinned::{read_all, reader};
use crate::site::prepared::PreparedResponse;
use crate::site::variants::{SizedContent, Variants};

/// Size up to which machine pages are cached; larger ones are streamed.
const MAX_CACHED_BYTES: u64 = 1 << 20;

/// The file of a machine page, compared with the sitemap.
enum Found {
    /// The version that the sitemap states.
    Current(Arc<PreparedResponse>),
    /// Another version, or no file: a publication is being written.
    Other(Option<Opened>),
}

impl Answerer {
    /// Returns the reply if it needs no waiting: the client has the page, or the page is cached.
    pub(super) fn machine_page_now(
        &self,
        site: &Site,
        page: &Page,
        request: &RequestParts,
    ) -> Option<Reply> {
        if let Some(refusal) = self.refuse(page.parts, request) {
            return Some(refusal);
        }
        let reply = match self.cached_page(site, page) {
            Some(response) => self.respond_now(&response.head, &response.variants, request),
            None => head(site, page, page.hash).precondition(&request.headers),
        };
        reply.map(|reply| self.protect(page, reply))
    }

    /// Returns the cached page, with the headers of this publication.
    pub(super) fn cached_page(&self, site: &Site, page: &Page) -> Option<Arc<PreparedResponse>> {
        let response = self.cache.get(&page.hash)?;
        if response.generation == site.generation {
            return Some(response);
        }
        Some(self.cache_page(site, page, Arc::clone(&response.variants)))
    }

    fn cache_page(
        &self,
        site: &Site,
        page: &Page,
        variants: Arc<Variants>,
    ) -> Arc<PreparedResponse> {
        let head = head(site, page, page.hash);
        let response = Arc::new(PreparedResponse::new(site.generation, head, variants));
        if response.variants.identity.size <= MAX_CACHED_BYTES {
            self.cache.put(page.hash, &response);
        }
        response
    }

    pub(super) async fn machine_page(
        &self,
        site: &Arc<Site>,
        path: &str,
        request: &RequestParts,
    ) -> Reply {
        let mut site = Arc::clone(site);
        loop {
            let Some(page) = site.pages.by_machine(path) else {
                // The publication that the request waited for no longer has the page.
                break Reply::gone().of_kind(Kind::MachinePage);
            };
            if let Some(reply) = self.machine_page_now(&site, page, request) {
                break reply;
            }
            let found = match self.cached_page(&site, page) {
                Some(response) => Ok(Found::Current(response)),
                None => self.find(&site, page).await,
            };
            let other = match found {
                Ok(Found::Current(response)) => {
                    let reply = self.respond(&response, request).await;
                    break self.protect(page, reply);
                }
                Ok(Found::Other(other)) => other,
                Err(reply) => break reply.of_kind(Kind::MachinePage),
            };
            let is_abandoned = other
                .as_ref()
                .is_some_and(|opened| self.is_abandoned(path, opened));
            if !is_abandoned
                && let Some(later) = self
                    .current
                    .wait_for_newer(site.generation, self.publication_wait)
                    .await
            {
                site = later;
                continue;
            }
            let serve_unlisted_version = match other.filter(|_| is_abandoned) {
                Some(opened) => {
                    self.serve_unlisted_version(&site, page, opened, request)
                        .await
                }
                None => None,
            };
            break match serve_unlisted_version {
                Some(reply) => self.protect(page, reply),
                None => Reply::unavailable(2).of_kind(Kind::MachinePage),
            };
        }
    }

    /// Returns true if a file has disagreed with the sitemap for so long that its publisher must have been aborted.
    fn is_abandoned(&self, path: &str, opened: &Opened) -> bool {
        self.mismatches.age(path, &opened.tag, Instant::now()) >= self.abandoned_after
    }

    /// Replies for a machine page that no sitemap names. If the file exists, waits for a publication that names it.
    pub(super) async fn unlisted_machine_page(
        &self,
        site: &Arc<Site>,
        path: &str,
        request: &RequestParts,
    ) -> Reply {
        let absent = || match site.is_removed(path) {
            true => Reply::gone(),
            false => Reply::not_found(),
        };
        let Ok(store_path) = path.parse::<StorePath>() else {
            return absent();
        };
        let store = Arc::clone(&self.store);
        let opened = match self.blocking(move || store.open(&store_path)).await {
            Ok(Some(opened)) => opened,
            Ok(None) => return absent(),
            Err(reply) => return reply,
        };
        if !self.is_abandoned(path, &opened)
            && let Some(later) = self
                .current
                .wait_for_newer(site.generation, self.publication_wait)
                .await
            && later.pages.by_machine(path).is_some()
        {
            return self.machine_page(&later, path, request).await;
        }
        absent()
    }

    /// Reads the file, and caches it if it is small enough.
    async fn find(&self, site: &Site, page: &Page) -> Result<Found, Reply> {
        let Ok(path) = page.machine.parse::<StorePath>() else {
            return Err(Reply::not_found());
        };
        let (store, hash) = (Arc::clone(&self.store), page.hash);
        let (protection, root) = (Arc::clone(&self.protection), site.root().to_owned());
        let expected = page.parts;
        let found = self
            .blocking(move || {
                let Some(opened) = store.open(&path)? else {
                    return Ok(Err(None));
                };
                // A link to a file that other prefixes protect: a token for this page does not open it.
                match protection.of_file(&*store, &root, &path, &opened)? {
                    FileAccess::Visible(_, parts) if expected.covers(parts) => {}
                    _ => return Ok(Err(None)),
                }
                let failed = |source| unreadable(path.as_str(), source);
                let content = if opened.size <= MAX_CACHED_BYTES {
                    Content::Memory(
                        read_all(&opened.content, opened.size)
                            .map_err(failed)?
                            .to_vec()
                            .into(),
                    )
                } else {
                    opened.content.clone()
                };
                let sized = SizedContent::new(content, opened.size);
                if !states_hash(&sized, &hash).map_err(failed)? {
                    return Ok(Err(Some(opened)));
                }
                Ok(Ok(Arc::new(Variants::new(sized))))
            })
            .await?;
        Ok(match found {
            Ok(variants) => Found::Current(self.cache_page(site, page, variants)),
            Err(other) => Found::Other(other),
        })
    }

    /// Serves the version of a page that an aborted publisher left behind, with its own hash, which agents are told to
    /// trust (TCT, "Error Handling").
    async fn serve_unlisted_version(
        &self,
        site: &Site,
        page: &Page,
        opened: Opened,
        request: &RequestParts,
    ) -> Option<Reply> {
        if opened.size > MAX_CACHED_BYTES {
            return None;
        }
        let limit = usize::try_from(MAX_CACHED_BYTES).unwrap_or(usize::MAX);
        let read = self.blocking(move || {
            let bytes = read_all(&opened.content, opened.size).ok();
            let page = bytes
                .as_ref()
                .and_then(|bytes| ReadPage::parse(bytes, limit).ok());
            Ok(bytes.zip(page))
        });
        let (bytes, read) = read.await.ok()??;
        let hash: ContentHash = read.hash?.parse().ok()?;
        let size = bytes.len() as u64;
        let content = SizedContent::new(Content::Memory(bytes.to_vec().into()), size);
        let variants = Arc::new(Variants::new(content));
        let response = PreparedResponse::new(site.generation, head(site, page, hash), variants);
        Some(self.respond(&Arc::new(response), request).await)
    }

    fn protect(&self, page: &Page, reply: Reply) -> Reply {
        match page.parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }
}

fn head(site: &Site, page: &Page, hash: ContentHash) -> Head {
    let link = format!("{}{}", canonical_link(&page.url), site.machine_links);
    let content_type = HeaderValue::from_static("application/json");
    let etag = HeaderValue::from_str(&hash.etag()).ok();
    Head::new(Kind::MachinePage, content_type, etag, page.modified)
        .with(
            header::CACHE_CONTROL,
            Some(HeaderValue::from_static(CACHE_CONTROL)),
        )
        .with(header::LINK, HeaderValue::from_str(&link).ok())
        .varying()
}

/// Returns true if a machine page states this hash. Quotes in its texts are escaped, so a match can only be the member
/// itself.
fn states_hash(page: &SizedContent, hash: &ContentHash) -> std::io::Result<bool> {
    let member = format!("\"hash\":\"{hash}\"");
    let mut source = reader(&page.content, page.size)?;
    let mut window = Vec::with_capacity(96 << 10);
    let mut buffer = vec![0; usize::try_from(page.size.clamp(1, 64 << 10)).unwrap_or(64 << 10)];
    loop {
        let read = source.read(&mut buffer)?;
        if read == 0 {
            return Ok(false);
        }
        window.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if memchr::memmem::find(&window, member.as_bytes()).is_some() {
            return Ok(true);
        }
        let keep = window.len().saturating_sub(member.len());
        window.drain(..keep);
    }
}
