//! Hints that are printed below the errors of `check`: the setting or flag that helps.

use sitecast_check::{Cause, Finding, Report};
use sitecast_sitemap::ReadErrorKind as SitemapError;
use sitecast_sync::SyncError;
use sitecast_tct::PageError;
use sitecast_tct::sitemap::ReadErrorKind as JsonSitemapError;
use url::Url;

use crate::commands::{sync, url_hint};
use crate::failure::{collection_hint, io_hint};

/// Returns the hint for a finding, if there is one.
pub(super) fn hint(report: &Report, finding: &Finding) -> Option<String> {
    let hint = match &finding.cause {
        Some(Cause::Fetch(error)) => {
            let failure = sync::failure(&SyncError::from(error.clone()));
            return failure.hint_text().map(str::to_owned);
        }
        Some(Cause::Io(kind)) => io_hint(*kind),
        Some(Cause::Url(problem)) => Some(url_hint(problem)),
        Some(Cause::Collection(error)) => collection_hint(error),
        Some(Cause::Sitemap(error)) => sitemap_hint(&error.kind),
        Some(Cause::JsonSitemap(error)) => json_sitemap_hint(&error.kind),
        Some(Cause::MachinePage(PageError::TooLarge(_))) => {
            Some("to read it anyway, raise `page_bytes` under `[tct.limits]` in sitecast.toml")
        }
        _ => match finding.code {
            "hash-mismatch" => Some(
                "if it was downloaded, download it again; if that does not help, its publisher must write it again",
            ),
            "nothing-to-check" => Some("name the folder that is served as the site's top"),
            "status" => {
                let is_homepage = Url::parse(&report.target).is_ok_and(|url| url.path() == "/");
                Some(match is_homepage {
                    true => "a website without a homepage is looked at with --site",
                    false => "check the URL, or try again later",
                })
            }
            _ => None,
        },
    };
    hint.map(str::to_owned)
}

fn sitemap_hint(error: &SitemapError) -> Option<&'static str> {
    Some(match error {
        SitemapError::Decompress(_) | SitemapError::CutShort(_) => {
            "if it was downloaded, download it again; else write it again"
        }
        SitemapError::TooLarge(_) => {
            "to read it anyway, raise `bytes` under `[sitemap.limits]` in sitecast.toml"
        }
        SitemapError::TokenTooLong(_) => {
            "to read it anyway, raise `token_bytes` under `[sitemap.limits]` in sitecast.toml"
        }
        SitemapError::TooManyEntries(_) => {
            "to read it anyway, raise `entries` under `[sitemap.limits]` in sitecast.toml"
        }
        SitemapError::TooDeep(_) => {
            "to read it anyway, raise `nesting` under `[sitemap.limits]` in sitecast.toml"
        }
        SitemapError::Doctype => "remove the declaration; sitemaps need none",
        SitemapError::NotASitemap(_) => {
            "a sitemap is XML with `<urlset>` or `<sitemapindex>`, RSS, Atom, or one URL on a line"
        }
        _ => return None,
    })
}

fn json_sitemap_hint(error: &JsonSitemapError) -> Option<&'static str> {
    Some(match error {
        JsonSitemapError::CutShort => {
            "if it was downloaded, download it again; else write it again"
        }
        JsonSitemapError::TooLarge(_) => {
            "to read it anyway, raise `sitemap_bytes` under `[tct.limits]` in sitecast.toml"
        }
        JsonSitemapError::TooManyItems(_) => {
            "to read it anyway, raise `items` under `[tct.limits]` in sitecast.toml"
        }
        _ => return None,
    })
}
