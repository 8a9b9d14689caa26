use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure, reason};

/// Where a file goes when it is finished. Until then what is there stays.
pub(super) struct Place {
    path: PathBuf,
}

impl Place {
    /// Makes sure that it can be written, and leaves nothing there yet.
    pub(super) fn new(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() {
            let message = format!("`{}` is a folder, and the report is a file", path.display());
            let inside = path.join("report.html");
            return Err(Failure::new(Exit::Usage, message)
                .hint(format!("name a file in it: {}", inside.display())));
        }
        let place = Self {
            path: path.to_owned(),
        };
        place.file().map_err(|error| {
            place
                .failed(&error)
                .hint("its folder has to be there, and writable")
        })?;
        Ok(place)
    }

    /// Puts the text there, all of it or nothing.
    pub(super) fn write(&self, text: &str) -> Result<(), Failure> {
        let put = || {
            let mut file = self.file()?;
            file.write_all(text.as_bytes())?;
            open_to_readers(file.as_file())?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        put().map_err(|error| self.failed(&error))
    }

    /// A new file beside it.
    fn file(&self) -> io::Result<NamedTempFile> {
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
    }

    fn failed(&self, error: &io::Error) -> Failure {
        let message = format!("cannot write `{}`: {}", self.path.display(), reason(error));
        Failure::new(Exit::Failed, message)
    }
}

/// A temporary file is for its owner alone; a report is to be shown.
#[cfg(unix)]
fn open_to_readers(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_readers(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}
