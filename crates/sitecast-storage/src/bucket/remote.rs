//! Requests to the bucket's server.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::TryStreamExt;
use object_store::aws::AmazonS3;
use object_store::path::Path as Key;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt};
use tokio::sync::Semaphore;

use super::explain;
use super::location::Location;
use super::upload::MEMORY_UNITS;
use crate::reserved;
use crate::{Listed, StoreError, StorePath};

/// The clients and settings that all tasks of one bucket share.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) name: String,
    prefix: Option<StorePath>,
    pub(super) reading: AmazonS3,
    pub(super) writing: AmazonS3,
    anonymous: bool,
    /// Limits the memory for bytes that are read from disk to be sent.
    pub(super) memory: Arc<Semaphore>,
    /// True once the server has reported that it does not support conditional puts.
    pub(super) no_conditions: AtomicBool,
}

impl Remote {
    pub(super) fn new(location: Location) -> Self {
        Self {
            name: location.name,
            prefix: location.prefix,
            reading: location.reading,
            writing: location.writing,
            anonymous: location.anonymous,
            memory: Arc::new(Semaphore::new(MEMORY_UNITS)),
            no_conditions: AtomicBool::new(false),
        }
    }

    /// Returns the object's key, spelled exactly like the path, as a web server in front of the bucket requests it.
    /// (`Key::from` would write `%23` for `#`.)
    pub(super) fn key(&self, action: &'static str, path: &str) -> Result<Key, StoreError> {
        let key = match &self.prefix {
            Some(prefix) => Key::parse(format!("{prefix}/{path}")),
            None => Key::parse(path),
        };
        key.map_err(|error| self.failed(action, path, &error.into()))
    }

    pub(super) fn failed(&self, action: &'static str, path: &str, error: &Error) -> StoreError {
        let mut message = explain::explain(error);
        if self.anonymous && explain::is_refusal(error) {
            message.push_str("; no credentials are set, such as `AWS_ACCESS_KEY_ID`");
        }
        let place = match path {
            "" => self.name.clone(),
            path => format!("{}/{path}", self.name),
        };
        StoreError::Remote {
            action,
            place,
            message,
        }
    }

    /// Returns the metadata of an object; `None` if there is none.
    pub(super) async fn head(
        &self,
        action: &'static str,
        path: &str,
    ) -> Result<Option<ObjectMeta>, StoreError> {
        let key = self.key(action, path)?;
        match self.writing.head(&key).await {
            Ok(meta) => Ok(Some(meta)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(action, path, &error)),
        }
    }

    pub(super) async fn delete(&self, path: &str) -> Result<(), StoreError> {
        let key = self.key("delete", path)?;
        match self.writing.delete(&key).await {
            Err(Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(self.failed("delete", path, &error)),
        }
    }

    pub(super) async fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        let folder = folder.map(StorePath::as_str).unwrap_or_default();
        let start = match (&self.prefix, folder) {
            (None, "") => None,
            (Some(prefix), "") => Some(Key::parse(prefix.as_str())),
            _ => Some(Ok(self.key("list", folder)?)),
        };
        let start = start
            .transpose()
            .map_err(|error| self.failed("list", folder, &error.into()))?;
        let above = match &self.prefix {
            Some(prefix) => format!("{prefix}/"),
            None => String::new(),
        };
        let mut found = Vec::new();
        let mut objects = self.reading.list(start.as_ref());
        loop {
            let object = match objects.try_next().await {
                Ok(Some(object)) => object,
                Ok(None) => break,
                Err(error) => return Err(self.failed("list", folder, &error)),
            };
            let path = object.location.as_ref().strip_prefix(&above);
            match path.map(str::parse::<StorePath>) {
                Some(Ok(path)) if !reserved::is_reserved(&path) => found.push(Listed {
                    path,
                    size: object.size,
                }),
                // Skips reserved and invalid names.
                _ => {}
            }
        }
        found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }
}
