//! What `check` found: as text, and as the JSON that docs/check.md describes.

mod all;
mod facts;
mod text;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;

use serde::Serialize;
use sitecast_scp::Compression;

use crate::failure::{Exit, Failure};

pub(crate) use all::CheckReport;
pub(crate) use facts::{
    ChecksumResult, CollectionFacts, Facts, HashResult, JsonSitemapFacts, MachinePageFacts,
    PolicyFacts, RobotsFacts, SiteFacts, SitemapFacts,
};
pub(crate) use text::{Shown, sizes};

/// Warnings of one code that are listed; further ones are counted. So are errors of files among each
/// other.
const LISTED_PER_CODE: u64 = 100;
/// Warnings that say nothing against a file.
const NOTES: [&str; 4] = [
    "duplicates-not-tracked",
    "unnamed-collection",
    "not-in-the-folder",
    "not-all-sitemaps",
];

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
    /// Of files among each other; a file alone has few.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    error_counts: BTreeMap<&'static str, u64>,
    warnings: Vec<WarningReport>,
    warning_counts: BTreeMap<&'static str, u64>,
    #[serde(skip)]
    compression: Option<Compression>,
    /// Said of a file whose content is not what it declares.
    #[serde(skip)]
    not_as_declared: Option<&'static str>,
    #[serde(skip)]
    unreadable: Option<Exit>,
    /// What came of the files that it consists of.
    #[serde(skip)]
    parts: Parts,
}

/// The files of a folder or a website, summed up.
#[derive(Debug, Default)]
struct Parts {
    wrong: u64,
    warnings: u64,
    worst: Option<Exit>,
}

#[derive(Debug, Serialize)]
struct ErrorReport {
    code: &'static str,
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
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

impl TargetReport {
    pub(crate) fn new(target: impl Into<String>) -> Self {
        let facts = Facts::Unknown {};
        Self {
            target: target.into(),
            kind: facts.kind(),
            ok: false,
            facts,
            compressed_bytes: 0,
            uncompressed_bytes: 0,
            errors: Vec::new(),
            error_counts: BTreeMap::new(),
            warnings: Vec::new(),
            warning_counts: BTreeMap::new(),
            compression: None,
            not_as_declared: None,
            unreadable: None,
            parts: Parts::default(),
        }
    }

    /// What is known of it so far.
    pub(crate) fn known(&self) -> &Facts {
        &self.facts
    }

    /// How it is compressed, if it could be read.
    pub(crate) fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// How many bytes it has as it is stored.
    pub(crate) fn stored_bytes(&self) -> u64 {
        self.compressed_bytes
    }

    /// Whether nothing was found so far that makes it unusable.
    pub(crate) fn is_usable(&self) -> bool {
        self.errors.is_empty()
    }

    /// Takes in what came of a file that belongs to it.
    pub(crate) fn include(&mut self, part: &Self, strict: bool) {
        let exit = part.exit(strict);
        self.parts.wrong += u64::from(exit != Exit::Done);
        self.parts.warnings += part.counted_warnings();
        self.parts.worst = Some(worse(self.parts.worst, exit));
        self.compressed_bytes += part.compressed_bytes;
        self.uncompressed_bytes += part.uncompressed_bytes;
    }

    /// Files that belong to it and are not right.
    pub(crate) fn wrong_parts(&self) -> u64 {
        self.parts.wrong
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
        self.cannot_have("io", failure);
    }

    /// The same, for whatever reason.
    pub(crate) fn cannot_have(&mut self, code: &'static str, failure: &Failure) {
        self.unreadable = Some(failure.exit());
        self.errors.push(ErrorReport {
            code,
            line: None,
            url: None,
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
            url: None,
            message,
            hint: hint.map(str::to_owned),
        });
    }

    /// Something that is wrong about files among each other; `url` is the one that it is about.
    pub(crate) fn finding_between(&mut self, code: &'static str, url: &str, message: String) {
        let count = self.error_counts.entry(code).or_default();
        *count += 1;
        if *count <= LISTED_PER_CODE {
            self.errors.push(ErrorReport {
                code,
                line: None,
                url: Some(url.to_owned()),
                message,
                hint: None,
            });
        }
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
        let own = if self.not_as_declared.is_some() {
            Exit::Integrity
        } else if let Some(exit) = self.unreadable {
            exit
        } else if !self.errors.is_empty() || (strict && self.counted_warnings() > 0) {
            Exit::Findings
        } else {
            Exit::Done
        };
        worse(self.parts.worst, own)
    }

    /// Warnings about the file, and not only about what we made of it.
    fn counted_warnings(&self) -> u64 {
        let counts = self.warning_counts.iter();
        counts
            .filter(|(code, _)| !is_note(code))
            .map(|(_, count)| count)
            .sum()
    }
}

fn is_note(code: &str) -> bool {
    NOTES.contains(&code)
}

/// The graver of two results: what is wrong for certain before what could not be looked at.
fn worse(one: Option<Exit>, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Integrity => 6,
        Exit::Findings => 5,
        Exit::Network => 4,
        Exit::Partial => 3,
        Exit::Usage => 2,
        Exit::Failed => 1,
        Exit::Done => 0,
    };
    one.filter(|&one| rank(one) > rank(other)).unwrap_or(other)
}
