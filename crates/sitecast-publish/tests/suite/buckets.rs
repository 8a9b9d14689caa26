//! Publishing into a bucket of a real S3 server.

use std::io::Read;

use sitecast_publish::{FolderSource, PublishError, publish};
use sitecast_scp::{Event, Reader};
use sitecast_storage::{Attributes, Body, Condition, Put, Store, StoreError};

use crate::site::{Site, time, words};
use crate::weed::weed;

fn text(store: &dyn Store, path: &str) -> String {
    let mut text = String::new();
    let object = store.get(&path.parse().unwrap()).unwrap().unwrap();
    { object.reader }.read_to_string(&mut text).unwrap();
    text
}

fn pages(store: &dyn Store, path: &str) -> usize {
    let object = store.get(&path.parse().unwrap()).unwrap().unwrap();
    let mut reader = Reader::new(object.reader).unwrap();
    let mut pages = 0;
    while let Some(event) = reader.next_event().unwrap() {
        pages += usize::from(matches!(event, Event::Page(_)));
    }
    pages
}

#[test]
fn a_bucket_gets_everything_with_its_headers_and_deltas_follow() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/publication");
    let site = Site::new();
    let source = FolderSource::open(site.path()).unwrap();
    let run = |now: &str| publish(&source, &store, None, &site.options, time(now), &()).unwrap();
    let report = run("2025-06-01T12:00:00Z");
    assert_eq!(
        (report.pages.new, report.notes.len()),
        (5, 0),
        "{:?}",
        report.notes
    );
    assert_eq!(
        pages(&store, "scp/all-snapshot-20250601T120000Z.scp.zst"),
        5
    );
    assert!(text(&store, "sitemap.xml").contains("all-snapshot-20250601T120000Z.scp.gz"));

    site.page("tea", &words("another tea"));
    let report = run("2025-06-02T12:00:00Z");
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    assert_eq!(pages(&store, "scp/all-delta-20250602T120000Z.scp.gz"), 1);
    let report = run("2025-06-03T12:00:00Z");
    assert_eq!((report.collections.len(), report.artefacts.len()), (0, 0));

    for (path, headers) in [
        (
            "scp/all-snapshot-20250601T120000Z.scp.zst",
            &[
                "content-type: application/scp\r\n",
                "content-encoding: zstd\r\n",
                "cache-control: public, max-age=86400, stale-while-revalidate=3600\r\n",
            ][..],
        ),
        (
            "scp/all-delta-20250602T120000Z.scp.gz",
            &[
                "content-encoding: gzip\r\n",
                "cache-control: public, max-age=3600, must-revalidate\r\n",
            ],
        ),
        (
            "tea/llm.json",
            &[
                "content-type: application/json\r\n",
                "cache-control: max-age=0, must-revalidate, stale-while-revalidate=60, stale-if-error=86400\r\n",
            ],
        ),
        ("sitemap.xml", &["content-type: application/xml\r\n"]),
    ] {
        let answer = weed
            .head(&format!("/test/publication/{path}"))
            .to_lowercase();
        for header in headers {
            assert!(
                answer.contains(header),
                "{path}: {header} is not in\n{answer}"
            );
        }
    }
}

#[test]
fn a_second_publisher_to_a_bucket_is_refused() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/busy");
    let lock = weed.bucket("s3://test/busy").lock().unwrap();
    let site = Site::new();
    let source = FolderSource::open(site.path()).unwrap();
    let now = time("2025-06-01T12:00:00Z");
    let error = publish(&source, &store, None, &site.options, now, &()).unwrap_err();
    assert!(
        matches!(error, PublishError::Store(StoreError::Locked { .. })),
        "{error}"
    );
    drop(lock);
    publish(&source, &store, None, &site.options, now, &()).unwrap();
}

#[test]
fn in_a_bucket_too_a_run_that_was_killed_is_made_good() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/killed");
    let site = Site::new();
    let source = FolderSource::open(site.path()).unwrap();
    let run = |now: &str| publish(&source, &store, None, &site.options, time(now), &()).unwrap();
    run("2025-06-01T12:00:00Z");
    let page = text(&store, "tea/llm.json");
    let put = |path: &str, text: String| {
        let put = Put {
            path: path.parse().unwrap(),
            body: Body::Bytes(text.into_bytes()),
            attributes: Attributes::default(),
            condition: Condition::None,
        };
        store.put(put).unwrap();
    };
    put(".sitecast-publishing", "2025-06-02T12:00:00Z\n".to_owned());
    put("tea/llm.json", page.replace("worth knowing", "to be known"));
    let other = page.replace("example.com/tea/", "example.com/juice/");
    put("juice/llm.json", other);
    let report = run("2025-06-03T12:00:00Z");
    assert_eq!((report.pages.unchanged, report.collections.len()), (5, 0));
    assert_eq!(text(&store, "tea/llm.json"), page);
    for gone in [".sitecast-publishing", "juice/llm.json"] {
        assert!(
            store.get(&gone.parse().unwrap()).unwrap().is_none(),
            "{gone}"
        );
    }
}
