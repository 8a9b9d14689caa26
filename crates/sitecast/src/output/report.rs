//! What `check` found: as text, and as the JSON that docs/check.md describes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use sitecast_scp::{
    Checksum, ChecksumStatus, Collection, Compression, Counts, ReadError, Summary, Warning,
};

use super::plain::Plain;
use super::{Output, Tone, Verbosity, human};
use crate::failure::{Exit, Failure, collection_hint};

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
    pages: u64,
    rejected_pages: u64,
    blocks: u64,
    compressed_bytes: u64,
    uncompressed_bytes: u64,
    /// `None` where a checksum is declared but reading ended before it could be compared.
    checksum: Option<ChecksumResult>,
    collection: Option<Collection>,
    errors: Vec<ErrorReport>,
    warnings: Vec<WarningReport>,
    warning_counts: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    compression: Option<Compression>,
    #[serde(skip)]
    digest: Option<Checksum>,
    #[serde(skip)]
    unreadable: Option<Exit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum ChecksumResult {
    Verified,
    Absent,
    Mismatch,
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
    line: u64,
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
        Self {
            target: target.display().to_string(),
            kind: "collection",
            ok: false,
            pages: 0,
            rejected_pages: 0,
            blocks: 0,
            compressed_bytes: 0,
            uncompressed_bytes: 0,
            checksum: None,
            collection: None,
            errors: Vec::new(),
            warnings: Vec::new(),
            warning_counts: BTreeMap::new(),
            compression: None,
            digest: None,
            unreadable: None,
        }
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

    /// Reading came upon something that makes the whole file unusable.
    pub(crate) fn fatal(&mut self, error: &ReadError) {
        match error {
            ReadError::ChecksumMismatch { .. } => self.checksum = Some(ChecksumResult::Mismatch),
            ReadError::Io(error) => {
                let failure = Failure::cannot_read(&self.target, error);
                return self.cannot_read(&failure);
            }
            _ => {}
        }
        self.errors.push(ErrorReport {
            code: error.code(),
            line: error.line(),
            message: error.to_string(),
            hint: collection_hint(error).map(str::to_owned),
        });
    }

    pub(crate) fn warning(&mut self, warning: &Warning) {
        let count = self.warning_counts.entry(warning.code()).or_default();
        *count += 1;
        if *count <= LISTED_PER_CODE {
            self.warnings.push(WarningReport {
                code: warning.code(),
                line: warning.line,
                url: warning.url.as_deref().map(str::to_owned),
                message: warning.kind.to_string(),
            });
        }
    }

    /// How far reading came.
    pub(crate) fn read(
        &mut self,
        collection: Option<&Collection>,
        counts: Counts,
        summary: Option<&Summary>,
    ) {
        self.collection = collection.cloned();
        self.pages = counts.pages;
        self.rejected_pages = counts.rejected_pages;
        self.blocks = counts.blocks;
        self.compressed_bytes = counts.compressed_bytes;
        self.uncompressed_bytes = counts.uncompressed_bytes;
        self.compression = Some(counts.compression);
        self.digest = summary.map(|summary| summary.digest);
        let declared = collection.is_some_and(|collection| collection.checksum.is_some());
        self.checksum = match summary.map(|summary| summary.checksum) {
            Some(ChecksumStatus::Verified) => Some(ChecksumResult::Verified),
            Some(ChecksumStatus::Absent) => Some(ChecksumResult::Absent),
            None if !declared => Some(ChecksumResult::Absent),
            None => self.checksum,
        };
    }

    fn exit(&self, strict: bool) -> Exit {
        if self.checksum == Some(ChecksumResult::Mismatch) {
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
            Exit::Integrity => output.paint(Tone::Error, "checksum mismatch"),
            Exit::Failed | Exit::Usage => output.paint(Tone::Error, "cannot be read"),
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
        if let Some(collection) = &self.collection {
            write!(
                output.out(),
                "  {} `{}` of section `{}`, generated {}",
                collection.kind.name(),
                collection.id,
                collection.section,
                collection.generated
            )?;
            if let Some(since) = collection.kind.since() {
                write!(output.out(), ", since {since}")?;
            }
            writeln!(output.out(), ", version {}", collection.version)?;
            if !collection.deleted.is_empty() {
                let deleted = human::counted(collection.deleted.len() as u64, "page");
                writeln!(output.out(), "  {deleted} listed as deleted")?;
            }
        }
        let Some(compression) = self.compression else {
            return Ok(());
        };
        write!(output.out(), "  {}", human::counted(self.pages, "page"))?;
        if self.rejected_pages > 0 {
            write!(
                output.out(),
                ", {} rejected",
                human::count(self.rejected_pages)
            )?;
        }
        write!(output.out(), ", {}; ", human::counted(self.blocks, "block"))?;
        writeln!(
            output.out(),
            "{}",
            sizes(compression, self.compressed_bytes, self.uncompressed_bytes)
        )?;
        match (self.checksum, self.digest) {
            (Some(ChecksumResult::Verified), Some(digest)) => {
                writeln!(output.out(), "  checksum verified: {digest}")?;
            }
            (Some(ChecksumResult::Absent), Some(digest)) => {
                writeln!(output.out(), "  no checksum; the content has {digest}")?;
            }
            _ => {}
        }
        if output.verbosity == Verbosity::Verbose {
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
            write!(output.out(), "  {mark} line {}", warning.line)?;
            if let Some(url) = &warning.url {
                write!(output.out(), ", {}", Plain::line(url))?;
            }
            writeln!(output.out(), ": {} {code}", Plain::line(&warning.message))?;
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
