//! The command line, as clap sees it.

mod compare;
mod demo;
mod init;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sitecast_check::Sample;
use sitecast_fetch::StandInScheme;
use sitecast_scp::Timestamp;

pub(crate) use compare::Compare;
pub(crate) use demo::Demo;
pub(crate) use init::{ConfigArguments, Init};

/// Hand a website's content to machines in one download; take it, check it, keep it fresh.
#[derive(Debug, Parser)]
#[command(name = "sitecast", version, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 findings (`check`), 4 finished in \
part, 5 the content is not what its checksum or hash says, 6 a server cannot be reached or says no.";

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print data for programs on standard output; words and progress stay on standard error
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,
    /// Say only what is wrong
    #[arg(
        short,
        long,
        global = true,
        help_heading = "Everywhere",
        conflicts_with = "verbose"
    )]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub(crate) verbose: bool,
    /// Read settings from this file instead of `sitecast.toml` in the current folder [env: SITECAST_CONFIG]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours [env: SITECAST_COLOR, NO_COLOR]
    #[arg(long, global = true, value_name = "WHEN", help_heading = "Everywhere")]
    pub(crate) color: Option<Color>,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Even into a file
    Always,
    /// Not at all
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Publish(Publish),
    Serve(Serve),
    Sync(Sync),
    Export(Export),
    Status(Status),
    Compare(Compare),
    Check(Check),
    Inspect(Inspect),
    Extract(Extract),
    Init(Init),
    Config(ConfigArguments),
    Completions(Completions),
    Man(Man),
}

/// Turn a site into collections, sitemaps and machine pages, ready to upload
///
/// Takes a folder of built HTML, or pages as JSON lines, and makes what crawlers find through
/// `sitemap.xml`: the pages as SCP collections, and a machine page for each. The first run makes a
/// snapshot; later ones make deltas with what really changed. The sitemap is written last, so that
/// what is published is whole at every moment.
#[derive(Debug, Default, Args)]
#[command(after_help = PUBLISH_HELP)]
pub(crate) struct Publish {
    /// A folder of HTML, a file of JSON lines, or `-` for lines on standard input; the current
    /// folder if nothing is said
    #[arg(value_name = "SOURCE")]
    pub(crate) source: Option<PathBuf>,
    /// Where the site is on the web; without it, what its sitemap or homepage says
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Where to publish: a folder or `s3://bucket/prefix`; without it, the source folder itself
    #[arg(long, value_name = "PLACE")]
    pub(crate) out: Option<String>,
    /// Where the last publication is, if not in the same place: a folder, bucket or URL
    #[arg(long, value_name = "PLACE")]
    pub(crate) previous: Option<String>,
    /// Read the last publication also from this machine and its private network
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Make everything anew, with a snapshot of every section
    #[arg(long)]
    pub(crate) full: bool,
    /// Say what would be done, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Leave out pages with these paths: globs such as `/internal/**`
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Publish even if more than half of the pages are gone
    #[arg(long)]
    pub(crate) allow_deletions: bool,
    /// Keep what makes the next run faster here [env: SITECAST_CACHE]
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_cache")]
    pub(crate) cache: Option<PathBuf>,
    /// Neither use nor keep a cache
    #[arg(long)]
    pub(crate) no_cache: bool,
}

const PUBLISH_HELP: &str = "\
Examples:
  sitecast publish public/ --base-url https://example.com
  sitecast publish public/ --dry-run -v
  sitecast publish public/ --out s3://bucket/site
  sitecast publish public/ --previous https://example.com
  wp-export | sitecast publish - --base-url https://example.com --out public/

A line is an SCP page, or an object with `url` and `html`. What a site does not want known is left \
out and listed: pages with `noindex`, disallowed by robots.txt, drafts, redirects, error pages, pages \
whose canonical is another page.

A build that empties its folder also removes what was published into it: publish to another \
folder with --out, or name the live site with --previous.";

/// Serve a published site over HTTP, with the headers that agents rely on
///
/// Answers for collections, sitemaps, machine pages, the policy and the HTML of a published folder or
/// bucket: strong entity tags, 304, ranges, compression, `Link` headers. A new publication is taken
/// over as a whole while the server runs. Ctrl-C or SIGTERM stops it when running downloads are done.
#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub(crate) struct Serve {
    /// The published folder, or `s3://bucket/prefix`; the current folder if nothing is said
    #[arg(value_name = "PLACE")]
    pub(crate) place: Option<String>,
    /// Where to listen: an address and a port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// Where `/metrics` and `/healthz` are for those who run it; without it, nowhere
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<String>,
    /// Write an access log to standard output
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormatName>,
    /// Threads that serve [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<usize>,
    /// Where the site is on the web; without it, what its sitemaps say
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Serve HTTPS with this certificate: a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// The certificate's private key: a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// How the access log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormatName {
    /// An object on each line
    Json,
    /// The Common Log Format, with referrer and agent
    Common,
}

const SERVE_HELP: &str = "\
Examples:
  sitecast serve public/
  sitecast serve s3://bucket/site --listen 0.0.0.0:8080 --metrics 127.0.0.1:9090
  sitecast serve public/ --tls-certificate cert.pem --tls-key key.pem --listen 0.0.0.0:443
  sitecast serve public/ --log-format json

Rate limits, protected paths and other limits are set in `sitecast.toml`; docs/configuration.md lists \
them, and docs/hosting.md has configurations for nginx and Caddy that give the same headers.";
/// Keep a fresh, verified copy of websites in an index
///
/// Takes what a site offers: SCP collections, TCT machine pages, or else its HTML. The first time
/// everything is fetched; later only what changed. What is fetched is verified before it is used, and
/// merged in one step: stop it at any time and start it again.
#[derive(Debug, Args)]
#[command(after_help = SYNC_HELP)]
pub(crate) struct Sync {
    /// Where the sites begin: `https://example.com`; if none is named in any way, those of the
    /// `[[site]]` tables of `sitecast.toml`
    #[arg(value_name = "URL")]
    pub(crate) sites: Vec<String>,
    /// Also the sites that a file lists, one on a line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Also every site of the index
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) index: IndexPlace,
    /// What to try first where a site offers several
    #[arg(long, value_name = "WAY")]
    pub(crate) prefer: Option<Way>,
    /// Follow this section of the site's collections, instead of the widest one
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Vec<String>,
    /// Say what the sites offer and what would be fetched, and fetch no content
    #[arg(long)]
    pub(crate) explain: bool,
    /// Take the newest snapshot, if it was not taken yet, even if deltas would do
    #[arg(long)]
    pub(crate) full: bool,
    /// Delete pages even if more than half of a site is gone
    #[arg(long)]
    pub(crate) allow_deletions: bool,
    #[command(flatten)]
    pub(crate) visit: Visit,
    /// The most pages to fetch one by one from one site: machine pages, and HTML
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pages: Option<u64>,
    /// How many sites to visit at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) at_once: Option<u16>,
}

/// How to behave as a guest on websites.
#[derive(Debug, Args)]
pub(crate) struct Visit {
    /// Also visit this machine and its private network
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// How to reach you, told to the sites: a URL or an e-mail address
    #[arg(long, value_name = "WHERE")]
    pub(crate) contact: Option<String>,
    /// Seconds between requests to one host, after the first few; robots.txt can ask for more
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) delay: Option<f64>,
    /// Stop after so many seconds, for each site; what was taken by then is kept [default: 86400]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_time: Option<u64>,
    /// Ask this server in place of the site's own, to try a publication before it is online: `127.0.0.1:8080` in plain
    /// HTTP, `https://127.0.0.1:8443` in HTTPS, with a certificate for the site's name
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) connect_to: Option<ConnectTo>,
}

/// A server that is asked in place of a site's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectTo {
    pub(crate) address: SocketAddr,
    pub(crate) speaks: StandInScheme,
}

impl FromStr for ConnectTo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (speaks, address) = match text.split_once("://") {
            None => (StandInScheme::Http, text),
            Some(("http", address)) => (StandInScheme::Http, address),
            Some(("https", address)) => (StandInScheme::Https, address),
            Some((scheme, _)) => return Err(format!("nothing is asked by `{scheme}`")),
        };
        // As `serve` prints it.
        let address = address.strip_suffix('/').unwrap_or(address);
        let address = address.parse().map_err(
            |_| "not an address and a port, such as `127.0.0.1:8080` or `https://127.0.0.1:8443`",
        )?;
        Ok(Self { address, speaks })
    }
}

/// How to sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Way {
    /// Collections
    Scp,
    /// Machine pages
    Tct,
    /// HTML
    Html,
}

const SYNC_HELP: &str = "\
Examples:
  sitecast sync https://example.com
  sitecast sync --explain https://example.com
  sitecast sync --contact bots@example.org https://example.com https://example.net
  sitecast sync --from sites.txt --at-once 16
  sitecast sync --all
  sitecast sync --json https://example.com | jq '.sites[].pages'

Of several sites each gets a line as soon as it is done, and a summary ends the list; -v says more. \
What holds for one site alone stands in its `[[site]]` table in `sitecast.toml`.

robots.txt is obeyed, each host has one connection at a time, and servers that ask to wait are left \
alone. Addresses of private networks are refused, also behind redirects, unless --allow-private.

Exit codes: 0 done, 4 some pages or sites are missing, the time was over, or too many pages would be \
deleted, 5 a site's content is not what it says it is, 6 a site cannot be reached or says no.";

/// Take pages out of the index: as JSON lines, Markdown files, a collection or a table
///
/// Pages come in the order of their site and URL, all as of one moment, also while a sync goes on.
/// What is written is whole or not there: it gets its name when it is finished.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) index: IndexPlace,
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: ExportFormat,
    /// Only pages of this site
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
    /// Only pages of this section
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Option<String>,
    /// Only pages modified after this time: `2025-01-15` or `2025-01-15T10:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) since: Option<Timestamp>,
    /// Only pages in this language; `en` takes `en-GB`, too
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Option<String>,
    /// The file or folder to write; JSON lines go to standard output without it, or with `-`
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

/// How to write pages of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The publishers' own lines, byte for byte
    Jsonl,
    /// A folder with a Markdown file for each page
    Markdown,
    /// A table for data tools
    #[cfg_attr(not(feature = "parquet"), value(hide = true))]
    Parquet,
    /// A new collection: a snapshot
    Scp,
}

const EXPORT_HELP: &str = "\
Examples:
  sitecast export > pages.jsonl
  sitecast export --site https://example.com --since 2025-01-01 | jq .title
  sitecast export --format markdown --language en -o pages/
  sitecast export --format scp --site https://example.com -o copy.scp.zst

The name of a collection decides how it is compressed: `.scp`, `.scp.gz` or `.scp.zst`. A folder of \
Markdown is replaced only if an earlier export made it.

Exit codes: 0 done, 4 some pages could not be written and were left out, 1 failed.";

/// Show what is in the index: sites, pages, how fresh, what it cost and saved
#[derive(Debug, Args)]
#[command(after_help = STATUS_HELP)]
pub(crate) struct Status {
    #[command(flatten)]
    pub(crate) index: IndexPlace,
    /// Read every page against its hash; remove damaged ones, so that the next sync fetches them again
    #[arg(long)]
    pub(crate) verify: bool,
}

const STATUS_HELP: &str = "\
Examples:
  sitecast status
  sitecast status --json | jq '.sites[] | select(.failures.count > 0) | .url'
  sitecast status --verify

Exit codes: 0 done, 5 `--verify` found damaged pages, 1 failed.";

/// Where the index is.
#[derive(Debug, Args)]
pub(crate) struct IndexPlace {
    /// The folder of the index [env: SITECAST_INDEX] [default: `sitecast/index` where the system
    /// keeps data, such as `~/.local/share`]
    #[arg(long = "index", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Verify a file, a published folder, a URL or a whole website
///
/// What something is, and how it is compressed, is told by its content, not by its name. Each file is
/// read once, in bounded memory. Says what was verified and what is wrong, with line and page. In a
/// folder and on a website it also verifies that the files fit together; of what is fetched, that its
/// headers are right.
#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct Check {
    /// Files, folders, URLs, or `-` for standard input
    #[arg(required = true, value_name = "TARGET")]
    pub(crate) targets: Vec<PathBuf>,
    /// Treat warnings as findings
    #[arg(long)]
    pub(crate) strict: bool,
    /// Take URLs for websites, whatever is found there
    #[arg(long)]
    pub(crate) site: bool,
    /// Machine pages of a website to look at, spread evenly, or `all`
    #[arg(long, value_name = "N", default_value = "20", value_parser = parse_sample)]
    pub(crate) pages: Sample,
    /// Collections of a website to look at
    #[arg(long, value_name = "WHICH", default_value = "newest")]
    pub(crate) collections: Which,
    #[command(flatten)]
    pub(crate) visit: Visit,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Which collections of a website to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// Of each section the newest snapshot, and the deltas after it
    Newest,
    /// All that its sitemaps name
    All,
}

fn parse_sample(text: &str) -> Result<Sample, String> {
    match text {
        "all" => Ok(Sample::All),
        number => number
            .parse()
            .map(Sample::Count)
            .map_err(|_| "neither a number nor `all`".to_owned()),
    }
}

const CHECK_HELP: &str = "\
What is recognised: SCP collections (`.scp`, plain, gzip or zstd); XML sitemaps and indexes with \
their `scp:` elements, RSS, Atom and text sitemaps; TCT machine pages, JSON sitemaps and policies; \
robots.txt. All but collections may be plain or gzip. A URL that shows a page of HTML is a website.

Examples:
  sitecast check blog-snapshot.scp.zst
  sitecast check --strict public/
  sitecast check https://example.com --contact bots@example.org
  sitecast check https://example.com/llm-sitemap.json
  curl -s https://example.com/robots.txt | sitecast check -
  sitecast check --json public/ | jq '.targets[] | select(.ok | not)'

On websites robots.txt is obeyed, each host has one connection at a time, and addresses of private \
networks are refused unless --allow-private.

Exit codes: 0 clean (warnings allowed unless --strict), 3 invalid, 5 a checksum or hash does not \
fit, 6 a server cannot be reached or says no, 1 a file cannot be read.";

/// Look into a collection: its metadata and totals, its pages, their content
///
/// Shows things as they are read. A file that turns out broken is shown up to where it breaks, and
/// the error comes last; pages that cannot be used are left out. Use `check` for a verdict.
#[derive(Debug, Args)]
#[command(after_help = INSPECT_HELP)]
pub(crate) struct Inspect {
    /// A collection file (`.scp`, `.scp.gz`, `.scp.zst`), or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) target: PathBuf,
    /// List the pages
    #[arg(long)]
    pub(crate) pages: bool,
    /// Show the page with this URL
    #[arg(long, value_name = "URL")]
    pub(crate) page: Option<String>,
    /// Only pages modified after this time: `2025-01-15` or `2025-01-15T10:00:00Z`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) since: Option<Timestamp>,
    /// Show what the pages say, readably
    #[arg(long)]
    pub(crate) content: bool,
    /// Stop after so many pages
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

const INSPECT_HELP: &str = "\
Examples:
  sitecast inspect blog.scp.zst
  sitecast inspect blog.scp.zst --pages --since 2025-01-01
  sitecast inspect blog.scp.zst --page https://example.com/blog/first --content
  sitecast inspect blog.scp.zst --json --pages > pages.jsonl

With --json the lines are the publisher's own, byte for byte: the metadata line and all pages, or \
only the pages chosen with --pages, --page, --since, --content or --limit. Pages that cannot be used \
are left out.";

/// Turn HTML into a page as machines will see it: metadata and clean content
///
/// Finds the main content and leaves out navigation, banners, share bars, footers, related posts and
/// comments. A page that is named by its URL is fetched, if robots.txt allows it. With --explain it says
/// of each piece of text whether it is content, and why.
#[derive(Debug, Args)]
#[command(after_help = EXTRACT_HELP)]
pub(crate) struct Extract {
    /// An HTML file, a URL, or `-` for standard input
    #[arg(value_name = "FILE|URL")]
    pub(crate) target: PathBuf,
    /// Where the page is; without it, where it was fetched from, or what its place in the folder of --site or
    /// its canonical link says. Only `json` has to know
    #[arg(long, value_name = "URL", conflicts_with = "jsonl")]
    pub(crate) url: Option<String>,
    /// What to print
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "json",
        conflicts_with = "jsonl"
    )]
    pub(crate) format: Format,
    /// Say of each piece of text whether it is kept or left out, and why
    #[arg(long, conflicts_with_all = ["format", "jsonl"])]
    pub(crate) explain: bool,
    /// Extract the page as `publish` would extract it in this folder: with the template of the site
    #[arg(long, value_name = "FOLDER", conflicts_with = "jsonl")]
    pub(crate) site: Option<PathBuf>,
    /// Where the folder of --site is on the web; without it, what its sitemap or homepage says
    #[arg(long, value_name = "URL", requires = "site")]
    pub(crate) base_url: Option<String>,
    /// Read a JSON object with `url` and `html` from each line, and write a page on each line
    #[arg(long)]
    pub(crate) jsonl: bool,
    #[command(flatten)]
    pub(crate) visit: Visit,
}

/// How to print a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The page as a line of an SCP collection
    Json,
    /// Title and content as Markdown
    Markdown,
    /// The content as plain text
    Text,
}

const EXTRACT_HELP: &str = "\
Examples:
  sitecast extract page.html --url https://example.com/page
  sitecast extract https://example.com/page --format markdown
  curl -s https://example.com/page | sitecast extract - --url https://example.com/page --format text
  sitecast extract --jsonl pages.jsonl > pages.scp.jsonl
  sitecast extract public/post.html --site public/ --explain
  sitecast extract page.html --explain --json | jq '.segments[] | select(.text | test(\"free tea\"))'

With --explain texts stand in the order of the page, neighbours with the same reason together. The number before a text \
is the probability that it is content, by its looks alone. -v gives each text a line and does not shorten it.

With --jsonl pages are made on all cores and come out in the order in which they went in. A line \
that gives no page gives `{\"url\":…,\"error\":…}`, and the exit code is 4. What comes in slowly goes \
out at once: a page is written as soon as it and all before it are made.";

/// How to read files.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Accept a file without its metadata line, which the first draft of SCP allowed
    #[arg(long)]
    pub(crate) allow_missing_metadata: bool,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  sitecast completions bash > ~/.local/share/bash-completion/completions/sitecast"
)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print the manual page
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sitecast man | man -l -\n  sitecast man check | man -l -")]
pub(crate) struct Man {
    /// The command whose page to print; without it, the page of `sitecast` itself
    pub(crate) command: Option<String>,
}

/// A date-time, or a date for its first moment in UTC.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse())
        .map_err(|_| {
            "not a date such as `2025-01-15`, nor a time such as `2025-01-15T10:00:00Z`".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::builder::StyledStr;

    use super::*;

    /// A line break within a paragraph stays where it is, however wide the terminal, and clap adds its own. Examples
    /// are indented.
    fn is_wrapped(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        lines.windows(2).any(|pair| {
            let [line, next] = pair else { return false };
            let flows = |line: &str| !line.is_empty() && !line.starts_with(' ');
            flows(line) && flows(next)
        })
    }

    fn texts(command: &clap::Command, name: &str, found: &mut Vec<(String, String)>) {
        let mut add = |what: &str, text: Option<&StyledStr>| {
            found.extend(text.map(|text| (format!("{name} {what}"), text.to_string())));
        };
        add("about", command.get_about());
        add("long about", command.get_long_about());
        add("after help", command.get_after_help());
        add("after long help", command.get_after_long_help());
        for argument in command.get_arguments() {
            add(argument.get_id().as_str(), argument.get_help());
            add(argument.get_id().as_str(), argument.get_long_help());
        }
        for below in command.get_subcommands() {
            texts(below, &format!("{name} {}", below.get_name()), found);
        }
    }

    #[test]
    fn only_clap_wraps_help() {
        assert!(is_wrapped("one\ntwo") && !is_wrapped("one\n\ntwo:\n  three\n  four"));
        let mut found = Vec::new();
        texts(&Cli::command(), "sitecast", &mut found);
        assert!(found.len() > 100, "{}", found.len());
        for (place, text) in found {
            assert!(!is_wrapped(&text), "{place}:\n{text}");
        }
    }

    /// What cannot be wrapped aside, which are examples.
    #[test]
    fn help_fits_terminals_of_any_width() {
        for width in [60, 80, 120] {
            for command in Cli::command().get_subcommands() {
                let mut command = command.clone().max_term_width(100).term_width(width);
                let help = command.render_long_help().to_string();
                for line in help.lines() {
                    let words = line.trim_start();
                    let fits = line.chars().count() <= width || !words.contains(' ');
                    assert!(fits, "{} at {width}: {line}", command.get_name());
                }
            }
        }
    }
}
