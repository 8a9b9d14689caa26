//! A temporary file that is renamed into place by a put. It is removed when dropped.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::{at, tag_of};
use crate::reserved::SCRATCH;
use crate::{Body, StoreError, Tag};

pub(super) struct Staged {
    path: TempPath,
    tag: Tag,
    has: Permissions,
    /// The permissions for a new object, by the umask.
    ordinary: Permissions,
}

/// The error, and the file for another attempt.
type Failure = (io::Error, Staged);

impl Staged {
    pub(super) fn new(
        body: Body,
        scratch: impl FnOnce() -> Result<PathBuf, StoreError>,
        target: &Path,
    ) -> Result<Self, StoreError> {
        match body {
            Body::Bytes(bytes) => {
                let scratch = scratch()?;
                Self::written(&scratch, |file| file.write_all(&bytes)).map_err(at("write", target))
            }
            Body::File(path) => {
                // First, so that the file is removed whatever fails later.
                let file = TempPath::try_from_path(&path).map_err(at("read", &path))?;
                let scratch = scratch()?;
                Self::prepared(file, &scratch).map_err(at("write", target))
            }
        }
    }

    fn written(folder: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Self> {
        let mut file = ordinary_file(folder)?;
        write(file.as_file_mut())?;
        let metadata = file.as_file().metadata()?;
        Ok(Self {
            tag: tag_of(&metadata),
            has: metadata.permissions(),
            ordinary: metadata.permissions(),
            path: file.into_temp_path(),
        })
    }

    fn prepared(path: TempPath, scratch: &Path) -> io::Result<Self> {
        let file = File::open(&path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other(format!(
                "`{}` is not a file",
                path.display()
            )));
        }
        file.sync_all()?;
        // Libraries create temporary files with mode 0600; a published file needs the mode of the operator's umask.
        let ordinary = ordinary_file(scratch)?.as_file().metadata()?.permissions();
        Ok(Self {
            path,
            tag: tag_of(&metadata),
            has: metadata.permissions(),
            ordinary,
        })
    }

    /// Returns true if the file is directly in this folder.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        self.path.parent() == Some(folder)
    }

    /// Replaces this file by a copy in another folder.
    pub(super) fn copied_into(self, folder: &Path) -> io::Result<Self> {
        let mut from = File::open(&self.path)?;
        Self::written(folder, |to| {
            io::copy(&mut from, to)?;
            to.sync_all()
        })
    }

    /// Renames the file to `target`; fails with `AlreadyExists` if that exists.
    pub(super) fn create(self, target: &Path) -> Result<Tag, Failure> {
        self.finish(None, |path| path.persist_noclobber(target))
    }

    /// Renames the file to `target`, replacing an existing file and keeping its permissions.
    pub(super) fn replace(self, target: &Path) -> Result<Tag, Failure> {
        let old = fs::symlink_metadata(target).ok();
        let kept = old.filter(Metadata::is_file).map(|old| old.permissions());
        self.finish(kept, |path| path.persist(target))
    }

    fn finish(
        self,
        kept: Option<Permissions>,
        rename: impl FnOnce(TempPath) -> Result<(), tempfile::PathPersistError>,
    ) -> Result<Tag, Failure> {
        let wanted = kept.unwrap_or_else(|| self.ordinary.clone());
        if cfg!(unix)
            && wanted != self.has
            && let Err(error) = fs::set_permissions(&self.path, wanted)
        {
            return Err((error, self));
        }
        match rename(self.path) {
            Ok(()) => Ok(self.tag),
            Err(failure) => {
                let path = failure.path;
                Err((failure.error, Self { path, ..self }))
            }
        }
    }
}

/// Creates a temporary file with the permissions of the umask.
fn ordinary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(SCRATCH);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
