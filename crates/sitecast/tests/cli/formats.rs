//! `check` on what is no collection: sitemaps, machine pages, policies, robots.txt.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{in_folder, run, shown, sitecast, vectors};

/// The folders of vectors beside those of collections.
const GROUPS: [&str; 3] = ["sitemap", "tct", "robots"];

fn group(name: &str) -> PathBuf {
    vectors().join("..").join(name)
}

fn files(folder: &Path) -> usize {
    ["valid", "warned", "invalid"]
        .iter()
        .filter_map(|part| fs::read_dir(folder.join(part)).ok())
        .map(Iterator::count)
        .sum()
}

#[test]
fn vectors_are_judged_as_their_manifests_say() {
    for name in GROUPS {
        let folder = group(name);
        let manifest = fs::read(folder.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let vectors = manifest["vectors"].as_array().unwrap();
        assert_eq!(
            vectors.len(),
            files(&folder),
            "every file of {name} has its line"
        );
        for vector in vectors {
            let file = vector["file"].as_str().unwrap();
            let output = sitecast(&["check", "--json", file])
                .current_dir(&folder)
                .output()
                .unwrap();
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let target = &report["targets"][0];
            let expected = match vector["error"].as_str() {
                None => 0,
                Some("hash-mismatch") => 5,
                Some(_) => 3,
            };
            assert_eq!(output.status.code(), Some(expected), "{file}: {target}");
            assert_eq!(target["kind"], vector["kind"], "{file}");
            assert_eq!(target["ok"], expected == 0, "{file}");
            assert_eq!(target["errors"][0]["code"], vector["error"], "{file}");
            if expected == 0 {
                let warnings = target["warnings"].as_array().unwrap();
                let codes: Vec<&Value> = warnings.iter().map(|warning| &warning["code"]).collect();
                let wanted = vector["warnings"].as_array().cloned().unwrap_or_default();
                assert_eq!(codes, wanted.iter().collect::<Vec<_>>(), "{file}");
                let valid = file.starts_with("valid/");
                assert_eq!(valid, wanted.is_empty(), "{file}");
            }
            for (count, number) in vector["counts"].as_object().into_iter().flatten() {
                assert_eq!(&target[count], number, "{file}: {count}");
            }
        }
    }
}

/// What `check` shows for files of one of the groups.
macro_rules! shows {
    ($name:ident: $group:literal, $($argument:expr),+) => {
        #[test]
        fn $name() {
            let output = sitecast(&["check", $($argument),+]).current_dir(group($group)).output().unwrap();
            insta::assert_snapshot!(shown(&output));
        }
    };
}

shows!(check_of_sitemaps: "sitemap", "valid/index.xml", "valid/scp-extension.xml", "valid/gzip-without-the-name.xml", "valid/text.txt", "valid/rss.xml");
shows!(check_of_sitemaps_with_warnings: "sitemap", "warned/relative-url.xml", "warned/raw-ampersand.xml", "warned/scp-delta-without-since.xml");
shows!(check_of_broken_sitemaps: "sitemap", "invalid/cut-short.xml", "invalid/doctype.xml", "invalid/html.xml");
shows!(check_of_machine_pages: "tct", "valid/page-of-the-draft.json", "valid/page-method-b.json", "warned/page-without-hash.json", "invalid/page-hash-mismatch.json");
shows!(check_of_json_sitemaps: "tct", "valid/sitemap-draft-00.json", "valid/sitemap-index.json", "warned/sitemap-item-without-murl.json", "invalid/sitemap-cut-short.json");
shows!(check_of_policies: "tct", "valid/policy-of-the-draft.json", "warned/policy-wrong-type.json");
shows!(check_of_robots_txt: "robots", "valid/rfc-9309-simple.txt", "valid/sitemaps-and-delay.txt", "warned/misspelled.txt");
shows!(check_of_a_sitemap_as_json: "sitemap", "--json", "warned/relative-url.xml");
shows!(check_of_a_machine_page_as_json: "tct", "--json", "valid/page-of-the-draft.json");

#[test]
fn something_else_is_not_recognized() {
    let folder = in_folder(&[("letter.txt", "Dear Sir or Madam,\n")]);
    let output = sitecast(&["check", "letter.txt"])
        .current_dir(&folder)
        .output()
        .unwrap();
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn names_make_no_difference_and_pipes_are_files() {
    let sitemap = fs::read(group("sitemap").join("valid/minimal.xml")).unwrap();
    let folder = in_folder(&[]);
    fs::write(folder.path().join("robots.txt"), &sitemap).unwrap();
    for (arguments, input) in [
        (["check", "--json", "robots.txt"], &[][..]),
        (["check", "--json", "-"], &sitemap),
    ] {
        let output = sitecast(&arguments)
            .current_dir(&folder)
            .write_stdin(input)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["targets"][0]["kind"], "sitemap");
        assert_eq!(report["targets"][0]["urls"], 1);
    }
}

#[test]
fn a_gzip_stream_that_is_cut_is_said_for_every_kind() {
    for (name, file) in [
        ("tct", "valid/page-of-the-draft.json"),
        ("tct", "valid/sitemap-draft-00.json"),
        ("tct", "valid/policy-of-the-draft.json"),
        ("robots", "valid/rfc-9309-simple.txt"),
        ("sitemap", "valid/minimal.xml"),
    ] {
        let plain = fs::read(group(name).join(file)).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&plain).unwrap();
        let zipped = encoder.finish().unwrap();
        let folder = in_folder(&[]);
        fs::write(folder.path().join("whole"), &zipped).unwrap();
        fs::write(folder.path().join("cut"), &zipped[..zipped.len() - 6]).unwrap();
        let check = |file: &str| {
            let output = sitecast(&["check", "--json", file])
                .current_dir(&folder)
                .output()
                .unwrap();
            serde_json::from_slice::<Value>(&output.stdout).unwrap()["targets"][0].clone()
        };
        let whole = check("whole");
        assert_eq!(whole["ok"], true, "{file}: {whole}");
        assert_eq!(whole["compressed_bytes"], zipped.len(), "{file}");
        assert_eq!(whole["uncompressed_bytes"], plain.len(), "{file}");
        assert_eq!(check("cut")["errors"][0]["code"], "decompress", "{file}");
    }
}

#[test]
fn limits_of_sitemaps_and_tct_are_settings() {
    let folder = in_folder(&[
        (
            "sitecast.toml",
            "[sitemap.limits]\nentries = 1\n[tct.limits]\nitems = 0\npage_bytes = 10\n",
        ),
        ("s.txt", "https://example.com/1\nhttps://example.com/2\n"),
        ("s.json", "{\"items\":[1]}"),
        ("p.json", "{\"canonical_url\":\"https://example.com/\"}"),
    ]);
    for (file, code) in [
        ("s.txt", "too-many-entries"),
        ("s.json", "too-many-items"),
        ("p.json", "too-large"),
    ] {
        let output = sitecast(&["check", "--json", file])
            .current_dir(&folder)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["targets"][0]["errors"][0]["code"], code, "{report}");
    }
    fs::write(
        folder.path().join("sitecast.toml"),
        "[sitemap.limits]\nentires = 1\n",
    )
    .unwrap();
    let output = sitecast(&["check", "s.txt"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("entires"));
}

#[test]
fn several_kinds_in_one_run_have_one_verdict() {
    let output = run(&[
        "check",
        "valid/minimal.scp",
        "../sitemap/valid/minimal.xml",
        "../tct/invalid/page-hash-mismatch.json",
        "../robots/warned/no-colon.txt",
    ]);
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("4 files: 1 not ok\n"));
}
