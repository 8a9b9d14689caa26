//! Printing the reports of `check` as they come: a folder can have a hundred thousand files.

mod advice;
mod facts;
mod text;

use std::io::{self, Write};

use sitecast_check::{Report, Role, Sink, Verdict};

use crate::output::{Output, Tone, Verbosity, human};
use crate::progress::{Bar, Watch};

pub(crate) use text::sizes;

/// The beginning of the JSON. The reports follow, separated by commas.
const OPENING: &str = r#"{"version":1,"targets":["#;

/// Prints reports as text or JSON.
pub(crate) struct ReportPrinter<'o> {
    output: &'o mut Output,
    watch: &'o Watch,
    strict: bool,
    /// The progress bar of the file that is being read.
    pub(crate) bar: Option<Bar>,
    /// True if the websites can see whom to contact, or the user was told that they cannot.
    pub(crate) has_contact: bool,
    /// Reports that were printed.
    entries: u64,
    targets: u64,
    wrong: u64,
    /// True if no target is a folder or a website.
    files_only: bool,
}

impl<'o> ReportPrinter<'o> {
    pub(crate) fn new(output: &'o mut Output, watch: &'o Watch, strict: bool) -> Self {
        Self {
            output,
            watch,
            strict,
            bar: None,
            has_contact: false,
            entries: 0,
            targets: 0,
            wrong: 0,
            files_only: true,
        }
    }

    /// Ends the JSON; or prints a last line if there was more than one target.
    pub(crate) fn finish(self) -> io::Result<()> {
        let output = self.output;
        if output.json {
            let before = if self.entries == 0 { OPENING } else { "" };
            writeln!(output.out(), "{before}]}}")?;
        } else if self.targets > 1 && (output.verbosity > Verbosity::Quiet || self.wrong > 0) {
            let noun = if self.files_only { "file" } else { "target" };
            let targets = human::counted(self.targets, noun);
            let verdict = match self.wrong {
                0 => output.paint(Tone::Good, "all ok"),
                wrong => output.paint(Tone::Error, &format!("{wrong} not ok")),
            };
            writeln!(output.out(), "{targets}: {verdict}")?;
        }
        Ok(())
    }
}

impl Sink for ReportPrinter<'_> {
    fn report(&mut self, role: Role, report: Report) -> io::Result<()> {
        if let Some(bar) = self.bar.take() {
            bar.clear();
        }
        if role == Role::Target {
            self.watch.clear();
            self.targets += 1;
            self.wrong += u64::from(report.verdict != Verdict::Ok);
            self.files_only &= !report.facts.is_site();
        } else {
            self.watch.pause();
        }
        if self.output.json {
            let before = if self.entries == 0 { OPENING } else { "," };
            self.output.out().write_all(before.as_bytes())?;
            serde_json::to_writer(self.output.out(), &report)?;
        } else {
            text::write(&report, role, self.strict, self.output)?;
        }
        self.entries += 1;
        Ok(())
    }

    fn website(&mut self, _: &str) {
        if !self.has_contact {
            self.watch.pause();
            self.output.note(
                "the site is not told how to reach you; say it with --contact, or in sitecast.toml",
            );
            self.has_contact = true;
        }
    }
}
