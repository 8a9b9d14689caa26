use crate::validate::{Verdict, check_page};
use crate::{Limits, LineProblem, PageError, Timestamp, WarningKind, WriteError};

/// The line of a page that readers take as it is: checked once, it can be written into several collections.
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

/// What a writer has to know of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckedPage {
    pub(super) url: Box<str>,
    pub(super) modified: Timestamp,
    pub(super) blocks: usize,
}

/// The limits that a page by itself is held to.
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
    /// Checks the line with the rules of [`Reader`](crate::Reader): what a reader with these limits would reject, drop or
    /// warn about is refused.
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

    /// What is known of the page, if it was checked with limits like these.
    pub(super) fn page(&self, limits: &Limits) -> Option<&CheckedPage> {
        (self.limits == PageLimits::of(limits)).then_some(&self.page)
    }
}

/// Makes sure that it is one line.
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

/// Makes sure that a reader would take the line as it is. `warnings` is space to work in.
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
