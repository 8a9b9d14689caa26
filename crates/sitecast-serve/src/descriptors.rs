//! Descriptors: the number that the system lets the process have, and their shares.
//!
//! A connection takes one, and a file that is being sent takes another. If both were not counted together, clients that
//! take files slowly could use all of them up, and nobody could be accepted any more.

use crate::options::Limits;

/// Log, certificates, metrics, the thread that reads publications, and what libraries open.
const OTHERS: usize = 96;
/// The listening socket and the event queue of a worker.
const PER_WORKER: usize = 8;
/// Threads of a worker that wait for disks. Each has a second descriptor for a moment while it opens a file.
const THREADS: std::ops::RangeInclusive<usize> = 4..=512;
/// The least that connections and files get together, however few there are.
const LEAST: usize = 32;

/// The descriptors as they are shared out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) connections: usize,
    pub(crate) connections_per_client: usize,
    /// Files that are being sent, or prepared to be.
    pub(crate) files: usize,
    pub(crate) files_per_client: usize,
    /// Threads of each worker that wait for disks.
    pub(crate) threads: usize,
}

impl Shares {
    /// Shares out `all` descriptors. `held` of them belong to the publication in memory.
    pub(crate) fn new(all: usize, limits: &Limits, workers: usize, held: usize) -> Self {
        let workers = workers.max(1);
        let threads = (all / 16 / workers).clamp(*THREADS.start(), *THREADS.end());
        let reserved = OTHERS
            .saturating_add(workers.saturating_mul(PER_WORKER + threads))
            .saturating_add(held);
        let rest = all.saturating_sub(reserved).max(LEAST);
        // Most connections are idle, or ask for what is in memory.
        let connections = limits.connections.min(rest - rest / 4);
        let files = limits.files.min(rest - connections);
        Self {
            connections,
            connections_per_client: share(
                limits.connections_per_client,
                connections,
                limits.connections,
            ),
            files,
            files_per_client: share(limits.files_per_client, files, limits.files),
            threads,
        }
    }
}

/// The share of one client. Where there are fewer descriptors than the settings suppose, it is a quarter at most: four
/// clients may not lock out all others.
fn share(setting: usize, there: usize, supposed: usize) -> usize {
    if setting == 0 || there == supposed {
        return setting;
    }
    setting.min((there / 4).max(1))
}

/// Asks the system for as many descriptors as it lets the process have, and returns the number.
#[cfg(target_os = "linux")]
pub(crate) fn raise_limit() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let now = match setrlimit(Resource::Nofile, most) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    now.map_or(usize::MAX, |now| usize::try_from(now).unwrap_or(usize::MAX))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn raise_limit() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_hold_where_there_are_enough() {
        let limits = Limits::default();
        for all in [1 << 20, usize::MAX] {
            let shares = Shares::new(all, &limits, 8, 100);
            let expected = Shares {
                connections: limits.connections,
                connections_per_client: limits.connections_per_client,
                files: limits.files,
                files_per_client: limits.files_per_client,
                threads: 512,
            };
            assert_eq!(shares, expected);
        }
    }

    #[test]
    fn never_shares_out_more_than_there_are() {
        let limits = Limits::default();
        for all in [512, 1_024, 2_048, 4_096, 65_536] {
            for workers in [1, 2, 8] {
                let shares = Shares::new(all, &limits, workers, 6);
                let opening = shares.threads * workers;
                let used = shares.connections + shares.files + opening + OTHERS + 6;
                assert!(used <= all, "{all}: {shares:?}");
                assert!(shares.connections >= all / 5, "{all}: {shares:?}");
                assert!(shares.files >= all / 16, "{all}: {shares:?}");
                assert!(shares.connections_per_client * 4 <= shares.connections.max(1_024));
            }
        }
    }

    #[test]
    fn little_is_shared_out_too() {
        let shares = Shares::new(64, &Limits::default(), 2, 1_000);
        assert_eq!((shares.connections, shares.files), (24, 8));
        assert_eq!(
            (shares.connections_per_client, shares.files_per_client),
            (6, 2)
        );
    }
}
