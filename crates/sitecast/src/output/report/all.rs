//! The results of all targets, written as they come: a folder can have a hundred thousand files.

use std::io::{self, Write};
use std::time::Duration;

use super::{Shown, TargetReport, worse};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Tone, Verbosity, human};

/// What came of all targets.
#[derive(Debug)]
pub(crate) struct CheckReport {
    strict: bool,
    /// Results that were written.
    entries: u64,
    targets: u64,
    wrong: u64,
    /// Whether all targets are files.
    files: bool,
    worst: Option<Exit>,
}

impl CheckReport {
    pub(crate) fn new(strict: bool) -> Self {
        Self {
            strict,
            entries: 0,
            targets: 0,
            wrong: 0,
            files: true,
            worst: None,
        }
    }

    pub(crate) fn strict(&self) -> bool {
        self.strict
    }

    /// A file of a folder or a website.
    pub(crate) fn part(
        &mut self,
        part: TargetReport,
        shown: Shown,
        elapsed: Duration,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.write(part, shown, elapsed, output)
    }

    /// A target of the command line.
    pub(crate) fn target(
        &mut self,
        target: TargetReport,
        elapsed: Duration,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.targets += 1;
        self.wrong += u64::from(target.exit(self.strict) != Exit::Done);
        self.files &= !target.facts.is_site();
        self.write(target, Shown::Always, elapsed, output)
    }

    fn write(
        &mut self,
        mut report: TargetReport,
        shown: Shown,
        elapsed: Duration,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let exit = report.exit(self.strict);
        report.ok = exit == Exit::Done;
        self.worst = Some(worse(self.worst, exit));
        if output.json {
            let before = if self.entries == 0 { OPENING } else { "," };
            output.out().write_all(before.as_bytes())?;
            serde_json::to_writer(output.out(), &report).map_err(io::Error::from)?;
        } else {
            report.write_text(output, self.strict, shown, elapsed)?;
        }
        self.entries += 1;
        Ok(())
    }

    /// The gravest result of any target.
    pub(crate) fn exit(&self) -> Exit {
        self.worst.unwrap_or(Exit::Done)
    }

    /// Ends the JSON; or a last line, where there was more than one target.
    pub(crate) fn finish(&self, output: &mut Output) -> Result<(), Failure> {
        if output.json {
            let before = if self.entries == 0 { OPENING } else { "" };
            writeln!(output.out(), "{before}]}}")?;
        } else if self.targets > 1 && (output.verbosity > Verbosity::Quiet || self.wrong > 0) {
            let noun = if self.files { "file" } else { "target" };
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

const OPENING: &str = r#"{"version":1,"targets":["#;
