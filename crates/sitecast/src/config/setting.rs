//! What is known of a setting beside its value.

use super::kind::Kind;

/// A table of `sitecast.toml`.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its name as in the file: `publish`, `publish.sections.<name>` for any number of them by name,
    /// `serve.protected[]` for a list of them; empty for what stands before the first.
    pub(crate) key: &'static str,
    /// What it is about.
    pub(crate) about: &'static str,
    /// Whether it makes a difference that it is there, even if nothing is in it.
    pub(crate) presence_counts: bool,
    pub(crate) settings: &'static [Setting],
}

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Its name within its table.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// What holds if nothing is said.
    pub(crate) usual: Usual,
    /// What it does.
    pub(crate) about: &'static str,
    /// A value, as it stands in the file.
    pub(crate) example: &'static str,
    /// The flag that goes before it, if there is one.
    pub(crate) flag: &'static str,
    /// The variables of the environment that go before it, the strongest first.
    pub(crate) variables: &'static [&'static str],
    /// Whether it is nobody else's business.
    pub(crate) secret: bool,
}

/// What holds if nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usual {
    /// A value, as it would stand in the file.
    Value(&'static str),
    /// What it depends on, in words.
    Words(&'static str),
    /// The table makes no sense without it.
    Required,
}

impl Setting {
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        usual: Usual,
        about: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            usual,
            about,
            example,
            flag: "",
            variables: &[],
            secret: false,
        }
    }

    pub(crate) const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = flag;
        self
    }

    pub(crate) const fn variables(mut self, variables: &'static [&'static str]) -> Self {
        self.variables = variables;
        self
    }

    pub(crate) const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }
}

impl Table {
    /// The name of one of its settings, with the table's.
    pub(crate) fn full(&self, setting: &Setting) -> String {
        join(self.key, setting.name)
    }

    /// As it stands in the file: `[publish]`, `[[serve.protected]]`.
    pub(crate) fn header(&self) -> String {
        header(self.key)
    }
}

/// A table's name as it stands in the file.
pub(crate) fn header(key: &str) -> String {
    match key.strip_suffix("[]") {
        Some(key) => format!("[[{key}]]"),
        None => format!("[{key}]"),
    }
}

/// A name within a table.
pub(crate) fn join(table: &str, name: &str) -> String {
    if table.is_empty() {
        name.to_owned()
    } else {
        format!("{table}.{name}")
    }
}
