//! File notifications of the kernel (inotify), which announce a new publication as soon as it is written.
//!
//! They only save time: changes that another machine makes to a network file system are not reported, and some file
//! systems report nothing. So the caller has to poll as well.

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

/// Folders that are watched at most. A publication has two or three; changes in further ones are found by polling.
const MAX_FOLDERS: usize = 64;
/// Buffer size for events, enough for some hundred.
const BUFFER: usize = 16 << 10;

/// Watches on the folders that contain a publication's files.
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
    /// Names of the files and folders whose events are reported.
    names: Mutex<HashSet<OsString>>,
}

impl Notifications {
    /// Starts a thread that calls `wake` after events that concern the watched files.
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

    /// Watches the folders of these files, and stops watching others. Returns true if folders were added, since their
    /// earlier changes were not reported.
    ///
    /// The folder above the root is watched as well, because deployments replace the root or the link that it is.
    pub(super) fn watch_files<'p>(
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
            if folders.len() < MAX_FOLDERS {
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
            // Adding a watch again changes nothing. A folder that replaced another one gets a new watch.
            match inotify::add_watch(&self.shared.inotify, &folder, changes()) {
                Ok(watch) => {
                    watches.insert(watch);
                }
                // The folder is being replaced, or does not exist yet.
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                // The process may lack permission for the folder above the root.
                Err(Errno::ACCESS) if folder != self.root => {}
                Err(error) => problem = Some(error),
            }
        }
        let is_new = !watches.is_subset(&self.watches);
        for gone in self.watches.difference(&watches) {
            // Fails if the folder was deleted, which removed the watch.
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
            // The watch was removed, by us or with its folder, and the latter has an event of its own.
            None if what.contains(ReadFlags::IGNORED) => false,
            // An event of the folder itself, or an overflow of the kernel's queue.
            None => true,
            Some(name) => {
                let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
                names.contains(OsStr::from_bytes(name.to_bytes()))
            }
        }
    }
}

/// The events for files or folders that are written, replaced or removed. Not `OPEN`: serving opens files all the time.
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
