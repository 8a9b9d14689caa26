use sitecast_publish::{Section, SnapshotReason};
use sitecast_sitemap::UpdateFrequency;

use crate::site::{Site, html, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";

fn section(name: &str, paths: &[&str]) -> Section {
    Section {
        name: name.parse().unwrap(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        update_frequency: UpdateFrequency::Weekly,
    }
}

fn with_blog() -> Site {
    let mut site = Site::new();
    for n in 1..=3 {
        site.write(
            &format!("blog/{n}/index.html"),
            &html(&format!("Post {n}"), &words("posts")),
        );
    }
    site.options.sections.push(section("blog", &["/blog/**"]));
    site
}

#[test]
fn sections_have_collections_of_their_own() {
    let site = with_blog();
    site.publish(FIRST);
    let published = site.published();
    assert_eq!(published.snapshot("all").len(), 8);
    assert_eq!(published.snapshot("blog").len(), 3);
    assert_eq!(
        published.scp.sections[1].update_frequency,
        Some(UpdateFrequency::Weekly)
    );
    assert_eq!(published.scp.sections[1].pages.unwrap().pages, 3);
}

#[test]
fn only_sections_that_changed_get_a_delta() {
    let site = with_blog();
    site.publish(FIRST);
    site.page("tea", &words("another tea"));
    let report = site.publish(NEXT);
    let sections: Vec<&str> = report
        .collections
        .iter()
        .filter(|c| c.kind == "delta")
        .map(|c| c.section.as_str())
        .collect();
    assert_eq!(sections, ["all"]);
    site.write("blog/2/index.html", &html("Post 2", &words("letters")));
    let report = site.publish("2025-06-03T12:00:00Z");
    let sections: Vec<&str> = report
        .collections
        .iter()
        .filter(|c| c.kind == "delta")
        .map(|c| c.section.as_str())
        .collect();
    assert_eq!(sections, ["all", "blog"]);
    assert_eq!(site.published().followed("blog").len(), 3);
}

#[test]
fn a_new_section_begins_with_a_snapshot_of_what_is_published_already() {
    let mut site = with_blog();
    let blog = site.options.sections.pop().unwrap();
    site.publish(FIRST);
    site.options.sections.push(blog);
    let report = site.publish(NEXT);
    assert_eq!(report.collections.len(), 1);
    assert_eq!(report.collections[0].reason, Some(SnapshotReason::First));
    assert_eq!(site.published().snapshot("blog").len(), 3);
    let all = site.published().snapshot("all");
    for (url, page) in site.published().snapshot("blog") {
        assert_eq!(all[&url], page);
    }
}

#[test]
fn a_section_whose_pages_are_chosen_differently_begins_anew() {
    let mut site = with_blog();
    site.publish(FIRST);
    site.options.sections[1].paths = vec!["/blog/1/".to_owned(), "/tea/**".to_owned()];
    let report = site.publish(NEXT);
    assert_eq!(report.collections.len(), 1);
    assert_eq!(report.collections[0].reason, Some(SnapshotReason::Section));
    let urls: Vec<String> = site.published().snapshot("blog").into_keys().collect();
    assert_eq!(
        urls,
        ["https://example.com/blog/1/", "https://example.com/tea/"]
    );
}

#[test]
fn a_section_without_pages_is_mentioned() {
    let mut site = Site::new();
    site.options.sections.push(section("shop", &["/shop/**"]));
    let report = site.publish(FIRST);
    assert!(
        report.notes.iter().any(|note| note.contains("`shop`")),
        "{:?}",
        report.notes
    );
}

#[test]
fn savings_are_of_all_sections_where_none_has_all_pages() {
    let mut site = with_blog();
    let whole = site.publish(FIRST).savings;
    site.options.sections = vec![section("tea", &["/tea/**"]), section("blog", &["/blog/**"])];
    let out = tempfile::tempdir().unwrap();
    let report = crate::site::publish_folder(site.path(), out.path(), &site.options, NEXT).unwrap();
    let sizes = report.collections.iter().map(|made| {
        let files = made.files.iter().map(|file| file.bytes);
        files.min().unwrap_or(0)
    });
    assert_eq!((report.savings.pages, whole.pages), (4, 8));
    assert_eq!(report.savings.snapshot_bytes, sizes.sum::<u64>());
}

#[test]
fn damage_in_one_section_costs_the_others_nothing() {
    let mut site = with_blog();
    site.publish(FIRST);
    for end in ["zst", "gz"] {
        let path = format!("scp/blog-snapshot-20250601T120000Z.scp.{end}");
        std::fs::write(site.path().join(path), "rubbish").unwrap();
    }
    site.page("tea", &words("another tea"));
    site.options.full = true;
    let report = site.publish(NEXT);
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    // Whoever has the old snapshot can go on from there.
    let followed = site.published().followed("all");
    assert_eq!(followed, site.published().snapshot("all"));
    assert!(
        site.path()
            .join("scp/all-snapshot-20250601T120000Z.scp.zst")
            .exists()
    );
    assert_eq!(site.published().snapshot("blog").len(), 3);
}
