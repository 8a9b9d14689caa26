//! First publications: where the site is, and whether there is anything to publish.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

use crate::shown;

/// Writes a page with a canonical link.
pub(crate) fn page(folder: &Path, name: &str, canonical: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let html = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>About {name}</title>\
         <link rel=\"canonical\" href=\"{canonical}\"></head><body><main><h1>About {name}</h1>\
         <p>Everything that is worth knowing about {name} is written down here, in sentences of some length, so \
         that nobody takes it for a menu.</p></main></body></html>"
    );
    fs::write(path, html).unwrap();
}

pub(crate) fn sitecast(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .args(arguments);
    command.output().unwrap()
}

/// Sphinx names the file in the canonical link of the homepage, too.
#[test]
fn a_site_built_by_sphinx_is_published_below_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let built = folder.path().join("html");
    for name in ["index.html", "usage.html", "api/index.html"] {
        page(&built, name, &format!("https://docs.example.com/en/{name}"));
    }
    let output = sitecast(folder.path(), &["init", "html"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let settings = fs::read_to_string(folder.path().join("sitecast.toml")).unwrap();
    assert!(
        settings.contains("base_url = \"https://docs.example.com/en/\""),
        "{settings}"
    );
    let output = sitecast(folder.path(), &["publish", "--dry-run", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["pages"]["new"], 3, "{report}");
}

#[test]
fn a_first_publication_without_pages_is_an_error_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["index.html", "a.html"] {
        page(
            &folder.path().join("html"),
            name,
            "https://example.com/elsewhere/page.html",
        );
    }
    let base = ["--base-url", "https://example.com"];
    for command in [
        &["publish", "html"][..],
        &["publish", "html", "--dry-run"],
        &["publish", "html", "--dry-run", "--json"],
        &["init", "html"],
        &["init", "html", "--print"],
    ] {
        let given = match command.first() {
            Some(&"publish") => &base[..],
            _ => &[],
        };
        let output = sitecast(folder.path(), &[command, given].concat());
        assert_eq!(
            output.status.code(),
            Some(1),
            "{command:?}: {}",
            shown(&output)
        );
    }
    assert!(!folder.path().join("sitecast.toml").exists());
    // What is left out, and why, is listed all the same.
    let rehearsal = [&["publish", "html", "--dry-run", "-v"], &base[..]].concat();
    let output = sitecast(folder.path(), &rehearsal);
    let said = shown(&output);
    assert!(said.contains("excluded a.html"), "{said}");
    assert!(said.contains("no page to publish"), "{said}");
}

#[test]
fn a_mistyped_host_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("html");
    for name in ["index.html", "a.html"] {
        page(&site, name, &format!("https://example.com/{name}"));
    }
    let publish = |base: &str, more: &[&str]| {
        let given = ["publish", "html", "--no-cache", "--base-url", base];
        let output = sitecast(folder.path(), &[&given[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        String::from_utf8(output.stderr).unwrap()
    };
    for more in [&["--dry-run"][..], &["--out", "mistyped"]] {
        let said = publish("https://exmaple.com", more);
        assert!(
            said.contains("all 2 canonical links that were looked at say `https://example.com`")
                && said.contains("`--base-url https://example.com`"),
            "{said}"
        );
    }
    let said = publish("https://example.com", &["--out", "right"]);
    assert!(!said.contains("canonical"), "{said}");
}

#[test]
fn check_follows_a_sitemap_of_the_collections_alone() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["index.html", "a.html"] {
        page(
            &folder.path().join("html"),
            name,
            &format!("https://example.com/{name}"),
        );
    }
    let settings = "[publish.artefacts]\nsitemap = \"separate\"\n";
    fs::write(folder.path().join("sitecast.toml"), settings).unwrap();
    let publish = ["publish", "html", "--base-url", "https://example.com"];
    let output = sitecast(folder.path(), &publish);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output = sitecast(folder.path(), &["check", "--strict", "--json", "html"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("sitemap-scp.xml"), "{said}");
    assert!(said.contains("\"collections_checked\":2"), "{said}");
}
