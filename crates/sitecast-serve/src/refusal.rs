//! Telling files that must not be served from temporary failures of the store.

use std::io::ErrorKind::{InvalidFilename, InvalidInput, PermissionDenied};

use sitecast_storage::StoreError;

/// Returns true if the error means that visitors cannot have the file: a link that leads out of the folder, which the
/// store refuses, a file without read permission, or a name that no file can have. All other errors may be temporary (a
/// failing disk or network, too many open files), and a 404 for them could make agents delete their copies.
pub(crate) fn is_refusal(error: &StoreError) -> bool {
    let StoreError::Io { source, .. } = error else {
        return false;
    };
    matches!(
        source.kind(),
        PermissionDenied | InvalidFilename | InvalidInput
    )
}
