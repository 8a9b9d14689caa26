//! `sitecast config`, and what is said of a wrong `sitecast.toml`.

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

use crate::{in_folder, shown};

const FILE: &str = r#"color = "never"

[publish]
source = "public"
base_url = "https://example.com"
previous = "https://me:geheim@example.com/old"

[publish.sections.blog]
paths = [
  "/blog/**",
  "/news/**",
]

[sync]
contact = "bots@example.org"

[[serve.protected]]
prefix = "/members/"
tokens = ["geheim", "geheimer"]
"#;

/// The command in a folder with such a file, on a machine where nothing else is set.
fn config(file: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let folder = in_folder(&[("sitecast.toml", file)]);
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command
        .current_dir(&folder)
        .env_clear()
        .env("HOME", "/home/me")
        .envs(variables.iter().copied())
        .arg("config")
        .args(arguments);
    command.output().unwrap()
}

#[test]
fn shows_what_holds_and_where_it_comes_from() {
    let variables = [
        ("SITECAST_INDEX", "/srv/index"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ENDPOINT_URL", "https://key:geheim@r2.example"),
        ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "yes"),
        ("AWS_SECRET_ACCESS_KEY", "geheim"),
    ];
    insta::assert_snapshot!(shown(&config(FILE, &["--color", "never"], &variables)));
}

#[test]
fn origins_are_told_to_programs() {
    let variables = [("SITECAST_CACHE", "/srv/cache"), ("NO_COLOR", "1")];
    let output = config(FILE, &["--json"], &variables);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| {
        let settings = report["settings"].as_array().unwrap();
        let found = settings.iter().find(|setting| setting["key"] == key);
        let found = found.unwrap_or_else(|| panic!("{key} is not in {report}"));
        (
            found["value"].to_string(),
            found["origin"].as_str().unwrap().to_owned(),
            found["name"].as_str().unwrap_or_default().to_owned(),
            found["line"].as_u64().unwrap_or_default(),
        )
    };
    let origin = |value: &str, origin: &str, name: &str, line| {
        (value.to_owned(), origin.to_owned(), name.to_owned(), line)
    };
    assert_eq!(report["version"], 1);
    assert_eq!(report["file"]["path"], "sitecast.toml");
    assert_eq!(report["file"]["there"], true);
    assert_eq!(
        of("color"),
        origin("\"never\"", "environment", "NO_COLOR", 0)
    );
    assert_eq!(of("publish.source"), origin("\"public\"", "file", "", 4));
    assert_eq!(
        of("publish.cache"),
        origin("\"/srv/cache\"", "environment", "SITECAST_CACHE", 0)
    );
    assert_eq!(of("publish.delta_share"), origin("0.5", "default", "", 0));
    assert_eq!(of("publish.out"), origin("null", "default", "", 0));
    assert_eq!(
        of("publish.sections.blog.paths"),
        origin("[\"/blog/**\",\"/news/**\"]", "file", "", 9)
    );
    assert_eq!(
        of("publish.sections.blog.update_freq"),
        origin("\"daily\"", "default", "", 0)
    );
    assert_eq!(
        of("serve.protected[0].tokens"),
        origin("null", "file", "", 19)
    );
    let flag = config(FILE, &["--json", "--color", "always", "color"], &variables);
    let report: Value = serde_json::from_slice(&flag.stdout).unwrap();
    assert_eq!(report["settings"][0]["origin"], "flag");
    assert_eq!(report["settings"][0]["value"], "always");
    assert_eq!(report["settings"].as_array().unwrap().len(), 1);
}

#[test]
fn secrets_are_never_shown() {
    let variables = [
        ("AWS_ACCESS_KEY_ID", "geheim"),
        ("AWS_SECRET_ACCESS_KEY", "geheim"),
        ("AWS_SESSION_TOKEN", "geheim"),
        ("AWS_ENDPOINT_URL_S3", "https://key:geheim@r2.example"),
    ];
    let calls: [&[&str]; 8] = [
        &[],
        &["-v"],
        &["--json"],
        &["serve.protected"],
        &["serve.protected[0].tokens"],
        &["serve.protected[0].tokens", "--json"],
        &["publish.previous"],
        &["publish.storage.endpoint"],
    ];
    for arguments in calls {
        let output = config(FILE, arguments, &variables);
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        assert!(
            !shown(&output).contains("geheim"),
            "{arguments:?}: {}",
            shown(&output)
        );
    }
    let wrong = FILE.replace("tokens = [\"geheim\", \"geheimer\"]", "tokens = \"geheim\"");
    let output = config(&wrong, &[], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!shown(&output).contains("geheim"), "{}", shown(&output));
}

#[test]
fn one_setting_is_explained() {
    let all = [
        "publish.base_url",
        "publish.sections",
        "serve.tls",
        "serve.protected[0].tokens",
        "color",
    ];
    let shown: Vec<String> = all
        .iter()
        .map(|key| {
            format!(
                "$ sitecast config {key}\n{}",
                shown(&config(FILE, &[key], &[]))
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_setting_that_is_none_gets_a_suggestion() {
    let all = ["base_url", "publsh.base_url", "publish.bas_url", "zzz"];
    let shown: Vec<String> = all
        .iter()
        .map(|key| {
            format!(
                "$ sitecast config {key}\n{}",
                shown(&config(FILE, &[key], &[]))
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn without_a_file_the_defaults_hold() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command.current_dir(&folder).env_clear().arg("config");
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(
        text.starts_with("# Settings that hold here. There is no `sitecast.toml`"),
        "{text}"
    );
    assert!(text.lines().all(|line| !line.contains(", line ")), "{text}");
    // What is printed is a file with the same settings.
    std::fs::write(folder.path().join("sitecast.toml"), &text).unwrap();
    let mut again = Command::cargo_bin("sitecast").unwrap();
    let again = again
        .current_dir(&folder)
        .env_clear()
        .args(["config", "--json"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&again.stdout).unwrap();
    for setting in report["settings"].as_array().unwrap() {
        let same = setting["default"].is_null() || setting["default"] == setting["value"];
        assert!(same, "{setting}");
    }
}

#[test]
fn mistakes_are_named_with_their_line_and_what_was_meant() {
    let files = [
        "[publish]\nbase-url = \"https://example.com\"\n",
        "[publish]\nbase_url = \"example.com\"\n",
        "[publish]\nbase_url = https://example.com\n",
        "\n[publish.artifacts]\ntct = true\n",
        "[publish]\nlisten = \"127.0.0.1:80\"\n",
        "[publish.sections.\"my blog\"]\npaths = [\"/blog/**\"]\n",
        "[publish.sections.blog]\npaths = \"/blog/**\"\n",
        "[publish.sections.blog]\npaths = [\"/blog/[\"]\n",
        "[publish.sections.blog]\nupdate_freq = \"often\"\n",
        "[publish]\ndelta_share = 0\n",
        "[publish]\ncompression = [\"br\"]\n",
        "[serve]\nlisten = \"localhost\"\n",
        "[serve.rate_limit]\nper_second = 10\n",
        "[serve.protected]\nprefix = \"/a/\"\n",
        "[sync]\nsections = \"blog\"\n",
        "[limits]\npage_bytes = -1\n",
        "[serve]\nworkers = 1\nworkers = 2\n",
        "[[extract.rules]]\npath = \"/blog/**\"\nexclude = [\".promo\", \"a:hover\"]\n",
        "[[extract.rules]]\npath = \"/blog/[\"\n",
        "[[extract.rules]]\n\ninclude = [\"[onclick]\"]\n",
        "[extract.rules]\ninclude = [\".post\"]\n",
    ];
    let shown: Vec<String> = files
        .iter()
        .map(|file| format!("{file}{}", shown(&config(file, &[], &[]))))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn config_explains_itself() {
    insta::assert_snapshot!(shown(&config("", &["--help"], &[])));
}
