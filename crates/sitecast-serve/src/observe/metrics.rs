//! Metrics in the Prometheus text format.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Kind, agent};

/// Statuses with a counter of their own. Others count as the first listed status of their class.
const STATUSES: [u16; 17] = [
    200, 204, 206, 301, 304, 308, 400, 401, 404, 405, 406, 410, 412, 416, 429, 500, 503,
];

/// The counters of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Indexed by kind, agent and status.
    requests: Vec<AtomicU64>,
    bytes: AtomicU64,
    connections: AtomicU64,
    open: AtomicU64,
    refused: AtomicU64,
    refused_files: AtomicU64,
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
    pages: AtomicU64,
    collections: AtomicU64,
    lost_log_lines: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        let counters = Kind::ALL.len() * agent::NAMES.len() * STATUSES.len();
        Self {
            requests: std::iter::repeat_with(AtomicU64::default)
                .take(counters)
                .collect(),
            bytes: AtomicU64::default(),
            connections: AtomicU64::default(),
            open: AtomicU64::default(),
            refused: AtomicU64::default(),
            refused_files: AtomicU64::default(),
            reloads: AtomicU64::default(),
            failed_reloads: AtomicU64::default(),
            pages: AtomicU64::default(),
            collections: AtomicU64::default(),
            lost_log_lines: AtomicU64::default(),
        }
    }
}

impl Metrics {
    pub(crate) fn request(&self, kind: Kind, agent: usize, status: u16) {
        let kind = Kind::ALL
            .iter()
            .position(|&known| known == kind)
            .unwrap_or_default();
        let status = STATUSES
            .iter()
            .position(|&known| known == status)
            .or_else(|| {
                STATUSES
                    .iter()
                    .position(|&known| known / 100 == status / 100)
            })
            .unwrap_or_default();
        let at = (kind * agent::NAMES.len() + agent) * STATUSES.len() + status;
        if let Some(counter) = self.requests.get(at) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn opened(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused_file(&self) {
        self.refused_files.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn lost_log_line(&self) {
        self.lost_log_lines.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a publication that was read, and sets the gauges.
    pub(crate) fn loaded(&self, pages: usize, collections: usize) {
        self.reloads.fetch_add(1, Ordering::Relaxed);
        self.pages.store(pages as u64, Ordering::Relaxed);
        self.collections
            .store(collections as u64, Ordering::Relaxed);
    }

    pub(crate) fn load_failed(&self) {
        self.failed_reloads.fetch_add(1, Ordering::Relaxed);
    }

    /// Formats all metrics.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(
            "# HELP sitecast_requests_total Requests by kind, declared agent and status.\n\
             # TYPE sitecast_requests_total counter\n",
        );
        let mut not_modified = 0;
        let mut counters = self.requests.iter();
        for kind in Kind::ALL {
            for agent in agent::NAMES {
                for status in STATUSES {
                    let count = counters
                        .next()
                        .map_or(0, |counter| counter.load(Ordering::Relaxed));
                    if status == 304 {
                        not_modified += count;
                    }
                    if count > 0 {
                        let kind = kind.name();
                        let _ = writeln!(
                            text,
                            "sitecast_requests_total{{kind=\"{kind}\",agent=\"{agent}\",status=\"{status}\"}} {count}"
                        );
                    }
                }
            }
        }
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, kind, help, value) in [
            (
                "not_modified_total",
                "counter",
                "Requests that were answered 304.",
                not_modified,
            ),
            (
                "sent_bytes_total",
                "counter",
                "Bytes of bodies handed to connections.",
                load(&self.bytes),
            ),
            (
                "connections_total",
                "counter",
                "Connections accepted.",
                load(&self.connections),
            ),
            (
                "connections",
                "gauge",
                "Connections open now.",
                load(&self.open),
            ),
            (
                "refused_connections_total",
                "counter",
                "Connections closed at once because there were too many.",
                load(&self.refused),
            ),
            (
                "refused_files_total",
                "counter",
                "Requests answered 503 because too many files were being sent.",
                load(&self.refused_files),
            ),
            (
                "publications_total",
                "counter",
                "Publications read since the start.",
                load(&self.reloads),
            ),
            (
                "publication_errors_total",
                "counter",
                "Attempts to read a publication that failed.",
                load(&self.failed_reloads),
            ),
            (
                "pages",
                "gauge",
                "Pages with a machine page.",
                load(&self.pages),
            ),
            (
                "collections",
                "gauge",
                "Collections that the sitemap names.",
                load(&self.collections),
            ),
            (
                "lost_log_lines_total",
                "counter",
                "Lines of the access log that could not be written in time.",
                load(&self.lost_log_lines),
            ),
        ] {
            let _ = write!(
                text,
                "# HELP sitecast_{name} {help}\n# TYPE sitecast_{name} {kind}\nsitecast_{name} {value}\n"
            );
        }
        text
    }
}
