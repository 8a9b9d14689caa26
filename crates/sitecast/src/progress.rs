//! A bar for what takes longer than a moment.

use std::cell::RefCell;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::human::{bytes, counted};
use crate::output::plain::Plain;

/// What takes less than this needs no bar.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// Reads a file and shows how far.
///
/// The file may be read on another thread than the one that prints what came of it, so the bar is
/// cleared through [`Bar`], before anything is printed.
pub(crate) struct Watched<R> {
    source: R,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl<R: Read> Watched<R> {
    /// `total` is the length of the source, if it is known and should be watched.
    pub(crate) fn new(source: R, name: &str, total: Option<u64>) -> Self {
        let bar = total.map(|total| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
            let template = "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(Plain::line(name).to_string());
            bar
        });
        Self {
            source,
            started: Instant::now(),
            bar,
        }
    }
}

/// The bar of a file that is being read.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// Takes the bar off the screen for good.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl<R> Watched<R> {
    pub(crate) fn bar(&self) -> Bar {
        Bar(self.bar.clone())
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        if let Some(bar) = &self.bar {
            if bar.is_hidden() && !bar.is_finished() && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            bar.inc(count as u64);
        }
        Ok(count)
    }
}

/// Shows which of many files is being looked at, once it takes a while.
pub(crate) struct Watch {
    shows: bool,
    state: RefCell<Option<State>>,
}

struct State {
    started: Instant,
    patience: Duration,
    files: u64,
    name: String,
    bar: ProgressBar,
}

impl Watch {
    pub(crate) fn new(shows: bool) -> Self {
        Self {
            shows,
            state: RefCell::new(None),
        }
    }

    /// The next file of this machine.
    pub(crate) fn looking(&self, name: &str) {
        self.next(name, PATIENCE);
    }

    /// The next file of the web. Who asks strangers may have to wait from the first moment on.
    pub(crate) fn fetching(&self, name: &str) {
        self.next(name, Duration::ZERO);
    }

    fn next(&self, name: &str, patience: Duration) {
        if !self.shows {
            return;
        }
        let mut state = self.state.borrow_mut();
        let state = state.get_or_insert_with(|| State {
            started: Instant::now(),
            patience,
            files: 0,
            name: String::new(),
            bar: hidden(),
        });
        state.files += 1;
        state.patience = state.patience.min(patience);
        state.name = Plain::line(name).to_string();
        if state.bar.is_hidden() && state.started.elapsed() >= state.patience {
            state.bar.set_draw_target(ProgressDrawTarget::stderr());
            // A file can be large, or a server slow.
            state.bar.enable_steady_tick(Duration::from_millis(100));
        }
        let files = counted(state.files, "file");
        state.bar.set_message(format!("{files}: {}", state.name));
    }

    /// Pages that something was done to so far.
    pub(crate) fn counting(&self, done: &str, pages: u64) {
        self.looking(done);
        if let Some(state) = &*self.state.borrow() {
            state
                .bar
                .set_message(format!("{} {done}", counted(pages, "page")));
        }
    }

    /// How much of the file is here.
    pub(crate) fn received(&self, done: u64, total: Option<u64>) {
        if let Some(state) = &*self.state.borrow() {
            let of = total.map(|total| format!(" of {}", bytes(total)));
            let of = of.unwrap_or_default();
            let name = &state.name;
            state
                .bar
                .set_message(format!("{name}: {}{of}", bytes(done)));
        }
    }

    /// Something is about to be printed.
    pub(crate) fn pause(&self) {
        if let Some(state) = &mut *self.state.borrow_mut()
            && !state.bar.is_hidden()
        {
            state.bar.finish_and_clear();
            state.bar = hidden();
        }
    }

    /// It is done.
    pub(crate) fn clear(&self) {
        self.pause();
        *self.state.borrow_mut() = None;
    }
}

fn hidden() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
