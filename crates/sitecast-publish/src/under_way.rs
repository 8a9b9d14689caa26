//! The mark of a publication that is under way.
//!
//! Collections have names of their own, and the sitemap names them last; so a run that does not come to its end
//! leaves the old ones in force. Machine pages have the names they always had: some are new by then and some old,
//! and nothing tells which. So a mark stands in the store from before the first file is put until the sitemap
//! is there. Who finds one makes all machine pages anew, and does not take collections for published that are not.

use std::sync::atomic::{AtomicBool, Ordering};

use sitecast_scp::Timestamp;
use sitecast_storage::{Attributes, Body, Condition, Put, Store, StorePath};

use crate::PublishError;
use crate::carrier::{own_path, read_all};

/// It begins with a dot: servers and uploads pass over such names.
const MARK: &str = ".sitecast-publishing";

/// Whether a publication is under way: an earlier one that did not come to its end, or this one.
pub(crate) struct UnderWay<'a> {
    store: &'a dyn Store,
    path: StorePath,
    /// Whether the mark is there.
    is_marked: AtomicBool,
    /// Whether an earlier run left it there.
    is_left: bool,
    /// What that run dated its collections with.
    since: Option<Timestamp>,
}

impl<'a> UnderWay<'a> {
    /// Looks for the mark.
    pub(crate) fn find(store: &'a dyn Store) -> Result<Self, PublishError> {
        let path = own_path(MARK);
        let mark = read_all(store, &path)?.map(|(bytes, _)| bytes);
        let since = mark.as_deref().and_then(|mark| {
            let text = std::str::from_utf8(mark).ok()?;
            text.trim().parse().ok()
        });
        Ok(Self {
            store,
            path,
            is_marked: mark.is_some().into(),
            is_left: mark.is_some(),
            since,
        })
    }

    /// Whether an earlier run did not come to its end.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left
    }

    /// From when on collections are of a run that did not come to its end.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Says that files are about to be put. What an earlier run said stands: what it left may still be there.
    pub(crate) fn begin(&self, generated: Timestamp) -> Result<(), PublishError> {
        if self.is_marked.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.store.put(Put {
            path: self.path.clone(),
            body: Body::Bytes(format!("{generated}\n").into_bytes()),
            attributes: Attributes::default(),
            condition: Condition::None,
        })?;
        // Without power, too, it must not be lost while a file that came after it is there.
        self.store.sync()?;
        self.is_marked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Says that everything is where it belongs.
    pub(crate) fn end(&self) -> Result<(), PublishError> {
        if self.is_marked.load(Ordering::Relaxed) {
            self.store.delete(&self.path)?;
            self.is_marked.store(false, Ordering::Relaxed);
        }
        Ok(())
    }
}
