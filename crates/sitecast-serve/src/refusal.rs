//! What a store says no to, and what it merely cannot do at this moment.

use std::io::ErrorKind::{InvalidFilename, InvalidInput, PermissionDenied};

use sitecast_storage::StoreError;

/// Whether something is not for visitors: a link that leads out of the folder, which the store itself refuses, a file
/// that may not be read, a name that no file can have. Anything else may pass, a disk or a network that fails or too
/// many open files: who were told then that there is nothing might delete what they have.
pub(crate) fn is_refusal(error: &StoreError) -> bool {
    let StoreError::Io { source, .. } = error else {
        return false;
    };
    matches!(
        source.kind(),
        PermissionDenied | InvalidFilename | InvalidInput
    )
}
