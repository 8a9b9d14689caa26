mod place;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;
use sitecast_index::export::{ExportError, Exported, to_collection, to_lines, to_markdown_files};
use sitecast_index::{Filter, Index, PageStream, SiteId};
use sitecast_scp::{Collection, Compression, Timestamp, WriterOptions};

use crate::cli::{Export, ExportFormat};
use crate::commands::{index_failure, open_index};
use crate::failure::{Exit, Failure, in_words};
use crate::output::{Output, human};
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Export,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let target = target(arguments)?;
    let index = open_index(&settings.index(&arguments.index))?;
    let filter = filter(arguments)?;
    if let Some(site) = &filter.site {
        is_known(&index, site)?;
    }
    let mut pages = index
        .pages(&filter)
        .map_err(|error| index_failure(&error))?;
    let Some(path) = target else {
        let exported = lines_to_stdout(&mut *pages, output)?;
        return Ok(exit(&exported));
    };
    let exported = match arguments.format {
        ExportFormat::Jsonl => place::file(path, |file| {
            let mut out = BufWriter::with_capacity(256 << 10, file);
            let exported = to_lines(&mut *pages, &mut out)?;
            out.flush()?;
            Ok(exported)
        }),
        ExportFormat::Scp => {
            let collection = collection(arguments)?;
            let options = WriterOptions::new(compression(path));
            place::file(path, |file| {
                let out = BufWriter::with_capacity(256 << 10, file);
                to_collection(&mut *pages, out, &collection, &options)
            })
        }
        ExportFormat::Markdown => {
            place::folder(path, |folder| to_markdown_files(&mut *pages, folder))
        }
        ExportFormat::Parquet => table(&mut *pages, path),
    }?;
    report(&exported, arguments.format, path, output)?;
    Ok(exit(&exported))
}

/// Where to write; `None` for standard output.
fn target(arguments: &Export) -> Result<Option<&Path>, Failure> {
    #[cfg(not(feature = "parquet"))]
    if arguments.format == ExportFormat::Parquet {
        return Err(no_parquet());
    }
    let path = arguments.output.as_deref();
    let path = path.filter(|path| *path != Path::new("-"));
    match (path, arguments.format) {
        (None, ExportFormat::Jsonl) => Ok(None),
        (None, ExportFormat::Markdown) => Err(usage(
            "Markdown files need a folder to be in",
            "say which: -o pages/",
        )),
        (None, ExportFormat::Scp) => Err(usage(
            "a collection cannot go to standard output: its checksum is known last and stands first",
            "say which file: -o copy.scp.zst",
        )),
        (None, ExportFormat::Parquet) => {
            Err(usage("a table needs a file", "say which: -o pages.parquet"))
        }
        (path, _) => Ok(path),
    }
}

fn usage(message: &str, hint: &str) -> Failure {
    Failure::new(Exit::Usage, message).hint(hint)
}

fn filter(arguments: &Export) -> Result<Filter, Failure> {
    let site = arguments.site.as_deref().map(|text| {
        // As `sync` takes it.
        let url = if text.contains("://") {
            text.to_owned()
        } else {
            format!("https://{text}")
        };
        let url = url.parse().map_err(|error| {
            usage(
                &format!("--site: {error}"),
                "`sitecast status` lists the sites",
            )
        })?;
        Ok::<_, Failure>(SiteId::new(&url))
    });
    Ok(Filter {
        site: site.transpose()?,
        section: arguments.section.clone(),
        since: arguments.since,
        language: arguments.language.clone(),
    })
}

/// A site that is not there is more likely a slip than an empty answer.
fn is_known(index: &dyn Index, site: &SiteId) -> Result<(), Failure> {
    match index.state(site).map_err(|error| index_failure(&error))? {
        Some(_) => Ok(()),
        None => {
            let message = format!("the site `{site}` is not in the index");
            Err(Failure::new(Exit::Failed, message).hint("`sitecast status` lists those that are"))
        }
    }
}

fn lines_to_stdout(pages: &mut dyn PageStream, output: &mut Output) -> Result<Exported, Failure> {
    let mut exported = Exported::default();
    while let Some(page) = pages.next_page().map_err(|error| index_failure(&error))? {
        writeln!(output.out(), "{}", page.line)?;
        exported.pages += 1;
        if output.is_closed() {
            break;
        }
    }
    Ok(exported)
}

/// A snapshot of what is exported, made now.
fn collection(arguments: &Export) -> Result<Collection, Failure> {
    let now = Timestamp::from(SystemTime::now());
    // No more than a second: that is what names of collections say.
    let now = Timestamp::from_unix_seconds(now.unix_seconds()).unwrap_or(now);
    let section = arguments.section.as_deref().unwrap_or("all");
    let wrong = |_| usage("--section: not the name of a section", "leave it out");
    let section: sitecast_scp::Identifier = section.parse().map_err(wrong)?;
    let id = format!("{section}-export-{}", now.unix_seconds());
    Ok(Collection::snapshot(
        id.parse().map_err(wrong)?,
        section,
        now,
    ))
}

fn compression(path: &Path) -> Compression {
    match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => Compression::Gzip,
        Some("zst") => Compression::Zstd,
        _ => Compression::None,
    }
}

#[cfg(feature = "parquet")]
fn table(pages: &mut dyn PageStream, path: &Path) -> Result<Exported, Failure> {
    place::file(path, |file| {
        sitecast_index::export::to_parquet(pages, BufWriter::with_capacity(256 << 10, file))
    })
}

#[cfg(not(feature = "parquet"))]
fn table(_: &mut dyn PageStream, _: &Path) -> Result<Exported, Failure> {
    Err(no_parquet())
}

#[cfg(not(feature = "parquet"))]
fn no_parquet() -> Failure {
    usage(
        "this sitecast was built without Parquet",
        "build it with: cargo install --locked --path crates/sitecast --features parquet",
    )
}

fn exit(exported: &Exported) -> Exit {
    if exported.left_out_count > 0 {
        Exit::Partial
    } else {
        Exit::Done
    }
}

fn report(
    exported: &Exported,
    format: ExportFormat,
    path: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        let left_out: Vec<_> = exported
            .left_out
            .iter()
            .map(|page| json!({"url": page.url, "reason": page.reason}))
            .collect();
        let report = json!({
            "version": 1,
            "format": name(format),
            "output": path.display().to_string(),
            "pages": exported.pages,
            "bytes": exported.bytes,
            "mended": exported.mended,
            "left_out": exported.left_out_count,
            "left_out_pages": left_out,
        });
        writeln!(output.out(), "{report}")?;
        return Ok(());
    }
    if output.verbosity > crate::output::Verbosity::Quiet {
        let pages = human::counted(exported.pages, "page");
        let line = format!("Exported {pages} to `{}`", path.display());
        writeln!(output.out(), "{}", crate::output::plain::Plain::line(&line))?;
    }
    if exported.mended > 0 {
        let pages = human::counted(exported.mended, "page");
        output.note(&format!(
            "{pages} written without what readers of collections would drop"
        ));
    }
    for page in &exported.left_out {
        output.note(&format!("left out {}: {}", page.url, page.reason));
    }
    let unnamed = exported.left_out_count - exported.left_out.len() as u64;
    if unnamed > 0 {
        output.note(&format!(
            "left out {} more",
            human::counted(unnamed, "page")
        ));
    }
    Ok(())
}

fn name(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Markdown => "markdown",
        ExportFormat::Parquet => "parquet",
        ExportFormat::Scp => "scp",
    }
}

/// What went wrong with an export to `path`.
fn failed(path: &Path, error: ExportError) -> Failure {
    match error {
        ExportError::Index(error) => index_failure(&error),
        error => {
            let words = in_words(&error.to_string());
            Failure::new(Exit::Failed, format!("`{}`: {words}", path.display()))
        }
    }
}

/// The folder that something is in.
fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
