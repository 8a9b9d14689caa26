//! The result of a check in one word.

use sitecast_fetch::FetchError;
use sitecast_sync::{FailureKind, SyncError};

/// The result of a check. The greater of two is the worse one: what is wrong for certain is worse than what could not
/// be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// No problem. There may be warnings, unless the check is strict.
    #[default]
    Ok,
    /// A file of this machine cannot be read.
    Unreadable,
    /// The target is not a usable URL.
    InvalidUrl,
    /// The time for the website is over.
    OutOfTime,
    /// A server cannot be reached, or refuses.
    Network,
    /// A file is invalid, or files contradict each other; in a strict check also warnings.
    Invalid,
    /// Content does not match its checksum or hash.
    Mismatch,
}

impl From<&FetchError> for Verdict {
    fn from(error: &FetchError) -> Self {
        match SyncError::from(error.clone()).failure_kind() {
            FailureKind::Local => Self::Unreadable,
            FailureKind::OutOfTime => Self::OutOfTime,
            _ => Self::Network,
        }
    }
}
