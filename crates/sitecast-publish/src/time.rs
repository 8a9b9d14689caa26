//! Timestamps with whole seconds: everything that is published has no fraction.

use sitecast_scp::Timestamp;

/// Adds seconds to a time, and drops its fraction.
pub(crate) fn later(time: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(time.unix_seconds() + seconds).unwrap_or(time)
}

/// Drops the fraction of a time: the dates of files have nanoseconds.
pub(crate) fn whole_seconds(time: Timestamp) -> Timestamp {
    later(time, 0)
}
