//! Writer of `scp:` elements that are valid by their schema.

use super::{WriteError, escape};
use crate::scp::{is_compression, is_version};
use crate::{Collection, CollectionKind, Date, Location, ScpBlock, Section};

/// Writes each element on a line of its own, after a line feed.
pub(crate) fn write_elements(
    scp: &ScpBlock,
    prefix: &str,
    into: &mut String,
) -> Result<(), WriteError> {
    if let Some(version) = &scp.version {
        if !is_version(version) {
            return Err(wrong(
                "version",
                format!("`{version}` is not `MAJOR.MINOR`"),
            ));
        }
        into.push_str(&format!(
            "\n  <{prefix}:version>{version}</{prefix}:version>"
        ));
    }
    if !scp.compression.is_empty() {
        let list = scp.compression.join(",");
        if !scp.compression.iter().all(|name| is_compression(name)) {
            return Err(wrong(
                "compression",
                format!("`{list}` is not a list of names such as `zstd`"),
            ));
        }
        into.push_str(&format!(
            "\n  <{prefix}:compression>{list}</{prefix}:compression>"
        ));
    }
    for section in &scp.sections {
        section_element(section, prefix, into)?;
    }
    let is_snapshot = |collection: &&Collection| collection.kind == CollectionKind::Snapshot;
    for collection in scp.collections.iter().filter(is_snapshot) {
        collection_element(collection, prefix, into)?;
    }
    for collection in scp.collections.iter().filter(|other| !is_snapshot(other)) {
        collection_element(collection, prefix, into)?;
    }
    Ok(())
}

fn section_element(section: &Section, prefix: &str, into: &mut String) -> Result<(), WriteError> {
    let element = "section";
    let frequency = required(section.update_frequency, element, "updateFreq")?;
    let pages = required(section.pages, element, "pages")?;
    into.push_str(&format!("\n  <{prefix}:section"));
    attribute("name", text(&section.name, element, "name")?, into);
    attribute("updateFreq", frequency.name(), into);
    attribute("pages", &pages.to_string(), into);
    into.push_str("/>");
    Ok(())
}

fn collection_element(
    collection: &Collection,
    prefix: &str,
    into: &mut String,
) -> Result<(), WriteError> {
    let element = match collection.kind {
        CollectionKind::Snapshot => "collection",
        CollectionKind::Delta { .. } => "delta",
    };
    let expires = required(collection.expires, element, "expires")?;
    let pages = required(collection.pages, element, "pages")?;
    let size = required(collection.size, element, "size")?;
    let url: Location = collection
        .url
        .parse()
        .map_err(|problem| wrong(element, format!("`{}` {problem}", collection.url)))?;
    into.push_str(&format!("\n  <{prefix}:{element}"));
    attribute(
        "section",
        text(&collection.section, element, "section")?,
        into,
    );
    let since = match &collection.kind {
        CollectionKind::Snapshot => {
            attribute("type", "snapshot", into);
            None
        }
        CollectionKind::Delta { period, since } => {
            let period = required(period.as_ref(), element, "period")?;
            attribute("period", text(period, element, "period")?, into);
            Some(*since)
        }
    };
    attribute("url", url.as_str(), into);
    attribute("generated", &instant(collection.generated), into);
    attribute("expires", &instant(expires), into);
    attribute("pages", &pages.to_string(), into);
    attribute("size", &size.to_string(), into);
    if let Some(since) = since {
        attribute("since", &instant(since), into);
    }
    into.push_str("/>");
    Ok(())
}

/// Formats a time as the schema requires it: with seconds, and a fraction if there is one.
fn instant(date: Date) -> String {
    match date.subsec_nanos() {
        0 => date.second().to_string(),
        _ => date.to_string(),
    }
}

fn attribute(name: &str, value: &str, into: &mut String) {
    into.push_str(&format!(" {name}=\""));
    escape(value, into);
    into.push('"');
}

/// Checks that XML parsers return a text in an attribute unchanged.
fn text<'t>(value: &'t str, element: &'static str, name: &str) -> Result<&'t str, WriteError> {
    let unfit = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    if value.is_empty() || value.contains(unfit) || value.trim() != value {
        let problem =
            format!("has a `{name}` that is empty, or has control characters or outer spaces");
        return Err(wrong(element, problem));
    }
    Ok(value)
}

fn required<T>(value: Option<T>, element: &'static str, name: &str) -> Result<T, WriteError> {
    value.ok_or_else(|| {
        wrong(
            element,
            format!("has no `{name}`, which its schema requires"),
        )
    })
}

fn wrong(element: &'static str, problem: String) -> WriteError {
    WriteError::Scp { element, problem }
}
