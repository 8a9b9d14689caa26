//! The facts about a file as text.

use std::io::{self, Write};

use sitecast_check::{
    ChecksumResult, CollectionFacts, Facts, HashResult, JsonSitemapFacts, MachinePageFacts,
    PolicyFacts, RobotsFacts, SiteFacts, SitemapFacts,
};

use crate::output::plain::Plain;
use crate::output::{Output, human};

/// Prints the facts. `sizes` is the size of the file in words, if the file could be read.
pub(super) fn write(facts: &Facts, sizes: Option<&str>, output: &mut Output) -> io::Result<()> {
    match facts {
        Facts::Collection(facts) => return write_collection(facts, sizes, output),
        Facts::Site(facts) => return write_site(facts, output),
        _ => {}
    }
    let Some(sizes) = sizes else {
        return Ok(());
    };
    let line = match facts {
        // The error says what the file is.
        Facts::Sitemap(SitemapFacts { format: None, .. }) => return Ok(()),
        Facts::Sitemap(facts) => sitemap_line(facts),
        Facts::JsonSitemap(facts) => json_sitemap_line(facts),
        Facts::MachinePage(facts) => machine_page_line(facts),
        Facts::Policy(facts) => policy_line(facts),
        Facts::Robots(facts) => robots_line(facts),
        _ => return Ok(()),
    };
    writeln!(output.out(), "  {}; {sizes}", Plain::line(&line))?;
    match facts {
        Facts::MachinePage(facts) => write_hash(facts, output),
        Facts::Robots(facts) => {
            for sitemap in &facts.sitemaps {
                writeln!(output.out(), "  sitemap {}", Plain::line(sitemap))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn write_collection(
    facts: &CollectionFacts,
    sizes: Option<&str>,
    output: &mut Output,
) -> io::Result<()> {
    if let Some(collection) = &facts.collection {
        write!(
            output.out(),
            "  {} `{}` of section `{}`, generated {}",
            collection.kind.name(),
            collection.id,
            collection.section,
            collection.generated
        )?;
        if let Some(since) = collection.kind.since() {
            write!(output.out(), ", since {since}")?;
        }
        writeln!(output.out(), ", version {}", collection.version)?;
        if !collection.deleted.is_empty() {
            let deleted = human::counted(collection.deleted.len() as u64, "page");
            writeln!(output.out(), "  {deleted} listed as deleted")?;
        }
    }
    let (Some(sizes), true) = (sizes, facts.was_read) else {
        return Ok(());
    };
    let pages = with_rejected(facts.pages, "page", facts.rejected_pages);
    let blocks = human::counted(facts.blocks, "block");
    writeln!(output.out(), "  {pages}, {blocks}; {sizes}")?;
    match (facts.checksum, facts.digest) {
        (Some(ChecksumResult::Verified), Some(digest)) => {
            writeln!(output.out(), "  checksum verified: {digest}")?;
        }
        (Some(ChecksumResult::Absent), Some(digest)) => {
            writeln!(output.out(), "  no checksum; the content has {digest}")?;
        }
        _ => {}
    }
    Ok(())
}

fn sitemap_line(facts: &SitemapFacts) -> String {
    let mut parts = vec![match (facts.index, facts.format) {
        (true, _) => "sitemap index".to_owned(),
        (false, Some("xml")) => "XML sitemap".to_owned(),
        (false, Some("text")) => "text sitemap".to_owned(),
        (false, Some("rss")) => "RSS as a sitemap".to_owned(),
        (false, _) => "Atom as a sitemap".to_owned(),
    }];
    if facts.sitemaps > 0 || facts.index {
        parts.push(human::counted(facts.sitemaps, "sitemap"));
    }
    if facts.urls > 0 || !facts.index {
        parts.push(with_rejected(facts.urls, "URL", facts.rejected_urls));
    } else if facts.rejected_urls > 0 {
        parts.push(format!("{} rejected", human::count(facts.rejected_urls)));
    }
    for (count, noun) in [
        (facts.alternates, "alternate"),
        (facts.scp_sections, "SCP section"),
        (facts.scp_collections, "SCP collection"),
    ] {
        if count > 0 {
            parts.push(human::counted(count, noun));
        }
    }
    parts.join(", ")
}

fn json_sitemap_line(facts: &JsonSitemapFacts) -> String {
    if facts.index {
        let sitemaps = with_rejected(facts.sitemaps, "sitemap", facts.rejected_items);
        format!("JSON sitemap index, {sitemaps}")
    } else {
        let items = with_rejected(facts.items, "item", facts.rejected_items);
        format!("JSON sitemap, {items}")
    }
}

fn machine_page_line(facts: &MachinePageFacts) -> String {
    match (&facts.canonical_url, &facts.title) {
        (Some(url), Some(title)) => {
            let content = human::bytes(facts.content_bytes);
            format!("machine page of {url}, `{title}`, {content} of content")
        }
        _ => "machine page".to_owned(),
    }
}

fn write_hash(facts: &MachinePageFacts, output: &mut Output) -> io::Result<()> {
    let hash = facts.hash.as_deref().unwrap_or_default();
    let computed = facts.computed_hash.as_deref().unwrap_or_default();
    match facts.verification {
        Some(HashResult::MethodA) => {
            writeln!(output.out(), "  hash verified (Method A): {hash}")?;
        }
        Some(HashResult::MethodB) => {
            writeln!(output.out(), "  hash verified (Method B): {hash}")?;
        }
        Some(HashResult::Absent) => {
            writeln!(output.out(), "  no hash; by Method A it is {computed}")?;
        }
        Some(HashResult::Mismatch) | None => {}
    }
    Ok(())
}

fn policy_line(facts: &PolicyFacts) -> String {
    let purposes = facts.policy.as_ref().map(|policy| &policy.purposes);
    let named = purposes.map_or([None; 3], |purposes| {
        [
            purposes.allow_ai_input,
            purposes.allow_ai_train,
            purposes.allow_search_indexing,
        ]
    });
    let names = ["AI input", "AI training", "search"];
    let said = |wanted: bool, word: &str| {
        let with = named.iter().zip(names);
        let names: Vec<&str> = with
            .filter(|(said, _)| **said == Some(wanted))
            .map(|(_, name)| name)
            .collect();
        (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
    };
    ["TCT policy".to_owned()]
        .into_iter()
        .chain(said(true, "allows"))
        .chain(said(false, "refuses"))
        .collect::<Vec<_>>()
        .join("; ")
}

fn robots_line(facts: &RobotsFacts) -> String {
    format!(
        "robots.txt, {}, {}, {}",
        human::counted(facts.groups, "group"),
        human::counted(facts.rules, "rule"),
        human::counted(facts.sitemaps.len() as u64, "sitemap")
    )
}

fn write_site(facts: &SiteFacts, output: &mut Output) -> io::Result<()> {
    let what = match (&facts.base_url, facts.folder) {
        (Some(base), true) => format!("folder of {base}"),
        (None, true) => "folder".to_owned(),
        (_, false) => "website".to_owned(),
    };
    let files = human::counted(facts.files, "file");
    let wrong = match facts.files_not_ok {
        0 => String::new(),
        wrong => format!(", {} not ok", human::count(wrong)),
    };
    let line = format!("{what}, {files} checked{wrong}");
    writeln!(output.out(), "  {}", Plain::line(&line))?;
    let mut parts = Vec::new();
    if facts.sitemaps > 0 {
        parts.push(human::counted(facts.sitemaps, "sitemap"));
    }
    if facts.collections > 0 {
        parts.push(of(
            facts.collections_checked,
            facts.collections,
            "collection",
        ));
    }
    if facts.json_sitemap.is_some() {
        parts.push(of(facts.pages_checked, facts.items, "machine page"));
    }
    if facts.policy.is_some() {
        parts.push("a policy".to_owned());
    }
    if !parts.is_empty() {
        writeln!(output.out(), "  {}", parts.join(", "))?;
    }
    if let (Some(requests), Some(bytes)) = (facts.requests, facts.bytes) {
        let requests = human::counted(requests, "request");
        writeln!(
            output.out(),
            "  {requests} and {} down",
            human::bytes(bytes)
        )?;
    }
    Ok(())
}

/// `12 pages`, or `12 pages, 3 rejected`.
fn with_rejected(count: u64, noun: &str, rejected: u64) -> String {
    let counted = human::counted(count, noun);
    if rejected > 0 {
        format!("{counted}, {} rejected", human::count(rejected))
    } else {
        counted
    }
}

/// `3 of 12 collections`, or `12 collections` if that is all.
fn of(some: u64, all: u64, noun: &str) -> String {
    let all_counted = human::counted(all, noun);
    match some == all {
        true => all_counted,
        false => format!("{} of {all_counted}", human::count(some)),
    }
}
