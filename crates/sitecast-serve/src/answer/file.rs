//! Files as a good static server has them: pages for people, pictures, styles.

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
use crate::protection::Parts;
use crate::protection::links::Judged;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::held::Held;
use crate::site::pinned::read_all;
use crate::site::variants::{Sized, Variants};

/// Smaller files gain nothing; larger ones are sent from where they are, as they are.
const WORTH_COMPRESSING: RangeInclusive<u64> = 256..=1 << 20;

/// What is at a path.
enum Found {
    /// Its name, and the protected parts that it speaks of.
    File(String, Opened, Parts),
    /// A folder was asked for without its slash.
    Folder,
    Nothing,
}

impl Answerer {
    pub(super) async fn file(&self, site: &Arc<Site>, path: &str, request: &RequestParts) -> Reply {
        let (store, asked) = (Arc::clone(&self.store), path.to_owned());
        let judge = self.judge(site);
        let found = self.blocking(move || find(&*store, &asked, &judge));
        let found = match found.await {
            Ok(found) => found,
            Err(reply) => return reply,
        };
        match found {
            Found::File(name, opened, listed) => {
                self.opened(site, &name, opened, listed, request).await
            }
            Found::Folder => {
                // Only the path: what was asked for is percent-encoded and begins with one slash.
                let mut address = format!("{}/", request.uri.path());
                if let Some(query) = request.uri.query() {
                    address.push('?');
                    address.push_str(query);
                }
                Reply::redirect(StatusCode::MOVED_PERMANENTLY, &address).of_kind(Kind::Html)
            }
            Found::Nothing if site.is_gone(path) => Reply::gone(),
            Found::Nothing => self.not_found(site, request).await,
        }
    }

    /// What says which protected parts a file shows, by the file that it is when links are followed and by what it
    /// mentions; `None` for one that nobody may see.
    fn judge(
        &self,
        site: &Arc<Site>,
    ) -> impl Fn(&StorePath, &Opened) -> Result<Option<Parts>, StoreError> + Send + 'static {
        let (store, lists) = (Arc::clone(&self.store), Arc::clone(&self.lists));
        let (protection, site) = (Arc::clone(&self.protection), Arc::clone(site));
        move |path, opened| {
            if protection.is_empty() {
                return Ok(Some(Parts::default()));
            }
            let root = site.root();
            let (own, mut parts) = match protection.of_file(&*store, root, path, opened)? {
                Judged::Visible(own, parts) => (own, parts),
                Judged::Private => return Ok(None),
            };
            if !site.is_markdown_of_page(own.as_str()) {
                let listed = lists.parts(own.as_str(), opened, &protection, root);
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
        listed: Parts,
        request: &RequestParts,
    ) -> Reply {
        let mut parts = self.protection.of_path(&format!("{}{name}", site.root()));
        parts.add(listed);
        if let Some(refusal) = self.refuse(parts, request) {
            return refusal;
        }
        let mut head = head(site, name, &opened);
        // What cannot be kept would be compressed for every client again.
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
                let content = Sized::new(opened.content, opened.size);
                head.deliver(request, None, &content)
            })
        };
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// Sends a file in the coding that the client likes best. Compressed files share the memory of machine pages.
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
        // Another version of the file has another tag.
        let key = ContentHash::of(format!("{name}\n{}", opened.tag.0).as_bytes());
        if let Some(known) = self.cache.get(&key) {
            let held = Held::new(0, head, Arc::clone(&known.variants));
            return self.held(&Arc::new(held), request).await;
        }
        let place = name.to_owned();
        let read = self.blocking(move || {
            let bytes = read_all(&opened.content, opened.size);
            let bytes = bytes.map_err(|source| unreadable(&place, source))?;
            Ok(Sized::new(
                Content::Memory(bytes.to_vec().into()),
                opened.size,
            ))
        });
        match read.await {
            Ok(sized) => {
                let held = Arc::new(Held::new(0, head, Arc::new(Variants::new(sized))));
                self.cache.put(key, &held);
                self.held(&held, request).await
            }
            Err(reply) => reply,
        }
    }

    /// The site's own page for what is not there, if it has one.
    async fn not_found(&self, site: &Arc<Site>, request: &RequestParts) -> Reply {
        const PAGE: &str = "404.html";
        let (store, judge) = (Arc::clone(&self.store), self.judge(site));
        let page = self
            .blocking(move || open_judged(&*store, PAGE, &judge))
            .await;
        let Ok(Some((opened, parts))) = page else {
            return Reply::not_found();
        };
        // It answers no conditions and has no parts: it is not what was asked for. But who asks is the same.
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

/// The file itself; the index of a folder; or the page whose address leaves out the `.html`.
fn find(store: &dyn Store, path: &str, judge: &Judge<'_>) -> Result<Found, StoreError> {
    let file = |name: String| {
        let opened = open_judged(store, &name, judge)?;
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

type Judge<'j> = dyn Fn(&StorePath, &Opened) -> Result<Option<Parts>, StoreError> + 'j;

/// A file that may be seen, and the protected parts that it shows.
fn open_judged(
    store: &dyn Store,
    name: &str,
    judge: &Judge<'_>,
) -> Result<Option<(Opened, Parts)>, StoreError> {
    let Some((path, opened)) = name.parse().ok().zip(open(store, name)?) else {
        return Ok(None);
    };
    Ok(judge(&path, &opened)?.map(|parts| (opened, parts)))
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

/// Parts are of the plain file, since the bytes of a compression may differ from one run of the server to the next.
fn wants_compression(request: &RequestParts) -> bool {
    let codings = accepted(&request.headers);
    codings.first() != Some(&Coding::Identity) && !request.headers.contains_key(RANGE)
}

/// Size and time of change: the same on every machine that has a copy with its time.
fn etag(opened: &Opened) -> Option<HeaderValue> {
    let changed = opened
        .modified?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?
        .as_nanos();
    HeaderValue::from_str(&format!("\"{changed:x}-{:x}\"", opened.size)).ok()
}
