use std::time::Instant;

use sitecast_scp::{Event, ReaderOptions};

use super::open;
use crate::cli::Check;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::report::{CheckReport, TargetReport};
use crate::settings::Settings;

pub(crate) fn run(
    arguments: &Check,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let strict = arguments.strict || settings.strict;
    let options = settings.reader(&arguments.reading);
    let mut report = CheckReport::new(strict);
    for target in &arguments.targets {
        let started = Instant::now();
        let result = check(target, &options, output)?;
        if !output.json {
            result.write_text(output, strict, started.elapsed())?;
        }
        report.add(result);
    }
    if output.json {
        report.write_json(output.out())?;
    } else {
        report.write_text(output)?;
    }
    Ok(report.exit())
}

/// Reads one target to its end or to what is fatal. Only wrong usage is a failure here; a file that
/// cannot be read is a result like any other, so that the rest is still checked.
fn check(target: &str, options: &ReaderOptions, output: &Output) -> Result<TargetReport, Failure> {
    let mut report = TargetReport::new(target);
    let source = match open(target, output) {
        Ok(source) => source,
        Err(failure) if failure.exit() == Exit::Usage => return Err(failure),
        Err(failure) => {
            report.cannot_read(&failure);
            return Ok(report);
        }
    };
    let mut reader = match options.read_ahead(source) {
        Ok(reader) => reader,
        Err(error) => {
            report.fatal(&error);
            return Ok(report);
        }
    };
    loop {
        match reader.next_event() {
            Ok(Some(Event::Warning(warning))) => report.warning(&warning),
            Ok(Some(Event::Page(_))) => {}
            Ok(None) => break,
            Err(error) => {
                report.fatal(&error);
                break;
            }
        }
    }
    report.read(reader.collection(), reader.counts(), reader.summary());
    Ok(report)
}
