//! Plain-text sitemaps: one URL per line.

use std::io::{BufRead, Read};

use super::entries::usable;
use super::source::TextSource;
use super::{Shared, Step};
use crate::{Event, ReadError, ReadErrorKind, UrlEntry, WarningKind};

/// After this many lines without a URL, the file is not a sitemap.
const MAX_LINES_WITHOUT_URL: u64 = 20;

pub(super) struct TextLines<R> {
    source: TextSource<R>,
    line: Vec<u8>,
    /// The processed part of the line, in bytes.
    at: usize,
    /// The number of the line, from 1.
    number: u64,
    /// The number of lines that are not empty.
    seen: u64,
    warned_of_bytes: bool,
}

impl<R: Read> TextLines<R> {
    pub(super) fn new(mut source: TextSource<R>) -> Self {
        let number = source.position().line - 1;
        Self {
            source,
            line: Vec::new(),
            at: 0,
            number,
            seen: 0,
            warned_of_bytes: false,
        }
    }

    pub(super) fn source(&self) -> &TextSource<R> {
        &self.source
    }

    /// Reads until an event is pending.
    pub(super) fn advance(&mut self, shared: &mut Shared) -> Result<Step, ReadError> {
        while shared.pending.is_empty() {
            if !self.take_url(shared).map_err(|kind| self.error(kind))?
                && !self.next_line(shared)?
            {
                return Ok(Step::End);
            }
        }
        Ok(Step::Continue)
    }

    /// Reads the next URL of the line. Returns true if there was one, usable or not.
    fn take_url(&mut self, shared: &mut Shared) -> Result<bool, ReadErrorKind> {
        // A file whose lines end with carriage returns is one long line for `next_line`.
        while let Some(rest) = self.line.get(self.at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\r', rest).unwrap_or(rest.len());
            self.at += end + 1;
            // The source returns only UTF-8, so nothing is replaced here.
            let url = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
            let url = url.trim();
            if url.is_empty() {
                continue;
            }
            self.seen += 1;
            if let Some(loc) = usable(url.to_owned(), None, self.number, shared) {
                shared.found(Event::Url(UrlEntry {
                    loc,
                    lastmod: None,
                    change_frequency: None,
                    priority: None,
                    alternates: Vec::new(),
                    line: self.number,
                }))?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads the next line. Returns false at the end.
    fn next_line(&mut self, shared: &mut Shared) -> Result<bool, ReadError> {
        self.line.clear();
        self.at = 0;
        self.source.begin_token();
        let count = self
            .source
            .read_until(b'\n', &mut self.line)
            .map_err(|error| {
                let kind = self.source.failure().unwrap_or(ReadErrorKind::Io(error));
                self.error(kind)
            })?;
        self.number += 1;
        let none_yet = shared.counts.urls == 0;
        if none_yet && (self.seen >= MAX_LINES_WITHOUT_URL || (count == 0 && self.seen > 0)) {
            let what = "it is neither XML nor a list of URLs".to_owned();
            return Err(self.error(ReadErrorKind::NotASitemap(what)));
        }
        if let Some(line) = self.source.take_invalid()
            && !std::mem::replace(&mut self.warned_of_bytes, true)
        {
            let kind = WarningKind::InvalidBytes(self.source.encoding().name());
            shared.warn(line, None, kind);
        }
        Ok(count > 0)
    }

    fn error(&mut self, kind: ReadErrorKind) -> ReadError {
        let position = self.source.position();
        ReadError { position, kind }
    }
}
