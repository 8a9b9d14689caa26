//! Which collections to take: SCP draft 3, "Delta Collections", and our rulings on the chain.
//!
//! Nothing here fetches; what a sitemap says and how far we are decide.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use sitecast_index::SectionState;
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Collection, CollectionKind, Date, ScpBlock};

/// How far ahead of our clock a collection may have been made. Clocks differ by minutes; by a day they
/// are wrong.
pub const SKEW: i64 = 24 * 3600;
/// Candidates of one kind that are tried before giving up.
const TRIED: usize = 8;
/// Oddities of one section that are listed.
const ODDITIES: usize = 100;

/// One state of a section, in all the files that hold it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// When it was made.
    pub generated: Timestamp,
    /// Since when it has the changes; `None` if it has everything.
    pub since: Option<Timestamp>,
    /// Where it is, the best first: zstd, gzip, others.
    pub files: Vec<Collection>,
}

impl Candidate {
    /// Bytes of the best file, as the sitemap says.
    pub fn size(&self) -> Option<u64> {
        self.files.first().and_then(|file| file.size)
    }
}

/// What to do about a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What to take, and why.
    pub step: Step,
    /// Snapshots to take if that fails, the best first.
    pub instead: Vec<Candidate>,
    /// What the sitemap says that cannot be.
    pub oddities: Vec<String>,
}

/// What to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// There is nothing newer.
    UpToDate,
    /// Everything.
    Snapshot(Candidate, &'static str),
    /// These changes, in this order.
    Deltas(Vec<Candidate>),
    /// There is something newer, but no way to it.
    Stuck(String),
}

/// The sections that a sitemap has collections of, the widest first: by the number of pages it gives, or
/// the size of the snapshot; `all` before others of the same width.
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
    // Where a section is declared twice, the first declaration counts.
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
    /// Pages of the section, as it is declared.
    declared: Option<u64>,
    /// Pages of its largest snapshot.
    pages: Option<u64>,
    /// Bytes of its largest snapshot.
    size: Option<u64>,
    is_all: bool,
}

/// What to take of a section.
pub fn plan(
    block: &ScpBlock,
    section: &str,
    state: &SectionState,
    now: Timestamp,
    snapshot_every: Duration,
) -> Plan {
    let mut oddities = Vec::new();
    let candidates = gather(block, section, now, &mut oddities);
    let (snapshots, deltas): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|c| c.since.is_none());
    let newest_snapshot = snapshots.last().cloned();
    let mut instead: Vec<Candidate> = snapshots
        .into_iter()
        .rev()
        .filter(|snapshot| state.generated.is_none_or(|at| snapshot.generated > at))
        .take(TRIED)
        .collect();
    let step = choose(
        state,
        newest_snapshot,
        &deltas,
        now,
        snapshot_every,
        &mut oddities,
    );
    if let Step::Snapshot(chosen, _) = &step {
        instead.retain(|candidate| candidate != chosen);
    }
    Plan {
        step,
        instead,
        oddities,
    }
}

fn choose(
    state: &SectionState,
    snapshot: Option<Candidate>,
    deltas: &[Candidate],
    now: Timestamp,
    snapshot_every: Duration,
    oddities: &mut Vec<String>,
) -> Step {
    let Some(at) = state.generated else {
        return match snapshot {
            Some(snapshot) => Step::Snapshot(snapshot, "nothing of it is here yet"),
            None => Step::Stuck("there is no snapshot to begin with".to_owned()),
        };
    };
    let newer = snapshot.clone().filter(|s| s.generated > at);
    let newest = newer
        .iter()
        .chain(deltas.last())
        .map(|c| c.generated)
        .max()
        .filter(|newest| *newest > at);
    // Also one that is no newer than the deltas we have says what is gone.
    let unseen = snapshot.filter(|s| state.snapshot.is_none_or(|seen| s.generated > seen));
    let since_snapshot = state.snapshot.map_or(i64::MAX, |seen| {
        now.unix_seconds().saturating_sub(seen.unix_seconds())
    });
    let is_due = since_snapshot >= i64::try_from(snapshot_every.as_secs()).unwrap_or(i64::MAX);
    if is_due && let Some(snapshot) = unseen {
        return Step::Snapshot(snapshot, "the last one was taken long ago");
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
            oddities.push("the deltas leave a gap that no snapshot closes".to_owned());
            Step::Stuck("the deltas leave a gap, and there is no newer snapshot".to_owned())
        }
    }
}

/// The deltas that lead from `at` to `newest` without a gap.
fn chain(at: Timestamp, newest: Timestamp, deltas: &[Candidate]) -> Option<Vec<Candidate>> {
    let mut by_since: Vec<&Candidate> = deltas.iter().collect();
    by_since.sort_by_key(|delta| (delta.since, delta.generated));
    let mut by_since = by_since.into_iter().peekable();
    let mut reached = at;
    let mut farthest: Option<&Candidate> = None;
    let mut chain = Vec::new();
    while reached < newest {
        // Of those that follow on, the one that leads farthest: a weekly delta saves daily ones.
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

/// The collections of a section as candidates, the oldest first; what has expired or cannot be is left out.
fn gather(
    block: &ScpBlock,
    section: &str,
    now: Timestamp,
    oddities: &mut Vec<String>,
) -> Vec<Candidate> {
    let mut states: BTreeMap<(Timestamp, Option<Timestamp>), Vec<Collection>> = BTreeMap::new();
    let latest = now.unix_seconds().saturating_add(SKEW);
    for file in block.collections.iter().filter(|c| c.section == section) {
        if file.generated.unix_seconds() > latest {
            if oddities.len() < ODDITIES {
                oddities.push(format!(
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

/// By its name, which is only what to try first: what it is, its bytes tell.
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
    fn the_first_time_the_newest_snapshot_is_taken() {
        let files = vec![snapshot(2, 9), snapshot(1, 9), delta(2, 3, 1)];
        let step = step(files, &SectionState::default(), 3);
        assert_eq!(days(&step), "snapshot 02");
    }

    #[test]
    fn later_the_deltas_are_taken_in_order_if_there_is_no_gap() {
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
        // One that leads farther saves the others.
        let files = vec![delta(1, 2, 1), delta(2, 3, 1), delta(1, 3, 1)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "deltas 03");
    }

    #[test]
    fn the_snapshot_is_taken_when_it_is_cheaper_or_due() {
        let files = vec![delta(1, 2, 60), delta(2, 3, 60), snapshot(3, 100)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "snapshot 03");
        let files = vec![delta(1, 2, 1), snapshot(2, 100)];
        assert_eq!(days(&step(files.clone(), &at(1, 1), 7)), "deltas 02");
        assert_eq!(days(&step(files.clone(), &at(1, 1), 8)), "snapshot 02");
        // Everything is here already, but what is gone may not be known.
        assert_eq!(days(&step(files.clone(), &at(2, 1), 8)), "snapshot 02");
        assert_eq!(days(&step(files, &at(2, 2), 20)), "up to date");
    }

    #[test]
    fn what_has_expired_is_as_good_as_gone() {
        let mut expired = delta(1, 2, 1);
        expired.expires = Some(date(day(4)));
        let files = vec![expired, snapshot(2, 100)];
        assert_eq!(days(&step(files, &at(1, 1), 5)), "snapshot 02");
    }

    #[test]
    fn what_is_from_the_future_is_not_taken_and_said() {
        let files = vec![snapshot(1, 9), snapshot(20, 9)];
        let plan = plan(&block(files), "all", &SectionState::default(), day(2), WEEK);
        assert_eq!(days(&plan.step), "snapshot 01");
        assert!(plan.oddities[0].contains("in the future"), "{plan:?}");
        // Some hours are only another clock.
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

    /// Ten thousand deltas that follow on each other; a quadratic chain would compare fifty million pairs,
    /// and a search per candidate as many again.
    #[test]
    fn a_long_chain_is_followed_to_its_end() {
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

    /// The declarations of other sections than those that have collections cost nothing but a look.
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
        // It took minutes where each comparison looked at everything.
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
