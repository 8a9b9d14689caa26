//! `sitecast config`: what holds, and who says so.

mod origin;

use std::io::Write;

use serde_json::{Value, json};

use crate::cli::{Color, ConfigArguments, Global};
use crate::config::kind::listed;
use crate::config::setting::{Usual, header};
use crate::config::table::{is_within, settings, shape, tables};
use crate::config::value::{self, to_toml};
use crate::config::{ConfigFile, Named, meant};
use crate::failure::{Exit, Failure};
use crate::output::plain::Plain;
use crate::output::{Output, Tone};
use crate::settings::{color_without_file, variable};
use origin::{Held, Origin, held};

/// Variables that hold keys of buckets. That they are set is worth knowing; what they are is not shown.
const CREDENTIALS: [&str; 3] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
];

/// Where the origins stand.
const COLUMN: usize = 46;

pub(crate) fn run(
    arguments: &ConfigArguments,
    global: &Global,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let file = ConfigFile::load(global)?;
    let color = color_without_file(global)?.or(file.config.color);
    output.set_color(color.unwrap_or(Color::Auto));
    let mut all = held(global, &file)?;
    let key = arguments
        .key
        .as_deref()
        .map(|key| match key.strip_prefix('[') {
            Some(header) => header.trim_matches(['[', ']']),
            None => key,
        });
    let key = key.filter(|key| !key.is_empty());
    if let Some(key) = key {
        known(key)?;
        let wanted = shape(key);
        all.retain(|held| is_within(&held.key, key) || is_within(&shape(&held.key), &wanted));
    }
    if output.json {
        let report = json!({
            "version": 1,
            "file": {
                "path": file.path.display().to_string(),
                "there": file.is_there,
                "named_by": match file.named {
                    Named::Flag => "flag",
                    Named::Variable => "environment",
                    Named::Nobody => "default",
                },
            },
            "settings": all.iter().map(as_json).collect::<Vec<_>>(),
            "credentials": credentials(),
        });
        writeln!(output.out(), "{report}")?;
        return Ok(Exit::Done);
    }
    match key {
        Some(key) if all.iter().all(|held| held.key == key) || all.is_empty() => {
            details(key, &all, &file, output)?;
        }
        _ => list(&all, &file, key.is_none(), output)?,
    }
    Ok(Exit::Done)
}

/// A name that is none gets a word on what it may have been.
fn known(key: &str) -> Result<(), Failure> {
    let shape = shape(key);
    let is_known = tables().any(|table| is_within(table.key, &shape))
        || settings().any(|(table, setting)| table.full(setting) == shape);
    if is_known {
        return Ok(());
    }
    let last = format!(".{key}");
    let full = settings().map(|(table, setting)| table.full(setting));
    let full: Vec<String> = full.filter(|full| full.ends_with(&last)).collect();
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let hint = if full.is_empty() {
        meant(&shape)
    } else {
        format!("did you mean {}?", listed(&full, "or"))
    };
    Err(Failure::new(Exit::Usage, format!("there is no setting `{key}`")).hint(hint))
}

/// All that hold, as a file would have them.
fn list(all: &[Held], file: &ConfigFile, is_all: bool, output: &mut Output) -> Result<(), Failure> {
    let mut lines = Vec::new();
    if is_all {
        lines.push(format!("# {}", about_file(file)));
        lines.push(String::new());
    }
    let mut last = String::new();
    for held in all {
        let (table, _) = held.key.rsplit_once('.').unwrap_or(("", &held.key));
        if table != last {
            if !lines.last().is_none_or(String::is_empty) {
                lines.push(String::new());
            }
            let name = held.table.key.strip_suffix("[]");
            let title = name.map_or_else(|| header(table), |name| format!("[[{name}]]"));
            lines.push(output.paint(Tone::Strong, &title));
            last = table.to_owned();
        }
        lines.push(line(held, file, output));
    }
    let keys = credentials();
    if is_all && !keys.is_empty() {
        lines.push(String::new());
        lines.push(format!(
            "# set in the environment, and not shown: {}",
            keys.join(", ")
        ));
    }
    for line in lines {
        writeln!(output.out(), "{line}")?;
    }
    Ok(())
}

/// `source = "public"     # sitecast.toml, line 12`
fn line(held: &Held, file: &ConfigFile, output: &Output) -> String {
    let name = held.setting.name;
    let (left, more) = match (&held.value, held.setting.usual) {
        (Some(value), _) => (format!("{name} = {}", to_toml(value)), String::new()),
        (None, Usual::Words(words)) if held.origin == Origin::Default => {
            (format!("#{name}"), format!(": {words}"))
        }
        (None, _) => (format!("#{name}"), ", not shown".to_owned()),
    };
    let left = Plain::line(&left).to_string();
    let gap = COLUMN.saturating_sub(left.chars().count()).max(1);
    let origin = format!("# {}{more}", words(&held.origin, file));
    let tone = match held.origin {
        Origin::Default => Tone::Faint,
        _ => Tone::Good,
    };
    let origin = output.paint(tone, &Plain::line(&origin).to_string());
    format!("{left}{}{origin}", " ".repeat(gap))
}

/// One setting, or a table of which nothing is set.
fn details(key: &str, all: &[Held], file: &ConfigFile, output: &mut Output) -> Result<(), Failure> {
    let wanted = shape(key);
    let chosen = settings().filter(|(table, setting)| {
        let full = table.full(setting);
        is_within(&full, &wanted) || is_within(table.key, &wanted)
    });
    for (number, (table, setting)) in chosen.enumerate() {
        let full = table.full(setting);
        let held = all.iter().find(|held| held.key == key);
        let value = held.and_then(|held| held.value.as_ref());
        let title = match value {
            Some(value) => format!("{key} = {}", to_toml(value)),
            None => held.map_or_else(|| full.clone(), |held| held.key.clone()),
        };
        let from = match held {
            Some(held) if held.value.is_none() && held.setting.secret => {
                format!("{}, not shown", words(&held.origin, file))
            }
            Some(held) => words(&held.origin, file),
            None => "nothing".to_owned(),
        };
        let usual = match setting.usual {
            Usual::Value(value) => value,
            Usual::Words(words) => words,
            Usual::Required => "the table is not complete",
        };
        let mut lines = vec![
            ("set by", from),
            ("does", setting.about.to_owned()),
            ("takes", setting.kind.allowed()),
            ("without it", usual.to_owned()),
        ];
        let before = [setting.flag]
            .into_iter()
            .chain(setting.variables.iter().copied());
        let before: Vec<&str> = before.filter(|name| !name.is_empty()).collect();
        if !before.is_empty() {
            lines.push(("stronger", before.join(", ")));
        }
        let example = format!("{} = {}", setting.name, setting.example);
        lines.push(match table.key {
            "" => ("example", example),
            _ => ("example", format!("{}  {example}", table.header())),
        });
        if number > 0 {
            writeln!(output.out())?;
        }
        let title = output.paint(Tone::Strong, &Plain::line(&title).to_string());
        writeln!(output.out(), "{title}")?;
        for (name, words) in lines {
            writeln!(output.out(), "  {name:<11} {}", Plain::line(&words))?;
        }
    }
    Ok(())
}

fn about_file(file: &ConfigFile) -> String {
    let path = file.path.display();
    if file.is_there {
        format!("Settings that hold here. The file is `{path}`.")
    } else {
        format!("Settings that hold here. There is no `{path}`; `sitecast init` writes one.")
    }
}

fn words(origin: &Origin, file: &ConfigFile) -> String {
    match origin {
        Origin::Flag(name) => format!("flag {name}"),
        Origin::Variable(name) => format!("variable {name}"),
        Origin::File(line) => format!("{}, line {line}", file.path.display()),
        Origin::Default => "default".to_owned(),
    }
}

fn as_json(held: &Held) -> Value {
    let (origin, name, line) = match held.origin {
        Origin::Flag(name) => ("flag", Some(name), None),
        Origin::Variable(name) => ("environment", Some(name), None),
        Origin::File(line) => ("file", None, Some(line)),
        Origin::Default => ("default", None, None),
    };
    let default = match held.setting.usual {
        Usual::Value(text) => value::parse(text),
        Usual::Words(_) | Usual::Required => None,
    };
    json!({
        "key": held.key,
        "value": held.value,
        "origin": origin,
        "name": name,
        "line": line,
        "default": default,
        "secret": held.setting.secret,
        "about": held.setting.about,
    })
}

fn credentials() -> Vec<&'static str> {
    let set = CREDENTIALS
        .into_iter()
        .filter(|name| variable(name).is_some());
    set.collect()
}
