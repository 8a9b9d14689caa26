use std::collections::BTreeSet;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{COARSE, FolderSource};
use super::*;
use crate::source::Source;

/// A folder and its memory, at a moment at which all in it has long been as it is.
struct Kept {
    site: tempfile::TempDir,
    cache: tempfile::TempDir,
}

impl Kept {
    /// `None` where temporary files are on a file system on which nothing is remembered.
    fn new() -> Option<Self> {
        let [site, cache] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        if Place::of(Path::new(""), site.path()).is_none() {
            // Not by a macro, whose words nobody sees as long as the test passes.
            let words = b"skipped: this file system is not known to keep the dates of folders\n";
            io::Write::write_all(&mut io::stderr(), words).unwrap();
            return None;
        }
        Some(Self { site, cache })
    }

    fn memory(&self) -> PathBuf {
        self.cache.path().join("folders")
    }

    /// What is listed with the memory, and what without.
    fn listed(&self) -> [BTreeSet<String>; 2] {
        // So long that what is done next is done at another time, however coarse the kernel's clock.
        std::thread::sleep(Duration::from_millis(12));
        let source = FolderSource::open(self.site.path()).unwrap();
        let later = SystemTime::now() + COARSE * 5;
        let with = source.walk_with_memory(&self.memory(), later).unwrap();
        let without = source.walk(None, later).unwrap();
        [with, without].map(|items| {
            let found = items.iter().map(|item| format!("{item:?}"));
            let excluded = items
                .excluded
                .iter()
                .map(|left_out| format!("{left_out:?}"));
            let changed = format!("changed {:?}", items.changed);
            found.chain(excluded).chain([changed]).collect()
        })
    }
}

#[test]
fn a_folder_that_is_as_it_was_is_not_looked_through_again() {
    let Some(remembered) = Kept::new() else {
        return;
    };
    let root = remembered.site.path();
    fs::create_dir(root.join("a")).unwrap();
    for name in ["index.html", "a/b.html", "a/404.html", "a/x.css"] {
        fs::write(root.join(name), "<p>").unwrap();
    }
    let [first, _] = remembered.listed();
    let memory = fs::read_to_string(remembered.memory()).unwrap();
    assert!(memory.contains("\0b.html\0"), "{memory:?}");
    assert!(!memory.contains("x.css"), "{memory:?}");
    // Believed even where it is made to say otherwise.
    let (folders, _) = memory.split_once("//\0").unwrap();
    let folders = folders.replace("\0b.html\0", "\0");
    let hash = twox_hash::XxHash3_128::oneshot(folders.as_bytes());
    fs::write(remembered.memory(), format!("{folders}//\0{hash:x}\0")).unwrap();
    let [again, without] = remembered.listed();
    assert_eq!(without, first);
    assert_eq!((again.len(), first.len()), (3, 4));
}

#[test]
fn files_of_access_rules_are_remembered() {
    let Some(remembered) = Kept::new() else {
        return;
    };
    let root = remembered.site.path();
    fs::create_dir_all(root.join("a/b/.htaccess")).unwrap();
    for name in ["index.html", "a/.htaccess", "a/b/c.html"] {
        fs::write(root.join(name), "<p>").unwrap();
    }
    remembered.listed();
    let memory = fs::read_to_string(remembered.memory()).unwrap();
    assert!(memory.contains("\0.htaccess\0"), "{memory:?}");
    let source = FolderSource::open(root).unwrap();
    let place = Place::of(&remembered.memory(), root).unwrap();
    let recalled = source.recall(Memory::open(&place).unwrap(), SystemTime::now());
    let recalled = recalled.unwrap();
    assert_eq!(recalled.access_files().collect::<Vec<_>>(), ["a/.htaccess"]);
    // One that comes later is found.
    fs::write(root.join("a/b/d.html"), "<p>").unwrap();
    fs::write(root.join(".htaccess"), "").unwrap();
    remembered.listed();
    let recalled = source.recall(Memory::open(&place).unwrap(), SystemTime::now());
    let recalled = recalled.unwrap();
    let files: Vec<&str> = recalled.access_files().collect();
    assert_eq!(files, [".htaccess", "a/.htaccess"]);
}

#[test]
fn any_number_of_folders_is_remembered() {
    for count in [63, 64, 65, 200] {
        let Some(remembered) = Kept::new() else {
            return;
        };
        let root = remembered.site.path();
        // The site's own folder is one of them.
        for number in 1..count {
            fs::create_dir(root.join(number.to_string())).unwrap();
            fs::write(root.join(format!("{number}/index.html")), "<p>").unwrap();
        }
        let [first, _] = remembered.listed();
        assert_eq!(first.len(), count);
        assert!(remembered.memory().exists());
        let [again, without] = remembered.listed();
        assert_eq!(again, without);
        fs::write(root.join(format!("{}/more.html", count - 1)), "<p>").unwrap();
        let [more, without] = remembered.listed();
        assert_eq!((more.len(), more), (count + 1, without));
    }
}

#[test]
fn names_that_are_no_pages_and_links_to_nothing_do_not_matter() {
    let Some(remembered) = Kept::new() else {
        return;
    };
    let root = remembered.site.path();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9.jpg");
    fs::write(root.join(name), "").unwrap();
    remembered.listed();
    assert!(remembered.memory().exists());
    std::os::unix::fs::symlink("nowhere", root.join("broken.html")).unwrap();
    for _ in 0..2 {
        let source = FolderSource::open(root).unwrap();
        let items = source.items_with_memory(&remembered.memory()).unwrap();
        let left_out = ("broken.html".to_owned(), crate::Reason::DanglingLink);
        assert_eq!(items.excluded, [left_out]);
    }
    assert_eq!(fs::read_dir(remembered.cache.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_of_just_now_is_not_relied_on() {
    let Some(remembered) = Kept::new() else {
        return;
    };
    fs::write(remembered.site.path().join("index.html"), "<p>").unwrap();
    let source = FolderSource::open(remembered.site.path()).unwrap();
    let items = source.items_with_memory(&remembered.memory()).unwrap();
    assert_eq!(items.len(), 1);
    assert!(!remembered.memory().exists());
}

#[test]
fn a_memory_that_is_damaged_or_of_another_folder_is_not_believed() {
    let Some(remembered) = Kept::new() else {
        return;
    };
    let root = remembered.site.path();
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join("a/b/c.html"), "<p>").unwrap();
    remembered.listed();
    let memory = fs::read(remembered.memory()).unwrap();
    for at in 0..memory.len() {
        let mut damaged = memory.clone();
        damaged[at] ^= 1;
        fs::write(remembered.memory(), damaged).unwrap();
        let source = FolderSource::open(root).unwrap();
        let items = source.items_with_memory(&remembered.memory()).unwrap();
        assert_eq!(items.len(), 1);
    }
    for length in 0..memory.len() {
        fs::write(remembered.memory(), &memory[..length]).unwrap();
        let source = FolderSource::open(root).unwrap();
        assert_eq!(
            source
                .items_with_memory(&remembered.memory())
                .unwrap()
                .len(),
            1
        );
    }
    let Some(other) = Kept::new() else {
        return;
    };
    fs::write(other.memory(), &memory).unwrap();
    let [with, _] = other.listed();
    assert_eq!(with.len(), 1, "{with:?}");
}

/// Something that people and generators do to folders.
#[derive(Debug, Clone)]
enum Deed {
    Write(usize, usize),
    Delete(usize),
    MakeFolder(usize),
    Link(usize, usize),
    Rename(usize, usize),
}

impl Deed {
    /// Does it, if it can be done.
    fn attempt(&self, root: &Path) {
        const PLACES: [&str; 8] = [
            "index.html",
            "a",
            "a/index.html",
            "a/b",
            "a/b/404.html",
            "a/b/c.html",
            "d",
            "d/new\nline.html",
        ];
        let place = |number: &usize| root.join(PLACES[number % PLACES.len()]);
        let _ = match self {
            Self::Write(at, size) => fs::write(place(at), "x".repeat(*size)),
            Self::Delete(at) => {
                fs::remove_file(place(at)).or_else(|_| fs::remove_dir_all(place(at)))
            }
            Self::MakeFolder(at) => fs::create_dir_all(place(at)),
            Self::Link(from, to) => std::os::unix::fs::symlink(place(to), place(from)),
            Self::Rename(from, to) => fs::rename(place(from), place(to)),
        };
    }
}

fn deeds() -> impl Strategy<Value = Vec<Vec<Deed>>> {
    let deed = prop_oneof![
        3 => (0..8_usize, 0..9_usize).prop_map(|(at, size)| Deed::Write(at, size)),
        2 => (0..8_usize).prop_map(Deed::Delete),
        3 => (0..8_usize).prop_map(Deed::MakeFolder),
        1 => (0..8_usize, 0..8_usize).prop_map(|(from, to)| Deed::Link(from, to)),
        2 => (0..8_usize, 0..8_usize).prop_map(|(from, to)| Deed::Rename(from, to)),
    ];
    vec(vec(deed, 1..8), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever happens to a site between two runs, its pages are found.
    #[test]
    fn with_a_memory_the_same_is_found_as_without(rounds in deeds()) {
        let Some(remembered) = Kept::new() else {
            return Ok(());
        };
        for deeds in rounds {
            for deed in deeds {
                deed.attempt(remembered.site.path());
            }
            // A link that leads nowhere is an error with the memory and without.
            let root = remembered.site.path();
            let source = FolderSource::open(root).unwrap();
            if source.items().is_err() {
                prop_assert!(source.items_with_memory(&remembered.memory()).is_err());
                continue;
            }
            let [with, without] = remembered.listed();
            prop_assert_eq!(with, without);
        }
    }
}
