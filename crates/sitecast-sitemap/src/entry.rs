//! What a sitemap lists.

use std::fmt;

use crate::{Date, ScpEntry, Warning};

/// What comes next in a sitemap.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A page.
    Url(UrlEntry),
    /// Another sitemap, named by an index.
    Sitemap(ChildSitemap),
    /// A part of the `scp:` extension.
    Scp(ScpEntry),
    /// Something that was left out or put right.
    Warning(Warning),
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, PartialEq)]
pub struct UrlEntry {
    /// Where it is: absolute, http or https, percent-encoded.
    pub loc: String,
    /// When it last changed.
    pub lastmod: Option<Date>,
    /// How often it changes, says the site.
    pub change_frequency: Option<ChangeFrequency>,
    /// How it ranks among the site's pages, from 0 to 1.
    pub priority: Option<f32>,
    /// The same page in other languages (`xhtml:link`).
    pub alternates: Vec<Alternate>,
    /// The line of the decompressed file on which the entry begins, from 1.
    pub line: u64,
}

/// A page in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternate {
    /// The `hreflang`: a language tag, or `x-default`.
    pub language: String,
    /// Where it is.
    pub url: String,
}

/// A sitemap that an index names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildSitemap {
    /// Where it is: absolute, http or https, percent-encoded.
    pub loc: String,
    /// When it last changed.
    pub lastmod: Option<Date>,
    /// The line of the decompressed file on which the entry begins, from 1.
    pub line: u64,
}

/// How often a page changes, says the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeFrequency {
    /// At every look.
    Always,
    /// About every hour.
    Hourly,
    /// About every day.
    Daily,
    /// About every week.
    Weekly,
    /// About every month.
    Monthly,
    /// About every year.
    Yearly,
    /// No more.
    Never,
}

impl ChangeFrequency {
    /// The value of that name, in any case.
    pub(crate) fn named(text: &str) -> Option<Self> {
        [
            Self::Always,
            Self::Hourly,
            Self::Daily,
            Self::Weekly,
            Self::Monthly,
            Self::Yearly,
            Self::Never,
        ]
        .into_iter()
        .find(|value| value.name().eq_ignore_ascii_case(text))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Yearly => "yearly",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for ChangeFrequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
