//! Reading a collection.

use std::io::Read;

use sitecast_scp::{Event, ReadError, ReaderOptions};

use crate::report::facts::{ChecksumResult, CollectionFacts, Facts};
use crate::report::{Cause, Finding, Report};

pub(super) fn check(
    source: impl Read + Send + 'static,
    options: &ReaderOptions,
    report: &mut Report,
) {
    let mut facts = CollectionFacts::default();
    match options.read_ahead(source) {
        Err(error) => add_fatal(error, &mut facts, report),
        Ok(mut reader) => {
            loop {
                match reader.next_event() {
                    Ok(Some(Event::Warning(warning))) => report.warning(
                        warning.code(),
                        Some(warning.line),
                        warning.url.as_deref(),
                        &warning.kind,
                    ),
                    Ok(Some(Event::Page(_))) => {}
                    Ok(None) => break,
                    Err(error) => {
                        add_fatal(error, &mut facts, report);
                        break;
                    }
                }
            }
            let counts = reader.counts();
            report.set_sizes(
                counts.compressed_bytes,
                counts.uncompressed_bytes,
                counts.compression,
            );
            facts.set_read(reader.collection(), counts, reader.summary());
        }
    }
    report.set_facts(Facts::Collection(facts));
}

fn add_fatal(error: ReadError, facts: &mut CollectionFacts, report: &mut Report) {
    match &error {
        ReadError::Io(error) => return report.io_error(error),
        ReadError::ChecksumMismatch { .. } => {
            facts.checksum = Some(ChecksumResult::Mismatch);
            report.mismatch = Some("checksum mismatch");
        }
        _ => {}
    }
    let finding = Finding::new(error.code(), error.to_string()).at_line(error.line());
    report.error(finding.caused_by(Cause::Collection(error)));
}
