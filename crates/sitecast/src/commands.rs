//! One file for each command.

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
use std::io::Read;
use std::path::Path;

use sitecast_index::{FolderIndex, IndexError};
use url::Url;

use crate::failure::{Exit, Failure, in_words};
use crate::output::Output;
use crate::progress::Watched;

/// Where a collection's bytes come from.
pub(crate) type Source = Watched<Box<dyn Read + Send>>;

/// Opens a file named on the command line, `-` for standard input.
pub(crate) fn open(target: &Path, output: &Output) -> Result<Source, Failure> {
    let name = target.display().to_string();
    if name == "-" {
        return Ok(Watched::new(Box::new(std::io::stdin()), &name, None));
    }
    if is_url(&name) {
        return Err(Failure::new(
            Exit::Failed,
            format!("`{name}` is a URL, and only files can be read here"),
        )
        .hint("download it first, or pipe it in and name `-`"));
    }
    let file = File::open(target).map_err(|error| Failure::cannot_read(&name, &error))?;
    let metadata = file
        .metadata()
        .map_err(|error| Failure::cannot_read(&name, &error))?;
    if metadata.is_dir() {
        return Err(Failure::new(
            Exit::Failed,
            format!("`{name}` is a folder, and only files can be read here"),
        )
        .hint(format!(
            "name the files in it: {}/*",
            name.trim_end_matches('/')
        )));
    }
    // A pipe or device has no length to measure progress by.
    let total = (metadata.is_file() && output.shows_progress()).then_some(metadata.len());
    Ok(Watched::new(Box::new(file), &name, total))
}

/// Whether a target on the command line is a URL, rather than a file.
pub(crate) fn is_url(target: &str) -> bool {
    target.starts_with("http://") || target.starts_with("https://")
}

/// A URL named on the command line.
pub(crate) fn parse_url(text: &str) -> Result<Url, Failure> {
    let wrong = |message: String, hint: &str| Err(Failure::new(Exit::Usage, message).hint(hint));
    match Url::parse(text) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => wrong(
            "the URL has a password in it, which would end up in reports".to_owned(),
            "leave it out; only what everyone can see is fetched",
        ),
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => wrong(
            format!("`{text}` is not a URL"),
            "name it as in a browser: https://example.com",
        ),
    }
}

/// Opens the index to read from.
pub(crate) fn open_index(folder: &Path) -> Result<FolderIndex, Failure> {
    FolderIndex::open_existing(folder).map_err(|error| index_failure(&error))
}

/// What an index says, and what to do about it.
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
