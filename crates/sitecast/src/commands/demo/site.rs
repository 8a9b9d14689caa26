//! The bundled site as it is built: Brise, a made-up maker of weather stations.
//!
//! `demo-site/` has the content of each page and a shell for each language, as a site generator would
//! have them; a build puts the two together. The time of the build is in every file, as on many real
//! sites: so every file differs from build to build, whether its content does or not.

use std::fs;
use std::io;
use std::path::Path;

use super::bundle::{FILES, PAGES, SHELLS};
use super::edits::{DELETED, EDITS};

/// Where the site says it is. Names that end in `.example` belong to nobody (RFC 2606).
pub(super) const BASE: &str = "https://brise.example";

/// A state of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// As it is bundled.
    First,
    /// Three pages edited, one deleted.
    Second,
}

impl Version {
    /// What a build of it says in every file.
    fn build(self) -> &'static str {
        match self {
            Self::First => "2026-05-04 06:00",
            Self::Second => "2026-05-05 06:00",
        }
    }
}

/// Builds the site into a folder, as a generator does: what is there is overwritten, and what is no
/// longer part of the site is removed. Answers how many HTML files there are, and their bytes.
pub(super) fn build(version: Version, folder: &Path) -> io::Result<Built> {
    let mut built = Built::default();
    for (name, text) in PAGES {
        let page = Page::parse(text);
        let file = folder.join(page.file());
        if version == Version::Second && *name == DELETED {
            fs::remove_file(&file)?;
            continue;
        }
        let html = page.render(&edited(version, name, page.content), version.build());
        write(&file, html.as_bytes())?;
        built.files += 1;
        built.bytes += html.len() as u64;
    }
    for (name, content) in FILES {
        // What publishing added to a file is not the build's to take away.
        if version == Version::First {
            write(&folder.join(name), content.as_bytes())?;
        }
    }
    Ok(built)
}

/// What a build made.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Built {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// Where the page that gets deleted is.
pub(super) fn deleted_url() -> String {
    let deleted = PAGES.iter().find(|(name, _)| *name == DELETED);
    let page = deleted.map(|(_, text)| Page::parse(text));
    format!("{BASE}{}", page.map_or("/", |page| page.value("path")))
}

/// Where each edited page is, and what it says since.
pub(super) fn edited_urls() -> impl Iterator<Item = (String, &'static str)> {
    EDITS.iter().filter_map(|edit| {
        let (_, text) = PAGES.iter().find(|(name, _)| *name == edit.page)?;
        let path = Page::parse(text).value("path");
        Some((format!("{BASE}{path}"), edit.said))
    })
}

fn edited(version: Version, name: &str, content: &str) -> String {
    let mut content = content.to_owned();
    for edit in &EDITS {
        if version == Version::Second && edit.page == name {
            content = content.replacen(edit.find, edit.replace, 1);
        }
    }
    content
}

fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, content)
}

/// A page of the bundle: a head of `key: value` lines, an empty line, and the content.
struct Page {
    head: &'static str,
    content: &'static str,
}

impl Page {
    fn parse(text: &'static str) -> Self {
        let (head, content) = text.split_once("\n\n").unwrap_or((text, ""));
        Self { head, content }
    }

    /// What the head says; empty if it says nothing.
    fn value(&self, key: &str) -> &'static str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(name, _)| *name == key)
            .map_or("", |(_, value)| value.trim())
    }

    /// `/about/` is `about/index.html`.
    fn file(&self) -> String {
        let path = self.value("path").trim_start_matches('/');
        if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        }
    }

    /// The shell of its language, filled in. A line that wants a value the page does not have is
    /// left out.
    fn render(&self, content: &str, build: &str) -> String {
        let language = self.value("language");
        let shell = SHELLS.iter().find(|(name, _)| *name == language);
        let url = format!("{BASE}{}", self.value("path"));
        let value = |name: &str| match name {
            "url" => escape(&url),
            "base" => BASE.to_owned(),
            "build" => build.to_owned(),
            "content" => {
                let content = content.replace("{{url}}", &url);
                content.replace("{{base}}", BASE)
            }
            name => escape(self.value(name)),
        };
        let mut html = String::new();
        for line in shell.map_or("", |(_, shell)| *shell).lines() {
            if let Some(line) = fill(line, &value) {
                html.push_str(&line);
                html.push('\n');
            }
        }
        html
    }
}

/// A line with its `{{names}}` replaced; `None` if one of them has no value.
fn fill(line: &str, value: &dyn Fn(&str) -> String) -> Option<String> {
    let mut filled = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}")?;
        let value = value(name);
        if value.is_empty() {
            return None;
        }
        filled.push_str(before);
        filled.push_str(&value);
        rest = after;
    }
    filled.push_str(rest);
    Some(filled)
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn files_below(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.path().is_dir() {
                files_below(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name);
            }
        }
    }

    #[test]
    fn everything_in_the_folder_is_bundled() {
        let mut found = BTreeSet::new();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-site");
        files_below(&folder, "", &mut found);
        let pages = PAGES.iter().map(|(name, _)| format!("pages/{name}"));
        let files = FILES.iter().map(|(name, _)| (*name).to_owned());
        let shells = SHELLS.iter().map(|(name, _)| format!("shell.{name}.html"));
        let bundled: BTreeSet<String> = pages.chain(files).chain(shells).collect();
        assert_eq!(found, bundled);
    }

    #[test]
    fn every_page_says_what_it_must_and_is_filled_in() {
        for (name, text) in PAGES {
            let page = Page::parse(text);
            for key in ["path", "title", "description", "language"] {
                assert!(!page.value(key).is_empty(), "{name} has no {key}");
            }
            let html = page.render(page.content, "now");
            assert!(html.contains("</html>"), "{name} has no shell");
            assert!(!html.contains("{{"), "{name} is not filled in");
        }
    }

    #[test]
    fn every_edit_changes_its_page_once() {
        for edit in &EDITS {
            let page = PAGES.iter().find(|(name, _)| *name == edit.page).unwrap();
            assert_eq!(page.1.matches(edit.find).count(), 1, "{}", edit.page);
            assert!(edit.replace.contains(edit.said), "{}", edit.page);
            assert!(!page.1.contains(edit.said), "{}", edit.page);
        }
        assert!(PAGES.iter().any(|(name, _)| *name == DELETED));
    }

    #[test]
    fn links_lead_somewhere_in_both_versions() {
        for version in [Version::First, Version::Second] {
            let folder = tempfile::tempdir().unwrap();
            build(Version::First, folder.path()).unwrap();
            build(version, folder.path()).unwrap();
            let mut found = BTreeSet::new();
            files_below(folder.path(), "", &mut found);
            for file in found.iter().filter(|name| name.ends_with(".html")) {
                let html = fs::read_to_string(folder.path().join(file)).unwrap();
                for link in html.split("href=\"/").skip(1) {
                    let path = link.split(['"', '?', '#']).next().unwrap();
                    let target = if path.is_empty() || path.ends_with('/') {
                        format!("{path}index.html")
                    } else {
                        path.to_owned()
                    };
                    assert!(found.contains(&target), "{version:?}: {file} → /{path}");
                }
            }
        }
    }
}
