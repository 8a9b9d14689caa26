//! Names that are reserved for the stores' own files.

use crate::StorePath;

/// The folder for files that are being written, and the prefix of temporary names.
pub(crate) const SCRATCH: &str = ".sitecast-tmp";

/// The lock object or lock file.
pub(crate) const LOCK: &str = ".sitecast-lock";

/// Returns true for the lock and for temporary names. The comparison ignores case, as some file systems do.
pub(crate) fn is_reserved(path: &StorePath) -> bool {
    let starts_with_own = |part: &str| {
        part.get(..SCRATCH.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(SCRATCH))
    };
    path.as_str().eq_ignore_ascii_case(LOCK) || path.parts().any(starts_with_own)
}

/// The message for a put to a reserved name.
pub(crate) const REFUSAL: &str = "the name is reserved for Sitecast's own use";
