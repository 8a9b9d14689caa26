//! `sitecast demo`.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;

use crate::shown;

/// The command, in a folder of its own, where temporary files are, too.
fn demo(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command
        .current_dir(folder)
        .env("TMPDIR", folder.join("tmp"))
        .env("HOME", folder.join("home"))
        .arg("demo")
        .args(arguments);
    for name in [
        "SITECAST_CONFIG",
        "SITECAST_COLOR",
        "SITECAST_INDEX",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
    ] {
        command.env_remove(name);
    }
    fs::create_dir_all(folder.join("tmp")).unwrap();
    command
}

#[test]
fn the_demo_shows_what_each_way_costs_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // Settings that are wrong, or somebody's, do not matter to it.
    fs::write(folder.path().join("sitecast.toml"), "rubbish").unwrap();
    let output = demo(folder.path(), &["--json"]).output().unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["version"], 1);
    let visits = report["visits"].as_array().unwrap();
    assert_eq!(visits.len(), 3);
    let cost = |visit: usize, way: &str, what: &str| visits[visit][way][what].as_u64().unwrap();
    let pages = report["pages"].as_u64().unwrap();
    assert!(pages > 30, "{report}");
    for visit in 0..3 {
        // robots.txt, the sitemap, and at most one collection.
        assert!(cost(visit, "scp", "requests") <= 3, "{report}");
        assert!(cost(visit, "html", "requests") >= pages, "{report}");
        assert!(
            cost(visit, "scp", "bytes") < cost(visit, "html", "bytes"),
            "{report}"
        );
        assert!(
            cost(visit, "tct", "bytes") < cost(visit, "html", "bytes"),
            "{report}"
        );
    }
    // Unchanged, no page crosses the wire; changed, three do.
    assert!(cost(1, "tct", "requests") <= 4, "{report}");
    assert!(cost(2, "tct", "requests") <= 4 + 3, "{report}");
    assert!(
        cost(2, "scp", "bytes") < cost(0, "scp", "bytes"),
        "{report}"
    );
    let left: Vec<_> = fs::read_dir(folder.path().join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!folder.path().join("home").exists());
}

#[test]
fn what_the_demo_keeps_can_be_checked_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path(), &["--keep", "kept"]).output().unwrap();
    assert!(output.status.success(), "{}", shown(&output));
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        let output = command
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", shown(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&[
        "check",
        "--strict",
        "kept/site/sitemap.xml",
        "kept/site/llm-sitemap.json",
        "kept/site/robots.txt",
    ]);
    let pages = run(&["export", "--index", "kept/index"]);
    let languages: Vec<Value> = pages
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["language"].clone())
        .collect();
    assert!(languages.contains(&Value::from("en")) && languages.contains(&Value::from("de")));
    // What the site does not want known is not there: the cart, thanks, the error page.
    for left_out in ["/cart/", "/thanks/", "/404"] {
        assert!(!pages.contains(&format!("\"url\":\"https://brise.example{left_out}")));
    }

    let output = demo(folder.path(), &["--keep", "kept"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(shown(&output), @r"
    exit 2
    --- stderr
    error: `kept` is not empty
     hint: name a folder that is empty, or not there yet
    ");
}

#[test]
fn the_site_alone_can_be_had_and_is_not_put_among_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path(), &["--site", "public"]).output().unwrap();
    insta::assert_snapshot!(shown(&output), @r"
    exit 0
    --- stdout
    Wrote 52 HTML files to public: Brise, a small made-up site.
    Next: sitecast publish public --base-url https://brise.example
    ");
    assert!(folder.path().join("public/de/index.html").is_file());
    assert!(!folder.path().join("public/scp").exists());
    let output = demo(folder.path(), &["--site", "public"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn interrupted_the_demo_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let tmp = folder.path().join("tmp");
    fs::create_dir_all(&tmp).unwrap();
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin("sitecast"))
        .env("TMPDIR", &tmp)
        .args(["demo", "--quiet"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    // It is at work as soon as there is a site.
    while !fs::read_dir(&tmp)
        .unwrap()
        .flatten()
        .any(|entry| entry.path().join("site/scp").exists())
    {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "it does not begin"
        );
        thread::sleep(Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(shown(&output), "exit 130\n");
    let left: Vec<_> = fs::read_dir(&tmp).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_demo_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    let output = demo(folder.path(), &["--help"]).output().unwrap();
    insta::assert_snapshot!(shown(&output));
}
