use std::path::PathBuf;

use clap::Args;

use super::Visit;

/// Measure what HTML, SCP and TCT cost for the same pages, from real bytes
///
/// Publishes a copy of the site in a temporary folder, serves it on this machine, and takes it as
/// agents would: page by page as HTML, as SCP collections, as TCT machine pages; for the first time, when
/// nothing changed, and after a change. Says how many requests and bytes each took, what parsing
/// costs and how many tokens there are. The site itself is not touched, and nothing is left behind.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Compare {
    /// A folder of built HTML, or the URL of a live site, whose pages are fetched first
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    /// Where the folder is on the web; without it, what its sitemap or homepage says
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// A later version of the folder: what differs is the change that is measured. Without it, a
    /// sentence is added to one page in a hundred
    #[arg(long, value_name = "FOLDER")]
    pub(crate) changed: Option<PathBuf>,
    /// Also write a page with charts: one file that opens in any browser
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Leave out pages with these paths: globs such as `/internal/**`
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// The most pages to fetch from a live site [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    #[command(flatten)]
    pub(crate) visit: Visit,
}

const HELP: &str = "\
Examples:
  sitecast compare public/ --base-url https://example.com
  sitecast compare public/ --html report.html
  sitecast compare last-week/ --changed public/
  sitecast compare https://example.com --max-pages 200 --contact me@example.org
  sitecast compare public/ --json | jq .savings

Bytes are what servers send: bodies and headers. HTML is what a crawler pays that asks for each page \
and, when it comes again, says which version it has. docs/compare.md says how each figure is \
measured, and what --json prints.

A live site is visited politely: robots.txt is obeyed, and one page is fetched at a time. If it \
offers collections or machine pages itself, what these cost is measured as well.";
