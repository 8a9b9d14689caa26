//! Export of pages as JSON lines, a collection, Markdown files or a Parquet table.
//!
//! Each function writes the pages in the order of [`Index::pages`](crate::Index::pages). Lines, collections
//! and Markdown files need memory for one page at a time, the table for one row group.

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

/// The counts of one export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// The number of exported pages.
    pub pages: u64,
    /// The size of their lines in bytes.
    pub bytes: u64,
    /// Pages whose lines had to be corrected, such as lines with blocks that this version does not know.
    /// Only a collection corrects lines.
    pub mended: u64,
    /// The first 20 of the pages that were not exported.
    pub left_out: Vec<LeftOut>,
    /// The number of all pages that were not exported.
    pub left_out_count: u64,
}

/// A page that was not exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The page's URL.
    pub url: String,
    /// The error that kept the page from being written.
    pub reason: String,
}

impl Exported {
    /// The most entries in `left_out`.
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

/// An error that ends an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The output cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    /// A Markdown file cannot be written.
    #[error("cannot write `{path}`: {source}")]
    File {
        /// The path of the file.
        path: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The collection cannot be written.
    #[error(transparent)]
    Collection(WriteError),
    /// The Parquet table cannot be written.
    #[error("cannot write the table: {0}")]
    Table(String),
}

/// Writes the lines byte for byte as published.
pub fn to_lines(pages: &mut dyn PageStream, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    while let Some(page) = pages.next_page()? {
        out.write_all(page.line.as_bytes())?;
        out.write_all(b"\n")?;
        exported.count(&page);
    }
    Ok(exported)
}

/// Writes a collection. Where readers would warn about a line, writes the page as they would read it instead.
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

/// Parses a line without limits: they were enforced before the page was merged.
pub(crate) fn page_of_line(line: &str) -> Result<Page, String> {
    let limits = Limits {
        page_bytes: usize::MAX,
        page_blocks: usize::MAX,
        ..Limits::default()
    };
    let (page, _) = Page::from_line(line, &limits).map_err(|error| error.to_string())?;
    Ok(page)
}
