//! Files of the site that are not pages, read whole.

use std::io::Read;

use sitecast_storage::{InvalidPath, Store, StorePath, Tag};

use crate::PublishError;
use crate::source::Source;

/// A path of ours, which cannot be wrong.
#[allow(clippy::expect_used, reason = "only called with names of our own")]
pub(crate) fn own_path(path: &str) -> StorePath {
    path.parse().expect("a path of ours")
}

/// A file that the site has: in its source, else where it was published before.
pub(crate) fn site_file(
    source: &dyn Source,
    store: &dyn Store,
    path: &str,
) -> Result<Option<Vec<u8>>, PublishError> {
    match source.site_file(path)? {
        Some(bytes) => Ok(Some(bytes)),
        None => Ok(read_all(store, &parse(path)?)?.map(|(bytes, _)| bytes)),
    }
}

/// A path from the settings or from a sitemap.
pub(crate) fn parse(path: &str) -> Result<StorePath, PublishError> {
    path.parse()
        .map_err(|error: InvalidPath| PublishError::Settings(error.to_string()))
}

/// All of an object that is not expected to be large.
pub(crate) fn read_all(
    store: &dyn Store,
    path: &StorePath,
) -> Result<Option<(Vec<u8>, Tag)>, PublishError> {
    let Some(mut object) = store.get(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    object
        .reader
        .read_to_end(&mut bytes)
        .map_err(|error| PublishError::source(path, error))?;
    Ok(Some((bytes, object.tag)))
}
