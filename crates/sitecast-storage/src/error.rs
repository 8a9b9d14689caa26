//! The errors of stores.

use std::io;

use crate::StorePath;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system reported an error.
    #[error("cannot {action} `{place}`: {source}")]
    Io {
        /// `read`, `write`, `delete`, `list`, `lock`, `make the folder`.
        action: &'static str,
        /// The object or folder, as shown to a person.
        place: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The bucket's server, or the connection to it, reported an error.
    #[error("cannot {action} `{place}`: {message}")]
    Remote {
        /// `read`, `write`, `delete`, `list`, `lock`.
        action: &'static str,
        /// The object, as shown to a person.
        place: String,
        /// The cause, in words.
        message: String,
    },
    /// The [`Condition`](crate::Condition) of a put does not hold: another publisher has written the object.
    #[error("`{0}` was written by someone else in the meantime")]
    Conflict(StorePath),
    /// Another publisher holds the lock.
    #[error("another publication to `{place}` is running{since}")]
    Locked {
        /// The name of the store.
        place: String,
        /// The age of the lock, if it is known: ` (for 12 seconds)`.
        since: String,
    },
    /// The store cannot be written to.
    #[error("`{0}` can only be read")]
    ReadOnly(String),
    /// The location is malformed or not supported.
    #[error("invalid store `{location}`: {problem}")]
    Location {
        /// The location as it was given.
        location: String,
        /// The reason why it is invalid.
        problem: String,
    },
}

impl StoreError {
    /// Returns true if nobody may read the object: a link that leads out of the folder, which the store refuses, a file
    /// without read permission, or a name that no file can have. All other errors may be temporary (a failing disk or
    /// network, too many open files), and a server that answers 404 to them could make agents delete their copies.
    pub fn is_refusal(&self) -> bool {
        use io::ErrorKind::{InvalidFilename, InvalidInput, PermissionDenied};
        matches!(
            self,
            Self::Io { source, .. }
                if matches!(source.kind(), PermissionDenied | InvalidFilename | InvalidInput)
        )
    }
}
