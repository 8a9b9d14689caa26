//! What a website serves, read as a store.

use std::fmt;
use std::io::{self, Seek, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};
use reqwest::header::{ACCEPT_ENCODING, ETAG, HeaderMap, HeaderName, LAST_MODIFIED};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use url::Url;

use crate::engine::Engine;
use crate::reserved;
use crate::stream::Streamed;
use crate::{Listed, Lock, Object, Opened, Put, Store, StoreError, StorePath, Tag};

const USER_AGENT: &str = concat!("sitecast/", env!("CARGO_PKG_VERSION"));
const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 5;

/// What comes without a length is kept on disk until its length is known; not more than this, which
/// is the largest collection that the protocol knows.
const LARGEST: u64 = 50_000_000_000;

/// A website as a [`Store`] that can only be read: where a publication was put earlier by other
/// means.
///
/// Bytes are handed on as they come, compressed or not. The [`Tag`] is the `ETag`, or else what
/// `Last-Modified` says. A website does not say what it has, so [`Store::list`] fails rather than
/// claim that there is nothing.
pub struct Http {
    base: Url,
    name: String,
    client: Client,
    engine: Arc<Engine>,
}

/// Without the password that may be in the URL.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Http").field(&self.name).finish()
    }
}

impl Http {
    /// Opens a website, or a folder of it, by its URL.
    pub fn open(location: &str) -> Result<Self, StoreError> {
        let wrong = |problem: String| StoreError::Location {
            location: location.to_owned(),
            problem,
        };
        let base = Url::parse(location).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong("it does not begin with `https://`".to_owned()));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("a `?` or `#` cannot be part of it".to_owned()));
        }
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .redirect(Policy::limited(REDIRECTS))
            // Also if another crate of the program switches the features on.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .build()
            .map_err(|error| wrong(explain(&error)))?;
        let engine = Engine::start().map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            name: shown(&base),
            base,
            client,
            engine: Arc::new(engine),
        })
    }

    fn url_of(&self, path: &StorePath) -> Url {
        let mut url = self.base.clone();
        // Always there in http URLs.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.parts());
        }
        url
    }

    fn read_only<T>(&self) -> Result<T, StoreError> {
        Err(StoreError::ReadOnly(self.name.clone()))
    }
}

impl Store for Http {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        if reserved::is_reserved(path) {
            return Ok(None);
        }
        let url = self.url_of(path);
        let place = shown(&url);
        let failed = {
            let place = place.clone();
            move |message| StoreError::Remote {
                action: "read",
                place: place.clone(),
                message,
            }
        };
        let request = self.client.get(url).header(ACCEPT_ENCODING, "identity");
        let response = self.engine.run(&self.name, {
            let failed = failed.clone();
            async move {
                request
                    .send()
                    .await
                    .map_err(|error| failed(explain(&error)))
            }
        })?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
            status => return Err(failed(format!("the server answers {status}"))),
        }
        let tag = tag_of(response.headers());
        let length = response.content_length();
        let bytes = bytes_of(response);
        if let Some(size) = length {
            return Ok(Some(Object {
                reader: Box::new(Streamed::new(&self.engine, size, bytes)),
                size,
                tag,
            }));
        }
        let kept = self.engine.run(&self.name, async move {
            keep(bytes).await.map_err(|error| failed(error.to_string()))
        });
        let (file, size) = kept?;
        Ok(Some(Object {
            reader: Box::new(file),
            size,
            tag,
        }))
    }

    fn open(&self, _path: &StorePath) -> Result<Option<Opened>, StoreError> {
        Err(StoreError::Remote {
            action: "serve",
            place: self.name.clone(),
            message: "a website is served already".to_owned(),
        })
    }

    fn put(&self, _put: Put) -> Result<Tag, StoreError> {
        self.read_only()
    }

    fn delete(&self, _path: &StorePath) -> Result<(), StoreError> {
        self.read_only()
    }

    fn list(&self, _folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        Err(StoreError::Remote {
            action: "list",
            place: self.name.clone(),
            message: "a website does not say what it has".to_owned(),
        })
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        self.read_only()
    }

    fn scratch(&self) -> Result<std::path::PathBuf, StoreError> {
        self.read_only()
    }
}

fn bytes_of(response: Response) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    response
        .bytes_stream()
        .map_err(|error| io::Error::other(explain(&error)))
}

/// Writes everything to a file without a name, which is read from then on.
async fn keep(bytes: impl Stream<Item = io::Result<Bytes>>) -> io::Result<(std::fs::File, u64)> {
    let mut file = tempfile::tempfile()?;
    let mut size = 0;
    let mut bytes = std::pin::pin!(bytes);
    while let Some(piece) = bytes.try_next().await? {
        size += piece.len() as u64;
        if size > LARGEST {
            return Err(io::Error::other("it does not end"));
        }
        // Small, and into the system's cache: not worth another thread.
        file.write_all(&piece)?;
    }
    file.rewind()?;
    Ok((file, size))
}

fn tag_of(headers: &HeaderMap) -> Tag {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    Tag(text(ETAG)
        .or_else(|| text(LAST_MODIFIED))
        .unwrap_or_default()
        .to_owned())
}

/// Without what is secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Fails where there is none.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

/// The deepest cause: those above it only say that something failed.
fn explain(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
