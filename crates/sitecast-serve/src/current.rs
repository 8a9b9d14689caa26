//! The publication in force, and the thread that looks for the next one.

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

/// A publisher writes files one after the other, and often several times. So the check waits until nothing was written
/// for the first of these periods, or for the second one at most.
#[cfg(target_os = "linux")]
const QUIET_PERIOD: Duration = Duration::from_millis(30);
#[cfg(target_os = "linux")]
const MAX_QUIET_WAIT: Duration = Duration::from_millis(100);

/// The reason for a check for a new publication.
#[derive(Debug, Clone, Copy)]
enum Wake {
    /// A request waits for a publication, SIGHUP came, or the server stops.
    CheckNow,
    /// The kernel reported changed files.
    #[cfg(target_os = "linux")]
    Changed,
}

/// The publication in force, and the channel to the thread that replaces it.
pub(crate) struct Current {
    site: ArcSwap<Site>,
    generation: watch::Sender<u64>,
    wake_sender: SyncSender<Wake>,
    /// Taken by the watching thread when it starts.
    wakes: Mutex<Option<Receiver<Wake>>>,
    loader: Loader,
    metrics: Arc<Metrics>,
    missing: AtomicBool,
    ended: AtomicBool,
}

/// An event that the operator should see.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// A new publication is in force.
    Published {
        /// Pages with machine pages.
        pages: usize,
        /// Collections named by its sitemaps.
        collections: usize,
    },
    /// A problem that does not stop the server.
    Warning(String),
    /// The new publication cannot be read; the previous one stays in force.
    Failed(LoadError),
}

impl Current {
    /// Reads the first publication.
    pub(crate) fn load(loader: Loader, metrics: &Arc<Metrics>) -> Result<Self, LoadError> {
        let site = loader.load(None)?;
        metrics.loaded(site.pages.len(), site.collections.len());
        let (wake_sender, wakes) = sync_channel(1);
        Ok(Self {
            generation: watch::Sender::new(site.generation),
            site: ArcSwap::from_pointee(site),
            wake_sender,
            wakes: Mutex::new(Some(wakes)),
            loader,
            metrics: Arc::clone(metrics),
            missing: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn site(&self) -> Arc<Site> {
        self.site.load_full()
    }

    /// The publication in force without a change to its reference count. Do not hold the guard across an await.
    pub(crate) fn borrow_site(&self) -> Guard<Arc<Site>> {
        self.site.load()
    }

    /// Returns true while all files of the publication are missing: a disk that is not mounted, a folder that is being
    /// rebuilt. Requests must not get a 404 or 410 then.
    pub(crate) fn is_missing(&self) -> bool {
        self.missing.load(Ordering::Relaxed)
    }

    /// Has the watching thread check at once.
    pub(crate) fn check_now(&self) {
        // A full channel means that a check is pending already.
        let _ = self.wake_sender.try_send(Wake::CheckNow);
    }

    /// Stops the watching thread.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.check_now();
    }

    /// Waits for a publication after this generation; `None` if none comes in time.
    pub(crate) async fn wait_for_newer(
        &self,
        generation: u64,
        timeout: Duration,
    ) -> Option<Arc<Site>> {
        let mut receiver = self.generation.subscribe();
        self.check_now();
        let later = receiver.wait_for(|&now| now > generation);
        match tokio::time::timeout(timeout, later).await {
            Ok(Ok(_)) => Some(self.site()),
            _ => None,
        }
    }

    /// Checks for a new publication at the interval `every`, and replaces the one in force. With `notifications` also
    /// when the kernel reports changed files, where it can.
    pub(crate) fn watch(
        &self,
        every: Duration,
        notifications: bool,
        on_notice: &(dyn Fn(Notice) + Send + Sync),
    ) {
        let wakes = self
            .wakes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(wakes) = wakes else { return };
        let mut last_problem = String::new();
        let mut watcher = FileWatcher::begin(self, every, notifications, on_notice);
        watcher.watch_files();
        loop {
            match wakes.recv_timeout(every) {
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(Wake::CheckNow) | Err(RecvTimeoutError::Timeout) => {}
                #[cfg(target_os = "linux")]
                Ok(Wake::Changed) => wait_until_quiet(&wakes),
            }
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            // Before the check, so that no change between the check and the watch is missed.
            watcher.watch_files();
            let started = Instant::now();
            match self.reload_if_changed() {
                Ok(None) => last_problem.clear(),
                Ok(Some(site)) => {
                    last_problem.clear();
                    // The new publication may have files in other folders.
                    watcher.watch_files();
                    for warning in &site.warnings {
                        on_notice(Notice::Warning(warning.clone()));
                    }
                    on_notice(Notice::Published {
                        pages: site.pages.len(),
                        collections: site.collections.len(),
                    });
                }
                Err(error) => {
                    self.metrics.load_failed();
                    let problem = error.to_string();
                    if problem != last_problem {
                        on_notice(Notice::Failed(error));
                        last_problem = problem;
                    }
                }
            }
            // Requests that trigger checks must not keep this thread busy all the time.
            let rest = started
                .elapsed()
                .clamp(Duration::from_millis(20), Duration::from_secs(2));
            std::thread::sleep(rest);
        }
    }

    /// Loads and publishes the next publication if a watched file has changed.
    fn reload_if_changed(&self) -> Result<Option<Arc<Site>>, LoadError> {
        let before = self.site();
        let mut changed = false;
        let (mut known, mut found) = (0, 0);
        for (path, tag) in &before.watched {
            let now = self.loader.store.open(path)?.map(|opened| opened.tag);
            changed |= now != *tag;
            known += usize::from(tag.is_some());
            found += usize::from(now.is_some());
        }
        let missing = known > 0 && found == 0;
        self.missing.store(missing, Ordering::Relaxed);
        if missing {
            return Err(LoadError::Missing {
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

/// Waits until the publisher pauses.
#[cfg(target_os = "linux")]
fn wait_until_quiet(wakes: &Receiver<Wake>) {
    let started = Instant::now();
    while started.elapsed() < MAX_QUIET_WAIT
        && matches!(wakes.recv_timeout(QUIET_PERIOD), Ok(Wake::Changed))
    {}
}

/// Watches the files of the publication in force with inotify.
#[cfg(target_os = "linux")]
struct FileWatcher<'c> {
    current: &'c Current,
    notifications: Option<notifications::Notifications>,
    every: Duration,
    on_notice: &'c (dyn Fn(Notice) + Send + Sync),
}

#[cfg(target_os = "linux")]
impl<'c> FileWatcher<'c> {
    fn begin(
        current: &'c Current,
        every: Duration,
        wanted: bool,
        on_notice: &'c (dyn Fn(Notice) + Send + Sync),
    ) -> Self {
        let mut watcher = Self {
            current,
            notifications: None,
            every,
            on_notice,
        };
        if let Some(root) = current.loader.store.folder().filter(|_| wanted) {
            let wake_sender = current.wake_sender.clone();
            let wake = move || {
                // A full channel means that a check is pending already.
                let _ = wake_sender.try_send(Wake::Changed);
            };
            match notifications::Notifications::begin(root, wake) {
                Ok(notifications) => watcher.notifications = Some(notifications),
                Err(error) => watcher.fall_back_to_polling(&error),
            }
        }
        watcher
    }

    /// Watches the files of the publication in force. If folders were added, triggers a check, because their changes
    /// were not reported until now.
    fn watch_files(&mut self) {
        let Some(notifications) = &mut self.notifications else {
            return;
        };
        let site = self.current.site();
        match notifications.watch_files(site.watched.iter().map(|(path, _)| path)) {
            Ok(true) => self.current.check_now(),
            Ok(false) => {}
            Err(error) => self.fall_back_to_polling(&error),
        }
    }

    fn fall_back_to_polling(&mut self, error: &std::io::Error) {
        self.notifications = None;
        let name = self.current.loader.store.name();
        (self.on_notice)(Notice::Warning(format!(
            "cannot watch `{name}` for changes ({error}); checking it every {:?} instead",
            self.every
        )));
    }
}

/// Other systems have no notifications and rely on polling.
#[cfg(not(target_os = "linux"))]
struct FileWatcher;

#[cfg(not(target_os = "linux"))]
impl FileWatcher {
    fn begin(_: &Current, _: Duration, _: bool, _: &(dyn Fn(Notice) + Send + Sync)) -> Self {
        Self
    }

    fn watch_files(&mut self) {
        let Self = self;
    }
}
