use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sitecast_publish::{Progress as PublishProgress, Step};
use sitecast_sync::{Activity, Progress as SyncProgress};

use crate::output::human::counted;
use crate::progress::PATIENCE;

/// One line that says what is being done, once it takes longer than a moment.
pub(super) struct Watch {
    bar: Option<ProgressBar>,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    step: String,
    pages: u64,
}

impl Watch {
    pub(super) fn new(shows: bool) -> Self {
        let bar = shows.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            // Some steps have nothing to say for seconds.
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self {
            bar,
            started: Instant::now(),
            state: Mutex::default(),
        }
    }

    /// Says what begins now.
    pub(super) fn step(&self, what: &str) {
        self.show(|state| {
            what.clone_into(&mut state.step);
            state.pages = 0;
        });
    }

    /// Says how many pages are done.
    pub(super) fn pages(&self, pages: u64) {
        self.show(|state| state.pages = pages);
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self, change: impl FnOnce(&mut State)) {
        let Some(bar) = &self.bar else { return };
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        change(&mut state);
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.set_message(match state.pages {
            0 => state.step.clone(),
            pages => format!("{}, {}", state.step, counted(pages, "page")),
        });
    }
}

impl PublishProgress for Watch {
    fn begin(&self, _step: Step, _total: Option<u64>) {
        self.pages(0);
    }

    fn advance(&self, count: u64) {
        self.show(|state| state.pages += count);
    }
}

impl SyncProgress for Watch {
    fn activity(&self, _site: &str, what: Activity<'_>) {
        if let Activity::Merging { pages } | Activity::Pages { pages } = what {
            self.pages(pages);
        }
    }
}
