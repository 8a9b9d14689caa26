use std::path::PathBuf;

use clap::Args;

/// Show the whole loop on a small bundled site: publish, serve, sync, change, and again
///
/// Builds a made-up site, publishes it, serves it on a free port of this machine, and visits it three
/// times in three ways: by collections (SCP), by machine pages (TCT), and by crawling its HTML as
/// crawlers do today. Prints what each visit transferred. It takes seconds, needs no network and no
/// settings, and leaves nothing behind.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Demo {
    /// Only write the bundled site's HTML into this folder, to try the other commands on; it has to be
    /// empty or new
    #[arg(long, value_name = "DIR", conflicts_with = "keep")]
    pub(crate) site: Option<PathBuf>,
    /// Keep the site and the index in this folder, to look at them; it has to be empty or new
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

const HELP: &str = "\
Examples:
  sitecast demo
  sitecast demo --site public && sitecast publish public --dry-run
  sitecast demo --keep demo && sitecast serve demo/site
  sitecast demo --json | jq '.visits[].scp.bytes'";
