//! The command as a person or a script meets it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod browser;
mod check_sites;
mod clock;
mod compare;
mod config;
mod demo;
mod documents;
mod extract;
mod extract_site;
mod formats;
mod index;
mod init;
mod notices;
mod publish;
mod publish_first;
mod publish_interrupted;
mod publish_previous;
mod readme;
mod serve;
mod sync;
mod sync_many;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/scp")
}

/// The command, in the folder with the conformance vectors, away from the user's settings.
fn sitecast(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command.current_dir(vectors()).args(arguments);
    for name in ["SITECAST_CONFIG", "SITECAST_COLOR", "NO_COLOR"] {
        command.env_remove(name);
    }
    command
}

fn run(arguments: &[&str]) -> Output {
    sitecast(arguments).output().unwrap()
}

/// Everything a run shows, for a snapshot.
fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = output.status.code().unwrap();
    let mut shown = format!("exit {code}\n");
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if !bytes.is_empty() {
            shown += &format!("--- {name}\n{}", text(bytes));
        }
    }
    shown
}

fn exit(arguments: &[&str]) -> i32 {
    run(arguments).status.code().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(arguments).stdout).unwrap()
}

macro_rules! shows {
    ($name:ident: $($argument:expr),+) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown(&run(&[$($argument),+])));
        }
    };
}

shows!(check_says_what_it_verified: "check", "valid/snapshot.scp.zst", "valid/delta-with-deleted.scp", "valid/minimal.scp");
shows!(check_names_line_and_page_of_each_warning: "check", "warned/unknown-block-type.scp", "warned/page-url-not-http.scp");
shows!(check_strict_turns_warnings_into_findings: "check", "--strict", "warned/heading-level-outside-1-to-6.scp");
shows!(check_says_what_is_fatal: "check", "invalid/line-not-json.scp");
shows!(check_says_which_bytes_were_hashed: "check", "invalid/checksum-mismatch.scp");
shows!(check_goes_on_after_a_missing_file: "check", "nowhere.scp", "valid/minimal.scp");
shows!(check_quiet_says_only_what_is_wrong: "check", "-q", "valid/minimal.scp", "invalid/line-empty.scp");
shows!(check_prints_json: "check", "--json", "valid/delta.scp", "warned/unknown-block-type.scp", "invalid/version-9.0.scp");
shows!(check_wants_a_file: "check");
shows!(check_of_a_folder_of_collections: "check", "valid");
shows!(check_refuses_private_addresses: "check", "http://127.0.0.1/all.scp.zst");
shows!(check_helps_with_a_typo: "check", "--srict", "valid/minimal.scp");
shows!(check_explains_itself: "check", "--help");
shows!(help_lists_the_commands: "--help");
shows!(inspect_says_what_a_list_leaves_out: "inspect", "warned/page-url-not-http.scp", "--pages");
shows!(inspect_says_when_it_stopped_early: "inspect", "invalid/checksum-mismatch.scp", "--pages", "--limit", "1");
shows!(inspect_of_one_page_still_verifies_the_file: "inspect", "invalid/checksum-mismatch.scp", "--page", "https://example.com/home");
shows!(check_reads_standard_input_only_once: "check", "-", "-");
shows!(inspect_shows_metadata_and_totals: "inspect", "valid/snapshot.scp.zst");
shows!(inspect_lists_pages: "inspect", "valid/minimal.scp", "--pages");
shows!(inspect_shows_a_page: "inspect", "valid/all-block-types.scp", "--page", "https://example.com/home", "--content");
shows!(inspect_misses_a_page: "inspect", "valid/minimal.scp", "--page", "https://example.com/nowhere");
shows!(inspect_refuses_a_bad_time: "inspect", "valid/minimal.scp", "--since", "yesterday");
shows!(inspect_shows_what_it_can_of_a_broken_file: "inspect", "invalid/line-not-json.scp", "--pages");
shows!(inspect_explains_itself: "inspect", "--help");

#[test]
fn exit_codes_follow_the_contract() {
    let manifest: Value =
        serde_json::from_slice(&fs::read(vectors().join("manifest.json")).unwrap()).unwrap();
    for vector in manifest["vectors"].as_array().unwrap() {
        let name = vector["file"].as_str().unwrap();
        let mut arguments = vec!["check", "--json", name];
        if vector["allow_missing_metadata"] == true {
            arguments.push("--allow-missing-metadata");
        }
        let expected = match vector["error"].as_str() {
            None => 0,
            Some("checksum-mismatch") => 5,
            Some(_) => 3,
        };
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(expected), "{name}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let target = &report["targets"][0];
        assert_eq!(
            (&report["version"], &target["ok"]),
            (&Value::from(1), &Value::from(expected == 0)),
            "{name}"
        );
        assert_eq!(target["errors"][0]["code"], vector["error"], "{name}");
        if expected == 0 {
            assert_eq!(target["pages"], vector["pages"], "{name}");
        }
    }
}

#[test]
fn the_gravest_exit_code_wins() {
    let (good, bad, wrong) = (
        "valid/minimal.scp",
        "invalid/line-not-json.scp",
        "invalid/checksum-mismatch.scp",
    );
    assert_eq!(exit(&["check", "nowhere", good]), 1);
    assert_eq!(exit(&["check", "nowhere", bad, good]), 3);
    assert_eq!(exit(&["check", wrong, bad, "nowhere"]), 5);
}

#[test]
fn json_has_the_documented_shape() {
    let report = json(&["check", "--json", "warned/unknown-block-type.scp"]);
    let target = report["targets"][0].as_object().unwrap();
    let mut names: Vec<&str> = target.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "blocks",
            "checksum",
            "collection",
            "compressed_bytes",
            "errors",
            "kind",
            "ok",
            "pages",
            "rejected_pages",
            "target",
            "uncompressed_bytes",
            "warning_counts",
            "warnings"
        ]
    );
    assert_eq!(
        (&target["kind"], &target["checksum"]),
        (&"collection".into(), &"absent".into())
    );
    for name in ["code", "line", "url", "message"] {
        assert!(!target["warnings"][0][name].is_null(), "{name}");
    }
    let report = json(&["check", "--json", "invalid/checksum-mismatch.scp"]);
    assert_eq!(report["targets"][0]["checksum"], "mismatch");
    assert_eq!(
        json(&["check", "--json", "valid/delta.scp"])["targets"][0]["checksum"],
        "verified"
    );
}

#[test]
fn standard_input_is_a_file_named_dash() {
    let output = sitecast(&["check", "--json", "-"])
        .write_stdin(fs::read(vectors().join("valid/snapshot.scp.gz")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["targets"][0]["target"], "-");
    let output = sitecast(&["check", "-"])
        .write_stdin("rubbish")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
}

fn page(path: &str, content: &str) -> String {
    format!(
        r#"{{"url":"https://example.com/{path}","title":"T","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":{content}}}"#
    )
}

const METADATA: &str = r#"{"collection":{"id":"test","section":"all","type":"snapshot","generated":"2025-01-15T10:00:00Z","version":"0.1"}}"#;

fn in_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn warnings_of_one_code_beyond_100_are_counted_not_listed() {
    let polls = format!("[{}]", vec![r#"{"type":"poll"}"#; 60].join(","));
    let file = [
        METADATA,
        &page("a", &polls),
        &page("b", &polls),
        &page("c", "[]"),
    ]
    .join("\n");
    let folder = in_folder(&[("many.scp", &file)]);
    let output = sitecast(&["check", "--json", "many.scp"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let target = &report["targets"][0];
    assert_eq!(target["warnings"].as_array().unwrap().len(), 101);
    assert_eq!(target["warning_counts"]["unknown-block"], 120);
    assert_eq!(target["warning_counts"]["empty-content"], 1);
    let output = sitecast(&["check", "many.scp"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("… and 20 warnings more of [unknown-block]")
    );
}

#[test]
fn foreign_text_cannot_control_the_terminal() {
    let evil = r"\u001b]0;owned\u0007\u009b2J\u202egnp.exe";
    let line = page(
        "a",
        &format!(r#"[{{"type":"text","text":"{evil}"}},{{"type":"{evil}"}}]"#),
    )
    .replace("\"T\"", &format!("\"{evil}\""));
    let folder = in_folder(&[("evil.scp", &[METADATA, &line].join("\n"))]);
    for arguments in [
        &["check", "evil.scp"][..],
        &["inspect", "evil.scp", "--pages"],
        &["inspect", "evil.scp", "--content", "-v"],
        &["inspect", "evil.scp", "--page", "\x1b[31m"],
    ] {
        let output = sitecast(arguments).current_dir(&folder).output().unwrap();
        let shown = shown(&output);
        assert!(
            !shown.chars().any(|c| c.is_control() && c != '\n') && !shown.contains('\u{202e}'),
            "{shown:?}"
        );
        assert!(shown.contains('␛'), "it is shown instead: {shown}");
    }
}

#[test]
fn inspect_json_prints_the_publishers_own_lines() {
    let odd = page("a", r#"[ {"text":"x", "type":"text"} ]"#)
        .replace("\"title\"", "\"rating\": 4.50, \"title\"");
    let file = format!("{METADATA}\n{odd}\n{}\n", page("b", r#"[{"type":"poll"}]"#));
    let folder = in_folder(&[("own.scp", &file)]);
    let inspect = |more: &[&str]| {
        let output = sitecast(&[&["inspect", "own.scp", "--json"], more].concat())
            .current_dir(&folder)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(inspect(&[]), file);
    assert_eq!(inspect(&["--pages"]), file.split_once('\n').unwrap().1);
    assert_eq!(
        inspect(&["--page", "https://example.com/a"]),
        format!("{odd}\n")
    );
    assert_eq!(inspect(&["--limit", "1"]), format!("{odd}\n"));
    assert_eq!(inspect(&["--limit", "0"]), "");
    assert_eq!(inspect(&["--since", "2025-01-15T09:00:00Z"]), "");
    assert_eq!(inspect(&["--since", "2025-01-15"]).lines().count(), 2);
}

#[test]
fn limits_can_be_set_in_the_configuration() {
    let file = [
        METADATA,
        &page(
            "a",
            r#"[{"type":"text","text":"x"},{"type":"text","text":"y"}]"#,
        ),
    ]
    .join("\n");
    let folder = in_folder(&[
        ("a.scp", &file),
        ("sitecast.toml", "[limits]\npage_blocks = 1\n"),
        ("other.toml", "[check]\nstrict = true\n"),
    ]);
    let check = |arguments: &[&str]| sitecast(arguments).current_dir(&folder).output().unwrap();
    let output = check(&["check", "--json", "a.scp"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["targets"][0]["warnings"][0]["code"],
        "too-many-blocks"
    );
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        check(&["check", "--config", "other.toml", "a.scp"])
            .status
            .code(),
        Some(0)
    );
    let strict = fs::read_to_string(folder.path().join("other.toml")).unwrap()
        + "[limits]\npage_blocks = 1\n";
    fs::write(folder.path().join("other.toml"), strict).unwrap();
    assert_eq!(
        check(&["check", "--config", "other.toml", "a.scp"])
            .status
            .code(),
        Some(3)
    );
}

#[test]
fn a_wrong_configuration_is_said_with_its_line() {
    let folder = in_folder(&[(
        "sitecast.toml",
        "[limits]\npage_blocks = 10\npage_bloks = 1\n",
    )]);
    let output = sitecast(&["check", "x"])
        .current_dir(&folder)
        .output()
        .unwrap();
    insta::assert_snapshot!(shown(&output));
    let output = sitecast(&["check", "x", "--config", "nowhere.toml"])
        .output()
        .unwrap();
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn colours_come_when_asked_for_and_not_into_a_file() {
    let has_colour = |output: Output| output.stdout.contains(&0x1b);
    assert!(!has_colour(run(&["check", "valid/minimal.scp"])));
    assert!(has_colour(run(&[
        "check",
        "--color",
        "always",
        "valid/minimal.scp"
    ])));
    assert!(has_colour(
        sitecast(&["check", "valid/minimal.scp"])
            .env("SITECAST_COLOR", "always")
            .output()
            .unwrap()
    ));
    let flag_wins = sitecast(&["check", "--color=never", "valid/minimal.scp"])
        .env("SITECAST_COLOR", "always")
        .output();
    assert!(!has_colour(flag_wins.unwrap()));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let lines: Vec<String> = (0..20_000)
        .map(|i| page(&i.to_string(), r#"[{"type":"text","text":"x"}]"#))
        .collect();
    let folder = in_folder(&[("long.scp", &format!("{METADATA}\n{}", lines.join("\n")))]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sitecast"))
        .args(["inspect", "long.scp", "--json"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(shown(&output), "exit 0\n");
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell]);
        assert!(
            output.status.success()
                && String::from_utf8(output.stdout)
                    .unwrap()
                    .contains("inspect"),
            "{shell}"
        );
    }
    for arguments in [&["man"][..], &["man", "check"], &["man", "inspect"]] {
        let output = run(arguments);
        assert!(
            output.status.success() && output.stdout.windows(3).any(|window| window == b".TH"),
            "{arguments:?}"
        );
    }
    assert_eq!(exit(&["man", "nothing"]), 2);
}

/// Reads 200 MB that never touch the disk, and asks the kernel for the most memory it ever had.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_file() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sitecast"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{METADATA}").unwrap();
    let text = "Ordinary text of an ordinary page. ".repeat(140);
    for i in 0..40_000 {
        let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        writeln!(input, "{}", page(&i.to_string(), &content)).unwrap();
    }
    input.flush().unwrap();
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success()
            && String::from_utf8(output.stdout)
                .unwrap()
                .contains("40,000 pages")
    );
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 64_000, "{kilobytes} kB");
}

#[test]
fn without_arguments_there_is_help_and_exit_2() {
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("Usage: sitecast")
    );
}

#[test]
fn a_verdict_does_not_depend_on_who_reads_it() {
    for (arguments, code) in [
        (&["check", "invalid/checksum-mismatch.scp"][..], 5),
        (&["check", "--json", "invalid/line-not-json.scp"], 3),
        (&["check", "nowhere.scp"], 1),
        (&["check", "valid/minimal.scp"], 0),
    ] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sitecast"))
            .args(arguments)
            .current_dir(vectors())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn a_folder_among_the_files_does_not_keep_the_others_from_being_checked() {
    let report = json(&[
        "check",
        "--json",
        "invalid",
        "valid/minimal.scp",
        "http://127.0.0.1/x.scp",
    ]);
    let targets = report["targets"].as_array().unwrap();
    let last: Vec<(&Value, &Value)> = targets[targets.len() - 3..]
        .iter()
        .map(|target| (&target["kind"], &target["ok"]))
        .collect();
    let expected: [(Value, Value); 3] = [
        ("folder".into(), false.into()),
        ("collection".into(), true.into()),
        ("unknown".into(), false.into()),
    ];
    assert_eq!(last, expected.each_ref().map(|(kind, ok)| (kind, ok)));
    assert_eq!(exit(&["check", "invalid", "http://127.0.0.1/"]), 5);
}

#[test]
#[cfg(unix)]
fn names_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.scp");
    fs::write(folder.path().join(name), METADATA).unwrap();
    let output = sitecast(&["check"])
        .arg(name)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
}

#[test]
fn inspect_of_a_delta_lists_what_it_deletes() {
    let urls: Vec<String> = (0..30)
        .map(|n| format!("\"https://example.com/{n}\""))
        .collect();
    let delta = format!(
        "{{\"collection\":{{\"id\":\"d\",\"section\":\"all\",\"type\":\"delta\",\"since\":\"2025-01-01T00:00:00Z\",\
         \"generated\":\"2025-01-02T00:00:00Z\",\"version\":\"0.1\",\"deleted\":[{}]}}}}\n",
        urls.join(",")
    );
    let folder = in_folder(&[("delta.scp", &delta)]);
    let file = folder.path().join("delta.scp").display().to_string();
    let whole = String::from_utf8(run(&["inspect", &file]).stdout).unwrap();
    assert!(
        whole.contains("30 pages") && whole.contains("https://example.com/19\n"),
        "{whole}"
    );
    assert!(!whole.contains("https://example.com/20"), "{whole}");
    let list = String::from_utf8(run(&["inspect", "--pages", &file]).stdout).unwrap();
    assert_eq!(
        list.matches("deleted  https://example.com/").count(),
        30,
        "{list}"
    );
}

#[test]
fn parquet_is_offered_only_by_a_binary_that_has_it() {
    let help = String::from_utf8(run(&["export", "--help"]).stdout).unwrap();
    assert_eq!(
        help.contains("parquet"),
        cfg!(feature = "parquet"),
        "{help}"
    );
}

#[test]
fn inspect_shows_the_newest_page_of_a_url() {
    let text = r#"[{"type":"text","text":"x"}]"#;
    let (old, new) = (
        page("a", text).replace("T09:00:00Z", "T08:00:00Z"),
        page("a", text),
    );
    for lines in [[&old, &new], [&new, &old]] {
        let file = format!("{METADATA}\n{}\n{}\n", lines[0], lines[1]);
        let folder = in_folder(&[("twice.scp", &file)]);
        let arguments = [
            "inspect",
            "twice.scp",
            "--page",
            "https://example.com/a",
            "--json",
        ];
        let output = sitecast(&arguments).current_dir(&folder).output().unwrap();
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{new}\n")
        );
    }
}

#[test]
fn a_setting_that_zstd_cannot_take_is_wrong_configuration() {
    let folder = in_folder(&[("sitecast.toml", "[limits]\nzstd_window_log = 99\n")]);
    let path = vectors().join("valid/snapshot.scp.zst");
    let output = sitecast(&["check"])
        .arg(path)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    // Commands that need no configuration do not mind.
    assert!(
        sitecast(&["man"])
            .current_dir(&folder)
            .output()
            .unwrap()
            .status
            .success()
    );
}

#[test]
fn the_environment_wins_over_the_configuration() {
    let folder = in_folder(&[
        ("sitecast.toml", "color = \"always\"\n"),
        ("a.scp", METADATA),
    ]);
    let coloured = |name: &str, value: &str| {
        let output = sitecast(&["check", "a.scp"])
            .current_dir(&folder)
            .env(name, value)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", shown(&output));
        output.stdout.contains(&0x1b)
    };
    assert!(coloured("NO_COLOR", ""));
    assert!(coloured("SITECAST_COLOR", ""));
    assert!(!coloured("NO_COLOR", "1"));
    assert!(!coloured("SITECAST_COLOR", "never"));
    let output = sitecast(&["check", "a.scp"])
        .current_dir(&folder)
        .env("SITECAST_COLOR", "blue")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
