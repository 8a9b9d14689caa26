//! Sitemaps that are text: one URL on a line.

use std::io::{BufRead, Read};

use super::entries::usable;
use super::source::TextSource;
use super::{Shared, Step};
use crate::{Event, ReadError, ReadErrorKind, UrlEntry, WarningKind};

/// So many lines without a URL at the beginning, and it is something else.
const PATIENCE: u64 = 20;

pub(super) struct TextLines<R> {
    source: TextSource<R>,
    line: Vec<u8>,
    /// How much of the line is done with.
    at: usize,
    number: u64,
    /// Lines that are not empty.
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

    /// Reads on until there is something to hand out.
    pub(super) fn advance(&mut self, shared: &mut Shared) -> Result<Step, ReadError> {
        while shared.pending.is_empty() {
            if !self.take_url(shared).map_err(|kind| self.error(kind))?
                && !self.next_line(shared)?
            {
                return Ok(Step::End);
            }
        }
        Ok(Step::Further)
    }

    /// Takes the next URL of the line; answers whether there was one, usable or not.
    fn take_url(&mut self, shared: &mut Shared) -> Result<bool, ReadErrorKind> {
        // Old Macintosh line ends come as one long line.
        while let Some(rest) = self.line.get(self.at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\r', rest).unwrap_or(rest.len());
            self.at += end + 1;
            // The source hands out nothing but UTF-8.
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

    /// Reads the next line; answers whether there was one.
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
        if none_yet && (self.seen >= PATIENCE || (count == 0 && self.seen > 0)) {
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
