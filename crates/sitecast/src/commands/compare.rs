mod change;
mod copy;
mod figures;
mod html;
mod lab;
mod live;
mod page;
mod parsing;
mod place;
mod table;
mod watch;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sitecast_index::OriginKind;
use sitecast_publish::{BaseUrl, FolderSource};
use sitecast_scp::Timestamp;

use crate::cli::Compare;
use crate::commands::{is_url, publish};
use crate::failure::{Exit, Failure, reason};
use crate::output::human::counted;
use crate::output::{Output, Verbosity};
use crate::settings::Settings;
use crate::temporary;
use change::ONE_IN;
use figures::{
    BYTES_PER_TOKEN, Change, ChangeKind, Comparison, Savings, Tokens, Visit, Way, WayFigures,
};
use lab::Lab;
use live::Live;
use place::Place;
use watch::Watch;

/// Pages that are fetched from a live site if nothing is said.
const MAX_PAGES: u64 = 50;

pub(crate) fn run(
    arguments: &Compare,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    // Before minutes of work, not after them.
    let place = arguments.html.as_deref().map(Place::new).transpose()?;
    let later = arguments.changed.as_deref().map(folder).transpose()?;
    let work = temporary::folder().map_err(|error| {
        let message = format!("cannot make a temporary folder: {}", reason(&error));
        Failure::new(Exit::Failed, message).hint("TMPDIR names another place for it")
    })?;
    let watch = Watch::new(output.shows_progress());
    let result = subject(arguments, settings, work.path(), &watch, output).and_then(|subject| {
        let named = |failure| subject.named(failure, work.path());
        measure(arguments, settings, &subject, later, work.path(), &watch)
            .map_err(named)
            .map(|comparison| (comparison, subject.live.is_none_or(|live| live.complete)))
    });
    watch.clear();
    let (comparison, complete) = result?;
    drop(work);
    for note in &comparison.notes {
        output.note(note);
    }
    if let Some(place) = place {
        place.write(&page::document(&comparison))?;
    }
    if output.json {
        table::as_json(&comparison, output)?;
    } else if output.verbosity > Verbosity::Quiet {
        table::write(&comparison, arguments.html.as_deref(), output)?;
    }
    Ok(if complete { Exit::Done } else { Exit::Partial })
}

/// What is compared.
struct Subject {
    /// As it was named.
    name: String,
    folder: PathBuf,
    site: BaseUrl,
    live: Option<Live>,
}

impl Subject {
    /// A failure without the names of temporary folders.
    fn named(&self, failure: Failure, work: &Path) -> Failure {
        let inner = work.join(lab::SOURCE).display().to_string();
        let message = failure.message().replace(&inner, &self.name);
        let named = Failure::new(failure.exit(), message);
        match failure.hint_text() {
            Some(hint) => named.hint(hint),
            None => named,
        }
    }
}

fn subject(
    arguments: &Compare,
    settings: &Settings,
    work: &Path,
    watch: &Watch,
    output: &mut Output,
) -> Result<Subject, Failure> {
    let name = arguments.source.clone();
    if is_url(&name) {
        for (flag, given) in [
            ("--base-url", arguments.base_url.is_some()),
            ("--changed", arguments.changed.is_some()),
        ] {
            if given {
                let message = format!("`{flag}` is for folders, and `{name}` is a live site");
                return Err(Failure::new(Exit::Usage, message).hint("leave it out"));
            }
        }
        let live = live::fetch(arguments, settings, work, watch, output)?;
        return Ok(Subject {
            name,
            folder: live.folder.clone(),
            site: live.site.clone(),
            live: Some(live),
        });
    }
    let path = folder(Path::new(&name))?;
    let given = arguments
        .base_url
        .as_ref()
        .or(settings.publish.base_url.as_ref());
    let source = FolderSource::open(path).map_err(publish::failure)?;
    let site = publish::base_of(given, &source)?;
    Ok(Subject {
        folder: path.to_owned(),
        name,
        site,
        live: None,
    })
}

/// A folder that is there.
fn folder(path: &Path) -> Result<&Path, Failure> {
    let name = path.display();
    if path.is_dir() {
        return Ok(path);
    }
    let (message, hint) = if path.exists() {
        (
            format!("`{name}` is a file, and a site is a folder"),
            "name the folder that your site's build writes",
        )
    } else {
        (
            format!("`{name}` is not there"),
            "name a folder of HTML, or a live site: https://example.com",
        )
    };
    Err(Failure::new(Exit::Usage, message).hint(hint))
}

/// The first visit, one when nothing changed, and one after a change, by each way.
fn measure(
    arguments: &Compare,
    settings: &Settings,
    subject: &Subject,
    later: Option<&Path>,
    work: &Path,
    watch: &Watch,
) -> Result<Comparison, Failure> {
    let now = Timestamp::from(SystemTime::now());
    let mut lab = Lab::new(&subject.site, &arguments.exclude, settings, work, watch)?;
    lab.copy(&subject.folder)?;
    let published = lab.publish()?;

    let scp_first = lab.sync(OriginKind::Scp)?;
    let tct_first = lab.sync(OriginKind::Tct)?;
    let kept = lab.kept()?;
    let html_first = lab.crawl(&kept.urls)?;
    let scp_unchanged = lab.sync(OriginKind::Scp)?;
    let tct_unchanged = lab.sync(OriginKind::Tct)?;
    let html_unchanged = lab.crawl(&kept.urls)?;
    let mut collections = lab::collections(&published, &scp_first, "first");
    let parsing = lab.parsing(&published, &scp_first, now)?;

    let kind = match later {
        Some(later) => {
            lab.copy(later)?;
            ChangeKind::Folder
        }
        None => {
            lab.change(&published, now)?;
            ChangeKind::Simulated
        }
    };
    let republished = lab.publish()?;
    let scp_changed = lab.sync(OriginKind::Scp)?;
    let tct_changed = lab.sync(OriginKind::Tct)?;
    let mut urls = lab.kept()?.urls;
    urls.extend(kept.urls.iter().cloned());
    urls.sort_unstable();
    urls.dedup();
    let html_changed = lab.crawl(&urls)?;
    collections.extend(lab::collections(&republished, &scp_changed, "changed"));

    let visit = |report: &lab::Synced| Visit {
        requests: report.requests,
        bytes: report.bytes,
    };
    let pages = kept.urls.len() as u64;
    let html = |way, pick: &dyn Fn(&html::HtmlVisit) -> Visit| WayFigures {
        way,
        pages,
        first: pick(&html_first),
        unchanged: pick(&html_unchanged),
        changed: pick(&html_changed),
    };
    let scp = |way, pick: &dyn Fn(&lab::Synced) -> Visit| WayFigures {
        way,
        pages: scp_first.pages,
        first: pick(&scp_first),
        unchanged: pick(&scp_unchanged),
        changed: pick(&scp_changed),
    };
    let ways = vec![
        html(Way::HtmlGzip, &html::HtmlVisit::gzip),
        html(Way::HtmlBr, &html::HtmlVisit::br),
        scp(Way::ScpGzip, &lab::Synced::with_gzip),
        scp(Way::ScpZstd, &visit),
        WayFigures {
            way: Way::TctGzip,
            pages: tct_first.pages,
            first: visit(&tct_first),
            unchanged: visit(&tct_unchanged),
            changed: visit(&tct_changed),
        },
    ];
    let tokens = Tokens {
        bytes_per_token: BYTES_PER_TOKEN,
        html: html_first.bodies.uncompressed_bytes / BYTES_PER_TOKEN,
        scp: kept.line_bytes / BYTES_PER_TOKEN,
        markdown: kept.markdown_bytes / BYTES_PER_TOKEN,
    };
    let savings = Savings::of(&ways, &parsing, &tokens);
    let mut notes = Vec::new();
    let changes = republished.pages;
    if changes.new + changes.changed + changes.deleted == 0 {
        notes.push(match kind {
            ChangeKind::Folder => {
                "the two folders have the same pages: there was no change to measure".to_owned()
            }
            ChangeKind::Simulated => format!(
                "none of the pages has a text to which one in {ONE_IN} could be given a sentence: \
                 there was no change to measure"
            ),
        });
    }
    if tct_first.pages < pages {
        let missing = pages - tct_first.pages;
        notes.push(without_machine_page(missing));
    }
    let (live, offered) = match &subject.live {
        Some(live) => {
            notes.extend(live.notes.iter().cloned());
            (Some(live.html), live.offered)
        }
        None => (None, None),
    };
    Ok(Comparison {
        version: 1,
        measured: now.to_string(),
        source: subject.name.clone(),
        site: subject.site.to_string(),
        pages,
        excluded: published.pages.excluded,
        change: Change {
            kind,
            new: changes.new,
            changed: changes.changed,
            deleted: changes.deleted,
        },
        html: html_first.bodies,
        targets: savings.targets(),
        ways,
        collections,
        parsing,
        tokens,
        savings,
        live,
        offered,
        notes,
    })
}

fn without_machine_page(pages: u64) -> String {
    let has = if pages == 1 { "has" } else { "have" };
    let pages = counted(pages, "page");
    format!("{pages} {has} no machine page: TCT has none for listings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_has_and_two_have_no_machine_page() {
        let begins = |pages, words| without_machine_page(pages).starts_with(words);
        assert!(begins(1, "1 page has no machine page"));
        assert!(begins(2, "2 pages have no machine page"));
    }
}
