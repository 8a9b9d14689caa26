use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sitecast_publish::{Progress, Step};

use crate::progress::PATIENCE;

/// Shows how far a publication has come, once it takes longer than a moment.
pub(crate) struct Watch {
    shows: bool,
    started: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl Watch {
    pub(crate) fn new(shows: bool) -> Self {
        Self {
            shows,
            started: Instant::now(),
            bar: Mutex::new(None),
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, bar: &ProgressBar) {
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for Watch {
    fn begin(&self, step: Step, total: Option<u64>) {
        if !self.shows {
            return;
        }
        self.clear();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() {
            "{msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}"
        } else {
            "{msg} {spinner}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(match step {
            Step::List => "looking for pages",
            Step::Previous => "reading the last publication",
            Step::Learn => "learning the template",
            Step::Extract => "making pages",
            Step::Collections => "writing collections",
            Step::Artefacts => "writing machine pages",
            _ => "working",
        });
        self.show(&bar);
        bar.tick();
        *self.bar() = Some(bar);
    }

    fn advance(&self, count: u64) {
        if let Some(bar) = self.bar().as_ref() {
            self.show(bar);
            bar.inc(count);
        }
    }
}
