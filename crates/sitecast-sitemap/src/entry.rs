//! Entries of sitemaps.

use std::fmt;

use crate::{Date, ScpEntry, Warning};

/// An element of a sitemap, or a warning about it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A page.
    Url(UrlEntry),
    /// A sitemap that an index lists.
    Sitemap(ChildSitemap),
    /// An element of the `scp:` extension.
    Scp(ScpEntry),
    /// A problem: something was ignored, dropped or corrected.
    Warning(Warning),
}

/// A page that a sitemap lists.
#[derive(Debug, Clone, PartialEq)]
pub struct UrlEntry {
    /// The URL of the page: absolute, http or https, percent-encoded.
    pub loc: String,
    /// The time of the last change.
    pub lastmod: Option<Date>,
    /// The usual time between changes, according to the site.
    pub change_frequency: Option<ChangeFrequency>,
    /// The priority of the page relative to the site's other pages, from 0 to 1.
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
    /// The URL of that page.
    pub url: String,
}

/// A sitemap that an index lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildSitemap {
    /// The URL of the sitemap: absolute, http or https, percent-encoded.
    pub loc: String,
    /// The time of the last change.
    pub lastmod: Option<Date>,
    /// The line of the decompressed file on which the entry begins, from 1.
    pub line: u64,
}

/// The usual time between changes of a page, according to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeFrequency {
    /// With every request.
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
    /// Archived: the page does not change any more.
    Never,
}

impl ChangeFrequency {
    /// Parses a name, ignoring case.
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
