//! A result as a person reads it.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use sitecast_scp::Compression;

use super::{LISTED_PER_CODE, TargetReport, is_note};
use crate::failure::{Exit, Failure};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity, human};

/// When a result is shown. What is wrong always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Always,
    /// If there is something to say of it: one of many files of the same kind.
    IfRemarkable,
}

impl TargetReport {
    pub(crate) fn write_text(
        &self,
        output: &mut Output,
        strict: bool,
        shown: Shown,
        elapsed: Duration,
    ) -> Result<(), Failure> {
        let exit = self.exit(strict);
        let least = match shown {
            Shown::Always => Verbosity::Normal,
            Shown::IfRemarkable if self.warning_counts.is_empty() => Verbosity::Verbose,
            Shown::IfRemarkable => Verbosity::Normal,
        };
        if output.verbosity < least && exit == Exit::Done {
            return Ok(());
        }
        let name = output.paint(Tone::Strong, &Plain::line(&self.target).to_string());
        let verdict = self.verdict(exit, strict, output);
        writeln!(output.out(), "{name}: {verdict}")?;
        self.write_facts(output, elapsed)?;
        self.write_errors(output)?;
        self.write_warnings(output)
    }

    fn write_errors(&self, output: &mut Output) -> Result<(), Failure> {
        for error in &self.errors {
            let mark = output.paint(Tone::Error, "error:");
            let code = output.paint(Tone::Faint, &format!("[{}]", error.code));
            writeln!(
                output.out(),
                "  {mark} {} {code}",
                Plain::line(&error.message)
            )?;
            if let Some(hint) = &error.hint {
                let mark = output.paint(Tone::Strong, " hint:");
                writeln!(output.out(), "  {mark} {}", Plain::line(hint))?;
            }
        }
        write_more(&self.error_counts, "error", output)
    }

    fn verdict(&self, exit: Exit, strict: bool, output: &Output) -> String {
        let warnings = self.counted_warnings() + self.parts.warnings;
        match exit {
            Exit::Done if warnings == 0 => output.paint(Tone::Good, "ok"),
            Exit::Done => {
                let text = format!("ok, with {}", human::counted(warnings, "warning"));
                output.paint(Tone::Warning, &text)
            }
            Exit::Integrity | Exit::Findings | Exit::Network if self.parts.wrong > 0 => {
                output.paint(Tone::Error, "not ok")
            }
            Exit::Integrity => {
                let verdict = self.not_as_declared.unwrap_or("not as declared");
                output.paint(Tone::Error, verdict)
            }
            Exit::Failed | Exit::Usage | Exit::Partial | Exit::Network => {
                output.paint(Tone::Error, "cannot be read")
            }
            Exit::Findings if strict && self.errors.is_empty() => {
                let text = format!(
                    "not ok, {} in strict mode",
                    human::counted(warnings, "warning")
                );
                output.paint(Tone::Error, &text)
            }
            Exit::Findings if self.facts.is_site() => output.paint(Tone::Error, "not ok"),
            Exit::Findings => output.paint(Tone::Error, "invalid"),
        }
    }

    /// What is known of the file, whatever the verdict.
    fn write_facts(&self, output: &mut Output, elapsed: Duration) -> Result<(), Failure> {
        let sizes = self
            .compression
            .map(|compression| sizes(compression, self.compressed_bytes, self.uncompressed_bytes));
        self.facts.write(sizes.as_deref(), output)?;
        if output.verbosity == Verbosity::Verbose && sizes.is_some() {
            let seconds = elapsed.as_secs_f64().max(1e-9);
            let rate = human::bytes((self.uncompressed_bytes as f64 / seconds) as u64);
            writeln!(
                output.out(),
                "  read in {seconds:.2} s, {rate} of content a second"
            )?;
        }
        Ok(())
    }

    fn write_warnings(&self, output: &mut Output) -> Result<(), Failure> {
        for warning in &self.warnings {
            let mark = match is_note(warning.code) {
                true => output.paint(Tone::Strong, "note:"),
                false => output.paint(Tone::Warning, "warning:"),
            };
            let code = output.paint(Tone::Faint, &format!("[{}]", warning.code));
            let line = warning.line.map(|line| format!("line {line}"));
            let url = warning
                .url
                .as_deref()
                .map(|url| Plain::line(url).to_string());
            let place: Vec<String> = line.into_iter().chain(url).collect();
            let place = place.join(", ");
            let colon = if place.is_empty() { "" } else { ": " };
            let message = Plain::line(&warning.message);
            writeln!(output.out(), "  {mark} {place}{colon}{message} {code}")?;
        }
        write_more(&self.warning_counts, "warning", output)
    }
}

/// How many of each code are not listed.
fn write_more(
    counts: &BTreeMap<&'static str, u64>,
    noun: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    for (code, &count) in counts {
        if count > LISTED_PER_CODE {
            let noun = if is_note(code) { "note" } else { noun };
            let more = human::counted(count - LISTED_PER_CODE, noun);
            writeln!(output.out(), "  … and {more} more of [{code}]")?;
        }
    }
    Ok(())
}

/// How a file is stored and what it expands to.
pub(crate) fn sizes(compression: Compression, compressed: u64, uncompressed: u64) -> String {
    match compression {
        Compression::None => format!("{}, not compressed", human::bytes(uncompressed)),
        _ => {
            let ratio = uncompressed as f64 / compressed.max(1) as f64;
            let (stored, content) = (human::bytes(compressed), human::bytes(uncompressed));
            format!("{stored} of {compression}, {content} of content ({ratio:.1}:1)")
        }
    }
}
