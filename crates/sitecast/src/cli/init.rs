//! The arguments of `init` and `config`.

use std::path::PathBuf;

use clap::Args;

/// Look at a site and write a commented `sitecast.toml` for it
///
/// Recognises what the site is built with (Hugo, Jekyll, Sphinx, mdBook, Docusaurus, MkDocs, Next.js, WordPress
/// and others) by the project's files or by the built pages, finds out where it is on the web, and proposes
/// sections from the paths of its pages. Every setting is in the file, with what holds if nothing is said.
#[derive(Debug, Args)]
#[command(after_help = INIT_HELP)]
pub(crate) struct Init {
    /// The folder of the project or of the built site; the current folder if nothing is said
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Replace the file if it is there already
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the file to standard output, and write nothing
    #[arg(long, visible_alias = "dry-run")]
    pub(crate) print: bool,
}

const INIT_HELP: &str = "\
Examples:
  sitecast init
  sitecast init public/
  sitecast init --print | less
  sitecast init --config staging.toml --force
  sitecast init --json | jq .sections

The file is written to the current folder, where all other commands look for it, or to where \
--config says. One that is there is left alone unless --force. Nothing else is written, and nothing \
is fetched.

Exit codes: 0 written, 1 failed, 2 the file is there already, or the folder is not.";

/// Show the settings that hold, and where each comes from
///
/// Prints them as `sitecast.toml` would have them, each with its origin: a flag, a variable of the environment,
/// a line of the file, or what holds if nothing is said. Tokens and passwords are not shown.
#[derive(Debug, Args)]
#[command(after_help = CONFIG_HELP)]
pub(crate) struct ConfigArguments {
    /// A setting or a table, such as `publish.base_url` or `serve`: what it does, and what holds
    #[arg(value_name = "KEY")]
    pub(crate) key: Option<String>,
}

const CONFIG_HELP: &str = "\
Examples:
  sitecast config
  sitecast config publish
  sitecast config publish.base_url
  sitecast config --config staging.toml --json | jq '.settings[] | select(.origin == \"file\")'

Flags of other commands go before what is shown here: `sitecast publish --out` before `publish.out`. \
docs/configuration.md describes all settings; `sitecast init` writes a file with all of them.";
