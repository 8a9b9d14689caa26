//! Where `sitecast.toml` is, and how it is read.

use std::fs;
use std::path::{Path, PathBuf};

use super::Config;
use super::document::{Found, Problem, line, read};
use crate::cli::Global;
use crate::failure::{Exit, Failure, reason};
use crate::settings::variable;

/// The file that is read if there is one in the current folder.
const DEFAULT: &str = "sitecast.toml";

/// Who says where the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Flag,
    Variable,
    Nobody,
}

/// Where the file of settings is, whether or not it is there.
pub(crate) fn named(global: &Global) -> (PathBuf, Named) {
    match (&global.config, variable("SITECAST_CONFIG")) {
        (Some(path), _) => (path.clone(), Named::Flag),
        (None, Some(path)) => (PathBuf::from(path), Named::Variable),
        (None, None) => (PathBuf::from(DEFAULT), Named::Nobody),
    }
}

/// The file of settings, read and found to be right.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) path: PathBuf,
    pub(crate) named: Named,
    /// Whether there is one.
    pub(crate) is_there: bool,
    /// What stands in it.
    pub(crate) found: Vec<Found>,
    pub(crate) config: Config,
}

impl ConfigFile {
    /// Reads the file that was asked for, or the default one if it is there.
    pub(crate) fn load(global: &Global) -> Result<Self, Failure> {
        let (path, named) = named(global);
        let name = path.display();
        let (text, is_there) = match fs::read_to_string(&path) {
            Ok(text) => (text, true),
            Err(error)
                if named == Named::Nobody && error.kind() == std::io::ErrorKind::NotFound =>
            {
                (String::new(), false)
            }
            Err(error) => {
                let message = format!("cannot read the configuration `{name}`: {}", reason(&error));
                let failure = Failure::new(Exit::Usage, message);
                return Err(match error.kind() {
                    std::io::ErrorKind::NotFound => {
                        failure.hint("check the spelling; `sitecast init` writes one")
                    }
                    _ => failure,
                });
            }
        };
        let (config, found) = parse(&text).map_err(|problem| wrong(&path, &problem))?;
        Ok(Self {
            path,
            named,
            is_there,
            found,
            config,
        })
    }
}

/// What a file of settings says.
pub(crate) fn parse(text: &str) -> Result<(Config, Vec<Found>), Problem> {
    let found = read(text)?;
    let config = toml::from_str(text).map_err(|error| Problem {
        line: error.span().map(|span| line(text, span.start)),
        message: error.message().to_owned(),
        hint: "docs/configuration.md lists all settings".to_owned(),
    })?;
    Ok((config, found))
}

fn wrong(path: &Path, problem: &Problem) -> Failure {
    let place = problem.line.map(|line| format!(", line {line}"));
    let message = format!(
        "configuration `{}`{}: {}",
        path.display(),
        place.unwrap_or_default(),
        problem.message
    );
    Failure::new(Exit::Usage, message).hint(problem.hint.as_str())
}
