use std::fs;

use sitecast_extract::{Rule, Rules};
use sitecast_publish::{FolderSource, Progress, Section, SnapshotReason, Step, publish};
use sitecast_storage::Folder;

use crate::site::{Site, age, html, publish_folder, time, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";

#[test]
fn nothing_changed_means_nothing_written() {
    for cached in [false, true] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        site.publish(FIRST);
        let before = site.files();
        let report = site.publish(NEXT);
        assert_eq!((report.pages.unchanged, report.pages.changed), (5, 0));
        assert_eq!((report.collections.len(), report.artefacts.len()), (0, 0));
        assert_eq!(site.files(), before);
    }
}

#[test]
fn a_delta_holds_exactly_what_changed() {
    for cached in [false, true] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        site.publish(FIRST);
        site.page("tea", &words("green tea"));
        site.page("juice", &words("juice"));
        fs::remove_file(site.path().join("milk/index.html")).unwrap();
        let report = site.publish(NEXT);
        let pages = report.pages;
        assert_eq!(
            (pages.new, pages.changed, pages.unchanged, pages.deleted),
            (1, 1, 3, 1)
        );
        let published = site.published();
        let (changed, deleted) = published.delta("all");
        assert_eq!(
            changed,
            ["https://example.com/juice/", "https://example.com/tea/"]
        );
        assert_eq!(deleted, ["https://example.com/milk/"]);

        // What an agent has after the delta is what a new snapshot has.
        let followed = published.followed("all");
        site.options.full = true;
        site.publish("2025-06-03T12:00:00Z");
        assert_eq!(followed, site.published().snapshot("all"));
    }
}

#[test]
fn notices_added_removed_and_renamed_pages_with_a_cache() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.publish(FIRST);
    let report = site.publish("2025-06-02T12:00:00Z");
    assert_eq!((report.pages.unchanged, report.pages.deleted), (5, 0));
    site.page("juice", &words("juice"));
    fs::remove_file(site.path().join("milk/index.html")).unwrap();
    fs::rename(site.path().join("tea"), site.path().join("herbs")).unwrap();
    let report = site.publish("2025-06-02T14:00:00Z");
    let pages = report.pages;
    assert_eq!((pages.new, pages.unchanged, pages.deleted), (2, 3, 2));
}

#[test]
fn modified_moves_when_and_only_when_the_text_does() {
    let site = Site::new();
    site.publish(FIRST);
    let before = site.published().snapshot("all");
    // Another menu, another footer, other markup around the same text.
    for topic in ["tea", "coffee", "water", "milk"] {
        let page = html(topic, &words(topic))
            .replace(
                "<nav>",
                "<div class=\"menu nav\"><a href=\"/shop/\">Shop</a>",
            )
            .replace("</nav>", "</div>")
            .replace("2025", "2026")
            .replace("<main>", "<main class=\"new theme\"><div>")
            .replace("</main>", "</div></main>");
        site.write(&format!("{topic}/index.html"), &page);
    }
    site.page("coffee", &words("espresso"));
    let report = site.publish(NEXT);
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    let after = site.published().followed("all");
    for (url, page) in &before {
        if url.contains("coffee") {
            assert!(after[url].modified > page.modified);
        } else {
            assert_eq!(after[url].modified, page.modified, "{url}");
        }
    }
}

#[test]
fn a_changed_rule_makes_pages_anew_though_no_file_changed() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    let aside = format!(
        "{}</p><p class=aside>Ask {}",
        words("tea"),
        words("a doctor")
    );
    site.page("tea", &aside);
    age(&site);
    site.publish(FIRST);
    assert!(site.read("tea/llm.json").contains("Ask"));

    let mut rule = Rule::new(Some("/tea/")).unwrap();
    rule.exclude = vec![".aside".parse().unwrap()];
    let base = site.options.base.as_url().clone();
    site.options.extract_rules = Rules::new(Some(&base), vec![rule]);
    let report = site.publish(NEXT);
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    assert!(!site.read("tea/llm.json").contains("Ask"));

    site.options.extract_rules = Rules::default();
    let report = site.publish("2025-06-03T12:00:00Z");
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    assert!(site.read("tea/llm.json").contains("Ask"));
}

#[test]
fn files_written_anew_with_the_same_bytes_are_no_change() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.publish(FIRST);
    let linked = site.read("tea/index.html");
    // A build writes all files again, without our links.
    for topic in ["tea", "coffee", "water", "milk"] {
        site.page(topic, &words(topic));
    }
    let report = site.publish(NEXT);
    assert_eq!((report.pages.changed, report.collections.len()), (0, 0));
    assert_eq!(site.read("tea/index.html"), linked);
}

#[test]
fn the_cache_may_be_lost_at_any_time() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.publish(FIRST);
    for name in ["head.json", "items.jsonl", "pages.jsonl", "template.json"] {
        let path = cache.path().join(name);
        assert!(path.exists(), "{name}");
        fs::write(path, "rubbish").unwrap();
        site.page("tea", &words(name));
        let now = format!("2025-06-02T12:00:{:02}Z", name.len());
        let report = site.publish(&now);
        assert_eq!(
            (report.pages.changed, report.pages.unchanged),
            (1, 4),
            "{name}"
        );
    }
}

#[test]
fn generated_increases_even_if_the_clock_does_not() {
    let site = Site::new();
    site.publish(FIRST);
    for n in 0..3 {
        site.page("tea", &words(&format!("tea number {n}")));
        site.publish(FIRST);
    }
    let published = site.published();
    // Asserts that the chain has no gap and that times move.
    let pages = published.followed("all");
    assert!(sitecast_scp::to_text(&pages["https://example.com/tea/"]).contains("number 2"));
}

#[test]
fn a_clock_that_is_far_behind_is_an_error() {
    let site = Site::new();
    site.publish(NEXT);
    let before = site.files();
    site.page("tea", &words("another tea"));
    let changed = site.files();
    let error = site.try_publish("2024-01-01T00:00:00Z").unwrap_err();
    assert!(error.to_string().contains("still to come"), "{error}");
    assert_eq!(site.files(), changed);
    assert_ne!(before, changed);
}

#[test]
fn snapshots_follow_when_deltas_grow_or_time_passes() {
    let site = Site::new();
    site.publish(FIRST);
    let mut reasons = Vec::new();
    for day in 2..25 {
        site.page("tea", &words(&format!("tea of day {day}")));
        let report = site.publish(&format!("2025-06-{day:02}T12:00:00Z"));
        reasons.extend(
            report
                .collections
                .iter()
                .filter_map(|written| written.reason),
        );
        assert_eq!(report.collections[0].kind, "delta");
    }
    assert!(reasons.contains(&SnapshotReason::Deltas), "{reasons:?}");
    // Whoever has followed from the start still can.
    let published = site.published();
    assert_eq!(
        published.followed("all"),
        published.snapshot_with_deltas("all")
    );
}

#[test]
fn old_collections_go_when_they_expire_and_are_no_longer_named() {
    let site = Site::new();
    site.publish(FIRST);
    let first = site
        .path()
        .join("scp/all-snapshot-20250601T120000Z.scp.zst");
    site.page("tea", &words("another tea"));
    site.publish("2025-06-20T12:00:00Z");
    assert!(first.exists(), "it has not expired");
    site.page("tea", &words("yet another tea"));
    site.publish("2025-07-02T12:00:00Z");
    assert!(!first.exists());
    let named = site.published();
    assert!(
        named
            .scp
            .collections
            .iter()
            .all(|c| !c.url.contains("20250601"))
    );
    named.snapshot("all");
}

#[test]
fn an_unchanged_site_gets_a_new_snapshot_before_the_last_expires() {
    let site = Site::new();
    site.publish(FIRST);
    assert!(site.publish("2025-06-20T12:00:00Z").collections.is_empty());
    let report = site.publish("2025-06-29T12:00:00Z");
    let [delta, snapshot] = &report.collections[..] else {
        panic!("{:?}", report.collections);
    };
    assert_eq!((delta.kind, delta.pages), ("delta", 0));
    assert_eq!(snapshot.reason, Some(SnapshotReason::Expiry));
    assert_eq!(site.published().snapshot("all").len(), 5);

    // Whoever follows the deltas need not take the snapshot.
    site.page("tea", &words("green tea"));
    site.publish("2025-06-30T12:00:00Z");
    let published = site.published();
    assert_eq!(published.delta("all").0, ["https://example.com/tea/"]);
    assert_eq!(published.followed("all").len(), 5);
}

#[test]
fn a_build_that_writes_its_own_sitemap_anew_does_not_lose_the_chain() {
    let own = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <url><loc>https://example.com/</loc></url><!-- mine --></urlset>\n";
    let site = Site::new();
    site.write("sitemap.xml", own);
    site.publish(FIRST);
    assert!(site.read("sitemap.xml").contains("<!-- mine -->"));
    site.write("sitemap.xml", own);
    site.page("tea", &words("another tea"));
    let report = site.publish(NEXT);
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    assert_eq!(site.published().followed("all").len(), 5);
}

#[test]
fn the_previous_publication_may_be_elsewhere() {
    let site = Site::new();
    let live = tempfile::tempdir().unwrap();
    publish_folder(site.path(), live.path(), &site.options, FIRST).unwrap();
    site.page("tea", &words("another tea"));
    let out = tempfile::tempdir().unwrap();
    let report = publish(
        &FolderSource::open(site.path()).unwrap(),
        &Folder::new(out.path()).unwrap(),
        Some(&Folder::new(live.path()).unwrap()),
        &site.options,
        time(NEXT),
        &(),
    )
    .unwrap();
    assert_eq!((report.pages.changed, report.pages.unchanged), (1, 4));
    // All that the new sitemap names is there.
    let published = crate::site::Published::read(out.path(), crate::site::BASE);
    assert_eq!(published.followed("all").len(), 5);
}

#[test]
fn robots_txt_can_take_pages_back_and_allow_them_again() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.publish(FIRST);
    site.write("robots.txt", "User-agent: *\nDisallow: /tea/\n");
    let report = site.publish(NEXT);
    assert_eq!((report.pages.deleted, report.pages.excluded), (1, 1));
    assert_eq!(
        site.published().delta("all").1,
        ["https://example.com/tea/"]
    );
    site.write("robots.txt", "User-agent: *\n");
    let report = site.publish("2025-06-03T12:00:00Z");
    assert_eq!((report.pages.new, report.pages.excluded), (1, 0));
    assert_eq!(site.published().followed("all").len(), 5);
}

/// Counts what is looked at.
struct Counted<'a> {
    source: FolderSource,
    loaded: &'a std::sync::Mutex<Vec<String>>,
}

impl sitecast_publish::Source for Counted<'_> {
    fn name(&self) -> String {
        self.source.name()
    }

    fn items(&self) -> Result<sitecast_publish::Items, sitecast_publish::PublishError> {
        self.source.items()
    }

    fn load(
        &self,
        item: sitecast_publish::Item<'_>,
    ) -> Result<sitecast_publish::Loaded, sitecast_publish::PublishError> {
        self.loaded.lock().unwrap().push(item.key.to_string());
        self.source.load(item)
    }

    fn site_file(&self, path: &str) -> Result<Option<Vec<u8>>, sitecast_publish::PublishError> {
        self.source.site_file(path)
    }

    fn changed(
        &self,
        item: sitecast_publish::Item<'_>,
    ) -> Result<Option<std::time::SystemTime>, sitecast_publish::PublishError> {
        self.source.changed(item)
    }

    fn folder(&self) -> Option<&std::path::Path> {
        self.source.folder()
    }
}

#[test]
fn with_its_cache_a_run_looks_only_at_files_that_were_written() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    age(&site);
    let loaded = std::sync::Mutex::new(Vec::new());
    let run = |now: &str| {
        let source = Counted {
            source: FolderSource::open(site.path()).unwrap(),
            loaded: &loaded,
        };
        let store = Folder::new(site.path()).unwrap();
        publish(&source, &store, None, &site.options, time(now), &()).unwrap();
        std::mem::take(&mut *loaded.lock().unwrap())
    };
    assert!(run(FIRST).len() >= 5);
    assert_eq!(run(NEXT), [""; 0]);
    site.page("tea", &words("another tea"));
    let mut looked_at = run("2025-06-03T12:00:00Z");
    looked_at.dedup();
    assert_eq!(looked_at, ["tea/index.html"]);
}

/// Notes the steps of a run.
#[derive(Default)]
struct Steps(std::sync::Mutex<Vec<Step>>);

impl Progress for Steps {
    fn begin(&self, step: Step, _total: Option<u64>) {
        self.0.lock().unwrap().push(step);
    }
}

#[test]
fn a_run_with_nothing_to_do_is_short_and_reports_what_a_long_one_does() {
    let mut site = Site::new();
    let (cache, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    site.write("404.html", &html("Not found", "Nothing is here."));
    let redirect = "<!DOCTYPE html><meta http-equiv=refresh content='0; url=/tea/'>";
    site.write("old/index.html", redirect);
    site.options.sections.push(Section {
        name: "nobody".parse().unwrap(),
        paths: vec!["/nobody/**".to_owned()],
        ..site.options.sections[0].clone()
    });
    // The owner's own, which stays as it is, and is mentioned each time.
    fs::write(out.path().join("llms.txt"), "# Mine").unwrap();
    site.options.artefacts.llms_txt = true;
    age(&site);
    let mut run = |is_cached: bool, now: &str| {
        site.options.cache = is_cached.then(|| cache.path().to_owned());
        let source = FolderSource::open(site.path()).unwrap();
        let (store, steps) = (Folder::new(out.path()).unwrap(), Steps::default());
        let report = publish(&source, &store, None, &site.options, time(now), &steps).unwrap();
        (report, steps.0.into_inner().unwrap())
    };
    run(true, FIRST);
    let (long, _) = run(false, NEXT);
    let (short, steps) = run(true, NEXT);
    assert_eq!(steps, [Step::List, Step::Previous]);
    assert_eq!(short, long);
    assert_eq!((short.pages.unchanged, short.excluded.len()), (5, 2));
    assert_eq!(short.notes.len(), 2, "{:?}", short.notes);
    // What is due because time has passed is done all the same.
    let (late, _) = run(true, "2025-06-28T12:00:00Z");
    assert!(!late.collections.is_empty());
    fs::remove_file(out.path().join("llms.txt")).unwrap();
    let (report, _) = run(true, "2025-06-28T13:00:00Z");
    assert_eq!(report.notes.len(), 1);
    assert!(out.path().join("llms.txt").exists());
}

/// Another template would make other pages of the same HTML, and of a machine that is thrown away no cache is left.
#[test]
fn without_a_cache_the_template_is_the_one_of_the_last_publication() {
    const TEMPLATE: &str = "sitecast-template.json";
    let mut site = Site::new();
    let learns = |site: &Site, now: &str| {
        let source = FolderSource::open(site.path()).unwrap();
        let (store, steps) = (Folder::new(site.path()).unwrap(), Steps::default());
        publish(&source, &store, None, &site.options, time(now), &steps).unwrap();
        steps.0.into_inner().unwrap().contains(&Step::Learn)
    };
    assert!(learns(&site, FIRST));
    let template = site.read(TEMPLATE);
    site.page("tea", &words("green tea"));
    assert!(!learns(&site, NEXT));
    assert_ne!(site.read(TEMPLATE), template, "the sample is another one");
    // Elsewhere, too.
    let elsewhere = Folder::new(site.path()).unwrap();
    let (out, steps) = (tempfile::tempdir().unwrap(), Steps::default());
    let source = FolderSource::open(site.path()).unwrap();
    let store = Folder::new(out.path()).unwrap();
    let now = time("2025-06-02T13:00:00Z");
    publish(
        &source,
        &store,
        Some(&elsewhere),
        &site.options,
        now,
        &steps,
    )
    .unwrap();
    assert!(!steps.0.into_inner().unwrap().contains(&Step::Learn));
    assert!(out.path().join(TEMPLATE).exists());
    // Most of the sample is new.
    for topic in ["tea", "coffee", "water"] {
        site.page(topic, &words(&format!("black {topic}")));
    }
    assert!(learns(&site, "2025-06-03T12:00:00Z"));
    assert!(!learns(&site, "2025-06-04T12:00:00Z"));
    site.write(TEMPLATE, &template.replace('}', ""));
    assert!(learns(&site, "2025-06-05T12:00:00Z"));
    assert!(!learns(&site, "2025-06-05T13:00:00Z"));
    site.options.artefacts.template = false;
    learns(&site, "2025-06-06T12:00:00Z");
    assert!(!site.path().join(TEMPLATE).exists());
    // Somebody else's.
    site.write(TEMPLATE, "{}");
    site.options.artefacts.template = true;
    learns(&site, "2025-06-07T12:00:00Z");
    assert_eq!(site.read(TEMPLATE), "{}");
}

/// The language is none of the text: pages that take theirs from the site neither change nor move with it.
#[test]
fn a_page_that_takes_its_language_from_the_site_moves_only_with_its_own_text() {
    const TEMPLATE: &str = "sitecast-template.json";
    let german = |topic: &str| {
        format!(
            "Alles, was man über {topic} wissen muss, steht auf dieser Seite, und zwar in Sätzen, die lang genug sind. \
             Die Geschichte von {topic} ist noch nicht zu Ende, und wer sie erzählt, der weiß auch nicht, wie es mit \
             {topic} weitergeht, aber eine Zukunft ist nach allem, was wir bisher wissen, nicht ausgeschlossen."
        )
    };
    for cached in [false, true] {
        let mut site = Site::empty();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        let page = |topic: &str, text: &str| {
            let html = html(topic, text).replace(" lang=\"en\"", "");
            site.write(&format!("{topic}/index.html"), &html);
        };
        let topics = ["Tee", "Kaffee", "Wasser", "Milch", "Saft"];
        for topic in topics {
            page(topic, &german(topic));
        }
        page("Kakao", "Kakao ist leider aus.");
        site.publish(FIRST);
        let first = site.published().snapshot("all");
        let short = "https://example.com/Kakao/";
        assert_eq!(first[short].language.as_str(), "de");

        // A template of before languages were learnt is as good as it was.
        let mut template: serde_json::Value = serde_json::from_str(&site.read(TEMPLATE)).unwrap();
        let stored = template["template"].as_str().unwrap();
        let mut stored: serde_json::Value = serde_json::from_str(stored).unwrap();
        assert!(
            stored
                .as_object_mut()
                .unwrap()
                .remove("languages")
                .is_some()
        );
        template["template"] = stored.to_string().into();
        site.write(TEMPLATE, &template.to_string());
        page("Tee", &german("grünen Tee"));
        let report = site.publish(NEXT);
        assert_eq!((report.pages.unchanged, report.pages.changed), (5, 1));

        // The site is in another language now.
        for topic in topics {
            page(topic, &words(topic));
        }
        let report = site.publish("2025-06-03T12:00:00Z");
        assert_eq!((report.pages.unchanged, report.pages.changed), (1, 5));
        let last = site.published().followed("all");
        assert_eq!(last[short], first[short]);
        assert_eq!(last["https://example.com/Tee/"].language.as_str(), "en");
    }
}

/// Builds that are to be the same on every machine give all files one date.
#[cfg(unix)]
#[test]
fn a_change_that_neither_size_nor_date_show_is_noticed() {
    for in_place in [true, false] {
        let mut site = Site::new();
        let (cache, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        site.options.cache = Some(cache.path().to_owned());
        let out = if in_place { site.path() } else { out.path() };
        let dated = |topic: &str, text: &str| {
            site.page(topic, text);
            let page = site.path().join(topic).join("index.html");
            let file = fs::File::options().write(true).open(page).unwrap();
            let date = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
            file.set_modified(date).unwrap();
        };
        let publish = |now: &str| publish_folder(site.path(), out, &site.options, now).unwrap();
        for topic in ["tea", "coffee"] {
            dated(topic, &words(topic));
        }
        publish(FIRST);
        // The clock of a file system may be some milliseconds behind.
        std::thread::sleep(std::time::Duration::from_millis(50));
        dated("tea", &words("eat"));
        dated("coffee", &words("coffee"));
        let pages = publish(NEXT).pages;
        assert_eq!((pages.changed, pages.new), (1, 0), "in place: {in_place}");
        // It is seen once.
        let pages = publish("2025-06-03T12:00:00Z").pages;
        assert_eq!((pages.changed, pages.new), (0, 0), "in place: {in_place}");
    }
}

#[test]
fn what_was_lost_or_is_asked_for_anew_is_written_though_no_page_changed() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    age(&site);
    site.publish(FIRST);
    let written = |report: &sitecast_publish::Report| -> Vec<&str> {
        let written = report.artefacts.iter().map(|artefact| artefact.kind);
        written.collect()
    };
    let policy = site.read("llm-policy.json");
    let sitemap = site.read("sitemap.xml");
    assert_eq!(written(&site.publish(NEXT)), [""; 0]);
    fs::remove_file(site.path().join("llm-policy.json")).unwrap();
    assert_eq!(written(&site.publish(NEXT)), ["policy"]);
    assert_eq!(site.read("llm-policy.json"), policy);
    site.write(
        "sitemap.xml",
        &sitemap.replace("</urlset>", "</urlset><!-- -->"),
    );
    assert_eq!(written(&site.publish(NEXT)), ["sitemap"]);
    assert_eq!(site.read("sitemap.xml"), sitemap);
    site.options.artefacts.llms_txt = true;
    assert_eq!(written(&site.publish(NEXT)), ["llms-txt"]);
    assert_eq!(written(&site.publish(NEXT)), [""; 0]);
}

#[test]
fn links_that_are_switched_on_later_reach_pages_that_did_not_change() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.options.artefacts.html_links = false;
    age(&site);
    site.publish(FIRST);
    assert!(!site.read("tea/index.html").contains("llm.json"));
    site.options.artefacts.html_links = true;
    site.publish(NEXT);
    assert!(site.read("tea/index.html").contains("llm.json"));
    let before = site.files();
    site.publish("2025-06-03T12:00:00Z");
    assert_eq!(site.files(), before);
}

#[test]
fn a_page_that_comes_back_does_not_go_back_in_time() {
    for cached in [false, true] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = cached.then(|| cache.path().to_owned());
        age(&site);
        let page = fs::read(site.path().join("tea/index.html")).unwrap();
        site.publish("2030-06-01T12:00:00Z");
        site.page("tea", &words("another tea"));
        site.publish("2030-06-02T12:00:00Z");
        let modified = |site: &Site| {
            let pages = site.published().snapshot_with_deltas("all");
            pages["https://example.com/tea/"].modified
        };
        let before = modified(&site);
        fs::remove_file(site.path().join("tea/index.html")).unwrap();
        site.publish("2030-06-03T12:00:00Z");
        // A snapshot does not make it forgotten.
        site.options.full = true;
        site.publish("2030-06-04T12:00:00Z");
        site.options.full = false;
        fs::create_dir_all(site.path().join("tea")).unwrap();
        fs::write(site.path().join("tea/index.html"), &page).unwrap();
        age(&site);
        assert_eq!(site.publish("2030-06-05T12:00:00Z").pages.new, 1);
        assert!(modified(&site) > before, "cached: {cached}");
    }
}
