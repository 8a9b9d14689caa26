//! Helpers for all tests.

use sitecast_index::{
    CollectionRef, Filter, FolderIndex, Index, NewPage, Origin, Precedence, SiteId, StoredPage,
};
use sitecast_scp::{CollectionKind, Timestamp};

pub(crate) struct Home {
    pub(crate) _folder: tempfile::TempDir,
    pub(crate) index: FolderIndex,
}

pub(crate) fn home() -> Home {
    let folder = tempfile::tempdir().unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    Home {
        _folder: folder,
        index,
    }
}

pub(crate) fn site(url: &str) -> SiteId {
    SiteId::new(&url.parse().unwrap())
}

pub(crate) fn example() -> SiteId {
    site("https://example.com")
}

/// Returns the n-th second of 2025.
pub(crate) fn time(n: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_735_689_600 + n).unwrap()
}

pub(crate) fn url(n: u64) -> String {
    format!("https://example.com/{n}")
}

pub(crate) fn line(url: &str, modified: Timestamp, text: &str) -> String {
    format!(
        r#"{{"url":"{url}","title":"T","description":"","modified":"{modified}","language":"en","content":[{{"type":"text","text":"{text}"}}]}}"#
    )
}

pub(crate) fn snapshot(section: &str, generated: i64) -> Origin {
    Origin::Scp(collection(section, generated, CollectionKind::Snapshot))
}

pub(crate) fn delta(section: &str, since: i64, generated: i64) -> Origin {
    let since = time(since);
    Origin::Scp(collection(
        section,
        generated,
        CollectionKind::Delta { since },
    ))
}

pub(crate) fn collection(section: &str, generated: i64, kind: CollectionKind) -> CollectionRef {
    CollectionRef {
        url: format!("https://example.com/scp/{section}-{generated}.scp.zst"),
        section: section.parse().unwrap(),
        kind,
        generated: time(generated),
    }
}

pub(crate) fn page<'a>(url: &'a str, line: &'a str, modified: i64) -> NewPage<'a> {
    NewPage {
        url,
        line,
        modified: time(modified),
        language: "en",
        fingerprint: None,
        etag: None,
        fetched: time(1_000_000),
        precedence: Precedence::NotOlder,
    }
}

/// Merges a snapshot of the pages with these numbers.
pub(crate) fn load(index: &dyn Index, numbers: std::ops::Range<u64>, generated: i64) {
    let mut merge = index.begin(&example()).unwrap();
    merge.origin(snapshot("all", generated)).unwrap();
    for n in numbers {
        let url = url(n);
        let line = line(&url, time(1), &format!("text of {n}"));
        merge.put(&page(&url, &line, 1)).unwrap();
    }
    merge.commit().unwrap();
}

pub(crate) fn all(index: &dyn Index) -> Vec<StoredPage> {
    chosen(index, &Filter::default())
}

pub(crate) fn chosen(index: &dyn Index, filter: &Filter) -> Vec<StoredPage> {
    let mut pages = index.pages(filter).unwrap();
    std::iter::from_fn(|| pages.next_page().unwrap()).collect()
}
