//! `sitecast init`: a commented `sitecast.toml` for the site at hand.

mod generator;
mod look;
mod peek;
mod place;
mod propose;
mod report;
mod sections;

use std::path::Path;

use crate::cli::{Global, Init};
use crate::config::{named, template};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use propose::propose;

pub(crate) fn run(arguments: &Init, global: &Global, output: &mut Output) -> Result<Exit, Failure> {
    let (file, named) = named(global);
    if !arguments.print {
        place::is_free(&file, arguments.force)?;
    }
    let folder = arguments.folder.as_deref().unwrap_or(Path::new("."));
    if !folder.is_dir() {
        let name = folder.display();
        let message = match folder.exists() {
            true => format!("`{name}` is a file, and a site is a folder"),
            false => format!("`{name}` is not there"),
        };
        return Err(Failure::new(Exit::Usage, message)
            .hint("name the folder of the project or of the built site"));
    }
    let proposal = propose(folder, output.shows_progress())?;
    let toml = template::render(&proposal.chosen());
    if !arguments.print {
        place::write(&file, &toml, arguments.force)?;
    }
    report::write(
        &proposal,
        &report::File {
            path: &file,
            named,
            toml: &toml,
            is_written: !arguments.print,
        },
        output,
    )?;
    Ok(Exit::Done)
}
