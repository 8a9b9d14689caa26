//! Reading the formats of the Collaboration Tunnel Protocol (TCT): JSON sitemaps, machine pages, policies.

use std::io::Read;

use sitecast_tct::sitemap::{Event, ReadErrorKind, SitemapKind, SitemapReader, WarningKind};
use sitecast_tct::{Limits, Policy, ReadPage, Verification};

use super::{References, add_read_error, read_limited};
use crate::http::is_loopback;
use crate::report::facts::{Facts, HashResult, JsonSitemapFacts, MachinePageFacts, PolicyFacts};
use crate::report::{Cause, Finding, Report};

/// JSON sitemaps of one index that are checked.
const SITEMAPS: usize = 1_000;

pub(super) fn sitemap(
    source: &mut impl Read,
    gzip: bool,
    limits: &Limits,
    report: &mut Report,
    references: &mut References,
) {
    let mut reader = SitemapReader::new(source, limits);
    loop {
        match reader.next_event() {
            // An agent can go on after these, but the file is invalid.
            Ok(Some(Event::Warning(warning)))
                if matches!(
                    warning.kind,
                    WarningKind::NotJson(_) | WarningKind::TrailingContent
                ) =>
            {
                let finding = Finding::new(warning.code(), warning.to_string());
                report.error(finding.at_line(Some(warning.line)));
            }
            // Nobody can listen to what a machine sends to itself.
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
            Ok(Some(Event::Sitemap(child))) if references.json_sitemaps.len() < SITEMAPS => {
                references.json_sitemaps.push(child);
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                if let ReadErrorKind::Io(error) = &error.kind {
                    add_read_error(error, gzip, report);
                } else {
                    let finding = Finding::new(error.code(), error.to_string())
                        .at_line(Some(error.position.line));
                    report.error(finding.caused_by(Cause::JsonSitemap(error)));
                }
                break;
            }
        }
    }
    let counts = reader.counts();
    if counts.items + counts.sitemaps == 0 && counts.left_out > 0 {
        report.nothing_usable();
    }
    report.uncompressed_bytes = counts.bytes;
    report.set_facts(Facts::JsonSitemap(JsonSitemapFacts {
        index: reader.kind() == Some(SitemapKind::Index),
        items: counts.items,
        sitemaps: counts.sitemaps,
        rejected_items: counts.left_out,
    }));
}

pub(super) fn page(source: &mut impl Read, gzip: bool, limits: &Limits, report: &mut Report) {
    let mut facts = MachinePageFacts::default();
    if let Some(bytes) = read_limited(source, limits.page_bytes, gzip, report) {
        report.uncompressed_bytes = bytes.len() as u64;
        match ReadPage::parse(&bytes, limits.page_bytes) {
            Err(error) => {
                let finding = Finding::new(error.code(), error.to_string());
                report.error(finding.caused_by(Cause::MachinePage(error)));
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
                    add_mismatch(&page, report);
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
    report.set_facts(Facts::MachinePage(facts));
}

fn add_mismatch(page: &ReadPage, report: &mut Report) {
    report.mismatch = Some("hash mismatch");
    let message = format!(
        "hash mismatch: the page says {}, the SHA-256 of its canonical JSON (RFC 8785) without \
         `hash` is {}, and that of its normalised content is another one, too",
        page.hash.as_deref().unwrap_or_default(),
        page.method_a
    );
    report.error(Finding::new("hash-mismatch", message));
}

pub(super) fn policy(source: &mut impl Read, gzip: bool, limits: &Limits, report: &mut Report) {
    let mut facts = PolicyFacts::default();
    if let Some(bytes) = read_limited(source, limits.page_bytes, gzip, report) {
        report.uncompressed_bytes = bytes.len() as u64;
        if bytes.len() > limits.page_bytes {
            let message = format!("larger than {} bytes", limits.page_bytes);
            report.error(Finding::new("too-large", message));
        } else {
            match Policy::parse(&bytes) {
                Err(error) => report.error(Finding::new("not-json", error.to_string())),
                Ok((policy, warnings)) => {
                    for warning in &warnings {
                        report.warning(warning.code(), None, None, warning);
                    }
                    facts.policy = Some(policy);
                }
            }
        }
    }
    report.set_facts(Facts::Policy(Box::new(facts)));
}
