//! What becomes of each line, and the count of it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Counts, Duplicates, Event, PageRecord, Seen};
use crate::validate::{Verdict, check_page, excerpt_of_url};
use crate::{Compression, Limits, ReadError, Rejection, Warning, WarningKind};

/// What is known of the URLs that come more than once.
pub(super) enum Known {
    /// The lines before this one.
    SoFar(Duplicates),
    /// All lines, from an earlier pass.
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
    /// Warnings that are known but not yet handed out: those of one line.
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
            // One text, however many warnings share it.
            let url: Option<Arc<str>> = url.map(|url| excerpt_of_url(url).into());
            self.pending.extend(kinds.into_iter().map(|kind| Warning {
                line,
                url: url.clone(),
                kind,
            }));
        }
    }

    /// Counts a page line that is left out, and says so.
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

    /// What becomes of a page's line.
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
                // What was found in its blocks no longer matters.
                return Ok(self.reject(number, url.as_deref(), rejection));
            }
            Verdict::Kept(page) => page,
        };
        let seen = match &mut self.known {
            Known::SoFar(urls) => urls.see(&page.url, page.modified, page.blocks, number),
            Known::All(urls) => match urls.newest_line(&page.url) {
                Some(other_line) if other_line != number => Seen::NotNewer { other_line },
                _ => Seen::First,
            },
        };
        match seen {
            Seen::First => {}
            Seen::FirstWithoutRoom => {
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
                // The page whose place this one takes was counted, and is the one left out now.
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
