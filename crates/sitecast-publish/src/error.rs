use std::io;
use std::path::Path;

use sitecast_storage::StoreError;

use crate::Reason;

/// An error of a run. The sitemap and all collections that it names are as they were. If a store failed
/// while files were put, machine pages may be newer than the JSON sitemap; the next run makes that good.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The source cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Source {
        /// The file or folder.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file that decides what may be published is not to be read.
    #[error("`{path}` is not read: {reason}")]
    Refused {
        /// The file.
        path: String,
        /// The reason.
        reason: Reason,
    },
    /// Something has the name of a file that is to be put, and cannot be replaced.
    #[error("`{path}` is in the way: {refusal}")]
    InTheWay {
        /// The path of the file.
        path: String,
        /// The problem with the obstacle.
        refusal: sitecast_storage::Refusal,
    },
    /// The source is nothing that can be published.
    #[error("`{path}` {problem}")]
    NotASource {
        /// The input.
        path: String,
        /// The problem.
        problem: String,
    },
    /// A line of the source is not a page.
    #[error("`{path}`, line {line}: {problem}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The problem.
        problem: String,
    },
    /// Two files are the same page.
    #[error("`{first}` and `{second}` are both {url}")]
    Collision {
        /// The page.
        url: String,
        /// The one that came first.
        first: String,
        /// The other.
        second: String,
    },
    /// There is nothing to publish.
    #[error("there is no page to publish in `{path}`{}", left_out(*.excluded, .first.as_ref()))]
    Empty {
        /// The source.
        path: String,
        /// The number of items that are left out.
        excluded: u64,
        /// The first of them, and the reason.
        first: Option<(String, Reason)>,
    },
    /// More than half of the site would be deleted, which is more likely a mistake.
    #[error("{deleted} of {pages} pages would disappear at once")]
    MassDeletion {
        /// Deleted pages.
        deleted: u64,
        /// Pages of the last publication.
        pages: u64,
    },
    /// A collection of the last publication cannot be used.
    #[error("the last publication is damaged: `{path}`: {problem}")]
    Previous {
        /// The collection.
        path: String,
        /// The problem.
        problem: String,
    },
    /// The place named for the last publication has something else.
    #[error("there is no publication in `{place}`: `{path}` is there, but {problem}")]
    NoPublication {
        /// The place that was named for the last publication.
        place: String,
        /// The file that is not a sitemap.
        path: String,
        /// The problem.
        problem: String,
    },
    /// The last publication is dated in the future.
    #[error(
        "the last publication of section `{section}` was made at {generated}, which is still to come"
    )]
    FromTheFuture {
        /// The section.
        section: String,
        /// Its time.
        generated: String,
    },
    /// A collection cannot be written.
    #[error("cannot write the collection `{path}`: {source}")]
    Collection {
        /// The collection.
        path: String,
        /// The reason.
        source: sitecast_scp::WriteError,
    },
    /// A sitemap cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Sitemap {
        /// The sitemap.
        path: String,
        /// The reason.
        source: sitecast_sitemap::WriteError,
    },
    /// A temporary file cannot be used.
    #[error("cannot use a temporary file in `{folder}`: {source}")]
    Scratch {
        /// The folder.
        folder: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The settings contradict each other.
    #[error("{0}")]
    Settings(String),
    /// Sitecast itself failed, whatever the site and the settings are.
    #[error("internal error: {0}; please report it")]
    Internal(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PublishError {
    pub(crate) fn internal(problem: impl std::fmt::Display) -> Self {
        Self::Internal(problem.to_string())
    }

    pub(crate) fn source(path: impl std::fmt::Display, source: io::Error) -> Self {
        let path = path.to_string();
        Self::Source { path, source }
    }

    pub(crate) fn previous(path: &str, problem: impl std::fmt::Display) -> Self {
        Self::Previous {
            path: path.to_owned(),
            problem: problem.to_string(),
        }
    }

    pub(crate) fn scratch(folder: &Path, source: io::Error) -> Self {
        Self::Scratch {
            folder: folder.display().to_string(),
            source,
        }
    }
}

/// The end of an attempt to publish that did not complete.
pub(crate) enum Stop {
    /// Lines of unchanged pages are in no collection: the next attempt makes the lines of all pages.
    MissingLines,
    Failed(PublishError),
}

impl From<PublishError> for Stop {
    fn from(error: PublishError) -> Self {
        Self::Failed(error)
    }
}

/// Describes the items that were left out, if no page remains.
fn left_out(excluded: u64, first: Option<&(String, Reason)>) -> String {
    match first {
        None => String::new(),
        Some((item, reason)) if excluded == 1 => format!(": `{item}` is left out, since {reason}"),
        Some((item, reason)) => {
            format!(": all {excluded} are left out, `{item}` since {reason}")
        }
    }
}
