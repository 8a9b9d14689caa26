//! The choice of collections to download (SCP draft 3, "Delta Collections").
//!
//! It depends only on the sitemap and the position in the index; nothing here uses the network.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use sitecast_index::SectionState;
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Collection, CollectionKind, Date, ScpBlock};

/// The most seconds that the `generated` of a collection may be ahead of the local clock. Clocks that differ by
/// more than a day are wrong.
pub const MAX_CLOCK_SKEW: i64 = 24 * 3600;
/// The most snapshots that are tried.
const MAX_FALLBACKS: usize = 8;
/// The most warnings for one section.
const MAX_WARNINGS: usize = 100;

/// One collection, in all files and compressions that the sitemap offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// When the publisher generated it.
    pub generated: Timestamp,
    /// The start of a delta's changes; `None` for a snapshot.
    pub since: Option<Timestamp>,
    /// The files, the preferred first: zstd, gzip, others.
    pub files: Vec<Collection>,
}

impl Candidate {
    /// Returns the size of the preferred file in bytes, if the sitemap has it.
    pub fn size(&self) -> Option<u64> {
        self.files.first().and_then(|file| file.size)
    }
}

/// The plan for one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The collections to download first.
    pub step: Step,
    /// The snapshots to try if that fails, the newest first.
    pub fallbacks: Vec<Candidate>,
    /// Entries of the sitemap that cannot be true.
    pub warnings: Vec<String>,
}

/// The collections to download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// None: the site has nothing newer.
    UpToDate,
    /// A snapshot, with the reason for it.
    Snapshot(Candidate, &'static str),
    /// These deltas, in order.
    Deltas(Vec<Candidate>),
    /// None: the site has something newer, but no chain of deltas and no snapshot leads to it. With the reason.
    Stuck(String),
}

/// Returns the sections with collections, the widest first: ordered by number of pages, then `all` before others,
/// then by the size of the snapshot.
pub fn sections(block: &ScpBlock) -> Vec<String> {
    let mut widths: BTreeMap<&str, Width> = BTreeMap::new();
    for file in &block.collections {
        let width = widths.entry(&file.section).or_insert(Width {
            is_all: file.section == "all",
            ..Width::default()
        });
        if file.kind == CollectionKind::Snapshot {
            width.pages = width.pages.max(file.pages);
            width.size = width.size.max(file.size);
        }
    }
    // If a section is declared twice, the first declaration counts.
    for section in block.sections.iter().rev() {
        if let Some(width) = widths.get_mut(section.name.as_str()) {
            width.declared = section.pages.map(|pages| pages.pages);
        }
    }
    let mut widths: Vec<(&str, Width)> = widths.into_iter().collect();
    widths.sort_by_key(|(_, width)| {
        Reverse((width.pages.max(width.declared), width.is_all, width.size))
    });
    widths
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The measures by which sections are ordered.
#[derive(Debug, Clone, Copy, Default)]
struct Width {
    /// The number of pages in the section's declaration.
    declared: Option<u64>,
    /// The number of pages of the largest snapshot.
    pages: Option<u64>,
    /// The size of the largest snapshot in bytes.
    size: Option<u64>,
    is_all: bool,
}

/// Plans which collections of a section to download.
pub fn plan(
    block: &ScpBlock,
    section: &str,
    state: &SectionState,
    now: Timestamp,
    snapshot_every: Duration,
) -> Plan {
    let mut warnings = Vec::new();
    let candidates = gather(block, section, now, &mut warnings);
    let (snapshots, deltas): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|c| c.since.is_none());
    let newest_snapshot = snapshots.last().cloned();
    let mut fallbacks: Vec<Candidate> = snapshots
        .into_iter()
        .rev()
        .filter(|snapshot| state.generated.is_none_or(|at| snapshot.generated > at))
        .take(MAX_FALLBACKS)
        .collect();
    let step = choose(
        state,
        newest_snapshot,
        &deltas,
        now,
        snapshot_every,
        &mut warnings,
    );
    if let Step::Snapshot(chosen, _) = &step {
        fallbacks.retain(|candidate| candidate != chosen);
    }
    Plan {
        step,
        fallbacks,
        warnings,
    }
}

fn choose(
    state: &SectionState,
    snapshot: Option<Candidate>,
    deltas: &[Candidate],
    now: Timestamp,
    snapshot_every: Duration,
    warnings: &mut Vec<String>,
) -> Step {
    let Some(at) = state.generated else {
        return match snapshot {
            Some(snapshot) => Step::Snapshot(snapshot, "the index has nothing of this section yet"),
            None => Step::Stuck("the sitemap has no snapshot to start from".to_owned()),
        };
    };
    let newer = snapshot.clone().filter(|s| s.generated > at);
    let newest = newer
        .iter()
        .chain(deltas.last())
        .map(|c| c.generated)
        .max()
        .filter(|newest| *newest > at);
    // A snapshot shows deletions even if it is not newer than the applied deltas.
    let unseen = snapshot.filter(|s| state.snapshot.is_none_or(|seen| s.generated > seen));
    let since_snapshot = state.snapshot.map_or(i64::MAX, |seen| {
        now.unix_seconds().saturating_sub(seen.unix_seconds())
    });
    let is_due = since_snapshot >= i64::try_from(snapshot_every.as_secs()).unwrap_or(i64::MAX);
    if is_due && let Some(snapshot) = unseen {
        return Step::Snapshot(snapshot, "the last snapshot is too old");
    }
    let Some(newest) = newest else {
        return Step::UpToDate;
    };
    match (chain(at, newest, deltas), newer) {
        (Some(chain), Some(snapshot)) => {
            let cost = chain.iter().map(Candidate::size).sum::<Option<u64>>();
            match (cost, snapshot.size()) {
                (Some(deltas), Some(whole)) if whole < deltas => {
                    Step::Snapshot(snapshot, "it is smaller than the deltas")
                }
                _ => Step::Deltas(chain),
            }
        }
        (Some(chain), None) => Step::Deltas(chain),
        (None, Some(snapshot)) => Step::Snapshot(snapshot, "the deltas leave a gap"),
        (None, None) => {
            warnings.push("the deltas leave a gap that no snapshot closes".to_owned());
            Step::Stuck("the deltas leave a gap, and there is no newer snapshot".to_owned())
        }
    }
}

/// Returns the deltas that lead from `at` to `newest` without a gap, if there are any.
fn chain(at: Timestamp, newest: Timestamp, deltas: &[Candidate]) -> Option<Vec<Candidate>> {
    let mut by_since: Vec<&Candidate> = deltas.iter().collect();
    by_since.sort_by_key(|delta| (delta.since, delta.generated));
    let mut by_since = by_since.into_iter().peekable();
    let mut reached = at;
    let mut farthest: Option<&Candidate> = None;
    let mut chain = Vec::new();
    while reached < newest {
        // Takes the delta that leads farthest: a weekly delta replaces daily ones.
        while let Some(next) = by_since.next_if(|delta| delta.since <= Some(reached)) {
            if farthest.is_none_or(|known| next.generated >= known.generated) {
                farthest = Some(next);
            }
        }
        let next = farthest.filter(|delta| delta.generated > reached)?;
        reached = next.generated;
        chain.push(next.clone());
    }
    Some(chain)
}

/// Returns the collections of a section as candidates, the oldest first, without expired and impossible ones.
fn gather(
    block: &ScpBlock,
    section: &str,
    now: Timestamp,
    warnings: &mut Vec<String>,
) -> Vec<Candidate> {
    let mut states: BTreeMap<(Timestamp, Option<Timestamp>), Vec<Collection>> = BTreeMap::new();
    let latest = now.unix_seconds().saturating_add(MAX_CLOCK_SKEW);
    for file in block.collections.iter().filter(|c| c.section == section) {
        if file.generated.unix_seconds() > latest {
            if warnings.len() < MAX_WARNINGS {
                warnings.push(format!(
                    "`{}` was made at {}, which is in the future: is this machine's clock right?",
                    file.url, file.generated
                ));
            }
            continue;
        }
        if file
            .expires
            .is_some_and(|at| at.unix_seconds() < now.unix_seconds())
        {
            continue;
        }
        let since = match &file.kind {
            CollectionKind::Snapshot => None,
            CollectionKind::Delta { since, .. } => match timestamp(*since) {
                Some(since) => Some(since),
                None => continue,
            },
        };
        let Some(generated) = timestamp(file.generated) else {
            continue;
        };
        let files = states.entry((generated, since)).or_default();
        files.push(file.clone());
    }
    let candidates = states.into_iter().map(|((generated, since), mut files)| {
        files.sort_by_key(|file| (rank(&file.url), file.size));
        Candidate {
            generated,
            since,
            files,
        }
    });
    candidates.collect()
}

/// Ranks a file by the extension in its URL. This only decides the order: the reader detects the compression itself.
fn rank(url: &str) -> u8 {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    if path.ends_with(".zst") {
        0
    } else if path.ends_with(".gz") {
        1
    } else {
        2
    }
}

fn timestamp(date: Date) -> Option<Timestamp> {
    Timestamp::from_unix_seconds(date.unix_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn day(day: u32) -> Timestamp {
        time(&format!("2025-01-{day:02}T00:00:00Z"))
    }

    fn date(time: Timestamp) -> Date {
        time.to_string().parse().unwrap()
    }

    fn file(kind: CollectionKind, generated: Timestamp, end: &str, size: u64) -> Collection {
        Collection {
            section: "all".to_owned(),
            kind,
            url: format!("https://example.com/{}.{end}", generated.unix_seconds()),
            generated: date(generated),
            expires: None,
            pages: Some(10),
            size: Some(size),
            checksum: None,
        }
    }

    fn snapshot(generated: u32, size: u64) -> Collection {
        file(CollectionKind::Snapshot, day(generated), "scp.zst", size)
    }

    fn delta(since: u32, generated: u32, size: u64) -> Collection {
        let kind = CollectionKind::Delta {
            period: None,
            since: date(day(since)),
        };
        file(kind, day(generated), "scp.zst", size)
    }

    fn at(generated: u32, snapshot: u32) -> SectionState {
        SectionState {
            generated: Some(day(generated)),
            snapshot: Some(day(snapshot)),
        }
    }

    fn block(collections: Vec<Collection>) -> ScpBlock {
        ScpBlock {
            collections,
            ..ScpBlock::default()
        }
    }

    fn step(collections: Vec<Collection>, state: &SectionState, now: u32) -> Step {
        plan(&block(collections), "all", state, day(now), WEEK).step
    }

    fn days(step: &Step) -> String {
        let day = |time: Timestamp| time.to_string().get(8..10).unwrap().to_owned();
        match step {
            Step::UpToDate => "up to date".to_owned(),
            Step::Snapshot(candidate, _) => format!("snapshot {}", day(candidate.generated)),
            Step::Deltas(deltas) => {
                let days: Vec<String> = deltas.iter().map(|c| day(c.generated)).collect();
                format!("deltas {}", days.join(" "))
            }
            Step::Stuck(_) => "stuck".to_owned(),
        }
    }

    #[test]
    fn chooses_the_newest_snapshot_at_first() {
        let files = vec![snapshot(2, 9), snapshot(1, 9), delta(2, 3, 1)];
        let step = step(files, &SectionState::default(), 3);
        assert_eq!(days(&step), "snapshot 02");
    }

    #[test]
    fn applies_deltas_in_order_if_there_is_no_gap() {
        let chain = vec![
            snapshot(1, 900),
            delta(3, 4, 9),
            delta(1, 2, 9),
            delta(2, 3, 9),
        ];
        assert_eq!(days(&step(chain.clone(), &at(1, 1), 5)), "deltas 02 03 04");
        assert_eq!(days(&step(chain.clone(), &at(3, 1), 5)), "deltas 04");
        assert_eq!(days(&step(chain.clone(), &at(4, 1), 5)), "up to date");
        let gap = vec![snapshot(1, 900), delta(1, 2, 9), delta(3, 4, 9)];
        assert_eq!(days(&step(gap.clone(), &at(1, 1), 5)), "stuck");
        let healed = [gap, vec![snapshot(4, 900)]].concat();
        assert_eq!(days(&step(healed, &at(1, 1), 5)), "snapshot 04");
    }

    #[test]
    fn a_delta_may_begin_before_where_we_are() {
        assert_eq!(days(&step(vec![delta(1, 5, 9)], &at(3, 1), 5)), "deltas 05");
        // A delta that leads farther replaces the others.
        let files = vec![delta(1, 2, 1), delta(2, 3, 1), delta(1, 3, 1)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "deltas 03");
    }

    #[test]
    fn chooses_the_snapshot_when_it_is_smaller_or_due() {
        let files = vec![delta(1, 2, 60), delta(2, 3, 60), snapshot(3, 100)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "snapshot 03");
        let files = vec![delta(1, 2, 1), snapshot(2, 100)];
        assert_eq!(days(&step(files.clone(), &at(1, 1), 7)), "deltas 02");
        assert_eq!(days(&step(files.clone(), &at(1, 1), 8)), "snapshot 02");
        // The index is up to date, but may have pages whose deletion the deltas did not list.
        assert_eq!(days(&step(files.clone(), &at(2, 1), 8)), "snapshot 02");
        assert_eq!(days(&step(files, &at(2, 2), 20)), "up to date");
    }

    #[test]
    fn ignores_expired_collections() {
        let mut expired = delta(1, 2, 1);
        expired.expires = Some(date(day(4)));
        let files = vec![expired, snapshot(2, 100)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "snapshot 02");
    }

    #[test]
    fn warns_about_collections_from_the_future() {
        let files = vec![snapshot(1, 9), snapshot(20, 9)];
        let plan = plan(&block(files), "all", &SectionState::default(), day(2), WEEK);
        assert_eq!(days(&plan.step), "snapshot 01");
        assert!(plan.warnings[0].contains("in the future"), "{plan:?}");
        // A few hours are within the tolerance for clocks.
        let step = step(vec![snapshot(3, 9)], &SectionState::default(), 2);
        assert_eq!(days(&step), "snapshot 03");
    }

    #[test]
    fn zstd_is_preferred_over_gzip_and_both_are_one_candidate() {
        let gz = file(CollectionKind::Snapshot, day(1), "scp.gz", 5);
        let zst = file(CollectionKind::Snapshot, day(1), "scp.zst", 9);
        let Step::Snapshot(candidate, _) = step(vec![gz, zst], &SectionState::default(), 2) else {
            panic!("there is a snapshot");
        };
        let urls: Vec<&str> = candidate.files.iter().map(|file| &*file.url).collect();
        assert!(
            urls[0].ends_with(".zst") && urls[1].ends_with(".gz"),
            "{urls:?}"
        );
    }

    /// A quadratic search through ten thousand deltas would compare fifty million pairs.
    #[test]
    fn follows_a_long_chain_to_its_end() {
        let begin = day(1).unix_seconds();
        let moment = |n: i64| Timestamp::from_unix_seconds(begin + n).unwrap();
        let mut files: Vec<Collection> = (0..10_000)
            .rev()
            .map(|n| {
                let kind = CollectionKind::Delta {
                    period: None,
                    since: date(moment(n)),
                };
                file(kind, moment(n + 1), "scp.zst", 1)
            })
            .collect();
        let state = at(1, 1);
        let Step::Deltas(chain) = step(files.clone(), &state, 2) else {
            panic!("there is a chain");
        };
        assert_eq!(chain.len(), 10_000);
        assert_eq!(chain.last().unwrap().generated, moment(10_000));
        files.remove(5_000);
        assert_eq!(days(&step(files, &state, 2)), "stuck");
    }

    /// Declarations of sections without collections must not slow down the comparisons.
    #[test]
    fn sections_are_ordered_in_one_pass() {
        let collections = (0..10_000).map(|n| {
            let mut file = snapshot(1, 9);
            file.section = format!("section-{}", n % 1_000);
            file.pages = Some(n % 1_000);
            file
        });
        let mut block = block(collections.collect());
        block.sections = (0..600_000)
            .map(|n| sitecast_sitemap::Section {
                name: format!("section-{n}"),
                update_frequency: None,
                pages: (n == 7).then_some(sitecast_sitemap::PageCount {
                    pages: 5_000,
                    approximate: false,
                }),
            })
            .collect();
        let begun = std::time::Instant::now();
        let names = sections(&block);
        assert_eq!(names.len(), 1_000);
        assert_eq!(names[..2], ["section-7", "section-999"]);
        // An earlier version searched all declarations in each comparison, which took minutes.
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{:?}",
            begun.elapsed()
        );
    }

    #[test]
    fn the_widest_section_comes_first() {
        let mut files = vec![snapshot(1, 9), snapshot(1, 9), snapshot(1, 9)];
        for (file, (name, pages)) in files
            .iter_mut()
            .zip([("blog", 5), ("all", 10), ("web", 10)])
        {
            file.section = name.to_owned();
            file.pages = Some(pages);
        }
        assert_eq!(sections(&block(files)), ["all", "web", "blog"]);
    }
}
