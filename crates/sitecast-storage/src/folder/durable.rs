//! Flushing of puts to disk, so that they survive a loss of power.

use std::io;
use std::path::Path;

#[cfg(target_os = "linux")]
pub(super) use whole_disk::Durable;

#[cfg(not(target_os = "linux"))]
pub(super) use each_file::Durable;

/// On Linux, `syncfs` flushes a whole file system: one call for thousands of small files.
#[cfg(target_os = "linux")]
mod whole_disk {
    use super::{Path, io};
    use std::fs::File;

    #[derive(Debug, Default)]
    pub(in crate::folder) struct Durable(());

    impl Durable {
        pub(in crate::folder) fn note(&self, _written: &Path) {}

        pub(in crate::folder) fn note_removed(&self, _removed: &Path) {}

        pub(in crate::folder) fn sync(&self, root: &Path) -> io::Result<()> {
            match File::open(root) {
                Ok(root) => Ok(rustix::fs::syncfs(root)?),
                // The folder does not exist before the first put.
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            }
        }
    }
}

/// On other systems every changed file, and every folder with changed entries, is recorded and flushed.
#[cfg(any(test, not(target_os = "linux")))]
mod each_file {
    use super::{Path, io};
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::path::PathBuf;
    use std::sync::{Mutex, PoisonError};

    #[derive(Debug, Default)]
    pub(in crate::folder) struct Durable(Mutex<BTreeSet<PathBuf>>);

    impl Durable {
        pub(in crate::folder) fn note(&self, written: &Path) {
            let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            noted.insert(written.to_owned());
            drop(noted);
            self.note_removed(written);
        }

        pub(in crate::folder) fn note_removed(&self, removed: &Path) {
            let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Only Unix can open, and so flush, folders.
            if let (true, Some(folder)) = (cfg!(unix), removed.parent()) {
                noted.insert(folder.to_owned());
            }
        }

        pub(in crate::folder) fn sync(&self, _root: &Path) -> io::Result<()> {
            let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
            for path in noted {
                match File::open(path) {
                    Ok(file) => file.sync_all()?,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::each_file::Durable;

    #[test]
    fn skips_files_removed_before_the_sync() {
        let temp = tempfile::tempdir().unwrap();
        let durable = Durable::default();
        let file = temp.path().join("file");
        std::fs::write(&file, "x").unwrap();
        durable.note(&file);
        durable.note(&temp.path().join("removed/since"));
        durable.note_removed(&temp.path().join("folder/removed"));
        durable.sync(temp.path()).unwrap();
    }
}
