//! Real sites, from corpora that are not part of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sitecast_publish::{FolderSource, Options, publish};
use sitecast_scp::{Limits, Page};
use sitecast_storage::Folder;
use sitecast_tct::{fingerprint, page_text};

use crate::world::{MONDAY, TUESDAY, World, files, pages_of, time};

const SITES: [(&str, &str, &str); 4] = [
    ("drf", "https://www.django-rest-framework.org/", ""),
    ("flink", "https://flink.apache.org/", ""),
    ("devsdk", "https://blog.seokho.dev/", ""),
    ("rezepte", "https://tiliavir.github.io/", "rezepte/"),
];

fn corpora() -> Option<PathBuf> {
    let given = std::env::var_os("SITECAST_CORPORA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let folder = given.unwrap_or(beside).join("sites");
    if folder.exists() {
        return Some(folder);
    }
    eprintln!("skipped: the corpora are not beside the repository");
    None
}

/// Unpacks a site, with its URLs changed to those of the test server.
fn unpack(archive: &Path, to: &Path, from_base: &str, to_base: &str) -> PathBuf {
    fs::create_dir_all(to).unwrap();
    let tar = Command::new("tar")
        .arg("xJf")
        .arg(archive)
        .arg("-C")
        .arg(to)
        .status();
    assert!(tar.unwrap().success());
    rewrite(to, from_base, to_base);
    let mut root = to.to_owned();
    while !root.join("index.html").exists() {
        root = fs::read_dir(&root).unwrap().next().unwrap().unwrap().path();
    }
    root
}

fn rewrite(folder: &Path, from: &str, to: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rewrite(&path, from, to);
        } else if let Ok(text) = fs::read_to_string(&path) {
            fs::write(&path, text.replace(from, to)).unwrap();
        }
    }
}

fn texts(pages: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let text = |line: &String| {
        let (page, _) = Page::from_line(line, &Limits::default()).unwrap();
        fingerprint(&page_text(&page)).to_string()
    };
    pages
        .iter()
        .map(|(url, line)| (url.clone(), text(line)))
        .collect()
}

#[test]
fn index_equals_each_version_of_real_sites() {
    let Some(corpora) = corpora() else { return };
    for (name, base, prefix) in SITES {
        let mut world = World::empty();
        world.options.allow_deletions = true;
        let here = format!("{}{prefix}", world.base);
        let work = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|version| {
            let archive = corpora.join(format!("{name}-{version}.tar.xz"));
            unpack(&archive, &work.path().join(version), base, &world.base)
        });
        let mut options = Options::new(here.parse().unwrap());
        options.mass_deletion = true;
        // Prefers deltas of any size.
        options.delta_share = 1_000.0;
        let out = world.site.path().join(prefix);
        let put = |from: &Path, to: &Path, now: &str| {
            let store = Folder::new(to).unwrap();
            publish(
                &FolderSource::open(from).unwrap(),
                &store,
                None,
                &options,
                time(now),
                &(),
            )
            .unwrap();
            let newest = files(&to.join("scp"), ".zst")
                .into_iter()
                .filter(|name| name.contains("snapshot"));
            pages_of(&to.join("scp").join(newest.max().unwrap()))
        };
        let sync = |now: &str| {
            let report = world.with_syncer(now, |syncer| syncer.sync(&here.parse().unwrap()));
            assert!(report.is_complete(), "{name}: {report:?}");
            report
        };
        let published = put(&old, &out, MONDAY);
        sync(MONDAY);
        assert_eq!(world.held(), published, "{name}");
        put(&new, &out, TUESDAY);
        world.server.take_log();
        let report = sync(TUESDAY);
        let kinds: Vec<&str> = report.applied.iter().map(|one| one.kind).collect();
        let fetched = world.server.take_paths();
        assert!(
            fetched.iter().all(|path| !path.contains("snapshot")) || kinds == ["snapshot"],
            "{fetched:?}"
        );
        assert!(report.pages.deleted > 0, "{name}: {report:?}");
        let fresh = put(&new, &work.path().join("fresh"), TUESDAY);
        assert_eq!(texts(&world.held()), texts(&fresh), "{name}");
    }
}
