//! File descriptors: raising the process's limit and dividing it up.
//!
//! A connection takes one, and a file that is being sent takes another. Both are counted together: otherwise clients
//! that read slowly could use up all descriptors, and no connection could be accepted any more.

use crate::options::Limits;

/// Descriptors for the log, certificates, metrics, the thread that reads publications, and libraries.
const OTHERS: usize = 96;
/// Descriptors of a worker: its listening socket and event queue.
const PER_WORKER: usize = 8;
/// Blocking threads of a worker. Each needs a second descriptor for a moment while it opens a file.
const THREADS_PER_WORKER: std::ops::RangeInclusive<usize> = 4..=512;
/// The least that connections and files get together, even if fewer descriptors are left.
const MIN_SHARED: usize = 32;

/// The limits that follow from the available descriptors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DescriptorShares {
    pub(crate) connections: usize,
    pub(crate) connections_per_client: usize,
    /// Files being opened or sent.
    pub(crate) files: usize,
    pub(crate) files_per_client: usize,
    /// Blocking threads of each worker.
    pub(crate) threads: usize,
}

impl DescriptorShares {
    /// Divides `all` descriptors. `held` of them belong to the publication in memory.
    pub(crate) fn new(all: usize, limits: &Limits, workers: usize, held: usize) -> Self {
        let workers = workers.max(1);
        let threads =
            (all / 16 / workers).clamp(*THREADS_PER_WORKER.start(), *THREADS_PER_WORKER.end());
        let reserved = OTHERS
            .saturating_add(workers.saturating_mul(PER_WORKER + threads))
            .saturating_add(held);
        let rest = all.saturating_sub(reserved).max(MIN_SHARED);
        // Connections get three quarters: most are idle, or ask for resources in memory.
        let connections = limits.connections.min(rest - rest / 4);
        let files = limits.files.min(rest - connections);
        Self {
            connections,
            connections_per_client: client_share(
                limits.connections_per_client,
                connections,
                limits.connections,
            ),
            files,
            files_per_client: client_share(limits.files_per_client, files, limits.files),
            threads,
        }
    }
}

/// The limit for one client. If descriptors are scarcer than the settings assume, it is a quarter at most, so that
/// three clients cannot lock out all others.
fn client_share(setting: usize, there: usize, supposed: usize) -> usize {
    if setting == 0 || there == supposed {
        return setting;
    }
    setting.min((there / 4).max(1))
}

/// Raises the soft limit of descriptors to the hard limit, and returns it.
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
    fn keeps_the_settings_if_descriptors_suffice() {
        let limits = Limits::default();
        for all in [1 << 20, usize::MAX] {
            let shares = DescriptorShares::new(all, &limits, 8, 100);
            let expected = DescriptorShares {
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
    fn never_grants_more_descriptors_than_exist() {
        let limits = Limits::default();
        for all in [512, 1_024, 2_048, 4_096, 65_536] {
            for workers in [1, 2, 8] {
                let shares = DescriptorShares::new(all, &limits, workers, 6);
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
    fn divides_even_very_few_descriptors() {
        let shares = DescriptorShares::new(64, &Limits::default(), 2, 1_000);
        assert_eq!((shares.connections, shares.files), (24, 8));
        assert_eq!(
            (shares.connections_per_client, shares.files_per_client),
            (6, 2)
        );
    }
}
