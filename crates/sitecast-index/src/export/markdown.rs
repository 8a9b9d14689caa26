//! Export to Markdown: one file for each page.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sitecast_scp::to_markdown;

use super::file_name::stem;
use super::{ExportError, Exported, page_of};
use crate::{PageStream, StoredPage};

/// Writes a file for each page below `folder`, in subfolders by host and path. YAML front matter holds the
/// metadata.
///
/// The folder should be empty: existing files are not overwritten, and the page gets another name.
pub fn to_markdown_files(
    pages: &mut dyn PageStream,
    folder: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    while let Some(page) = pages.next_page()? {
        let text = match text_of(&page) {
            Ok(text) => text,
            Err(reason) => {
                exported.leave_out(&page, reason);
                continue;
            }
        };
        let path = folder.join(stem(&page.url));
        write(&path, &text).map_err(|source| ExportError::File {
            path: path.display().to_string(),
            source,
        })?;
        exported.count(&page);
    }
    Ok(exported)
}

fn text_of(stored: &StoredPage) -> Result<String, String> {
    let page = page_of(stored)?;
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: &str| -> Result<(), String> {
        // JSON strings are YAML strings.
        let value = serde_json::to_string(&harmless(value)).map_err(|error| error.to_string())?;
        text += &format!("{name}: {value}\n");
        Ok(())
    };
    field("url", &stored.url)?;
    field("title", &page.title)?;
    if !page.description.is_empty() {
        field("description", &page.description)?;
    }
    if let Some(author) = &page.author {
        field("author", author)?;
    }
    field("language", page.language.as_str())?;
    if let Some(published) = page.published {
        field("published", &published.to_string())?;
    }
    field("modified", &page.modified.to_string())?;
    text += "---\n\n";
    text += &harmless(&to_markdown(&page));
    Ok(text)
}

/// Removes the characters that control a terminal: escape sequences, C1 controls and marks that change the direction
/// of text. The text is untrusted, and people print these files with `cat`.
fn harmless(text: &str) -> String {
    text.chars().filter(|c| is_harmless(*c)).collect()
}

fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    matches!(c, '\t' | '\n') || !(c.is_control() || turns)
}

/// Writes a file under the first free name. Names are free unless a page was crafted to collide with the hash of another.
fn write(stem: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = stem.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut number = 1;
    loop {
        match File::options()
            .write(true)
            .create_new(true)
            .open(named(stem, number))
        {
            Ok(mut file) => return file.write_all(text.as_bytes()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1_000 => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

fn named(stem: &Path, number: u32) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    if number > 1 {
        name.push(format!("-{number}"));
    }
    name.push(".md");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use sitecast_scp::Timestamp;

    use super::*;
    use crate::{OriginKind, PageFacts, SiteId};

    /// Both in the text and in the front matter.
    #[test]
    fn removes_terminal_control_characters() {
        let bad = "a\u{1b}[31mb\u{9b}2Jc\r\u{7}d\u{202e}e\u{7f}h\u{0}ä\u{200d}";
        let time = Timestamp::from_unix_seconds(1_735_689_600).unwrap();
        let line = serde_json::json!({
            "url": "https://example.com/", "title": bad, "description": bad, "author": bad,
            "modified": time.to_string(), "language": "en",
            "content": [{"type": "text", "text": format!("{bad}\tf\ng")}],
        });
        let text = text_of(&StoredPage {
            site: SiteId::new(&"https://example.com/".parse().unwrap()),
            url: format!("https://example.com/{bad}"),
            line: line.to_string(),
            facts: PageFacts {
                modified: time,
                language: "en".to_owned(),
                fingerprint: None,
                etag: None,
                fetched: time,
                origin: OriginKind::Html,
                collection: None,
                sections: Vec::new(),
                bytes: 0,
            },
        });
        let left = "a[31mb2Jcdehä\u{200d}";
        let text = text.unwrap();
        for name in ["title", "description", "author"] {
            assert!(
                text.contains(&format!("\n{name}: \"{left}\"\n")),
                "{text:?}"
            );
        }
        assert!(
            text.contains(&format!("url: \"https://example.com/{left}\"\n")),
            "{text:?}"
        );
        assert!(text.chars().all(is_harmless), "{text:?}");
        assert!(text.contains("\tf\\\ng"), "{text:?}");
    }
}
