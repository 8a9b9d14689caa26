//! Errors of the index.

use std::io;

/// An error of the index. It never affects changes that are already committed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder contains no index.
    #[error("there is no index in `{path}`")]
    NotFound {
        /// The folder.
        path: String,
    },
    /// The path of the folder is a file.
    #[error("`{path}` is a file, and an index is a folder")]
    NotAFolder {
        /// The file.
        path: String,
    },
    /// An operation on a file or folder failed.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another process holds the lock for merging, and has not released it within the waiting time.
    #[error("the index `{path}` is being written by {holder}")]
    Locked {
        /// The folder.
        path: String,
        /// The process that holds the lock, as far as is known.
        holder: String,
    },
    /// The index was created by a later version of Sitecast.
    #[error("the index `{path}` has format {found}, and this version knows formats up to {known}")]
    NewerFormat {
        /// The folder.
        path: String,
        /// The format of the index.
        found: i64,
        /// The latest format that this version can read.
        known: i64,
    },
    /// The database file is not an index of Sitecast.
    #[error("`{path}` is not an index of Sitecast")]
    NotAnIndex {
        /// The file.
        path: String,
    },
    /// A part of the index differs from what was written.
    #[error("the index `{path}` is damaged: {problem}")]
    Damaged {
        /// The folder.
        path: String,
        /// The damaged part, and how it differs.
        problem: String,
    },
    /// The disk is full.
    #[error("no space is left for the index `{path}`")]
    Full {
        /// The folder.
        path: String,
    },
    /// The collection is already applied.
    #[error("the {kind} of section `{section}` made at {generated} is already applied")]
    AlreadyApplied {
        /// `snapshot` or `delta`.
        kind: &'static str,
        /// The section of the collection.
        section: String,
        /// The `generated` of the collection.
        generated: String,
    },
    /// A site has more sections than a row has bits for them.
    #[error("the site has more than {most} sections")]
    TooManySections {
        /// The largest number of sections.
        most: usize,
    },
    /// The caller broke a rule of the API.
    #[error("{0}")]
    Misuse(&'static str),
    /// The database failed for another reason.
    #[error("the index `{path}` cannot be used: {problem}")]
    Database {
        /// The folder.
        path: String,
        /// The error message of the database.
        problem: String,
    },
}
