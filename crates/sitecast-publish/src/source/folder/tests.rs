use super::*;

#[test]
fn finds_pages_and_passes_over_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("a/.git")).unwrap();
    for name in [
        "index.html",
        "a/b.HTM",
        "a/.git/x.html",
        "style.css",
        "404.html",
    ] {
        fs::write(root.join(name), "<p>").unwrap();
    }
    let items = FolderSource::open(root).unwrap().items().unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key).collect();
    assert_eq!(keys, ["a/b.HTM", "index.html"]);
    assert_eq!(items.excluded, [("404.html".to_owned(), Reason::ErrorPage)]);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.html"), "<p>").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("a.html"), "<p>").unwrap();
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    link(outside.path().join("secret.html"), root.join("x.html")).unwrap();
    link(outside.path().to_owned(), root.join("folder")).unwrap();
    link(root.join("a.html"), root.join("b.html")).unwrap();
    let items = FolderSource::open(root).unwrap().items().unwrap();
    let keys: Vec<&str> = items.iter().map(|item| item.key).collect();
    assert_eq!(keys, ["a.html", "b.html"]);
    assert_eq!(items.excluded, [("x.html".to_owned(), Reason::OutsideLink)]);
}

#[cfg(target_os = "linux")]
#[test]
fn folders_whose_names_are_not_utf_8_are_left_out_aloud() {
    let folder = tempfile::tempdir().unwrap();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9");
    fs::create_dir(folder.path().join(name)).unwrap();
    fs::write(folder.path().join(name).join("a.html"), "<p>").unwrap();
    let items = FolderSource::open(folder.path()).unwrap().items().unwrap();
    assert_eq!((items.len(), items.excluded.len()), (0, 1));
}

#[test]
fn a_file_written_just_now_is_looked_at_again() {
    let now = SystemTime::now();
    assert_eq!(mark(Some(now), now), UNRELIABLE);
    assert_ne!(mark(Some(now - Duration::from_secs(10)), now), UNRELIABLE);
    let latest = SystemTime::UNIX_EPOCH + Duration::from_secs(i64::MAX as u64);
    assert_eq!(mark(Some(latest), now), UNRELIABLE);
}

#[test]
fn a_missing_folder_is_named() {
    let error = FolderSource::open(Path::new("/no/such/folder")).unwrap_err();
    assert!(error.to_string().contains("/no/such/folder"), "{error}");
}
