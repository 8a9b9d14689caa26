//! One file for each command.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod inspect;
pub(crate) mod man;

use std::fs::File;
use std::io::Read;

use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::progress::Watched;

/// Where a collection's bytes come from.
pub(crate) type Source = Watched<Box<dyn Read + Send>>;

/// Opens a file named on the command line, `-` for standard input.
pub(crate) fn open(target: &str, output: &Output) -> Result<Source, Failure> {
    if target == "-" {
        return Ok(Watched::new(Box::new(std::io::stdin()), target, None));
    }
    if target.starts_with("http://") || target.starts_with("https://") {
        return Err(Failure::new(
            Exit::Usage,
            format!("`{target}` is a URL, and only files can be read so far"),
        )
        .hint(format!(
            "download it first: curl -s {target} | sitecast check -"
        )));
    }
    let file = File::open(target).map_err(|error| Failure::cannot_read(target, &error))?;
    let metadata = file
        .metadata()
        .map_err(|error| Failure::cannot_read(target, &error))?;
    if metadata.is_dir() {
        return Err(Failure::new(
            Exit::Usage,
            format!("`{target}` is a folder, and only files can be read so far"),
        )
        .hint(format!(
            "name the files in it: {}/*.scp*",
            target.trim_end_matches('/')
        )));
    }
    // A pipe or device has no length to measure progress by.
    let total = (metadata.is_file() && output.shows_progress()).then_some(metadata.len());
    Ok(Watched::new(Box::new(file), target, total))
}
