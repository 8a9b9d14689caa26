//! A website as a store that can only be read: where the last publication is.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use sitecast_fetch::{
    Addresses, Client, Coding, Download, Downloaded, FetchError, Head, Options, Request,
};
use sitecast_storage::{Listed, Lock, Object, Opened, Put, Store, StoreError, StorePath, Tag};
use tempfile::TempDir;
use url::Url;

use crate::commands::sync::AGENT;

/// The most bytes of a sitemap, a JSON sitemap and what else is no collection.
const LARGEST_FILE: u64 = 100_000_000;
/// The distance between two requests after the first few. A publication has hundreds of files at most.
const DELAY: Duration = Duration::from_millis(100);
const BURST: u32 = 20;

/// What a website serves, read through the agent's own client: only http and https, only public addresses unless
/// told otherwise, no redirect to another host or from https to http, and a bound on everything.
///
/// Each file is downloaded as a whole before it is handed out, so that a connection that breaks is resumed, and an
/// answer that does not end is an error rather than a file.
pub(crate) struct Website {
    base: Url,
    name: String,
    client: Client,
    largest_collection: u64,
    /// Downloads on their way.
    folder: TempDir,
}

impl Website {
    /// Opens a website, or a folder of it, by its URL.
    pub(crate) fn open(
        location: &str,
        allow_private: bool,
        largest_collection: u64,
    ) -> Result<Self, StoreError> {
        let wrong = |problem: String| StoreError::Location {
            location: location.to_owned(),
            problem,
        };
        let base = Url::parse(location).map_err(|error| wrong(error.to_string()))?;
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("a `?` or `#` cannot be part of it".to_owned()));
        }
        let mut options = Options::new(AGENT);
        options.delay = DELAY;
        options.burst = BURST;
        options.leaves_host = false;
        if allow_private {
            options.addresses = Addresses::All;
        }
        let client = Client::new(options).map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            name: shown(&base),
            base,
            // A visit of its own, with what bounds a visit.
            client: client.for_visit(),
            largest_collection,
            folder: tempfile::tempdir().map_err(|error| wrong(error.to_string()))?,
        })
    }

    fn url_of(&self, path: &StorePath) -> Url {
        let mut url = self.base.clone();
        // An http URL always has a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.parts());
        }
        url
    }

    fn read_only<T>(&self) -> Result<T, StoreError> {
        Err(StoreError::ReadOnly(self.name.clone()))
    }

    fn download(&self, request: &Request) -> Result<Option<(File, u64, Tag)>, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let place = tempfile::tempdir_in(self.folder.path()).map_err(|error| said(&error))?;
        let to = place.path().join("file");
        let downloaded = self.client.download(Download {
            request,
            to: &to,
            progress: &|_, _| {},
        });
        match downloaded.map_err(|error| self.in_words(&error))? {
            Downloaded::Complete { head, bytes } => {
                // It stays open without its name, and is gone with the last who reads it.
                let file = File::open(&to).map_err(|error| said(&error))?;
                Ok(Some((file, bytes, tag_of(&head))))
            }
            Downloaded::OtherStatus(head) if head.is_gone() => Ok(None),
            Downloaded::OtherStatus(head) | Downloaded::NotModified(head) => {
                Err(format!("the server answers {}", head.status))
            }
        }
    }

    /// What went wrong, without the URL, which is named before it, and without a password.
    fn in_words(&self, error: &FetchError) -> String {
        let message = match error {
            FetchError::Connection { reason, .. } => reason.clone(),
            FetchError::Robots { reason, .. } => {
                format!("its robots.txt cannot be read: {reason}")
            }
            FetchError::Status { status, .. } => format!("the server answers {status}"),
            FetchError::Redirect { problem, .. } => format!("it redirects {problem}"),
            FetchError::Address { .. } => {
                format!("{error}; `--allow-private` reads from this machine and its network")
            }
            other => other.to_string(),
        };
        let user = self.base.username();
        match self.base.password() {
            Some(password) => message.replace(&format!("{user}:{password}@"), ""),
            None if user.is_empty() => message,
            None => message.replace(&format!("{user}@"), ""),
        }
    }
}

impl Store for Website {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        let url = self.url_of(path);
        let place = shown(&url);
        let limit = match is_collection(path) {
            true => self.largest_collection,
            false => LARGEST_FILE,
        };
        let request = Request {
            coding: Coding::Identity,
            ..Request::new(url, limit)
        };
        let downloaded = self.download(&request);
        let downloaded = downloaded.map_err(|message| StoreError::Remote {
            action: "read",
            place,
            message,
        })?;
        Ok(downloaded.map(|(file, size, tag)| Object {
            reader: Box::new(file),
            size,
            tag,
        }))
    }

    fn open(&self, _path: &StorePath) -> Result<Option<Opened>, StoreError> {
        self.read_only()
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

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        self.read_only()
    }
}

fn is_collection(path: &StorePath) -> bool {
    let name = path.parts().last().unwrap_or_default();
    [".scp", ".scp.gz", ".scp.zst"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn tag_of(head: &Head) -> Tag {
    let validators = &head.validators;
    let tag = validators
        .etag
        .as_ref()
        .or(validators.last_modified.as_ref());
    Tag(tag.cloned().unwrap_or_default())
}

/// A URL without what is secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs without a host.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

#[cfg(test)]
mod tests;
