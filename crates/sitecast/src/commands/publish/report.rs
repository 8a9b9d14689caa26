use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use serde_json::json;
use sitecast_publish::{Against, Artefact, Report, Source, WrittenCollection};

use crate::failure::{Exit, Failure, in_words};
use crate::output::human::{bytes, count, counted};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, Verbosity};

/// Excluded pages that are listed without being asked for.
const LISTED: usize = 20;

pub(super) fn write(
    report: &Report,
    source: &dyn Source,
    out: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    for note in &report.notes {
        output.note(&in_words(note));
    }
    if output.json {
        return as_json(report, output);
    }
    if output.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let pages = report.pages;
    let all = pages.new + pages.changed + pages.unchanged;
    let unchanged = report.collections.is_empty() && report.artefacts.is_empty();
    if unchanged && all > 0 && pages.unchanged == all && output.verbosity == Verbosity::Normal {
        let did = output.paint(Tone::Good, "Nothing changed:");
        let (are, they_were) = match all {
            1 => ("is", "it was"),
            _ => ("are", "they were"),
        };
        writeln!(
            output.out(),
            "{did} {} of {} {are} in {} as {they_were}, {} excluded (-v lists them)",
            counted(all, "page"),
            Plain::line(&source.name()),
            Plain::line(out),
            count(pages.excluded),
        )?;
        return named_crawlers(report, output);
    }
    let did = if report.dry_run {
        "Would publish"
    } else {
        "Published"
    };
    let did = output.paint(Tone::Good, did);
    writeln!(
        output.out(),
        "{did} {} of {} to {}",
        counted(all, "page"),
        Plain::line(&source.name()),
        Plain::line(out)
    )?;
    writeln!(
        output.out(),
        "  {} new, {} changed, {} unchanged, {} deleted, {} excluded",
        count(pages.new),
        count(pages.changed),
        count(pages.unchanged),
        count(pages.deleted),
        count(pages.excluded),
    )?;
    excluded(report, output)?;
    named_crawlers(report, output)?;
    for (url, fold) in &report.folded {
        let links = if fold.links_dropped > 0 {
            format!(", {} left out", counted(fold.links_dropped as u64, "link"))
        } else {
            String::new()
        };
        writeln!(
            output.out(),
            "  folded {}: {} joined{links}",
            Plain::line(url),
            counted(fold.joined as u64, "block"),
        )?;
    }
    losses(report, source, output)?;
    for collection in &report.collections {
        collection_line(collection, output)?;
    }
    if report.collections.is_empty() {
        writeln!(output.out(), "  no new collection: nothing changed")?;
    }
    artefacts(&report.artefacts, output)?;
    savings(report, output)
}

fn excluded(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let most = if output.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        LISTED
    };
    for left_out in report.excluded.iter().take(most) {
        writeln!(
            output.out(),
            "  excluded {}: {}",
            Plain::line(&left_out.item),
            Plain::line(&left_out.reason.to_string())
        )?;
    }
    let rest = report.excluded.iter().skip(most);
    let mut by_reason: BTreeMap<&str, u64> = BTreeMap::new();
    for left_out in rest {
        *by_reason.entry(left_out.reason.code()).or_default() += 1;
    }
    if !by_reason.is_empty() {
        let reasons: Vec<String> = by_reason
            .iter()
            .map(|(code, number)| format!("{} {code}", count(*number)))
            .collect();
        writeln!(
            output.out(),
            "  excluded {} more (-v lists all)",
            reasons.join(", ")
        )?;
    }
    Ok(())
}

/// Whoever wrote robots.txt for named crawlers may not expect that these pages are published.
fn named_crawlers(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let found = &report.named_crawlers;
    if found.pages == 0 {
        return Ok(());
    }
    let names: Vec<&str> = found.crawlers.iter().map(String::as_str).collect();
    let most = if output.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        LISTED
    };
    let mut listed = names
        .iter()
        .take(most)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if let Some(more) = names.len().checked_sub(most).filter(|more| *more > 0) {
        listed = format!("{listed} and {more} more");
    }
    let are = if found.pages == 1 { "is" } else { "are" };
    writeln!(
        output.out(),
        "  {} {are} published that robots.txt disallows for {}",
        counted(found.pages, "page"),
        Plain::line(&listed)
    )?;
    Ok(())
}

fn collection_line(collection: &WrittenCollection, output: &mut Output) -> Result<(), Failure> {
    let reason = collection
        .reason
        .map(|reason| format!(" ({reason})"))
        .unwrap_or_default();
    let deleted = if collection.deleted > 0 {
        format!(", {} deleted", count(collection.deleted))
    } else {
        String::new()
    };
    let kind = output.paint(Tone::Strong, collection.kind);
    writeln!(
        output.out(),
        "  {kind} of `{}`: {}{deleted}{reason}",
        collection.section,
        counted(collection.pages, "page"),
    )?;
    for file in &collection.files {
        writeln!(output.out(), "    {}  {}", bytes(file.bytes), file.path)?;
    }
    Ok(())
}

fn artefacts(artefacts: &[Artefact], output: &mut Output) -> Result<(), Failure> {
    for artefact in artefacts {
        if artefact.written > 0 {
            let removed = match artefact.removed {
                0 => String::new(),
                removed => format!(", {} removed", count(removed)),
            };
            let what = name(artefact, artefact.written);
            let size = bytes(artefact.bytes);
            writeln!(output.out(), "    {size}  {what}{removed}")?;
        } else {
            let what = name(artefact, artefact.removed);
            writeln!(output.out(), "    removed  {what}")?;
        }
    }
    Ok(())
}

/// What an artefact is, if there are so many of it.
fn name(artefact: &Artefact, number: u64) -> String {
    match (artefact.kind, &artefact.path) {
        (_, Some(path)) => path.clone(),
        ("machine-pages", None) => counted(number, "machine page"),
        ("html-links", None) if artefact.written == 0 => {
            format!("links to machine pages in {}", counted(number, "HTML file"))
        }
        ("html-links", None) => {
            format!("{} linked to machine pages", counted(number, "HTML file"))
        }
        ("markdown", None) => counted(number, "Markdown file"),
        ("json-sitemap", None) => counted(number, "JSON sitemap"),
        ("headers", None) => counted(number, "header file"),
        ("collections", None) => format!("{} that expired", counted(number, "collection file")),
        (kind, None) => kind.to_owned(),
    }
}

fn savings(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let savings = report.savings;
    let Some(share) = savings.first_visit() else {
        return Ok(());
    };
    let estimate = if savings.sampled_pages != savings.pages {
        format!(
            " (estimated from {})",
            counted(savings.sampled_pages, "page")
        )
    } else {
        String::new()
    };
    let verdict = if share > 0.0 {
        format!("{:.0} % less", share * 100.0)
    } else {
        "the site is too small to gain by it".to_owned()
    };
    writeln!(
        output.out(),
        "  A first visit takes {} instead of {} of HTML with gzip{estimate}: {verdict}.",
        bytes(savings.snapshot_bytes),
        bytes(savings.html_gzip_bytes),
    )?;
    if savings.delta_bytes > 0 {
        writeln!(
            output.out(),
            "  Whoever has been here before takes {}.",
            bytes(savings.delta_bytes)
        )?;
    }
    Ok(())
}

/// Pages of which much is missing: the first ones, and how to see why.
fn losses(report: &Report, source: &dyn Source, output: &mut Output) -> Result<(), Failure> {
    let most = if output.verbosity == Verbosity::Verbose {
        usize::MAX
    } else {
        LISTED
    };
    for loss in report.losses.iter().take(most) {
        let against = match loss.against {
            Against::LastVersion => "what was published before",
            _ => "its `<main>` or `<article>`",
        };
        writeln!(
            output.out(),
            "  lost text {}: {} of {} of {against}",
            Plain::line(&loss.url),
            count(loss.kept.into()),
            counted(loss.words.into(), "word"),
        )?;
    }
    let rest = report.losses.len().saturating_sub(most);
    if rest > 0 {
        writeln!(
            output.out(),
            "  lost text on {} more (-v lists all)",
            counted(rest as u64, "page")
        )?;
    }
    if let (Some(first), Some(folder)) = (report.losses.first(), source.folder()) {
        let file = folder.join(&first.item).display().to_string();
        writeln!(
            output.out(),
            "  `sitecast extract {} --explain --site {}` says what is left out, and why",
            Plain::line(&argument(&file)),
            Plain::line(&argument(&folder.display().to_string())),
        )?;
    }
    Ok(())
}

/// A path as an argument on a command line, in quotes where a shell would take it for more than a path.
fn argument(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-+,:@%".contains(c);
    if path.chars().all(is_plain) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(format!("'{}'", path.replace('\'', r"'\''")))
}

fn as_json(report: &Report, output: &mut Output) -> Result<(), Failure> {
    let excluded: Vec<_> = report
        .excluded
        .iter()
        .map(|left_out| {
            json!({
                "url": left_out.url,
                "item": left_out.item,
                "reason": left_out.reason.code(),
                "message": left_out.reason.to_string(),
            })
        })
        .collect();
    let folded: Vec<_> = report
        .folded
        .iter()
        .map(|(url, fold)| {
            json!({
                "url": url,
                "joined": fold.joined,
                "links_dropped": fold.links_dropped,
                "media_dropped": fold.media_dropped,
            })
        })
        .collect();
    let report = json!({
        "version": 1,
        "dry_run": report.dry_run,
        "pages": report.pages,
        "collections": report.collections,
        "artifacts": report.artefacts,
        "excluded": excluded,
        "named_crawlers": report.named_crawlers,
        "folded": folded,
        "losses": report.losses,
        "savings": report.savings,
        "notes": report.notes,
    });
    let text = serde_json::to_string(&report)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write the report: {error}")))?;
    writeln!(output.out(), "{text}")?;
    Ok(())
}
