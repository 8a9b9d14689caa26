//! Names that stores keep for themselves.

use crate::StorePath;

/// The folder for files that are being written.
pub(crate) const SCRATCH: &str = ".sitecast-tmp";

/// The object or file that says that somebody publishes.
pub(crate) const LOCK: &str = ".sitecast-lock";

/// Whether a path is the store's own: its lock, and whatever is called like its temporary files. The
/// case of letters is not looked at: some file systems do not either.
pub(crate) fn is_reserved(path: &StorePath) -> bool {
    let starts_with_own = |part: &str| {
        part.get(..SCRATCH.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(SCRATCH))
    };
    path.as_str().eq_ignore_ascii_case(LOCK) || path.parts().any(starts_with_own)
}

/// What is said to who writes there nevertheless.
pub(crate) const REFUSAL: &str = "the name is kept for Sitecast's own use";
