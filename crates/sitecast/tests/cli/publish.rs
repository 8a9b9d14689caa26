//! `sitecast publish`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

use crate::serve::Running;

pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
}

fn words(topic: &str) -> String {
    format!(
        "Everything that is worth knowing about {topic} is written down here, in sentences of \
         some length, so that nobody takes it for a menu. It goes on for a while: {topic} has a \
         history, a present and, if we are careful with it, a future."
    )
}

impl Site {
    pub(crate) fn new(pages: usize) -> Self {
        let site = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        site.page("index.html", "the house");
        for n in 1..pages {
            site.page(&format!("{n}/index.html"), &format!("number {n}"));
        }
        site
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("public")
    }

    pub(crate) fn page(&self, name: &str, topic: &str) {
        let html = format!(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>About {topic}</title></head>\
             <body><nav><a href=\"/\">Home</a></nav><main><h1>About {topic}</h1><p>{}</p></main></body></html>",
            words(topic)
        );
        self.write(name, &html);
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("sitecast").unwrap();
        command
            .current_dir(self.folder.path())
            .arg("publish")
            .args(arguments)
            .env("SITECAST_CACHE", self.folder.path().join("cache"));
        for name in ["SITECAST_CONFIG", "SITECAST_COLOR", "NO_COLOR"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn publish(&self, arguments: &[&str]) -> Output {
        let mut all = vec!["public", "--base-url", "https://example.com"];
        all.extend(arguments);
        self.command(&all).output().unwrap()
    }

    pub(crate) fn report(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        let output = self.publish(&all);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// All collections that the sitemap names, checked by `sitecast check`.
    pub(crate) fn check(&self) {
        let sitemap = fs::read_to_string(self.root().join("sitemap.xml")).unwrap();
        let named: Vec<PathBuf> = sitemap
            .split("url=\"https://example.com/")
            .skip(1)
            .map(|rest| self.root().join(rest.split('"').next().unwrap()))
            .collect();
        assert!(!named.is_empty());
        let output = Command::cargo_bin("sitecast")
            .unwrap()
            .current_dir(self.folder.path())
            .args(["check", "--strict"])
            .arg("public/sitemap.xml")
            .args(named)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stdout));
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn one_command_publishes_and_check_agrees() {
    let site = Site::new(5);
    let output = site.publish(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for part in ["Published 5 pages", "5 new", "snapshot of `all`", "% less"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    site.check();
}

#[test]
fn the_report_for_programs_has_the_documented_shape() {
    let site = Site::new(4);
    site.write(
        "old.html",
        "<html><head><meta http-equiv=refresh content=\"0;url=/1/\"></head></html>",
    );
    let report = site.report(&[]);
    assert_eq!(report["version"], 1);
    for (name, number) in [
        ("new", 4),
        ("changed", 0),
        ("unchanged", 0),
        ("deleted", 0),
        ("excluded", 1),
        ("folded", 0),
    ] {
        assert_eq!(report["pages"][name], number, "{name}");
    }
    let collection = &report["collections"][0];
    assert_eq!(collection["section"], "all");
    assert_eq!(collection["type"], "snapshot");
    assert_eq!(collection["files"].as_array().unwrap().len(), 2);
    assert_eq!(report["excluded"][0]["url"], "https://example.com/old.html");
    assert_eq!(report["excluded"][0]["reason"], "redirect");
    assert!(report["savings"]["html_gzip_bytes"].as_u64().unwrap() > 0);
    let kinds: BTreeSet<&str> = report["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|artefact| artefact["kind"].as_str().unwrap())
        .collect();
    for kind in [
        "sitemap",
        "json-sitemap",
        "machine-pages",
        "robots-txt",
        "policy",
        "headers",
        "html-links",
    ] {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
}

#[test]
fn a_second_run_makes_a_delta_and_a_third_nothing() {
    let site = Site::new(5);
    site.report(&[]);
    site.page("2/index.html", "another number");
    let report = site.report(&[]);
    assert_eq!(
        (&report["pages"]["changed"], &report["pages"]["unchanged"]),
        (&1.into(), &4.into())
    );
    assert_eq!(report["collections"][0]["type"], "delta");
    site.check();
    let report = site.report(&[]);
    assert_eq!(report["collections"].as_array().unwrap().len(), 0);
    assert_eq!(report["artifacts"].as_array().unwrap().len(), 0);
}

#[test]
fn a_throw_away_machine_goes_on_from_what_is_on_the_web() {
    let site = Site::new(5);
    site.report(&["--out", "on-the-web"]);
    let server = Running::start(site.folder.path(), &["on-the-web"]);
    let address = server.greeting["address"].as_str().unwrap();
    site.page("3/index.html", "a new number three");
    let new = [
        "--out",
        "new",
        "--no-cache",
        "--previous",
        address,
        "--allow-private",
    ];
    let report = site.report(&new);
    let pages = &report["pages"];
    assert_eq!(
        (&pages["changed"], &pages["unchanged"], &pages["new"]),
        (&1.into(), &4.into(), &0.into()),
        "{report}"
    );
    let kinds: Vec<&Value> = report["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|collection| &collection["type"])
        .collect();
    assert_eq!(kinds.first(), Some(&&Value::from("delta")), "{report}");
    // What the web has is taken over, so that the delta follows on something.
    let sitemap = fs::read_to_string(site.folder.path().join("new/sitemap.xml")).unwrap();
    for file in sitemap.split("url=\"https://example.com/").skip(1) {
        let path = file.split('"').next().unwrap();
        assert!(site.folder.path().join("new").join(path).exists(), "{path}");
    }
    assert_eq!(sitemap.matches("type=\"snapshot\"").count() % 2, 0);
}

#[test]
fn settings_come_from_the_file_and_flags_go_before_them() {
    let site = Site::new(3);
    site.page("blog/1/index.html", "a post");
    fs::write(
        site.folder.path().join("sitecast.toml"),
        "[publish]\nsource = \"public\"\nbase_url = \"https://example.org\"\ncompression = [\"gzip\"]\n\
         exclude = [\"/1/**\"]\n[publish.sections.blog]\npaths = [\"/blog/**\"]\nupdate_freq = \"hourly\"\n\
         [publish.artefacts]\ntct = false\nheaders = []\nllms_txt = true\n[policy]\nversion = 7\n",
    )
    .unwrap();
    let output = site
        .command(&["--json", "--base-url", "https://example.com"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sections: Vec<&Value> = report["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["section"])
        .collect();
    assert_eq!(sections, ["all", "blog"]);
    let sitemap = fs::read_to_string(site.root().join("sitemap.xml")).unwrap();
    assert!(sitemap.contains("updateFreq=\"hourly\"") && sitemap.contains("https://example.com/"));
    assert!(!sitemap.contains(".zst"));
    assert_eq!(report["excluded"][0]["reason"], "settings");
    assert!(site.root().join("llms.txt").exists() && !site.root().join("_headers").exists());
    assert!(
        fs::read_to_string(site.root().join("llm-policy.json"))
            .unwrap()
            .contains("\"version\":7")
    );
}

#[test]
fn mistakes_are_explained() {
    let site = Site::new(2);
    fs::write(site.folder.path().join("lines.jsonl"), "{\"url\":1}\n").unwrap();
    fs::write(
        site.folder.path().join("typo.toml"),
        "[publish]\nbaseurl = \"x\"\n",
    )
    .unwrap();
    fs::create_dir(site.folder.path().join("empty")).unwrap();
    fs::write(
        site.folder.path().join("bad.toml"),
        "[publish.sections.a]\nupdate_freq = \"often\"\n",
    )
    .unwrap();
    for (arguments, code, says) in [
        (
            &["nowhere", "--base-url", "https://example.com"][..],
            1,
            "`nowhere`",
        ),
        (&["public"], 2, "--base-url"),
        (
            &["public", "--base-url", "example.com"],
            2,
            "not an absolute URL",
        ),
        (
            &["public/index.html", "--base-url", "https://example.com"],
            2,
            "name the folder",
        ),
        (
            &[
                "lines.jsonl",
                "--base-url",
                "https://example.com",
                "--out",
                "out",
            ],
            1,
            "line 1",
        ),
        (
            &["lines.jsonl", "--base-url", "https://example.com"],
            2,
            "--out",
        ),
        (
            &["empty", "--base-url", "https://example.com"],
            1,
            "no page to publish",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--previous",
                "nowhere",
            ],
            2,
            "not a folder",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--out",
                "lines.jsonl",
            ],
            2,
            "is a file",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--out",
                "out",
                "--previous",
                "http://127.0.0.1:9/",
                "--allow-private",
            ],
            6,
            "cannot read `http://127.0.0.1:9/sitemap.xml`",
        ),
        (&["public", "--config", "typo.toml"], 2, "baseurl"),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--config",
                "bad.toml",
            ],
            2,
            "often",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--exclude",
                "[x",
            ],
            2,
            "not a glob",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--out",
                "gs://bucket",
            ],
            2,
            "gs://bucket",
        ),
        (
            &[
                "public",
                "--base-url",
                "https://example.com",
                "--out",
                "s3:/bucket",
            ],
            2,
            "--out s3://bucket",
        ),
        (
            &["public", "--base-uri", "https://example.com"],
            2,
            "--base-url",
        ),
    ] {
        let output = site.command(arguments).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(says), "{arguments:?}: {said}");
        assert!(!said.contains("os error"), "{arguments:?}: {said}");
    }
    assert!(!site.root().join("scp").exists());
}

#[test]
fn lines_on_standard_input_are_published() {
    let site = Site::new(1);
    let line = serde_json::json!({"url": "https://example.com/a", "html": format!("<title>A</title><p>{}", words("a"))});
    let output = site
        .command(&[
            "-",
            "--base-url",
            "https://example.com",
            "--out",
            "out",
            "--json",
        ])
        .write_stdin(format!("{line}\n"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    // An application may have both, and what is put before it would hide them.
    let out = site.folder.path().join("out");
    for name in ["sitemap.xml", "robots.txt"] {
        assert!(!out.join(name).exists(), "{name}");
    }
    assert!(out.join("sitecast-sitemap.xml").exists());
    let said = text(&output.stderr);
    let line = "add `Sitemap: https://example.com/sitecast-sitemap.xml` to it";
    assert!(said.contains(line), "{said}");
}

#[test]
fn what_robots_txt_says_to_named_crawlers_is_told_also_where_nothing_changed() {
    let site = Site::new(5);
    let robots = "User-agent: *\nDisallow:\n\nUser-agent: GPTBot\nDisallow: /1/\n";
    site.write("robots.txt", robots);
    for said in ["Published", "Nothing changed:"] {
        let output = text(&site.publish(&[]).stdout);
        assert!(output.contains(said), "{output}");
        let told = "1 page is published that robots.txt disallows for GPTBot";
        assert!(output.contains(told), "{output}");
    }
}

#[test]
fn the_settings_say_which_words_of_the_owner_keep_pages_out() {
    let site = Site::new(5);
    site.page("1/index.html", "number one");
    let page = fs::read_to_string(site.root().join("1/index.html")).unwrap();
    let page = page.replace("<head>", "<head><meta name=googlebot content=noindex>");
    site.write("1/index.html", &page);
    for (settings, published) in [
        ("", 4),
        ("[publish]\nkeep_out = \"any\"\n", 4),
        ("[publish]\nkeep_out = \"robots\"\n", 5),
    ] {
        fs::write(site.folder.path().join("sitecast.toml"), settings).unwrap();
        let pages = &site.report(&[])["pages"];
        let count = |name: &str| pages[name].as_u64().unwrap();
        let all = count("new") + count("changed") + count("unchanged");
        assert_eq!(
            (all, count("excluded")),
            (published, 5 - published),
            "{settings}"
        );
    }
}
