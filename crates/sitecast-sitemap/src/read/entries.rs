//! The current entry: its fields, and their validation.

use std::borrow::Cow;

use url::Url;

use super::namespaces::{Name, Namespace, prefix_of};
use super::{Attributes, ReaderOptions, Shared, excerpt};
use crate::location::{absolute, is_correctly_encoded};
use crate::{
    Alternate, ChangeFrequency, ChildSitemap, Date, Event, LocationProblem, MAX_LOCATION,
    ReadErrorKind, UrlEntry, WarningKind,
};

/// The longest URL that is read, in bytes. Longer ones do not work in practice, and callers keep lists of URLs in memory.
pub(crate) const LONGEST_LOCATION: usize = 8 << 10;

/// The element of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// `<url>`
    Url,
    /// `<sitemap>`
    Sitemap,
    /// `<item>` of RSS
    Item,
    /// `<entry>` of Atom
    FeedEntry,
}

impl EntryKind {
    pub(super) fn element(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Sitemap => "sitemap",
            Self::Item => "item",
            Self::FeedEntry => "entry",
        }
    }
}

/// An element whose text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Location,
    /// The URL to use if there is no other (`<guid>`).
    Identifier,
    LastModified,
    FeedDate,
    ChangeFrequency,
    Priority,
    ScpVersion,
    ScpCompression,
    Ignored,
}

/// An incomplete entry.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: EntryKind,
    /// The prefix of the entry's element. Fields of RSS and Atom have the same prefix.
    prefix: String,
    pub(super) line: u64,
    pub(super) loc: String,
    /// The URL to use if `loc` is missing.
    identifier: String,
    lastmod: Option<Date>,
    /// True after a `lastmod`, valid or not.
    dated: bool,
    change_frequency: Option<ChangeFrequency>,
    priority: Option<f32>,
    alternates: Vec<Alternate>,
    /// True if alternates were dropped because of their number.
    has_dropped_alternates: bool,
}

impl Draft {
    pub(super) fn new(kind: EntryKind, prefix: &str, line: u64) -> Self {
        Self {
            kind,
            prefix: prefix.to_owned(),
            line,
            loc: String::new(),
            identifier: String::new(),
            lastmod: None,
            dated: false,
            change_frequency: None,
            priority: None,
            alternates: Vec::new(),
            has_dropped_alternates: false,
        }
    }

    /// Returns the field of a child element, or `None` if its text is not read. Reads its attributes, if they matter.
    pub(super) fn field(
        &mut self,
        name: &str,
        resolved: Name<'_>,
        attributes: &Attributes<'_>,
        options: &ReaderOptions,
    ) -> Result<Option<Field>, WarningKind> {
        match self.kind {
            EntryKind::Item => return Ok(self.rss_field(name, resolved)),
            EntryKind::FeedEntry => return Ok(self.atom_field(name, resolved, attributes)),
            EntryKind::Url | EntryKind::Sitemap => {}
        }
        match (resolved.namespace, resolved.local) {
            (Namespace::Core, "loc") => Ok(Some(Field::Location)),
            (Namespace::Core, "lastmod") => Ok(Some(Field::LastModified)),
            (Namespace::Core, "changefreq") if self.kind == EntryKind::Url => {
                Ok(Some(Field::ChangeFrequency))
            }
            (Namespace::Core, "priority") if self.kind == EntryKind::Url => {
                Ok(Some(Field::Priority))
            }
            (Namespace::Core, _) => Err(WarningKind::UnknownElement(excerpt(name))),
            (Namespace::Xhtml, "link") => self.alternate(attributes, options).map(|()| None),
            _ => Ok(None),
        }
    }

    fn rss_field(&self, name: &str, resolved: Name<'_>) -> Option<Field> {
        let prefix = prefix_of(name);
        match resolved.local {
            "date" if prefix == "dc" => Some(Field::FeedDate),
            _ if prefix != self.prefix => None,
            "link" => Some(Field::Location),
            "pubDate" => Some(Field::FeedDate),
            "guid" => Some(Field::Identifier),
            _ => None,
        }
    }

    fn atom_field(
        &mut self,
        name: &str,
        resolved: Name<'_>,
        attributes: &Attributes<'_>,
    ) -> Option<Field> {
        if prefix_of(name) != self.prefix {
            return None;
        }
        match resolved.local {
            "link" => {
                let rel = attributes.get("rel");
                let main = rel.is_none_or(|rel| rel == "alternate");
                if main && self.loc.is_empty() {
                    self.loc = attributes.get("href").unwrap_or_default().trim().to_owned();
                }
                None
            }
            // `modified` and `issued` are those of Atom 0.3.
            "updated" | "modified" | "published" | "issued" => Some(Field::FeedDate),
            _ => None,
        }
    }

    pub(super) fn alternate(
        &mut self,
        attributes: &Attributes<'_>,
        options: &ReaderOptions,
    ) -> Result<(), WarningKind> {
        if attributes
            .get("rel")
            .is_some_and(|rel| !rel.eq_ignore_ascii_case("alternate"))
        {
            return Ok(());
        }
        let Some(language) = attributes.get("hreflang") else {
            // Alternates for small screens have `media` instead of a language.
            return if attributes.get("media").is_some() {
                Ok(())
            } else {
                Err(WarningKind::InvalidAlternate)
            };
        };
        let href = attributes.get("href").unwrap_or_default();
        let url = absolute(&href, options.base.as_ref())
            .ok()
            .filter(|url| url.len() + language.len() < LONGEST_LOCATION)
            .ok_or(WarningKind::InvalidAlternate)?;
        let limit = options.limits.alternates;
        if self.alternates.len() < limit {
            self.alternates.push(Alternate {
                language: language.trim().to_owned(),
                url: url.into_owned(),
            });
        } else if !std::mem::replace(&mut self.has_dropped_alternates, true) {
            return Err(WarningKind::TooManyAlternates(limit));
        }
        Ok(())
    }

    /// Sets a field by its text, which is trimmed.
    pub(super) fn take(&mut self, field: Field, text: &str) -> Result<(), WarningKind> {
        match field {
            Field::Location if self.loc.is_empty() => text.clone_into(&mut self.loc),
            Field::Location => {}
            // An identifier need not be a URL.
            Field::Identifier if absolute(text, None).is_ok() => {
                text.clone_into(&mut self.identifier);
            }
            Field::Identifier => {}
            Field::FeedDate => match Date::find_in_feed(text) {
                // An entry has both `updated` and `published`; the later one is the time of the last change.
                Some(date) => self.lastmod = self.lastmod.max(Some(date)),
                None => return Err(invalid("date", text, "a date of RSS or Atom")),
            },
            Field::LastModified if self.dated => return Err(WarningKind::Repeated("lastmod")),
            Field::LastModified => {
                self.dated = true;
                match Date::find(text) {
                    Some(found) => {
                        self.lastmod = Some(found.date);
                        if !found.exact {
                            return Err(WarningKind::DateSpelling(excerpt(text)));
                        }
                    }
                    None => return Err(invalid("lastmod", text, "a date such as `2025-11-14`")),
                }
            }
            Field::ChangeFrequency => {
                self.change_frequency = ChangeFrequency::named(text);
                if self.change_frequency.is_none() {
                    let expected = "one of always, hourly, daily, weekly, monthly, yearly, never";
                    return Err(invalid("changefreq", text, expected));
                }
            }
            Field::Priority => {
                let number = text.parse().ok();
                self.priority = number.filter(|number| (0.0..=1.0).contains(number));
                if self.priority.is_none() {
                    return Err(invalid("priority", text, "a number from 0.0 to 1.0"));
                }
            }
            Field::ScpVersion | Field::ScpCompression | Field::Ignored => {}
        }
        Ok(())
    }

    /// Returns true if the entry has a URL and cannot have another.
    pub(super) fn repeats_location(&self) -> bool {
        matches!(self.kind, EntryKind::Url | EntryKind::Sitemap) && !self.loc.is_empty()
    }

    /// A new entry of the same kind, with another URL.
    pub(super) fn next(&self, line: u64, loc: &str) -> Self {
        let mut next = Self::new(self.kind, &self.prefix, line);
        loc.clone_into(&mut next.loc);
        next
    }

    /// Reads text directly in the entry's element, which may be a misplaced URL.
    pub(super) fn bare_text(&mut self, text: &str) {
        let own = matches!(self.kind, EntryKind::Url | EntryKind::Sitemap);
        let text = text.trim_ascii();
        if own && !text.is_empty() && self.identifier.len() + text.len() <= MAX_LOCATION {
            self.identifier.push_str(text);
        }
    }

    /// Validates the entry. Queues it as an event, or a warning if it is unusable.
    pub(super) fn finish(mut self, shared: &mut Shared) -> Result<(), ReadErrorKind> {
        if self.loc.is_empty() && absolute(&self.identifier, None).is_ok() {
            self.loc = std::mem::take(&mut self.identifier);
            if self.kind != EntryKind::Item {
                shared.warn(self.line, Some(&self.loc), WarningKind::OutsideOfLocation);
            }
        }
        if self.loc.is_empty() {
            shared.warn(self.line, None, WarningKind::NoLocation);
            return Ok(());
        }
        let base = shared.options.base.clone();
        let Some(loc) = usable(self.loc, base.as_ref(), self.line, shared) else {
            return Ok(());
        };
        shared.found(match self.kind {
            EntryKind::Sitemap => Event::Sitemap(ChildSitemap {
                loc,
                lastmod: self.lastmod,
                line: self.line,
            }),
            EntryKind::Url | EntryKind::Item | EntryKind::FeedEntry => Event::Url(UrlEntry {
                loc,
                lastmod: self.lastmod,
                change_frequency: self.change_frequency,
                priority: self.priority,
                alternates: self.alternates,
                line: self.line,
            }),
        })
    }
}

/// Returns the URL in a form that can be requested, or `None` after a warning.
pub(super) fn usable(
    written: String,
    base: Option<&Url>,
    line: u64,
    shared: &mut Shared,
) -> Option<String> {
    let (warning, loc) = match absolute(&written, None) {
        Ok(Cow::Borrowed(_)) => (None, None),
        Ok(Cow::Owned(loc)) => {
            // An upper-case host or a missing slash after it is valid; only wrong encoding needs a warning.
            let misspelled = !is_correctly_encoded(&written);
            let warning = misspelled.then(|| WarningKind::LocationSpelling(excerpt(&written)));
            (warning, Some(loc))
        }
        Err(LocationProblem::Relative) if base.is_some() => match resolve(&written, base) {
            Ok(loc) => {
                let warning = WarningKind::RelativeLocation(excerpt(&written));
                (Some(warning), Some(loc.into_owned()))
            }
            Err(problem) => return left_out(&written, problem, line, shared),
        },
        Err(problem) => return left_out(&written, problem, line, shared),
    };
    let loc = loc.unwrap_or(written);
    if loc.len() > LONGEST_LOCATION {
        let problem = LocationProblem::TooLong(loc.len());
        return left_out(&loc, problem, line, shared);
    }
    if let Some(warning) = warning {
        shared.warn(line, Some(&loc), warning);
    }
    if loc.len() > MAX_LOCATION {
        shared.warn(line, Some(&loc), WarningKind::LongLocation(loc.len()));
    }
    Some(loc)
}

/// Resolves a relative URL. If it begins with a host, only the scheme is missing.
fn resolve<'w>(written: &'w str, base: Option<&Url>) -> Result<Cow<'w, str>, LocationProblem> {
    let first = written
        .split(['/', '?', '#', ':'])
        .next()
        .unwrap_or_default();
    let host = base.and_then(Url::host_str).unwrap_or_default();
    if let Some(base) = base
        && (first.eq_ignore_ascii_case(host) || first.starts_with("www."))
    {
        let whole = format!("{}://{written}", base.scheme());
        return absolute(&whole, None).map(|url| Cow::Owned(url.into_owned()));
    }
    absolute(written, base)
}

fn left_out(
    written: &str,
    problem: LocationProblem,
    line: u64,
    shared: &mut Shared,
) -> Option<String> {
    let url = excerpt(written);
    shared.warn(line, None, WarningKind::InvalidLocation { url, problem });
    None
}

fn invalid(element: &'static str, value: &str, expected: &'static str) -> WarningKind {
    WarningKind::InvalidValue {
        element,
        value: excerpt(value),
        expected,
    }
}
