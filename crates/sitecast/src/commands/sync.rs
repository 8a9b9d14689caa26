mod list;
pub(crate) mod options;
mod report;
mod watch;

use std::io::ErrorKind;
use std::sync::mpsc::channel;
use std::thread;
use std::time::SystemTime;

use sitecast_fetch::{Client, FetchError, StandIn, TimeBound};
use sitecast_index::FolderIndex;
use sitecast_scp::{HttpUrl, Timestamp};
use sitecast_sync::{FailureKind, Job, Options, SiteReport, SyncError, Syncer};

use crate::cli::{ConnectTo, Sync, Visit};
use crate::commands::{index_failure, open_index};
use crate::failure::{Exit, Failure, in_words};
use crate::output::Output;
use crate::settings::Settings;
pub(crate) use options::{AGENT, fetching, limited};
use watch::Watch;

/// Bytes of the warnings of all sites that are kept for the end of a run.
const WARNING_BYTES: usize = 32 << 20;
/// Sites that are visited at once if nothing is said.
pub(crate) const AT_ONCE: usize = 4;

pub(crate) fn run(
    arguments: &Sync,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut sites = list::named(arguments, settings, output)?;
    let folder = settings.index(&arguments.index);
    let index = if arguments.all {
        let index = open_index(&folder)?;
        sites = list::with_all(sites, &index)?;
        index
    } else {
        FolderIndex::open(&folder).map_err(|error| index_failure(&error))?
    };
    let mut fetching = fetching(&arguments.visit, settings)?;
    fetching.stand_in = stand_in(&arguments.visit, &sites)?;
    ask_for_contact(&fetching, output);
    let client = Client::new(fetching).map_err(|error| failure(&error.into()))?;
    let watch = Watch::new(output.shows_progress());
    let options = options::sync(arguments, settings, None);
    let syncer = Syncer {
        client: &client,
        index: &index,
        scratch: &folder.join("sync"),
        options: &options,
        now: now(),
        progress: &watch,
    };
    let own: Vec<Option<Options>> = sites
        .iter()
        .map(|site| list::table_of(settings, site))
        .map(|table| table.map(|table| options::sync(arguments, settings, Some(table))))
        .collect();
    let jobs: Vec<Job<'_>> = sites
        .iter()
        .zip(&own)
        .map(|(url, own)| Job {
            url,
            options: own.as_ref().unwrap_or(&options),
        })
        .collect();
    if arguments.explain {
        return explain(&syncer, &jobs, &watch, output);
    }
    let at_once = arguments.at_once.map(usize::from);
    let at_once = at_once.or(settings.sync.at_once).unwrap_or(AT_ONCE);
    let reports = sync_jobs(&syncer, &jobs, at_once, &watch, output)?;
    report::close(&reports, output)?;
    if output.json {
        for report in &reports {
            if let Some(error) = &report.error {
                output.failure(&failure_of(&report.site, error, reports.len()));
            }
        }
    }
    Ok(exit(&reports))
}

/// Syncs, and says of each site how it went as soon as it is done. Reports come in the order of the sites.
fn sync_jobs(
    syncer: &Syncer<'_>,
    jobs: &[Job<'_>],
    at_once: usize,
    watch: &Watch,
    output: &mut Output,
) -> Result<Vec<SiteReport>, Failure> {
    let (sender, finished) = channel();
    let mut reports = thread::scope(|scope| {
        scope.spawn(move || {
            syncer.sync_each(jobs, at_once, &|at, report| {
                // Nobody listens any more once something could not be written.
                let _ = sender.send((at, report));
            });
        });
        let mut reports: Vec<(usize, SiteReport)> = Vec::new();
        // In words they are said now, and in JSON at the end.
        let mut room = if output.json { WARNING_BYTES } else { 0 };
        for (at, mut report) in finished {
            watch.suspend(|| say(&report, jobs.len(), output))?;
            shorten(&mut report, &mut room);
            reports.push((at, report));
        }
        Ok::<_, Failure>(reports)
    })?;
    watch.clear();
    reports.sort_by_key(|(at, _)| *at);
    Ok(reports.into_iter().map(|(_, report)| report).collect())
}

/// Drops the warnings for which there is no more room, and counts them. A list can name thousands of sites.
fn shorten(report: &mut SiteReport, room: &mut usize) {
    let before = report.warnings.len();
    report.warnings.retain(|warning| {
        let fits = warning.len() <= *room;
        *room -= if fits { warning.len() } else { *room };
        fits
    });
    report.warnings.shrink_to_fit();
    report.more_warnings += (before - report.warnings.len()) as u64;
}

/// Says how one site went, unless it is to be said for all at the end.
fn say(report: &SiteReport, sites: usize, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return Ok(());
    }
    report::finished(report, sites, output)?;
    // What is on the screen or in the file has to be there now, not at the end.
    output.flush()?;
    if let Some(error) = &report.error {
        output.failure(&failure_of(&report.site, error, sites));
    }
    Ok(())
}

/// Sites should know whom to turn to.
pub(crate) fn ask_for_contact(options: &sitecast_fetch::Options, output: &mut Output) {
    if !options.user_agent.contains('(') {
        output.note(
            "sites are not told how to reach you; say it with --contact, or in sitecast.toml",
        );
    }
}

/// The server that answers for the site, if it is not its own.
pub(crate) fn stand_in(arguments: &Visit, sites: &[HttpUrl]) -> Result<Option<StandIn>, Failure> {
    let Some(ConnectTo { address, speaks }) = arguments.connect_to else {
        return Ok(None);
    };
    let site = match sites {
        [site] => url::Url::parse(site.as_str()).ok(),
        _ => None,
    };
    let site = site.ok_or_else(|| {
        Failure::new(Exit::Usage, "`--connect-to` stands for one site")
            .hint("name one site, and the others without it")
    })?;
    Ok(Some(StandIn {
        site,
        address,
        scheme: speaks,
    }))
}

/// To the second: nothing that is compared with it is finer.
fn now() -> Timestamp {
    let now = Timestamp::from(SystemTime::now());
    Timestamp::from_unix_seconds(now.unix_seconds()).unwrap_or(now)
}

fn explain(
    syncer: &Syncer<'_>,
    jobs: &[Job<'_>],
    watch: &Watch,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut explanations = Vec::new();
    let mut failures = Vec::new();
    for job in jobs {
        let options = job.options;
        match (Syncer { options, ..*syncer }).explain(job.url) {
            Ok(explanation) => explanations.push(explanation),
            Err(error) => failures.push(failure_of(job.url.as_str(), &error, jobs.len())),
        }
        watch.clear();
    }
    report::explain(&explanations, output)?;
    for failure in &failures {
        output.failure(failure);
    }
    Ok(match failures.iter().map(Failure::exit).max() {
        None => Exit::Done,
        Some(worst) if explanations.is_empty() => worst,
        Some(_) => Exit::Partial,
    })
}

/// The sites, each once. A name alone is one over https.
pub(crate) fn sites(given: &[String]) -> Result<Vec<HttpUrl>, Failure> {
    let mut sites: Vec<HttpUrl> = Vec::new();
    for text in given {
        let site = parse_site(text)?;
        if !sites.contains(&site) {
            sites.push(site);
        }
    }
    Ok(sites)
}

fn parse_site(text: &str) -> Result<HttpUrl, Failure> {
    let url = if text.contains("://") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    // In the spelling of URLs, and as one that has a host.
    let parsed = url::Url::parse(&url).ok();
    let parsed = parsed.filter(|url| url.host_str().is_some_and(|host| !host.is_empty()));
    // Passwords would end up in the index and in reports, and in this message.
    if parsed
        .as_ref()
        .is_some_and(|url| !url.username().is_empty() || url.password().is_some())
    {
        return Err(Failure::new(
            Exit::Usage,
            "sites that want a name and a password cannot be synced",
        )
        .hint("name the site without them"));
    }
    let site: Option<HttpUrl> = parsed.and_then(|url| url.as_str().parse().ok());
    site.ok_or_else(|| {
        Failure::new(Exit::Usage, format!("`{text}` is not the URL of a site"))
            .hint("name it as in a browser: https://example.com")
    })
}

/// As bad as the worst site, if all failed; in part, if some did not.
fn exit(reports: &[SiteReport]) -> Exit {
    let failed = reports.iter().filter_map(|report| report.error.as_ref());
    let worst = failed.clone().map(exit_of).max();
    match worst {
        None if reports.iter().all(SiteReport::is_complete) => Exit::Done,
        Some(worst) if failed.count() == reports.len() => worst,
        _ => Exit::Partial,
    }
}

fn exit_of(error: &SyncError) -> Exit {
    match error {
        SyncError::NoSection { .. } => Exit::Usage,
        _ => match error.failure_kind() {
            FailureKind::Local => Exit::Failed,
            FailureKind::Network => Exit::Network,
            FailureKind::Integrity => Exit::Integrity,
            FailureKind::Refused | FailureKind::OutOfTime => Exit::Partial,
        },
    }
}

/// Among several sites it has to be said which.
fn failure_of(site: &str, error: &SyncError, sites: usize) -> Failure {
    let failed = failure(error);
    if sites == 1 {
        return failed;
    }
    let named = Failure::new(failed.exit(), format!("{site}: {}", failed.message()));
    match failed.hint_text() {
        Some(hint) => named.hint(hint),
        None => named,
    }
}

/// What went wrong, and the way out of it.
pub(crate) fn failure(error: &SyncError) -> Failure {
    if let SyncError::Index(error) = error {
        return index_failure(error);
    }
    let failure = Failure::new(exit_of(error), in_words(&error.to_string()));
    if let SyncError::CopyOf { site, other } = error {
        let address = url::Url::parse(site).ok();
        let address = address.and_then(|url| url.socket_addrs(|| None).ok()?.first().copied());
        let address = address.map_or_else(|| "ADDRESS:PORT".to_owned(), |a| a.to_string());
        let tls = site.starts_with("https:").then_some("https://");
        let address = tls.unwrap_or_default().to_owned() + &address;
        return failure.hint(format!(
            "to ask this server in its place: sitecast sync {other} --connect-to {address}"
        ));
    }
    let hint = match error {
        SyncError::Fetch(FetchError::Address { .. }) => {
            "sites on this machine or its network are visited with --allow-private"
        }
        SyncError::Fetch(FetchError::Disallowed { .. })
        | SyncError::NoPage(FetchError::Disallowed { .. }) => {
            "the site does not want to be visited by programs; ask its owner"
        }
        SyncError::NoPage(FetchError::Redirect { .. }) => {
            "open the URL in a browser, and name the address that it should lead to"
        }
        SyncError::NoPage(FetchError::Status {
            status: 404 | 410, ..
        }) => "check the spelling of the URL: nothing is there",
        SyncError::Fetch(FetchError::Robots { wait: Some(_), .. }) => "try again later",
        SyncError::Fetch(FetchError::Robots { .. } | FetchError::Connection { .. }) => {
            "check the URL and the network, and try again later"
        }
        SyncError::Fetch(FetchError::OutOfTime { bound, .. }) => match bound {
            TimeBound::Visit => {
                "what was taken is kept, and another run goes on; --max-time gives it more time"
            }
            TimeBound::Url => {
                "try again later; `max_url_time` under `[sync]` in sitecast.toml gives it more time"
            }
        },
        SyncError::Fetch(FetchError::DiskFull { .. }) => {
            "make room, and try again; nothing of it is kept, and the index is as it was"
        }
        SyncError::Fetch(FetchError::Unconditional304 { .. }) => {
            "tell the site's owner; a cache in front of the site may be at fault"
        }
        SyncError::Fetch(FetchError::Status { .. }) | SyncError::Later { .. } => "try again later",
        SyncError::Collection { .. } | SyncError::NotAsAnnounced { .. } => {
            "the index is as it was; tell the publisher, or take the HTML with --prefer html"
        }
        SyncError::MassDeletion { .. } => "if the pages are really gone, say --allow-deletions",
        SyncError::NoSection { .. } => "`--explain` lists what the site offers",
        SyncError::Busy { .. } => "wait for it to end; one that was killed lets go by itself",
        SyncError::Fetch(FetchError::File { source, .. })
            if source.kind() == ErrorKind::StorageFull =>
        {
            "make room; what came so far is kept, and the index is as it was"
        }
        SyncError::NotOffered(_) | SyncError::NoPage(_) => "`--explain` says what was looked at",
        _ => return failure,
    };
    failure.hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_kept_only_as_long_as_there_is_room() {
        let report = || SiteReport {
            site: String::new(),
            way: None,
            requests: 0,
            bytes: 0,
            pages: Default::default(),
            applied: Vec::new(),
            crawling: None,
            warnings: vec!["x".repeat(10); 3],
            more_warnings: 1,
            failed_pages: 0,
            error: None,
        };
        let mut room = 45;
        let left = [(3, 1), (1, 3), (0, 4)].map(|expected| {
            let mut report = report();
            shorten(&mut report, &mut room);
            assert_eq!((report.warnings.len(), report.more_warnings), expected);
            report.warnings.capacity()
        });
        assert_eq!(left, [3, 1, 0]);
    }
}
