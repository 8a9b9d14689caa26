//! Every setting: its name, what it takes, what holds without it, what it does, an example.
//!
//! This is the one place that says so. The commented file of `sitecast init`, docs/configuration.md,
//! `sitecast config` and the suggestions for mistyped names are made from it, and a test holds it to
//! the types that the file is read into.

mod extract;
mod limits;
mod policy;
mod publish;
mod serve;
mod sync;

use super::kind::Kind;
use super::setting::{Setting, Table, Usual, join};

const GENERAL: &[Table] = &[
    Table {
        key: "",
        about: "What holds for all commands.",
        presence_counts: false,
        settings: &[Setting::new(
            "color",
            Kind::Choice(&["auto", "always", "never"]),
            Usual::Value("\"auto\""),
            "When to use colours; `auto` is on a terminal. The variable `NO_COLOR` means never.",
            "\"never\"",
        )
        .flag("--color")
        .variables(&["SITECAST_COLOR", "NO_COLOR"])],
    },
    Table {
        key: "check",
        about: "How `sitecast check` judges.",
        presence_counts: false,
        settings: &[Setting::new(
            "strict",
            Kind::Switch,
            Usual::Value("false"),
            "Treat warnings as findings: exit code 3.",
            "true",
        )
        .flag("--strict")],
    },
];

/// All tables, in the order in which they are shown.
pub(crate) fn tables() -> impl Iterator<Item = &'static Table> {
    let (all, check) = GENERAL.split_at(1);
    [
        all,
        publish::TABLES,
        policy::TABLES,
        serve::TABLES,
        sync::TABLES,
        check,
        extract::TABLES,
        limits::TABLES,
    ]
    .into_iter()
    .flatten()
}

/// All settings with their tables.
pub(crate) fn settings() -> impl Iterator<Item = (&'static Table, &'static Setting)> {
    tables().flat_map(|table| table.settings.iter().map(move |setting| (table, setting)))
}

/// A setting by its full name.
pub(crate) fn setting(key: &str) -> Option<(&'static Table, &'static Setting)> {
    settings().find(|(table, setting)| table.full(setting) == key)
}

/// A table by its name.
pub(crate) fn table(key: &str) -> Option<&'static Table> {
    tables().find(|table| table.key == key)
}

/// Whether there is a table of this name, or one within it.
pub(crate) fn has_table(key: &str) -> bool {
    tables().any(|table| is_within(table.key, key))
}

/// Whether a name is another one or stands within it.
pub(crate) fn is_within(key: &str, outer: &str) -> bool {
    match key.strip_prefix(outer) {
        Some(rest) => rest.is_empty() || rest.starts_with(['.', '[']),
        None => false,
    }
}

/// The names that can stand in a table: its settings, and the tables in it.
pub(crate) fn names_in(key: &str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    let settings = table(key).into_iter().flat_map(|table| table.settings);
    names.extend(settings.map(|setting| setting.name));
    for table in tables() {
        let rest = if key.is_empty() {
            Some(table.key)
        } else {
            table
                .key
                .strip_prefix(key)
                .and_then(|rest| rest.strip_prefix('.'))
        };
        let first = rest.and_then(|rest| rest.split('.').next());
        let name = first.map(|name| name.strip_suffix("[]").unwrap_or(name));
        if let Some(name) = name
            && !name.is_empty()
            && !name.starts_with('<')
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// The shape of a name in a file: `publish.sections.<name>.paths` for `publish.sections.blog.paths`.
pub(crate) fn shape(key: &str) -> String {
    let mut shape = String::new();
    for part in key.split('.') {
        let list = part.split_once('[').map(|(name, _)| format!("{name}[]"));
        let part = list.as_deref().unwrap_or(part);
        let named = join(&shape, "<name>");
        let plain = join(&shape, part);
        shape = if !has_table(&plain) && setting(&plain).is_none() && has_table(&named) {
            named
        } else {
            plain
        };
    }
    shape
}
