//! The commands, one module for each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod publish;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod sync;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sitecast_check::UrlProblem;
use sitecast_index::{FolderIndex, IndexError};
use url::Url;

use crate::failure::{Exit, Failure, in_words};
use crate::output::Output;
use crate::progress::Watched;

/// The source of a file's bytes, with a progress bar.
pub(crate) type Source = Watched<Box<dyn Read + Send>>;

/// Opens a file named on the command line, `-` for standard input.
pub(crate) fn open(target: &Path, output: &Output) -> Result<Source, Failure> {
    let name = target.display().to_string();
    if is_url(&name) {
        return Err(Failure::new(
            Exit::Failed,
            format!("`{name}` is a URL, and only files can be read here"),
        )
        .hint("download it first, or pipe it in and name `-`"));
    }
    let source = open_watched(target, output.shows_progress())
        .map_err(|error| Failure::cannot_read(&name, &error))?;
    if name != "-" && target.is_dir() {
        return Err(Failure::new(
            Exit::Failed,
            format!("`{name}` is a folder, and only files can be read here"),
        )
        .hint(format!(
            "name the files in it: {}/*",
            name.trim_end_matches('/')
        )));
    }
    Ok(source)
}

/// Opens a file, `-` for standard input, and prepares its progress bar.
pub(crate) fn open_watched(target: &Path, shows_progress: bool) -> io::Result<Source> {
    let name = target.display().to_string();
    if name == "-" {
        return Ok(Watched::new(Box::new(io::stdin()), &name, None));
    }
    let file = File::open(target)?;
    let metadata = file.metadata()?;
    // A pipe or device has no length to measure progress by.
    let total = (metadata.is_file() && shows_progress).then_some(metadata.len());
    Ok(Watched::new(Box::new(file), &name, total))
}

/// Returns true if a target on the command line is a URL rather than a file.
pub(crate) fn is_url(target: &str) -> bool {
    target.starts_with("http://") || target.starts_with("https://")
}

/// Parses a URL named on the command line.
pub(crate) fn parse_url(text: &str) -> Result<Url, Failure> {
    sitecast_check::parse_url(text)
        .map_err(|problem| Failure::new(Exit::Usage, problem.to_string()).hint(url_hint(&problem)))
}

/// Returns the hint for a refused URL.
pub(crate) fn url_hint(problem: &UrlProblem) -> &'static str {
    match problem {
        UrlProblem::Password => "leave it out; only what everyone can see is fetched",
        UrlProblem::Malformed(_) => "name it as in a browser: https://example.com",
    }
}

/// Opens the index to read from.
pub(crate) fn open_index(folder: &Path) -> Result<FolderIndex, Failure> {
    FolderIndex::open_existing(folder).map_err(|error| index_failure(&error))
}

/// Converts an error of the index, and adds a hint.
pub(crate) fn index_failure(error: &IndexError) -> Failure {
    let failure = |hint: &str| {
        let failure = Failure::new(Exit::Failed, in_words(&error.to_string()));
        if hint.is_empty() {
            failure
        } else {
            failure.hint(hint)
        }
    };
    failure(match error {
        IndexError::NotFound { .. } => {
            "`sitecast sync URL` makes one; --index DIR or SITECAST_INDEX say where it is"
        }
        IndexError::NotAnIndex { .. } => {
            "name the folder of an index, or an empty one: --index DIR"
        }
        IndexError::NewerFormat { .. } => "use the later version of sitecast that made it",
        IndexError::Damaged { .. } => {
            "remove the folder and sync again; nothing is in it that cannot be fetched again"
        }
        IndexError::Locked { .. } => "wait until that is done, then try again",
        IndexError::Full { .. } => "make room; what was there before is untouched",
        IndexError::Database { .. } => {
            "look at the disk: whether there is room, and whether it is a local one"
        }
        IndexError::NotAFolder { .. } => {
            "name the folder of an index, or one that is not there yet: --index DIR"
        }
        _ => "",
    })
}
