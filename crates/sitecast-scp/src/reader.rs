//! Streaming reader of collections.

mod duplicates;
mod lines;
mod source;
mod summary;
mod tally;
mod verified;

use std::borrow::Cow;
use std::fmt;
use std::io::Read;

pub use summary::{ChecksumStatus, Counts, Summary};
pub use verified::Verified;

pub(crate) use duplicates::Duplicates;
use duplicates::Seen;

use crate::validate::{ChecksumCut, Metadata, check_metadata};
use crate::{
    Checksum, Collection, Limits, LineProblem, NoMetadata, Page, PageError, ReadError, Rejection,
    Timestamp, Warning, WarningKind,
};
use lines::{Lines, Place};
use source::Source;
use tally::{Known, Tally};

/// Reads a collection, one event at a time.
///
/// The warnings about a page follow the page; a rejected page appears only as a warning.
/// A fatal error ends the reading, and the caller must discard all pages returned before: a collection is
/// known to be complete and correct only after [`Reader::next_event`] has returned
/// `None`. [`Verified`] returns no page before that point.
///
/// ```
/// use sitecast_scp::{Event, Reader};
///
/// let file = br#"{"collection":{"id":"x","section":"all","type":"snapshot","generated":"2025-01-15T10:00:00Z","version":"0.1"}}
/// {"url":"https://example.com/","title":"Home","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":[{"type":"text","text":"Hello"}]}
/// "#;
/// let mut reader = Reader::new(&file[..])?;
/// while let Some(event) = reader.next_event()? {
///     match event {
///         Event::Page(page) => println!("{} {}", page.modified(), page.url()),
///         Event::Warning(warning) => eprintln!("{warning}"),
///     }
/// }
/// assert_eq!(reader.summary().map(|summary| summary.counts.pages), Some(1));
/// # Ok::<(), sitecast_scp::ReadError>(())
/// ```
pub struct Reader<R> {
    lines: Lines<R>,
    collection: Option<Collection>,
    /// The range of line 1 that is not hashed.
    cut: Option<ChecksumCut>,
    first_line: String,
    /// True if the file has no metadata and its first line, a page, is still to be returned.
    first_line_due: bool,
    tally: Tally,
    /// The digest that an earlier pass computed.
    digest_before: Option<Checksum>,
    state: State,
}

enum State {
    Reading,
    Finished(Summary),
    Failed,
}

/// A page or warning from a reader.
#[derive(Debug)]
pub enum Event<'a> {
    /// A usable page. A later page with the same URL and a newer `modified` replaces it; a
    /// [`WarningKind::DuplicateUrl`] follows the later page.
    Page(PageRecord<'a>),
    /// A problem: a value that was corrected, or a block or page that was dropped.
    Warning(Warning),
}

/// The handling of a file without a metadata line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingMetadata {
    /// Refuse the file, because it cannot be verified.
    #[default]
    Refuse,
    /// Read the file. In draft one the metadata line is optional.
    Accept,
}

/// Options of a reader: the limits, and the handling of missing metadata.
///
/// ```
/// use sitecast_scp::{Limits, MissingMetadata, ReaderOptions};
///
/// let draft_one = br#"{"url":"https://example.com/","title":"Home","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":[]}"#;
/// let options = ReaderOptions { missing_metadata: MissingMetadata::Accept, ..ReaderOptions::default() };
/// let reader = options.read(&draft_one[..])?;
/// assert!(reader.collection().is_none());
/// # Ok::<(), sitecast_scp::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReaderOptions {
    /// The limits beyond which a file is refused or a page rejected.
    pub limits: Limits,
    /// The handling of a file without a metadata line.
    pub missing_metadata: MissingMetadata,
}

impl ReaderOptions {
    /// Reads from `source` on this thread.
    pub fn read<R: Read>(&self, source: R) -> Result<Reader<R>, ReadError> {
        let known = Known::so_far(&self.limits);
        Reader::begin(Source::here(source, &self.limits), self, known)
    }

    /// Reads from `source` on a second thread, which decompresses ahead. If the reader is dropped
    /// early, that thread ends after its next read from `source`.
    pub fn read_ahead<R: Read + Send + 'static>(&self, source: R) -> Result<Reader<R>, ReadError> {
        let known = Known::so_far(&self.limits);
        Reader::begin(Source::ahead(source, &self.limits)?, self, known)
    }
}

impl<R> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("collection", &self.collection)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Reader<R> {
    /// Reads from `source` with the specification's limits. The first line is read at once.
    pub fn new(source: R) -> Result<Self, ReadError> {
        ReaderOptions::default().read(source)
    }

    fn begin(source: Source<R>, options: &ReaderOptions, known: Known) -> Result<Self, ReadError> {
        let mut reader = Self {
            lines: Lines::new(source),
            collection: None,
            cut: None,
            first_line: String::new(),
            first_line_due: false,
            tally: Tally::new(options.limits.clone(), known),
            digest_before: None,
            state: State::Reading,
        };
        reader.read_metadata(options.missing_metadata)?;
        Ok(reader)
    }

    fn read_metadata(&mut self, missing: MissingMetadata) -> Result<(), ReadError> {
        let limit = match missing {
            MissingMetadata::Refuse => self.tally.limits.metadata_bytes,
            // The line may be a page.
            MissingMetadata::Accept => self.tally.limits.page_bytes,
        };
        let place = match self.lines.advance(limit)? {
            None => return Err(ReadError::NoMetadata(NoMetadata::EmptyFile)),
            Some(Place::TooLong { .. }) => {
                return Err(ReadError::NoMetadata(NoMetadata::TooLong { limit }));
            }
            Some(place) => place,
        };
        let line =
            utf8(self.lines.line(place)).map_err(|problem| ReadError::Line { line: 1, problem })?;
        let mut warnings = Vec::new();
        let cut = match check_metadata(line, &self.tally.limits, &mut warnings)? {
            Some(_) if line.len() > self.tally.limits.metadata_bytes => {
                let limit = self.tally.limits.metadata_bytes;
                return Err(ReadError::NoMetadata(NoMetadata::TooLong { limit }));
            }
            Some(Metadata { collection, cut }) => {
                self.collection = Some(collection);
                self.cut = cut.clone();
                cut
            }
            None if missing == MissingMetadata::Accept => {
                warnings.push(WarningKind::MissingMetadata);
                self.first_line_due = true;
                None
            }
            None => return Err(ReadError::NoMetadata(NoMetadata::NoCollection)),
        };
        self.first_line = line.to_owned();
        self.lines.hash_from_first_line(place, cut.as_ref());
        self.tally.warn(1, None, warnings);
        Ok(())
    }

    /// The metadata, or `None` if it is missing and the options accept that.
    pub fn collection(&self) -> Option<&Collection> {
        self.collection.as_ref()
    }

    /// The metadata line, byte for byte as published.
    pub fn metadata_line(&self) -> Option<&str> {
        self.collection.as_ref().map(|_| self.first_line.as_str())
    }

    /// The counts so far, even if the reading later fails.
    pub fn counts(&self) -> Counts {
        let progress = self.lines.progress();
        Counts {
            compressed_bytes: progress.fetched,
            uncompressed_bytes: self.lines.uncompressed(),
            compression: progress.compression,
            ..self.tally.counts.clone()
        }
    }

    /// The summary of the file, once it has been read to its end without an error.
    pub fn summary(&self) -> Option<&Summary> {
        match &self.state {
            State::Finished(summary) => Some(summary),
            State::Reading | State::Failed => None,
        }
    }

    /// Returns the next page or warning, or `None` at the end of a complete and correct file. After an
    /// error it also returns `None`, but [`Self::summary`] stays `None` too.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        if let Some(warning) = self.tally.pending.pop_front() {
            return Ok(Some(Event::Warning(warning)));
        }
        if !matches!(self.state, State::Reading) {
            return Ok(None);
        }
        // Every early return below is a fatal error, unless it resets the state.
        self.state = State::Failed;
        let (line, number) = if std::mem::take(&mut self.first_line_due) {
            (self.first_line.as_str(), 1)
        } else {
            let place = match self.lines.advance(self.tally.limits.page_bytes)? {
                None => {
                    self.state = State::Finished(self.finish()?);
                    return Ok(None);
                }
                Some(Place::TooLong { bytes }) => {
                    self.state = State::Reading;
                    let rejection = Rejection::TooLong {
                        bytes,
                        limit: self.tally.limits.page_bytes,
                    };
                    return Ok(self.tally.reject(self.lines.number(), None, rejection));
                }
                Some(place) => place,
            };
            let number = self.lines.number();
            let line = utf8(self.lines.line(place)).map_err(|problem| ReadError::Line {
                line: number,
                problem,
            })?;
            (line, number)
        };
        let event = self.tally.page(line, number)?;
        self.state = State::Reading;
        Ok(event)
    }

    /// Verifies the checksum at the end of the file.
    fn finish(&mut self) -> Result<Summary, ReadError> {
        let digest = self.lines.digest().ok_or(ReadError::Changed)?;
        if self.digest_before.is_some_and(|before| before != digest) {
            return Err(ReadError::Changed);
        }
        let checksum = match (self.collection.as_ref().and_then(|c| c.checksum), &self.cut) {
            (Some(expected), Some(cut)) if expected != digest => {
                return Err(ReadError::ChecksumMismatch {
                    expected,
                    actual: digest,
                    hashed_bytes: self.lines.uncompressed() - cut.len() as u64,
                    cut: cut.clone(),
                });
            }
            (Some(_), _) => ChecksumStatus::Verified,
            (None, _) => ChecksumStatus::Absent,
        };
        Ok(Summary {
            counts: self.counts(),
            checksum,
            digest,
        })
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, LineProblem> {
    std::str::from_utf8(bytes).map_err(|error| LineProblem::NotUtf8 {
        at: error.valid_up_to() + 1,
    })
}

/// A page from a collection: its line, and the members that the reader has decoded.
#[derive(Debug)]
pub struct PageRecord<'a> {
    number: u64,
    line: &'a str,
    url: Cow<'a, str>,
    modified: Timestamp,
    title: Cow<'a, str>,
    language: Cow<'a, str>,
    blocks: usize,
    limits: &'a Limits,
}

impl<'a> PageRecord<'a> {
    /// The page's line, byte for byte as published, including members that this version does not know.
    pub fn line(&self) -> &'a str {
        self.line
    }

    /// The number of the line, from 1.
    pub fn line_number(&self) -> u64 {
        self.number
    }

    /// The URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The time of the last change of the content.
    pub fn modified(&self) -> Timestamp {
        self.modified
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The language of the content, a well-formed BCP 47 tag.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The number of usable blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Builds the page. The line has been checked, so this does not fail in
    /// practice. A [`Page`] takes a few times the memory of its line.
    pub fn to_page(&self) -> Result<Page, PageError> {
        Page::from_line(self.line, self.limits).map(|(page, _)| page)
    }
}
