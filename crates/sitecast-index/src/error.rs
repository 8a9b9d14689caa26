use std::io;

/// Why an index does not do as asked. Whatever was committed before is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There is no index.
    #[error("there is no index in `{path}`")]
    NotThere {
        /// The folder.
        path: String,
    },
    /// Where the folder should be is something else.
    #[error("`{path}` is a file, and an index is a folder")]
    NotAFolder {
        /// The file.
        path: String,
    },
    /// The folder cannot be used.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// Somebody else is merging, and was still at it when we had waited long enough.
    #[error("the index `{path}` is being written by {holder}")]
    Locked {
        /// The folder.
        path: String,
        /// Who, as far as is known.
        holder: String,
    },
    /// A later version of Sitecast made the index.
    #[error("the index `{path}` has format {found}, and this version knows formats up to {known}")]
    NewerFormat {
        /// The folder.
        path: String,
        /// The format it has.
        found: i64,
        /// The latest format that can be read.
        known: i64,
    },
    /// The file is there, and is no index.
    #[error("`{path}` is not an index of Sitecast")]
    NotAnIndex {
        /// The file.
        path: String,
    },
    /// Something in the index is not as it was written.
    #[error("the index `{path}` is damaged: {problem}")]
    Damaged {
        /// The folder.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// No room is left.
    #[error("no space is left for the index `{path}`")]
    Full {
        /// The folder.
        path: String,
    },
    /// The collection has been applied before.
    #[error("the {kind} of section `{section}` made at {generated} is already applied")]
    AlreadyApplied {
        /// `snapshot` or `delta`.
        kind: &'static str,
        /// Its section.
        section: String,
        /// Its `generated`.
        generated: String,
    },
    /// A site has more sections than can be told apart.
    #[error("the site has more than {most} sections")]
    TooManySections {
        /// How many are possible.
        most: usize,
    },
    /// The index was used in a way that it cannot be.
    #[error("{0}")]
    Misuse(&'static str),
    /// The database says no for another reason.
    #[error("the index `{path}` cannot be used: {problem}")]
    Engine {
        /// The folder.
        path: String,
        /// What it says.
        problem: String,
    },
}
