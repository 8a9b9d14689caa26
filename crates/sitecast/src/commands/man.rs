use clap::CommandFactory;

use crate::cli::{Cli, Man};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(crate) fn run(arguments: &Man, output: &mut Output) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let page = match &arguments.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::new(Exit::Usage, format!("there is no command `{name}`"))
                .hint("`sitecast --help` lists them")
        })?,
    };
    clap_mangen::Man::new(page).render(output.out())?;
    Ok(Exit::Done)
}
