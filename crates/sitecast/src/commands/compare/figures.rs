//! What was measured: the shape that `--json` prints, and from which the rest is printed.

use serde::Serialize;

use crate::output::human;

/// Bytes that stand for one token.
pub(super) const BYTES_PER_TOKEN: u64 = 4;

/// All of it. docs/compare.md describes every member.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) version: u32,
    /// When.
    pub(super) measured: String,
    pub(super) source: String,
    pub(super) site: String,
    /// Pages that are compared.
    pub(super) pages: u64,
    /// What is not published, and so not compared.
    pub(super) excluded: u64,
    pub(super) change: Change,
    pub(super) ways: Vec<WayFigures>,
    pub(super) html: HtmlBytes,
    pub(super) collections: Vec<CollectionBytes>,
    pub(super) parsing: Parsing,
    pub(super) tokens: Tokens,
    pub(super) savings: Savings,
    pub(super) targets: Vec<Target>,
    /// What fetching the pages from the live site took.
    pub(super) live: Option<Fetched>,
    /// What the live site offers itself.
    pub(super) offered: Option<Fetched>,
    pub(super) notes: Vec<String>,
}

/// The change between the first visit and the last.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    pub(super) kind: ChangeKind,
    pub(super) new: u64,
    pub(super) changed: u64,
    pub(super) deleted: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ChangeKind {
    /// A sentence was added to some pages.
    Simulated,
    /// Another folder was given.
    Folder,
}

/// A way to have a site's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Way {
    HtmlGzip,
    HtmlBr,
    ScpGzip,
    ScpZstd,
    TctGzip,
}

impl Way {
    /// As a person reads it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::HtmlGzip => "HTML gzip",
            Self::HtmlBr => "HTML br",
            Self::ScpGzip => "SCP gzip",
            Self::ScpZstd => "SCP zstd",
            Self::TctGzip => "TCT gzip",
        }
    }
}

/// What one way costs.
#[derive(Debug, Serialize)]
pub(super) struct WayFigures {
    pub(super) way: Way,
    /// Pages that are had in this way.
    pub(super) pages: u64,
    pub(super) first: Visit,
    pub(super) unchanged: Visit,
    pub(super) changed: Visit,
}

/// One visit to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct Visit {
    pub(super) requests: u64,
    /// Bodies as they were sent, and headers.
    pub(super) bytes: u64,
}

/// The HTML of all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct HtmlBytes {
    pub(super) uncompressed_bytes: u64,
    pub(super) gzip_bytes: u64,
    pub(super) br_bytes: u64,
}

/// A collection that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct CollectionBytes {
    /// `snapshot` or `delta`.
    pub(super) kind: &'static str,
    /// On the `first` visit, or on the one after the change: `changed`.
    pub(super) visit: &'static str,
    pub(super) pages: u64,
    pub(super) uncompressed_bytes: u64,
    pub(super) gzip_bytes: u64,
    pub(super) zstd_bytes: u64,
}

/// Time for a page, on one thread, in microseconds: the least of some runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Parsing {
    pub(super) runs: u32,
    /// Pages of HTML that were timed.
    pub(super) sampled_pages: u64,
    /// HTML to a page: parsed, its content found.
    pub(super) html_extract_us: f64,
    /// HTML to a tree, and nothing made of it.
    pub(super) html_parse_us: f64,
    /// A page out of the collection: decompressed, verified, read.
    pub(super) scp_read_us: f64,
}

/// An approximation that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Tokens {
    pub(super) bytes_per_token: u64,
    /// Of the HTML as it is.
    pub(super) html: u64,
    /// Of the collection's lines as they are.
    pub(super) scp: u64,
    /// Of the collection's pages, written as Markdown.
    pub(super) markdown: u64,
}

/// The share that SCP with zstd saves against HTML with gzip; below zero if it costs more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Savings {
    pub(super) first_bytes: f64,
    pub(super) first_requests: f64,
    /// Against asking for every page whether it changed.
    pub(super) changed_bytes: f64,
    /// Against fetching every page again.
    pub(super) changed_bytes_whole: f64,
    pub(super) changed_requests: f64,
    /// Against parsing HTML and finding its content.
    pub(super) parsing: f64,
    /// Against merely parsing it.
    pub(super) parsing_alone: f64,
    /// Of Markdown against HTML.
    pub(super) tokens: f64,
}

/// What the protocol's first draft promises, and whether it is kept here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Target {
    pub(super) name: &'static str,
    /// The least that is promised.
    pub(super) target: f64,
    pub(super) measured: f64,
    pub(super) met: bool,
}

/// What came over the network.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Fetched {
    /// `scp`, `tct` or `html`.
    pub(super) way: &'static str,
    pub(super) pages: u64,
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

impl Comparison {
    /// How many of the pages were compared, if not all that came from a live site were.
    pub(super) fn incomplete(&self) -> Option<String> {
        let live = self.live.filter(|live| live.pages > self.pages)?;
        Some(format!(
            "only {} of the {} that were fetched",
            human::count(self.pages),
            human::counted(live.pages, "page"),
        ))
    }

    /// What a way costs.
    pub(super) fn of(&self, way: Way) -> Option<&WayFigures> {
        self.ways.iter().find(|figures| figures.way == way)
    }
}

impl Savings {
    pub(super) fn of(ways: &[WayFigures], parsing: &Parsing, tokens: &Tokens) -> Self {
        let find = |way: Way| ways.iter().find(|figures| figures.way == way);
        let both = |pick: &dyn Fn(&WayFigures) -> u64, from: &dyn Fn(&WayFigures) -> u64| {
            let new = find(Way::ScpZstd).map_or(0, pick);
            let old = find(Way::HtmlGzip).map_or(0, from);
            saved(new as f64, old as f64)
        };
        let same = |pick: &dyn Fn(&WayFigures) -> u64| both(pick, pick);
        Self {
            first_bytes: same(&|way| way.first.bytes),
            first_requests: same(&|way| way.first.requests),
            changed_bytes: same(&|way| way.changed.bytes),
            changed_bytes_whole: both(&|way| way.changed.bytes, &|way| way.first.bytes),
            changed_requests: same(&|way| way.changed.requests),
            parsing: saved(parsing.scp_read_us, parsing.html_extract_us),
            parsing_alone: saved(parsing.scp_read_us, parsing.html_parse_us),
            tokens: saved(tokens.markdown as f64, tokens.html as f64),
        }
    }

    /// Held against SCP's first draft, "Key benefits".
    pub(super) fn targets(&self) -> Vec<Target> {
        [
            ("first-visit-bytes", 0.5, self.first_bytes),
            ("changed-bytes", 0.9, self.changed_bytes_whole),
            ("requests", 0.9, self.first_requests),
            ("parsing", 0.9, self.parsing),
        ]
        .into_iter()
        .map(|(name, target, measured)| Target {
            name,
            target,
            measured,
            met: measured >= target,
        })
        .collect()
    }
}

/// The share that is saved, to four digits.
fn saved(new: f64, old: f64) -> f64 {
    if old <= 0.0 {
        return 0.0;
    }
    ((1.0 - new / old) * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_more_saves_less_than_nothing() {
        assert_eq!(saved(25.0, 100.0), 0.75);
        assert_eq!(saved(150.0, 100.0), -0.5);
        assert_eq!(saved(1.0, 0.0), 0.0);
        assert_eq!(saved(1.0, 3.0), 0.6667);
    }
}
