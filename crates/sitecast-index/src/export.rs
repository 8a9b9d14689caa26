//! Pages out of an index: as lines, as a collection, as Markdown files, as a table.
//!
//! Each takes pages as they come from [`Index::pages`](crate::Index::pages), in that order, and
//! holds one at a time.

mod file_name;
mod markdown;
#[cfg(feature = "parquet")]
mod parquet;

use std::io::{self, Seek, Write};

use sitecast_scp::{Collection, Limits, Page, WriteError, WriterOptions};

use crate::{IndexError, PageStream, StoredPage};

pub use markdown::to_markdown_files;
#[cfg(feature = "parquet")]
pub use parquet::to_parquet;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// Pages.
    pub pages: u64,
    /// Bytes of their lines.
    pub bytes: u64,
    /// Pages that could not be written as they are, and were put right: in a collection, blocks that
    /// this version does not know are left out.
    pub mended: u64,
    /// Pages that could not be written at all, and why; the first few.
    pub left_out: Vec<LeftOut>,
    /// How many they are.
    pub left_out_count: u64,
}

/// A page that could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The page.
    pub url: String,
    /// Why.
    pub reason: String,
}

impl Exported {
    /// So many pages that were left out are named.
    const NAMED: usize = 20;

    fn count(&mut self, page: &StoredPage) {
        self.pages += 1;
        self.bytes += page.line.len() as u64;
    }

    fn leave_out(&mut self, page: &StoredPage, reason: impl ToString) {
        self.left_out_count += 1;
        if self.left_out.len() < Self::NAMED {
            self.left_out.push(LeftOut {
                url: page.url.clone(),
                reason: reason.to_string(),
            });
        }
    }
}

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// What was read cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    /// A file of a folder cannot be written.
    #[error("cannot write `{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The collection cannot be written.
    #[error(transparent)]
    Collection(WriteError),
    /// The table cannot be written.
    #[error("cannot write the table: {0}")]
    Table(String),
}

/// Writes the lines as they were published.
pub fn to_lines(pages: &mut dyn PageStream, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    while let Some(page) = pages.next_page()? {
        out.write_all(page.line.as_bytes())?;
        out.write_all(b"\n")?;
        exported.count(&page);
    }
    Ok(exported)
}

/// Writes a collection. A line that readers would warn about is replaced by the page that they
/// would make of it.
pub fn to_collection(
    pages: &mut dyn PageStream,
    out: impl Write + Seek,
    collection: &Collection,
    options: &WriterOptions,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut writer = options
        .create(out, collection)
        .map_err(ExportError::Collection)?;
    while let Some(page) = pages.next_page()? {
        let written = match writer.write_line(&page.line) {
            Err(WriteError::Page { .. }) => match page_of(&page) {
                Ok(mended) => writer.write_page(&mended).map(|()| exported.mended += 1),
                Err(reason) => {
                    exported.leave_out(&page, reason);
                    continue;
                }
            },
            written => written,
        };
        match written {
            Ok(()) => exported.count(&page),
            Err(WriteError::Page { problem, .. }) => exported.leave_out(&page, problem),
            Err(error) => return Err(ExportError::Collection(error)),
        }
    }
    writer.finish().map_err(ExportError::Collection)?;
    Ok(exported)
}

fn page_of(page: &StoredPage) -> Result<Page, String> {
    page_of_line(&page.line)
}

/// The page of a line. Limits were enforced when it came in.
pub(crate) fn page_of_line(line: &str) -> Result<Page, String> {
    let limits = Limits {
        page_bytes: usize::MAX,
        page_blocks: usize::MAX,
        ..Limits::default()
    };
    let (page, _) = Page::from_line(line, &limits).map_err(|error| error.to_string())?;
    Ok(page)
}
