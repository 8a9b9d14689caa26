//! Files and folders that are whole or not there.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use sitecast_index::export::{ExportError, Exported};
use tempfile::Builder;

use super::{failed, parent};
use crate::failure::{Exit, Failure, reason};

/// A file in folders that were exported, which says that they may be replaced.
const MARK: &str = ".sitecast-export";

/// Writes a file beside `path` and gives it that name when it is finished.
pub(super) fn file(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<Exported, ExportError>,
) -> Result<Exported, Failure> {
    if path.is_dir() {
        let message = format!("`{}` is a folder, and the export is a file", path.display());
        return Err(Failure::new(Exit::Usage, message));
    }
    let folder = parent(path);
    let cannot = |error: &io::Error| cannot_write(path, error);
    let mut builder = Builder::new();
    builder.prefix(".sitecast-export-");
    // As any file that is made: the mask of the user decides who may read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut staged = builder
        .tempfile_in(&folder)
        .map_err(|error| cannot(&error))?;
    let exported = write(staged.as_file_mut()).map_err(|error| failed(path, error))?;
    staged
        .as_file()
        .sync_all()
        .map_err(|error| cannot(&error))?;
    staged.persist(path).map_err(|error| cannot(&error.error))?;
    Ok(exported)
}

/// Fills a folder beside `path` and gives it that name when it is finished. What an earlier export
/// left there goes; anything else stays, and is an error.
pub(super) fn folder(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<Exported, ExportError>,
) -> Result<Exported, Failure> {
    may_replace(path)?;
    let cannot = |error: io::Error| cannot_write(path, &error);
    let beside = parent(path);
    let mut builder = Builder::new();
    builder.prefix(".sitecast-export-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let staged = builder.tempdir_in(&beside).map_err(cannot)?;
    let made = staged.path().join("new");
    fs::create_dir(&made).map_err(cannot)?;
    File::create(made.join(MARK)).map_err(cannot)?;
    let exported = write(&made).map_err(|error| failed(path, error))?;
    if path.exists() {
        fs::rename(path, staged.path().join("old")).map_err(cannot)?;
    }
    fs::rename(&made, path).map_err(cannot)?;
    Ok(exported)
}

/// Whether what is at `path` is ours, or nothing.
fn may_replace(path: &Path) -> Result<(), Failure> {
    let is_free = match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none() || path.join(MARK).is_file(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free {
        return Ok(());
    }
    let message = format!(
        "`{}` is there already, and no export made it",
        path.display()
    );
    Err(Failure::new(Exit::Failed, message).hint("name a folder that is empty or not there yet"))
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {}", path.display(), reason(error));
    let failure = Failure::new(Exit::Failed, message);
    match error.kind() {
        io::ErrorKind::NotFound => failure.hint("the folder that it is to be in is not there"),
        _ => failure,
    }
}
