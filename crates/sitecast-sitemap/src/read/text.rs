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
    number: u64,
    /// Lines that are not empty.
    seen: u64,
    warned_of_bytes: bool,
}

impl<R: Read> TextLines<R> {
    pub(super) fn new(mut source: TextSource<R>) -> Self {
        let number = source.position().line;
        Self {
            source,
            line: Vec::new(),
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
            self.line.clear();
            self.source.begin_token();
            let number = self.number;
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
                shared.pending.clear();
                let what = "it is neither XML nor a list of URLs".to_owned();
                return Err(self.error(ReadErrorKind::NotASitemap(what)));
            }
            if count == 0 {
                return Ok(Step::End);
            }
            if self.source.take_invalid() && !std::mem::replace(&mut self.warned_of_bytes, true) {
                let kind = WarningKind::InvalidBytes(self.source.encoding().name());
                shared.warn(number, None, kind);
            }
            // The source hands out nothing but UTF-8.
            let line = String::from_utf8_lossy(&self.line);
            // Old Macintosh line ends come as one long line.
            for url in line
                .split('\r')
                .map(str::trim)
                .filter(|url| !url.is_empty())
            {
                self.seen += 1;
                if let Some(loc) = usable(url.to_owned(), None, number, shared) {
                    let entry = UrlEntry {
                        loc,
                        lastmod: None,
                        change_frequency: None,
                        priority: None,
                        alternates: Vec::new(),
                        line: number,
                    };
                    if let Err(kind) = shared.found(Event::Url(entry)) {
                        let position = self.source.position();
                        return Err(ReadError { position, kind });
                    }
                }
            }
        }
        Ok(Step::Further)
    }

    fn error(&mut self, kind: ReadErrorKind) -> ReadError {
        let position = self.source.position();
        ReadError { position, kind }
    }
}
