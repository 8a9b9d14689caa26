//! File notifications of the kernel (inotify): a new publication is noticed when it is written.
//!
//! They only save time. Changes that another machine makes to a network file system are not notified, and some file
//! systems notify nothing; so whoever uses this looks from time to time as well.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;
use sitecast_storage::StorePath;

/// Folders that are watched. A publication has two or three; others are looked at from time to time.
const MOST_FOLDERS: usize = 64;
/// Room for some hundred events at once.
const BUFFER: usize = 16 << 10;

/// Watches the folders in which a publication's files are.
#[derive(Debug)]
pub(super) struct Notifications {
    root: PathBuf,
    shared: Arc<Shared>,
    watches: BTreeSet<i32>,
}

#[derive(Debug)]
struct Shared {
    inotify: OwnedFd,
    end: OwnedFd,
    /// Names of files and folders that matter.
    names: Mutex<HashSet<OsString>>,
}

impl Notifications {
    /// Begins to listen. `wake` is called on a thread of its own when something changes that matters.
    pub(super) fn begin(root: &Path, wake: impl Fn() + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            end: eventfd(0, EventfdFlags::CLOEXEC)?,
            names: Mutex::default(),
        });
        let listening = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("notifications".to_owned())
            .spawn(move || listening.listen(&wake))?;
        Ok(Self {
            root: root.to_owned(),
            shared,
            watches: BTreeSet::new(),
        })
    }

    /// Watches for changes of these files, wherever their folders are now. Returns whether folders are watched that were
    /// not before: what happened in them until now was not noticed.
    ///
    /// The folder above the root is watched as well: deployments replace the root, or the link that it is.
    pub(super) fn follow<'p>(
        &mut self,
        files: impl Iterator<Item = &'p StorePath>,
    ) -> io::Result<bool> {
        let mut folders = BTreeSet::from([self.root.clone()]);
        let mut names: HashSet<OsString> = self
            .root
            .file_name()
            .map(OsStr::to_owned)
            .into_iter()
            .collect();
        folders.extend(self.root.parent().map(Path::to_owned));
        for file in files {
            names.extend(file.parts().map(OsString::from));
            if folders.len() < MOST_FOLDERS {
                let file = self.root.join(file.as_str());
                folders.extend(file.parent().map(Path::to_owned));
            }
        }
        *self
            .shared
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = names;
        let mut watches = BTreeSet::new();
        let mut problem = None;
        for folder in folders {
            // To watch a folder again changes nothing; another one in its place gets a watch of its own.
            match inotify::add_watch(&self.shared.inotify, &folder, changes()) {
                Ok(watch) => {
                    watches.insert(watch);
                }
                // It is being replaced, or only files below it are missing.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                // The folder above may be closed to us.
                Err(Errno::ACCESS) if folder != self.root => {}
                Err(error) => problem = Some(error),
            }
        }
        let is_new = !watches.is_subset(&self.watches);
        for gone in self.watches.difference(&watches) {
            // If its folder is gone, so is the watch.
            let _ = inotify::remove_watch(&self.shared.inotify, *gone);
        }
        self.watches = watches;
        match problem {
            Some(error) => Err(error.into()),
            None => Ok(is_new),
        }
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.shared.end, &1_u64.to_ne_bytes());
    }
}

impl Shared {
    fn listen(&self, wake: &dyn Fn()) {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut events = Reader::new(&self.inotify, &mut buffer);
        loop {
            let mut sources = [
                PollFd::new(&self.inotify, PollFlags::IN),
                PollFd::new(&self.end, PollFlags::IN),
            ];
            match poll(&mut sources, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            if let [_, end] = &sources
                && !end.revents().is_empty()
            {
                return;
            }
            let mut matters = false;
            loop {
                match events.next() {
                    Ok(event) => matters |= self.matters(event.events(), event.file_name()),
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => break,
                    Err(_) => return,
                }
            }
            if matters {
                wake();
            }
        }
    }

    fn matters(&self, what: ReadFlags, name: Option<&std::ffi::CStr>) -> bool {
        match name {
            // Ended by ourselves, or with its folder, which was notified as well.
            None if what.contains(ReadFlags::IGNORED) => false,
            // A folder itself, or more events than the kernel has room for.
            None => true,
            Some(name) => {
                let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                names.contains(OsStr::from_bytes(name.to_bytes()))
            }
        }
    }
}

/// All ways in which a file or folder is written, replaced or removed. Not that it is opened, which is what serving does.
fn changes() -> WatchFlags {
    WatchFlags::CLOSE_WRITE
        | WatchFlags::MOVED_TO
        | WatchFlags::MOVED_FROM
        | WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR
}
