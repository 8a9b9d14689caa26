//! What an operator sees: counters, an access log.

pub(crate) mod agent;
pub(crate) mod log;
pub(crate) mod metrics;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use log::Record;
use metrics::Metrics;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Collection,
    MachinePage,
    JsonSitemap,
    Sitemap,
    Policy,
    Robots,
    /// A page for people.
    Html,
    /// Any other file.
    Other,
    /// Nothing that is there.
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

    /// Published for programs, whichever site they are from.
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

/// What a connection is doing, for those who watch over it.
#[derive(Debug)]
pub(crate) struct Activity {
    metrics: Arc<Metrics>,
    /// Requests that are being answered.
    pub(crate) under_way: AtomicU32,
    /// Requests so far.
    pub(crate) requests: AtomicU64,
}

impl Activity {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            metrics,
            under_way: AtomicU32::new(0),
            requests: AtomicU64::new(0),
        }
    }

    /// Another request has come.
    pub(crate) fn count(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Something is being answered from now on.
    pub(crate) fn begin(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    /// It is no more.
    pub(crate) fn end(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Goes with a response's body, and writes down what became of it when it is dropped.
#[derive(Debug)]
pub(crate) struct Served {
    activity: Arc<Activity>,
    record: Option<Box<Record>>,
    bytes: u64,
}

impl Served {
    pub(crate) fn begin(activity: &Arc<Activity>) -> Self {
        activity.begin();
        activity.count();
        Self {
            activity: Arc::clone(activity),
            record: None,
            bytes: 0,
        }
    }

    /// For answers that are not of the site.
    pub(crate) fn uncounted() -> Self {
        Self::begin(&Arc::new(Activity::new(Arc::new(Metrics::default()))))
    }

    /// So many bytes of a body were handed over.
    pub(crate) fn sent(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// What to write to the access log.
    pub(crate) fn log(&mut self, record: Record) {
        self.record = Some(Box::new(record));
    }
}

impl Drop for Served {
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
