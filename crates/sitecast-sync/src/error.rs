//! Why a site is not synced, or not wholly.

use std::io;
use std::path::PathBuf;

use sitecast_fetch::FetchError;
use sitecast_index::IndexError;
use sitecast_scp::{ReadError, Timestamp};

/// Why a site could not be synced. The index is as it was, or as the last step that went well left it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// Something could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A server without a name serves a site that has one.
    #[error("what is served at `{site}` was published for `{other}`")]
    CopyOf {
        /// What was asked for.
        site: String,
        /// Where its collections say they are.
        other: String,
    },
    /// The index does not do as asked.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A collection is damaged, or not what its checksum says.
    #[error("the collection `{url}` cannot be used: {source}")]
    Collection {
        /// Where it came from.
        url: String,
        /// What is wrong with it.
        source: ReadError,
    },
    /// A collection is whole, but another one than the sitemap says.
    #[error("the collection `{url}` is not what the sitemap says: {problem}")]
    NotAsAnnounced {
        /// Where it came from.
        url: String,
        /// How it differs.
        problem: String,
    },
    /// None of the collections that would do can be had.
    #[error("the site offers no usable collection: {reason}")]
    NoCollection {
        /// Why not.
        reason: String,
    },
    /// What was named is not there.
    #[error("the site has no section `{section}`; it has {known}")]
    NoSection {
        /// The one asked for.
        section: String,
        /// Those there are.
        known: String,
    },
    /// A JSON sitemap cannot be used.
    #[error("the JSON sitemap `{url}` cannot be used: {reason}")]
    JsonSitemap {
        /// Where it is.
        url: String,
        /// Why not.
        reason: String,
    },
    /// There is nothing of this kind.
    #[error("the site has no {0}")]
    NotOffered(&'static str),
    /// Not one page could be had.
    #[error("{}", no_page(.0))]
    NoPage(
        /// Why the first one could not.
        FetchError,
    ),
    /// More than half of a site would go.
    #[error("{deletions} of the site's {pages} pages would be deleted at once, which is refused")]
    MassDeletion {
        /// How many.
        deletions: u64,
        /// Of how many.
        pages: u64,
    },
    /// Another process syncs this site.
    #[error("another process is syncing `{site}`")]
    Busy {
        /// The site.
        site: String,
    },
    /// The site asked not to be asked again so soon.
    #[error("`{site}` asked not to be visited before {until}")]
    Later {
        /// The site.
        site: String,
        /// When it may be asked again.
        until: Timestamp,
    },
    /// A file of ours cannot be written or read.
    #[error("cannot use `{}`: {source}", path.display())]
    Scratch {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Three ways in which a site has no page for us, each of which someone else has to mend.
fn no_page(error: &FetchError) -> String {
    match error {
        FetchError::Disallowed { url } => {
            format!("robots.txt of the site does not let us fetch any page: `{url}` is disallowed")
        }
        FetchError::Status { url, status, .. } => {
            format!("the site has no page that could be fetched: `{url}` answers {status}")
        }
        other => format!("the site has no page that could be fetched: {other}"),
    }
}

/// What kind of failure it is, for exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Something of ours.
    Here,
    /// The server, or the way to it.
    Network,
    /// What came is not what it says it is.
    Integrity,
    /// It was refused to delete so much.
    Refused,
    /// The time for the site is over; what was taken before is kept.
    OutOfTime,
}

impl SyncError {
    /// What kind of failure it is.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Fetch(
                FetchError::File { .. } | FetchError::Setup(_) | FetchError::DiskFull { .. },
            ) => Trouble::Here,
            Self::Fetch(error) if error.is_out_of_visit_time() => Trouble::OutOfTime,
            Self::Fetch(_) | Self::Later { .. } => Trouble::Network,
            Self::Collection {
                source: ReadError::Io(_),
                ..
            } => Trouble::Here,
            Self::Collection { .. } | Self::NotAsAnnounced { .. } => Trouble::Integrity,
            Self::MassDeletion { .. } => Trouble::Refused,
            _ => Trouble::Here,
        }
    }

    /// A short stable name, for programs.
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

    /// Whether another way of syncing may go better. Where the site is out of reach, ours is the
    /// fault, or a person has to decide, it cannot.
    pub(crate) fn allows_another_way(&self) -> bool {
        match self {
            Self::Fetch(error) => !error.is_unreachable() && self.trouble() == Trouble::Network,
            Self::Collection { .. } => self.trouble() == Trouble::Integrity,
            Self::NotAsAnnounced { .. }
            | Self::NoCollection { .. }
            | Self::JsonSitemap { .. }
            | Self::NotOffered(_)
            | Self::NoPage(_) => true,
            _ => false,
        }
    }
}
