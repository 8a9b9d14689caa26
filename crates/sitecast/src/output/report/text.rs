//! A report as text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use sitecast_check::{LISTED_PER_CODE, Report, Role, Verdict, is_note};
use sitecast_scp::Compression;

use super::{advice, facts};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity, human};

/// Prints a report, unless there is nothing to say about it: quiet mode leaves out what is ok, and a machine page without
/// a finding is printed only in verbose mode.
pub(super) fn write(
    report: &Report,
    role: Role,
    strict: bool,
    output: &mut Output,
) -> io::Result<()> {
    let least = match role {
        Role::RoutinePart if report.warning_counts.is_empty() => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    if output.verbosity < least && report.verdict == Verdict::Ok {
        return Ok(());
    }
    let name = output.paint(Tone::Strong, &Plain::line(&report.target).to_string());
    let verdict = verdict(report, strict, output);
    writeln!(output.out(), "{name}: {verdict}")?;
    write_facts(report, output)?;
    write_errors(report, output)?;
    write_warnings(report, output)
}

fn verdict(report: &Report, strict: bool, output: &Output) -> String {
    let warnings = report.counted_warnings() + report.parts.warnings;
    match report.verdict {
        Verdict::Ok if warnings == 0 => output.paint(Tone::Good, "ok"),
        Verdict::Ok => {
            let text = format!("ok, with {}", human::counted(warnings, "warning"));
            output.paint(Tone::Warning, &text)
        }
        Verdict::Mismatch | Verdict::Invalid | Verdict::Network if report.parts.wrong > 0 => {
            output.paint(Tone::Error, "not ok")
        }
        Verdict::Mismatch => {
            output.paint(Tone::Error, report.mismatch.unwrap_or("not as declared"))
        }
        Verdict::Invalid if strict && report.errors.is_empty() => {
            let text = format!(
                "not ok, {} in strict mode",
                human::counted(warnings, "warning")
            );
            output.paint(Tone::Error, &text)
        }
        Verdict::Invalid if report.facts.is_site() => output.paint(Tone::Error, "not ok"),
        Verdict::Invalid => output.paint(Tone::Error, "invalid"),
        Verdict::Unreadable | Verdict::InvalidUrl | Verdict::OutOfTime | Verdict::Network => {
            output.paint(Tone::Error, "cannot be read")
        }
    }
}

/// Prints the facts about the file, whatever the verdict.
fn write_facts(report: &Report, output: &mut Output) -> io::Result<()> {
    let sizes = report.compression.map(|compression| {
        sizes(
            compression,
            report.compressed_bytes,
            report.uncompressed_bytes,
        )
    });
    facts::write(&report.facts, sizes.as_deref(), output)?;
    if output.verbosity == Verbosity::Verbose && sizes.is_some() {
        let seconds = report.elapsed.as_secs_f64().max(1e-9);
        let rate = human::bytes((report.uncompressed_bytes as f64 / seconds) as u64);
        writeln!(
            output.out(),
            "  read in {seconds:.2} s, {rate} of content a second"
        )?;
    }
    Ok(())
}

fn write_errors(report: &Report, output: &mut Output) -> io::Result<()> {
    for error in &report.errors {
        let mark = output.paint(Tone::Error, "error:");
        let code = output.paint(Tone::Faint, &format!("[{}]", error.code));
        let message = Plain::line(&error.message);
        writeln!(output.out(), "  {mark} {message} {code}")?;
        if let Some(hint) = advice::hint(report, error) {
            let mark = output.paint(Tone::Strong, " hint:");
            writeln!(output.out(), "  {mark} {}", Plain::line(&hint))?;
        }
    }
    write_more(&report.error_counts, "error", output)
}

fn write_warnings(report: &Report, output: &mut Output) -> io::Result<()> {
    for warning in &report.warnings {
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
    write_more(&report.warning_counts, "warning", output)
}

/// Prints how many findings of each code are not listed.
fn write_more(
    counts: &BTreeMap<&'static str, u64>,
    noun: &str,
    output: &mut Output,
) -> io::Result<()> {
    for (code, &count) in counts {
        if count > LISTED_PER_CODE {
            let noun = if is_note(code) { "note" } else { noun };
            let more = human::counted(count - LISTED_PER_CODE, noun);
            writeln!(output.out(), "  … and {more} more of [{code}]")?;
        }
    }
    Ok(())
}

/// Returns the stored size and the size of the content.
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
