//! The real sites that lie beside the repository on the machines of those who develop it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use sitecast_publish::Options;
use sitecast_scp::Page;
use sitecast_tct::{fingerprint, page_text};

use crate::site::{Published, publish_folder};

const SITES: [(&str, &str, &str); 4] = [
    (
        "drf",
        "https://www.django-rest-framework.org/",
        "sitemap.xml",
    ),
    ("flink", "https://flink.apache.org/", "en/sitemap.xml"),
    ("devsdk", "https://blog.seokho.dev/", "sitemap.xml"),
    (
        "rezepte",
        "https://tiliavir.github.io/rezepte/",
        "sitemap.xml",
    ),
];

fn corpora() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/sites");
    if folder.exists() {
        return Some(folder);
    }
    // Not by a macro, whose words nobody sees as long as the test passes.
    let words = b"skipped: the real sites are not beside the repository\n";
    std::io::stderr().write_all(words).unwrap();
    None
}

fn unpack(archive: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    let status = Command::new("tar")
        .arg("xJf")
        .arg(archive)
        .arg("-C")
        .arg(to)
        .status()
        .unwrap();
    assert!(status.success());
}

/// The folder with the site in it: archives have one at their top or not.
fn root(folder: &Path) -> PathBuf {
    let mut root = folder.to_owned();
    while !root.join("index.html").exists() {
        let mut entries = std::fs::read_dir(&root).unwrap();
        root = entries.next().unwrap().unwrap().path();
    }
    root
}

fn texts(pages: BTreeMap<String, Page>) -> BTreeMap<String, String> {
    pages
        .into_iter()
        .map(|(url, page)| (url, fingerprint(&page_text(&page)).to_string()))
        .collect()
}

#[test]
fn of_real_sites_the_delta_holds_exactly_what_differs() {
    let Some(corpora) = corpora() else { return };
    for (name, base, sitemap) in SITES {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|version| {
            let to = folder.path().join(version);
            unpack(&corpora.join(format!("{name}-{version}.tar.xz")), &to);
            root(&to)
        });
        let options = Options::new(base.parse().unwrap());
        let out = folder.path().join("out");
        let fresh = folder.path().join("fresh");
        publish_folder(&old, &out, &options, "2026-10-01T00:00:00Z").unwrap();
        let before = texts(Published::read_sitemap(&out, base, sitemap).snapshot("all"));
        let report = publish_folder(&new, &out, &options, "2026-10-02T00:00:00Z").unwrap();
        publish_folder(&new, &fresh, &options, "2026-10-02T00:00:00Z").unwrap();

        let published = Published::read_sitemap(&out, base, sitemap);
        let after = texts(published.followed("all"));
        let expected = texts(Published::read_sitemap(&fresh, base, sitemap).snapshot("all"));
        assert_eq!(after, expected, "{name}");
        let (changed, deleted) = published.delta("all");
        let differ: BTreeSet<&String> = after
            .iter()
            .filter(|(url, text)| before.get(*url) != Some(text))
            .map(|(url, _)| url)
            .collect();
        assert_eq!(changed.iter().collect::<BTreeSet<_>>(), differ, "{name}");
        let gone: BTreeSet<&String> = before
            .keys()
            .filter(|url| !after.contains_key(*url))
            .collect();
        assert_eq!(deleted.iter().collect::<BTreeSet<_>>(), gone, "{name}");
        eprintln!("{name}: {:?}", report.pages);
    }
}
