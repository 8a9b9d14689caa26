//! Scanning files for mentions of protected prefixes: feeds, search indexes, and sitemaps that are not part of the
//! publication in force. With protected prefixes, every file that may list pages for programs is scanned before it is
//! served, and the operator is told of each that needs a token because of its content.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use sitecast_storage::{Opened, Tag};

use super::pinned::reader;
use crate::current::Notice;
use crate::protection::{ProtectedParts, Protection};
use crate::server::NoticeHandler;

/// Size up to which files are scanned, after decompression. Larger ones need all tokens.
const MAX_SCAN_BYTES: u64 = 16 << 20;
/// Files whose results are remembered.
const MAX_ENTRIES: usize = 10_000;
/// Extensions of files that are made for people and not scanned: pages with styles and scripts, documents, pictures,
/// fonts, sounds and films.
const HUMAN_EXTENSIONS: [&str; 32] = [
    "html", "htm", "xhtml", "css", "js", "mjs", "pdf", "png", "jpg", "jpeg", "gif", "webp", "avif",
    "ico", "bmp", "woff", "woff2", "ttf", "otf", "wasm", "mp3", "ogg", "oga", "opus", "wav",
    "flac", "m4a", "mp4", "m4v", "webm", "mov", "eot",
];
/// Words in the names of scripts that contain a search index or a list of pages.
const LISTING_SCRIPTS: [&str; 4] = ["search", "sitemap", "lunr", "feed"];
/// Extensions of sitemaps.
const SITEMAP_EXTENSIONS: [&str; 10] = [
    "xml", "rss", "atom", "rdf", "txt", "json", "jsonl", "ndjson", "csv", "tsv",
];
/// Magic numbers of compressions that are not undone here: zip, zstd, xz, bzip2, 7z, rar, Parquet, LZ4, zlib.
const COMPRESSED_MAGIC: [&[u8]; 11] = [
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
/// Extensions of compressed files, for formats without a magic number and files with the wrong name.
const COMPRESSED_EXTENSIONS: [&str; 8] = ["br", "zst", "zip", "xz", "bz2", "7z", "rar", "lzma"];
/// The magic number of gzip.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Agents must be able to read the rules that they are to follow.
const ALWAYS_PUBLIC: [&str; 2] = ["robots.txt", "llm-policy.json"];

/// The treatment of a file, by its name.
#[derive(Debug, PartialEq, Eq)]
enum ScanPolicy {
    /// Made for people: needs no token for what it mentions.
    Skip,
    /// May list pages: scan it.
    Scan,
    /// Needs all tokens: a sitemap index, which only names other files, or a compressed file.
    AssumeAll,
}

/// Scans files and remembers the results by name and version.
pub(crate) struct MentionScanner {
    found: Mutex<HashMap<Box<str>, (Tag, ProtectedParts)>>,
    /// Serializes scans: each takes several times the file's size in memory.
    scan_lock: Mutex<()>,
    on_notice: NoticeHandler,
}

impl MentionScanner {
    pub(crate) fn new(on_notice: NoticeHandler) -> Self {
        Self {
            found: Mutex::default(),
            scan_lock: Mutex::default(),
            on_notice,
        }
    }

    /// Returns the prefixes that a file of a site below `root` mentions.
    pub(crate) fn parts(
        &self,
        name: &str,
        opened: &Opened,
        protection: &Protection,
        root: &str,
    ) -> io::Result<ProtectedParts> {
        if protection.is_empty() {
            return Ok(ProtectedParts::default());
        }
        let scan_policy = scan_policy(name);
        if scan_policy == ScanPolicy::Skip {
            return Ok(ProtectedParts::default());
        }
        if let Some(parts) = self.known(name, &opened.tag) {
            return Ok(parts);
        }
        let scan_lock = self
            .scan_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = self.known(name, &opened.tag) {
            return Ok(parts);
        }
        let parts = match scan_policy {
            ScanPolicy::AssumeAll => ProtectedParts::ALL,
            _ => {
                let (source, is_gzip) = (reader(&opened.content, opened.size)?, is_gzip(name));
                match read_up_to(source)? {
                    // The content does not match the name.
                    Some(text) if is_gzip && !text.starts_with(GZIP) => ProtectedParts::ALL,
                    Some(text) => mentioned_parts(text.as_slice(), protection, root)?,
                    None => ProtectedParts::ALL,
                }
            }
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MAX_ENTRIES {
            found.clear();
        }
        found.insert(name.into(), (opened.tag.clone(), parts));
        drop((found, scan_lock));
        if let Some(warning) = token_warning(name, parts, protection, root) {
            (self.on_notice)(Notice::Warning(warning));
        }
        Ok(parts)
    }

    fn known(&self, name: &str, tag: &Tag) -> Option<ProtectedParts> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, parts) = found.get(name)?;
        (of == tag).then_some(*parts)
    }
}

/// Returns a warning if a file outside of the protected prefixes needs a token.
fn token_warning(
    name: &str,
    parts: ProtectedParts,
    protection: &Protection,
    root: &str,
) -> Option<String> {
    if parts.is_empty() || !protection.of_path(&format!("{root}{name}")).is_empty() {
        return None;
    }
    let why = match parts {
        ProtectedParts::ALL => "it may list pages and cannot be scanned".to_owned(),
        _ => format!("it mentions {}", protection.names(parts)),
    };
    Some(format!("`{name}` is served only with a token: {why}"))
}

/// Returns the prefixes that a text at `root` mentions. Decompresses gzip.
pub(crate) fn mentioned_parts(
    source: impl Read,
    protection: &Protection,
    root: &str,
) -> io::Result<ProtectedParts> {
    let Some(mut text) = read_up_to(source)? else {
        return Ok(ProtectedParts::ALL);
    };
    if text.starts_with(GZIP) {
        match read_up_to(flate2::read::MultiGzDecoder::new(text.as_slice())) {
            Ok(Some(plain)) if !plain.starts_with(GZIP) => text = plain,
            // A damaged or nested file may still be readable in part.
            _ => return Ok(ProtectedParts::ALL),
        }
    }
    if COMPRESSED_MAGIC.iter().any(|start| text.starts_with(start)) {
        return Ok(ProtectedParts::ALL);
    }
    // In a tar archive, names are between NUL bytes, except for the first one.
    if text.get(257..262) == Some(b"ustar") {
        text.insert(0, 0);
    }
    Ok(protection.of_text(&text, root))
}

/// Returns true if the name has an extension of gzip.
fn is_gzip(name: &str) -> bool {
    let end = name.rsplit('.').next().unwrap_or_default();
    end.eq_ignore_ascii_case("gz") || end.eq_ignore_ascii_case("tgz")
}

/// Reads all bytes; `None` if there are too many.
fn read_up_to(source: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.take(MAX_SCAN_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| (bytes.len() as u64) < MAX_SCAN_BYTES))
}

fn scan_policy(name: &str) -> ScanPolicy {
    let name = name.to_lowercase();
    let file = name.rsplit('/').next().unwrap_or_default();
    if ALWAYS_PUBLIC.contains(&name.as_str()) {
        return ScanPolicy::Skip;
    }
    let Some((rest, end)) = file.rsplit_once('.') else {
        return ScanPolicy::Scan;
    };
    let is_script = matches!(end, "js" | "mjs");
    if is_script && LISTING_SCRIPTS.iter().any(|part| name.contains(part)) {
        ScanPolicy::Scan
    } else if HUMAN_EXTENSIONS.contains(&end) {
        ScanPolicy::Skip
    } else if COMPRESSED_EXTENSIONS.contains(&end)
        || (SITEMAP_EXTENSIONS.contains(&end) && file.contains("sitemap"))
    {
        ScanPolicy::AssumeAll
    } else if end == "gz" && rest.contains("sitemap") {
        // It may be a sitemap index.
        ScanPolicy::AssumeAll
    } else {
        ScanPolicy::Scan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_files_that_are_not_made_for_people() {
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
            assert_eq!(scan_policy(name), ScanPolicy::Scan, "{name}");
        }
        for name in [
            "sitemap-2.xml",
            "llm-sitemap-3.json",
            "Post_Sitemap.txt",
            "sitemap.xml.gz",
            "feed.xml.br",
            "site.zip",
        ] {
            assert_eq!(scan_policy(name), ScanPolicy::AssumeAll, "{name}");
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
            assert_eq!(scan_policy(name), ScanPolicy::Skip, "{name}");
        }
    }
}
