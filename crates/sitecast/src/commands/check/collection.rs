use std::io::Read;

use sitecast_scp::{Event, ReadError, ReaderOptions};

use crate::failure::collection_hint;
use crate::output::report::{ChecksumResult, CollectionFacts, Facts, TargetReport};

pub(super) fn check(
    source: impl Read + Send + 'static,
    options: &ReaderOptions,
    report: &mut TargetReport,
) {
    let mut facts = CollectionFacts::default();
    match options.read_ahead(source) {
        Err(error) => fatal(&error, &mut facts, report),
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
                        fatal(&error, &mut facts, report);
                        break;
                    }
                }
            }
            let counts = reader.counts();
            report.sizes(
                counts.compressed_bytes,
                counts.uncompressed_bytes,
                counts.compression,
            );
            facts.read(reader.collection(), counts, reader.summary());
        }
    }
    report.facts(Facts::Collection(facts));
}

fn fatal(error: &ReadError, facts: &mut CollectionFacts, report: &mut TargetReport) {
    match error {
        ReadError::Io(error) => return report.io_error(error),
        ReadError::ChecksumMismatch { .. } => {
            facts.checksum = Some(ChecksumResult::Mismatch);
            report.not_as_declared("checksum mismatch");
        }
        _ => {}
    }
    let hint = collection_hint(error);
    report.finding(error.code(), error.line(), error.to_string(), hint);
}
