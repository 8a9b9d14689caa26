use std::fs;
use std::path::Path;
use std::process::Command;

use sitecast_storage::{Body, Folder, Put, Store, StoreError};
use tempfile::TempDir;

use crate::child;
use crate::suite::{self, bytes_of, names, path, put};

fn empty() -> (TempDir, Folder) {
    let temp = tempfile::tempdir().unwrap();
    // Does not exist yet: the first put creates it.
    let folder = Folder::new(temp.path().join("public")).unwrap();
    (temp, folder)
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_conforms() {
    let (_temp, folder) = empty();
    suite::run(&folder);
    // The suite leaves no scratch, lock or empty folder.
    assert_eq!(entries(folder.root()), [""; 0]);
}

#[test]
fn removes_leftovers_when_locking() {
    let (_temp, folder) = empty();
    let left = folder.scratch().unwrap().join("left/by a killed one");
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    fs::write(&left, "x").unwrap();
    let lock = folder.lock().unwrap();
    assert!(!left.exists());
    drop(lock);
    assert_eq!(entries(folder.root()), [""; 0]);
}

#[test]
fn makes_a_relative_root_absolute() {
    assert!(Folder::new("public").unwrap().root().is_absolute());
    assert!(matches!(Folder::new(""), Err(StoreError::Location { .. })));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(file: &Path) -> u32 {
        fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn does_not_follow_links_out_of_the_folder() {
        let (temp, folder) = empty();
        let outside = temp.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        folder.put(put("inside/here", "x")).unwrap();
        symlink(&outside, folder.root().join("link")).unwrap();
        symlink(outside.join("secret"), folder.root().join("file")).unwrap();

        let message = folder.put(put("link/new", "x")).unwrap_err().to_string();
        assert!(message.contains("leads out of the folder"), "{message}");
        assert!(folder.put(put("link/deeper/new", "x")).is_err());
        assert!(folder.delete(&path("link/secret")).is_err());
        assert!(folder.get(&path("link/secret")).is_err());
        assert!(folder.get(&path("file")).is_err());
        assert!(folder.list(Some(&path("link"))).is_err());
        assert_eq!(names(&folder, None), ["inside/here"]);
        assert_eq!(entries(&outside), ["secret"]);

        // A put replaces a link, and does not write to its target.
        folder.put(put("file", "new")).unwrap();
        assert_eq!(bytes_of(&folder, "file").unwrap(), b"new");
        assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret");
    }

    #[test]
    fn follows_links_within_the_folder() {
        let (_temp, folder) = empty();
        folder.put(put("en/page", "x")).unwrap();
        symlink("en", folder.root().join("default")).unwrap();
        symlink("en/page", folder.root().join("page")).unwrap();
        folder.put(put("default/other", "y")).unwrap();
        assert_eq!(bytes_of(&folder, "en/other").unwrap(), b"y");
        assert_eq!(bytes_of(&folder, "page").unwrap(), b"x");
        assert_eq!(names(&folder, None), ["en/other", "en/page", "page"]);
    }

    #[test]
    fn refuses_a_linked_scratch_folder() {
        let (temp, folder) = empty();
        folder.put(put("a", "x")).unwrap();
        let scratch = folder.scratch().unwrap();
        fs::remove_dir(&scratch).unwrap();
        symlink(temp.path(), &scratch).unwrap();
        assert!(folder.put(put("b", "x")).is_err());
        // The next lock removes the link, not its target.
        drop(folder.lock().unwrap());
        folder.put(put("b", "x")).unwrap();
        assert_eq!(names(&folder, None), ["a", "b"]);
    }

    #[test]
    fn uses_default_permissions_or_keeps_them() {
        let (temp, folder) = empty();
        fs::write(temp.path().join("ordinary"), "").unwrap();
        let ordinary = mode(&temp.path().join("ordinary"));
        let prepared = |at: &str| {
            // Libraries create temporary files with mode 0600.
            let file = tempfile::NamedTempFile::new_in(folder.scratch().unwrap()).unwrap();
            let (_, file) = file.keep().unwrap();
            Put {
                body: Body::File(file),
                ..put(at, "")
            }
        };
        folder.put(put("bytes", "x")).unwrap();
        folder.put(prepared("file")).unwrap();
        for at in ["bytes", "file"] {
            let file = folder.root().join(at);
            assert_eq!(mode(&file), ordinary, "{at}");
            fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        }
        folder.put(put("bytes", "y")).unwrap();
        folder.put(prepared("file")).unwrap();
        for at in ["bytes", "file"] {
            assert_eq!(mode(&folder.root().join(at)), 0o640, "{at}");
        }
    }

    #[test]
    fn does_not_open_pipes() {
        let (_temp, folder) = empty();
        folder.put(put("file", "x")).unwrap();
        let made = Command::new("mkfifo")
            .arg(folder.root().join("pipe"))
            .status();
        assert!(made.unwrap().success());
        assert!(folder.get(&path("pipe")).unwrap().is_none());
        assert_eq!(names(&folder, None), ["file"]);
    }

    #[test]
    fn does_not_list_invalid_names() {
        use std::os::unix::ffi::OsStrExt;
        let (_temp, folder) = empty();
        folder.put(put("fine", "x")).unwrap();
        for name in [&b"latin-\xe9"[..], b"back\\slash", b"line\nfeed"] {
            let name = std::ffi::OsStr::from_bytes(name);
            fs::write(folder.root().join(name), "x").unwrap();
        }
        assert_eq!(names(&folder, None), ["fine"]);
    }
}

#[test]
fn copies_files_from_another_disk() {
    let shm = Path::new("/dev/shm");
    if !shm.is_dir() {
        eprintln!("skipped: no /dev/shm, so no second file system to copy from");
        return;
    }
    let (_temp, folder) = empty();
    let file = tempfile::NamedTempFile::new_in(shm).unwrap();
    fs::write(file.path(), "from memory").unwrap();
    let (_, file) = file.keep().unwrap();
    folder
        .put(Put {
            body: Body::File(file.clone()),
            ..put("copied", "")
        })
        .unwrap();
    assert_eq!(bytes_of(&folder, "copied").unwrap(), b"from memory");
    assert!(!file.exists());
    assert_eq!(entries(&folder.scratch().unwrap()), [""; 0]);
}

#[test]
fn releases_the_lock_of_a_killed_process() {
    let (_temp, folder) = empty();
    let mut holder = child::start("folder::child_that_holds_the_lock", folder.root());
    child::wait_for(&mut holder, "holding");
    assert!(matches!(folder.lock(), Err(StoreError::Locked { .. })));
    drop(holder);
    drop(
        folder
            .lock()
            .expect("the kernel lets go of a dead process's lock"),
    );
    assert_eq!(entries(folder.root()), [""; 0]);
}

#[test]
#[ignore = "run by `releases_the_lock_of_a_killed_process` in a process of its own"]
fn child_that_holds_the_lock() {
    let Some(root) = child::argument() else {
        return;
    };
    let folder = Folder::new(root).unwrap();
    let _lock = folder.lock().unwrap();
    fs::write(folder.scratch().unwrap().join("half"), "x").unwrap();
    child::say_and_wait("holding");
}

/// Simulates a full disk: the process may not write files over 64 KiB.
#[cfg(unix)]
#[test]
fn keeps_the_old_object_when_the_disk_is_full() {
    let (_temp, folder) = empty();
    folder.put(put("page", "old")).unwrap();
    let output = child::with_argument(&mut Command::new("sh"), folder.root())
        // In blocks of 512 bytes, or of 1,024 if `sh` is bash.
        .args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$@\"", "sh"])
        .args(child::command("folder::child_with_a_full_disk"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        printed.contains(&format!("cannot write `{}/page`", folder.root().display())),
        "{printed}"
    );
    assert_eq!(bytes_of(&folder, "page").unwrap(), b"old");
    assert_eq!(names(&folder, None), ["page"]);
    assert_eq!(entries(&folder.scratch().unwrap()), [""; 0]);
}

#[cfg(unix)]
#[test]
#[ignore = "run by `keeps_the_old_object_when_the_disk_is_full` with a limit"]
fn child_with_a_full_disk() {
    let Some(root) = child::argument() else {
        return;
    };
    let folder = Folder::new(root).unwrap();
    let error = folder.put(put("page", vec![b'x'; 300_000])).unwrap_err();
    println!("{error}");
}

#[cfg(unix)]
#[test]
fn resolves_opened_files_through_links() {
    use std::os::unix::fs::symlink;

    let temp = tempfile::tempdir().unwrap();
    let root = temp.path();
    std::fs::create_dir(root.join("a")).unwrap();
    std::fs::write(root.join("a/page.html"), "page").unwrap();
    std::fs::write(root.join("alone (deleted)"), "alone").unwrap();
    symlink("a", root.join("b")).unwrap();
    symlink("b/page.html", root.join("c.html")).unwrap();
    let store = Folder::new(root).unwrap();
    let place = |path: &str| {
        let path = path.parse().unwrap();
        let opened = store.open(&path).unwrap().unwrap();
        store.place(&path, &opened).unwrap()
    };
    for path in ["a/page.html", "b/page.html", "c.html"] {
        let place = place(path);
        assert_eq!(place.path.unwrap().as_str(), "a/page.html", "{path}");
        assert!(place.hard_linked.is_none());
    }
    assert_eq!(
        place("alone (deleted)").path.unwrap().as_str(),
        "alone (deleted)"
    );
    assert!(store.hard_links().unwrap().names.is_empty());
    std::fs::hard_link(root.join("a/page.html"), root.join("d.html")).unwrap();
    let id = place("d.html").hard_linked.unwrap().id;
    assert_eq!(place("c.html").hard_linked.unwrap().id, id);
    let mut links = store.hard_links().unwrap().names;
    links.sort_by(|(one, _), (other, _)| one.cmp(other));
    let paths: Vec<&str> = links.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a/page.html", "d.html"]);
    assert!(links.iter().all(|(_, of)| *of == id));
    // The open file keeps its location when another file is renamed to its name.
    let path = "d.html".parse().unwrap();
    let opened = store.open(&path).unwrap().unwrap();
    std::fs::write(root.join("new"), "new").unwrap();
    std::fs::rename(root.join("new"), root.join("d.html")).unwrap();
    let place = store.place(&path, &opened).unwrap();
    assert_eq!(place.path.unwrap().as_str(), "d.html");
}
