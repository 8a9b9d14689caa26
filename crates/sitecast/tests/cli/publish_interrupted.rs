//! `sitecast publish` that is killed, or runs out of disk: what is published, and what the next run makes of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use sitecast_scp::{Event, Reader};
use sitecast_sitemap::{Event as SitemapEvent, ScpEntry, SitemapReader};

use crate::publish::{Site, text};

/// Random numbers that are the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Publishes with a limit on the size of files: what a full disk looks like to a process.
fn with_little_room(site: &Site, kilobytes: u32) {
    let binary = assert_cmd::cargo::cargo_bin("sitecast");
    let script = format!(
        "ulimit -f {kilobytes}; trap '' XFSZ; exec '{}' publish public --base-url https://example.com --no-cache",
        binary.display()
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(site.folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("error:"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_last_publication_whole() {
    let site = Site::new(30);
    site.report(&[]);
    let before = fs::read(site.root().join("sitemap.xml")).unwrap();
    for n in 1..30 {
        site.page(&format!("{n}/index.html"), &format!("another {n}"));
    }
    with_little_room(&site, 1);
    assert_eq!(fs::read(site.root().join("sitemap.xml")).unwrap(), before);
    site.check();
    site.report(&[]);
    site.check();
}

#[test]
fn a_disk_that_fills_up_among_the_machine_pages_is_made_good_by_the_next_run() {
    let site = Site::new(200);
    site.report(&["--no-cache"]);
    let read = |name: &str| fs::read_to_string(site.root().join(name)).unwrap();
    let (sitemap, page) = (read("sitemap.xml"), read("7/llm.json"));
    assert!(read("llm-sitemap.json").len() > 40_000);
    site.page("7/index.html", "another seven");
    // The delta and the machine page fit, the JSON sitemap does not.
    with_little_room(&site, 20);
    assert_ne!(read("7/llm.json"), page, "the test tests nothing");
    assert_eq!(read("sitemap.xml"), sitemap);
    is_whole(&site.root());
    site.page("7/index.html", "number 7");
    site.report(&["--no-cache"]);
    assert_eq!(read("7/llm.json"), page);
    assert!(
        is_whole(&site.root()),
        "it says that a publication is under way"
    );
}

/// Killed at random moments, what is published is always whole, and the next run completes.
#[cfg(unix)]
#[test]
fn killed_at_any_moment_what_is_published_is_whole() {
    let started = Instant::now();
    let (measured, mut random) = (Site::new(24), Random(0x5ca1_ab1e));
    measured.report(&[]);
    let whole = started.elapsed();
    let (mut runs, mut killed, mut at_work) = (0, 0, 0);
    for _ in 0..8 {
        // Each begins with a site that was never published.
        let site = Site::new(24);
        let settings = "[publish.sections.some]\npaths = [\"/1/**\", \"/2/**\", \"/3/**\"]\n";
        fs::write(site.folder.path().join("sitecast.toml"), settings).unwrap();
        for round in 0..20 {
            change(&site, &mut random, round);
            let mut arguments = vec!["publish", "public", "--base-url", "https://example.com"];
            arguments.extend((random.below(3) == 0).then_some("--no-cache"));
            let mut child = Command::new(assert_cmd::cargo::cargo_bin("sitecast"))
                .args(arguments)
                .current_dir(site.folder.path())
                .env("SITECAST_CACHE", site.folder.path().join("cache"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(whole.mul_f64(random.below(1_000) as f64 / 1_000.0));
            runs += 1;
            killed += u32::from(child.try_wait().unwrap().is_none());
            let _ = child.kill();
            child.wait().unwrap();
            at_work += u32::from(!is_whole(&site.root()));
            if round % 5 == 4 {
                site.report(&[]);
                assert!(
                    is_whole(&site.root()),
                    "it says that a publication is under way"
                );
                has_no_litter(&site.root());
            }
        }
        site.check();
    }
    assert!(
        killed > runs / 4 && at_work > 3,
        "only {killed} of {runs} runs were killed, {at_work} of them while they wrote: the test tests nothing"
    );
}

/// Some pages say something else, some are gone, and some are back.
#[cfg(unix)]
fn change(site: &Site, random: &mut Random, round: u32) {
    for _ in 0..5 {
        let n = 1 + random.below(23);
        site.page(&format!("{n}/index.html"), &format!("round {round} of {n}"));
    }
    let gone = format!("{}/index.html", 1 + random.below(23));
    let _ = fs::remove_file(site.root().join(gone));
}

/// Sees that all that is published is right: every collection that the sitemap names is there, whole, and as large
/// as it says; every machine page that the JSON sitemap names is there, and is what it says, unless a publication is
/// under way. Answers whether none is.
fn is_whole(root: &Path) -> bool {
    let mut named = BTreeMap::new();
    if let Ok(file) = fs::File::open(root.join("sitemap.xml")) {
        let mut sitemap = SitemapReader::new(file);
        while let Some(event) = sitemap.next_event().unwrap() {
            if let SitemapEvent::Scp(ScpEntry::Collection(collection)) = event {
                named.insert(collection.url.clone(), collection);
            }
        }
        assert!(named.len() >= 2);
    }
    for (url, collection) in named {
        let path = root.join(url.strip_prefix("https://example.com/").unwrap());
        let file = fs::File::open(&path).unwrap();
        assert_eq!(file.metadata().unwrap().len(), collection.size.unwrap());
        let mut reader = Reader::new(file).unwrap();
        while let Some(event) = reader.next_event().unwrap() {
            assert!(matches!(event, Event::Page(_)));
        }
    }
    let is_whole = !root.join(".sitecast-publishing").exists();
    for (item, page) in machine_pages(root) {
        assert_eq!(page["canonical_url"], item["cUrl"]);
        assert!(!is_whole || page["hash"] == item["contentHash"], "{item}");
    }
    is_whole
}

/// The items of the JSON sitemap, if there is one, each with its machine page.
fn machine_pages(root: &Path) -> Vec<(Value, Value)> {
    let read = |path: &str| -> Value {
        serde_json::from_slice(&fs::read(root.join(path)).unwrap()).unwrap()
    };
    if !root.join("llm-sitemap.json").exists() {
        return Vec::new();
    }
    let sitemap = read("llm-sitemap.json");
    let items = sitemap["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let url = item["mUrl"].as_str().unwrap();
            let page = read(url.strip_prefix("https://example.com/").unwrap());
            (item.clone(), page)
        })
        .collect()
}

/// Nothing is left of runs that were killed: no temporary files, no machine page that nobody names.
#[cfg(unix)]
fn has_no_litter(root: &Path) {
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    };
    let mut pages = 0;
    for name in names(root) {
        assert!(!name.starts_with(".sitecast"), "{name}");
        let folder = root.join(name);
        if folder.is_dir() {
            pages += names(&folder)
                .iter()
                .filter(|name| *name == "llm.json")
                .count();
        }
    }
    // The homepage's is at the top.
    assert_eq!(pages + 1, machine_pages(root).len());
}
