use std::io::Read;

use sitecast_scp::Compression;
use sitecast_sitemap::{Event, Limits, ReadErrorKind, ReaderOptions, ScpCollector, SitemapKind};
use url::Url;

use super::file::Named;
use crate::output::report::{Facts, SitemapFacts, TargetReport};

/// Bytes of the names of other sitemaps that are kept of one index.
const NAME_BYTES: usize = 16 << 20;

pub(super) fn check(
    source: impl Read,
    limits: &Limits,
    base: Option<&Url>,
    report: &mut TargetReport,
    named: &mut Named,
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
                if named.sitemaps.len() < limits.sitemaps
                    && name_bytes + child.loc.len() <= NAME_BYTES =>
            {
                name_bytes += child.loc.len();
                named.sitemaps.push(child.loc);
            }
            Ok(Some(Event::Scp(entry))) => {
                scp.add(entry);
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                match &error.kind {
                    ReadErrorKind::Io(error) => report.io_error(error),
                    kind => {
                        let line = Some(error.position.line);
                        report.finding(error.code(), line, error.to_string(), hint(kind));
                    }
                }
                break;
            }
        }
    }
    if scp.is_truncated() {
        let message = "more sections or collections than an agent looks at; the rest was left out";
        report.warning("too-many-collections", None, None, &message);
    }
    named.scp = scp.into_block();
    let counts = reader.counts();
    if counts.urls + counts.sitemaps == 0 && counts.left_out > 0 {
        report.nothing_usable();
    }
    let compression = if counts.gzip {
        Compression::Gzip
    } else {
        Compression::None
    };
    report.sizes(counts.stored_bytes, counts.bytes, compression);
    let format = reader.kind().map(|kind| match kind {
        SitemapKind::UrlSet | SitemapKind::Index => "xml",
        SitemapKind::Text => "text",
        SitemapKind::Rss => "rss",
        SitemapKind::Atom => "atom",
    });
    report.facts(Facts::Sitemap(SitemapFacts {
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

fn hint(kind: &ReadErrorKind) -> Option<&'static str> {
    Some(match kind {
        ReadErrorKind::Decompress(_) | ReadErrorKind::CutShort(_) => {
            "if it was downloaded, download it again; else write it again"
        }
        ReadErrorKind::TooLarge(_) => {
            "to read it anyway, raise `bytes` under `[sitemap.limits]` in sitecast.toml"
        }
        ReadErrorKind::TokenTooLong(_) => {
            "to read it anyway, raise `token_bytes` under `[sitemap.limits]` in sitecast.toml"
        }
        ReadErrorKind::TooManyEntries(_) => {
            "to read it anyway, raise `entries` under `[sitemap.limits]` in sitecast.toml"
        }
        ReadErrorKind::TooDeep(_) => {
            "to read it anyway, raise `nesting` under `[sitemap.limits]` in sitecast.toml"
        }
        ReadErrorKind::Doctype => "remove the declaration; sitemaps need none",
        ReadErrorKind::NotASitemap(_) => {
            "a sitemap is XML with `<urlset>` or `<sitemapindex>`, RSS, Atom, or one URL on a line"
        }
        _ => return None,
    })
}
