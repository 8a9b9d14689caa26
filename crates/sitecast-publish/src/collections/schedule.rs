//! The decision between snapshot and delta.

use sitecast_scp::Timestamp;

use super::chain::Chain;
use super::lifetimes::Lifetimes;
use crate::SnapshotReason;

/// The most deltas after a snapshot: agents should not have to fetch hundreds of files.
const MOST_DELTAS: usize = 200;

/// The facts that decide between snapshot and delta.
#[derive(Debug)]
pub(crate) struct Situation<'a> {
    pub(crate) chain: &'a Chain,
    pub(crate) now: Timestamp,
    pub(crate) lifetimes: Lifetimes,
    /// True if pages changed.
    pub(crate) changed: bool,
    /// True if pages moved into or out of the section although they did not change.
    pub(crate) moved: bool,
    pub(crate) asked: bool,
    /// The time since which only agents that know our extension have learnt of deletions.
    pub(crate) deletions_since: Option<Timestamp>,
    /// The share of the snapshot that deltas may take.
    pub(crate) delta_share: f64,
    /// The size of the delta of this run.
    pub(crate) new_delta_bytes: u64,
}

impl Situation<'_> {
    /// Returns the reason for a snapshot; `None` if there is to be none.
    pub(crate) fn snapshot(&self) -> Option<SnapshotReason> {
        let Some(last) = self.chain.snapshot() else {
            return Some(SnapshotReason::First);
        };
        let seconds_since = |time: Timestamp| self.now.unix_seconds() - time.unix_seconds();
        if self.asked {
            return Some(SnapshotReason::Asked);
        }
        if self.moved {
            return Some(SnapshotReason::Section);
        }
        if seconds_since(last.expires) > -self.lifetimes.life_seconds / 4 {
            return Some(SnapshotReason::Expiry);
        }
        if let Some(since) = self.deletions_since
            && seconds_since(since) >= self.lifetimes.deletion_seconds
        {
            return Some(SnapshotReason::Deletions);
        }
        if !self.changed {
            return None;
        }
        if seconds_since(last.generated) >= self.lifetimes.snapshot_seconds {
            return Some(SnapshotReason::Age);
        }
        let deltas: Vec<u64> = self
            .chain
            .deltas_since(last.generated)
            .map(|link| link.size())
            .collect();
        let bytes = deltas.iter().sum::<u64>() + self.new_delta_bytes;
        let share = bytes as f64 / last.size().max(1) as f64;
        (share >= self.delta_share || deltas.len() >= MOST_DELTAS).then_some(SnapshotReason::Deltas)
    }
}

#[cfg(test)]
mod tests {
    use sitecast_sitemap::UpdateFrequency;

    use super::*;
    use crate::collections::chain::{CollectionFile, Link, LinkKind};

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn link(kind: LinkKind, generated: &str, size: u64) -> Link {
        let generated = time(generated);
        Link {
            kind,
            generated,
            expires: Lifetimes::of(UpdateFrequency::Daily).expires(generated),
            pages: 1,
            checksum: None,
            files: vec![CollectionFile {
                path: "a.scp.zst".parse().unwrap(),
                compression: sitecast_scp::Compression::Zstd,
                size,
            }],
        }
    }

    fn chain(delta_size: u64) -> Chain {
        let mut chain = Chain::default();
        chain.add(link(LinkKind::Snapshot, "2025-01-01T00:00:00Z", 1_000));
        let since = time("2025-01-01T00:00:00Z");
        chain.add(link(
            LinkKind::Delta { since },
            "2025-01-02T00:00:00Z",
            delta_size,
        ));
        chain
    }

    fn situation<'a>(chain: &'a Chain, now: &str) -> Situation<'a> {
        Situation {
            chain,
            now: time(now),
            lifetimes: Lifetimes::of(UpdateFrequency::Daily),
            changed: true,
            moved: false,
            asked: false,
            deletions_since: None,
            delta_share: 0.5,
            new_delta_bytes: 0,
        }
    }

    #[test]
    fn the_first_run_makes_a_snapshot_and_the_next_does_not() {
        let none = Chain::default();
        let first = situation(&none, "2025-01-01T00:00:00Z").snapshot();
        assert_eq!(first, Some(SnapshotReason::First));
        assert_eq!(
            situation(&chain(10), "2025-01-03T00:00:00Z").snapshot(),
            None
        );
    }

    #[test]
    fn an_old_snapshot_is_replaced_when_something_changes() {
        let chain = chain(10);
        let mut late = situation(&chain, "2025-01-08T00:00:00Z");
        assert_eq!(late.snapshot(), Some(SnapshotReason::Age));
        late.changed = false;
        assert_eq!(late.snapshot(), None);
    }

    #[test]
    fn large_deltas_bring_a_snapshot() {
        let before = chain(500);
        let now = situation(&before, "2025-01-03T00:00:00Z");
        assert_eq!(now.snapshot(), Some(SnapshotReason::Deltas));
        let before = chain(10);
        let mut now = situation(&before, "2025-01-03T00:00:00Z");
        now.new_delta_bytes = 490;
        assert_eq!(now.snapshot(), Some(SnapshotReason::Deltas));
    }

    #[test]
    fn deletions_do_not_wait_for_ever() {
        let chain = chain(10);
        let mut now = situation(&chain, "2025-01-05T00:00:00Z");
        now.changed = false;
        now.deletions_since = Some(time("2025-01-02T00:00:00Z"));
        assert_eq!(now.snapshot(), Some(SnapshotReason::Deletions));
        now.deletions_since = Some(time("2025-01-04T00:00:00Z"));
        assert_eq!(now.snapshot(), None);
    }

    #[test]
    fn a_snapshot_is_renewed_before_it_expires() {
        let chain = chain(10);
        let mut now = situation(&chain, "2025-01-23T00:00:00Z");
        now.changed = false;
        assert_eq!(now.snapshot(), None);
        now.now = time("2025-01-24T00:00:00Z");
        assert_eq!(now.snapshot(), Some(SnapshotReason::Expiry));
    }
}
