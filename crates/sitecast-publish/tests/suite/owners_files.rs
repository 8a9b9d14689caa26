//! Files that the owner wrote stay as they are, also where ours would go.

use sitecast_publish::{LinesSource, Options, Report, SitemapForm, publish};
use sitecast_scp::Limits;
use sitecast_storage::{Folder, Store};
use sitecast_tct::Policy;

use crate::site::{Published, Site, machine_pages, time, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const THEIRS: &str = "{\"mine\": true}\n";

fn notes(report: &Report, what: &str) -> usize {
    report
        .notes
        .iter()
        .filter(|note| note.contains(what))
        .count()
}

#[test]
fn a_policy_is_replaced_only_by_one_that_was_asked_for() {
    let mut site = Site::new();
    site.write("llm-policy.json", THEIRS);
    site.publish(FIRST);
    assert_eq!(site.read("llm-policy.json"), THEIRS);
    site.options.policy = Some(Policy::default());
    site.publish(NEXT);
    assert_ne!(site.read("llm-policy.json"), THEIRS);
}

#[test]
fn the_usual_policy_follows_the_base() {
    let mut site = Site::new();
    site.publish(FIRST);
    assert!(
        site.read("llm-policy.json")
            .contains("https://example.com/")
    );
    site.options.base = "https://example.org/".parse().unwrap();
    site.publish(NEXT);
    assert!(
        site.read("llm-policy.json")
            .contains("https://example.org/")
    );
}

#[test]
fn a_file_where_a_machine_page_would_be_stays_and_the_page_has_none() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.write("tea/llm.json", THEIRS);
    let html = site.read("tea/index.html");
    for now in [FIRST, NEXT] {
        assert_eq!(notes(&site.publish(now), "`tea/llm.json`"), 1);
        assert_eq!(site.read("tea/llm.json"), THEIRS);
        assert_eq!(site.read("tea/index.html"), html);
        assert_eq!(machine_pages(&site).len(), 4);
    }
    std::fs::remove_file(site.path().join("tea/index.html")).unwrap();
    site.publish("2025-06-03T12:00:00Z");
    assert_eq!(site.read("tea/llm.json"), THEIRS);
}

#[test]
fn machine_pages_whose_sitemap_was_lost_are_known_to_be_ours() {
    let site = Site::new();
    site.publish(FIRST);
    std::fs::remove_file(site.path().join("llm-sitemap.json")).unwrap();
    site.page("tea", &words("another tea"));
    assert_eq!(site.publish(NEXT).notes, [""; 0]);
    assert_eq!(machine_pages(&site).len(), 5);
}

#[test]
fn where_somebody_else_makes_machine_pages_we_do_not() {
    let site = Site::new();
    let theirs = r#"{"version":1,"profile":"tct-1","items":[{"cUrl":"https://example.com/tea/","mUrl":"https://example.com/tea/llm/","contentHash":"sha256-0000000000000000000000000000000000000000000000000000000000000000","modified":"2025-01-01T00:00:00Z"}]}"#;
    site.write("llm-sitemap.json", theirs);
    let html = site.read("tea/index.html");
    assert_eq!(notes(&site.publish(FIRST), "`llm-sitemap.json`"), 1);
    assert_eq!(site.read("llm-sitemap.json"), theirs);
    assert!(!site.path().join("tea/llm.json").exists());
    assert_eq!(site.read("tea/index.html"), html);
}

#[test]
fn markdown_and_lists_that_the_owner_wrote_stay() {
    let mut site = Site::new();
    site.options.artefacts.markdown = true;
    site.options.artefacts.llms_txt = true;
    site.write("tea/index.md", "# My tea\n");
    site.write("llms.txt", "# My site\n");
    let report = site.publish(FIRST);
    assert_eq!(
        notes(&report, "`tea/index.md`") + notes(&report, "`llms.txt`"),
        2
    );
    assert_eq!(site.read("llms.txt"), "# My site\n");
    std::fs::remove_file(site.path().join("tea/index.html")).unwrap();
    std::fs::remove_file(site.path().join("milk/index.html")).unwrap();
    site.publish(NEXT);
    assert_eq!(site.read("tea/index.md"), "# My tea\n");
    assert!(
        !site.path().join("milk/index.md").exists(),
        "that one was ours"
    );
}

#[test]
fn a_machine_page_goes_with_its_page_although_no_sitemap_names_it() {
    let site = Site::new();
    site.publish(FIRST);
    std::fs::remove_file(site.path().join("llm-sitemap.json")).unwrap();
    std::fs::remove_file(site.path().join("tea/index.html")).unwrap();
    site.publish(NEXT);
    assert!(!site.path().join("tea/llm.json").exists());
}

fn line(path: &str) -> String {
    let html = crate::site::html(path, &words(path));
    serde_json::json!({"url": format!("https://example.com/{path}"), "html": html}).to_string()
}

fn publish_lines(store: &dyn Store, options: &Options, now: &str) -> Report {
    let lines = [line("a"), line("b")].join("\n");
    let source = LinesSource::spooled("lines", lines.as_bytes(), Limits::default()).unwrap();
    publish(&source, store, None, options, time(now), &()).unwrap()
}

/// Put before the application, they would hide its own: rules for robots among them.
#[test]
fn lines_replace_no_robots_txt_and_no_sitemap_that_was_not_seen() {
    let out = tempfile::tempdir().unwrap();
    let store = Folder::new(out.path()).unwrap();
    let mut options = Options::new("https://example.com/".parse().unwrap());
    for form in [SitemapForm::Extended, SitemapForm::Separate] {
        options.artefacts.sitemap = form;
        let report = publish_lines(&store, &options, FIRST);
        for name in ["robots.txt", "sitemap.xml"] {
            assert!(!out.path().join(name).exists(), "{name} of {form:?}");
        }
        let ours = match form {
            SitemapForm::Separate => "sitemap-scp.xml",
            _ => "sitecast-sitemap.xml",
        };
        let line = format!("add `Sitemap: https://example.com/{ours}` to it");
        assert_eq!(notes(&report, &line), 1, "{:?}", report.notes);
        let published = Published::read_sitemap(out.path(), "https://example.com/", ours);
        assert_eq!(published.followed("all").len(), 2);
    }
}

#[test]
fn lines_extend_the_robots_txt_and_the_sitemap_that_are_there() {
    let out = tempfile::tempdir().unwrap();
    let robots = "User-agent: *\nDisallow: /admin/\n";
    let own = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://example.com/a</loc></url></urlset>";
    std::fs::write(out.path().join("robots.txt"), robots).unwrap();
    std::fs::write(out.path().join("sitemap.xml"), own).unwrap();
    let store = Folder::new(out.path()).unwrap();
    let options = Options::new("https://example.com/".parse().unwrap());
    let report = publish_lines(&store, &options, FIRST);
    let robots_now = std::fs::read_to_string(out.path().join("robots.txt")).unwrap();
    assert!(robots_now.starts_with(robots) && robots_now.contains("Sitemap: "));
    assert_eq!(notes(&report, "robots.txt"), 0, "{:?}", report.notes);
    let published = Published::read(out.path(), "https://example.com/");
    assert_eq!(published.followed("all").len(), 2);
    // The next run goes on from it.
    let report = publish_lines(&store, &options, NEXT);
    assert_eq!((report.pages.unchanged, report.artefacts.len()), (2, 0));
}
