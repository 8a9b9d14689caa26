//! The publication that is served now, and the thread that looks for the next one.

#[cfg(target_os = "linux")]
mod notifications;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::watch;

use crate::observe::metrics::Metrics;
use crate::site::Site;
use crate::site::load::{LoadError, Loader};

/// Files are written one after the other, and often several times: it is looked at them when nothing was written for so
/// long, or after the second of these if it does not end.
#[cfg(target_os = "linux")]
const QUIET: Duration = Duration::from_millis(30);
#[cfg(target_os = "linux")]
const UNREST: Duration = Duration::from_millis(100);

/// Reason to look for another publication.
#[derive(Debug, Clone, Copy)]
enum Wake {
    /// Somebody waits for it, or it is the end.
    Poke,
    /// The system says that files have changed.
    #[cfg(target_os = "linux")]
    Changed,
}

/// What is served now.
pub(crate) struct Current {
    site: ArcSwap<Site>,
    generation: watch::Sender<u64>,
    poke: SyncSender<Wake>,
    /// Taken by the thread.
    poked: Mutex<Option<Receiver<Wake>>>,
    loader: Loader,
    metrics: Arc<Metrics>,
    vanished: AtomicBool,
    ended: AtomicBool,
}

/// What the thread has to tell.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Another publication is served from now on.
    Published {
        /// Pages with machine pages.
        pages: usize,
        /// Collections that its sitemap names.
        collections: usize,
    },
    /// Something about it is not as it should be.
    Warning(String),
    /// What is there now cannot be read; the last publication is served on.
    Failed(LoadError),
}

impl Current {
    /// Reads the first publication.
    pub(crate) fn load(loader: Loader, metrics: &Arc<Metrics>) -> Result<Self, LoadError> {
        let site = loader.load(None)?;
        metrics.loaded(site.pages.len(), site.collections.len());
        let (poke, poked) = sync_channel(1);
        Ok(Self {
            generation: watch::Sender::new(site.generation),
            site: ArcSwap::from_pointee(site),
            poke,
            poked: Mutex::new(Some(poked)),
            loader,
            metrics: Arc::clone(metrics),
            vanished: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn site(&self) -> Arc<Site> {
        self.site.load_full()
    }

    /// The same for a short look.
    pub(crate) fn glance(&self) -> Guard<Arc<Site>> {
        self.site.load()
    }

    /// Whether nothing of the publication is there any more: a disk that is not mounted, a folder that is being built
    /// anew. What is missing then is not gone, and nobody is to be told so.
    pub(crate) fn has_vanished(&self) -> bool {
        self.vanished.load(Ordering::Relaxed)
    }

    /// Has the thread look at once.
    pub(crate) fn poke(&self) {
        // One that is waiting already will do.
        let _ = self.poke.try_send(Wake::Poke);
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.poke();
    }

    /// Waits for a later publication than this one; `None` if it does not come in time.
    pub(crate) async fn later_than(
        &self,
        generation: u64,
        patience: Duration,
    ) -> Option<Arc<Site>> {
        let mut receiver = self.generation.subscribe();
        self.poke();
        let later = receiver.wait_for(|&now| now > generation);
        match tokio::time::timeout(patience, later).await {
            Ok(Ok(_)) => Some(self.site()),
            _ => None,
        }
    }

    /// Looks every so often whether there is another publication, and takes it over. With `notifications` also when the
    /// system says that files have changed, where it does.
    pub(crate) fn watch(
        &self,
        every: Duration,
        notifications: bool,
        tell: &(dyn Fn(Notice) + Send + Sync),
    ) {
        let poked = self
            .poked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(poked) = poked else { return };
        let mut last_problem = String::new();
        let mut follower = Follower::begin(self, every, notifications, tell);
        follower.follow();
        loop {
            match poked.recv_timeout(every) {
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(Wake::Poke) | Err(RecvTimeoutError::Timeout) => {}
                #[cfg(target_os = "linux")]
                Ok(Wake::Changed) => settle(&poked),
            }
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            // Before it is looked: what happens from now on is notified.
            follower.follow();
            let started = Instant::now();
            match self.look() {
                Ok(None) => last_problem.clear(),
                Ok(Some(site)) => {
                    last_problem.clear();
                    // It may have files elsewhere.
                    follower.follow();
                    for warning in &site.warnings {
                        tell(Notice::Warning(warning.clone()));
                    }
                    tell(Notice::Published {
                        pages: site.pages.len(),
                        collections: site.collections.len(),
                    });
                }
                Err(error) => {
                    self.metrics.load_failed();
                    let problem = error.to_string();
                    if problem != last_problem {
                        tell(Notice::Failed(error));
                        last_problem = problem;
                    }
                }
            }
            // Whoever pokes must not make it the server's main occupation.
            let rest = started
                .elapsed()
                .clamp(Duration::from_millis(20), Duration::from_secs(2));
            std::thread::sleep(rest);
        }
    }

    /// The next publication, if there is one.
    fn look(&self) -> Result<Option<Arc<Site>>, LoadError> {
        let before = self.site();
        let mut changed = false;
        let (mut known, mut found) = (0, 0);
        for (path, tag) in &before.watched {
            let now = self.loader.store.open(path)?.map(|opened| opened.tag);
            changed |= now != *tag;
            known += usize::from(tag.is_some());
            found += usize::from(now.is_some());
        }
        let vanished = known > 0 && found == 0;
        self.vanished.store(vanished, Ordering::Relaxed);
        if vanished {
            return Err(LoadError::Vanished {
                place: self.loader.store.name(),
            });
        }
        if !changed {
            return Ok(None);
        }
        let site = Arc::new(self.loader.load(Some(&before))?);
        self.metrics
            .loaded(site.pages.len(), site.collections.len());
        self.site.store(Arc::clone(&site));
        self.generation.send_replace(site.generation);
        Ok(Some(site))
    }
}

/// Waits until no more files are written.
#[cfg(target_os = "linux")]
fn settle(poked: &Receiver<Wake>) {
    let started = Instant::now();
    while started.elapsed() < UNREST && matches!(poked.recv_timeout(QUIET), Ok(Wake::Changed)) {}
}

/// Has the system notify of changes of the files that the publication in force was read from.
#[cfg(target_os = "linux")]
struct Follower<'c> {
    current: &'c Current,
    notifications: Option<notifications::Notifications>,
    every: Duration,
    tell: &'c (dyn Fn(Notice) + Send + Sync),
}

#[cfg(target_os = "linux")]
impl<'c> Follower<'c> {
    fn begin(
        current: &'c Current,
        every: Duration,
        wanted: bool,
        tell: &'c (dyn Fn(Notice) + Send + Sync),
    ) -> Self {
        let mut follower = Self {
            current,
            notifications: None,
            every,
            tell,
        };
        if let Some(root) = current.loader.store.folder().filter(|_| wanted) {
            let poke = current.poke.clone();
            let wake = move || {
                // One that is waiting already will do.
                let _ = poke.try_send(Wake::Changed);
            };
            match notifications::Notifications::begin(root, wake) {
                Ok(notifications) => follower.notifications = Some(notifications),
                Err(error) => follower.give_up(&error),
            }
        }
        follower
    }

    /// Follows the files of the publication in force. Where that is new, it is looked at them once more.
    fn follow(&mut self) {
        let Some(notifications) = &mut self.notifications else {
            return;
        };
        let site = self.current.site();
        match notifications.follow(site.watched.iter().map(|(path, _)| path)) {
            Ok(true) => self.current.poke(),
            Ok(false) => {}
            Err(error) => self.give_up(&error),
        }
    }

    fn give_up(&mut self, error: &std::io::Error) {
        self.notifications = None;
        let name = self.current.loader.store.name();
        (self.tell)(Notice::Warning(format!(
            "the system does not notify of changes in `{name}` ({error}); it is looked at every {:?} instead",
            self.every
        )));
    }
}

/// Other systems are looked at from time to time.
#[cfg(not(target_os = "linux"))]
struct Follower;

#[cfg(not(target_os = "linux"))]
impl Follower {
    fn begin(_: &Current, _: Duration, _: bool, _: &(dyn Fn(Notice) + Send + Sync)) -> Self {
        Self
    }

    fn follow(&mut self) {
        let Self = self;
    }
}
