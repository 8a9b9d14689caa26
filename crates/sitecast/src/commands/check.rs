//! `check`: recognises each target by its content, reads it whole, and reports.
//!
//! | what | where |
//! |---|---|
//! | one file | `file`, and a module for each format |
//! | what HTTP says of a file | `http` |
//! | a site's files together, wherever they are | `survey`, over a `place` |
//! | a site in a folder, on the web | `folder`, `web` |

mod collection;
mod file;
mod folder;
mod http;
mod place;
mod recognize;
mod robots;
mod sitemap;
mod survey;
mod tct;
mod web;

use std::path::Path;
use std::time::Instant;

use super::{is_url, open};
use crate::cli::Check;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::report::{CheckReport, TargetReport};
use crate::progress::Watch;
use crate::settings::Settings;
use file::{Checker, Known};
use survey::Round;
use web::Web;

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
    let checker = Checker {
        reading: settings.reader(&arguments.reading),
        settings,
    };
    let watch = Watch::new(output.shows_progress());
    let mut report = CheckReport::new(arguments.strict || settings.strict);
    let mut web = None;
    for target in &arguments.targets {
        let mut round = Round {
            checker: &checker,
            report: &mut report,
            output: &mut *output,
            watch: &watch,
            sample: arguments.pages,
            which: arguments.collections,
        };
        let name = target.display().to_string();
        if is_url(&name) {
            let web = match &mut web {
                Some(web) => web,
                None => web.insert(Web::new(
                    &arguments.visit,
                    &arguments.targets,
                    settings,
                    &watch,
                )?),
            };
            web::check(&name, arguments.site, web, &mut round)?;
        } else if target.is_dir() {
            folder::check(target, &mut round)?;
        } else {
            file(target, &mut round)?;
        }
    }
    report.finish(output)?;
    Ok(report.exit())
}

/// A file that is named on the command line.
fn file(target: &Path, round: &mut Round<'_>) -> Result<(), Failure> {
    let started = Instant::now();
    let mut report = TargetReport::new(target.display().to_string());
    match open(target, round.output) {
        Ok(source) => {
            let bar = source.bar();
            let known = Known::default();
            round.checker.check(Box::new(source), known, &mut report);
            bar.clear();
        }
        Err(failure) => report.cannot_read(&failure),
    }
    round.report.target(report, started.elapsed(), round.output)
}
