//! Folders that somebody else filled: links out of them, pipes, files that come and go during the run.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use sitecast_publish::{
    FolderSource, Item, Items, Loaded, Options, PublishError, Report, Source, publish,
};
use sitecast_storage::Folder;

use crate::site::{BASE, Published, Site, html, publish_folder, time, words};

const NOW: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const SECRET: &str = "root:x:0:0 the secret words of another folder";

fn reasons(report: &Report) -> Vec<(&str, &str)> {
    let mut reasons: Vec<_> = report
        .excluded
        .iter()
        .map(|left_out| (left_out.item.as_str(), left_out.reason.code()))
        .collect();
    reasons.sort_unstable();
    reasons
}

fn secret() -> tempfile::TempDir {
    let outside = tempfile::tempdir().unwrap();
    let page = html("Secret", &words(SECRET));
    fs::write(outside.path().join("secret.html"), page).unwrap();
    fs::write(outside.path().join("secret.txt"), SECRET).unwrap();
    let urls = format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
         <url><loc>{BASE}{}</loc></url></urlset>",
        "secret-page"
    );
    fs::write(outside.path().join("secret.xml"), urls).unwrap();
    outside
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// All bytes that were published, with collections in plain.
fn out(site: &Site) -> (tempfile::TempDir, Options) {
    let mut options = site.options.clone();
    options.compressions = vec![sitecast_scp::Compression::None];
    (tempfile::tempdir().unwrap(), options)
}

fn holds(folder: &Path, text: &str) -> bool {
    let found = Command::new("grep")
        .args(["-rqF", text])
        .arg(folder)
        .status();
    found.unwrap().success()
}

#[test]
fn links_pipes_and_dead_links_are_left_out_with_their_reasons() {
    let (site, outside) = (Site::new(), secret());
    let at = |name: &str| site.path().join(name);
    symlink(outside.path().join("secret.html"), at("out.html")).unwrap();
    symlink("nothing.html", at("dangling.html")).unwrap();
    symlink("circle.html", at("circle.html")).unwrap();
    // No system takes such a name.
    let long = format!("{}.html", "x".repeat(300));
    symlink(&long, at("long.html")).unwrap();
    symlink(outside.path().join(&long), at("long-out.html")).unwrap();
    symlink(outside.path().join("secret.xml"), at("sitemap.xml")).unwrap();
    mkfifo(&at("pipe.html"));
    let large = fs::File::create(at("large.html")).unwrap();
    large.set_len(1 << 40).unwrap();
    let (to, options) = out(&site);
    let report = publish_folder(site.path(), to.path(), &options, NOW).unwrap();
    assert_eq!(
        reasons(&report),
        [
            ("circle.html", "dangling-link"),
            ("dangling.html", "dangling-link"),
            ("large.html", "unusable"),
            ("long-out.html", "dangling-link"),
            ("long.html", "dangling-link"),
            ("out.html", "outside-link"),
            ("pipe.html", "not-a-file"),
            ("sitemap.xml", "outside-link"),
        ]
    );
    assert_eq!(report.pages.new, 5);
    assert!(!holds(to.path(), "secret"));
    // The site has a sitemap that was not seen: it is not replaced.
    assert!(!to.path().join("sitemap.xml").exists());
    assert!(to.path().join("sitecast-sitemap.xml").exists());
}

#[test]
fn child_sitemaps_out_of_the_folder_are_not_read() {
    let (site, outside) = (Site::new(), secret());
    site.write(
        "sitemap.xml",
        &format!(
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
             <sitemap><loc>{BASE}child.xml</loc></sitemap></sitemapindex>"
        ),
    );
    symlink(
        outside.path().join("secret.xml"),
        site.path().join("child.xml"),
    )
    .unwrap();
    let (to, options) = out(&site);
    let report = publish_folder(site.path(), to.path(), &options, NOW).unwrap();
    assert_eq!(reasons(&report), [("child.xml", "outside-link")]);
    assert!(!holds(to.path(), "secret-page"));
}

/// Where its target may not be looked at, nobody knows what it is: it leads out.
#[test]
fn a_link_into_a_folder_that_may_not_be_entered_is_left_out() {
    use std::os::unix::fs::PermissionsExt;

    let (site, outside) = (Site::new(), secret());
    let secret = outside.path().join("secret.html");
    symlink(&secret, site.path().join("closed.html")).unwrap();
    let close = |mode| {
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    close(0o000);
    let (to, options) = out(&site);
    let report = publish_folder(site.path(), to.path(), &options, NOW);
    close(0o700);
    // The superuser may enter it, and finds that it leads out.
    assert_eq!(reasons(&report.unwrap()), [("closed.html", "outside-link")]);
}

#[test]
fn compressed_copies_that_are_not_to_be_read_are_passed_over() {
    for in_place in [true, false] {
        let (site, outside) = (Site::new(), secret());
        let copies = ["sitemap.xml.gz", "sitemap.xml.br", "robots.txt.gz"];
        for copy in copies {
            let link = site.path().join(copy);
            symlink(outside.path().join("secret.txt"), link).unwrap();
        }
        let (to, options) = out(&site);
        let to = if in_place { site.path() } else { to.path() };
        let report = publish_folder(site.path(), to, &options, NOW).unwrap();
        for copy in copies {
            let is_told = |note: &String| note.contains(copy) && note.contains("out of the folder");
            assert!(report.notes.iter().any(is_told), "{:?}", report.notes);
        }
        assert!(!to.join(".sitecast-publishing").exists());
        let secret = fs::read_to_string(outside.path().join("secret.txt"));
        assert_eq!(secret.unwrap(), SECRET);
    }
}

#[test]
fn what_is_in_the_way_of_a_file_is_named_before_anything_is_put() {
    for name in [
        "llm-policy.json",
        "llm-sitemap.json",
        "sitecast-template.json",
    ] {
        for kind in ["link", "dangling", "folder"] {
            let (site, outside) = (Site::new(), secret());
            let place = site.path().join(name);
            match kind {
                "link" => symlink(outside.path().join("secret.txt"), place).unwrap(),
                "dangling" => symlink("nowhere", place).unwrap(),
                _ => fs::create_dir(place).unwrap(),
            }
            let error = site.try_publish(NOW).unwrap_err();
            assert!(
                matches!(&error, PublishError::InTheWay { path, .. } if path.ends_with(name)),
                "{kind}: {error}"
            );
            for put in ["scp", ".sitecast-publishing", "tea/llm.json"] {
                assert!(!site.path().join(put).exists(), "{name} {kind}: {put}");
            }
        }
    }
}

/// Nobody knows what it forbids.
#[test]
fn a_robots_txt_that_is_not_to_be_read_ends_the_publication() {
    for kind in ["link", "pipe", "device"] {
        let (site, outside) = (Site::new(), secret());
        let robots = site.path().join("robots.txt");
        match kind {
            "link" => symlink(outside.path().join("secret.txt"), robots).unwrap(),
            "pipe" => mkfifo(&robots),
            _ => symlink("/dev/zero", robots).unwrap(),
        }
        let (to, options) = out(&site);
        let error = publish_folder(site.path(), to.path(), &options, NOW).unwrap_err();
        assert!(
            matches!(&error, PublishError::Refused { path, .. } if path.ends_with("robots.txt")),
            "{kind}: {error}"
        );
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0, "{kind}");
    }
}

/// A folder in which something happens after it was listed.
struct Restless<F> {
    folder: FolderSource,
    happens: F,
}

impl<F: Fn() + Sync> Source for Restless<F> {
    fn name(&self) -> String {
        self.folder.name()
    }

    fn items(&self) -> Result<Items, PublishError> {
        let items = self.folder.items();
        (self.happens)();
        items
    }

    fn load(&self, item: Item<'_>) -> Result<Loaded, PublishError> {
        self.folder.load(item)
    }

    fn changed(&self, item: Item<'_>) -> Result<Option<SystemTime>, PublishError> {
        self.folder.changed(item)
    }

    fn site_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        self.folder.site_file(path)
    }
}

fn publish_restless(
    site: &Site,
    to: &Path,
    options: &Options,
    now: &str,
    happens: impl Fn() + Sync,
) -> Result<Report, PublishError> {
    let source = Restless {
        folder: FolderSource::open(site.path()).unwrap(),
        happens,
    };
    let store = Folder::new(to).unwrap();
    publish(&source, &store, None, options, time(now), &())
}

#[test]
fn a_page_that_is_swapped_for_a_link_during_the_run_is_not_followed() {
    let (site, outside) = (Site::new(), secret());
    let (to, options) = out(&site);
    let report = publish_restless(&site, to.path(), &options, NOW, || {
        fs::remove_file(site.path().join("tea/index.html")).unwrap();
        let secret = outside.path().join("secret.html");
        symlink(secret, site.path().join("tea/index.html")).unwrap();
        // A folder on the way, too.
        fs::rename(site.path().join("milk"), site.path().join("old")).unwrap();
        fs::copy(
            outside.path().join("secret.html"),
            outside.path().join("index.html"),
        )
        .unwrap();
        symlink(outside.path(), site.path().join("milk")).unwrap();
    })
    .unwrap();
    assert_eq!(
        reasons(&report),
        [
            ("milk/index.html", "outside-link"),
            ("tea/index.html", "outside-link")
        ]
    );
    assert_eq!(report.pages.new, 3);
    assert!(!holds(to.path(), "secret"));
}

#[test]
fn a_file_that_vanishes_during_the_run_is_left_out_and_the_rest_goes_on() {
    let site = Site::new();
    let (to, mut options) = out(&site);
    let cache = tempfile::tempdir().unwrap();
    options.cache = Some(cache.path().to_owned());
    let tea = site.path().join("tea/index.html");
    let aside = site.path().join("tea/aside");
    let report = publish_restless(&site, to.path(), &options, NOW, || {
        fs::rename(&tea, &aside).unwrap();
    })
    .unwrap();
    assert_eq!(reasons(&report), [("tea/index.html", "vanished")]);
    assert_eq!(report.pages.new, 4);
    // When it is back, with its old date, it is published.
    fs::rename(&aside, &tea).unwrap();
    let report = publish_restless(&site, to.path(), &options, NEXT, || {}).unwrap();
    assert_eq!((report.pages.new, report.pages.excluded), (1, 0));
    assert!(holds(&to.path().join("scp"), &format!("{BASE}tea/")));
}

#[test]
fn pages_that_vanish_during_the_run_count_for_the_deletion_guard() {
    let site = Site::new();
    for number in 0..30 {
        site.page(&format!("p{number}"), &words(&format!("page {number}")));
    }
    let (to, options) = out(&site);
    publish_folder(site.path(), to.path(), &options, NOW).unwrap();
    let error = publish_restless(&site, to.path(), &options, NEXT, || {
        for number in 0..20 {
            fs::remove_dir_all(site.path().join(format!("p{number}"))).unwrap();
        }
    })
    .unwrap_err();
    assert!(
        matches!(
            error,
            PublishError::MassDeletion {
                deleted: 20,
                pages: 35
            }
        ),
        "{error}"
    );
    // An error that was handled leaves nothing behind.
    assert!(!to.path().join(".sitecast-tmp").exists());
}

#[test]
fn a_page_of_one_word_does_not_keep_the_others_from_being_published() {
    let site = Site::new();
    let to = tempfile::tempdir().unwrap();
    let same = |bytes: usize| "word ".repeat(bytes / 5);
    site.page("same", &same(8 << 20));
    let options = &site.options;
    let report = publish_folder(site.path(), to.path(), options, NOW).unwrap();
    assert_eq!((report.pages.new, report.pages.excluded), (6, 0));
    // In a delta, too.
    site.page("same", &format!("{}and more", same(2 << 20)));
    let report = publish_folder(site.path(), to.path(), options, NEXT).unwrap();
    assert_eq!(report.pages.changed, 1);
    let pages = Published::read(to.path(), BASE).snapshot_with_deltas("all");
    assert_eq!(pages.len(), 6);
}

/// Agents read no larger ones.
#[test]
fn a_page_of_more_than_16_mib_has_no_machine_page() {
    let site = Site::new();
    let to = tempfile::tempdir().unwrap();
    let has_machine_page = || to.path().join("large/llm.json").exists();
    let is_listed = || holds(&to.path().join("llm-sitemap.json"), "large/llm.json");
    for (bytes, now) in [(1 << 10, NOW), (17 << 20, NEXT)] {
        site.page("large", &"word ".repeat(bytes / 5));
        let report = publish_folder(site.path(), to.path(), &site.options, now).unwrap();
        assert_eq!(report.pages.excluded, 0);
        let is_small = bytes < 16 << 20;
        assert_eq!((has_machine_page(), is_listed()), (is_small, is_small));
        let is_told = |note: &String| note.contains("/large/`") && note.contains("16 MiB");
        assert_ne!(
            report.notes.iter().any(is_told),
            is_small,
            "{:?}",
            report.notes
        );
    }
}
