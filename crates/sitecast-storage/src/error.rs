use std::io;

use crate::StorePath;

/// Why a store did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system or the network says no.
    #[error("cannot {action} `{place}`: {source}")]
    Io {
        /// `read`, `write`, `delete`, `list`, `lock`, `make the folder`.
        action: &'static str,
        /// The object or folder, as a person would name it.
        place: String,
        /// What was said.
        source: io::Error,
    },
    /// The bucket or its server says no.
    #[error("cannot {action} `{place}`: {message}")]
    Remote {
        /// `read`, `write`, `delete`, `list`, `lock`.
        action: &'static str,
        /// The object, as a person would name it.
        place: String,
        /// What was said.
        message: String,
    },
    /// There is something already, or something else than expected: another publisher was here.
    #[error("`{0}` was written by someone else in the meantime")]
    Conflict(StorePath),
    /// Somebody is publishing here at this moment.
    #[error("another publication to `{place}` is running{since}")]
    Locked {
        /// The store.
        place: String,
        /// How long, where known: ` (for 12 seconds)`.
        since: String,
    },
    /// Only read from here.
    #[error("`{0}` can only be read")]
    ReadOnly(String),
    /// The location is not one that is known, or lacks something.
    #[error("`{location}` is no place to store things: {problem}")]
    Location {
        /// What was given.
        location: String,
        /// What is wrong with it.
        problem: String,
    },
}
