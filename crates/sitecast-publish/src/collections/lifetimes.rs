//! Lifetimes of collections.

use sitecast_scp::Timestamp;
use sitecast_sitemap::UpdateFrequency;

use crate::time::later;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// Spans of time that follow from how often a section changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lifetimes {
    /// A snapshot older than this gets a successor with the next change.
    pub(crate) snapshot_seconds: i64,
    /// Deletions that only our own readers know of are made known to all after this time.
    pub(crate) deletion_seconds: i64,
    /// Collections can be had for this time.
    pub(crate) life_seconds: i64,
    /// The frequency of the section's changes.
    pub(crate) frequency: UpdateFrequency,
}

impl Lifetimes {
    /// Lives are long against the age at which snapshots are replaced: a site that does not change
    /// keeps its files for a long while, and nothing has to be written.
    pub(crate) fn of(frequency: UpdateFrequency) -> Self {
        let (snapshot, deletion, life) = match frequency {
            UpdateFrequency::Hourly => (DAY, 6 * HOUR, 7 * DAY),
            UpdateFrequency::Daily => (7 * DAY, 3 * DAY, 30 * DAY),
            UpdateFrequency::Weekly => (28 * DAY, 14 * DAY, 90 * DAY),
            UpdateFrequency::Monthly => (90 * DAY, 60 * DAY, 365 * DAY),
        };
        Self {
            snapshot_seconds: snapshot,
            deletion_seconds: deletion,
            life_seconds: life,
            frequency,
        }
    }

    /// Returns the time when a collection of this time expires.
    pub(crate) fn expires(&self, generated: Timestamp) -> Timestamp {
        later(generated, self.life_seconds)
    }
}
