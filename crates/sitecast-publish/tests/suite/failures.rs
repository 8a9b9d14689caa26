use std::fs;

use sitecast_publish::{FolderSource, PublishError, publish};
use sitecast_storage::{Folder, Store};

use crate::site::{Site, html, time, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";

/// Publishes once, spoils something, and sees that the next run fails and changes nothing.
fn fails(spoil: impl FnOnce(&mut Site), says: &str) -> PublishError {
    let mut site = Site::new();
    site.publish(FIRST);
    spoil(&mut site);
    let before = site.files();
    let error = site.try_publish(NEXT).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
    assert_eq!(site.files(), before);
    error
}

#[test]
fn two_files_of_one_url_are_an_error_that_names_both() {
    let error = fails(
        |site| site.write("tea/index.htm", &html("tea", &words("another tea"))),
        "are both https://example.com/tea/",
    );
    let text = error.to_string();
    assert!(
        text.contains("tea/index.htm`") && text.contains("tea/index.html`"),
        "{text}"
    );
}

#[test]
fn a_collection_that_is_gone_is_noticed_with_and_without_a_cache() {
    for cached in [false, true] {
        for end in [".zst", ".gz"] {
            let mut site = Site::new();
            let cache = tempfile::tempdir().unwrap();
            site.options.cache = cached.then(|| cache.path().to_owned());
            site.publish(FIRST);
            let gone = format!("scp/all-snapshot-20250601T120000Z.scp{end}");
            fs::remove_file(site.path().join(&gone)).unwrap();
            let before = site.files();
            let error = site.try_publish(NEXT).unwrap_err().to_string();
            assert!(error.contains(&gone), "{error}");
            assert_eq!(site.files(), before);
            // Begun anew, the sitemap names what is there.
            site.options.full = true;
            site.publish(NEXT);
            assert_eq!(site.published().snapshot("all").len(), 5);
            let sitemap = fs::read_to_string(site.path().join("sitemap.xml")).unwrap();
            assert!(!sitemap.contains(&gone), "{sitemap}");
        }
    }
}

#[test]
fn what_is_withdrawn_with_its_collections_is_named_no_longer() {
    for cached in [false, true] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        site.publish(FIRST);
        fs::remove_file(site.path().join("milk/index.html")).unwrap();
        site.options.full = true;
        site.publish(NEXT);
        site.options.full = false;
        for entry in fs::read_dir(site.path().join("scp")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().contains("20250601") {
                fs::remove_file(path).unwrap();
            }
        }
        site.publish("2025-06-03T12:00:00Z");
        let sitemap = fs::read_to_string(site.path().join("sitemap.xml")).unwrap();
        assert!(!sitemap.contains("20250601"), "{sitemap}");
        assert!(sitemap.contains("all-snapshot-20250602"), "{sitemap}");
    }
}

#[test]
fn a_folder_that_lost_most_of_its_pages_is_not_published() {
    let mut site = Site::empty();
    for n in 0..30 {
        site.page(&format!("page{n}"), &words(&format!("number {n}")));
    }
    site.publish(FIRST);
    for n in 0..20 {
        fs::remove_file(site.path().join(format!("page{n}/index.html"))).unwrap();
    }
    let before = site.files();
    let error = site.try_publish(NEXT).unwrap_err();
    assert!(
        matches!(
            error,
            PublishError::MassDeletion {
                deleted: 20,
                pages: 30
            }
        ),
        "{error}"
    );
    assert_eq!(site.files(), before);
    site.options.mass_deletion = true;
    assert_eq!(site.publish(NEXT).pages.deleted, 20);
}

#[test]
fn a_folder_without_pages_is_an_error() {
    fails(
        |site| {
            for name in [
                "index.html",
                "tea/index.html",
                "coffee/index.html",
                "water/index.html",
                "milk/index.html",
            ] {
                fs::remove_file(site.path().join(name)).unwrap();
            }
        },
        "there is no page to publish",
    );
}

#[test]
fn a_damaged_collection_of_the_last_publication_is_named() {
    let error = fails(
        |site| {
            for end in ["zst", "gz"] {
                let path = site
                    .path()
                    .join(format!("scp/all-snapshot-20250601T120000Z.scp.{end}"));
                let mut bytes = fs::read(&path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0xff;
                fs::write(path, bytes).unwrap();
            }
        },
        "all-snapshot-20250601T120000Z",
    );
    assert!(matches!(error, PublishError::Previous { .. }));
}

#[test]
fn a_damaged_publication_can_be_begun_anew() {
    let mut site = Site::new();
    site.publish(FIRST);
    for end in ["zst", "gz"] {
        let path = site
            .path()
            .join(format!("scp/all-snapshot-20250601T120000Z.scp.{end}"));
        fs::write(path, "rubbish").unwrap();
    }
    site.options.full = true;
    let report = site.publish(NEXT);
    assert_eq!(report.notes.len(), 1);
    assert_eq!(site.published().snapshot("all").len(), 5);
}

#[cfg(unix)]
#[test]
fn a_robots_txt_that_cannot_be_read_is_named() {
    // A link to itself cannot be read by anyone, root among them.
    let error = fails(
        |site| {
            let robots = site.path().join("robots.txt");
            fs::remove_file(&robots).unwrap();
            std::os::unix::fs::symlink("robots.txt", robots).unwrap();
        },
        "robots.txt",
    );
    assert!(matches!(error, PublishError::Refused { .. }));
}

#[test]
fn a_second_publisher_is_refused() {
    let site = Site::new();
    let store = Folder::new(site.path()).unwrap();
    let lock = store.lock().unwrap();
    let error = site.try_publish(FIRST).unwrap_err();
    assert!(error.to_string().contains("another publication"), "{error}");
    drop(lock);
    site.publish(FIRST);
}

#[test]
fn what_an_interrupted_run_left_behind_is_cleaned_away() {
    let site = Site::new();
    site.publish(FIRST);
    // Written, but never named by a sitemap.
    let orphan = site.path().join("scp/all-delta-20250601T180000Z.scp.zst");
    fs::write(&orphan, "half").unwrap();
    site.page("tea", &words("another tea"));
    site.publish(NEXT);
    assert!(!orphan.exists());
    assert_eq!(site.published().followed("all").len(), 5);
}

#[test]
fn a_missing_collection_that_is_needed_is_named_and_can_be_made_again() {
    let site = Site::new();
    site.publish(FIRST);
    for end in ["zst", "gz"] {
        let path = site
            .path()
            .join(format!("scp/all-snapshot-20250601T120000Z.scp.{end}"));
        fs::remove_file(path).unwrap();
    }
    let source = FolderSource::open(site.path()).unwrap();
    let store = Folder::new(site.path()).unwrap();
    let error = publish(&source, &store, None, &site.options, time(NEXT), &()).unwrap_err();
    assert!(error.to_string().contains("it is missing"), "{error}");
}

/// One file of a collection is as good as the other.
#[test]
fn of_a_collection_with_one_damaged_file_the_other_is_read() {
    // Without a cache to know the pages, and with one to take their lines.
    for (cached, end) in [(false, "zst"), (false, "gz"), (true, "zst")] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        site.publish(FIRST);
        let name = format!("scp/all-snapshot-20250601T120000Z.scp.{end}");
        let mut bytes = fs::read(site.path().join(&name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(site.path().join(&name), bytes).unwrap();
        site.page("tea", &words("another tea"));
        // Old enough for a snapshot, which takes the lines of pages that did not change.
        let report = site.publish("2025-06-20T12:00:00Z");
        assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
        let notes = report.notes.iter().filter(|note| note.contains(&name));
        // The one that is read first is found damaged.
        assert_eq!(
            notes.count(),
            usize::from(end == "zst"),
            "{:?}",
            report.notes
        );
        assert_eq!(site.published().snapshot("all").len(), 5);
        if end == "zst" {
            assert!(!site.path().join(&name).exists());
            assert!(!site.read("sitemap.xml").contains(&name));
        }
    }
}
