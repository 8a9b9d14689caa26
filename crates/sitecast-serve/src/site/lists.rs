//! Files that may list pages, and that are not part of the publication in force: a feed, the index of a search, the
//! sitemap of another program or of a publication that has just begun. Where parts of the site are protected, such a
//! file is looked through before it is served.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use sitecast_storage::{Opened, Tag};

use super::pinned::reader;
use crate::protection::{Parts, Protection};

/// How much of a list is looked through. Nobody knows what is in larger ones.
const LARGEST: u64 = 16 << 20;
/// The most files that are remembered.
const MOST: usize = 10_000;
/// The ends of names of files that programs read.
const ENDS: [&str; 10] = [
    "xml", "rss", "atom", "rdf", "txt", "json", "jsonl", "ndjson", "csv", "tsv",
];
const COMPRESSED: [&str; 3] = ["gz", "zst", "br"];
/// Everyone has to be able to read what is asked of them.
const FOR_ALL: [&str; 2] = ["robots.txt", "llm-policy.json"];

/// What may be in a file, by its name.
#[derive(Debug, PartialEq, Eq)]
enum Suspicion {
    /// A page, a picture, a script.
    None,
    /// It has to be looked through.
    List,
    /// A sitemap, which may be one that only names others; something that is compressed.
    Unknown,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct KnownLists(Mutex<HashMap<Box<str>, (Tag, Parts)>>);

impl KnownLists {
    /// The protected parts that a file of a site below `root` speaks of.
    pub(crate) fn parts(
        &self,
        name: &str,
        opened: &Opened,
        protection: &Protection,
        root: &str,
    ) -> io::Result<Parts> {
        if protection.is_empty() {
            return Ok(Parts::default());
        }
        match suspicion(name) {
            Suspicion::None => return Ok(Parts::default()),
            Suspicion::Unknown => return Ok(Parts::ALL),
            Suspicion::List => {}
        }
        let known = |lists: &Self| {
            let lists = lists.0.lock().unwrap_or_else(PoisonError::into_inner);
            let (tag, parts) = lists.get(name)?;
            (*tag == opened.tag).then_some(*parts)
        };
        if let Some(parts) = known(self) {
            return Ok(parts);
        }
        let parts = spoken_of(reader(&opened.content, opened.size)?, protection, root)?;
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() >= MOST {
            lists.clear();
        }
        lists.insert(name.into(), (opened.tag.clone(), parts));
        Ok(parts)
    }
}

/// The protected parts that a text at `root` speaks of.
pub(crate) fn spoken_of(
    source: impl Read,
    protection: &Protection,
    root: &str,
) -> io::Result<Parts> {
    let mut text = Vec::new();
    source.take(LARGEST).read_to_end(&mut text)?;
    if text.len() as u64 == LARGEST {
        return Ok(Parts::ALL);
    }
    Ok(protection.of_text(&text, root))
}

fn suspicion(name: &str) -> Suspicion {
    let name = name.to_lowercase();
    let file = name.rsplit('/').next().unwrap_or_default();
    if FOR_ALL.contains(&name.as_str()) {
        return Suspicion::None;
    }
    let is_list = |end: &str| ENDS.contains(&end);
    match file.rsplit_once('.') {
        Some((_, end)) if is_list(end) && file.contains("sitemap") => Suspicion::Unknown,
        Some((_, end)) if is_list(end) => Suspicion::List,
        Some((rest, end)) if COMPRESSED.contains(&end) => match rest.rsplit_once('.') {
            Some((_, end)) if is_list(end) => Suspicion::Unknown,
            _ => Suspicion::None,
        },
        _ => Suspicion::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_read_may_be_a_list() {
        for name in ["llms.txt", "feed.xml", "blog/Index.JSON", "a.csv"] {
            assert_eq!(suspicion(name), Suspicion::List, "{name}");
        }
        for name in [
            "sitemap-2.xml",
            "llm-sitemap-3.json",
            "Post_Sitemap.txt",
            "feed.xml.gz",
        ] {
            assert_eq!(suspicion(name), Suspicion::Unknown, "{name}");
        }
        for name in [
            "robots.txt",
            "llm-policy.json",
            "tea/index.html",
            "sitemap.html",
            "sitemap",
            "a.tar.gz",
            "style.css",
        ] {
            assert_eq!(suspicion(name), Suspicion::None, "{name}");
        }
    }
}
