//! The collections of a section, in the order in which they were made.

use sitecast_scp::{Checksum, Compression, Identifier, Timestamp};
use sitecast_sitemap::{Collection as Named, CollectionKind as NamedKind, Date, ScpBlock};
use sitecast_storage::StorePath;

use crate::Options;

/// All collections of a section that a publication names, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) links: Vec<Link>,
}

/// One collection, in as many files as there are compressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) kind: LinkKind,
    pub(crate) generated: Timestamp,
    pub(crate) expires: Timestamp,
    pub(crate) pages: u64,
    /// `None` if only the collection itself says it.
    pub(crate) checksum: Option<Checksum>,
    pub(crate) files: Vec<CollectionFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkKind {
    /// A delta comes before the snapshot of the same time.
    Delta {
        since: Timestamp,
    },
    Snapshot,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CollectionFile {
    pub(crate) path: StorePath,
    pub(crate) compression: Compression,
    pub(crate) size: u64,
}

impl Chain {
    /// Returns the time of the newest collection.
    pub(crate) fn head(&self) -> Option<Timestamp> {
        self.links.iter().map(|link| link.generated).max()
    }

    /// The newest snapshot.
    pub(crate) fn snapshot(&self) -> Option<&Link> {
        self.links
            .iter()
            .rfind(|link| link.kind == LinkKind::Snapshot)
    }

    /// The newest snapshot and the deltas after it: all that is needed to know the present.
    pub(crate) fn present(&self) -> Vec<&Link> {
        let Some(snapshot) = self.snapshot() else {
            return Vec::new();
        };
        let deltas = self.deltas_since(snapshot.generated);
        std::iter::once(snapshot).chain(deltas).collect()
    }

    pub(crate) fn deltas_since(&self, time: Timestamp) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| {
            matches!(link.kind, LinkKind::Delta { .. }) && link.generated > time
        })
    }

    /// Oldest first; of the files of a collection the smallest kind first.
    pub(crate) fn sort(&mut self) {
        self.links.sort_by_key(|link| (link.generated, link.kind));
        for link in &mut self.links {
            link.files.sort_by_key(|file| match file.compression {
                Compression::Zstd => 0,
                Compression::Gzip => 1,
                Compression::None => 2,
            });
        }
    }

    pub(crate) fn add(&mut self, link: Link) {
        self.links.push(link);
        self.sort();
    }
}

impl Link {
    /// The size of the smallest file.
    pub(crate) fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).min().unwrap_or(0)
    }
}

/// The chains of all sections that a sitemap tells of, as far as their files are within reach.
pub(crate) fn chains_of(scp: &ScpBlock, options: &Options) -> Vec<(String, Chain)> {
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for named in &scp.collections {
        let Some(link) = link_of(named, options) else {
            continue;
        };
        let at = chains.iter().position(|(name, _)| *name == named.section);
        let at = at.unwrap_or_else(|| {
            chains.push((named.section.clone(), Chain::default()));
            chains.len() - 1
        });
        if let Some((_, chain)) = chains.get_mut(at) {
            join(chain, link);
        }
    }
    for (_, chain) in &mut chains {
        chain.sort();
    }
    chains
}

/// Files of the same collection are one link.
pub(crate) fn join(chain: &mut Chain, link: Link) {
    let same = |known: &&mut Link| known.kind == link.kind && known.generated == link.generated;
    match chain.links.iter_mut().find(same) {
        Some(known) => known.files.extend(link.files),
        None => chain.links.push(link),
    }
}

/// Returns the compression that the name of a file states. Readers detect it by the bytes.
pub(crate) fn compression_of(path: &StorePath) -> Compression {
    [Compression::Zstd, Compression::Gzip]
        .into_iter()
        .find(|known| path.as_str().ends_with(known.extension()))
        .unwrap_or(Compression::None)
}

fn link_of(named: &Named, options: &Options) -> Option<Link> {
    let path = options.path_of_collection(&named.url)?;
    let compression = compression_of(&path);
    let generated = time(named.generated)?;
    Some(Link {
        kind: match &named.kind {
            NamedKind::Snapshot => LinkKind::Snapshot,
            NamedKind::Delta { since, .. } => LinkKind::Delta {
                since: time(*since)?,
            },
        },
        generated,
        expires: named.expires.and_then(time).unwrap_or(generated),
        pages: named.pages.unwrap_or(0),
        checksum: None,
        files: vec![CollectionFile {
            path,
            compression,
            size: named.size.unwrap_or(0),
        }],
    })
}

/// Returns the chains as a sitemap names them. The newest come first: a reader that takes the first one
/// that it finds does well.
pub(crate) fn named(section: &str, chain: &Chain, options: &Options) -> Vec<Named> {
    let mut all = Vec::new();
    for link in chain.links.iter().rev() {
        for file in &link.files {
            all.push(Named {
                section: section.to_owned(),
                kind: match link.kind {
                    LinkKind::Snapshot => NamedKind::Snapshot,
                    LinkKind::Delta { since } => NamedKind::Delta {
                        period: Some(stamp(link.generated)),
                        since: date(since),
                    },
                },
                url: options.url_of_collection(&file.path),
                generated: date(link.generated),
                expires: Some(date(link.expires)),
                pages: Some(link.pages),
                size: Some(file.size),
                checksum: None,
            });
        }
    }
    all
}

fn time(date: Date) -> Option<Timestamp> {
    Timestamp::from_unix_seconds(date.unix_seconds())
}

pub(crate) fn date(time: Timestamp) -> Date {
    // A timestamp's years are those of a date.
    Date::from_unix(time.unix_seconds(), 0).unwrap_or(Date::UNIX_EPOCH)
}

/// A time as it stands in names: `20250115T100000Z`.
pub(crate) fn stamp(time: Timestamp) -> String {
    let seconds = Timestamp::from_unix_seconds(time.unix_seconds()).unwrap_or(time);
    seconds
        .to_string()
        .chars()
        .filter(|c| !matches!(c, '-' | ':'))
        .collect()
}

/// The file name of a collection, without the ending for its compression.
pub(crate) fn name_of(section: &Identifier, kind: LinkKind, generated: Timestamp) -> String {
    let kind = match kind {
        LinkKind::Snapshot => "snapshot",
        LinkKind::Delta { .. } => "delta",
    };
    format!("{section}-{kind}-{}", stamp(generated))
}

/// Parses the file name of a collection: section, kind, time.
pub(crate) fn parse_name(file: &str) -> Option<(&str, bool, Timestamp)> {
    let stem = file.split_once(".scp").map(|(stem, _)| stem)?;
    let (rest, stamp) = stem.rsplit_once('-')?;
    let (section, kind) = rest.rsplit_once('-')?;
    let is_snapshot = match kind {
        "snapshot" => true,
        "delta" => false,
        _ => return None,
    };
    let (date, clock) = stamp.split_once('T')?;
    let part = |text: &'_ str, at: std::ops::Range<usize>| text.get(at).map(str::to_owned);
    let spelled = format!(
        "{}-{}-{}T{}:{}:{}",
        part(date, 0..4)?,
        part(date, 4..6)?,
        part(date, 6..8)?,
        part(clock, 0..2)?,
        part(clock, 2..4)?,
        part(clock, 4..7)?,
    );
    Some((section, is_snapshot, spelled.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn names_say_what_a_collection_is() {
        let generated = time("2025-01-15T10:00:59Z");
        let name = name_of(&"my-blog".parse().unwrap(), LinkKind::Snapshot, generated);
        assert_eq!(name, "my-blog-snapshot-20250115T100059Z");
        assert_eq!(
            parse_name(&format!("{name}.scp.zst")),
            Some(("my-blog", true, generated))
        );
        for other in [
            "x.scp.zst",
            "a-b-c.scp",
            "all-snapshot-20251315T100059Z.scp.gz",
            "é-é-é",
        ] {
            assert_eq!(parse_name(other), None, "{other}");
        }
    }

    #[test]
    fn the_present_is_the_newest_snapshot_and_what_came_after() {
        let link = |kind, generated: &str| Link {
            kind,
            generated: time(generated),
            expires: time("2026-01-01T00:00:00Z"),
            pages: 1,
            checksum: None,
            files: Vec::new(),
        };
        let delta = |since: &str| LinkKind::Delta { since: time(since) };
        let mut chain = Chain::default();
        chain.add(link(LinkKind::Snapshot, "2025-01-03T00:00:00Z"));
        chain.add(link(delta("2025-01-02T00:00:00Z"), "2025-01-03T00:00:00Z"));
        chain.add(link(LinkKind::Snapshot, "2025-01-01T00:00:00Z"));
        chain.add(link(delta("2025-01-03T00:00:00Z"), "2025-01-04T00:00:00Z"));
        chain.add(link(delta("2025-01-01T00:00:00Z"), "2025-01-02T00:00:00Z"));
        let present: Vec<String> = chain
            .present()
            .iter()
            .map(|link| link.generated.to_string())
            .collect();
        assert_eq!(present, ["2025-01-03T00:00:00Z", "2025-01-04T00:00:00Z"]);
        assert_eq!(chain.head(), Some(time("2025-01-04T00:00:00Z")));
    }
}
