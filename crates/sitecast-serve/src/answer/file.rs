//! Files as a good static server has them: pages for people, pictures, styles.

use std::sync::Arc;
use std::time::SystemTime;

use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderValue, LINK};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::{Opened, Store, StoreError, StorePath};

use super::{Answerer, is_collection, private, unreadable};
use crate::Kind;
use crate::http::{content_type, date};
use crate::protection::Parts;
use crate::protection::links::Judged;
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::variants::Sized;

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
                self.opened(site, &name, opened, listed, request, StatusCode::OK)
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

    fn opened(
        &self,
        site: &Site,
        name: &str,
        opened: Opened,
        listed: Parts,
        request: &RequestParts,
        status: StatusCode,
    ) -> Reply {
        let mut parts = self.protection.of_path(&format!("{}{name}", site.root()));
        parts.add(listed);
        if let Some(refusal) = self.refuse(parts, request) {
            return refusal;
        }
        let content_type = content_type::of(name);
        let is_html = content_type::is_html(content_type);
        let head = Head::new(
            if is_html { Kind::Html } else { Kind::Other },
            HeaderValue::from_static(content_type),
            etag(&opened),
            opened.modified.and_then(date::seconds),
        )
        .with(LINK, site.index_link.clone().filter(|_| is_html));
        let content = Sized::new(opened.content, opened.size);
        let reply = if status == StatusCode::OK {
            head.precondition(&request.headers)
                .unwrap_or_else(|| head.deliver(request, None, &content))
        } else {
            let mut reply = head.deliver(request, None, &content);
            reply.status = status;
            reply.kind = Kind::None;
            reply
        };
        match parts.is_empty() {
            true => reply,
            false => private(reply),
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
        if let Some(token) = request.headers.get(AUTHORIZATION) {
            plain.headers.insert(AUTHORIZATION, token.clone());
        }
        let mut reply = self.opened(site, PAGE, opened, parts, &plain, StatusCode::NOT_FOUND);
        if reply.status == StatusCode::UNAUTHORIZED {
            return Reply::not_found();
        }
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

/// Size and time of change: the same on every machine that has a copy with its time.
fn etag(opened: &Opened) -> Option<HeaderValue> {
    let changed = opened
        .modified?
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?
        .as_nanos();
    HeaderValue::from_str(&format!("\"{changed:x}-{:x}\"", opened.size)).ok()
}
