//! Which value holds for each setting, and who says so.

use std::path::PathBuf;

use serde_json::Value;

use crate::cli::{Color, Global};
use crate::config::ConfigFile;
use crate::config::setting::{Setting, Table, Usual};
use crate::config::table::{shape, tables};
use crate::config::value::{self, without_passwords};
use crate::failure::Failure;
use crate::settings::{color_without_file, usual_cache, usual_index, variable};

/// Who says what a setting is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    Flag(&'static str),
    Variable(&'static str),
    /// A line of the file.
    File(usize),
    Default,
}

/// A setting with what holds for it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) table: &'static Table,
    pub(super) setting: &'static Setting,
    /// Its full name: `publish.sections.blog.paths`.
    pub(super) key: String,
    /// What holds; `None` where it depends on something else, or is not to be shown.
    pub(super) value: Option<Value>,
    pub(super) origin: Origin,
}

/// All settings that hold, table by table. Of tables that need not be there, those that are.
pub(super) fn held(global: &Global, file: &ConfigFile) -> Result<Vec<Held>, Failure> {
    let color = color_without_file(global)?;
    let mut all = Vec::new();
    for table in tables() {
        let mut names = vec![table.key.to_owned()];
        if table.presence_counts {
            // As they are called in the file: `publish.sections.blog`, `serve.protected[0]`.
            names = Vec::new();
            for found in &file.found {
                let (name, _) = found.key.rsplit_once('.').unwrap_or(("", &found.key));
                if shape(name) == table.key && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        }
        for name in &names {
            for setting in table.settings {
                let key = crate::config::setting::join(name, setting.name);
                let (value, origin) = of(setting, &key, global, color, file);
                all.push(Held {
                    table,
                    setting,
                    key,
                    value: value
                        .filter(|_| !setting.secret)
                        .map(|value| without_passwords(&value)),
                    origin,
                });
            }
        }
    }
    Ok(all)
}

fn of(
    setting: &'static Setting,
    key: &str,
    global: &Global,
    color: Option<Color>,
    file: &ConfigFile,
) -> (Option<Value>, Origin) {
    if key == "color"
        && let Some(color) = color
    {
        let name = clap::ValueEnum::to_possible_value(&color);
        let value = name.map(|name| Value::from(name.get_name()));
        let variable = || {
            setting
                .variables
                .iter()
                .find(|name| variable(name).is_some())
        };
        return match (global.color, variable()) {
            (None, Some(variable)) => (value, Origin::Variable(variable)),
            _ => (value, Origin::Flag(setting.flag)),
        };
    }
    for name in setting.variables {
        if let Some(text) = variable(name) {
            return (
                Some(by_variable(name, &text.to_string_lossy())),
                Origin::Variable(name),
            );
        }
    }
    if let Some(found) = file.found.iter().find(|found| found.key == key) {
        return (Some(found.value.clone()), Origin::File(found.line));
    }
    let path = |path: PathBuf| Some(Value::from(path.display().to_string()));
    let usual = match (key, setting.usual) {
        ("sync.index", _) => path(usual_index()),
        ("publish.cache", _) => usual_cache().and_then(path),
        (_, Usual::Value(text)) => value::parse(text),
        _ => None,
    };
    (usual, Origin::Default)
}

/// What a variable says of the setting that it stands for.
fn by_variable(name: &str, text: &str) -> Value {
    match name {
        // The opposite, in the words of other tools.
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST" => Value::Bool(!matches!(
            text.to_ascii_lowercase().as_str(),
            "1" | "true" | "on" | "yes" | "y"
        )),
        _ => Value::from(text),
    }
}
