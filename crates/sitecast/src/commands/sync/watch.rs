use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use sitecast_sync::{Activity, Progress};

use crate::output::human::{bytes, counted};
use crate::output::plain::Plain;
use crate::progress::PATIENCE;

/// Shows a line for each site that is being synced, once it takes longer than a moment.
pub(super) struct Watch {
    shows: bool,
    started: Instant,
    bars: MultiProgress,
    sites: Mutex<HashMap<String, ProgressBar>>,
}

impl Watch {
    pub(super) fn new(shows: bool) -> Self {
        Self {
            shows,
            started: Instant::now(),
            bars: MultiProgress::with_draw_target(ProgressDrawTarget::hidden()),
            sites: Mutex::new(HashMap::new()),
        }
    }

    pub(super) fn clear(&self) {
        for (_, bar) in self.sites().drain() {
            bar.finish_and_clear();
        }
    }

    /// Prints something without the lines of progress in between.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bars.suspend(print)
    }

    fn sites(&self) -> std::sync::MutexGuard<'_, HashMap<String, ProgressBar>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Watch {
    fn activity(&self, site: &str, what: Activity<'_>) {
        if !self.shows {
            return;
        }
        if self.bars.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
        let mut sites = self.sites();
        if what == Activity::Done {
            if let Some(bar) = sites.remove(site) {
                bar.finish_and_clear();
                self.bars.remove(&bar);
            }
            return;
        }
        let bar = sites.entry(site.to_owned()).or_insert_with(|| {
            let bar = self.bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        let message = match what {
            Activity::Discovering => "looking what it offers".to_owned(),
            Activity::Downloading {
                bytes: done, total, ..
            } => {
                let of = total.map(|total| format!(" of {}", bytes(total)));
                format!("downloading, {}{}", bytes(done), of.unwrap_or_default())
            }
            Activity::Merging { pages } => format!("merging, {}", counted(pages, "page")),
            Activity::Pages { pages } => format!("fetching, {}", counted(pages, "page")),
            _ => "working".to_owned(),
        };
        bar.set_message(format!("{}: {message}", Plain::line(site)));
        bar.tick();
    }
}
