//! Errors of a sync.

use std::io;
use std::path::PathBuf;

use sitecast_fetch::FetchError;
use sitecast_index::IndexError;
use sitecast_scp::{ReadError, Timestamp};

/// An error that ends the sync of a site. The index keeps the result of all steps before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// A request failed.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A server that was addressed by its IP address serves a publication for another site.
    #[error("the collections at `{site}` were published for `{other}`")]
    CopyOf {
        /// The site that was to be synced.
        site: String,
        /// The origin in the URLs of its collections.
        other: String,
    },
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A collection is damaged or does not match its checksum.
    #[error("the collection `{url}` cannot be used: {source}")]
    Collection {
        /// The URL that it was downloaded from.
        url: String,
        /// The error of the reader.
        source: ReadError,
    },
    /// A collection is intact, but its metadata differs from the sitemap.
    #[error("the collection `{url}` is not what the sitemap says: {problem}")]
    NotAsAnnounced {
        /// The URL that it was downloaded from.
        url: String,
        /// The difference.
        problem: String,
    },
    /// None of the suitable collections can be used.
    #[error("the site offers no usable collection: {reason}")]
    NoCollection {
        /// The reason for the last collection that was tried.
        reason: String,
    },
    /// The site has no section of that name.
    #[error("the site has no section `{section}`; it has {known}")]
    NoSection {
        /// The name in the settings.
        section: String,
        /// The names of the site's sections, separated by commas.
        known: String,
    },
    /// A JSON sitemap cannot be used.
    #[error("the JSON sitemap `{url}` cannot be used: {reason}")]
    JsonSitemap {
        /// The URL of the JSON sitemap.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The site does not offer this kind of source.
    #[error("the site has no {0}")]
    NotOffered(&'static str),
    /// No page could be fetched.
    #[error("{}", no_page(.0))]
    NoPage(
        /// The error of the first page.
        FetchError,
    ),
    /// The sync would delete more than half of a site.
    #[error("{deletions} of the site's {pages} pages would be deleted at once, which is refused")]
    MassDeletion {
        /// The number of pages to delete.
        deletions: u64,
        /// The number of pages before the visit.
        pages: u64,
    },
    /// Another process is syncing this site.
    #[error("another process is syncing `{site}`")]
    Busy {
        /// The site.
        site: String,
    },
    /// The site asked the agent to wait.
    #[error("`{site}` asked not to be visited before {until}")]
    Later {
        /// The site.
        site: String,
        /// The earliest time of the next visit.
        until: Timestamp,
    },
    /// A file of the scratch folder cannot be written or read.
    #[error("cannot use `{}`: {source}", path.display())]
    Scratch {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// Describes why no page could be fetched. The three cases have different remedies: the site's robots.txt, its URL, or
/// its server.
fn no_page(error: &FetchError) -> String {
    match error {
        FetchError::Disallowed { url } => {
            format!("the site's robots.txt allows no page to be fetched: `{url}` is disallowed")
        }
        FetchError::Status { url, status, .. } => {
            format!("no page of the site could be fetched: `{url}` answers {status}")
        }
        other => format!("no page of the site could be fetched: {other}"),
    }
}

/// The kind of a failure, for exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// This machine: settings, disk or index.
    Local,
    /// The server or the network.
    Network,
    /// A collection is damaged or is not the one that was announced.
    Integrity,
    /// The deletion guard refused to delete so many pages.
    Refused,
    /// The time for the site is over; the index keeps what was merged before.
    OutOfTime,
}

impl SyncError {
    /// Returns the kind of the failure.
    pub fn failure_kind(&self) -> FailureKind {
        match self {
            Self::Fetch(
                FetchError::File { .. } | FetchError::Setup(_) | FetchError::DiskFull { .. },
            ) => FailureKind::Local,
            Self::Fetch(error) if error.is_out_of_visit_time() => FailureKind::OutOfTime,
            Self::Fetch(_) | Self::Later { .. } => FailureKind::Network,
            Self::Collection {
                source: ReadError::Io(_),
                ..
            } => FailureKind::Local,
            Self::Collection { .. } | Self::NotAsAnnounced { .. } => FailureKind::Integrity,
            Self::MassDeletion { .. } => FailureKind::Refused,
            _ => FailureKind::Local,
        }
    }

    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Fetch(error) => error.code(),
            Self::Index(_) => "index",
            Self::CopyOf { .. } => "copy-of",
            Self::Collection { source, .. } => source.code(),
            Self::NotAsAnnounced { .. } => "not-as-announced",
            Self::NoCollection { .. } => "no-collection",
            Self::NoSection { .. } => "no-section",
            Self::JsonSitemap { .. } => "json-sitemap",
            Self::NotOffered(_) => "not-offered",
            Self::NoPage(error) => error.code(),
            Self::MassDeletion { .. } => "mass-deletion",
            Self::Busy { .. } => "busy",
            Self::Later { .. } => "later",
            Self::Scratch { .. } => "scratch",
        }
    }

    /// Returns true if another kind of source may succeed. It cannot if the site is unreachable, the failure is
    /// local, or a person has to decide.
    pub(crate) fn allows_another_way(&self) -> bool {
        match self {
            Self::Fetch(error) => {
                !error.is_unreachable() && self.failure_kind() == FailureKind::Network
            }
            Self::Collection { .. } => self.failure_kind() == FailureKind::Integrity,
            Self::NotAsAnnounced { .. }
            | Self::NoCollection { .. }
            | Self::JsonSitemap { .. }
            | Self::NotOffered(_)
            | Self::NoPage(_) => true,
            _ => false,
        }
    }
}
