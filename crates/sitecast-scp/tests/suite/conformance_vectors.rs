//! Reads every file in `conformance/scp` and compares the result with the manifest.

use std::fs;
use std::path::Path;

use crate::support::{accept_missing_metadata, read_with};
use serde_json::Value;
use sitecast_scp::{ChecksumStatus, ReaderOptions};

#[test]
fn vectors_are_read_as_the_manifest_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/scp");
    let manifest: Value =
        serde_json::from_slice(&fs::read(root.join("manifest.json")).unwrap()).unwrap();
    let vectors = manifest["vectors"].as_array().unwrap();
    let mut seen = 0;
    for vector in vectors {
        let name = vector["file"].as_str().unwrap();
        let options = if vector["allow_missing_metadata"] == true {
            accept_missing_metadata()
        } else {
            ReaderOptions::default()
        };
        let outcome = read_with(&fs::read(root.join(name)).unwrap(), &options);
        assert_eq!(
            outcome.error_code(),
            vector["error"].as_str(),
            "{name}: {:?}",
            outcome.result
        );
        let Ok(summary) = &outcome.result else {
            seen += 1;
            continue;
        };
        let expected: Vec<&str> = vector["warnings"]
            .as_array()
            .map(|all| all.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        assert_eq!(outcome.codes(), expected, "{name}");
        assert_eq!(
            summary.counts.pages,
            vector["pages"].as_u64().unwrap(),
            "{name}"
        );
        assert_eq!(
            summary.counts.rejected_pages,
            vector["rejected_pages"].as_u64().unwrap(),
            "{name}"
        );
        if vector["checksum"] == "verified" {
            assert_eq!(summary.checksum, ChecksumStatus::Verified, "{name}");
        }
        seen += 1;
    }
    let files: usize = ["valid", "warned", "invalid"]
        .iter()
        .map(|d| fs::read_dir(root.join(d)).unwrap().count())
        .sum();
    assert_eq!(seen, files, "every file is listed in the manifest");
}
