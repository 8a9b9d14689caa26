//! A bar for what takes longer than a moment.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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
            bar.set_message(crate::output::plain::Plain::line(name).to_string());
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
