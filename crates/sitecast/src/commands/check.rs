//! `check`: turns arguments and settings into a [`Checker`], and prints its reports.

use std::path::{Path, PathBuf};

use sitecast_check::{CheckError, Checker, CollectionChoice, Options, Progress, Verdict, Web};
use sitecast_fetch::Client;
use sitecast_scp::HttpUrl;
use tempfile::TempDir;
use url::Url;

use super::{is_url, open_watched, sync};
use crate::cli::{Check, Which};
use crate::failure::{Exit, Failure, in_words};
use crate::output::Output;
use crate::output::report::ReportPrinter;
use crate::progress::Watch;
use crate::settings::Settings;
use crate::temporary;

/// Attempts for each request: the user wants to know now rather than wait.
const ATTEMPTS: u32 = 2;

pub(crate) fn run(
    arguments: &Check,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let inputs = arguments.targets.iter();
    if inputs.filter(|target| target.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(
            Exit::Usage,
            "standard input (`-`) can be read only once",
        ));
    }
    let shows_progress = output.shows_progress();
    let watch = Watch::new(shows_progress);
    let mut checker = Checker::new(options(arguments, settings));
    checker.progress = &watch;
    let mut printer = ReportPrinter::new(output, &watch, checker.options.strict);
    let mut visitor = None;
    let mut worst = Verdict::Ok;
    for target in &arguments.targets {
        let name = target.display().to_string();
        let verdict = if is_url(&name) {
            let visitor = match &mut visitor {
                Some(visitor) => visitor,
                None => visitor.insert(Visitor::new(arguments, settings)?),
            };
            printer.has_contact |= visitor.has_contact;
            checker.url(&name, &mut visitor.web, &mut printer)
        } else if target.is_dir() {
            checker.folder(target, &mut printer)
        } else {
            file(target, shows_progress, &checker, &mut printer)
        };
        worst = worst.max(verdict?);
    }
    printer.finish()?;
    Ok(worst.into())
}

fn options(arguments: &Check, settings: &Settings) -> Options {
    let mut options = Options::default();
    options.reading = settings.reader(&arguments.reading);
    options.sitemap_limits = settings.sitemap_limits().clone();
    options.tct_limits = settings.tct_limits().clone();
    options.strict = arguments.strict || settings.strict;
    options.as_site = arguments.site;
    options.pages = arguments.pages;
    options.collections = match arguments.collections {
        Which::Newest => CollectionChoice::Newest,
        Which::All => CollectionChoice::All,
    };
    options
}

fn file(
    target: &Path,
    shows_progress: bool,
    checker: &Checker<'_>,
    printer: &mut ReportPrinter<'_>,
) -> Result<Verdict, CheckError> {
    let source = open_watched(target, shows_progress);
    printer.bar = source.as_ref().ok().map(|source| source.bar());
    checker.file(&target.display().to_string(), source, printer)
}

/// The client for all URLs among the targets.
struct Visitor {
    web: Web,
    has_contact: bool,
    /// Deletes the downloads.
    _folder: TempDir,
}

impl Visitor {
    fn new(arguments: &Check, settings: &Settings) -> Result<Self, Failure> {
        let mut options = sync::fetching(&arguments.visit, settings)?;
        options.attempts = ATTEMPTS;
        options.stand_in = sync::stand_in(&arguments.visit, &sites(&arguments.targets))?;
        let has_contact = options.user_agent.contains('(');
        let client = Client::new(options).map_err(|error| sync::failure(&error.into()))?;
        let folder = temporary::folder().map_err(|error| {
            let reason = in_words(&error.to_string());
            let message = format!("cannot make a temporary folder: {reason}");
            Failure::new(Exit::Failed, message).hint("check `TMPDIR`")
        })?;
        Ok(Self {
            web: Web::new(&client, folder.path()),
            has_contact,
            _folder: folder,
        })
    }
}

/// Returns the sites of all URLs among the targets.
fn sites(targets: &[PathBuf]) -> Vec<HttpUrl> {
    let urls = targets.iter().filter_map(|target| target.to_str());
    let urls = urls.filter(|text| is_url(text)).flat_map(Url::parse);
    let mut sites: Vec<HttpUrl> = urls
        .filter_map(|url| url.join("/").ok()?.as_str().parse().ok())
        .collect();
    sites.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    sites.dedup();
    sites
}

impl Progress for Watch {
    fn reading(&self, name: &str) {
        self.looking(name);
    }

    fn fetching(&self, url: &str) {
        self.fetching(url);
    }

    fn received(&self, bytes: u64, total: Option<u64>) {
        self.received(bytes, total);
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Ok => Self::Done,
            Verdict::Unreadable => Self::Failed,
            Verdict::InvalidUrl => Self::Usage,
            Verdict::OutOfTime => Self::Partial,
            Verdict::Network => Self::Network,
            Verdict::Invalid => Self::Findings,
            Verdict::Mismatch => Self::Integrity,
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Read { name, source } => Self::cannot_read(&name, &source),
            CheckError::Sink(error) => Self::from(error),
            error => Self::new(Exit::Failed, in_words(&error.to_string())),
        }
    }
}
