mod explanation;
mod fetched;
mod input;
mod lines;
mod site;

use std::io::Write;
use std::time::SystemTime;

use sitecast_extract::{
    ExplainedSegment, Explanation, ExtractError, Extracted, Unlocated, fold, foreign_format,
    stated_url,
};
use sitecast_publish::Reason;
use sitecast_scp::{HttpUrl, Marks, Page, Timestamp, to_marked_markdown, to_text};

use crate::cli::{Extract, Format};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::human;
use crate::output::plain::Plain;
use crate::settings::Settings;
use input::Input;
use site::SiteContext;

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

/// A page that was extracted, and what is known of it beside that.
struct Looked {
    /// Where the page is, if that is known.
    url: Option<HttpUrl>,
    extracted: Extracted,
    /// Inline markup of its texts, if Markdown was asked for; a page in its site is as a collection has it.
    marks: Marks,
    /// Each piece of text, if an explanation was asked for.
    segments: Vec<ExplainedSegment>,
    site: Option<SiteContext>,
    /// The reason of `publish` to leave the page out.
    left_out: Option<Reason>,
}

fn one_page(
    arguments: &Extract,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    // A mistyped folder is said before a page is fetched.
    let folder = arguments.site.as_deref();
    let publication = folder.map(|folder| site::publication(folder, arguments, settings));
    let publication = publication.transpose()?;
    let input = Input::read(arguments, settings, output)?;
    if let Some(found) = foreign_format(&input.raw.bytes) {
        return Err(input.no_page(&ExtractError::NotHtml { found }));
    }
    if input.raw.bytes.trim_ascii().is_empty() {
        return Err(input.no_page(&ExtractError::Empty));
    }
    let nowhere = Unlocated::default();
    let name = input.name.clone();
    let mut page = match publication {
        Some(publication) => site::look(publication, arguments, input, settings, output)?,
        None => alone(arguments, input, &nowhere, settings)?,
    };
    if page.extracted.page.content.is_empty() {
        output.note(&format!("`{name}` has no text that could be found"));
    }
    if arguments.explain {
        explanation::write(&name, &page, output)?;
        return Ok(Exit::Done);
    }
    // Only collections have a limit.
    if arguments.format == Format::Json
        && fold(&mut page.extracted.page, settings.page_blocks()).is_some()
    {
        let most = human::counted(settings.page_blocks() as u64, "block");
        output.note(&format!("blocks were joined, since a page may have {most}"));
    }
    say_what_forbids_it(&page, output);
    let address = |url: &HttpUrl| nowhere.as_written(url);
    write(
        &page.extracted.page,
        &page.marks,
        arguments.format,
        &address,
        output,
    )?;
    Ok(Exit::Done)
}

/// Looks at a page of which no site is known.
fn alone(
    arguments: &Extract,
    input: Input,
    nowhere: &Unlocated,
    settings: &Settings,
) -> Result<Looked, Failure> {
    let extractor = settings.extractor();
    let raw = &input.raw;
    let stated = || stated_url(&raw.bytes, &extractor.limits);
    let url = raw.url.clone().or_else(stated);
    let html = match &url {
        Some(url) => raw.html(url, now()),
        // Who reads the text need not know where it is from.
        None if arguments.explain || arguments.format != Format::Json => {
            let mut html = nowhere.html(&raw.bytes, now());
            html.last_modified = raw.last_modified;
            html
        }
        None => {
            let message = format!("`{}` does not say where it is on the web", input.name);
            return Err(Failure::new(Exit::Usage, message).hint(
                "say it: --url https://example.com/page; `--format text` and `markdown` do without",
            ));
        }
    };
    let (extracted, marks, segments) = if arguments.explain {
        let explained = extractor.explain_page(&html);
        let explained = explained.map_err(|error| input.no_page(&error))?;
        let Explanation {
            extracted,
            segments,
            ..
        } = explained;
        (extracted, Marks::default(), segments)
    } else {
        let extracted = match arguments.format {
            Format::Markdown => extractor.extract_marked(&html),
            Format::Json | Format::Text => extractor
                .extract_page(&html)
                .map(|extracted| (extracted, Marks::default())),
        };
        let (extracted, marks) = extracted.map_err(|error| input.no_page(&error))?;
        (extracted, marks, Vec::new())
    };
    Ok(Looked {
        url,
        extracted,
        marks,
        segments,
        site: None,
        left_out: None,
    })
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

/// The directive that keeps a page out of collections, where no site is known.
fn forbidding(page: &Looked) -> Option<&str> {
    let robots = page.extracted.page.robots.iter().map(String::as_str);
    let mut robots = robots.filter(|_| page.site.is_none());
    robots.find(|directive| matches!(*directive, "noindex" | "none"))
}

fn say_what_forbids_it(page: &Looked, output: &mut Output) {
    if let Some(reason) = &page.left_out {
        output.note(&format!("`publish` leaves the page out: {reason}"));
    } else if let Some(directive) = forbidding(page) {
        output.note(&format!(
            "the page says `{directive}`: it is not for collections"
        ));
    }
}

fn write(
    page: &Page,
    marks: &Marks,
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
            let markdown = to_marked_markdown(page, marks, address);
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
