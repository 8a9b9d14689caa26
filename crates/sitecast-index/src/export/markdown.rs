//! A Markdown file for each page.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sitecast_scp::to_markdown;

use super::file_name::stem;
use super::{ExportError, Exported, page_of};
use crate::{PageStream, StoredPage};

/// Writes a file for each page into `folder`, in folders by host and path, with URL, title and
/// times before the text.
///
/// The folder should be empty: a file that is there is not overwritten, and the page gets another
/// name.
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
    // JSON strings are YAML strings.
    let quoted = |text: &str| serde_json::to_string(text).map_err(|error| error.to_string());
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: &str| -> Result<(), String> {
        text += &format!("{name}: {}\n", quoted(value)?);
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
    text += &to_markdown(&page);
    Ok(text)
}

/// Names are tried until one is free; by their hashes they are, unless somebody meant ill.
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
