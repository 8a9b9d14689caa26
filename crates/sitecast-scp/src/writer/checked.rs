//! Checks of page lines before they are written.

use crate::validate::{Verdict, check_page};
use crate::{Limits, LineProblem, PageError, Timestamp, WarningKind, WriteError};

/// The line of a valid page. It is checked once and can be written to several collections.
///
/// ```
/// use sitecast_scp::{CheckedLine, Limits};
///
/// let line = r#"{"url":"https://example.com/","title":"Home","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":[{"type":"text","text":"Hello"}]}"#;
/// assert_eq!(CheckedLine::new(line.to_owned(), &Limits::default())?.as_str(), line);
/// assert!(CheckedLine::new("{}".to_owned(), &Limits::default()).is_err());
/// # Ok::<(), sitecast_scp::WriteError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedLine {
    line: String,
    page: CheckedPage,
    limits: PageLimits,
}

/// The properties of a page that a writer needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckedPage {
    pub(super) url: Box<str>,
    pub(super) modified: Timestamp,
    pub(super) blocks: usize,
}

/// The limits that apply to a single page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageLimits {
    bytes: usize,
    blocks: usize,
    depth: usize,
}

impl PageLimits {
    fn of(limits: &Limits) -> Self {
        Self {
            bytes: limits.page_bytes,
            blocks: limits.page_blocks,
            depth: limits.depth,
        }
    }
}

impl CheckedLine {
    /// Checks the line by the rules of [`Reader`](crate::Reader): refuses a line that a reader with these limits would
    /// reject, change or warn about.
    pub fn new(line: String, limits: &Limits) -> Result<Self, WriteError> {
        one_line(&line)?;
        let page = check(&line, limits, &mut Vec::new())?;
        Ok(Self {
            line,
            page,
            limits: PageLimits::of(limits),
        })
    }

    /// The line, without a line feed.
    pub fn as_str(&self) -> &str {
        &self.line
    }

    /// The properties of the page, if the line was checked with the same limits.
    pub(super) fn page(&self, limits: &Limits) -> Option<&CheckedPage> {
        (self.limits == PageLimits::of(limits)).then_some(&self.page)
    }
}

/// Checks that the text has no line feed.
pub(super) fn one_line(line: &str) -> Result<(), WriteError> {
    match memchr::memchr(b'\n', line.as_bytes()) {
        None => Ok(()),
        Some(at) => {
            let problem = LineProblem::NotJson {
                at: at + 1,
                expected: "one line, without a line feed",
            };
            Err(WriteError::Page {
                url: None,
                problem: problem.into(),
            })
        }
    }
}

/// Checks that readers would accept the line without a warning. `warnings` is a buffer to reuse.
pub(super) fn check(
    line: &str,
    limits: &Limits,
    warnings: &mut Vec<WarningKind>,
) -> Result<CheckedPage, WriteError> {
    let refuse = |url: Option<&str>, problem| WriteError::Page {
        url: url.map(str::to_owned),
        problem,
    };
    warnings.clear();
    let verdict = check_page(line, limits, warnings, |_| ())
        .map_err(|problem| refuse(None, problem.into()))?;
    let page = match verdict {
        Verdict::Kept(page) => page,
        Verdict::Rejected { url, rejection } => {
            let problem = PageError::Page(WarningKind::PageRejected(rejection));
            return Err(refuse(url.as_deref(), problem));
        }
    };
    if let Some(warning) = warnings.pop() {
        return Err(refuse(Some(&page.url), PageError::Page(warning)));
    }
    Ok(CheckedPage {
        url: page.url.into(),
        modified: page.modified,
        blocks: page.blocks,
    })
}
