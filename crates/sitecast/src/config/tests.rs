//! The table of settings, held to the types that the file is read into and to what programs make of them.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser;

use super::Config;
use super::file::parse;
use super::setting::{Setting, Table, Usual};
use super::table::{settings, shape, tables};
use super::value;
use crate::cli::{Cli, Command};
use crate::commands::{publish, serve, sync};
use crate::settings::Settings;

/// A table of the file, with its header as it may stand there.
fn header(table: &Table) -> String {
    match table.key {
        "" => String::new(),
        _ => table.header().replace("<name>", "name") + "\n",
    }
}

/// A file in which one setting has a value, and all that must stand beside it is there.
fn file_with(table: &Table, setting: &Setting, value: &str) -> String {
    let beside = table.settings.iter().filter(|other| {
        other.name != setting.name
            && (other.usual == Usual::Required
                || (table.key == "serve.protected[]" && other.secret))
    });
    let mut file = header(table);
    for other in beside {
        file += &format!("{} = {}\n", other.name, other.example);
    }
    file + &format!("{} = {value}\n", setting.name)
}

/// The names that the types accept in a table of the file, by what they say to one that they do not.
fn accepted(header: &str) -> Option<BTreeSet<String>> {
    let error = toml::from_str::<Config>(&format!("{header}\"?\" = 1\n")).err()?;
    let (_, names) = error.message().split_once("unknown field `?`, expected ")?;
    Some(
        names
            .split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect(),
    )
}

#[test]
fn the_table_has_every_name_that_the_types_accept_and_no_other() {
    let mut known = BTreeSet::new();
    let mut headers = vec![(String::new(), String::new())];
    while let Some((key, header)) = headers.pop() {
        for name in accepted(&header).unwrap_or_else(|| panic!("{header} is no table")) {
            let key = super::setting::join(&key, &name);
            let path = key.replace("<name>", "name").replace("[]", "");
            // A table, tables by name, a list of tables, or else a value.
            let shapes = [
                (key.clone(), format!("[{path}]\n")),
                (format!("{key}.<name>"), format!("[{path}.name]\n")),
                (format!("{key}[]"), format!("[[{path}]]\n")),
            ];
            match shapes
                .into_iter()
                .find(|(_, header)| accepted(header).is_some())
            {
                Some(inner) => headers.push(inner),
                None => {
                    known.insert(key);
                }
            }
        }
    }
    let table: BTreeSet<String> = settings()
        .map(|(table, setting)| table.full(setting))
        .collect();
    assert_eq!(table, known);
    assert!(known.len() > 100, "{}", known.len());
}

#[test]
fn every_example_and_every_default_is_a_value_that_is_taken() {
    for (table, setting) in settings() {
        let default = match setting.usual {
            Usual::Value(value) => value,
            Usual::Words(_) | Usual::Required => setting.example,
        };
        for value in [setting.example, default] {
            let file = file_with(table, setting, value);
            let (_, found) = parse(&file).unwrap_or_else(|problem| panic!("{file}: {problem:?}"));
            assert!(
                found
                    .iter()
                    .any(|found| shape(&found.key) == table.full(setting)),
                "{file}"
            );
        }
    }
}

#[test]
fn every_setting_refuses_what_it_cannot_be() {
    for (table, setting) in settings() {
        for value in ["{ a = 1 }", "[[1]]", "1979-05-27"] {
            let file = file_with(table, setting, value);
            let problem = parse(&file).unwrap_err();
            assert!(
                problem.message.contains(setting.name),
                "{file}: {problem:?}"
            );
        }
    }
}

/// All that comes of a file of settings, as far as no flag and no variable says otherwise.
fn outcome(file: &str) -> String {
    let (config, _) = parse(file).unwrap_or_else(|problem| panic!("{file}: {problem:?}"));
    let settings = Settings::new(config, None);
    let arguments = |line: &[&str]| Cli::parse_from(line).command;
    let mut outcome = format!(
        "{:?} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {}",
        settings.color,
        settings.strict,
        settings.sync.index,
        settings.publish.source,
        settings.publish.out,
        settings.publish.previous,
        settings.publish.storage,
        settings.serve.source,
        settings.serve.storage,
        settings.serve.log_format,
        settings.sync.at_once.unwrap_or(sync::AT_ONCE),
    );
    if let Command::Publish(arguments) = arguments(&["sitecast", "publish"]) {
        let base = settings
            .publish
            .base_url
            .as_deref()
            .unwrap_or("https://site.example");
        let base = base.parse().unwrap();
        let options = publish::options::build(&arguments, &settings, base, Path::new("in"), "out");
        outcome += &format!("{options:?}");
        let policy = options.policy.map(|policy| policy.to_json());
        outcome = outcome.replace("version: Some(1)", "version: None") + &format!("{policy:?}");
    }
    if let Command::Serve(arguments) = arguments(&["sitecast", "serve"]) {
        let options = serve::options::build(&arguments, &settings);
        outcome += &format!("{options:?}");
    }
    if let Command::Sync(arguments) = arguments(&["sitecast", "sync", "https://example.com"]) {
        let options = sync::options::sync(&arguments, &settings, None);
        let fetching = sync::options::fetching(&arguments.visit, &settings).unwrap();
        outcome += &format!("{options:?} {fetching:?}");
    }
    outcome
}

#[test]
fn every_default_is_what_holds_without_the_setting() {
    for (table, setting) in settings() {
        let Usual::Value(usual) = setting.usual else {
            continue;
        };
        // Without the setting, but with its table, which may mean something by itself.
        let bare = file_with(table, setting, usual);
        let without = bare
            .trim_end()
            .rsplit_once('\n')
            .map_or("", |(rest, _)| rest);
        let without = format!("{without}\n");
        assert_eq!(outcome(&bare), outcome(&without), "{bare}");
        let key = table.full(setting);
        // A token besides the one that has to be there changes nothing that is shown.
        if setting.secret {
            continue;
        }
        let other = file_with(table, setting, setting.example);
        assert_ne!(
            outcome(&other),
            outcome(&without),
            "{key}: the comparison is blind to it"
        );
        let (example, usual) = (value::parse(setting.example), value::parse(usual));
        assert_ne!(example, usual, "{key}: an example that says nothing new");
    }
}

#[test]
fn names_of_tables_and_settings_are_unique_and_told_about() {
    let mut seen = BTreeSet::new();
    for table in tables() {
        assert!(seen.insert(table.key.to_owned()), "{}", table.key);
        assert!(table.about.ends_with('.'), "{}", table.about);
    }
    for (table, setting) in settings() {
        let key = table.full(setting);
        assert!(setting.about.ends_with('.'), "{key}: {}", setting.about);
        assert!(seen.insert(key.clone()) || table.key == "policy", "{key}");
    }
}

#[test]
fn every_flag_that_the_table_names_is_there() {
    use clap::CommandFactory;
    let command = Cli::command();
    let flags: BTreeSet<String> = command
        .get_subcommands()
        .flat_map(|command| command.get_arguments())
        .chain(command.get_arguments())
        .flat_map(|argument| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let value = argument.get_value_names().unwrap_or_default();
            let value = value.first().map(ToString::to_string);
            long.into_iter().chain(value)
        })
        .collect();
    for (table, setting) in settings() {
        let flag = setting.flag;
        assert!(
            flag.is_empty() || flags.contains(flag),
            "{}: {flag}",
            table.full(setting)
        );
    }
}
