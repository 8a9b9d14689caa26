//! Turns each page line into an event, and counts pages, blocks and warnings.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Counts, Duplicates, Event, PageRecord, Seen};
use crate::validate::{Verdict, check_page, excerpt_of_url};
use crate::{Compression, Limits, ReadError, Rejection, Warning, WarningKind};

/// The URLs known to a reader, to find duplicates.
pub(super) enum Known {
    /// Those of the previous lines.
    SoFar(Duplicates),
    /// Those of all lines, from an earlier pass.
    All(Duplicates),
}

impl Known {
    pub(super) fn so_far(limits: &Limits) -> Self {
        Self::SoFar(Duplicates::new(limits.tracked_urls))
    }
}

pub(super) struct Tally {
    pub(super) limits: Limits,
    pub(super) counts: Counts,
    /// Warnings about the current line that have not been returned yet.
    pub(super) pending: VecDeque<Warning>,
    pub(super) known: Known,
}

impl Tally {
    pub(super) fn new(limits: Limits, known: Known) -> Self {
        let counts = Counts {
            pages: 0,
            rejected_pages: 0,
            blocks: 0,
            warnings: 0,
            compressed_bytes: 0,
            uncompressed_bytes: 0,
            compression: Compression::None,
        };
        Self {
            limits,
            counts,
            pending: VecDeque::new(),
            known,
        }
    }

    /// Queues warnings about a line.
    pub(super) fn warn(&mut self, line: u64, url: Option<&str>, kinds: Vec<WarningKind>) {
        self.counts.warnings += kinds.len() as u64;
        if !kinds.is_empty() {
            // All warnings about a line share one copy of its URL.
            let url: Option<Arc<str>> = url.map(|url| excerpt_of_url(url).into());
            self.pending.extend(kinds.into_iter().map(|kind| Warning {
                line,
                url: url.clone(),
                kind,
            }));
        }
    }

    /// Counts a rejected page line and returns the warning about it.
    pub(super) fn reject(
        &mut self,
        line: u64,
        url: Option<&str>,
        rejection: Rejection,
    ) -> Option<Event<'static>> {
        self.leave_out(line, url, WarningKind::PageRejected(rejection))
    }

    fn leave_out(
        &mut self,
        line: u64,
        url: Option<&str>,
        kind: WarningKind,
    ) -> Option<Event<'static>> {
        self.counts.rejected_pages += 1;
        self.warn(line, url, vec![kind]);
        self.pending.pop_front().map(Event::Warning)
    }

    /// Checks a page line. Returns the page, or the warning that rejects it.
    pub(super) fn page<'a>(
        &'a mut self,
        line: &'a str,
        number: u64,
    ) -> Result<Option<Event<'a>>, ReadError> {
        let mut warnings = Vec::new();
        let verdict = check_page(line, &self.limits, &mut warnings, |_| ()).map_err(|problem| {
            ReadError::Line {
                line: number,
                problem,
            }
        })?;
        let page = match verdict {
            Verdict::Rejected { url, rejection } => {
                // The warnings about its blocks are dropped with it.
                return Ok(self.reject(number, url.as_deref(), rejection));
            }
            Verdict::Kept(page) => page,
        };
        let seen = match &mut self.known {
            Known::SoFar(urls) => urls.record(&page.url, page.modified, page.blocks, number),
            Known::All(urls) => match urls.newest_line(&page.url) {
                Some(other_line) if other_line != number => Seen::NotNewer { other_line },
                _ => Seen::First,
            },
        };
        match seen {
            Seen::First => {}
            Seen::FirstUntracked => {
                warnings.push(WarningKind::DuplicatesNoLongerTracked {
                    urls: self.limits.tracked_urls,
                });
            }
            Seen::NotNewer { other_line } => {
                let duplicate = WarningKind::DuplicateUrl {
                    other_line,
                    supersedes: false,
                };
                return Ok(self.leave_out(number, Some(&page.url), duplicate));
            }
            Seen::Newer {
                other_line,
                other_blocks,
            } => {
                // The older page was counted as usable; from now on it counts as rejected.
                self.counts.pages -= 1;
                self.counts.blocks -= other_blocks;
                self.counts.rejected_pages += 1;
                warnings.push(WarningKind::DuplicateUrl {
                    other_line,
                    supersedes: true,
                });
            }
        }
        self.counts.pages += 1;
        self.counts.blocks += page.blocks as u64;
        self.warn(number, Some(&page.url), warnings);
        Ok(Some(Event::Page(PageRecord {
            number,
            line,
            title: page.title.text().unwrap_or_default(),
            language: page.language,
            url: page.url,
            modified: page.modified,
            blocks: page.blocks,
            limits: &self.limits,
        })))
    }
}
