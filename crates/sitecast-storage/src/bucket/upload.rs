//! Uploads: small objects in one request, large ones in parts.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use object_store::{
    Attribute, MultipartUpload, ObjectStore, PutMode, PutMultipartOptions, PutOptions,
    UpdateVersion,
};
use tempfile::TempPath;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::explain;
use super::remote::Remote;
use crate::reserved;
use crate::{Attributes, Body, Condition, Put, StoreError, StorePath, Tag};

const MIB: u64 = 1024 * 1024;
/// Larger objects are sent in parts.
const MAX_SINGLE_PUT: u64 = 16 * MIB;
/// The least size of a part. R2 requires parts of equal size, except for the last, and at least 5 MiB each.
const MIN_PART: u64 = 8 * MIB;
/// S3 accepts at most this many parts.
const MAX_PARTS: u64 = 10_000;

/// The unit of the memory limit. [`MEMORY_UNITS`] of them are 64 MiB for all puts together.
const MEMORY_UNIT: u64 = 64 * 1024;
pub(super) const MEMORY_UNITS: usize = 1024;

/// The source of the bytes of a put.
enum Source {
    Memory(Bytes),
    Disk {
        file: File,
        /// Removes the file when dropped, also after an error.
        _remove: TempPath,
    },
}

impl Remote {
    pub(super) async fn put(self: Arc<Self>, put: Put) -> Result<Tag, StoreError> {
        let Put {
            path,
            body,
            attributes,
            condition,
        } = put;
        let (mut source, size) = Source::open(body)?;
        if reserved::is_reserved(&path) {
            return Err(StoreError::Remote {
                action: "write",
                place: format!("{}/{path}", self.name),
                message: reserved::REFUSAL.to_owned(),
            });
        }
        if size > MAX_SINGLE_PUT {
            // Few servers support conditions on the completion of a multipart upload. So the condition is checked
            // before, which lets two concurrent puts both succeed: publishers hold the lock against that.
            self.check(&path, &condition).await?;
            return self.put_in_parts(&path, source, size, attributes).await;
        }
        let _memory = match &source {
            Source::Memory(_) => None,
            Source::Disk { .. } => Some(self.reserve_memory(size, &path).await?),
        };
        let bytes = source.next(size).await.map_err(at(&path))?;
        self.put_at_once(&path, bytes, attributes, condition).await
    }

    async fn put_at_once(
        &self,
        path: &StorePath,
        bytes: Bytes,
        attributes: Attributes,
        condition: Condition,
    ) -> Result<Tag, StoreError> {
        let key = self.key("write", path.as_str())?;
        let attributes = headers(attributes);
        if condition == Condition::None || !self.no_conditions.load(Ordering::Relaxed) {
            let options = PutOptions {
                mode: mode(&condition),
                attributes: attributes.clone(),
                ..PutOptions::default()
            };
            match self
                .writing
                .put_opts(&key, bytes.clone().into(), options)
                .await
            {
                Ok(result) => return Ok(Tag(result.e_tag.unwrap_or_default())),
                Err(error) if condition == Condition::None => {
                    return Err(self.failed("write", path.as_str(), &error));
                }
                Err(error) if explain::is_conflict(&error) => {
                    return Err(StoreError::Conflict(path.clone()));
                }
                Err(error) if explain::is_not_implemented(&error) => {
                    self.no_conditions.store(true, Ordering::Relaxed);
                }
                Err(error) => return Err(self.failed("write", path.as_str(), &error)),
            }
        }
        // The server does not support conditional puts: check, then put.
        self.check(path, &condition).await?;
        let options = PutOptions {
            attributes,
            ..PutOptions::default()
        };
        match self.writing.put_opts(&key, bytes.into(), options).await {
            Ok(result) => Ok(Tag(result.e_tag.unwrap_or_default())),
            Err(error) => Err(self.failed("write", path.as_str(), &error)),
        }
    }

    /// Returns an error if the condition does not hold now.
    async fn check(&self, path: &StorePath, condition: &Condition) -> Result<(), StoreError> {
        if *condition == Condition::None {
            return Ok(());
        }
        let here = self.head("write", path.as_str()).await?;
        let here = here.map(|meta| Tag(meta.e_tag.unwrap_or_default()));
        let holds = match condition {
            Condition::None => true,
            Condition::Absent => here.is_none(),
            Condition::Unchanged(tag) => here.as_ref() == Some(tag),
        };
        match holds {
            true => Ok(()),
            false => Err(StoreError::Conflict(path.clone())),
        }
    }

    async fn put_in_parts(
        &self,
        path: &StorePath,
        source: Source,
        size: u64,
        attributes: Attributes,
    ) -> Result<Tag, StoreError> {
        let key = self.key("write", path.as_str())?;
        let failed = |error| self.failed("write", path.as_str(), &error);
        let options = PutMultipartOptions {
            attributes: headers(attributes),
            ..PutMultipartOptions::default()
        };
        let upload = self.writing.put_multipart_opts(&key, options).await;
        let mut upload = upload.map_err(failed)?;
        let result = match self.send_parts(&mut *upload, path, source, size).await {
            Ok(()) => upload.complete().await.map_err(failed),
            Err(error) => Err(error),
        };
        match result {
            Ok(result) => Ok(Tag(result.e_tag.unwrap_or_default())),
            Err(error) => {
                // Without this the parts would stay in the bucket, invisible and billed. An error here is ignored: the
                // first one says why the upload failed.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }

    async fn send_parts(
        &self,
        upload: &mut dyn MultipartUpload,
        path: &StorePath,
        mut source: Source,
        size: u64,
    ) -> Result<(), StoreError> {
        let part = MIN_PART.max(size.div_ceil(MAX_PARTS).next_multiple_of(MIB));
        let done = |sent: Result<object_store::Result<()>, _>| match sent {
            Ok(result) => result.map_err(|error| self.failed("write", path.as_str(), &error)),
            Err(stopped) => Err(at(path)(io::Error::other(stopped))),
        };
        // Dropping the set after an error aborts the running uploads.
        let mut parts = JoinSet::new();
        let mut left = size;
        while left > 0 {
            let length = part.min(left);
            let memory = self.reserve_memory(length, path).await?;
            let bytes = source.next(length).await.map_err(at(path))?;
            let sending = upload.put_part(bytes.into());
            parts.spawn(async move {
                let _memory = memory;
                sending.await
            });
            left -= length;
            while let Some(sent) = parts.try_join_next() {
                done(sent)?;
            }
        }
        while let Some(sent) = parts.join_next().await {
            done(sent)?;
        }
        Ok(())
    }

    /// Waits until the memory limit allows `bytes` more bytes.
    async fn reserve_memory(
        &self,
        bytes: u64,
        path: &StorePath,
    ) -> Result<OwnedSemaphorePermit, StoreError> {
        let pieces = bytes.div_ceil(MEMORY_UNIT).clamp(1, MEMORY_UNITS as u64) as u32;
        let memory = Arc::clone(&self.memory).acquire_many_owned(pieces).await;
        memory.map_err(|closed| at(path)(io::Error::other(closed)))
    }
}

impl Source {
    fn open(body: Body) -> Result<(Self, u64), StoreError> {
        match body {
            Body::Bytes(bytes) => {
                let size = bytes.len() as u64;
                Ok((Self::Memory(bytes.into()), size))
            }
            Body::File(path) => {
                let place = path.display().to_string();
                let open = || {
                    let _remove = TempPath::try_from_path(path)?;
                    let file = File::open(&_remove)?;
                    let size = file.metadata()?.len();
                    Ok((Self::Disk { file, _remove }, size))
                };
                open().map_err(|source| StoreError::Io {
                    action: "read",
                    place,
                    source,
                })
            }
        }
    }

    /// Reads the next `length` bytes, of which there must be enough.
    async fn next(&mut self, length: u64) -> io::Result<Bytes> {
        match self {
            Self::Memory(bytes) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                Ok(bytes.split_to(length.min(bytes.len())))
            }
            Self::Disk { file, .. } => {
                let file = file.try_clone()?;
                let read = tokio::task::spawn_blocking(move || {
                    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
                    file.take(length).read_to_end(&mut bytes)?;
                    match bytes.len() as u64 == length {
                        true => Ok(Bytes::from(bytes)),
                        false => Err(io::Error::new(
                            io::ErrorKind::UnexpectedEof,
                            "the file was cut short while it was read",
                        )),
                    }
                });
                read.await?
            }
        }
    }
}

fn mode(condition: &Condition) -> PutMode {
    match condition {
        Condition::None => PutMode::Overwrite,
        Condition::Absent => PutMode::Create,
        Condition::Unchanged(tag) => PutMode::Update(UpdateVersion {
            e_tag: Some(tag.0.clone()),
            version: None,
        }),
    }
}

fn headers(attributes: Attributes) -> object_store::Attributes {
    [
        (Attribute::ContentType, attributes.content_type),
        (Attribute::ContentEncoding, attributes.content_encoding),
        (Attribute::CacheControl, attributes.cache_control),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

fn at(path: &StorePath) -> impl FnOnce(io::Error) -> StoreError {
    let place = path.to_string();
    move |source| StoreError::Io {
        action: "write",
        place,
        source,
    }
}
