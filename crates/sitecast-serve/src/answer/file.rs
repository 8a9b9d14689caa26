//! Files as a good static server has them: pages for people, pictures, styles.

use std::sync::Arc;
use std::time::SystemTime;

use hyper::StatusCode;
use hyper::header::{HeaderValue, LINK};
use hyper::http::request::Parts as RequestParts;
use sitecast_storage::{Opened, Store, StoreError, StorePath};

use super::{Answerer, is_collection, private};
use crate::Kind;
use crate::http::{content_type, date};
use crate::reply::{Head, Reply};
use crate::site::Site;
use crate::site::variants::Sized;

/// What is at a path.
enum Found {
    File(String, Opened),
    /// A folder was asked for without its slash.
    Folder,
    Nothing,
}

impl Answerer {
    pub(super) async fn file(&self, site: &Arc<Site>, path: &str, request: &RequestParts) -> Reply {
        let (store, asked) = (Arc::clone(&self.store), path.to_owned());
        let found = match self.blocking(move || find(&*store, &asked)).await {
            Ok(found) => found,
            Err(reply) => return reply,
        };
        match found {
            Found::File(name, opened) => self.opened(site, &name, opened, request, StatusCode::OK),
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

    fn opened(
        &self,
        site: &Site,
        name: &str,
        opened: Opened,
        request: &RequestParts,
        status: StatusCode,
    ) -> Reply {
        let parts = self.protection.of_path(&format!("{}{name}", site.root()));
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
    async fn not_found(&self, site: &Site, request: &RequestParts) -> Reply {
        const PAGE: &str = "404.html";
        let store = Arc::clone(&self.store);
        let page = self.blocking(move || open(&*store, PAGE)).await;
        let Ok(Some(opened)) = page else {
            return Reply::not_found();
        };
        // It answers no conditions and has no parts: it is not what was asked for.
        let mut plain = request.clone();
        plain.headers.clear();
        let mut reply = self.opened(site, PAGE, opened, &plain, StatusCode::NOT_FOUND);
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
fn find(store: &dyn Store, path: &str) -> Result<Found, StoreError> {
    let file = |name: String| Ok(open(store, &name)?.map(|opened| Found::File(name, opened)));
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
