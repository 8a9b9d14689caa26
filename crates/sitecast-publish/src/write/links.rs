use std::borrow::Cow;
use std::fs::{self, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sitecast_scp::HttpUrl;
use tempfile::TempPath;

use super::writer::FileWriter;
use crate::PublishError;
use crate::artefacts::{add_alternate, machine_url, without_alternate};
use crate::ledger::Ledger;
use crate::source::{Item, Loaded};

/// Files that are edited before they are all made durable, and then take their places.
const AT_ONCE: usize = 1_024;

/// The number of edited files and their bytes.
#[derive(Default)]
pub(super) struct Edited {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl FileWriter<'_> {
    /// Gives HTML its link to the machine page.
    pub(super) fn link_html(
        &mut self,
        ledger: &Ledger,
        to_link: &[(u32, u32)],
    ) -> Result<(), PublishError> {
        let items = &self.listing.items;
        let to_link = to_link.iter();
        let pages =
            to_link.filter_map(|(number, place)| Some((items.get(*number as usize)?, *place)));
        let linked = self.edit_html(pages, |place, html| {
            let page = ledger.url(place as usize).parse::<HttpUrl>();
            add_alternate(html, &machine_url(&page.ok()?).ok()?)
        })?;
        self.wrote_many("html-links", linked.files, 0, linked.bytes);
        Ok(())
    }

    /// Takes all links to machine pages out again.
    pub(super) fn unlink_html(&mut self) -> Result<(), PublishError> {
        let items = &self.listing.items;
        let pages = items.iter().map(|item| (item, ()));
        let unlinked = self.edit_html(pages, |(), html| match without_alternate(html) {
            Cow::Borrowed(_) => None,
            Cow::Owned(html) => Some(html),
        })?;
        self.wrote_many("html-links", 0, unlinked.files, 0);
        Ok(())
    }

    /// Replaces HTML by what `edit` makes of it. The file keeps its date and permissions: what it
    /// says has not changed.
    fn edit_html<'i, T>(
        &self,
        pages: impl Iterator<Item = (Item<'i>, T)>,
        edit: impl Fn(T, &[u8]) -> Option<Vec<u8>>,
    ) -> Result<Edited, PublishError> {
        let source = self.run.source;
        let mut edited = Edited::default();
        let mut pages = pages.peekable();
        let Some(folder) = source.folder().filter(|_| pages.peek().is_some()) else {
            return Ok(edited);
        };
        let root = folder.canonicalize();
        let root = root.map_err(|source| PublishError::source(folder.display(), source))?;
        let scratch = self.scratch("")?;
        let mut waiting = Vec::new();
        for (item, about) in pages {
            let Loaded::Html(raw) = source.load(item)? else {
                continue;
            };
            let Some(html) = edit(about, &raw.bytes) else {
                continue;
            };
            let path = folder.join(item.key);
            let staged = Edit::stage(&root, &path, &scratch, &raw.bytes, &html);
            let Some(staged) =
                staged.map_err(|source| PublishError::source(path.display(), source))?
            else {
                continue;
            };
            waiting.push(staged);
            edited.files += 1;
            edited.bytes += html.len() as u64;
            if waiting.len() >= AT_ONCE {
                self.place(&mut waiting)?;
            }
        }
        self.place(&mut waiting)?;
        Ok(edited)
    }

    /// Lets edited files take the places of the old ones. They are the owner's: without power, too, there has to be
    /// the old one or all of the new one.
    fn place(&self, waiting: &mut Vec<Edit>) -> Result<(), PublishError> {
        if !waiting.is_empty() {
            self.run.store.sync()?;
        }
        for edit in waiting.drain(..) {
            let target = edit.target.clone();
            edit.place()
                .map_err(|source| PublishError::source(target.display(), source))?;
        }
        Ok(())
    }
}

/// A file that was edited aside, with date and permissions of the one that it is to replace.
struct Edit {
    target: PathBuf,
    file: TempPath,
    /// The metadata of the target when it was read.
    was: (u64, SystemTime),
}

impl Edit {
    /// `None` if the file is another one by now.
    fn stage(
        root: &Path,
        path: &Path,
        scratch: &Path,
        old: &[u8],
        new: &[u8],
    ) -> std::io::Result<Option<Self>> {
        // A link is followed, so that it stays one; one out of the folder is not edited.
        let target = match path.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            target => target?,
        };
        if !target.starts_with(root) {
            return Ok(None);
        }
        let metadata = fs::metadata(&target)?;
        if metadata.len() != old.len() as u64 {
            return Ok(None);
        }
        Ok(Some(Self {
            file: write_aside(scratch, &metadata, new)?,
            was: (metadata.len(), metadata.modified()?),
            target,
        }))
    }

    /// Replaces the target at once, unless somebody else wrote it meanwhile: then it is the next run's.
    fn place(self) -> std::io::Result<()> {
        let metadata = match fs::metadata(&self.target) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            metadata => metadata?,
        };
        if (metadata.len(), metadata.modified()?) != self.was {
            return Ok(());
        }
        let Err(failure) = self.file.persist(&self.target) else {
            return Ok(());
        };
        if failure.error.kind() != ErrorKind::CrossesDevices {
            return Err(failure.error);
        }
        // A part of the folder is a disk of its own.
        let folder = self.target.parent().unwrap_or(&self.target);
        let near = write_aside(folder, &metadata, &fs::read(&failure.path)?)?;
        fs::File::open(&near)?.sync_all()?;
        near.persist(&self.target).map_err(|failure| failure.error)
    }
}

/// A new file with date and permissions of an old one, under a name that stores pass over.
fn write_aside(folder: &Path, old: &Metadata, bytes: &[u8]) -> std::io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(".sitecast-tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(old.permissions())?;
    file.as_file().set_modified(old.modified()?)?;
    if !cfg!(target_os = "linux") {
        // There a store's files are made durable all at once; elsewhere it does not know of this one.
        file.as_file().sync_all()?;
    }
    Ok(file.into_temp_path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let path = folder.path().join("a.html");
        fs::write(&path, "old").unwrap();
        let edit = Edit::stage(&root, &path, folder.path(), b"old", b"old, edited").unwrap();
        fs::write(&path, "newer").unwrap();
        edit.unwrap().place().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        let edit = Edit::stage(&root, &path, folder.path(), b"old", b"old, edited").unwrap();
        assert!(edit.is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The memory disk of Linux is one that temporary files are seldom on.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_on_another_disk_is_replaced_as_well() {
        let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
            let words = b"skipped: there is no second disk\n";
            std::io::stderr().write_all(words).unwrap();
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let root = elsewhere.path().canonicalize().unwrap();
        let path = elsewhere.path().join("a.html");
        fs::write(&path, "old").unwrap();
        let date = fs::metadata(&path).unwrap().modified().unwrap();
        let edit = Edit::stage(&root, &path, folder.path(), b"old", b"new").unwrap();
        edit.unwrap().place().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), date);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    }
}
