//! Static files: HTML pages, pictures, styles.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::SystemTime;

use hyper::StatusCode;
use hyper::header::{ACCEPT_ENCODING, AUTHORIZATION, HeaderValue, LINK, RANGE};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::{Content, Opened, Store, StoreError, StorePath};
use sitecast_tct::ContentHash;

use super::{Answerer, is_collection, private, unreadable};
use crate::Kind;
use crate::http::encoding::{Coding, accepted};
use crate::http::{content_type, date};
use crate::protection::ProtectedParts;
use crate::protection::links::FileAccess;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::pinned::read_all;
use crate::site::prepared::PreparedResponse;
use crate::site::variants::{SizedContent, Variants};

/// Sizes of files that are compressed. Smaller ones gain nothing; larger ones are streamed uncompressed.
const WORTH_COMPRESSING: RangeInclusive<u64> = 256..=1 << 20;

/// The result of looking up a path.
enum Found {
    /// A file by its name, and the prefixes that it needs tokens for.
    File(String, Opened, ProtectedParts),
    /// A folder, requested without its final slash.
    Folder,
    Nothing,
}

impl Answerer {
    pub(super) async fn file(&self, site: &Arc<Site>, path: &str, request: &RequestParts) -> Reply {
        let (store, asked) = (Arc::clone(&self.store), path.to_owned());
        let check = self.access_check(site);
        let found = self.blocking(move || find(&*store, &asked, &check));
        let found = match found.await {
            Ok(found) => found,
            Err(reply) => return reply,
        };
        match found {
            Found::File(name, opened, listed) => {
                self.opened(site, &name, opened, listed, request).await
            }
            Found::Folder => {
                // The path only, so that the redirect stays on this host: it is percent-encoded and begins with one
                // slash.
                let mut address = format!("{}/", request.uri.path());
                if let Some(query) = request.uri.query() {
                    address.push('?');
                    address.push_str(query);
                }
                Reply::redirect(StatusCode::MOVED_PERMANENTLY, &address).of_kind(Kind::Html)
            }
            Found::Nothing if site.is_removed(path) => Reply::gone(),
            Found::Nothing => self.not_found(site, request).await,
        }
    }

    /// Returns a function that determines the prefixes a file needs tokens for, by the target of links and by what it
    /// mentions; `None` for files that are never served.
    fn access_check(
        &self,
        site: &Arc<Site>,
    ) -> impl Fn(&StorePath, &Opened) -> Result<Option<ProtectedParts>, StoreError> + Send + 'static
    {
        let (store, mentions) = (Arc::clone(&self.store), Arc::clone(&self.mentions));
        let (protection, site) = (Arc::clone(&self.protection), Arc::clone(site));
        move |path, opened| {
            if protection.is_empty() {
                return Ok(Some(ProtectedParts::default()));
            }
            let root = site.root();
            let (own, mut parts) = match protection.of_file(&*store, root, path, opened)? {
                FileAccess::Visible(own, parts) => (own, parts),
                FileAccess::Private => return Ok(None),
            };
            if !site.is_markdown_of_page(own.as_str()) {
                let listed = mentions.parts(own.as_str(), opened, &protection, root);
                parts.add(listed.map_err(|source| unreadable(own.as_str(), source))?);
            }
            Ok(Some(parts))
        }
    }

    async fn opened(
        &self,
        site: &Site,
        name: &str,
        opened: Opened,
        listed: ProtectedParts,
        request: &RequestParts,
    ) -> Reply {
        let mut parts = self.protection.of_path(&format!("{}{name}", site.root()));
        parts.add(listed);
        if let Some(refusal) = self.refuse(parts, request) {
            return refusal;
        }
        let mut head = head(site, name, &opened);
        // Content that does not fit into the cache would be compressed for every request.
        let is_compressible =
            is_compressible(name, opened.size) && self.cache.has_room_for(opened.size);
        if is_compressible {
            head = head.varying();
        }
        let reply = if is_compressible && wants_compression(request) {
            self.compressed(name, head.weakened(), opened, request)
                .await
        } else {
            head.precondition(&request.headers).unwrap_or_else(|| {
                let content = SizedContent::new(opened.content, opened.size);
                head.deliver(request, None, &content)
            })
        };
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// Replies with a file in the coding that the client prefers. Compressed files share the cache of machine pages.
    async fn compressed(
        &self,
        name: &str,
        head: Head,
        opened: Opened,
        request: &RequestParts,
    ) -> Reply {
        if let Some(reply) = head.precondition(&request.headers) {
            return reply;
        }
        // The tag changes with the version of the file.
        let key = ContentHash::of(format!("{name}\n{}", opened.tag.0).as_bytes());
        if let Some(known) = self.cache.get(&key) {
            let response = PreparedResponse::new(0, head, Arc::clone(&known.variants));
            return self.respond(&Arc::new(response), request).await;
        }
        let place = name.to_owned();
        let read = self.blocking(move || {
            let bytes = read_all(&opened.content, opened.size);
            let bytes = bytes.map_err(|source| unreadable(&place, source))?;
            Ok(SizedContent::new(
                Content::Memory(bytes.to_vec().into()),
                opened.size,
            ))
        });
        match read.await {
            Ok(sized) => {
                let response = Arc::new(PreparedResponse::new(
                    0,
                    head,
                    Arc::new(Variants::new(sized)),
                ));
                self.cache.put(key, &response);
                self.respond(&response, request).await
            }
            Err(reply) => reply,
        }
    }

    /// Replies with the site's own `404.html`, if it has one.
    async fn not_found(&self, site: &Arc<Site>, request: &RequestParts) -> Reply {
        const PAGE: &str = "404.html";
        let (store, check) = (Arc::clone(&self.store), self.access_check(site));
        let page = self
            .blocking(move || open_visible(&*store, PAGE, &check))
            .await;
        let Ok(Some((opened, parts))) = page else {
            return Reply::not_found();
        };
        // Conditions and ranges refer to the requested resource, not to this page. The token and the accepted codings
        // still apply.
        let mut plain = request.clone();
        plain.headers.clear();
        for name in [AUTHORIZATION, ACCEPT_ENCODING] {
            if let Some(value) = request.headers.get(&name) {
                plain.headers.insert(name, value.clone());
            }
        }
        let mut reply = self.opened(site, PAGE, opened, parts, &plain).await;
        if reply.status != StatusCode::OK {
            return Reply::not_found();
        }
        reply.status = StatusCode::NOT_FOUND;
        reply.kind = Kind::None;
        for name in [
            hyper::header::ETAG,
            hyper::header::LAST_MODIFIED,
            hyper::header::ACCEPT_RANGES,
        ] {
            reply.headers.remove(name);
        }
        reply.with(
            hyper::header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache"),
        )
    }
}

/// Finds the file itself, the index of a folder, or the page whose address omits `.html`.
fn find(store: &dyn Store, path: &str, check: &AccessCheck<'_>) -> Result<Found, StoreError> {
    let file = |name: String| {
        let opened = open_visible(store, &name, check)?;
        Ok::<_, StoreError>(opened.map(|(opened, parts)| Found::File(name, opened, parts)))
    };
    let found = match path.strip_suffix('/') {
        None if path.is_empty() => file("index.html".to_owned())?,
        Some(folder) => match file(format!("{folder}/index.html"))? {
            Some(found) => Some(found),
            None => file(format!("{folder}.html"))?,
        },
        None => match file(path.to_owned())? {
            Some(found) => Some(found),
            None => match file(format!("{path}.html"))? {
                Some(found) => Some(found),
                None => open(store, &format!("{path}/index.html"))?.map(|_| Found::Folder),
            },
        },
    };
    Ok(found.unwrap_or(Found::Nothing))
}

type AccessCheck<'c> =
    dyn Fn(&StorePath, &Opened) -> Result<Option<ProtectedParts>, StoreError> + 'c;

/// Opens a file that may be served, with the prefixes that it needs tokens for.
fn open_visible(
    store: &dyn Store,
    name: &str,
    check: &AccessCheck<'_>,
) -> Result<Option<(Opened, ProtectedParts)>, StoreError> {
    let Some((path, opened)) = name.parse().ok().zip(open(store, name)?) else {
        return Ok(None);
    };
    Ok(check(&path, &opened)?.map(|parts| (opened, parts)))
}

fn open(store: &dyn Store, name: &str) -> Result<Option<Opened>, StoreError> {
    match name.parse::<StorePath>() {
        Ok(path) if !is_collection(name) => store.open(&path),
        _ => Ok(None),
    }
}

fn head(site: &Site, name: &str, opened: &Opened) -> Head {
    let content_type = content_type::of(name);
    let is_html = content_type::is_html(content_type);
    Head::new(
        if is_html { Kind::Html } else { Kind::Other },
        HeaderValue::from_static(content_type),
        etag(opened),
        opened.modified.and_then(date::seconds),
    )
    .with(LINK, site.index_link.clone().filter(|_| is_html))
}

fn is_compressible(name: &str, size: u64) -> bool {
    WORTH_COMPRESSING.contains(&size) && content_type::is_compressible(content_type::of(name))
}

/// Ranges are served from the plain file, since compressed bytes may differ from one run of the server to the next.
fn wants_compression(request: &RequestParts) -> bool {
    let codings = accepted(&request.headers);
    codings.first() != Some(&Coding::Identity) && !request.headers.contains_key(RANGE)
}

/// An entity tag from size and modification time, equal on all machines whose copies keep the time.
fn etag(opened: &Opened) -> Option<HeaderValue> {
    let changed = opened
        .modified?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?
        .as_nanos();
    HeaderValue::from_str(&format!("\"{changed:x}-{:x}\"", opened.size)).ok()
}
