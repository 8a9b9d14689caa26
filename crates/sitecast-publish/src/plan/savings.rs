//! Figures for the report: what agents save, and which crawlers robots.txt keeps from published pages.

use sitecast_sitemap::Robots;

use super::PreparedSection;
use crate::collections::{Chain, LinkKind};
use crate::ledger::{Ledger, SectionBits};
use crate::report::{NamedCrawlers, Savings};
use crate::template::HtmlSizes;

/// Counts the published pages that robots.txt disallows for crawlers that it names.
pub(super) fn named_crawlers(robots: &Robots, ledger: &Ledger) -> NamedCrawlers {
    let named = robots.named_groups();
    let mut found = NamedCrawlers::default();
    if named.is_empty() {
        return found;
    }
    let mut seen = vec![false; named.len()];
    for (url, _) in ledger.iter().filter(|(_, known)| known.sections != 0) {
        let mut is_disallowed = false;
        for (seen, group) in seen.iter_mut().zip(&named) {
            if group.disallows(url) {
                is_disallowed = true;
                *seen = true;
            }
        }
        found.pages += u64::from(is_disallowed);
    }
    let met = named.iter().zip(seen).filter(|(_, seen)| *seen);
    found.crawlers = met
        .flat_map(|(group, _)| group.names.iter().cloned())
        .collect();
    found
}

/// Compares the collections with the HTML of all pages.
pub(crate) fn savings(
    chains: &[Chain],
    prepared: &[PreparedSection],
    ledger: &Ledger,
    html: HtmlSizes,
) -> Savings {
    let in_collections = || ledger.iter().filter(|(_, known)| known.sections != 0);
    let pages = in_collections().count() as u64;
    let new = |number: usize, is_snapshot: bool| {
        let mut links = prepared
            .iter()
            .filter(|prepared| prepared.number == number)
            .map(|prepared| &prepared.collection.link)
            .filter(|link| (link.kind == LinkKind::Snapshot) == is_snapshot);
        links.next().map(|link| link.size())
    };
    let is_whole_site = |number: &usize| {
        let bit: SectionBits = 1 << *number;
        in_collections().all(|(_, known)| known.sections & bit != 0)
    };
    // A section of all pages stands for the site, since the others repeat parts of it. Without one an agent takes all.
    let sections = match (0..chains.len()).find(is_whole_site) {
        Some(number) => number..number + 1,
        None => 0..chains.len(),
    };
    let snapshot = |number: usize| {
        let old = || Some(chains.get(number)?.snapshot()?.size());
        new(number, true).or_else(old)
    };
    Savings {
        pages,
        html_gzip_bytes: html.gzip_bytes_of(pages),
        sampled_pages: html.weighed_pages,
        snapshot_bytes: sections.clone().filter_map(snapshot).sum(),
        delta_bytes: sections.filter_map(|number| new(number, false)).sum(),
    }
}
