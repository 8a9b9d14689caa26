//! The `sitecast` command: arguments in, library calls, words or JSON out.

mod cli;
mod commands;
mod config;
mod failure;
mod loopback;
mod output;
mod progress;
mod settings;
mod temporary;
mod website;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use failure::{Exit, Failure};
use output::Output;
use settings::Settings;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::new(&cli.global);
    match run(&cli, &mut output).and_then(|exit| output.flush().map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            temporary::unless_interrupted();
            output.failure(&failure);
            failure.exit().into()
        }
    }
}

fn run(cli: &Cli, output: &mut Output) -> Result<Exit, Failure> {
    // These need no settings, and work where those are wrong; or say themselves what they are.
    match &cli.command {
        Command::Completions(arguments) => return commands::completions::run(arguments, output),
        Command::Man(arguments) => return commands::man::run(arguments, output),
        Command::Init(arguments) => return commands::init::run(arguments, &cli.global, output),
        Command::Config(arguments) => return commands::config::run(arguments, &cli.global, output),
        Command::Demo(arguments) => return commands::demo::run(arguments, output),
        _ => {}
    }
    let settings = Settings::build(&cli.global)?;
    output.set_color(settings.color);
    match &cli.command {
        Command::Demo(arguments) => commands::demo::run(arguments, output),
        Command::Publish(arguments) => commands::publish::run(arguments, &settings, output),
        Command::Serve(arguments) => commands::serve::run(arguments, &settings, output),
        Command::Sync(arguments) => commands::sync::run(arguments, &settings, output),
        Command::Export(arguments) => commands::export::run(arguments, &settings, output),
        Command::Status(arguments) => commands::status::run(arguments, &settings, output),
        Command::Compare(arguments) => commands::compare::run(arguments, &settings, output),
        Command::Check(arguments) => commands::check::run(arguments, &settings, output),
        Command::Inspect(arguments) => commands::inspect::run(arguments, &settings, output),
        Command::Extract(arguments) => commands::extract::run(arguments, &settings, output),
        Command::Init(arguments) => commands::init::run(arguments, &cli.global, output),
        Command::Config(arguments) => commands::config::run(arguments, &cli.global, output),
        Command::Completions(arguments) => commands::completions::run(arguments, output),
        Command::Man(arguments) => commands::man::run(arguments, output),
    }
}
