//! A publication that is dated in the future, since a clock was wrong.

use std::fs;

use sitecast_publish::{FolderSource, Options, publish};
use sitecast_storage::Folder;

use crate::publish_first::{page, sitecast};
use crate::shown;

#[test]
fn check_sees_it_and_the_message_of_publish_names_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("public");
    for name in ["index.html", "a.html"] {
        page(&site, name, &format!("https://example.com/{name}"));
    }
    let options = Options::new("https://example.com".parse().unwrap());
    publish(
        &FolderSource::open(&site).unwrap(),
        &Folder::new(&site).unwrap(),
        None,
        &options,
        "2999-01-01T00:00:00Z".parse().unwrap(),
        &(),
    )
    .unwrap();
    let check = || sitecast(folder.path(), &["check", "public"]);
    let output = check();
    assert_eq!(output.status.code(), Some(3), "{}", shown(&output));
    assert!(
        shown(&output).contains("which is in the future"),
        "{}",
        shown(&output)
    );
    let again = ["publish", "public", "--base-url", "https://example.com"];
    let output = sitecast(folder.path(), &again);
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(shown(&output).contains("`--full`"), "{}", shown(&output));
    // As it says.
    let output = sitecast(folder.path(), &[&again[..], &["--full"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let output = check();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let sitemap = fs::read_to_string(site.join("sitemap.xml")).unwrap();
    assert!(!sitemap.contains("2999"), "{sitemap}");
}
