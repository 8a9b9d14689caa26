//! A store in an S3-compatible bucket.

mod explain;
mod lease;
mod location;
mod remote;
mod upload;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::{Error, GetOptions, ObjectStore, ObjectStoreExt};
use tokio::task::JoinSet;

use crate::reserved;
use crate::runtime::{StoreRuntime, wait};
use crate::scratch::{self, LocalScratch};
use crate::stream::StreamReader;
use crate::{
    BucketOptions, Content, Listed, Lock, Object, Opened, Put, Ranged, Store, StoreError,
    StorePath, Tag,
};

use lease::LeaseTimes;
use location::Location;
use remote::Remote;

/// Concurrent puts of [`Store::put_all`].
const MAX_CONCURRENT_PUTS: usize = 32;

/// A [`Store`] in an S3-compatible bucket: Amazon S3, Cloudflare R2, MinIO, SeaweedFS and others.
///
/// Objects over 16 MiB are sent in parts; all puts together hold at most 64 MiB of prepared files in
/// memory. A killed process can leave parts behind, which no reader sees: configure a lifecycle rule of the bucket to
/// remove them. The [`Condition`](crate::Condition) of such an object is checked before it is sent, not atomically.
///
/// The lock is an object, `.sitecast-lock`, that is renewed every 20 seconds and expires after 60, by the server's
/// clock. Some servers silently ignore conditional puts; then [`Lock::warning`] returns a warning.
#[derive(Debug)]
pub struct Bucket {
    remote: Arc<Remote>,
    runtime: Arc<StoreRuntime>,
    scratch: LocalScratch,
    times: LeaseTimes,
}

impl Bucket {
    /// Opens `s3://bucket/prefix` without sending a request.
    pub fn open(location: &str, options: &BucketOptions) -> Result<Self, StoreError> {
        let readable = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables: BTreeMap<_, _> = std::env::vars_os().filter_map(readable).collect();
        Self::open_with(location, options, variables)
    }

    /// Like [`Self::open`], with the given variables instead of this process's environment: see [`BucketOptions`].
    pub fn open_with(
        location: &str,
        options: &BucketOptions,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, StoreError> {
        let runtime = StoreRuntime::start().map_err(|source| StoreError::Io {
            action: "use",
            place: location.to_owned(),
            source,
        })?;
        let location = Location::new(location, options, variables)?;
        Ok(Self {
            remote: Arc::new(Remote::new(location)),
            runtime: Arc::new(runtime),
            scratch: LocalScratch::default(),
            times: LeaseTimes::default(),
        })
    }

    /// Sets other times for the lock than 20 and 60 seconds, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_lock_times(mut self, renew: Duration, expire: Duration) -> Self {
        self.times = LeaseTimes { renew, expire };
        self
    }

    /// Runs a task on the store's runtime and blocks until it ends.
    fn run<T, W>(&self, work: impl FnOnce(Arc<Remote>) -> W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let remote = Arc::clone(&self.remote);
        self.runtime.run(&self.remote.name, work(remote))
    }
}

/// An opened version of an object.
#[derive(Debug)]
struct RemoteObject {
    remote: Arc<Remote>,
    runtime: Arc<StoreRuntime>,
    path: StorePath,
    tag: Option<String>,
}

impl Ranged for RemoteObject {
    fn read(&self, range: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError> {
        if range.is_empty() {
            // HTTP has no empty ranges.
            return Ok(Box::new(io::empty()));
        }
        let size = range.end.saturating_sub(range.start);
        let options = GetOptions {
            if_match: self.tag.clone(),
            range: Some(range.into()),
            ..GetOptions::default()
        };
        let (remote, path) = (Arc::clone(&self.remote), self.path.clone());
        let result = self.runtime.run(&self.remote.name, async move {
            let key = remote.key("read", path.as_str())?;
            let result = remote.reading.get_opts(&key, options).await;
            result.map_err(|error| remote.failed("read", path.as_str(), &error))
        })?;
        let stream = result
            .into_stream()
            .map_err(|error| io::Error::other(explain::explain(&error)));
        Ok(Box::new(StreamReader::new(&self.runtime, size, stream)))
    }
}

impl Store for Bucket {
    fn name(&self) -> String {
        self.remote.name.clone()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        if reserved::is_reserved(path) {
            return Ok(None);
        }
        let path = path.clone();
        let opened = self.run(|remote| async move {
            let key = remote.key("read", path.as_str())?;
            match remote.reading.get(&key).await {
                Ok(result) => Ok(Some(result)),
                Err(error @ Error::NotFound { .. }) if !explain::lacks_bucket(&error) => Ok(None),
                Err(error) => Err(remote.failed("read", path.as_str(), &error)),
            }
        })?;
        Ok(opened.map(|result| {
            let size = result.meta.size;
            let tag = Tag(result.meta.e_tag.clone().unwrap_or_default());
            let stream = result
                .into_stream()
                .map_err(|error| io::Error::other(explain::explain(&error)));
            Object {
                reader: Box::new(StreamReader::new(&self.runtime, size, stream)),
                size,
                tag,
            }
        }))
    }

    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError> {
        if reserved::is_reserved(path) {
            return Ok(None);
        }
        let asked = path.clone();
        let meta = self.run(|remote| async move { remote.head("read", asked.as_str()).await })?;
        Ok(meta.map(|meta| Opened {
            size: meta.size,
            tag: Tag(meta.e_tag.clone().unwrap_or_default()),
            modified: Some(meta.last_modified.into()),
            content: Content::Remote(Arc::new(RemoteObject {
                remote: Arc::clone(&self.remote),
                runtime: Arc::clone(&self.runtime),
                path: path.clone(),
                tag: meta.e_tag,
            })),
        }))
    }

    fn put(&self, put: Put) -> Result<Tag, StoreError> {
        self.run(|remote| remote.put(put))
    }

    fn put_all(&self, puts: &mut (dyn Iterator<Item = Put> + Send)) -> Result<(), StoreError> {
        let mut running = JoinSet::new();
        let finished = |result| match result {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(stopped) => Err(StoreError::Io {
                action: "use",
                place: self.name(),
                source: io::Error::other(stopped),
            }),
        };
        let mut outcome = Ok(());
        for put in puts {
            running.spawn_on(Arc::clone(&self.remote).put(put), self.runtime.handle());
            if running.len() >= MAX_CONCURRENT_PUTS
                && let Some(result) = wait(running.join_next())
            {
                outcome = finished(result);
                if outcome.is_err() {
                    break;
                }
            }
        }
        // Running puts are not aborted: an aborted put may or may not have been written.
        while let Some(result) = wait(running.join_next()) {
            outcome = outcome.and(finished(result));
        }
        outcome
    }

    fn delete(&self, path: &StorePath) -> Result<(), StoreError> {
        if reserved::is_reserved(path) {
            return Ok(());
        }
        let path = path.clone();
        self.run(|remote| async move { remote.delete(path.as_str()).await })
    }

    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        let folder = folder.cloned();
        self.run(|remote| async move { remote.list(folder.as_ref()).await })
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        let times = self.times;
        let lease = self.run(|remote| lease::acquire(remote, times))?;
        scratch::remove_leftovers();
        Ok(Box::new(lease.keep_renewed(&self.runtime)))
    }

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        self.scratch.folder()
    }
}
