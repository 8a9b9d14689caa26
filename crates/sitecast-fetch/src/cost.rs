//! Counting of requests and bytes.

use std::sync::atomic::{AtomicU64, Ordering};

/// The traffic of a visit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Requests sent; every attempt and every redirect counts.
    pub requests: u64,
    /// Bytes received: headers, and bodies before decompression.
    pub bytes: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Meter {
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    pub(crate) fn request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Cost {
        Cost {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
