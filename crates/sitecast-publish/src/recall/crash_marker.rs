//! The crash marker: a file that stands in the store while a publication is written.
//!
//! A run puts it before its first file and deletes it after its sitemap. A run that finds the marker of an earlier one
//! makes all machine pages again, since their names stay the same, and does not take collections for published that
//! no sitemap names.

use sitecast_scp::Timestamp;
use sitecast_storage::{Attributes, Body, Condition, Put, Store, StorePath};

use crate::PublishError;
use crate::files::{own_path, read_all};

/// The name begins with a dot, so that servers and uploads ignore it.
const MARKER: &str = ".sitecast-publishing";

/// The marker of an earlier run, or of this one.
pub(crate) struct CrashMarker<'a> {
    store: &'a dyn Store,
    path: StorePath,
    is_there: bool,
    /// True if an earlier run left it.
    is_left: bool,
    /// The time of the collections of that run.
    since: Option<Timestamp>,
}

impl<'a> CrashMarker<'a> {
    /// Looks for the marker of an earlier run.
    pub(super) fn find(store: &'a dyn Store) -> Result<Self, PublishError> {
        let path = own_path(MARKER);
        let marker = read_all(store, &path)?.map(|(bytes, _)| bytes);
        let since = marker.as_deref().and_then(|marker| {
            let text = std::str::from_utf8(marker).ok()?;
            text.trim().parse().ok()
        });
        Ok(Self {
            store,
            path,
            is_there: marker.is_some(),
            is_left: marker.is_some(),
            since,
        })
    }

    /// Returns true if an earlier run was killed while it wrote.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left
    }

    /// Returns the time from which on collections are those of the killed run.
    pub(super) fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Puts the marker. That of an earlier run stays: its files may still be there.
    pub(crate) fn begin(&mut self, generated: Timestamp) -> Result<(), PublishError> {
        if self.is_there {
            return Ok(());
        }
        self.store.put(Put {
            path: self.path.clone(),
            body: Body::Bytes(format!("{generated}\n").into_bytes()),
            attributes: Attributes::default(),
            condition: Condition::None,
        })?;
        // Otherwise a power failure could lose the marker and keep a file that was put after it.
        self.store.sync()?;
        self.is_there = true;
        Ok(())
    }

    /// Deletes the marker: everything is published.
    pub(crate) fn end(&mut self) -> Result<(), PublishError> {
        if self.is_there {
            self.store.delete(&self.path)?;
            self.is_there = false;
        }
        Ok(())
    }
}
