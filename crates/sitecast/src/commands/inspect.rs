use std::io::Write;

use sitecast_scp::{
    ChecksumStatus, Collection, Event, PageError, PageRecord, ReadError, Reader, Timestamp,
};

use super::{Source, open};
use crate::cli::Inspect;
use crate::failure::{Exit, Failure, collection_hint};
use crate::output::plain::Plain;
use crate::output::report::sizes;
use crate::output::{Output, Tone, Verbosity, content, human};
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Inspect,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let target = arguments.target.as_str();
    let source = open(target, output)?;
    let options = settings.reader(&arguments.reading);
    let mut reader = options
        .read_ahead(source)
        .map_err(|error| unreadable(target, &error))?;
    let view = View::of(arguments);
    if view == View::Whole {
        write_metadata(target, &reader, output)?;
    }

    let mut shown = 0;
    let mut times = TimeSpan::default();
    while arguments.limit.is_none_or(|limit| shown < limit) {
        match reader
            .next_event()
            .map_err(|error| unreadable(target, &error))?
        {
            None => break,
            Some(Event::Warning(warning)) => {
                if output.verbosity == Verbosity::Verbose {
                    output.note(&warning.to_string());
                }
            }
            Some(Event::Page(page)) => {
                times.include(page.modified());
                if !is_chosen(arguments, &page) {
                    continue;
                }
                shown += 1;
                show(view, &page, output)?;
                if arguments.page.is_some() {
                    break;
                }
            }
        }
    }
    if let Some(url) = arguments.page.as_deref().filter(|_| shown == 0) {
        return Err(Failure::new(
            Exit::Failed,
            format!("there is no page `{url}` in `{target}`"),
        )
        .hint(format!("`sitecast inspect {target} --pages` lists them")));
    }
    if view == View::Whole && !output.json {
        write_totals(target, &reader, times, output)?;
    }
    Ok(Exit::Done)
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
    if view == View::Whole {
        return Ok(());
    }
    let page = record.to_page().map_err(|error| too_deep(record, &error))?;
    let title = output.paint(Tone::Strong, &Plain::line(&page.title).to_string());
    if view == View::Content {
        content::write_page(output.out(), &page, &title)?;
        return Ok(());
    }
    let blocks = human::counted(record.blocks() as u64, "block");
    writeln!(
        output.out(),
        "{}  {}  {blocks:>12}  {}  {title}",
        page.modified,
        page.language,
        Plain::line(record.url())
    )?;
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
    }
    Ok(())
}

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

fn too_deep(record: &PageRecord<'_>, error: &PageError) -> Failure {
    let place = format!("line {}, {}", record.line_number(), record.url());
    Failure::new(Exit::Failed, format!("{place}: {error}")).hint("--json prints the line as it is")
}
