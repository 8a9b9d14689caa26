use std::io::Write;

use serde::Serialize;
use serde_json::{Value, json};
use sitecast_index::OriginKind;
use sitecast_sync::{CrawlCost, Explanation, PageCounts, SectionPlan, SiteReport};

use crate::failure::{Exit, Failure, in_words};
use crate::output::human::{bytes, count, counted};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity};

/// Warnings that are listed without being asked for.
const LISTED: usize = 5;

/// Says how a site went: in a line if it is one of several, in full if it is the only one or all is to be said.
pub(super) fn finished(
    report: &SiteReport,
    sites: usize,
    output: &mut Output,
) -> Result<(), Failure> {
    match output.verbosity {
        Verbosity::Quiet => Ok(()),
        Verbosity::Normal if sites > 1 => line(report, output),
        Verbosity::Normal | Verbosity::Verbose => site(report, output),
    }
}

/// Says how all sites went: in JSON with a report for each, in words with a line after those of the sites.
pub(super) fn close(reports: &[SiteReport], output: &mut Output) -> Result<(), Failure> {
    let summary = Summary::of(reports);
    if output.json {
        let sites: Vec<Value> = reports.iter().map(as_json).collect();
        let report = json!({ "version": 1, "sites": sites, "summary": summary });
        return print(&report, output);
    }
    if reports.len() < 2 || output.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let sites = output.paint(Tone::Strong, &counted(summary.sites, "site"));
    writeln!(
        output.out(),
        "{sites}: {} synced, {} in part, {} failed; {} new, {} changed, {} deleted; {} and {} down",
        count(summary.synced),
        count(summary.partial),
        count(summary.failed),
        count(summary.pages.new),
        count(summary.pages.changed),
        count(summary.pages.deleted),
        counted(summary.requests, "request"),
        bytes(summary.bytes),
    )?;
    Ok(())
}

/// All sites of a run together.
#[derive(Default, Serialize)]
struct Summary {
    sites: u64,
    synced: u64,
    partial: u64,
    failed: u64,
    pages: PageCounts,
    requests: u64,
    bytes: u64,
}

impl Summary {
    fn of(reports: &[SiteReport]) -> Self {
        let mut sum = Self::default();
        for report in reports {
            sum.sites += 1;
            match (&report.error, report.is_complete()) {
                (Some(_), _) => sum.failed += 1,
                (None, true) => sum.synced += 1,
                (None, false) => sum.partial += 1,
            }
            sum.pages.total += report.pages.total;
            sum.pages.new += report.pages.new;
            sum.pages.changed += report.pages.changed;
            sum.pages.unchanged += report.pages.unchanged;
            sum.pages.deleted += report.pages.deleted;
            sum.requests += report.requests;
            sum.bytes += report.bytes;
        }
        sum
    }
}

/// One line about a site.
fn line(report: &SiteReport, output: &mut Output) -> Result<(), Failure> {
    let head = heading(report, output);
    let pages = report.pages;
    let failed = match report.failed_pages {
        0 => String::new(),
        failed => format!(", {} could not be fetched", counted(failed, "page")),
    };
    let warnings = match report.warnings.len() as u64 + report.more_warnings {
        0 => String::new(),
        some => format!("; {} (-v lists them)", counted(some, "warning")),
    };
    writeln!(
        output.out(),
        "{head}: {} new, {} changed, {} deleted; {} in all{failed}; {} and {} down{warnings}",
        count(pages.new),
        count(pages.changed),
        count(pages.deleted),
        counted(pages.total, "page"),
        counted(report.requests, "request"),
        bytes(report.bytes),
    )?;
    Ok(())
}

/// How it went, which site, and how it was synced.
fn heading(report: &SiteReport, output: &Output) -> String {
    let (tone, did) = match (&report.error, report.is_complete()) {
        (Some(_), _) => (Tone::Error, "Failed"),
        (None, true) => (Tone::Good, "Synced"),
        (None, false) => (Tone::Warning, "Synced in part"),
    };
    let did = output.paint(tone, did);
    let way = report.way.map(by).unwrap_or_default();
    format!("{did} {}{way}", Plain::line(&report.site))
}

fn site(report: &SiteReport, output: &mut Output) -> Result<(), Failure> {
    let head = heading(report, output);
    writeln!(output.out(), "{head}")?;
    let pages = report.pages;
    writeln!(
        output.out(),
        "  {} new, {} changed, {} deleted; {} in all",
        count(pages.new),
        count(pages.changed),
        count(pages.deleted),
        counted(pages.total, "page"),
    )?;
    for applied in &report.applied {
        let kind = output.paint(Tone::Strong, applied.kind);
        writeln!(
            output.out(),
            "  {kind} of `{}` made at {}: {}, {}",
            Plain::line(&applied.section),
            applied.generated,
            counted(applied.pages, "page"),
            bytes(applied.bytes),
        )?;
    }
    if report.failed_pages > 0 {
        let failed = counted(report.failed_pages, "page");
        writeln!(output.out(), "  {failed} could not be fetched")?;
    }
    warnings(&report.warnings, report.more_warnings, output)?;
    let compared = report.crawling.as_ref().map(compare).unwrap_or_default();
    writeln!(
        output.out(),
        "  {} and {} down{compared}",
        counted(report.requests, "request"),
        bytes(report.bytes),
    )?;
    Ok(())
}

fn by(way: OriginKind) -> &'static str {
    match way {
        OriginKind::Scp => " by its collections",
        OriginKind::Tct => " by its machine pages",
        OriginKind::Html => " by its HTML",
    }
}

fn compare(crawling: &CrawlCost) -> String {
    if crawling.bytes.is_some() {
        return String::new();
    }
    format!(
        "; the HTML of all pages would take {}",
        counted(crawling.requests, "request"),
    )
}

fn warnings(warnings: &[String], more: u64, output: &mut Output) -> Result<(), Failure> {
    let most = if output.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        LISTED
    };
    let mark = output.paint(Tone::Warning, "warning:");
    for warning in warnings.iter().take(most) {
        writeln!(output.out(), "  {mark} {}", Plain::line(&in_words(warning)))?;
    }
    let unlisted = more + warnings.len().saturating_sub(most) as u64;
    if unlisted > 0 {
        writeln!(
            output.out(),
            "  … and {} more",
            counted(unlisted, "warning")
        )?;
    }
    Ok(())
}

fn as_json(report: &SiteReport) -> Value {
    let error = report.error.as_ref();
    json!({
        "site": report.site,
        "ok": report.is_complete(),
        "way": report.way.map(OriginKind::name),
        "requests": report.requests,
        "bytes": report.bytes,
        "pages": report.pages,
        "failed_pages": report.failed_pages,
        "collections": report.applied,
        "crawling": report.crawling,
        "warnings": report.warnings,
        "more_warnings": report.more_warnings,
        "error": error.map(|error| json!({ "code": error.code(), "message": error.to_string() })),
    })
}

pub(super) fn explain(explanations: &[Explanation], output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return print(&json!({ "version": 1, "sites": explanations }), output);
    }
    for explanation in explanations {
        explain_site(explanation, output)?;
    }
    Ok(())
}

fn explain_site(explanation: &Explanation, output: &mut Output) -> Result<(), Failure> {
    let site = output.paint(Tone::Strong, &explanation.site);
    writeln!(output.out(), "{site}")?;
    for sitemap in &explanation.sitemaps {
        writeln!(output.out(), "  sitemap       {}", Plain::line(sitemap))?;
    }
    if explanation.sitemaps.is_empty() {
        writeln!(output.out(), "  sitemap       none")?;
    }
    if explanation.more_sitemaps > 0 {
        let more = counted(explanation.more_sitemaps, "sitemap");
        writeln!(output.out(), "                and {more} more")?;
    }
    for section in &explanation.sections {
        explain_section(section, output)?;
    }
    if explanation.sections.is_empty() {
        writeln!(output.out(), "  collections   none")?;
    }
    let json_sitemap = explanation.json_sitemap.as_deref().unwrap_or("none");
    writeln!(
        output.out(),
        "  JSON sitemap  {}",
        Plain::line(json_sitemap)
    )?;
    if let Some(pages) = explanation.pages {
        writeln!(
            output.out(),
            "  pages         {} listed, of which {} would be asked for",
            counted(pages.listed, "page"),
            count(pages.asked_for)
        )?;
    }
    if let Some(last) = &explanation.last {
        let way = last.way.map(by).unwrap_or_default();
        let at = last.at.map(|at| at.to_string()).unwrap_or_default();
        writeln!(output.out(), "  last synced   {at}{way}")?;
    }
    warnings(&explanation.warnings, 0, output)?;
    writeln!(
        output.out(),
        "  would sync{}: {}",
        by(explanation.way),
        Plain::line(&explanation.reason)
    )?;
    Ok(())
}

fn explain_section(section: &SectionPlan, output: &mut Output) -> Result<(), Failure> {
    let intent = &section.intent;
    let size = intent.bytes.map(|size| format!(", {}", bytes(size)));
    let what = match (section.wanted, intent.take) {
        (false, _) => "not followed; name it with --section".to_owned(),
        (true, "nothing") => intent.why.clone(),
        (true, "stuck") => format!("cannot be followed: {}", intent.why),
        (true, take) => format!("{take}{}: {}", size.unwrap_or_default(), intent.why),
    };
    let what = Plain::line(&what).to_string();
    writeln!(
        output.out(),
        "  collections   `{}`: {what}",
        Plain::line(&section.section)
    )?;
    if section.wanted {
        for url in &intent.urls {
            writeln!(output.out(), "                {}", Plain::line(url))?;
        }
    }
    Ok(())
}

fn print(report: &Value, output: &mut Output) -> Result<(), Failure> {
    let text = serde_json::to_string(report)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write the report: {error}")))?;
    writeln!(output.out(), "{text}")?;
    Ok(())
}
