//! `sitecast init`.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

use crate::{in_folder, shown};

fn sitecast(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("sitecast").unwrap();
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .args(arguments);
    command.output().unwrap()
}

fn page(title: &str, language: &str, meta: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"{language}\"><head><meta charset=\"utf-8\">{meta}<title>{title}</title></head>\
         <body><nav><a href=\"/\">Home</a></nav><main><h1>{title}</h1><p>Everything that is worth knowing about \
         {title} is written down here, in sentences of some length, so that nobody takes it for a menu.</p></main>\
         </body></html>"
    )
}

/// A project of some generator with a built site of two languages.
fn project(mark: &str, text: &str, output: &str) -> tempfile::TempDir {
    let mut files = vec![(mark.to_owned(), text.to_owned())];
    let mut add = |name: &str, language: &str| {
        files.push((format!("{output}{name}"), page(name, language, "")));
    };
    add("index.html", "en");
    add("about/index.html", "en");
    for n in 0..8 {
        add(&format!("blog/post-{n}/index.html"), "en");
        add(&format!("docs/chapter-{n}.html"), "en");
        add(&format!("de/blog/post-{n}/index.html"), "de");
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    in_folder(&files)
}

const HUGO: (&str, &str, &str) = (
    "hugo.toml",
    "baseURL = 'https://example.com/'\ntitle = 'A site'\n",
    "public/",
);

#[test]
fn a_project_is_recognised_and_publish_needs_no_arguments_after_that() {
    let folder = project(HUGO.0, HUGO.1, HUGO.2);
    let output = sitecast(folder.path(), &["init"]);
    insta::assert_snapshot!(shown(&output));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_to_string(root.join("docs/configuration.md")).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        docs.contains(&said),
        "docs/configuration.md shows something else than\n{said}"
    );
    let published = sitecast(folder.path(), &["publish", "--dry-run", "--json"]);
    assert_eq!(published.status.code(), Some(0), "{}", shown(&published));
    let report: Value = serde_json::from_slice(&published.stdout).unwrap();
    assert_eq!(report["pages"]["new"], 26);
    let sections = report["collections"].as_array().unwrap().iter();
    let sections: Vec<(&str, u64)> = sections
        .map(|made| {
            (
                made["section"].as_str().unwrap(),
                made["pages"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        sections,
        [("all", 26), ("blog", 16), ("de", 8), ("docs", 8)]
    );
}

#[test]
fn publish_just_works_in_a_project_of_every_generator() {
    let meta = |name: &str| format!("<meta name=\"generator\" content=\"{name}\">");
    for (name, mark, text, output) in [
        (
            "Hugo",
            "config.toml",
            "baseURL = \"https://example.com\"",
            "public/",
        ),
        (
            "Zola",
            "config.toml",
            "base_url = \"https://example.com\"",
            "public/",
        ),
        (
            "Jekyll",
            "_config.yml",
            "url: https://example.com\nbaseurl: \"\"\n",
            "_site/",
        ),
        (
            "Hexo",
            "_config.yml",
            "url: https://example.com\npublic_dir: public\n",
            "public/",
        ),
        (
            "Sphinx",
            "docs/conf.py",
            "html_baseurl = 'https://example.com/'\n",
            "docs/_build/html/",
        ),
        (
            "Docusaurus",
            "docusaurus.config.js",
            "  url: 'https://example.com',\n  baseUrl: '/',\n",
            "build/",
        ),
        (
            "MkDocs",
            "mkdocs.yml",
            "site_url: https://example.com/\n",
            "site/",
        ),
        (
            "Astro",
            "astro.config.mjs",
            "site: 'https://example.com',",
            "dist/",
        ),
    ] {
        let folder = project(mark, text, output);
        let output = sitecast(folder.path(), &["init", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["generator"]["name"], name, "{report}");
        assert_eq!(report["base_url"], "https://example.com/", "{report}");
        let published = sitecast(folder.path(), &["publish", "--dry-run"]);
        assert_eq!(
            published.status.code(),
            Some(0),
            "{name}: {}",
            shown(&published)
        );
        assert!(
            shown(&published).contains("snapshot of `blog`: 16 pages"),
            "{name}"
        );
    }
    // These do not say where the site is; their pages may.
    for (name, mark, text, output) in [
        (
            "mdBook",
            "book.toml",
            "[book]\ntitle = \"A book\"\n",
            "book/",
        ),
        (
            "Next.js",
            "next.config.js",
            "module.exports = { output: 'export' }\n",
            "out/",
        ),
        ("Eleventy", ".eleventy.js", "", "_site/"),
        ("WordPress", "public/wp-content/style.css", "", "public/"),
        (
            "MkDocs",
            "public/x.html",
            &page("x", "en", &meta("mkdocs-1.6.1")),
            "public/",
        ),
        (
            "Docusaurus",
            "public/x.html",
            &page("x", "en", &meta("Docusaurus v3.5.2")),
            "public/",
        ),
    ] {
        let folder = project(mark, text, output);
        let home = page(
            "Home",
            "en",
            "<link rel=\"canonical\" href=\"https://example.com/\">",
        );
        fs::write(folder.path().join(output).join("index.html"), home).unwrap();
        let output = sitecast(folder.path(), &["init", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["generator"]["name"], name, "{report}");
        assert_eq!(report["base_url"], "https://example.com/", "{report}");
        let published = sitecast(folder.path(), &["publish", "--dry-run"]);
        assert_eq!(
            published.status.code(),
            Some(0),
            "{name}: {}",
            shown(&published)
        );
    }
}

#[test]
fn a_built_folder_is_looked_at_and_the_file_stays_beside_it() {
    let folder = project("public/wp-includes/a.css", "", "public/");
    let output = sitecast(folder.path(), &["init", "public/"]);
    insta::assert_snapshot!(shown(&output));
    let file = fs::read_to_string(folder.path().join("sitecast.toml")).unwrap();
    assert!(file.contains("\nsource = \"public\"\n"), "{file}");
    assert!(!folder.path().join("public/sitecast.toml").exists());
}

#[test]
fn a_file_that_is_there_is_left_alone_unless_forced() {
    let folder = project(HUGO.0, HUGO.1, HUGO.2);
    let path = folder.path().join("sitecast.toml");
    fs::write(&path, "color = \"never\"\n").unwrap();
    let output = sitecast(folder.path(), &["init"]);
    insta::assert_snapshot!(shown(&output));
    assert_eq!(fs::read_to_string(&path).unwrap(), "color = \"never\"\n");
    // Even if it is wrong: the new one is not read through it.
    fs::write(&path, "colour = 1\n").unwrap();
    let output = sitecast(folder.path(), &["init", "--force", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(output.stdout.is_empty());
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains("base_url = \"https://example.com/\"")
    );
}

#[test]
fn an_empty_folder_gets_a_plain_file_and_is_told_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(shown(&sitecast(folder.path(), &["init"])));
    let checked = sitecast(folder.path(), &["config"]);
    assert_eq!(checked.status.code(), Some(0), "{}", shown(&checked));
}

#[test]
fn a_project_that_is_not_built_is_told_so() {
    let folder = in_folder(&[("mkdocs.yml", "site_url: https://example.com/docs/\n")]);
    insta::assert_snapshot!(shown(&sitecast(folder.path(), &["init"])));
}

#[test]
fn a_site_that_is_made_when_asked_for_is_told_so() {
    let folder = in_folder(&[("wp-config.php", "<?php")]);
    insta::assert_snapshot!(shown(&sitecast(folder.path(), &["init"])));
}

#[test]
fn print_writes_nothing_and_shows_every_setting() {
    let folder = project(HUGO.0, HUGO.1, HUGO.2);
    let output = sitecast(folder.path(), &["init", "--print"]);
    insta::assert_snapshot!(shown(&output));
    assert!(!folder.path().join("sitecast.toml").exists());
    let same = sitecast(folder.path(), &["init", "--dry-run"]);
    assert_eq!(same.stdout, output.stdout);
}

#[test]
fn the_file_can_be_another_one() {
    let folder = project(HUGO.0, HUGO.1, HUGO.2);
    let output = sitecast(
        folder.path(),
        &["init", "--config", "staging.toml", "--json"],
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["file"], "staging.toml");
    assert_eq!(report["written"], true);
    assert_eq!(
        report["next"][0],
        "sitecast publish --dry-run --config staging.toml"
    );
    assert!(folder.path().join("staging.toml").exists());
    assert!(!folder.path().join("sitecast.toml").exists());
    let output = sitecast(folder.path(), &["init", "--config", "nowhere/x.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(shown(&output).contains("the folder that it is to be in is not there"));
}

#[test]
fn what_was_found_is_told_to_programs() {
    let folder = project(HUGO.0, HUGO.1, HUGO.2);
    let output = sitecast(folder.path(), &["init", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn a_folder_that_is_none_is_said() {
    let folder = in_folder(&[("a.html", "<p>")]);
    for (name, said) in [
        ("nowhere", "`nowhere` is not there"),
        ("a.html", "`a.html` is a file"),
    ] {
        let output = sitecast(folder.path(), &["init", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(shown(&output).contains(said), "{}", shown(&output));
    }
}

#[test]
fn init_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(shown(&sitecast(folder.path(), &["init", "--help"])));
}
