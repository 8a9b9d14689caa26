//! What is published may have come from another machine, or be somewhere else.

use std::fs;
use std::path::Path;

use sitecast_publish::{FolderSource, PublishError, Report, publish};
use sitecast_storage::Folder;

use crate::site::{BASE, Published, Site, age, machine_pages, publish_folder, time, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const THIRD: &str = "2025-06-03T12:00:00Z";

#[test]
fn a_cache_does_not_hide_what_another_machine_published_since() {
    for aged in [false, true] {
        let out = tempfile::tempdir().unwrap();
        let (mut one, other) = (Site::new(), Site::new());
        let cache = tempfile::tempdir().unwrap();
        one.options.cache = Some(cache.path().to_owned());
        if aged {
            // So that dates are relied on.
            age(&one);
        }
        let run = |site: &Site, now| {
            publish_folder(site.path(), out.path(), &site.options, now).unwrap();
            let pages = Published::read(out.path(), BASE).followed("all");
            sitecast_scp::to_text(&pages["https://example.com/tea/"])
        };
        run(&one, FIRST);
        other.page("tea", &words("another tea"));
        assert!(run(&other, NEXT).contains("another tea"));
        assert!(!run(&one, THIRD).contains("another tea"), "aged: {aged}");
    }
}

#[test]
fn a_json_sitemap_of_another_time_than_the_collections_is_not_believed() {
    let site = Site::new();
    site.publish(FIRST);
    let sitemap = site.read("sitemap.xml");
    site.page("tea", &words("another tea"));
    site.publish(NEXT);
    // Somebody puts a backup of the sitemap back, and the page as well.
    site.write("sitemap.xml", &sitemap);
    site.page("tea", &words("tea"));
    site.publish(THIRD);
    assert_eq!(machine_pages(&site).len(), 5);
    assert!(!site.read("tea/llm.json").contains("another tea"));
}

/// Publishes a site into one folder, which then is the last publication for another.
fn with_previous(site: &Site, live: &Path, out: &Path, now: &str) -> Result<Report, PublishError> {
    let source = FolderSource::open(site.path()).unwrap();
    let (live, out) = (Folder::new(live).unwrap(), Folder::new(out).unwrap());
    publish(&source, &out, Some(&live), &site.options, time(now), &())
}

#[test]
fn a_damaged_collection_is_not_taken_over() {
    let site = Site::new();
    let [live, out] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    publish_folder(site.path(), live.path(), &site.options, FIRST).unwrap();
    let snapshot = live.path().join("scp/all-snapshot-20250601T120000Z.scp.gz");
    let whole = fs::read(&snapshot).unwrap();
    let mut damaged = whole.clone();
    let last = damaged.len() - 1;
    damaged[last / 2] ^= 0x55;
    for bytes in [&whole[..last], &damaged, b"not a collection"] {
        fs::write(&snapshot, bytes).unwrap();
        let report = with_previous(&site, live.path(), out.path(), NEXT).unwrap();
        assert!(report.notes[0].contains("scp.gz"), "{:?}", report.notes);
        let named = fs::read_to_string(out.path().join("sitemap.xml")).unwrap();
        assert!(
            !named.contains("scp.gz") && named.contains("scp.zst"),
            "{named}"
        );
        assert!(
            !out.path()
                .join("scp/all-snapshot-20250601T120000Z.scp.gz")
                .exists()
        );
        fs::remove_dir_all(out.path()).unwrap();
    }
}

#[test]
fn old_collections_that_are_missing_elsewhere_are_named_no_longer() {
    let mut site = Site::new();
    let [live, out] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    publish_folder(site.path(), live.path(), &site.options, FIRST).unwrap();
    site.options.full = true;
    publish_folder(site.path(), live.path(), &site.options, NEXT).unwrap();
    site.options.full = false;
    for end in ["zst", "gz"] {
        let old = format!("scp/all-snapshot-20250601T120000Z.scp.{end}");
        fs::remove_file(live.path().join(old)).unwrap();
    }
    with_previous(&site, live.path(), out.path(), THIRD).unwrap();
    let named = fs::read_to_string(out.path().join("sitemap.xml")).unwrap();
    assert!(
        !named.contains("20250601") && named.contains("20250602"),
        "{named}"
    );
    // What is needed is another matter.
    fs::remove_dir_all(out.path()).unwrap();
    for end in ["zst", "gz"] {
        let needed = format!("scp/all-snapshot-20250602T120000Z.scp.{end}");
        fs::remove_file(live.path().join(needed)).unwrap();
    }
    let error = with_previous(&site, live.path(), out.path(), THIRD).unwrap_err();
    assert!(error.to_string().contains("20250602"), "{error}");
}

#[test]
fn machine_pages_of_a_folder_that_went_its_own_way_are_made_right() {
    let site = Site::new();
    let [live, out] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    publish_folder(site.path(), live.path(), &site.options, FIRST).unwrap();
    site.page("tea", &words("another tea"));
    publish_folder(site.path(), out.path(), &site.options, FIRST).unwrap();
    site.page("tea", &words("tea"));
    let report = with_previous(&site, live.path(), out.path(), NEXT).unwrap();
    let tea = fs::read_to_string(out.path().join("tea/llm.json")).unwrap();
    assert!(!tea.contains("another tea"), "{tea}");
    let written = report
        .artefacts
        .iter()
        .find(|made| made.kind == "machine-pages");
    assert!(
        written.is_some_and(|made| made.written < 5),
        "only what differs"
    );
}

/// A parked domain, a login page, an application that answers everything: the last publication is not there, and the
/// chain and the guard against deletions would be lost.
#[test]
fn junk_in_place_of_the_last_publication_is_refused() {
    for junk in [
        "<!doctype html><title>Log in</title>",
        "hello",
        "",
        "<urlset",
        "{}",
    ] {
        let site = Site::new();
        let [live, out] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        fs::write(live.path().join("sitemap.xml"), junk).unwrap();
        let error = with_previous(&site, live.path(), out.path(), FIRST).unwrap_err();
        assert!(
            matches!(&error, PublishError::NoPublication { path, .. } if path == "sitemap.xml"),
            "{junk:?}: {error}"
        );
        assert!(!out.path().join("scp").exists(), "{junk:?}");
    }
}

#[test]
fn a_site_that_was_never_published_is_a_new_beginning() {
    let own = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"></urlset>";
    for sitemap in [None, Some(own)] {
        let site = Site::new();
        let [live, out] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        if let Some(sitemap) = sitemap {
            fs::write(live.path().join("sitemap.xml"), sitemap).unwrap();
        }
        let report = with_previous(&site, live.path(), out.path(), FIRST).unwrap();
        assert!(
            report
                .notes
                .iter()
                .any(|note| note.contains("new beginning"))
        );
    }
}
