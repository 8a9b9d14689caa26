mod verify;

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use sitecast_index::{Index, SiteOverview};

use crate::cli::Status;
use crate::commands::{index_failure, open_index};
use crate::failure::{Exit, Failure, in_words};
use crate::output::plain::Plain;
use crate::output::{Output, Tone, human};
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Status,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let folder = settings.index(&arguments.index);
    let index = open_index(&folder)?;
    // First: damaged pages are removed, and what is shown is what is left.
    let verified = match arguments.verify {
        true => Some(verify::run(&index, output)?),
        false => None,
    };
    let sites = index.sites().map_err(|error| index_failure(&error))?;
    let on_disk = size_of(&folder);
    let exit = verified.as_ref().map_or(Exit::Done, verify::Verified::exit);
    if output.json {
        let sites: Vec<Value> = sites.iter().map(site_json).collect();
        let mut status = json!({
            "version": 1,
            "index": folder.display().to_string(),
            "bytes_on_disk": on_disk,
            "sites": sites,
        });
        if let (Some(verified), Value::Object(status)) = (&verified, &mut status) {
            status.insert("verified".to_owned(), verified.to_json());
        }
        writeln!(output.out(), "{status}")?;
        return Ok(exit);
    }
    write_totals(&folder, on_disk, &sites, output)?;
    for site in &sites {
        write_site(site, output)?;
    }
    if let Some(verified) = &verified {
        verified.write(output)?;
    }
    Ok(exit)
}

/// What the folder takes.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.metadata().map_or(0, |metadata| metadata.len()))
        .sum()
}

fn site_json(site: &SiteOverview) -> Value {
    let state = &site.state;
    let sections: Map<String, Value> = state
        .sections
        .iter()
        .map(|(name, section)| {
            let position = json!({"generated": section.generated, "snapshot": section.snapshot});
            (name.clone(), position)
        })
        .collect();
    json!({
        "url": site.site.as_str(),
        "pages": site.pages,
        "bytes": site.bytes,
        "stored_bytes": site.stored_bytes,
        "newest": site.newest,
        "strategy": state.strategy.map(sitecast_index::OriginKind::name),
        "last_attempt": state.last_attempt,
        "last_success": state.last_success,
        "next_allowed": state.next_allowed,
        "sections": sections,
        "failures": {
            "count": state.failures.count,
            "at": state.failures.at,
            "message": state.failures.message,
        },
        "traffic": {
            "requests": state.traffic.requests,
            "bytes_down": state.traffic.bytes_down,
            "bytes_saved": state.traffic.bytes_saved,
        },
    })
}

fn write_totals(
    folder: &Path,
    on_disk: u64,
    sites: &[SiteOverview],
    output: &mut Output,
) -> Result<(), Failure> {
    let place = folder.display().to_string();
    let name = output.paint(Tone::Strong, &Plain::line(&place).to_string());
    let pages = sites.iter().map(|site| site.pages).sum();
    let text = sites.iter().map(|site| site.bytes).sum();
    writeln!(
        output.out(),
        "{name}: {}, {}, {} of text in {} on disk",
        human::counted(sites.len() as u64, "site"),
        human::counted(pages, "page"),
        human::bytes(text),
        human::bytes(on_disk)
    )?;
    Ok(())
}

fn write_site(site: &SiteOverview, output: &mut Output) -> Result<(), Failure> {
    let state = &site.state;
    let name = output.paint(Tone::Strong, &Plain::line(site.site.as_str()).to_string());
    writeln!(output.out(), "\n{name}")?;
    let newest = site.newest.map(|time| format!(", the newest of {time}"));
    let pages = format!("{}{}", human::count(site.pages), newest.unwrap_or_default());
    row(output, "pages", &pages)?;
    let size = format!(
        "{} of text, compressed {}",
        human::bytes(site.bytes),
        human::bytes(site.stored_bytes)
    );
    row(output, "size", &size)?;
    let how = state.strategy.map(|how| format!(" by {}", how.name()));
    match state.last_success {
        Some(time) => row(
            output,
            "synced",
            &format!("{time}{}", how.unwrap_or_default()),
        )?,
        None => row(output, "synced", "not yet")?,
    }
    for (section, position) in &state.sections {
        let position = match (position.generated, position.snapshot) {
            (Some(at), Some(snapshot)) if at != snapshot => {
                format!("`{section}` at {at}, its snapshot of {snapshot}")
            }
            (Some(at), _) => format!("`{section}` at {at}"),
            (None, _) => format!("`{section}`"),
        };
        row(output, "section", &position)?;
    }
    if state.traffic.requests > 0 {
        row(output, "traffic", &traffic(site))?;
    }
    if let Some(time) = state.next_allowed {
        row(output, "waits", &format!("not to be asked before {time}"))?;
    }
    if state.failures.count > 0 {
        row(output, "failures", &failures(site))?;
    }
    Ok(())
}

fn traffic(site: &SiteOverview) -> String {
    let traffic = &site.state.traffic;
    let mut text = format!(
        "{} in {}",
        human::bytes(traffic.bytes_down),
        human::counted(traffic.requests, "request")
    );
    if traffic.bytes_saved > 0 {
        text += &format!("; {} saved", human::bytes(traffic.bytes_saved));
    }
    text
}

fn failures(site: &SiteOverview) -> String {
    let failures = &site.state.failures;
    let mut text = format!("{} in a row", failures.count);
    if let Some(time) = failures.at {
        text += &format!(", the last at {time}");
    }
    if let Some(message) = &failures.message {
        text += &format!(": {}", in_words(message));
    }
    text
}

fn row(output: &mut Output, name: &str, value: &str) -> Result<(), Failure> {
    let name = output.paint(Tone::Faint, &format!("{name:<10}"));
    writeln!(output.out(), "  {name} {}", Plain::line(value))?;
    Ok(())
}
