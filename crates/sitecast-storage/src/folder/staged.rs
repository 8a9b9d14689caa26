//! A file that was written aside and waits to be renamed into place. Dropped, it is removed.

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
    /// What a new object is to have.
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
                // First of all, so that the file is gone afterwards whatever happens.
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
            return Err(io::Error::other(format!("`{}` is no file", path.display())));
        }
        file.sync_all()?;
        // Files made to be temporary can be read by their owner only; a published one has to be
        // readable by whom the operator's umask says.
        let ordinary = ordinary_file(scratch)?.as_file().metadata()?.permissions();
        Ok(Self {
            path,
            tag: tag_of(&metadata),
            has: metadata.permissions(),
            ordinary,
        })
    }

    /// Whether the file lies in this folder.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        self.path.parent() == Some(folder)
    }

    /// A copy in another folder, instead of this file.
    pub(super) fn copied_into(self, folder: &Path) -> io::Result<Self> {
        let mut from = File::open(&self.path)?;
        Self::written(folder, |to| {
            io::copy(&mut from, to)?;
            to.sync_all()
        })
    }

    /// Renames it to where nothing is yet; `AlreadyExists` where something is.
    pub(super) fn create(self, target: &Path) -> Result<Tag, Failure> {
        self.finish(None, |path| path.persist_noclobber(target))
    }

    /// Renames it to where it replaces what is there.
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

/// A new file with the permissions that new files have here.
fn ordinary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(SCRATCH);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
