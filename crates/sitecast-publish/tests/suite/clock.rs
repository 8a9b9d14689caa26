//! A clock that was wrong once.

use std::fs;

use sitecast_publish::PublishError;

use crate::site::{Published, Site, publish_folder, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const FUTURE: &str = "2030-01-01T00:00:00Z";
const NOW: &str = "2025-06-03T12:00:00Z";
const NEXT: &str = "2025-06-04T12:00:00Z";

fn again(site: &Site, now: &str) -> Result<sitecast_publish::Report, PublishError> {
    publish_folder(site.path(), site.path(), &site.options, now)
}

/// A site with a publication of now and one of years to come.
fn ahead() -> Site {
    let site = Site::new();
    site.publish(FIRST);
    site.page("tea", &words("another tea"));
    site.publish(FUTURE);
    let error = again(&site, NOW).unwrap_err();
    assert!(
        matches!(&error, PublishError::FromTheFuture { section, .. } if section == "all"),
        "{error}"
    );
    site
}

/// Nothing that is published is dated after this day.
fn has_only_the_past(site: &Site, published: &Published) {
    let names = fs::read_dir(site.path().join("scp")).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(name.contains("-2025"), "{name}");
    }
    assert!(!site.read("sitemap.xml").contains("2030"));
    for (url, page) in published.followed("all") {
        assert!(page.modified.to_string().starts_with("2025"), "{url}");
    }
    assert!(!site.read("tea/llm.json").contains("2030"));
}

#[test]
fn a_full_publication_starts_again_after_one_from_the_future() {
    let mut site = ahead();
    site.options.full = true;
    let report = again(&site, NOW).unwrap();
    assert_eq!((report.pages.unchanged, report.pages.new), (5, 0));
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("in the future"))
    );
    has_only_the_past(&site, &site.published());
    // What only the publication of the future had is newer than all that agents can have of it.
    let tea = &site.published().followed("all")["https://example.com/tea/"];
    assert_eq!(tea.modified.to_string(), NOW);
    assert!(sitecast_scp::to_text(tea).contains("another tea"));
    // And it goes on as usual.
    site.options.full = false;
    site.page("tea", &words("a third tea"));
    let report = again(&site, NEXT).unwrap();
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    has_only_the_past(&site, &site.published());
}

#[test]
fn it_starts_again_also_without_its_collections() {
    let mut site = ahead();
    fs::remove_dir_all(site.path().join("scp")).unwrap();
    assert!(again(&site, NOW).is_err());
    site.options.full = true;
    again(&site, NOW).unwrap();
    has_only_the_past(&site, &site.published());
}

#[test]
fn starting_again_still_guards_against_mass_deletion() {
    let mut site = Site::new();
    for number in 0..30 {
        site.page(
            &format!("more/{number}"),
            &words(&format!("number {number}")),
        );
    }
    site.publish(FUTURE);
    fs::remove_dir_all(site.path().join("more")).unwrap();
    site.options.full = true;
    let error = again(&site, NOW).unwrap_err();
    assert!(
        matches!(error, PublishError::MassDeletion { .. }),
        "{error}"
    );
}
