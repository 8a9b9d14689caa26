//! The arguments of one run, which every stage reads.

use std::path::{Path, PathBuf};

use sitecast_scp::Timestamp;
use sitecast_storage::{Lock, Store};

use crate::rules::Rules;
use crate::source::Source;
use crate::time::later;
use crate::{Options, Progress, PublishError};

/// Clocks may differ by this much.
const CLOCK_SKEW_SECONDS: i64 = 86_400;

/// One run of [`publish`](crate::publish) or [`Preview`](crate::Preview).
pub(crate) struct Run<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) store: &'a dyn Store,
    /// The store of the last publication, if that is another one.
    pub(crate) previous: Option<&'a dyn Store>,
    pub(crate) options: &'a Options,
    pub(crate) rules: Rules,
    pub(crate) now: Timestamp,
    pub(crate) progress: &'a dyn Progress,
    /// `None` in a run that writes nothing.
    pub(crate) lock: Option<Box<dyn Lock>>,
}

impl<'a> Run<'a> {
    /// Returns the store that the last publication is read from.
    pub(crate) fn origin(&self) -> &'a dyn Store {
        self.previous.unwrap_or(self.store)
    }

    /// Returns the latest time that is not in the future, even if clocks differ.
    pub(crate) fn latest(&self) -> Timestamp {
        later(self.now, CLOCK_SKEW_SECONDS)
    }

    /// Returns true if the source is the folder that is published into.
    pub(crate) fn is_in_place(&self) -> bool {
        let folder = self.source.folder();
        folder.is_some_and(|folder| is_same_folder(folder, Path::new(&self.store.name())))
    }

    /// Returns the folder for temporary files.
    pub(crate) fn scratch(&self) -> Result<PathBuf, PublishError> {
        if self.options.dry_run {
            return Ok(std::env::temp_dir());
        }
        Ok(self.store.scratch()?)
    }
}

fn is_same_folder(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
