//! What is published may have come from another machine, or be somewhere else.

use crate::site::{BASE, Published, Site, age, machine_pages, publish_folder, words};

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
