//! Machine pages: only what the sitemap in hand says is served.

use std::sync::Arc;
use std::time::Instant;

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::{Content, Opened, StorePath};
use sitecast_tct::{CACHE_CONTROL, ContentHash, ReadPage, canonical_link};

use super::{Answerer, private, unreadable};
use crate::Kind;
use crate::protection::links::Judged;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::held::Held;
use crate::site::pages::Page;
use crate::site::pinned::{read_all, reader};
use crate::site::variants::{Sized, Variants};

/// Larger ones are served from where they are.
const LARGEST_HELD: u64 = 1 << 20;

/// A machine page's file.
enum Found {
    /// It is what the sitemap says.
    Right(Arc<Held>),
    /// It is another version, or gone: a publication is under way.
    Other(Option<Opened>),
}

impl Answerer {
    /// The answer, if it can be given without waiting: the client has the page, or the page is in memory.
    pub(super) fn machine_page_now(
        &self,
        site: &Site,
        page: &Page,
        request: &RequestParts,
    ) -> Option<Reply> {
        if let Some(refusal) = self.refuse(page.parts, request) {
            return Some(refusal);
        }
        let reply = match self.remembered(site, page) {
            Some(held) => self.held_now(&held.head, &held.variants, request),
            None => head(site, page, page.hash).precondition(&request.headers),
        };
        reply.map(|reply| self.protect(page, reply))
    }

    /// The page from memory, with the headers that it has in this publication.
    pub(super) fn remembered(&self, site: &Site, page: &Page) -> Option<Arc<Held>> {
        let held = self.cache.get(&page.hash)?;
        if held.generation == site.generation {
            return Some(held);
        }
        Some(self.remember(site, page, Arc::clone(&held.variants)))
    }

    fn remember(&self, site: &Site, page: &Page, variants: Arc<Variants>) -> Arc<Held> {
        let head = head(site, page, page.hash);
        let held = Arc::new(Held::new(site.generation, head, variants));
        if held.variants.identity.size <= LARGEST_HELD {
            self.cache.put(page.hash, &held);
        }
        held
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
                // It was there when the request came, and the next publication does not have it.
                break Reply::gone().of_kind(Kind::MachinePage);
            };
            if let Some(reply) = self.machine_page_now(&site, page, request) {
                break reply;
            }
            let found = match self.remembered(&site, page) {
                Some(held) => Ok(Found::Right(held)),
                None => self.find(&site, page).await,
            };
            let other = match found {
                Ok(Found::Right(held)) => {
                    let reply = self.held(&held, request).await;
                    break self.protect(page, reply);
                }
                Ok(Found::Other(other)) => other,
                Err(reply) => break reply.of_kind(Kind::MachinePage),
            };
            let is_broken_off = other
                .as_ref()
                .is_some_and(|opened| self.is_broken_off(path, opened));
            if !is_broken_off
                && let Some(later) = self
                    .current
                    .later_than(site.generation, self.patience)
                    .await
            {
                site = later;
                continue;
            }
            let as_it_is = match other.filter(|_| is_broken_off) {
                Some(opened) => self.as_it_is(&site, page, opened, request).await,
                None => None,
            };
            break match as_it_is {
                Some(reply) => self.protect(page, reply),
                None => Reply::unavailable(2).of_kind(Kind::MachinePage),
            };
        }
    }

    /// Whether a file that no sitemap names has been there for so long that nobody can be expected to come and name it.
    fn is_broken_off(&self, path: &str, opened: &Opened) -> bool {
        self.mismatches.age(path, &opened.tag, Instant::now()) >= self.broken_off
    }

    /// A machine page that no sitemap names: one of a publication that is under way, which is waited for,
    /// or none.
    pub(super) async fn unnamed(
        &self,
        site: &Arc<Site>,
        path: &str,
        request: &RequestParts,
    ) -> Reply {
        let absent = || match site.is_gone(path) {
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
        if !self.is_broken_off(path, &opened)
            && let Some(later) = self
                .current
                .later_than(site.generation, self.patience)
                .await
            && later.pages.by_machine(path).is_some()
        {
            return self.machine_page(&later, path, request).await;
        }
        absent()
    }

    /// Looks at the file, and keeps it in memory if it is not too large.
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
                // A link to something else that is protected: no token of this page is good for it.
                match protection.of_file(&*store, &root, &path, &opened)? {
                    Judged::Visible(_, parts) if expected.covers(parts) => {}
                    _ => return Ok(Err(None)),
                }
                let failed = |source| unreadable(path.as_str(), source);
                let content = if opened.size <= LARGEST_HELD {
                    Content::Memory(
                        read_all(&opened.content, opened.size)
                            .map_err(failed)?
                            .to_vec()
                            .into(),
                    )
                } else {
                    opened.content.clone()
                };
                let sized = Sized::new(content, opened.size);
                if !says(&sized, &hash).map_err(failed)? {
                    return Ok(Err(Some(opened)));
                }
                Ok(Ok(Arc::new(Variants::new(sized))))
            })
            .await?;
        Ok(match found {
            Ok(variants) => Found::Right(self.remember(site, page, variants)),
            Err(other) => Found::Other(other),
        })
    }

    /// A publication that was broken off left a page that no sitemap names, and none will soon. It is
    /// served with its own hash, which agents are told to believe (TCT, "Error Handling").
    async fn as_it_is(
        &self,
        site: &Site,
        page: &Page,
        opened: Opened,
        request: &RequestParts,
    ) -> Option<Reply> {
        if opened.size > LARGEST_HELD {
            return None;
        }
        let limit = usize::try_from(LARGEST_HELD).unwrap_or(usize::MAX);
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
        let content = Sized::new(Content::Memory(bytes.to_vec().into()), size);
        let variants = Arc::new(Variants::new(content));
        let held = Held::new(site.generation, head(site, page, hash), variants);
        Some(self.held(&Arc::new(held), request).await)
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

/// Whether a machine page says that it has this hash. Quotes within its texts are escaped, so what is
/// looked for can only be the member itself.
fn says(page: &Sized, hash: &ContentHash) -> std::io::Result<bool> {
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
