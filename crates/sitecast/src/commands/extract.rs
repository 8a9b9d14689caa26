mod fetched;
mod lines;

use std::io::{Read, Write};
use std::path::Path;
use std::time::SystemTime;

use sitecast_extract::{
    ExtractError, Extracted, Html, Unlocated, fold, foreign_format, stated_url,
};
use sitecast_scp::{HttpUrl, Page, Timestamp, to_markdown_with, to_text};

use super::open;
use crate::cli::{Extract, Format};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::human;
use crate::output::plain::Plain;
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Extract,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if output.json && arguments.format != Format::Json {
        let message = "`--json` and `--format` ask for different things";
        return Err(Failure::new(Exit::Usage, message).hint("leave one of them out"));
    }
    if arguments.target.is_dir() {
        let name = arguments.target.display();
        return Err(Failure::new(Exit::Failed, format!("`{name}` is a folder"))
            .hint("name one HTML file in it; --jsonl makes many pages at once"));
    }
    if arguments.jsonl {
        return lines::run(&arguments.target, settings, output);
    }
    one_page(arguments, settings, output)
}

fn one_page(
    arguments: &Extract,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let target = arguments.target.display().to_string();
    let given = arguments
        .url
        .as_deref()
        .map(parse_url)
        .transpose()
        .map_err(|message| Failure::new(Exit::Usage, format!("`--url` {message}")))?;
    let fetched = fetched::fetch(arguments, settings, output)?;
    let (bytes, head) = match fetched {
        Some(fetched) => (fetched.bytes, Some(fetched.head)),
        None => (read(&arguments.target, settings, output)?, None),
    };
    let given = match (given, &head) {
        (None, Some(head)) => Some(
            parse_url(head.url.as_str())
                .map_err(|message| Failure::new(Exit::Failed, format!("`{target}` {message}")))?,
        ),
        (given, _) => given,
    };
    let no_page = |error: ExtractError| no_page(&target, &bytes, &error);
    if let Some(found) = foreign_format(&bytes) {
        return Err(no_page(ExtractError::NotHtml { found }));
    }
    let extractor = settings.extractor();
    let nowhere = Unlocated::default();
    let url = given.or_else(|| stated_url(&bytes, &extractor.limits));
    let mut html = match &url {
        Some(url) => Html::new(url, &bytes, now()),
        // Who reads the text need not know where it is from.
        None if arguments.format != Format::Json => nowhere.html(&bytes, now()),
        None if bytes.trim_ascii().is_empty() => return Err(no_page(ExtractError::Empty)),
        None => {
            let message = format!("`{target}` does not say where it is on the web");
            return Err(Failure::new(Exit::Usage, message).hint(
                "say it: --url https://example.com/page; `--format text` and `markdown` do without",
            ));
        }
    };
    html.last_modified = modified(&arguments.target);
    let robots = head.as_ref().map(fetched::robots_tag).unwrap_or_default();
    if let Some(head) = &head {
        html.content_type = head.header("content-type");
        html.content_language = head.header("content-language");
        html.last_modified = fetched::last_modified(head);
        html.robots_tag = Some(robots.as_str()).filter(|robots| !robots.is_empty());
    }
    let mut extracted = extractor.extract_page(&html).map_err(no_page)?;
    if extracted.page.content.is_empty() {
        output.note(&format!("`{target}` has no text that could be found"));
    }
    // Only collections have a limit.
    if arguments.format == Format::Json
        && fold(&mut extracted.page, settings.page_blocks()).is_some()
    {
        let most = human::counted(settings.page_blocks() as u64, "block");
        output.note(&format!("blocks were joined, since a page may have {most}"));
    }
    say_what_it_forbids(&extracted, output);
    let address = |url: &HttpUrl| nowhere.as_written(url);
    write(&extracted.page, arguments.format, &address, output)?;
    Ok(Exit::Done)
}

/// Why there is no page, and what to do about it.
fn no_page(target: &str, bytes: &[u8], error: &ExtractError) -> Failure {
    let failure = Failure::new(Exit::Failed, format!("`{target}`: {error}"));
    if target.contains("://") {
        return failure.hint("name the URL of a page of HTML");
    }
    let unpack = |command: &str| match target {
        "-" => format!("unpack it: … | {command} | sitecast extract -"),
        name => format!("unpack it: {command} {name} | sitecast extract -"),
    };
    match bytes {
        [0x1f, 0x8b, ..] => failure.hint(unpack("gunzip -c")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => failure.hint(unpack("zstd -dc")),
        [b'P', b'K', 3 | 5, ..] => failure.hint("unpack it and name an HTML file in it"),
        _ => failure.hint("name an HTML file"),
    }
}

fn read(target: &Path, settings: &Settings, output: &Output) -> Result<Vec<u8>, Failure> {
    let source = open(target, output)?;
    let bar = source.bar();
    let most = settings.extractor().limits.bytes as u64;
    let length = std::fs::metadata(target).map_or(0, |metadata| metadata.len());
    // With a byte to spare, reading does not make room for as much again at the end.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(most)).unwrap_or(0) + 1);
    let result = source.take(most).read_to_end(&mut bytes);
    bar.clear();
    result.map_err(|error| Failure::cannot_read(&target.display().to_string(), &error))?;
    Ok(bytes)
}

fn parse_url(text: &str) -> Result<HttpUrl, String> {
    text.parse().map_err(|_| {
        format!(
            "is `{}`, which is not an absolute http or https URL",
            Plain::line(text)
        )
    })
}

fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

/// When a file was written; unknown for what is piped in.
fn modified(target: &Path) -> Option<Timestamp> {
    let metadata = std::fs::metadata(target).ok()?;
    metadata.is_file().then_some(())?;
    Some(Timestamp::from(metadata.modified().ok()?))
}

fn say_what_it_forbids(extracted: &Extracted, output: &mut Output) {
    let forbids = |directive: &&String| matches!(directive.as_str(), "noindex" | "none");
    if let Some(directive) = extracted.page.robots.iter().find(forbids) {
        output.note(&format!(
            "the page says `{directive}`: it is not for collections"
        ));
    }
}

fn write(
    page: &Page,
    format: Format,
    address: &dyn Fn(&HttpUrl) -> String,
    output: &mut Output,
) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let line = line_of(page)?;
            writeln!(output.out(), "{line}")?;
        }
        Format::Markdown => {
            let markdown = to_markdown_with(page, address);
            write!(output.out(), "{}", Plain::text(&markdown))?;
        }
        Format::Text => write!(output.out(), "{}", Plain::text(&to_text(page)))?,
    }
    Ok(())
}

fn line_of(page: &Page) -> Result<String, Failure> {
    serde_json::to_string(page)
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot write the page: {error}")))
}
