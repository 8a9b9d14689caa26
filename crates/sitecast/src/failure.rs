//! The end of a command: its exit code, and the message and hint of a failure.

use std::io;
use std::process::ExitCode;

use sitecast_scp::{LineProblem, NoMetadata, ReadError};

pub(crate) use sitecast_check::{io_reason as reason, without_error_numbers as in_words};

/// The exit codes of all commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done, and nothing to complain of.
    Done,
    /// The job could not be done.
    Failed,
    /// The command line or the configuration is wrong.
    Usage,
    /// `check` found something wrong.
    Findings,
    /// Some of the job could not be done; the rest was.
    Partial,
    /// The content is not what its checksum or hash says.
    Integrity,
    /// A server could not be reached, or said no.
    Network,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Findings => 3,
            Exit::Partial => 4,
            Exit::Integrity => 5,
            Exit::Network => 6,
        })
    }
}

/// A failure: the problem in words, perhaps a hint, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A file that cannot be opened or read.
    pub(crate) fn cannot_read(name: &str, error: &io::Error) -> Self {
        let message = format!("cannot read `{name}`: {}", reason(error));
        let failure = Self::new(Exit::Failed, message);
        match io_hint(error.kind()) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// Writing to standard output failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(
            Exit::Failed,
            format!("cannot write to standard output: {}", reason(&error)),
        )
    }
}

/// Returns the hint for a file that cannot be opened or read.
pub(crate) fn io_hint(error: io::ErrorKind) -> Option<&'static str> {
    match error {
        io::ErrorKind::NotFound => {
            Some("check the spelling; paths are relative to the current folder")
        }
        io::ErrorKind::PermissionDenied => {
            Some("check the permissions of the file and its folders")
        }
        _ => None,
    }
}

/// Returns the hint for a collection that cannot be used.
pub(crate) fn collection_hint(error: &ReadError) -> Option<&'static str> {
    Some(match error {
        ReadError::NoMetadata(NoMetadata::NoCollection) => {
            "the first draft of SCP allowed files without it; --allow-missing-metadata reads them"
        }
        ReadError::NoMetadata(NoMetadata::TooLong { .. }) => {
            "if it is a collection, raise `metadata_bytes` under `[limits]` in sitecast.toml"
        }
        ReadError::Line {
            line: 1,
            problem: LineProblem::NotUtf8 { .. } | LineProblem::NotJson { .. },
        } => "a collection is JSON Lines, plain or compressed once with gzip or zstd",
        ReadError::Decompress { reason, .. } if reason.contains("too much memory") => {
            "it asks for a larger window than allowed: raise `zstd_window_log` under `[limits]` in sitecast.toml"
        }
        ReadError::CutShort { .. } | ReadError::Decompress { .. } => {
            "if it was downloaded, download it again; else write it again"
        }
        ReadError::ChecksumMismatch { .. } => {
            "if it was downloaded, download it again; if that does not help, its publisher must write it again"
        }
        ReadError::Ratio { .. } => {
            "if you know the file, raise `ratio` under `[limits]` in sitecast.toml"
        }
        ReadError::CompressedSize { .. } => {
            "to read it anyway, raise `compressed_bytes` under `[limits]` in sitecast.toml"
        }
        ReadError::UncompressedSize { .. } => {
            "to read it anyway, raise `uncompressed_bytes` under `[limits]` in sitecast.toml"
        }
        ReadError::UnsupportedVersion { .. } => "a newer sitecast may read it",
        _ => return None,
    })
}
