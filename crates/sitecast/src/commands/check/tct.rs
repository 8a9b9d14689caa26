//! The formats of the Collaboration Tunnel Protocol.

use std::io::Read;

use sitecast_tct::sitemap::{Event, ReadErrorKind, SitemapKind, SitemapReader, WarningKind};
use sitecast_tct::{Limits, PageError, Policy, ReadPage, Verification};

use super::file::{Named, read_failure, read_limited};
use super::http::is_loopback;
use crate::output::report::{
    Facts, HashResult, JsonSitemapFacts, MachinePageFacts, PolicyFacts, TargetReport,
};

/// JSON sitemaps of one site that are looked at.
const SITEMAPS: usize = 1_000;

pub(super) fn sitemap(
    source: &mut impl Read,
    gzip: bool,
    limits: &Limits,
    report: &mut TargetReport,
    named: &mut Named,
) {
    let mut reader = SitemapReader::new(source, limits);
    loop {
        match reader.next_event() {
            // An agent can go on after these; the file is wrong nevertheless.
            Ok(Some(Event::Warning(warning)))
                if matches!(
                    warning.kind,
                    WarningKind::NotJson(_) | WarningKind::TrailingContent
                ) =>
            {
                let line = Some(warning.line);
                report.finding(warning.code(), line, warning.to_string(), None);
            }
            // What a machine says to itself nobody can listen to.
            Ok(Some(Event::Warning(warning)))
                if matches!(warning.kind, WarningKind::NotHttps(_))
                    && warning.url.as_deref().is_some_and(is_loopback) => {}
            Ok(Some(Event::Warning(warning))) => {
                let message = match warning.item {
                    Some(item) => format!("item {item}: {}", warning.kind),
                    None => warning.kind.to_string(),
                };
                let url = warning.url.as_deref();
                report.warning(warning.code(), Some(warning.line), url, &message);
            }
            Ok(Some(Event::Sitemap(child))) if named.json_sitemaps.len() < SITEMAPS => {
                named.json_sitemaps.push(child);
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                match &error.kind {
                    ReadErrorKind::Io(error) => read_failure(error, gzip, report),
                    kind => {
                        let line = Some(error.position.line);
                        report.finding(error.code(), line, error.to_string(), hint(kind));
                    }
                }
                break;
            }
        }
    }
    let counts = reader.counts();
    if counts.items + counts.sitemaps == 0 && counts.left_out > 0 {
        report.nothing_usable();
    }
    report.uncompressed(counts.bytes);
    report.facts(Facts::JsonSitemap(JsonSitemapFacts {
        index: reader.kind() == Some(SitemapKind::Index),
        items: counts.items,
        sitemaps: counts.sitemaps,
        rejected_items: counts.left_out,
    }));
}

fn hint(kind: &ReadErrorKind) -> Option<&'static str> {
    Some(match kind {
        ReadErrorKind::CutShort => "if it was downloaded, download it again; else write it again",
        ReadErrorKind::TooLarge(_) => {
            "to read it anyway, raise `sitemap_bytes` under `[tct.limits]` in sitecast.toml"
        }
        ReadErrorKind::TooManyItems(_) => {
            "to read it anyway, raise `items` under `[tct.limits]` in sitecast.toml"
        }
        _ => return None,
    })
}

pub(super) fn page(source: &mut impl Read, gzip: bool, limits: &Limits, report: &mut TargetReport) {
    let mut facts = MachinePageFacts::default();
    if let Some(bytes) = read_limited(source, limits.page_bytes, gzip, report) {
        report.uncompressed(bytes.len() as u64);
        match ReadPage::parse(&bytes, limits.page_bytes) {
            Err(error) => {
                let hint = matches!(error, PageError::TooLarge(_)).then_some(
                    "to read it anyway, raise `page_bytes` under `[tct.limits]` in sitecast.toml",
                );
                report.finding(error.code(), None, error.to_string(), hint);
            }
            Ok(page) => {
                for warning in &page.warnings {
                    report.warning(warning.code(), None, None, warning);
                }
                let result = match page.verification {
                    Verification::MethodA => HashResult::MethodA,
                    Verification::MethodB => HashResult::MethodB,
                    Verification::Absent => HashResult::Absent,
                    Verification::Mismatch => HashResult::Mismatch,
                };
                if result == HashResult::Mismatch {
                    mismatch(&page, report);
                }
                facts = MachinePageFacts {
                    canonical_url: Some(page.canonical_url.as_str().to_owned()),
                    title: Some(page.title),
                    content_bytes: page.content.len() as u64,
                    hash: page.hash,
                    computed_hash: Some(page.method_a.to_string()),
                    verification: Some(result),
                };
            }
        }
    }
    report.facts(Facts::MachinePage(facts));
}

fn mismatch(page: &ReadPage, report: &mut TargetReport) {
    report.not_as_declared("hash mismatch");
    let message = format!(
        "hash mismatch: the page says {}, the SHA-256 of its canonical JSON (RFC 8785) without \
         `hash` is {}, and that of its normalised content is another one, too",
        page.hash.as_deref().unwrap_or_default(),
        page.method_a
    );
    let hint = "if it was downloaded, download it again; if that does not help, its publisher must write it again";
    report.finding("hash-mismatch", None, message, Some(hint));
}

pub(super) fn policy(
    source: &mut impl Read,
    gzip: bool,
    limits: &Limits,
    report: &mut TargetReport,
) {
    let mut facts = PolicyFacts::default();
    if let Some(bytes) = read_limited(source, limits.page_bytes, gzip, report) {
        report.uncompressed(bytes.len() as u64);
        if bytes.len() > limits.page_bytes {
            let message = format!("larger than {} bytes", limits.page_bytes);
            report.finding("too-large", None, message, None);
        } else {
            match Policy::parse(&bytes) {
                Err(error) => report.finding("not-json", None, error.to_string(), None),
                Ok((policy, warnings)) => {
                    for warning in &warnings {
                        report.warning(warning.code(), None, None, warning);
                    }
                    facts.policy = Some(policy);
                }
            }
        }
    }
    report.facts(Facts::Policy(Box::new(facts)));
}
