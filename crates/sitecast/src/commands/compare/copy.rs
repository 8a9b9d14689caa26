//! A copy of a site to work with: its pages, and what says which there are. The site itself is only read.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sitecast_publish::{FolderSource, Loaded, Source};
use sitecast_sitemap::{Limits, ScpBlock, extend};

use crate::commands::publish;
use crate::failure::{Exit, Failure, reason};

/// Makes `to` have the pages, sitemaps and robots.txt of `from`. Files that are the same stay as they
/// are, with their dates: a server takes them for unchanged.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let source = FolderSource::open(from).map_err(publish::failure)?;
    let mut wanted = BTreeSet::new();
    let items = source.items().map_err(publish::failure)?;
    for item in items.iter() {
        // What the publisher would not read is not copied either.
        if let Loaded::Html(raw) = source.load(item).map_err(publish::failure)? {
            let target = to.join(item.key);
            put(date(from, item.key), &target, &raw.bytes)
                .map_err(|error| cannot_write(&target, &error))?;
            wanted.insert(item.key.to_owned());
        }
    }
    for name in site_files(from)? {
        let target = to.join(&name);
        let read = source.optional_file(&name).map_err(publish::failure)?;
        let Some(bytes) = read else { continue };
        let bytes = without_collections(&name, bytes);
        put(date(from, &name), &target, &bytes).map_err(|error| cannot_write(&target, &error))?;
        wanted.insert(name);
    }
    for name in pages(to)?.into_iter().chain(site_files(to)?) {
        if !wanted.contains(&name) {
            let path = to.join(&name);
            fs::remove_file(&path).map_err(|error| cannot_write(&path, &error))?;
        }
    }
    Ok(())
}

fn date(folder: &Path, name: &str) -> Option<SystemTime> {
    let metadata = fs::metadata(folder.join(name)).ok()?;
    metadata.modified().ok()
}

fn put(date: Option<SystemTime>, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::read(target).ok();
    if before.as_deref() == Some(bytes) {
        return Ok(());
    }
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    // A new name: the old file may also be where pages are served from.
    let _ = fs::remove_file(target);
    fs::write(target, bytes)?;
    let written = match date {
        Some(date) if before.is_none() => date,
        // Another version has another date, whatever the two folders say.
        _ => SystemTime::now(),
    };
    File::options()
        .write(true)
        .open(target)?
        .set_modified(written)
}

/// Puts the pages beside what was published of them, as on a real host.
pub(super) fn put_pages(from: &Path, to: &Path) -> Result<(), Failure> {
    for name in pages(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        let _ = fs::remove_file(&target);
        let put = || {
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::hard_link(&source, &target).or_else(|_| fs::copy(&source, &target).map(|_| ()))
        };
        put().map_err(|error| cannot_write(&target, &error))?;
    }
    Ok(())
}

/// What may be pages, as the publisher sees it.
fn pages(folder: &Path) -> Result<BTreeSet<String>, Failure> {
    let source = FolderSource::open(folder).map_err(publish::failure)?;
    let items = source.items().map_err(publish::failure)?;
    Ok(items.iter().map(|item| item.key.to_owned()).collect())
}

/// robots.txt, and whatever may be a sitemap.
fn site_files(root: &Path) -> Result<BTreeSet<String>, Failure> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let failed = |error: io::Error| Failure::cannot_read(&path.display().to_string(), &error);
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            let kind = entry.file_type().map_err(failed)?;
            let below = folder.join(name);
            if kind.is_dir() {
                folders.push(below);
            } else if kind.is_file() && (is_sitemap(name) || below == Path::new("robots.txt")) {
                found.insert(below.display().to_string());
            }
        }
    }
    Ok(found)
}

fn is_sitemap(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".xml") || name.ends_with(".xml.gz")
}

/// A folder may have been published before. Its collections stay where they are, and a sitemap that names
/// them would have the publisher look for them.
fn without_collections(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let namespace = sitecast_sitemap::SCP_NAMESPACE.as_bytes();
    let names_them = name.ends_with(".xml")
        && bytes
            .windows(namespace.len())
            .any(|window| window == namespace);
    if !names_them {
        return bytes;
    }
    let mut without = Vec::with_capacity(bytes.len());
    match extend(
        bytes.as_slice(),
        &mut without,
        &ScpBlock::default(),
        &Limits::default(),
    ) {
        Ok(()) => without,
        Err(_) => bytes,
    }
}

pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Failed,
        format!("cannot write `{}`: {}", path.display(), reason(error)),
    )
    .hint("it is in the system's folder for temporary files; TMPDIR names another")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn what_is_the_same_keeps_its_date_and_what_is_gone_goes() {
        let old = folder(&[
            ("a.html", "a"),
            ("b/index.html", "b"),
            ("c.html", "c"),
            ("robots.txt", "User-agent: *"),
            ("style.css", "p {}"),
        ]);
        let new = folder(&[("a.html", "a"), ("b/index.html", "B"), ("d.html", "d")]);
        let to = tempfile::tempdir().unwrap();
        copy(old.path(), to.path()).unwrap();
        assert!(!to.path().join("style.css").exists());
        let date = |name: &str| {
            let metadata = fs::metadata(to.path().join(name)).unwrap();
            metadata.modified().unwrap()
        };
        let before = (date("a.html"), date("b/index.html"));
        copy(new.path(), to.path()).unwrap();
        assert_eq!(date("a.html"), before.0);
        assert!(date("b/index.html") > before.1);
        let there = |name: &str| to.path().join(name).exists();
        assert!(there("d.html") && !there("c.html") && !there("robots.txt"));
    }

    #[test]
    fn collections_of_an_earlier_publication_are_not_looked_for() {
        let text = format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:scp=\"{}\">\
             <scp:collection section=\"all\" type=\"snapshot\" url=\"https://example.com/a.scp\" \
             generated=\"2025-01-15T00:00:00Z\" expires=\"2025-01-16T00:00:00Z\"/>\
             <url><loc>https://example.com/</loc></url></urlset>",
            sitecast_sitemap::SCP_NAMESPACE
        );
        let without = without_collections("sitemap.xml", text.into_bytes());
        let without = String::from_utf8(without).unwrap();
        assert!(!without.contains("a.scp"), "{without}");
        assert!(without.contains("https://example.com/<"), "{without}");
    }
}
