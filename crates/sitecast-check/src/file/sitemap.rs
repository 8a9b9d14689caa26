//! Reading a sitemap: XML, text, RSS or Atom.

use std::io::Read;

use sitecast_scp::Compression;
use sitecast_sitemap::{Event, Limits, ReadErrorKind, ReaderOptions, ScpCollector, SitemapKind};
use url::Url;

use super::References;
use crate::report::facts::{Facts, SitemapFacts};
use crate::report::{Cause, Finding, Report};

/// The total size of the names of other sitemaps that are kept from one index, in bytes.
const NAME_BYTES: usize = 16 << 20;

pub(super) fn check(
    source: impl Read,
    limits: &Limits,
    base: Option<&Url>,
    report: &mut Report,
    references: &mut References,
) {
    let options = ReaderOptions {
        limits: limits.clone(),
        base: base.cloned(),
    };
    let mut reader = options.read(source);
    let mut scp = ScpCollector::default();
    let mut name_bytes = 0;
    loop {
        match reader.next_event() {
            Ok(Some(Event::Warning(warning))) => report.warning(
                warning.code(),
                Some(warning.line),
                warning.url.as_deref(),
                &warning.kind,
            ),
            Ok(Some(Event::Sitemap(child)))
                if references.sitemaps.len() < limits.sitemaps
                    && name_bytes + child.loc.len() <= NAME_BYTES =>
            {
                name_bytes += child.loc.len();
                references.sitemaps.push(child.loc);
            }
            Ok(Some(Event::Scp(entry))) => {
                scp.add(entry);
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                if let ReadErrorKind::Io(error) = &error.kind {
                    report.io_error(error);
                } else {
                    let finding = Finding::new(error.code(), error.to_string())
                        .at_line(Some(error.position.line));
                    report.error(finding.caused_by(Cause::Sitemap(error)));
                }
                break;
            }
        }
    }
    if scp.is_truncated() {
        let message = "more sections or collections than an agent looks at; the rest was left out";
        report.warning("too-many-collections", None, None, &message);
    }
    references.scp = scp.into_block();
    let counts = reader.counts();
    if counts.urls + counts.sitemaps == 0 && counts.left_out > 0 {
        report.nothing_usable();
    }
    let compression = if counts.gzip {
        Compression::Gzip
    } else {
        Compression::None
    };
    report.set_sizes(counts.stored_bytes, counts.bytes, compression);
    let format = reader.kind().map(|kind| match kind {
        SitemapKind::UrlSet | SitemapKind::Index => "xml",
        SitemapKind::Text => "text",
        SitemapKind::Rss => "rss",
        SitemapKind::Atom => "atom",
    });
    report.set_facts(Facts::Sitemap(SitemapFacts {
        index: reader.kind() == Some(SitemapKind::Index),
        format,
        urls: counts.urls,
        sitemaps: counts.sitemaps,
        alternates: counts.alternates,
        scp_sections: counts.sections,
        scp_collections: counts.collections,
        rejected_urls: counts.left_out,
    }));
}
