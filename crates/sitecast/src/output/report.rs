//! What `check` found: as text, and as the JSON that docs/check.md describes.

mod facts;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use sitecast_scp::Compression;

use super::plain::Plain;
use super::{Output, Tone, Verbosity, human};
use crate::failure::{Exit, Failure};

pub(crate) use facts::{
    ChecksumResult, CollectionFacts, Facts, HashResult, JsonSitemapFacts, MachinePageFacts,
    PolicyFacts, RobotsFacts, SitemapFacts,
};

/// Warnings of one code that are listed; further ones are counted.
const LISTED_PER_CODE: u64 = 100;

/// All targets.
#[derive(Debug, Serialize)]
pub(crate) struct CheckReport {
    version: u32,
    targets: Vec<TargetReport>,
    #[serde(skip)]
    strict: bool,
}

/// One target.
#[derive(Debug, Serialize)]
pub(crate) struct TargetReport {
    target: String,
    kind: &'static str,
    ok: bool,
    #[serde(flatten)]
    facts: Facts,
    compressed_bytes: u64,
    uncompressed_bytes: u64,
    errors: Vec<ErrorReport>,
    warnings: Vec<WarningReport>,
    warning_counts: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    compression: Option<Compression>,
    /// Said of a file whose content is not what it declares.
    #[serde(skip)]
    not_as_declared: Option<&'static str>,
    #[serde(skip)]
    unreadable: Option<Exit>,
}

#[derive(Debug, Serialize)]
struct ErrorReport {
    code: &'static str,
    line: Option<u64>,
    message: String,
    #[serde(skip)]
    hint: Option<String>,
}

#[derive(Debug, Serialize)]
struct WarningReport {
    code: &'static str,
    line: Option<u64>,
    url: Option<String>,
    message: String,
}

impl CheckReport {
    pub(crate) fn new(strict: bool) -> Self {
        Self {
            version: 1,
            targets: Vec::new(),
            strict,
        }
    }

    pub(crate) fn add(&mut self, mut target: TargetReport) {
        target.ok = target.exit(self.strict) == Exit::Done;
        self.targets.push(target);
    }

    /// The gravest result of any target: a wrong checksum before other findings, and those before
    /// a file that could not be read.
    pub(crate) fn exit(&self) -> Exit {
        self.targets
            .iter()
            .map(|target| target.exit(self.strict))
            .max()
            .unwrap_or(Exit::Done)
    }

    pub(crate) fn write_json(&self, mut out: impl Write) -> Result<(), Failure> {
        serde_json::to_writer(&mut out, self).map_err(io::Error::from)?;
        writeln!(out)?;
        Ok(())
    }

    /// A last line, where there was more than one target.
    pub(crate) fn write_text(&self, output: &mut Output) -> Result<(), Failure> {
        let wrong = self.targets.iter().filter(|target| !target.ok).count();
        if self.targets.len() > 1 && (output.verbosity > Verbosity::Quiet || wrong > 0) {
            let files = human::counted(self.targets.len() as u64, "file");
            let verdict = if wrong == 0 {
                output.paint(Tone::Good, "all ok")
            } else {
                output.paint(Tone::Error, &format!("{wrong} not ok"))
            };
            writeln!(output.out(), "{files}: {verdict}")?;
        }
        Ok(())
    }
}

impl TargetReport {
    pub(crate) fn new(target: &Path) -> Self {
        let facts = Facts::Unknown {};
        Self {
            target: target.display().to_string(),
            kind: facts.kind(),
            ok: false,
            facts,
            compressed_bytes: 0,
            uncompressed_bytes: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
            warning_counts: BTreeMap::new(),
            compression: None,
            not_as_declared: None,
            unreadable: None,
        }
    }

    /// What kind of file it is, and what is known of it.
    pub(crate) fn facts(&mut self, facts: Facts) {
        self.kind = facts.kind();
        self.facts = facts;
    }

    /// How large the file is as stored and once decompressed.
    pub(crate) fn sizes(&mut self, compressed: u64, uncompressed: u64, compression: Compression) {
        self.compressed_bytes = compressed;
        self.uncompressed_bytes = uncompressed;
        self.compression = Some(compression);
    }

    /// How large the file is as stored; what it expands to is told by [`Self::uncompressed`].
    pub(crate) fn stored(&mut self, bytes: u64, gzip: bool) {
        self.compressed_bytes = bytes;
        self.compression = Some(if gzip {
            Compression::Gzip
        } else {
            Compression::None
        });
    }

    pub(crate) fn uncompressed(&mut self, bytes: u64) {
        self.uncompressed_bytes = bytes;
    }

    /// The file could not be opened.
    pub(crate) fn cannot_read(&mut self, failure: &Failure) {
        self.unreadable = Some(failure.exit());
        self.errors.push(ErrorReport {
            code: "io",
            line: None,
            message: failure.message().to_owned(),
            hint: failure.hint_text().map(str::to_owned),
        });
    }

    /// The file could not be read to its end.
    pub(crate) fn io_error(&mut self, error: &io::Error) {
        let failure = Failure::cannot_read(&self.target, error);
        self.cannot_read(&failure);
    }

    /// Something that makes the file unusable, or the rest of it.
    pub(crate) fn finding(
        &mut self,
        code: &'static str,
        line: Option<u64>,
        message: String,
        hint: Option<&str>,
    ) {
        self.errors.push(ErrorReport {
            code,
            line,
            message,
            hint: hint.map(str::to_owned),
        });
    }

    /// All entries of a file had to be left out.
    pub(crate) fn nothing_usable(&mut self) {
        if self.errors.is_empty() {
            let message = "none of the entries can be used".to_owned();
            self.finding("nothing-usable", None, message, None);
        }
    }

    /// The content is not what a hash in it declares; `verdict` says so in two words.
    pub(crate) fn not_as_declared(&mut self, verdict: &'static str) {
        self.not_as_declared = Some(verdict);
    }

    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        line: Option<u64>,
        url: Option<&str>,
        message: &dyn Display,
    ) {
        let count = self.warning_counts.entry(code).or_default();
        *count += 1;
        if *count <= LISTED_PER_CODE {
            self.warnings.push(WarningReport {
                code,
                line,
                url: url.map(str::to_owned),
                message: message.to_string(),
            });
        }
    }

    fn exit(&self, strict: bool) -> Exit {
        if self.not_as_declared.is_some() {
            Exit::Integrity
        } else if let Some(exit) = self.unreadable {
            exit
        } else if !self.errors.is_empty() || (strict && self.has_findings()) {
            Exit::Findings
        } else {
            Exit::Done
        }
    }

    /// Whether there is a warning about the file, and not only about what we made of it.
    fn has_findings(&self) -> bool {
        self.warning_counts
            .keys()
            .any(|&code| code != "duplicates-not-tracked")
    }

    pub(crate) fn write_text(
        &self,
        output: &mut Output,
        strict: bool,
        elapsed: Duration,
    ) -> Result<(), Failure> {
        let exit = self.exit(strict);
        if output.verbosity == Verbosity::Quiet && exit == Exit::Done {
            return Ok(());
        }
        let name = output.paint(Tone::Strong, &Plain::line(&self.target).to_string());
        let verdict = self.verdict(exit, strict, output);
        writeln!(output.out(), "{name}: {verdict}")?;
        self.write_facts(output, elapsed)?;
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
        self.write_warnings(output)
    }

    fn verdict(&self, exit: Exit, strict: bool, output: &Output) -> String {
        let warnings: u64 = self.warning_counts.values().sum();
        match exit {
            Exit::Done if warnings == 0 => output.paint(Tone::Good, "ok"),
            Exit::Done => {
                let text = format!("ok, with {}", human::counted(warnings, "warning"));
                output.paint(Tone::Warning, &text)
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
            let mark = output.paint(Tone::Warning, "warning:");
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
        for (code, &count) in &self.warning_counts {
            if count > LISTED_PER_CODE {
                let more = human::counted(count - LISTED_PER_CODE, "warning");
                writeln!(output.out(), "  … and {more} more of [{code}]")?;
            }
        }
        Ok(())
    }
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
