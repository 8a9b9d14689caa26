//! `sitecast export` and `sitecast status`, on an index that the library filled.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use sitecast_index::{
    CollectionRef, FolderIndex, Index, NewPage, Origin, OriginKind, Precedence, SiteId,
};
use sitecast_scp::{CollectionKind, Page, Timestamp};

use crate::shown;

struct Home {
    folder: tempfile::TempDir,
}

fn site(url: &str) -> SiteId {
    SiteId::new(&url.parse().unwrap())
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A line with a member that this version does not know, which has to survive.
fn line(url: &str, title: &str, modified: &str, language: &str) -> String {
    format!(
        r#"{{"url":"{url}","title":"{title}","description":"","modified":"{modified}","language":"{language}","mood":"calm","content":[{{"type":"text","text":"All about {title}."}}]}}"#
    )
}

impl Home {
    /// Two sites, one of which failed of late.
    fn new() -> Self {
        let home = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let index = FolderIndex::open(home.index()).unwrap();
        let mut merge = index.begin(&site("https://example.org")).unwrap();
        merge.origin(Origin::Html).unwrap();
        home.put(
            &mut *merge,
            "https://example.org/",
            "Other",
            "2025-01-03T00:00:00Z",
            "de",
        );
        let state = merge.state_mut();
        state.failures.count = 2;
        state.failures.at = Some(time("2025-01-16T10:00:00Z"));
        state.failures.message = Some("the server says 503 \u{1b}[31m".to_owned());
        state.next_allowed = Some(time("2025-01-16T11:00:00Z"));
        merge.commit().unwrap();

        let mut merge = index.begin(&site("https://example.com")).unwrap();
        for (section, pages) in [("all", ["b", "A", ""]), ("blog", ["b", "b", "b"])] {
            merge
                .origin(Origin::Scp(CollectionRef {
                    url: format!("https://example.com/scp/{section}.scp.zst"),
                    section: section.parse().unwrap(),
                    kind: CollectionKind::Snapshot,
                    generated: time("2025-01-15T10:00:00Z"),
                }))
                .unwrap();
            for page in pages {
                let url = format!("https://example.com/{page}");
                let (modified, language) = match page {
                    "b" => ("2025-01-10T00:00:00Z", "en-GB"),
                    _ => ("2025-01-05T00:00:00Z", "en"),
                };
                home.put(&mut *merge, &url, &format!("T{page}"), modified, language);
            }
        }
        let state = merge.state_mut();
        state.strategy = Some(OriginKind::Scp);
        state.last_success = Some(time("2025-01-15T12:00:00Z"));
        state.traffic.requests = 3;
        state.traffic.bytes_down = 45_678;
        state.traffic.bytes_saved = 1_234_567;
        merge.commit().unwrap();
        home
    }

    fn put(
        &self,
        merge: &mut dyn sitecast_index::Merge,
        url: &str,
        title: &str,
        modified: &str,
        language: &str,
    ) {
        let line = line(url, title, modified, language);
        merge
            .put(&NewPage {
                url,
                line: &line,
                modified: time(modified),
                language,
                fingerprint: None,
                etag: None,
                fetched: time("2025-01-15T12:00:00Z"),
                precedence: Precedence::NotOlder,
            })
            .unwrap();
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env("SITECAST_INDEX", "index");
        for name in ["SITECAST_CONFIG", "SITECAST_COLOR", "NO_COLOR"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn urls(&self, arguments: &[&str]) -> Vec<String> {
        let output = self.run(&[&["export"], arguments].concat());
        assert!(output.status.success(), "{}", shown(&output));
        let lines = String::from_utf8(output.stdout).unwrap();
        let url = |line: &str| {
            let page: Value = serde_json::from_str(line).unwrap();
            page["url"].as_str().unwrap().to_owned()
        };
        lines.lines().map(url).collect()
    }
}

#[test]
fn export_gives_the_lines_as_published_in_the_order_of_site_and_url() {
    let home = Home::new();
    let output = home.run(&["export"]);
    let wanted = [
        line("https://example.com/", "T", "2025-01-05T00:00:00Z", "en"),
        line("https://example.com/A", "TA", "2025-01-05T00:00:00Z", "en"),
        line(
            "https://example.com/b",
            "Tb",
            "2025-01-10T00:00:00Z",
            "en-GB",
        ),
        line(
            "https://example.org/",
            "Other",
            "2025-01-03T00:00:00Z",
            "de",
        ),
    ];
    let wanted = wanted.map(|line| line + "\n").concat();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
    let output = home.run(&["export", "-o", "pages.jsonl"]);
    assert!(output.status.success(), "{}", shown(&output));
    let written = fs::read_to_string(home.folder.path().join("pages.jsonl")).unwrap();
    assert_eq!(written, wanted);
}

#[test]
fn export_filters_by_site_section_time_and_language() {
    let home = Home::new();
    assert_eq!(
        home.urls(&["--site", "https://EXAMPLE.org"]),
        ["https://example.org/"]
    );
    // As `sync` takes it.
    assert_eq!(
        home.urls(&["--site", "example.org"]),
        ["https://example.org/"]
    );
    assert_eq!(home.urls(&["--section", "blog"]), ["https://example.com/b"]);
    assert_eq!(
        home.urls(&["--since", "2025-01-06"]),
        ["https://example.com/b"]
    );
    assert_eq!(home.urls(&["--language", "en"]).len(), 3);
    assert!(home.urls(&["--language", "fr"]).is_empty());
}

#[test]
fn export_writes_markdown_into_a_folder_that_is_its_own() {
    let home = Home::new();
    let out = home.folder.path().join("pages");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("precious.txt"), "mine").unwrap();
    let refused = home.run(&["export", "--format", "markdown", "-o", "pages"]);
    insta::assert_snapshot!(shown(&refused));
    assert_eq!(
        fs::read_to_string(out.join("precious.txt")).unwrap(),
        "mine"
    );
    fs::remove_file(out.join("precious.txt")).unwrap();

    // The second run replaces what the first has made.
    for _ in 0..2 {
        let output = home.run(&["export", "--format", "markdown", "-o", "pages"]);
        assert!(output.status.success(), "{}", shown(&output));
        let page = fs::read_to_string(out.join("example.com/b.md")).unwrap();
        assert_eq!(
            page,
            "---\nurl: \"https://example.com/b\"\ntitle: \"Tb\"\nlanguage: \"en-GB\"\n\
             modified: \"2025-01-10T00:00:00Z\"\n---\n\n# Tb\n\nAll about Tb.\n"
        );
        let count = fs::read_dir(out.join("example.com")).unwrap().count();
        assert_eq!(count, 3);
        assert!(out.join("example.org/index.md").is_file());
    }
    // Nothing half-made is left beside it.
    let left = fs::read_dir(home.folder.path()).unwrap().count();
    assert_eq!(left, 2);
}

#[test]
fn export_writes_a_collection_that_check_accepts() {
    let home = Home::new();
    for name in ["copy.scp", "copy.scp.gz", "copy.scp.zst"] {
        let output = home.run(&[
            "export",
            "--format",
            "scp",
            "--site",
            "https://example.com",
            "-o",
            name,
        ]);
        assert!(output.status.success(), "{}", shown(&output));
        let check = home.run(&["check", "--json", name]);
        assert!(check.status.success(), "{}", shown(&check));
        let pages = home.run(&["inspect", "--json", "--pages", name]);
        let lines = String::from_utf8(pages.stdout).unwrap();
        // With what this version does not know of.
        assert_eq!(lines.matches("\"mood\":\"calm\"").count(), 3);
    }
}

#[test]
fn export_says_what_it_did_for_programs() {
    let home = Home::new();
    let output = home.run(&["export", "--json", "-o", "pages.jsonl"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["version"], 1);
    assert_eq!(
        (&report["format"], &report["pages"]),
        (&"jsonl".into(), &4.into())
    );
    assert_eq!(report["left_out"], 0);
}

#[test]
fn export_leaves_what_is_there_alone_when_it_fails() {
    let home = Home::new();
    let path = home.folder.path().join("pages.jsonl");
    fs::write(&path, "before").unwrap();
    let database = home.index().join("index.sqlite");
    // Damage in the blocks, which only reading them can find.
    let connection_is_closed = fs::read(&database).unwrap();
    let mut bytes = connection_is_closed;
    let magic = [0x28, 0xb5, 0x2f, 0xfd];
    let found: Vec<usize> = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, window)| *window == magic)
        .map(|(at, _)| at)
        .collect();
    assert!(!found.is_empty());
    for at in found {
        bytes[at + 40] ^= 0xff;
    }
    fs::write(&database, bytes).unwrap();
    let output = home.run(&["export", "-o", "pages.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let said = shown(&output);
    assert!(
        said.contains("is damaged") && said.contains("sync again"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
}

#[test]
fn status_says_how_each_site_is_doing() {
    let home = Home::new();
    let said = shown(&home.run(&["status"]));
    // The size of the file depends on the database's version.
    let (before, rest) = said.split_once(" of text in ").unwrap();
    let (_, after) = rest.split_once(" on disk").unwrap();
    let stable = format!("{before} of text in SIZE on disk{after}");
    let mut pieces = stable.split("compressed ");
    let first = pieces.next().unwrap().to_owned();
    let rest = pieces.map(|piece| {
        let end = piece.find('\n').unwrap();
        format!("compressed SIZE{}", &piece[end..])
    });
    let stable = first + &rest.collect::<String>();
    insta::assert_snapshot!(stable);
}

#[test]
fn status_for_programs_has_the_documented_shape() {
    let home = Home::new();
    let output = home.run(&["status", "--json"]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["version"], 1);
    assert!(status["bytes_on_disk"].as_u64().unwrap() > 0);
    let [com, org] = status["sites"].as_array().unwrap().as_slice() else {
        panic!("{status}");
    };
    assert_eq!(com["url"], "https://example.com/");
    assert_eq!(com["pages"], 3);
    assert_eq!(com["newest"], "2025-01-10T00:00:00Z");
    assert_eq!(com["strategy"], "scp");
    assert_eq!(com["sections"]["blog"]["generated"], "2025-01-15T10:00:00Z");
    assert_eq!(com["traffic"]["bytes_saved"], 1_234_567);
    assert_eq!(org["failures"]["count"], 2);
    assert_eq!(org["next_allowed"], "2025-01-16T11:00:00Z");
    assert_eq!(org["last_success"], Value::Null);
}

#[test]
fn the_index_is_where_flag_environment_or_settings_say() {
    let home = Home::new();
    let pages = |command: &mut Command| {
        let output = command.output().unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        status["sites"].as_array().unwrap().len()
    };
    let plain = || home.command(&["status", "--json"]);
    assert_eq!(pages(&mut plain()), 2);
    let flag = &["status", "--json", "--index", "index"];
    assert_eq!(
        pages(home.command(flag).env("SITECAST_INDEX", "nowhere")),
        2
    );
    fs::write(
        home.folder.path().join("sitecast.toml"),
        "[sync]\nindex = \"index\"\n",
    )
    .unwrap();
    assert_eq!(pages(plain().env_remove("SITECAST_INDEX")), 2);
    fs::remove_file(home.folder.path().join("sitecast.toml")).unwrap();
    let data = home.folder.path().join("data/sitecast");
    fs::create_dir_all(&data).unwrap();
    fs::rename(home.index(), data.join("index")).unwrap();
    let usual = home.folder.path().join("data");
    let output = plain()
        .env_remove("SITECAST_INDEX")
        .env("XDG_DATA_HOME", usual)
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["sites"].as_array().unwrap().len(), 2);
}

macro_rules! says {
    ($name:ident: $($argument:expr),+) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown(&Home::new().run(&[$($argument),+])));
        }
    };
}

says!(status_without_an_index_says_how_to_get_one: "status", "--index", "nowhere");
says!(status_of_something_else_says_so: "status", "--index", "index/index.sqlite");
says!(status_explains_itself: "status", "--help");
says!(export_explains_itself: "export", "--help");
says!(export_of_a_site_that_is_not_there: "export", "--site", "https://example.net");
says!(export_of_what_is_no_site: "export", "--site", "ftp://example.com");
says!(export_of_markdown_wants_a_folder: "export", "--format", "markdown");
says!(export_of_a_collection_wants_a_file: "export", "--format", "scp");
says!(export_into_a_folder_that_is_not_there: "export", "-o", "nowhere/pages.jsonl");
says!(export_of_a_file_over_a_folder: "export", "-o", "index");

#[cfg(not(feature = "parquet"))]
says!(export_without_parquet_says_how_to_get_it: "export", "--format", "parquet", "-o", "pages.parquet");

#[cfg(feature = "parquet")]
#[test]
fn export_writes_a_table() {
    let home = Home::new();
    let output = home.run(&["export", "--format", "parquet", "-o", "pages.parquet"]);
    assert!(output.status.success(), "{}", shown(&output));
    let bytes = fs::read(home.folder.path().join("pages.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn what_was_exported_is_a_page() {
    let home = Home::new();
    let output = home.run(&["export"]);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        Page::from_line(line, &sitecast_scp::Limits::default()).unwrap();
    }
}

#[test]
fn status_verify_names_damaged_pages_and_removes_them() {
    let home = Home::new();
    let intact = home.run(&["status", "--verify"]);
    assert_eq!(intact.status.code(), Some(0), "{}", shown(&intact));
    let text = String::from_utf8(intact.stdout).unwrap();
    assert!(
        text.ends_with("\n4 pages verified, none damaged\n"),
        "{text}"
    );

    let database = rusqlite::Connection::open(home.index().join("index.sqlite")).unwrap();
    let damage = "UPDATE pages SET offset = offset + 1 WHERE url = 'https://example.com/b'";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    let found = home.run(&["status", "--verify"]);
    assert_eq!(found.status.code(), Some(5), "{}", shown(&found));
    let text = String::from_utf8(found.stdout).unwrap();
    let (_, verified) = text.rsplit_once("\n\n").unwrap();
    let lines: Vec<&str> = verified.lines().collect();
    assert_eq!(lines[0], "4 pages verified, 1 damaged and removed:");
    assert!(
        lines[1].starts_with("  https://example.com/b: block "),
        "{verified}"
    );
    assert_eq!(
        lines[2],
        "The next sync fetches them again: sitecast sync https://example.com/"
    );

    let again = home.run(&["status", "--verify", "--json"]);
    assert_eq!(again.status.code(), Some(0), "{}", shown(&again));
    let status: Value = serde_json::from_slice(&again.stdout).unwrap();
    let wanted = serde_json::json!({"pages": 3, "damaged": 0, "damaged_pages": []});
    assert_eq!(status["verified"], wanted);
    // The sections of the damaged page begin again with their snapshots.
    assert_eq!(status["sites"][0]["sections"], serde_json::json!({}));
}

#[test]
fn status_verify_of_a_damaged_database_says_how_to_go_on() {
    let home = Home::new();
    let path = home.index().join("index.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    for byte in bytes.iter_mut().skip(8_192 * 2).take(16_000) {
        *byte ^= 0x5a;
    }
    fs::write(&path, bytes).unwrap();
    let output = home.run(&["status", "--verify"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("is damaged"), "{text}");
    assert!(text.contains("remove the folder and sync again"), "{text}");
}

/// Reading needs no room: not even for the file that readers and writers share.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_nobody_from_reading() {
    use std::io::Write;

    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=1m tmpfs "$1" || exit 77
        cp -r index "$1/index"
        cat /dev/zero > "$1/rest" 2> /dev/null
        for arguments in export status 'status --verify'; do
            "$2" $arguments --index "$1/index" || exit 1
        done
        ls "$1/index"
    "#;
    let home = Home::new();
    let disk = tempfile::tempdir().unwrap();
    // The mount is this process's own, and is gone with it.
    let output = std::process::Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh"])
        .arg(disk.path())
        .arg(assert_cmd::cargo::cargo_bin("sitecast"))
        .current_dir(home.folder.path())
        .env_remove("SITECAST_CONFIG")
        .output();
    let words = match &output {
        Ok(output) => shown(output),
        Err(error) => error.to_string(),
    };
    let output = output
        .ok()
        .filter(|output| output.status.code() != Some(77) && !words.contains("unshare:"));
    let Some(output) = output else {
        let words = format!("skipped: no disk of its own for this process: {words}\n");
        std::io::stderr().write_all(words.as_bytes()).unwrap();
        return;
    };
    assert!(output.status.success(), "{words}");
    assert!(words.contains("4 pages"), "{words}");
    assert!(words.contains("none damaged"), "{words}");
    assert!(words.contains("\"title\":\"Other\""), "{words}");
}
