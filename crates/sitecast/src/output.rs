//! Everything that is printed goes through here: data and answers to standard output, words about
//! the work to standard error.

pub(crate) mod content;
pub(crate) mod human;
pub(crate) mod plain;
pub(crate) mod report;

use std::io::{self, BufWriter, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::cli::{Color, Global};
use crate::failure::Failure;
use plain::Plain;

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// Where a command's words and data go.
pub(crate) struct Output {
    out: Pipe,
    pub(crate) json: bool,
    pub(crate) verbosity: Verbosity,
    colored_out: bool,
    colored_err: bool,
}

/// What a piece of text is, for its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warning,
    Error,
    Strong,
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        let colored = |color: AnsiColor| color.on_default().bold();
        match self {
            Self::Good => colored(AnsiColor::Green),
            Self::Warning => colored(AnsiColor::Yellow),
            Self::Error => colored(AnsiColor::Red),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let verbosity = match (global.quiet, global.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        };
        let mut output = Self {
            out: Pipe::new(),
            json: global.json,
            verbosity,
            colored_out: false,
            colored_err: false,
        };
        // Until the configuration is read, errors go by the flags alone.
        output.set_color(global.color.unwrap_or(Color::Auto));
        output
    }

    pub(crate) fn set_color(&mut self, color: Color) {
        let colored = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal,
        };
        self.colored_out = colored(io::stdout().is_terminal());
        self.colored_err = colored(io::stderr().is_terminal());
    }

    /// Whether whoever was reading standard output has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.out.closed
    }

    /// Whether a progress bar has a place.
    pub(crate) fn shows_progress(&self) -> bool {
        self.verbosity > Verbosity::Quiet && io::stderr().is_terminal()
    }

    /// Standard output, for data and lines.
    pub(crate) fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// `text` in the colours of standard output.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        paint(self.colored_out, tone, text)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Says something on standard error that is good to know, unless told to be quiet.
    pub(crate) fn note(&mut self, text: &str) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let _ = self.out.flush();
        let mark = paint(self.colored_err, Tone::Warning, "note:");
        let _ = writeln!(io::stderr().lock(), "{mark} {}", Plain::line(text));
    }

    /// Says on standard error what went wrong.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        // What was found before comes first, wherever the two streams go.
        let _ = self.out.flush();
        let mut err = io::stderr().lock();
        let _ = writeln!(
            err,
            "{} {}",
            paint(self.colored_err, Tone::Error, "error:"),
            Plain::line(failure.message())
        );
        if let Some(hint) = failure.hint_text() {
            let _ = writeln!(
                err,
                "{} {}",
                paint(self.colored_err, Tone::Strong, " hint:"),
                Plain::line(hint)
            );
        }
    }
}

/// Standard output. Whoever reads it may have seen enough (`sitecast … | head`): that is no failure,
/// and changes nothing about how a command ends.
struct Pipe {
    out: BufWriter<io::Stdout>,
    closed: bool,
}

impl Pipe {
    fn new() -> Self {
        Self {
            out: BufWriter::with_capacity(64 << 10, io::stdout()),
            closed: false,
        }
    }

    fn forgive<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(data.len());
        }
        let result = self.out.write(data);
        self.forgive(result, data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.out.flush();
        self.forgive(result, ())
    }
}

fn paint(colored: bool, tone: Tone, text: &str) -> String {
    if colored {
        let style = tone.style();
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
