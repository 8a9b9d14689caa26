use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(crate) fn run(arguments: &Completions, output: &mut Output) -> Result<Exit, Failure> {
    clap_complete::generate(
        arguments.shell,
        &mut Cli::command(),
        "sitecast",
        output.out(),
    );
    Ok(Exit::Done)
}
