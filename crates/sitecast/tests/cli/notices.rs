//! THIRD-PARTY-NOTICES.md names every crate whose licence asks for more than its text.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn every_crate_under_the_mozilla_licence_is_in_the_notices() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let notices = std::fs::read_to_string(root.join("THIRD-PARTY-NOTICES.md")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(&root)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let licence = package["license"].as_str().unwrap_or_default();
        let permissive = [
            "MIT",
            "Apache-2.0",
            "BSD",
            "ISC",
            "Zlib",
            "Unicode",
            "0BSD",
            "CC0",
            "Unlicense",
            "BSL",
        ];
        let is_free = licence.split(" OR ").any(|choice| {
            permissive.iter().any(|name| choice.contains(name)) && !choice.contains("MPL")
        });
        let is_ours = package["source"].is_null();
        if licence.contains("MPL") || !(is_free || is_ours) {
            let (name, version) = (
                package["name"].as_str().unwrap(),
                package["version"].as_str().unwrap(),
            );
            let row = format!("| {name} | {version} | {licence} |");
            assert!(
                notices.contains(&row),
                "THIRD-PARTY-NOTICES.md has no row that begins with `{row}`"
            );
            found += 1;
        }
    }
    let rows = notices
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("https://"))
        .count();
    assert_eq!(
        rows, found,
        "THIRD-PARTY-NOTICES.md names a crate that is no longer used"
    );
}

#[test]
fn the_container_hands_out_the_notices_with_the_binary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = std::fs::read_to_string(root.join("docs/Containerfile")).unwrap();
    // Only what is in the last stage is handed out.
    let (_, handed_out) = file.rsplit_once("\nFROM ").unwrap();
    let copied = handed_out
        .lines()
        .any(|line| line.starts_with("COPY ") && line.contains("THIRD-PARTY-NOTICES.md"));
    assert!(copied, "{handed_out}");
}
