use std::io::Write;

use sitecast_scp::{
    ChecksumStatus, Collection, Event, Limits, Page, PageError, PageRecord, ReadError, Reader,
    Timestamp,
};

use super::{Source, open};
use crate::cli::Inspect;
use crate::failure::{Exit, Failure, collection_hint};
use crate::output::plain::Plain;
use crate::output::report::sizes;
use crate::output::{Output, Tone, Verbosity, content, human};
use crate::progress::Bar;
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Inspect,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let target = arguments.target.display().to_string();
    let source = open(&arguments.target, output)?;
    let bar = source.bar();
    let result = inspect(&target, arguments, settings, source, &bar, output);
    bar.clear();
    result
}

fn inspect(
    target: &str,
    arguments: &Inspect,
    settings: &Settings,
    source: Source,
    bar: &Bar,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let options = settings.reader(&arguments.reading);
    let mut reader = options
        .read_ahead(source)
        .map_err(|error| unreadable(target, &error))?;
    let view = View::of(arguments);
    if view == View::Whole {
        write_metadata(target, &reader, output)?;
    }

    if arguments.pages && arguments.page.is_none() && !output.json {
        for url in reader.collection().iter().flat_map(|of| &of.deleted) {
            let word = output.paint(Tone::Faint, "deleted");
            writeln!(output.out(), "{word}  {}", Plain::line(url.as_str()))?;
        }
    }

    let mut shown = 0;
    let mut times = TimeSpan::default();
    let mut wanted = None;
    let mut broken = None;
    // The one page that was asked for is shown at the end: a newer one may follow.
    let one_page = arguments.page.is_some();
    while !output.is_closed() && (one_page || arguments.limit.is_none_or(|limit| shown < limit)) {
        match reader.next_event() {
            Err(error) => {
                broken = Some(error);
                break;
            }
            Ok(None) => break,
            Ok(Some(Event::Warning(warning))) => {
                if output.verbosity == Verbosity::Verbose {
                    output.note(&warning.to_string());
                }
            }
            Ok(Some(Event::Page(page))) => {
                times.include(page.modified());
                if !is_chosen(arguments, &page) {
                    continue;
                }
                if one_page {
                    wanted = Some(page.line().to_owned());
                } else {
                    shown += 1;
                    show(view, &page, output)?;
                }
            }
        }
    }
    bar.clear();
    if let Some(line) = &wanted {
        show_line(view, line, &options.limits, output)?;
    }
    if let Some(error) = broken {
        return Err(unreadable(target, &error));
    }
    if one_page && wanted.is_none() {
        let url = arguments.page.as_deref().unwrap_or_default();
        let message = format!("there is no page `{url}` in `{target}`");
        return Err(Failure::new(Exit::Failed, message).hint(
            "--pages lists those that can be used; `sitecast check` says what is wrong with others",
        ));
    }
    if view == View::Whole && !output.json {
        write_totals(target, &reader, times, output)?;
    } else {
        say_what_is_not_shown(&reader, output);
    }
    Ok(Exit::Done)
}

/// A list or a page does not tell whether it is all there is, or whether it can be relied on.
fn say_what_is_not_shown(reader: &Reader<Source>, output: &mut Output) {
    let counts = reader.counts();
    if counts.rejected_pages > 0 {
        let pages = human::counted(counts.rejected_pages, "page");
        output.note(&format!("{pages} left out; `sitecast check` says why"));
    }
    if reader.summary().is_none() && !output.is_closed() {
        output.note("stopped at the limit; the rest was not read, nor the checksum verified");
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// Nothing in particular: metadata and totals, or, as JSON, all lines.
    Whole,
    /// A line for each page.
    List,
    /// Each page with what it says.
    Content,
}

impl View {
    fn of(arguments: &Inspect) -> Self {
        let chosen =
            arguments.page.is_some() || arguments.since.is_some() || arguments.limit.is_some();
        if arguments.content {
            Self::Content
        } else if arguments.pages || chosen {
            Self::List
        } else {
            Self::Whole
        }
    }
}

fn is_chosen(arguments: &Inspect, page: &PageRecord<'_>) -> bool {
    arguments
        .page
        .as_deref()
        .is_none_or(|url| url == page.url())
        && arguments.since.is_none_or(|since| page.modified() > since)
}

fn show(view: View, record: &PageRecord<'_>, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        writeln!(output.out(), "{}", record.line())?;
        return Ok(());
    }
    match view {
        View::Whole => {}
        View::Content => {
            let page = record
                .to_page()
                .map_err(|error| unbuildable(record.url(), &error))?;
            let title = output.paint(Tone::Strong, &Plain::line(&page.title).to_string());
            content::write_page(output.out(), &page, &title)?;
        }
        View::List => {
            let blocks = human::counted(record.blocks() as u64, "block");
            let title = output.paint(Tone::Strong, &Plain::line(record.title()).to_string());
            let (modified, language, url) = (
                record.modified(),
                record.language(),
                Plain::line(record.url()),
            );
            writeln!(
                output.out(),
                "{modified}  {language}  {blocks:>12}  {url}  {title}"
            )?;
        }
    }
    Ok(())
}

/// Shows a page by its line, which has been checked.
fn show_line(view: View, line: &str, limits: &Limits, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        writeln!(output.out(), "{line}")?;
        return Ok(());
    }
    let (page, _) =
        Page::from_line(line, limits).map_err(|error| unbuildable("the page", &error))?;
    let title = output.paint(Tone::Strong, &Plain::line(&page.title).to_string());
    if view == View::Content {
        content::write_page(output.out(), &page, &title)?;
    } else {
        content::write_head(output.out(), &page, &title)?;
    }
    Ok(())
}

fn write_metadata(
    target: &str,
    reader: &Reader<Source>,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        if let Some(line) = reader.metadata_line() {
            writeln!(output.out(), "{line}")?;
        }
        return Ok(());
    }
    let name = output.paint(Tone::Strong, &Plain::line(target).to_string());
    writeln!(output.out(), "{name}")?;
    match reader.collection() {
        Some(collection) => write_collection(collection, output),
        None => row(output, "metadata", "none"),
    }
}

fn write_collection(collection: &Collection, output: &mut Output) -> Result<(), Failure> {
    row(output, "id", collection.id.as_str())?;
    row(output, "section", collection.section.as_str())?;
    row(output, "type", collection.kind.name())?;
    row(output, "generated", &collection.generated.to_string())?;
    if let Some(since) = collection.kind.since() {
        row(output, "since", &since.to_string())?;
    }
    row(output, "version", &collection.version.to_string())?;
    if !collection.deleted.is_empty() {
        row(
            output,
            "deleted",
            &human::counted(collection.deleted.len() as u64, "page"),
        )?;
        for url in collection.deleted.iter().take(MOST_DELETED) {
            row(output, "", url.as_str())?;
        }
        if collection.deleted.len() > MOST_DELETED {
            row(output, "", "…; `--pages` lists all of them")?;
        }
    }
    Ok(())
}

/// Deleted pages that are named without being asked for.
const MOST_DELETED: usize = 20;

fn write_totals(
    target: &str,
    reader: &Reader<Source>,
    times: TimeSpan,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(summary) = reader.summary() else {
        return Ok(());
    };
    let counts = &summary.counts;
    let checksum = match summary.checksum {
        ChecksumStatus::Verified => format!("{} (verified)", summary.digest),
        ChecksumStatus::Absent => format!("none; the content has {}", summary.digest),
    };
    row(output, "checksum", &checksum)?;
    row(output, "pages", &human::count(counts.pages))?;
    if counts.rejected_pages > 0 {
        row(
            output,
            "rejected",
            &human::counted(counts.rejected_pages, "page"),
        )?;
    }
    row(output, "blocks", &human::count(counts.blocks))?;
    if let Some((oldest, newest)) = times.0 {
        row(output, "modified", &format!("{oldest} to {newest}"))?;
    }
    row(
        output,
        "size",
        &sizes(
            counts.compression,
            counts.compressed_bytes,
            counts.uncompressed_bytes,
        ),
    )?;
    if counts.warnings > 0 {
        let warnings = human::count(counts.warnings);
        row(
            output,
            "warnings",
            &format!("{warnings}; `sitecast check {target}` lists them"),
        )?;
    }
    Ok(())
}

fn row(output: &mut Output, name: &str, value: &str) -> Result<(), Failure> {
    let name = output.paint(Tone::Faint, &format!("{name:<10}"));
    writeln!(output.out(), "  {name} {}", Plain::line(value))?;
    Ok(())
}

/// The oldest and the newest time seen.
#[derive(Debug, Clone, Copy, Default)]
struct TimeSpan(Option<(Timestamp, Timestamp)>);

impl TimeSpan {
    fn include(&mut self, time: Timestamp) {
        self.0 = Some(self.0.map_or((time, time), |(oldest, newest)| {
            (oldest.min(time), newest.max(time))
        }));
    }
}

fn unreadable(target: &str, error: &ReadError) -> Failure {
    let exit = match error {
        ReadError::ChecksumMismatch { .. } => Exit::Integrity,
        _ => Exit::Failed,
    };
    let failure = Failure::new(exit, format!("`{target}`: {error}"));
    match collection_hint(error) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn unbuildable(page: &str, error: &PageError) -> Failure {
    Failure::new(Exit::Failed, format!("{page}: {error}")).hint("--json prints the line as it is")
}
