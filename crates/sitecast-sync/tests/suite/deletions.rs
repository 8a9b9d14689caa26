//! The deletion guard over one or several collections, and the removal of refused downloads.

use std::fs;

use sitecast_sync::{FailureKind, SyncError};
use sitecast_testserver::Answer;

use crate::world::{MONDAY, TUESDAY, WEDNESDAY, World};

/// A site with collections that the test writes itself.
struct Site {
    world: World,
}

impl Site {
    /// Creates a site of a hundred pages, synced on Monday.
    fn synced() -> Self {
        let site = Self {
            world: World::empty(),
        };
        site.offer(&[("snapshot", MONDAY, "")]);
        site.collection("snapshot", MONDAY, "", 0..100, 0..0);
        site.world.sync(MONDAY);
        assert_eq!(site.originals(), 100);
        site
    }

    /// Writes a sitemap with these collections: kind, `generated`, `since`.
    fn offer(&self, collections: &[(&str, &str, &str)]) {
        let mut scp = String::new();
        for (kind, generated, since) in collections {
            let since = match *since {
                "" => String::new(),
                since => format!(" since=\"{since}\""),
            };
            scp += &format!(
                "<scp:collection section=\"all\" type=\"{kind}\" url=\"{}{}\" generated=\"{generated}\" expires=\"2026-02-05T10:00:00Z\"{since}/>",
                self.world.base,
                name(kind, generated)
            );
        }
        let sitemap = format!(
            "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
             xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\"><scp:version>0.1</scp:version>{scp}</urlset>"
        );
        self.world.write("sitemap.xml", &sitemap);
    }

    /// Writes a collection with the pages of these numbers and these deletions.
    fn collection(
        &self,
        kind: &str,
        generated: &str,
        since: &str,
        pages: std::ops::Range<u32>,
        deleted: std::ops::Range<u32>,
    ) {
        let since = match since {
            "" => String::new(),
            since => format!(",\"since\":\"{since}\""),
        };
        let url = |number| format!("{}page-{number}/", self.world.base);
        let deleted: Vec<String> = deleted.map(|n| format!("\"{}\"", url(n))).collect();
        let deleted = match deleted.as_slice() {
            [] => String::new(),
            some => format!(",\"deleted\":[{}]", some.join(",")),
        };
        let mut text = format!(
            "{{\"collection\":{{\"id\":\"x\",\"section\":\"all\",\"type\":\"{kind}\",\"generated\":\"{generated}\"{since},\"version\":\"0.1\"{deleted}}}}}\n"
        );
        for number in pages {
            text += &format!(
                "{{\"url\":\"{}\",\"title\":\"Page {number}\",\"description\":\"\",\"modified\":\"{MONDAY}\",\"language\":\"en\",\"content\":[]}}\n",
                url(number)
            );
        }
        self.world.write(&name(kind, generated), &text);
    }

    /// Counts the pages of the first hundred that are in the index.
    fn originals(&self) -> usize {
        let held = self.world.held();
        let url = |number| format!("{}page-{number}/", self.world.base);
        (0..100).filter(|n| held.contains_key(&url(*n))).count()
    }

    fn assert_refused(&self, now: &str) -> u64 {
        let error = self.world.try_sync(now).error.unwrap();
        assert_eq!(error.failure_kind(), FailureKind::Refused, "{error}");
        match error {
            SyncError::MassDeletion {
                deletions,
                pages: 100,
            } => deletions,
            other => panic!("{other}"),
        }
    }
}

fn name(kind: &str, generated: &str) -> String {
    format!("all-{kind}-{}.scp", generated.replace([':', '-'], ""))
}

/// A time after Tuesday's snapshot.
const TUESDAY_NOON: &str = "2026-01-06T12:00:00Z";

#[test]
fn junk_in_a_snapshot_does_not_offset_deletions_of_a_delta() {
    let site = Site::synced();
    site.offer(&[("snapshot", TUESDAY, ""), ("delta", TUESDAY_NOON, TUESDAY)]);
    site.collection("snapshot", TUESDAY, "", 0..300, 0..0);
    site.collection("delta", TUESDAY_NOON, TUESDAY, 0..0, 0..100);
    // A week later the snapshot is due.
    assert_eq!(site.assert_refused("2026-01-13T10:00:00Z"), 100);
    assert_eq!(site.originals(), 100);
}

#[test]
fn junk_in_a_delta_does_not_offset_deletions_of_the_next() {
    let site = Site::synced();
    site.offer(&[("delta", TUESDAY, MONDAY), ("delta", TUESDAY_NOON, TUESDAY)]);
    site.collection("delta", TUESDAY, MONDAY, 100..400, 0..0);
    site.collection("delta", TUESDAY_NOON, TUESDAY, 0..0, 0..100);
    assert_eq!(site.assert_refused(WEDNESDAY), 100);
    assert_eq!(site.originals(), 100);
}

#[test]
fn deletions_of_two_collections_are_counted_together() {
    let site = Site::synced();
    site.offer(&[("snapshot", TUESDAY, ""), ("delta", TUESDAY_NOON, TUESDAY)]);
    site.collection("snapshot", TUESDAY, "", 49..100, 0..0);
    site.collection("delta", TUESDAY_NOON, TUESDAY, 0..0, 49..74);
    assert_eq!(site.assert_refused("2026-01-13T10:00:00Z"), 74);
    assert_eq!(site.originals(), 100);
}

#[test]
fn pages_added_and_deleted_in_one_run_do_not_count_as_deletions() {
    let site = Site::synced();
    site.offer(&[("delta", TUESDAY, MONDAY), ("delta", TUESDAY_NOON, TUESDAY)]);
    site.collection("delta", TUESDAY, MONDAY, 100..200, 0..0);
    site.collection("delta", TUESDAY_NOON, TUESDAY, 0..0, 100..190);
    site.world.sync(WEDNESDAY);
    assert_eq!((site.originals(), site.world.held().len()), (100, 110));
}

#[test]
fn added_html_pages_do_not_offset_deletions() {
    let world = World::empty();
    let list = |from: u32, to: u32| {
        let base = world.base.clone();
        let urls = (from..to).map(move |n| format!("<url><loc>{base}page-{n}/</loc></url>"));
        let urls: String = urls.collect();
        world.write("sitemap.xml", &format!("<urlset>{urls}</urlset>"));
    };
    world.intercept(|request| {
        let number = request.path.strip_prefix("/page-")?.strip_suffix('/')?;
        Some(Answer::html(crate::world::html(
            number,
            &crate::world::words(&format!("number {number}")),
        )))
    });
    list(0, 30);
    world.sync(MONDAY);
    list(25, 80);
    let error = world.try_sync(TUESDAY).error.unwrap();
    assert!(
        matches!(
            error,
            SyncError::MassDeletion {
                deletions: 25,
                pages: 30
            }
        ),
        "{error}"
    );
    for number in 0..30 {
        let url = format!("{}page-{number}/", world.base);
        assert!(world.held().contains_key(&url), "{url}");
    }
}

#[test]
fn refused_download_is_not_reused() {
    let mut site = Site::synced();
    site.offer(&[("snapshot", TUESDAY, "")]);
    site.collection("snapshot", TUESDAY, "", 0..3, 0..0);
    let later = "2026-01-13T10:00:00Z";
    assert_eq!(site.assert_refused(later), 97);
    let left = fs::read_dir(site.world.here.path().join("scratch")).unwrap();
    for folder in left {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(!name.contains(".scp"), "{name}");
        }
    }
    // The same name and time with other content.
    site.collection("snapshot", TUESDAY, "", 0..100, 0..0);
    site.world.options.allow_deletions = true;
    let report = site.world.sync(later);
    assert_eq!((report.pages.deleted, site.originals()), (0, 100));
}

#[test]
fn leftover_download_is_used_only_if_the_server_confirms_it() {
    let site = Site::synced();
    site.offer(&[("snapshot", TUESDAY, "")]);
    site.collection("snapshot", TUESDAY, "", 0..120, 0..0);
    let later = "2026-01-13T10:00:00Z";
    // A killed process leaves the file and its metadata.
    let stray = stray(&site, "kept by mistake\n", Some("\"another\""));
    site.world.server.take_log();
    site.world.sync(later);
    let log = site.world.server.take_log();
    let asked = log.iter().find(|request| request.path.ends_with(".scp"));
    assert_eq!(asked.unwrap().header("if-none-match"), Some("\"another\""));
    assert_eq!((site.originals(), site.world.held().len()), (100, 120));
    assert!(!stray.exists());
}

/// Writes a file to the path of a download of Tuesday's snapshot.
fn stray(site: &Site, content: &str, etag: Option<&str>) -> std::path::PathBuf {
    let scratch = site.world.here.path().join("scratch");
    let folder = fs::read_dir(scratch).unwrap().next().unwrap().unwrap();
    let url = format!("{}{}", site.world.base, name("snapshot", TUESDAY));
    let path = folder.path().join(download_name(&url, TUESDAY));
    fs::write(&path, content).unwrap();
    if let Some(etag) = etag {
        let label = format!("{{\"etag\":{}}}", serde_json::Value::from(etag));
        fs::write(path.with_extension("scp.json"), label).unwrap();
    }
    path
}

/// Returns the file name of a download: the first ten bytes of the hash of its URL and time.
fn download_name(url: &str, generated: &str) -> String {
    let hash = sitecast_tct::ContentHash::of(format!("{url} {generated}").as_bytes());
    let bytes = hash.bytes().iter().take(10);
    let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}.scp")
}
