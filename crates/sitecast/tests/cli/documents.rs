//! What the documents say is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path()).collect();
    folders.extend(["", "docs", "conformance", "schemas", "fuzz"].map(|name| root.join(name)));
    for folder in folders {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The text without what stands in fences and between backticks.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            let outside = line.split('`').step_by(2);
            prose.push_str(&outside.collect::<Vec<_>>().join("x"));
            prose.push('\n');
        }
    }
    prose
}

/// How headings are named in links.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (line.starts_with('#')).then(|| heading.trim().to_lowercase())
    });
    headings
        .map(|heading| {
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in prose(&text).split("](").skip(1) {
            let target = link.split([')', ' ']).next().unwrap();
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            assert!(path.exists(), "{}: {target}", document.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&path).unwrap();
                assert!(
                    anchors(&text).contains(anchor),
                    "{}: {target}",
                    document.display()
                );
            }
        }
    }
    assert!(links > 40, "{links} links found");
}

#[test]
fn documents_of_the_docs_folder_are_found_from_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") {
            assert!(readme.contains(&format!("(docs/{name}")), "docs/{name}");
        }
    }
}

/// The script of the step of `action.yml` that publishes.
fn action_script() -> String {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let (_, script) = action.split_once("- id: publish").unwrap();
    let (_, script) = script.split_once("run: |\n").unwrap();
    script
        .lines()
        .map(|line| format!("{}\n", line.trim()))
        .collect()
}

#[test]
fn the_github_action_publishes_and_goes_on_from_the_last_time() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("sitecast/bin");
    fs::create_dir_all(&bin).unwrap();
    let program = assert_cmd::cargo::cargo_bin("sitecast");
    std::os::unix::fs::symlink(program, bin.join("sitecast")).unwrap();
    let run = |out: &str, previous: &str| {
        let results = folder.path().join(format!("outputs-{out}"));
        let output = Command::new("bash")
            .args(["-c", &action_script()])
            .current_dir(folder.path())
            .env("RUNNER_TEMP", folder.path())
            .env("GITHUB_OUTPUT", &results)
            .env("SOURCE", root().join("examples/tea-house"))
            .env("BASE_URL", "https://example.com")
            .env("OUT", out)
            .env("PREVIOUS", previous)
            .env("SITECAST_CONFIG", "")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", crate::shown(&output));
        let results = fs::read_to_string(results).unwrap();
        let report = results.strip_prefix("report=").unwrap();
        serde_json::from_str::<serde_json::Value>(report).unwrap()
    };
    assert_eq!(run("first", "")["pages"]["new"], 4);
    let second = run("second", "first");
    assert_eq!(
        (&second["pages"]["new"], &second["pages"]["unchanged"]),
        (&0.into(), &4.into())
    );
}
