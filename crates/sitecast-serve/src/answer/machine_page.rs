//! Machine pages: only what the sitemap in hand says is served.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request::Parts as RequestParts;
use sha2::{Digest, Sha256};
use sitecast_storage::{Content, Opened, StoreError, StorePath};
use sitecast_tct::{CACHE_CONTROL, ContentHash, ReadPage, canonical_link};

use super::{Answerer, private};
use crate::Kind;
use crate::http::encoding::accepted;
use crate::reply::{Head, Reply, Sending};
use crate::site::Site;
use crate::site::pages::Page;
use crate::site::pinned::{read_all, reader};
use crate::site::variants::{Sized, Variants};

/// Larger ones are served from where they are.
const LARGEST_HELD: u64 = 1 << 20;
/// How old a file has to be until nobody can be expected to come and name it.
const BROKEN_OFF: Duration = Duration::from_secs(60);

/// A machine page's file.
enum Found {
    /// It is what the sitemap says.
    Right(Arc<Variants>),
    /// It is another version, or gone: a publication is under way.
    Other(Option<Opened>),
}

impl Answerer {
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
            if let Some(refusal) = self.refuse(page.parts, request) {
                break refusal;
            }
            let head = head(&site, page, page.hash);
            if let Some(reply) = head.precondition(&request.headers) {
                break self.protect(page, reply);
            }
            let found = match self.cache.get(&page.hash) {
                Some(held) => Ok(Found::Right(held)),
                None => self.find(page).await,
            };
            let other = match found {
                Ok(Found::Right(variants)) => {
                    let reply = self.negotiated(&head, &variants, request).await;
                    break self.protect(page, reply);
                }
                Ok(Found::Other(other)) => other,
                Err(reply) => break reply.of_kind(Kind::MachinePage),
            };
            let age = other
                .as_ref()
                .and_then(|opened| opened.modified?.elapsed().ok());
            if age.is_none_or(|age| age < BROKEN_OFF)
                && let Some(later) = self
                    .current
                    .later_than(site.generation, self.patience)
                    .await
            {
                site = later;
                continue;
            }
            break match self.as_it_is(&site, page, other, request).await {
                Some(reply) => self.protect(page, reply),
                None => Reply::unavailable(2).of_kind(Kind::MachinePage),
            };
        }
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
        let age = opened.modified.and_then(|modified| modified.elapsed().ok());
        if age.is_none_or(|age| age < BROKEN_OFF)
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
    async fn find(&self, page: &Page) -> Result<Found, Reply> {
        let Ok(path) = page.machine.parse::<StorePath>() else {
            return Err(Reply::not_found());
        };
        let (store, hash) = (Arc::clone(&self.store), page.hash);
        let found = self
            .blocking(move || {
                let Some(opened) = store.open(&path)? else {
                    return Ok(Found::Other(None));
                };
                let failed = |source| StoreError::Io {
                    action: "read",
                    place: path.to_string(),
                    source,
                };
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
                let sized = Sized {
                    content,
                    size: opened.size,
                };
                if !says(&sized, &hash).map_err(failed)? {
                    return Ok(Found::Other(Some(opened)));
                }
                Ok(Found::Right(Arc::new(Variants::new(sized))))
            })
            .await?;
        if let Found::Right(variants) = &found
            && variants.identity.size <= LARGEST_HELD
        {
            self.cache.put(page.hash, variants);
        }
        Ok(found)
    }

    async fn negotiated(
        &self,
        head: &Head,
        variants: &Arc<Variants>,
        request: &RequestParts,
    ) -> Reply {
        let codings = accepted(&request.headers);
        let held = Arc::clone(variants);
        let made = self
            .variant(variants, &codings, move |codings| held.make(codings))
            .await;
        match made {
            Ok((coding, content)) => {
                self.digested(head.deliver(request, Some(coding), &content), &content)
            }
            Err(reply) => reply.of_kind(head.kind),
        }
    }

    /// A publication that was broken off left a page that no sitemap names, and none will soon. It is
    /// served with its own hash, which agents are told to believe (TCT, "Error Handling").
    async fn as_it_is(
        &self,
        site: &Site,
        page: &Page,
        other: Option<Opened>,
        request: &RequestParts,
    ) -> Option<Reply> {
        let opened = other.filter(|opened| opened.size <= LARGEST_HELD)?;
        let old = opened.modified.is_some_and(|modified| {
            SystemTime::now()
                .duration_since(modified)
                .is_ok_and(|age| age >= BROKEN_OFF)
        });
        if !old {
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
        let head = head(site, page, hash);
        if let Some(reply) = head.precondition(&request.headers) {
            return Some(reply);
        }
        let variants = Arc::new(Variants::new(Sized {
            size: bytes.len() as u64,
            content: Content::Memory(bytes.to_vec().into()),
        }));
        Some(self.negotiated(&head, &variants, request).await)
    }

    fn protect(&self, page: &Page, reply: Reply) -> Reply {
        match page.parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// Adds the digest of what is sent (RFC 9530), where it is asked for and all of it is at hand.
    pub(super) fn digested(&self, mut reply: Reply, content: &Sized) -> Reply {
        const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");
        if self.content_digest
            && reply.status == StatusCode::OK
            && let Sending::Bytes(bytes) = &reply.body
            && bytes.len() as u64 == content.size
        {
            let digest = base64(&Sha256::digest(bytes));
            if let Ok(value) = HeaderValue::from_str(&format!("sha-256=:{digest}:")) {
                reply.headers.insert(CONTENT_DIGEST, value);
            }
        }
        reply
    }
}

fn head(site: &Site, page: &Page, hash: ContentHash) -> Head {
    let link = format!("{}{}", canonical_link(&page.url), site.machine_links);
    Head {
        kind: Kind::MachinePage,
        content_type: HeaderValue::from_static("application/json"),
        etag: HeaderValue::from_str(&hash.etag()).ok(),
        modified: page.modified,
        cache_control: Some(HeaderValue::from_static(CACHE_CONTROL)),
        link: HeaderValue::from_str(&link).ok(),
        varies: true,
    }
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

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .zip([16, 8, 0])
            .fold(0_u32, |bits, (&byte, shift)| {
                bits | u32::from(byte) << shift
            });
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = DIGITS
                .get((bits >> shift & 63) as usize)
                .copied()
                .unwrap_or(b'=');
            text.push(char::from(if place <= chunk.len() { digit } else { b'=' }));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_rfc_4648_has_it() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
    }
}
