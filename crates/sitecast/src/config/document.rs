//! What stands in a file of settings, held against the table of all settings.
//!
//! The types that the file is read into would refuse the same mistakes, but can say less about them:
//! not what a name was taken for, nor what a value may be.

use std::ops::Range;

use serde_json::Value;
use sitecast_scp::Identifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::{Setting, Usual, header, join};
use super::suggest;
use super::table::{has_table, setting, table};
use super::value::{from_toml, to_toml};

/// A setting that stands in the file.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Its full name in this file: `publish.sections.blog.paths`.
    pub(crate) key: String,
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

const ALL: &str = "docs/configuration.md lists all settings";
const SYNTAX: &str = "the file is TOML: `[table]` lines, and below them `name = value` lines, each name once, texts in quotes";
/// A longer value is not repeated.
const LONGEST_VALUE: usize = 60;

/// All settings of a file, in the order of their lines; or the first thing that is wrong with it.
pub(crate) fn read(text: &str) -> Result<Vec<Found>, Problem> {
    let document = DeTable::parse(text).map_err(|error| Problem {
        line: error.span().map(|span| line(text, span.start)),
        message: error.message().to_owned(),
        hint: SYNTAX.to_owned(),
    })?;
    let mut walk = Walk {
        text,
        found: Vec::new(),
        problems: Vec::new(),
    };
    walk.table(document.get_ref(), Place::default());
    walk.problems.sort_by_key(|(at, _)| *at);
    match walk.problems.into_iter().next() {
        Some((_, problem)) => Err(problem),
        None => {
            walk.found.sort_by_key(|found| found.line);
            Ok(walk.found)
        }
    }
}

/// The line of a place in a text, from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

/// Where in the document a table is.
#[derive(Debug, Clone, Default)]
struct Place {
    /// As the table of settings calls it: `publish.sections.<name>`.
    shape: String,
    /// As the file calls it: `publish.sections.blog`.
    path: String,
    /// Where it begins.
    at: Range<usize>,
}

impl Place {
    fn inner(&self, shape: &str, path: &str, at: Range<usize>) -> Self {
        Self {
            shape: join(&self.shape, shape),
            path: join(&self.path, path),
            at,
        }
    }
}

struct Walk<'t> {
    text: &'t str,
    found: Vec<Found>,
    problems: Vec<(usize, Problem)>,
}

impl Walk<'_> {
    fn wrong(&mut self, at: &Range<usize>, message: String, hint: String) {
        let line = Some(line(self.text, at.start));
        let problem = Problem {
            line,
            message,
            hint,
        };
        self.problems.push((at.start, problem));
    }

    fn table(&mut self, entries: &DeTable<'_>, place: Place) {
        for (key, value) in entries {
            self.entry(&place, key.get_ref(), key.span(), value);
        }
        let settings = table(&place.shape)
            .into_iter()
            .flat_map(|table| table.settings);
        for setting in settings.filter(|setting| setting.usual == Usual::Required) {
            if !entries.keys().any(|key| key.get_ref() == setting.name) {
                let table = header(&place.shape);
                let message = format!("`{table}` has no `{}`, which it needs", setting.name);
                let hint = format!("for example: {} = {}", setting.name, setting.example);
                self.wrong(&place.at, message, hint);
            }
        }
    }

    fn entry(&mut self, place: &Place, name: &str, at: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let known = join(&place.shape, name);
        if let Some((_, setting)) = setting(&known) {
            self.setting(setting, join(&place.path, name), at, value.get_ref());
        } else if has_table(&format!("{known}[]")) {
            self.list(&place.inner(&format!("{name}[]"), name, at), value);
        } else if has_table(&known) {
            self.inner(place.inner(name, name, at), value);
        } else if has_table(&join(&place.shape, "<name>")) {
            if name.parse::<Identifier>().is_err() {
                let message = format!(
                    "a section is called `{name}`, and may have letters, digits, `-` and `_` in its name"
                );
                self.wrong(&at, message, ALL.to_owned());
            }
            self.inner(place.inner("<name>", name, at), value);
        } else {
            let is_table = matches!(value.get_ref(), DeValue::Table(_));
            let table = header(&place.shape);
            let message = match (is_table, place.shape.is_empty()) {
                (true, _) => format!("there is no table `{}`", header(&join(&place.path, name))),
                (false, true) => format!("there is no setting `{name}` before the first table"),
                (false, false) => format!("`{table}` has no setting `{name}`"),
            };
            self.wrong(&at, message, suggest::hint(&place.shape, name));
        }
    }

    fn inner(&mut self, place: Place, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(entries) => self.table(entries, place),
            other => {
                let (name, is) = (&place.path, shown(other));
                let message = format!("`{name}` is {is}, and has to be a table of settings");
                let hint = format!("write `[{name}]`, and the settings below it; {ALL}");
                self.wrong(&place.at, message, hint);
            }
        }
    }

    fn list(&mut self, place: &Place, value: &Spanned<DeValue<'_>>) {
        let tables = match value.get_ref() {
            DeValue::Array(values) => values
                .iter()
                .map(|value| match value.get_ref() {
                    DeValue::Table(entries) => Some((entries, value.span())),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        let tables: Option<Vec<(&DeTable<'_>, Range<usize>)>> = tables;
        let Some(tables) = tables else {
            let name = &place.path;
            let message = format!("`{name}` has to be a list of tables");
            self.wrong(
                &place.at,
                message,
                format!("write `[[{name}]]`, with two brackets"),
            );
            return;
        };
        for (number, (entries, at)) in tables.into_iter().enumerate() {
            let path = format!("{}[{number}]", place.path);
            let shape = place.shape.clone();
            self.table(entries, Place { shape, path, at });
        }
    }

    fn setting(
        &mut self,
        setting: &'static Setting,
        key: String,
        at: Range<usize>,
        value: &DeValue<'_>,
    ) {
        let kind = setting.kind;
        let json = from_toml(value);
        // A date without quotes looks like text and is none.
        let outcome = match value {
            DeValue::Datetime(_) => Err(None),
            _ => kind.check(&json),
        };
        match outcome {
            Ok(()) => self.found.push(Found {
                key,
                line: line(self.text, at.start),
                value: json,
            }),
            Err(more) => {
                let is = if setting.secret {
                    "something else".to_owned()
                } else {
                    shown(value)
                };
                let message = match more {
                    Some(more) => format!("`{key}`: {more}"),
                    None => format!("`{key}` is {is}, and has to be {}", kind.allowed()),
                };
                let hint = format!("for example: {} = {}; {ALL}", setting.name, setting.example);
                self.wrong(&at, message, hint);
            }
        }
    }
}

/// A value in a message.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Datetime(time) => format!("the date `{time}`"),
        other => {
            let text = match other {
                DeValue::Integer(number) => number.to_string(),
                DeValue::Float(number) => number.to_string(),
                other => to_toml(&from_toml(other)),
            };
            if text.chars().count() > LONGEST_VALUE {
                "something else".to_owned()
            } else {
                format!("`{text}`")
            }
        }
    }
}

#[cfg(test)]
mod tests;
