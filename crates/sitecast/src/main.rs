//! The `sitecast` command: arguments in, library calls, words or JSON out.

mod cli;
mod commands;
mod config;
mod failure;
mod output;
mod progress;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::Exit;
use output::Output;
use settings::Settings;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::new(&cli.global);
    let result = Settings::build(&cli.global).and_then(|settings| {
        output.apply(&settings);
        match &cli.command {
            Command::Check(arguments) => commands::check::run(arguments, &settings, &mut output),
            Command::Inspect(arguments) => {
                commands::inspect::run(arguments, &settings, &mut output)
            }
            Command::Completions(arguments) => commands::completions::run(arguments, &mut output),
            Command::Man(arguments) => commands::man::run(arguments, &mut output),
        }
    });
    let result = result.and_then(|exit| output.flush().map(|()| exit));
    match result {
        Ok(exit) => exit.into(),
        Err(failure) if failure.is_broken_pipe() => {
            // Whoever was reading has seen enough: `sitecast … | head` is no failure.
            Exit::Done.into()
        }
        Err(failure) => {
            output.failure(&failure);
            failure.exit().into()
        }
    }
}
