use std::fmt;

/// The reason why a segment is content or not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It looks like content: its probability reaches the threshold of the page.
    Likely,
    /// Its probability is below that threshold.
    Unlikely,
    /// It is hidden, it is short, and nothing on the page shows it.
    Hidden,
    /// It is the copyright line of the template.
    FinePrint,
    /// It does not look like content, but belongs to the content around it.
    BelongsToText {
        /// The kind of element: `table`, `code`, `list`, `quotation`, `heading` or `paragraph`.
        part: &'static str,
    },
    /// It is in a container, which holds content on the pages of this site.
    InContainer,
    /// It is in a part of a container that holds something else: navigation, share buttons.
    OtherPart,
    /// It is outside of a container that has all of the page's content.
    BesideContainer,
    /// The template of the site repeats it on many pages.
    Repeated,
    /// The page's markup identifies its article, and this is elsewhere.
    OutsideArticle {
        /// The markup: `articleBody`, `<article>` or `<main>`.
        statement: &'static str,
    },
    /// The page says that its article is there, the article is short, and the text may be content.
    InShortArticle {
        /// The markup that says so: `articleBody`, `<article>` or `<main>`.
        statement: &'static str,
    },
    /// JSON-LD repeats it in the text of the article.
    InArticleBody,
    /// It is a reader's comment on the article.
    Comment,
    /// It has `data-nosnippet`.
    NoSnippet,
    /// It has `data-sitecast`.
    DataSitecast,
    /// A rule in the settings selects it.
    Rule {
        /// The selector of the rule.
        selector: String,
    },
    /// A rule in the settings selects all of the content, and this is elsewhere.
    OutsideContent {
        /// The selectors of the content.
        selector: String,
    },
}

impl Reason {
    /// Returns a word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Likely => "likely",
            Self::Unlikely => "unlikely",
            Self::Hidden => "hidden",
            Self::FinePrint => "fine-print",
            Self::BelongsToText { .. } => "belongs-to-text",
            Self::InContainer => "in-container",
            Self::OtherPart => "other-part",
            Self::BesideContainer => "beside-container",
            Self::Repeated => "repeated",
            Self::OutsideArticle { .. } => "outside-article",
            Self::InShortArticle { .. } => "in-short-article",
            Self::InArticleBody => "in-article-body",
            Self::Comment => "comment",
            Self::NoSnippet => "data-nosnippet",
            Self::DataSitecast => "data-sitecast",
            Self::Rule { .. } => "rule",
            Self::OutsideContent { .. } => "outside-content",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Likely => f.write_str("looks like content"),
            Self::Unlikely => f.write_str("does not look like content"),
            Self::Hidden => f.write_str("is hidden, and nothing shows it"),
            Self::FinePrint => f.write_str("is a copyright line"),
            Self::BelongsToText { part: "code" } => f.write_str("is code among content"),
            Self::BelongsToText { part } => write!(f, "is a {part} among content"),
            Self::InContainer => f.write_str("is in the container of the content"),
            Self::OtherPart => {
                f.write_str("is in a part of the container that holds something else")
            }
            Self::BesideContainer => {
                f.write_str("is outside the container that has all of the content")
            }
            Self::Repeated => f.write_str("repeats on many pages of the site"),
            Self::OutsideArticle { statement } => {
                write!(f, "is not in the page's only `{statement}`")
            }
            Self::InShortArticle { statement } => {
                write!(f, "is in the page's only `{statement}`, which is short")
            }
            Self::InArticleBody => f.write_str("is in the `articleBody` of JSON-LD"),
            Self::Comment => f.write_str("is a reader's comment"),
            Self::NoSnippet => f.write_str("is marked `data-nosnippet`"),
            Self::DataSitecast => f.write_str("is marked `data-sitecast`"),
            Self::Rule { selector } => write!(f, "matches the rule `{selector}`"),
            Self::OutsideContent { selector } => write!(f, "is not in `{selector}`"),
        }
    }
}

/// Observes the steps of a selection. The implementation for `()` costs nothing.
pub(crate) trait Trace {
    /// Records the segments kept after a step; those it changed get this reason.
    fn after(&mut self, kept: &[bool], why: impl Fn() -> Reason);
}

impl Trace for () {
    fn after(&mut self, _: &[bool], _: impl Fn() -> Reason) {}
}

/// The reason for each segment.
#[derive(Debug)]
pub(crate) struct Reasons {
    before: Vec<bool>,
    pub(crate) reasons: Vec<Reason>,
}

impl Reasons {
    /// Starts with nothing kept.
    pub(crate) fn new(segments: usize) -> Self {
        Self {
            before: vec![false; segments],
            reasons: vec![Reason::Unlikely; segments],
        }
    }

    pub(crate) fn set(&mut self, segment: usize, reason: Reason) {
        if let Some(slot) = self.reasons.get_mut(segment) {
            *slot = reason;
        }
    }
}

impl Trace for Reasons {
    fn after(&mut self, kept: &[bool], why: impl Fn() -> Reason) {
        let steps = kept.iter().zip(&mut self.before).zip(&mut self.reasons);
        for ((now, before), reason) in steps {
            if now != before {
                *before = *now;
                *reason = why();
            }
        }
    }
}
