//! Files that may list pages, and that are not part of the publication in force: a feed, the index of a search, the
//! sitemap of another program or of a publication that has just begun. Where parts of the site are protected, every file
//! that is not known to be made for people is looked through before it is served, and the operator is told of each that
//! needs a token for what it mentions.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use sitecast_storage::{Opened, Tag};

use super::pinned::reader;
use crate::current::Notice;
use crate::protection::{Parts, Protection};
use crate::server::Tell;

/// How much of a list is looked through, once decompressed. Nobody knows what is in larger ones.
const LARGEST: u64 = 16 << 20;
/// The most files that are remembered.
const MOST: usize = 10_000;
/// The ends of names of what is made for people, and lists nothing for programs: pages with their styles and scripts,
/// documents, pictures, fonts, sounds and films.
const FOR_PEOPLE: [&str; 32] = [
    "html", "htm", "xhtml", "css", "js", "mjs", "pdf", "png", "jpg", "jpeg", "gif", "webp", "avif",
    "ico", "bmp", "woff", "woff2", "ttf", "otf", "wasm", "mp3", "ogg", "oga", "opus", "wav",
    "flac", "m4a", "mp4", "m4v", "webm", "mov", "eot",
];
/// What names of scripts hold that are the index of a search, or lists of pages.
const SCRIPTS_THAT_LIST: [&str; 4] = ["search", "sitemap", "lunr", "feed"];
/// The ends of names of sitemaps.
const SITEMAPS: [&str; 10] = [
    "xml", "rss", "atom", "rdf", "txt", "json", "jsonl", "ndjson", "csv", "tsv",
];
/// The first bytes of what is compressed in ways that are not undone here: zip, zstd, xz, bzip2, 7z, rar, Parquet, LZ4,
/// zlib.
const SEALED: [&[u8]; 11] = [
    b"PK\x03\x04",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\0",
    b"BZh",
    b"7z\xbc\xaf",
    b"Rar!",
    b"PAR1",
    b"\x04\x22\x4d\x18",
    b"x\x01",
    b"x\x9c",
    b"x\xda",
];
/// Ends of names of what is compressed in a way that its first bytes do not tell, or should be and is not.
const SEALED_ENDS: [&str; 8] = ["br", "zst", "zip", "xz", "bz2", "7z", "rar", "lzma"];
/// The first bytes of gzip.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Everyone has to be able to read what is asked of them.
const FOR_ALL: [&str; 2] = ["robots.txt", "llm-policy.json"];

/// What may be in a file, by its name.
#[derive(Debug, PartialEq, Eq)]
enum Suspicion {
    /// Made for people.
    None,
    /// It has to be looked through.
    List,
    /// A sitemap, which may be one that only names others; something that is compressed.
    Unknown,
}

/// What was found so far.
pub(crate) struct KnownLists {
    found: Mutex<HashMap<Box<str>, (Tag, Parts)>>,
    /// Held by the one who looks through a file: each takes several times its size in memory.
    looking: Mutex<()>,
    tell: Tell,
}

impl KnownLists {
    pub(crate) fn new(tell: Tell) -> Self {
        Self {
            found: Mutex::default(),
            looking: Mutex::default(),
            tell,
        }
    }

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
        let suspicion = suspicion(name);
        if suspicion == Suspicion::None {
            return Ok(Parts::default());
        }
        if let Some(parts) = self.known(name, &opened.tag) {
            return Ok(parts);
        }
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = self.known(name, &opened.tag) {
            return Ok(parts);
        }
        let parts = match suspicion {
            Suspicion::Unknown => Parts::ALL,
            _ => {
                let (source, is_gzip) = (reader(&opened.content, opened.size)?, is_gzip(name));
                match read_up_to(source)? {
                    // Whatever it is, it is not what it is called.
                    Some(text) if is_gzip && !text.starts_with(GZIP) => Parts::ALL,
                    Some(text) => spoken_of(text.as_slice(), protection, root)?,
                    None => Parts::ALL,
                }
            }
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST {
            found.clear();
        }
        found.insert(name.into(), (opened.tag.clone(), parts));
        drop((found, looking));
        if let Some(words) = words(name, parts, protection, root) {
            (self.tell)(Notice::Warning(words));
        }
        Ok(parts)
    }

    fn known(&self, name: &str, tag: &Tag) -> Option<Parts> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, parts) = found.get(name)?;
        (of == tag).then_some(*parts)
    }
}

/// Why a file needs a token that does not lie in a protected part.
fn words(name: &str, parts: Parts, protection: &Protection, root: &str) -> Option<String> {
    if parts.is_empty() || !protection.of_path(&format!("{root}{name}")).is_empty() {
        return None;
    }
    let why = match parts {
        Parts::ALL => "it may list pages, and what it lists cannot be told".to_owned(),
        _ => format!("it mentions {}", protection.names(parts)),
    };
    Some(format!(
        "`{name}` is served only to those with a token: {why}"
    ))
}

/// The protected parts that a text at `root` speaks of; a compressed one is decompressed.
pub(crate) fn spoken_of(
    source: impl Read,
    protection: &Protection,
    root: &str,
) -> io::Result<Parts> {
    let Some(mut text) = read_up_to(source)? else {
        return Ok(Parts::ALL);
    };
    if text.starts_with(GZIP) {
        match read_up_to(flate2::read::MultiGzDecoder::new(text.as_slice())) {
            Ok(Some(plain)) if !plain.starts_with(GZIP) => text = plain,
            // What is damaged can be read in part.
            _ => return Ok(Parts::ALL),
        }
    }
    if SEALED.iter().any(|start| text.starts_with(start)) {
        return Ok(Parts::ALL);
    }
    // In an archive of tar names stand between zeros, but for the first one.
    if text.get(257..262) == Some(b"ustar") {
        text.insert(0, 0);
    }
    Ok(protection.of_text(&text, root))
}

/// Whether a file is called as what is compressed with gzip.
fn is_gzip(name: &str) -> bool {
    let end = name.rsplit('.').next().unwrap_or_default();
    end.eq_ignore_ascii_case("gz") || end.eq_ignore_ascii_case("tgz")
}

/// All bytes, if they are not too many.
fn read_up_to(source: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| (bytes.len() as u64) < LARGEST))
}

fn suspicion(name: &str) -> Suspicion {
    let name = name.to_lowercase();
    let file = name.rsplit('/').next().unwrap_or_default();
    if FOR_ALL.contains(&name.as_str()) {
        return Suspicion::None;
    }
    let Some((rest, end)) = file.rsplit_once('.') else {
        return Suspicion::List;
    };
    let is_script = matches!(end, "js" | "mjs");
    if is_script && SCRIPTS_THAT_LIST.iter().any(|part| name.contains(part)) {
        Suspicion::List
    } else if FOR_PEOPLE.contains(&end) {
        Suspicion::None
    } else if SEALED_ENDS.contains(&end) || (SITEMAPS.contains(&end) && file.contains("sitemap")) {
        Suspicion::Unknown
    } else if end == "gz" && rest.contains("sitemap") {
        // It may be one that only names others.
        Suspicion::Unknown
    } else {
        Suspicion::List
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_made_for_people_may_be_a_list() {
        for name in [
            "llms.txt",
            "feed.xml",
            "blog/Index.JSON",
            "a.csv",
            "feed",
            "map.svg",
            "nav.yaml",
            "notes.md",
            "a.tar.gz",
            "feed.xml.gz",
            "en_1a2b.pf_fragment",
            "searchindex.js",
            "search/all_0.js",
        ] {
            assert_eq!(suspicion(name), Suspicion::List, "{name}");
        }
        for name in [
            "sitemap-2.xml",
            "llm-sitemap-3.json",
            "Post_Sitemap.txt",
            "sitemap.xml.gz",
            "feed.xml.br",
            "site.zip",
        ] {
            assert_eq!(suspicion(name), Suspicion::Unknown, "{name}");
        }
        for name in [
            "robots.txt",
            "llm-policy.json",
            "tea/index.html",
            "sitemap.html",
            "style.css",
            "app.js",
            "logo.PNG",
        ] {
            assert_eq!(suspicion(name), Suspicion::None, "{name}");
        }
    }
}
