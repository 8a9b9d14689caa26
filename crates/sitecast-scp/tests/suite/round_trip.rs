//! Round trips: reading returns what was written.

use std::io::Cursor;

use crate::strategies::{collection, page, pages};
use crate::support::*;
use proptest::prelude::*;
use sitecast_scp::{
    ChecksumStatus, Collection, Limits, Page, ReaderOptions, Verified, WriterOptions,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn reads_pages_as_written(collection in collection(), pages in pages(), compression in prop::sample::select(COMPRESSIONS.to_vec())) {
        let options = WriterOptions { workers: 0, ..WriterOptions::new(compression) };
        let mut writer = options.create(Cursor::new(Vec::new()), &collection).unwrap();
        for page in &pages {
            writer.write_page(page).unwrap();
        }
        let (file, report) = writer.finish().unwrap();
        let file = file.into_inner();

        let outcome = read(&file);
        prop_assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
        let summary = outcome.result.unwrap();
        prop_assert_eq!(summary.checksum, ChecksumStatus::Verified);
        prop_assert_eq!(summary.digest, report.checksum);
        prop_assert_eq!(summary.counts.pages, report.pages);
        prop_assert_eq!(summary.counts.blocks, report.blocks);
        prop_assert_eq!(summary.counts.uncompressed_bytes, report.uncompressed_bytes);
        prop_assert_eq!(summary.counts.compressed_bytes, report.compressed_bytes);
        prop_assert_eq!(report.compressed_bytes, file.len() as u64);
        prop_assert_eq!(summary.counts.compression, compression);
        let read_collection = outcome.collection.unwrap();
        prop_assert_eq!(read_collection.checksum, Some(report.checksum));
        prop_assert_eq!(Collection { checksum: None, ..read_collection }, collection);
        prop_assert_eq!(&outcome.pages, &pages);

        // `Verified` returns the same lines.
        let mut verified = Verified::new(Cursor::new(file), &ReaderOptions::default(), |_| ()).unwrap();
        let mut lines = Vec::new();
        while let Some(event) = verified.next_event().unwrap() {
            if let sitecast_scp::Event::Page(page) = event {
                lines.push(page.line().to_owned());
            }
        }
        prop_assert_eq!(lines, outcome.lines);
    }

    #[test]
    fn keeps_lines_byte_for_byte(pages in pages(), compression in prop::sample::select(COMPRESSIONS.to_vec())) {
        // Lines as other programs might write them: with spaces, and with unknown members.
        let lines: Vec<String> = pages
            .iter()
            .map(|page| {
                let mut value = serde_json::to_value(page).unwrap();
                value["x-new"] = serde_json::json!([1.50, {"a": null}]);
                value.to_string().replacen(':', " :\t", 1)
            })
            .collect();
        let options = WriterOptions { workers: 0, ..WriterOptions::new(compression) };
        let mut writer = options.create(Cursor::new(Vec::new()), &snapshot()).unwrap();
        for line in &lines {
            writer.write_line(line).unwrap();
        }
        let file = writer.finish().unwrap().0.into_inner();
        prop_assert_eq!(read(&file).lines, lines);
    }

    #[test]
    fn page_from_line_equals_the_written_page(page in page()) {
        let line = serde_json::to_string(&page).unwrap();
        let (read, warnings) = Page::from_line(&line, &Limits::default()).unwrap();
        prop_assert!(warnings.is_empty());
        prop_assert_eq!(read, page);
    }
}
