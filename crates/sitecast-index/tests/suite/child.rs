//! Merges in a child process, which a test kills or lets compete for the lock.
//!
//! The test binary runs itself with the name of one test, `child`, which does nothing unless the
//! environment names a task.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sitecast_index::{FolderIndex, Index, Sweep};

use crate::support::*;

const TASK: &str = "SITECAST_INDEX_TEST_TASK";
const FOLDER: &str = "SITECAST_INDEX_TEST_FOLDER";

pub(crate) fn start(task: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["child::child", "--exact", "--nocapture"])
        .env(TASK, task)
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the pages of the n-th version of the site, which depend on `n` alone: URL, line and `modified`.
pub(crate) fn version(n: u64) -> Vec<(String, String, i64)> {
    (0..400)
        .filter(|page| !(page + n).is_multiple_of(7))
        .map(|page| {
            let url = url(page);
            // A page changes in every third version.
            let changed = (n - (page + n) % 3) as i64;
            let text = format!("{page} in {changed} ").repeat(1 + (page as usize % 40) * 8);
            let line = line(&url, time(changed), &text);
            (url, line, changed)
        })
        .collect()
}

/// Merges one version after the other as a snapshot, until the process is killed or has merged `most` of them.
pub(crate) fn versions(index: &FolderIndex, most: u64) {
    for _ in 0..most {
        let mut merge = index.begin(&example()).unwrap();
        let last = merge
            .state()
            .notes
            .get("version")
            .map_or(9, |n| n.parse().unwrap());
        let next = last + 1;
        merge
            .origin(snapshot("all", i64::try_from(next).unwrap() * 10))
            .unwrap();
        for (url, line, modified) in version(next) {
            merge.put(&page(&url, &line, modified)).unwrap();
        }
        let sweep = Sweep::section(
            "all".parse().unwrap(),
            time(i64::try_from(next).unwrap() * 10),
        );
        merge.delete_unnamed(&sweep).unwrap();
        merge
            .state_mut()
            .notes
            .insert("version".to_owned(), next.to_string());
        merge.commit().unwrap();
    }
}

#[test]
fn child() {
    let Some(task) = std::env::var_os(TASK) else {
        return;
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let index = FolderIndex::open(folder).unwrap();
    match task.to_str().unwrap() {
        "versions" => versions(&index, u64::MAX),
        "three versions" => versions(&index, 3),
        "hold" => {
            let merge = index.begin(&example()).unwrap();
            std::thread::sleep(Duration::from_secs(60));
            drop(merge);
        }
        other => match other.strip_prefix("load ") {
            Some(pages) => load(&index, 0..pages.parse().unwrap(), 100),
            None => panic!("no task {other}"),
        },
    }
    println!("{}", peak());
}

/// Returns the peak memory of this process, if the system reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("unknown").to_owned()
}
