use std::path::Path;
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
    if arguments
        .targets
        .iter()
        .filter(|target| target.as_os_str() == "-")
        .count()
        > 1
    {
        return Err(Failure::new(
            Exit::Usage,
            "standard input (`-`) can be read only once",
        ));
    }
    let mut report = CheckReport::new(strict);
    for target in &arguments.targets {
        let started = Instant::now();
        let result = check(target, &options, output);
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

/// Reads one target to its end or to what is fatal. A target that cannot be read is a result like
/// any other, so that the rest is still checked.
fn check(target: &Path, options: &ReaderOptions, output: &Output) -> TargetReport {
    let mut report = TargetReport::new(target);
    let source = match open(target, output) {
        Ok(source) => source,
        Err(failure) => {
            report.cannot_read(&failure);
            return report;
        }
    };
    let bar = source.bar();
    match options.read_ahead(source) {
        Err(error) => report.fatal(&error),
        Ok(mut reader) => {
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
        }
    }
    bar.clear();
    report
}
