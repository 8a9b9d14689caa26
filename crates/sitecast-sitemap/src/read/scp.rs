//! Parsing of `scp:` elements.

use super::{Attributes, ReaderOptions, excerpt};
use crate::location::absolute;
use crate::scp::{count, is_compression, is_version};
use crate::{Collection, CollectionKind, Date, ScpEntry, Section, WarningKind};

/// The longest value of an attribute, in bytes.
const LONGEST: usize = 8 << 10;

pub(super) fn version(text: &str, warnings: &mut Vec<WarningKind>) -> Option<ScpEntry> {
    let text = text.trim();
    if !is_version(text) {
        warnings.push(WarningKind::InvalidScpElement {
            element: "version",
            problem: format!("is `{}`, not `MAJOR.MINOR`", excerpt(text)),
        });
        return None;
    }
    Some(ScpEntry::Version(text.to_owned()))
}

pub(super) fn compression(text: &str, warnings: &mut Vec<WarningKind>) -> Option<ScpEntry> {
    let names: Vec<String> = text
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| is_compression(name))
        .take(16)
        .collect();
    if names.join(",") != text || names.is_empty() {
        warnings.push(WarningKind::ScpSchema {
            element: "compression",
            problem: format!("is `{}`, not a list such as `zstd,gzip`", excerpt(text)),
        });
    }
    (!names.is_empty()).then_some(ScpEntry::Compression(names))
}

/// Reads the attributes of one element, and records problems.
struct Element<'t, 'w> {
    attributes: &'t Attributes<'t>,
    element: &'static str,
    options: &'t ReaderOptions,
    warnings: &'w mut Vec<WarningKind>,
}

impl Element<'_, '_> {
    /// Returns an attribute that the schema requires.
    fn get(&mut self, name: &str) -> Option<String> {
        let value = self.attributes.get(name);
        if value.is_none() {
            self.note(format!("has no `{name}`"));
        }
        let value = value.map(|value| value.trim().to_owned())?;
        if value.is_empty() {
            self.note(format!("has an empty `{name}`"));
            return None;
        }
        if value.len() >= LONGEST {
            self.note(format!(
                "has a `{name}` of {} bytes, which is too long",
                value.len()
            ));
            return None;
        }
        Some(value)
    }

    /// Returns an attribute that the schema requires in a certain form.
    fn parsed<T>(
        &mut self,
        name: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(name)?;
        let parsed = parse(&value);
        if parsed.is_none() {
            self.note(format!(
                "has `{name}=\"{}\"`, not {expected}",
                excerpt(&value)
            ));
        }
        parsed
    }

    fn date(&mut self, name: &str) -> Option<Date> {
        let value = self.get(name)?;
        let found = Date::find(&value);
        // The schema's dateTime requires date, hours, minutes and seconds.
        let exact = found
            .is_some_and(|found| found.exact && found.date.precision() >= crate::Precision::Second);
        if !exact {
            let value = excerpt(&value);
            self.note(format!(
                "has `{name}=\"{value}\"`, not a time such as `2025-01-15T00:00:00Z`"
            ));
        }
        found.map(|found| found.date)
    }

    fn note(&mut self, problem: String) {
        self.warnings.push(WarningKind::ScpSchema {
            element: self.element,
            problem,
        });
    }

    /// Replaces the problems recorded so far by one warning that the element is unusable.
    fn reject<T>(&mut self) -> Option<T> {
        let notes: Vec<String> = self
            .warnings
            .drain(..)
            .filter_map(|warning| match warning {
                WarningKind::ScpSchema { problem, .. } => Some(problem),
                _ => None,
            })
            .collect();
        self.warnings.push(WarningKind::InvalidScpElement {
            element: self.element,
            problem: notes.join(", "),
        });
        None
    }
}

/// Reads a section, collection or delta. Returns `None` if it is unusable.
pub(super) fn element(
    local: &str,
    attributes: &Attributes<'_>,
    options: &ReaderOptions,
    warnings: &mut Vec<WarningKind>,
) -> Option<ScpEntry> {
    let element = match local {
        "section" => "section",
        "collection" => "collection",
        "delta" => "delta",
        _ => {
            warnings.push(WarningKind::UnknownScpElement(excerpt(local)));
            return None;
        }
    };
    let mut read = Element {
        attributes,
        element,
        options,
        warnings,
    };
    if element == "section" {
        read.section().map(ScpEntry::Section)
    } else {
        read.collection().map(ScpEntry::Collection)
    }
}

impl Element<'_, '_> {
    fn section(&mut self) -> Option<Section> {
        let name = self.get("name");
        let update_frequency = self.parsed(
            "updateFreq",
            "`hourly`, `daily`, `weekly` or `monthly`",
            |value| value.parse().ok(),
        );
        let pages = self.parsed("pages", "a number such as `5000` or `~5000`", |value| {
            value.parse().ok()
        });
        match name {
            Some(name) => Some(Section {
                name,
                update_frequency,
                pages,
            }),
            None => self.reject(),
        }
    }

    fn collection(&mut self) -> Option<Collection> {
        let section = self.get("section");
        let kind = self.kind();
        let base = self.options.base.clone();
        let url = self.parsed("url", "an absolute http(s) URL", |value| {
            absolute(value, base.as_ref())
                .ok()
                .map(|url| url.into_owned())
        });
        let generated = self.date("generated");
        let expires = self.date("expires");
        let pages = self.parsed("pages", "a number", count);
        let size = self.parsed("size", "a number of bytes", count);
        if generated
            .zip(expires)
            .is_some_and(|(generated, expires)| expires <= generated)
        {
            self.note("expires before it was generated".to_owned());
        }
        if let (Some(CollectionKind::Delta { since, .. }), Some(generated)) = (&kind, generated)
            && *since > generated
        {
            self.note("begins after it was generated".to_owned());
        }
        let checksum = self
            .attributes
            .get("checksum")
            .map(|value| value.trim().to_owned())
            .filter(|value| value.len() < LONGEST);
        match (section, kind, url, generated) {
            (Some(section), Some(kind), Some(url), Some(generated)) => Some(Collection {
                section,
                kind,
                url,
                generated,
                expires,
                pages,
                size,
                checksum,
            }),
            _ => self.reject(),
        }
    }

    fn kind(&mut self) -> Option<CollectionKind> {
        let declared = if self.element == "delta" {
            "delta".to_owned()
        } else {
            self.get("type")?
        };
        match declared.as_str() {
            "snapshot" => Some(CollectionKind::Snapshot),
            "delta" => {
                if self.element == "collection" {
                    self.note("has `type=\"delta\"`; use `scp:delta` instead".to_owned());
                }
                let period = self.get("period");
                let since = self.date("since")?;
                Some(CollectionKind::Delta { period, since })
            }
            other => {
                let other = excerpt(other);
                self.note(format!("has `type=\"{other}\"`, not `snapshot`"));
                None
            }
        }
    }
}
