//! Reading collections.

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
/// A page is followed by the warnings about it; a page that is rejected shows only as a warning.
/// A fatal error ends the reading, and then nothing that was handed out before may be kept: what a
/// stream holds is known to be whole and right only when [`Reader::next_event`] has answered
/// `None`. [`Verified`] hands out nothing before that.
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
    /// What was cut out of line 1 before hashing.
    cut: Option<ChecksumCut>,
    first_line: String,
    /// Whether the first line is a page, for want of metadata, and still to be handed out.
    first_line_due: bool,
    tally: Tally,
    /// The digest that an earlier pass found.
    digest_before: Option<Checksum>,
    state: State,
}

enum State {
    Reading,
    Finished(Summary),
    Failed,
}

/// What a reader comes upon.
#[derive(Debug)]
pub enum Event<'a> {
    /// A page that can be used. A later page with the same URL and a newer `modified` takes its
    /// place; a [`WarningKind::DuplicateUrl`] follows that one.
    Page(PageRecord<'a>),
    /// Something that was put right, dropped or rejected.
    Warning(Warning),
}

/// Whether a file may do without its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingMetadata {
    /// No: without it there is nothing to verify.
    #[default]
    Refuse,
    /// Yes, as in draft one, where it is optional.
    Accept,
}

/// How to read: the limits, and what to put up with.
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
    /// How much is read before a file is refused.
    pub limits: Limits,
    /// Whether the first line must be metadata.
    pub missing_metadata: MissingMetadata,
}

impl ReaderOptions {
    /// Reads from `source` on this thread.
    pub fn read<R: Read>(&self, source: R) -> Result<Reader<R>, ReadError> {
        let known = Known::so_far(&self.limits);
        Reader::begin(Source::here(source, &self.limits), self, known)
    }

    /// Reads from `source` with a second thread that decompresses ahead. If the reader is dropped
    /// early, that thread ends with its next read from `source`.
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
            // It may be a page.
            MissingMetadata::Accept => self.tally.limits.page_bytes,
        };
        let place = match self.lines.advance(limit)? {
            None => return Err(ReadError::NoMetadata(NoMetadata::EmptyFile)),
            Some(Place::Nowhere { .. }) => {
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

    /// What the first line says, unless it was missing and that was accepted.
    pub fn collection(&self) -> Option<&Collection> {
        self.collection.as_ref()
    }

    /// The first line as it was published, if it is metadata.
    pub fn metadata_line(&self) -> Option<&str> {
        self.collection.as_ref().map(|_| self.first_line.as_str())
    }

    /// How much has been read so far, whether or not it will turn out well.
    pub fn counts(&self) -> Counts {
        let progress = self.lines.progress();
        Counts {
            compressed_bytes: progress.fetched,
            uncompressed_bytes: self.lines.uncompressed(),
            compression: progress.compression,
            ..self.tally.counts.clone()
        }
    }

    /// What is known of the file, once it has been read to its end without an error.
    pub fn summary(&self) -> Option<&Summary> {
        match &self.state {
            State::Finished(summary) => Some(summary),
            State::Reading | State::Failed => None,
        }
    }

    /// The next page or warning, or `None` at the end of a file that is whole and right. After an
    /// error it answers `None` as well, and there is no [`Self::summary`].
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        if let Some(warning) = self.tally.pending.pop_front() {
            return Ok(Some(Event::Warning(warning)));
        }
        if !matches!(self.state, State::Reading) {
            return Ok(None);
        }
        // Unless this line gets through, whatever is wrong with it ends the reading.
        self.state = State::Failed;
        let (line, number) = if std::mem::take(&mut self.first_line_due) {
            (self.first_line.as_str(), 1)
        } else {
            let place = match self.lines.advance(self.tally.limits.page_bytes)? {
                None => {
                    self.state = State::Finished(self.finish()?);
                    return Ok(None);
                }
                Some(Place::Nowhere { bytes }) => {
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

    /// At the end of the file: is it what it says it is?
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

/// A page as it came: what the reader knows of it, and its line.
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
    /// The page's line, byte for byte as it was published. What this version does not know is
    /// still in it.
    pub fn line(&self) -> &'a str {
        self.line
    }

    /// The number of the line, from 1.
    pub fn line_number(&self) -> u64 {
        self.number
    }

    /// Where the page is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// When its content last changed.
    pub fn modified(&self) -> Timestamp {
        self.modified
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The language of its content, a well-formed tag.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// How many of its blocks can be used.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The page as a value of its own. The line has been checked, so this does not fail in
    /// practice; it takes a few times the room that the line takes.
    pub fn to_page(&self) -> Result<Page, PageError> {
        Page::from_line(self.line, self.limits).map(|(page, _)| page)
    }
}
