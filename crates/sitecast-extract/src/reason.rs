use std::fmt;

/// Why a piece of text is content, or is none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It looks like content: it is as likely as the rest of what is kept.
    Likely,
    /// It does not.
    Unlikely,
    /// It is not shown, is short, and nothing on the page shows it.
    Hidden,
    /// It is the line about rights that templates end with.
    FinePrint,
    /// It did not look like content, but belongs to the content around it.
    BelongsToText {
        /// What it is: `table`, `code`, `list`, `quotation`, `heading` or `paragraph`.
        part: &'static str,
    },
    /// It is in a box that holds content on the pages of this site.
    InContainer,
    /// It is in such a box, but in a part of it that holds something else: navigation, buttons to share.
    OtherPart,
    /// The page has such a box with all of its content, and this is elsewhere.
    BesideContainer,
    /// The template of the site says the same on many pages.
    Repeated,
    /// The page says that its article is elsewhere, and most of what looks like content is there.
    OutsideArticle {
        /// What says so: `articleBody`, `<article>` or `<main>`.
        statement: &'static str,
    },
    /// The page says that its article is there, the article is short, and the text may be content.
    InShortArticle {
        /// The markup that says so: `articleBody`, `<article>` or `<main>`.
        statement: &'static str,
    },
    /// JSON-LD has it in the text of the article.
    InArticleBody,
    /// It is what a reader says about the article.
    Comment,
    /// The page says `data-nosnippet`.
    NoSnippet,
    /// The page says `data-sitecast`.
    DataSitecast,
    /// A rule of the settings chooses it.
    Rule {
        /// The selector that does.
        selector: String,
    },
    /// A rule of the settings says where all of the content is, and this is elsewhere.
    OutsideContent {
        /// The selectors of the content.
        selector: String,
    },
}

impl Reason {
    /// A word for it, for programs.
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
            Self::FinePrint => f.write_str("is the line about rights"),
            Self::BelongsToText { part: "code" } => f.write_str("is program text among content"),
            Self::BelongsToText { part } => write!(f, "is a {part} among content"),
            Self::InContainer => f.write_str("is where this site has its content"),
            Self::OtherPart => {
                f.write_str("is in a part of the content's box that holds something else")
            }
            Self::BesideContainer => f.write_str("is beside the box that has all of the content"),
            Self::Repeated => f.write_str("is on many pages of the site"),
            Self::OutsideArticle { statement } => {
                write!(f, "is not in the page's only `{statement}`")
            }
            Self::InShortArticle { statement } => {
                write!(f, "is in the page's only `{statement}`, which is short")
            }
            Self::InArticleBody => f.write_str("is in the `articleBody` of JSON-LD"),
            Self::Comment => f.write_str("is a reader's comment"),
            Self::NoSnippet => f.write_str("the page says `data-nosnippet`"),
            Self::DataSitecast => f.write_str("the page says `data-sitecast`"),
            Self::Rule { selector } => write!(f, "the rule `{selector}`"),
            Self::OutsideContent { selector } => write!(f, "is not in `{selector}`"),
        }
    }
}

/// Is told of every step of a selection. Where nobody asks, it costs nothing.
pub(crate) trait Trace {
    /// What is kept after a step; segments that it changed have this reason from now on.
    fn after(&mut self, kept: &[bool], why: impl Fn() -> Reason);
}

impl Trace for () {
    fn after(&mut self, _: &[bool], _: impl Fn() -> Reason) {}
}

/// The reason of each segment.
#[derive(Debug)]
pub(crate) struct Reasons {
    before: Vec<bool>,
    pub(crate) reasons: Vec<Reason>,
}

impl Reasons {
    /// Before the first step nothing is kept.
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
