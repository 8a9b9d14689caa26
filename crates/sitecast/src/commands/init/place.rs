//! Putting the file in its place, whole and only where nothing is lost.

use std::io::{self, Write};
use std::path::Path;

use tempfile::Builder;

use crate::failure::{Exit, Failure, reason};

/// Whether the file may be written; asked before any work is done.
pub(super) fn is_free(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_dir() {
        let message = format!("`{}` is a folder, and settings are a file", path.display());
        return Err(Failure::new(Exit::Usage, message));
    }
    if force || path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(is_there(path))
}

fn is_there(path: &Path) -> Failure {
    let message = format!(
        "`{}` is there already, and was left as it is",
        path.display()
    );
    Failure::new(Exit::Usage, message)
        .hint("`sitecast init --print` shows what would be written; --force replaces the file")
}

/// Writes the file beside its place and gives it its name when it is whole.
pub(super) fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    let cannot = |error: &io::Error| {
        let message = format!("cannot write `{}`: {}", path.display(), reason(error));
        let failure = Failure::new(Exit::Failed, message);
        match error.kind() {
            io::ErrorKind::NotFound => failure.hint("the folder that it is to be in is not there"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => failure.hint(
                "run it in a folder that you may write to: `sitecast init FOLDER` looks at another one",
            ),
            _ => failure,
        }
    };
    let mut builder = Builder::new();
    builder.prefix(".sitecast-init-");
    // As any file that is made: the mask of the user decides who may read it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut staged = builder
        .tempfile_in(folder)
        .map_err(|error| cannot(&error))?;
    let written = staged.write_all(text.as_bytes());
    written
        .and_then(|()| staged.as_file().sync_all())
        .map_err(|error| cannot(&error))?;
    let kept = if force {
        staged.persist(path)
    } else {
        staged.persist_noclobber(path)
    };
    match kept {
        Ok(_) => Ok(()),
        // Somebody else was faster.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(is_there(path)),
        Err(error) => Err(cannot(&error.error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_in_between_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sitecast.toml");
        is_free(&path, false).unwrap();
        std::fs::write(&path, "mine").unwrap();
        assert_eq!(write(&path, "new", false).unwrap_err().exit(), Exit::Usage);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        write(&path, "new", true).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 1, "something was left behind");
    }
}
