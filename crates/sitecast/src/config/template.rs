//! A `sitecast.toml` with every setting in it and a word on each.
//!
//! What is set stands there as it is. All others stand behind a `#` without a space, with what holds
//! without them or with an example: to set one, the `#` is taken away. So the headers of tables are
//! always there, but for those that mean something by being there.

use std::collections::BTreeMap;

use super::kind::{Kind, listed};
use super::setting::{Setting, Table, Usual};
use super::table::tables;
use super::value::to_toml;

/// How long a line of comment may be.
const WIDTH: usize = 98;

/// What stands in the file beside what is always there.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// The first lines.
    pub(crate) opening: String,
    /// Settings by their full names, and what to say about them.
    pub(crate) values: BTreeMap<&'static str, Choice>,
    /// Sections, in this order.
    pub(crate) sections: Vec<ChosenSection>,
}

/// A value for a setting.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) value: serde_json::Value,
    /// Whether it holds, or is only proposed.
    pub(crate) holds: bool,
    /// What is to be said about it.
    pub(crate) note: String,
}

/// A section of the site.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct ChosenSection {
    pub(crate) name: String,
    pub(crate) paths: Vec<String>,
    pub(crate) update_freq: &'static str,
    pub(crate) pages: u64,
}

const EXPLANATION: &str = "\
Every setting is here. A line that begins with `#` and a name shows what holds if nothing is said, or an \
example: take the `#` away to set it. Flags go before variables of the environment, and those go before \
this file. `sitecast config` shows what holds and where it comes from; docs/configuration.md says the same \
as these comments.";

/// The whole file.
pub(crate) fn render(chosen: &Chosen) -> String {
    let mut file = String::new();
    comment(&mut file, &chosen.opening);
    file.push_str("#\n");
    comment(&mut file, EXPLANATION);
    for table in tables() {
        render_table(&mut file, table, chosen);
    }
    file
}

fn render_table(file: &mut String, table: &Table, chosen: &Chosen) {
    file.push('\n');
    if table.key.is_empty() {
        // What stands before the first table has no header.
    } else if table.key.ends_with("<name>") {
        file.push('\n');
        comment(file, table.about);
        return render_sections(file, table, chosen);
    } else {
        let is_set = |setting: &Setting| {
            let key = table.full(setting);
            chosen
                .values
                .get(key.as_str())
                .is_some_and(|choice| choice.holds)
        };
        let is_there = !table.presence_counts || table.settings.iter().any(is_set);
        file.push('\n');
        comment(file, table.about);
        let mark = if is_there { "" } else { "#" };
        file.push_str(&format!("{mark}{}\n\n", table.header()));
    }
    for (number, setting) in table.settings.iter().enumerate() {
        if number > 0 {
            file.push('\n');
        }
        comment(file, &words(setting));
        let choice = chosen.values.get(table.full(setting).as_str());
        let value = match choice {
            Some(choice) => {
                comment(file, &choice.note);
                to_toml(&choice.value)
            }
            None => shown(setting).to_owned(),
        };
        let mark = if choice.is_some_and(|choice| choice.holds) {
            ""
        } else {
            "#"
        };
        file.push_str(&format!("{mark}{} = {value}\n", setting.name));
    }
}

fn render_sections(file: &mut String, table: &Table, chosen: &Chosen) {
    for setting in table.settings {
        comment(file, &format!("`{}`: {}", setting.name, words(setting)));
    }
    file.push('\n');
    if chosen.sections.is_empty() {
        let header = table.header().replace("<name>", "blog");
        file.push_str(&format!("#{header}\n"));
        for setting in table.settings {
            file.push_str(&format!("#{} = {}\n", setting.name, setting.example));
        }
    }
    for (number, section) in chosen.sections.iter().enumerate() {
        if number > 0 {
            file.push('\n');
        }
        let pages = crate::output::human::counted(section.pages, "page");
        comment(file, &format!("{pages}."));
        let header = table.header().replace("<name>", &section.name);
        let paths = to_toml(&section.paths.clone().into());
        let frequency = section.update_freq;
        file.push_str(&format!(
            "{header}\npaths = {paths}\nupdate_freq = \"{frequency}\"\n"
        ));
    }
}

/// What a setting does, what it takes and what goes before it.
fn words(setting: &Setting) -> String {
    let mut words = setting.about.to_owned();
    match setting.kind {
        Kind::Choice(names) => words.push_str(&format!(" One of {}.", listed(names, "and"))),
        Kind::Choices(names) => words.push_str(&format!(" Any of {}.", listed(names, "and"))),
        _ => {}
    }
    match setting.usual {
        Usual::Words(usual) => words.push_str(&format!(" Without it: {usual}.")),
        Usual::Value(_) | Usual::Required => {}
    }
    if setting.flag.starts_with('-') {
        words.push_str(&format!(" Flag: `{}`.", setting.flag));
    }
    words
}

/// What stands behind the `#`.
fn shown(setting: &Setting) -> &'static str {
    match setting.usual {
        // An empty list says nothing about what would be in it.
        Usual::Value("[]") | Usual::Words(_) | Usual::Required => setting.example,
        Usual::Value(value) => value,
    }
}

/// Text in lines of comment.
fn comment(file: &mut String, text: &str) {
    let mut length = 0;
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > WIDTH {
            file.push('\n');
            length = 0;
        }
        file.push_str(if length == 0 { "# " } else { " " });
        length += letters + 1;
        file.push_str(word);
    }
    if length > 0 {
        file.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;

    /// The file with all settings in force.
    pub(crate) fn uncommented(file: &str) -> String {
        let lines = file.lines().map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_file_with_nothing_chosen_sets_nothing() {
        let file = render(&Chosen::default());
        let (_, found) = parse(&file).unwrap();
        assert!(found.is_empty(), "{found:?}");
        let (config, _) = parse(&file).unwrap();
        assert!(config.policy.is_none() && config.serve.storage.is_none());
    }

    #[test]
    fn with_every_comment_taken_away_it_still_loads_and_has_every_setting() {
        let file = uncommented(&render(&Chosen::default()));
        let (_, found) = parse(&file).unwrap_or_else(|problem| panic!("{problem:?}\n{file}"));
        for (table, setting) in super::super::table::settings() {
            let key = table.full(setting);
            let is_there = found
                .iter()
                .any(|found| super::super::table::shape(&found.key) == key);
            assert!(is_there, "{key} is not in\n{file}");
        }
    }

    #[test]
    fn what_is_chosen_holds_and_what_is_proposed_does_not() {
        let choice = |value: &str, holds| Choice {
            value: value.into(),
            holds,
            note: "Why it is so.".to_owned(),
        };
        let chosen = Chosen {
            values: BTreeMap::from([
                ("publish.source", choice("public", true)),
                ("publish.previous", choice("https://example.com/", false)),
            ]),
            sections: vec![ChosenSection {
                name: "blog".to_owned(),
                paths: vec!["/blog/**".to_owned()],
                update_freq: "daily",
                pages: 12,
            }],
            ..Chosen::default()
        };
        let file = render(&chosen);
        let (config, found) = parse(&file).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(config.publish.source.as_deref(), Some("public".as_ref()));
        assert!(config.publish.previous.is_none());
        assert!(file.contains("# Why it is so.\n#previous = \"https://example.com/\"\n"));
        assert!(file.lines().all(|line| line.chars().count() <= 160));
    }
}
