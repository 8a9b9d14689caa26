//! Metrics and the access log.

pub(crate) mod agent;
pub(crate) mod log;
pub(crate) mod metrics;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use log::Record;
use metrics::Metrics;

/// The kind of resource that a request is for, as metrics and the log name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Collection,
    MachinePage,
    JsonSitemap,
    Sitemap,
    Policy,
    Robots,
    /// An HTML page.
    Html,
    /// Any other file.
    Other,
    /// No resource: errors, redirects outside of the site, and the like.
    None,
}

impl Kind {
    pub(crate) const ALL: [Self; 9] = [
        Self::Collection,
        Self::MachinePage,
        Self::JsonSitemap,
        Self::Sitemap,
        Self::Policy,
        Self::Robots,
        Self::Html,
        Self::Other,
        Self::None,
    ];

    /// Returns true for what is published for programs of any origin.
    pub(crate) fn is_for_agents(self) -> bool {
        match self {
            Self::Collection
            | Self::MachinePage
            | Self::JsonSitemap
            | Self::Sitemap
            | Self::Policy
            | Self::Robots => true,
            Self::Html | Self::Other | Self::None => false,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Collection => "collection",
            Self::MachinePage => "machine-page",
            Self::JsonSitemap => "json-sitemap",
            Self::Sitemap => "sitemap",
            Self::Policy => "policy",
            Self::Robots => "robots",
            Self::Html => "html",
            Self::Other => "other",
            Self::None => "none",
        }
    }
}

/// The activity of a connection, from which `LimitedStream` derives time-outs.
#[derive(Debug)]
pub(crate) struct Activity {
    metrics: Arc<Metrics>,
    /// Requests whose responses are not finished.
    pub(crate) in_flight: AtomicU32,
    /// Requests received on this connection.
    pub(crate) requests: AtomicU64,
}

impl Activity {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            in_flight: AtomicU32::new(0),
            requests: AtomicU64::new(0),
        }
    }

    /// Counts a request.
    pub(crate) fn count(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Marks the start of a response.
    pub(crate) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// Marks the end of a response.
    pub(crate) fn end(&self) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Travels with a response's body, and records the bytes sent and the log line when it is dropped.
#[derive(Debug)]
pub(crate) struct RequestTracker {
    activity: Arc<Activity>,
    record: Option<Box<Record>>,
    bytes: u64,
}

impl RequestTracker {
    pub(crate) fn begin(activity: &Arc<Activity>) -> Self {
        activity.begin();
        activity.count();
        Self {
            activity: Arc::clone(activity),
            record: None,
            bytes: 0,
        }
    }

    /// For responses that are neither counted nor logged, such as metrics.
    pub(crate) fn uncounted() -> Self {
        Self::begin(&Arc::new(Activity::new(Arc::new(Metrics::default()))))
    }

    /// Adds bytes of the body that were passed to the connection.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Sets the record for the access log.
    pub(crate) fn log(&mut self, record: Record) {
        self.record = Some(Box::new(record));
    }
}

impl Drop for RequestTracker {
    fn drop(&mut self) {
        self.activity.end();
        if self.bytes > 0 {
            self.activity.metrics.add_bytes(self.bytes);
        }
        if let Some(record) = self.record.take() {
            record.write(self.bytes);
        }
    }
}
