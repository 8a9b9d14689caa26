//! A remote store, like a bucket: objects are read by ranges, and reads may fail for a while.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use sitecast_storage::{Content, Ranged, StoreError};

use crate::fixture::{SECOND, Served, Site, eventually, words};
use crate::patched_store::PatchedStore;

/// The state of the simulated network.
#[derive(Debug, Clone, Default)]
struct NetworkState(Arc<AtomicU8>);

const WORKING: u8 = 0;
/// Every read is refused.
const REFUSED: u8 = 1;
/// Every read fails halfway.
const BROKEN_OFF: u8 = 2;

impl NetworkState {
    fn set(&self, network: u8) {
        self.0.store(network, Ordering::Relaxed);
    }
}

/// A folder whose files are read through the simulated network.
fn elsewhere(folder: &Path) -> (PatchedStore, NetworkState) {
    let network = NetworkState::default();
    let here = network.clone();
    let store = PatchedStore::new(folder, move |_, mut opened| {
        if let Content::File(file) = opened.content {
            opened.content = Content::Remote(Arc::new(Parts {
                file,
                network: here.clone(),
            }));
        }
        opened
    });
    (store, network)
}

#[derive(Debug)]
struct Parts {
    file: Arc<File>,
    network: NetworkState,
}

impl Ranged for Parts {
    fn read(&self, range: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap()];
        self.file.read_exact_at(&mut bytes, range.start).unwrap();
        match self.network.0.load(Ordering::Relaxed) {
            WORKING => Ok(Box::new(Cursor::new(bytes))),
            REFUSED => Err(StoreError::Remote {
                action: "read",
                place: "it".to_owned(),
                message: "503 Slow Down".to_owned(),
            }),
            _ => {
                bytes.truncate(bytes.len() / 2);
                Ok(Box::new(Cursor::new(bytes).chain(Broken)))
            }
        }
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the connection was reset"))
    }
}

fn served(change: impl FnOnce(&mut sitecast_serve::Options)) -> (Served, NetworkState) {
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 3 << 20]).unwrap();
    let (store, network) = elsewhere(site.path());
    (site.serve_from(Arc::new(store), change), network)
}

#[test]
fn serves_a_remote_store_like_a_folder() {
    let (served, _) = served(|_| {});
    for target in ["/", "/tea/", "/tea/llm.json", "/llm-sitemap.json"] {
        assert_eq!(served.get(target).status, 200, "{target}");
    }
    let snapshot = served.collection("snapshot", ".zst");
    let stored = std::fs::read(served.site.path().join(&snapshot[1..])).unwrap();
    assert_eq!(served.get(&snapshot).body, stored);
    let part = served.get_with(&snapshot, &[("Range", "bytes=5-9")]);
    assert_eq!((part.status, &part.body[..]), (206, &stored[5..10]));
    assert!(served.get("/big.bin").body == vec![7; 3 << 20]);
}

/// Agents delete their copies after a 404 or 410, so a network failure must cause neither.
#[test]
fn network_failures_never_cause_404_or_410() {
    for bad in [REFUSED, BROKEN_OFF] {
        let (served, network) = served(|options| {
            options.cache_bytes = 0;
            // Effectively never polls.
            options.poll = Duration::from_secs(3_600);
            options.notifications = false;
            options.protected = vec![sitecast_serve::ProtectedPrefix::new("/members/", ["open"])];
        });
        let token = [("Authorization", "Bearer open")];
        served.site.page("tea", &words("a new tea"));
        served.site.publish(SECOND);
        let delta = served.collection("delta", ".gz");
        network.set(bad);
        for target in ["/tea/llm.json", delta.as_str()] {
            let answer = served.get_with(target, &token);
            assert_eq!(answer.status, 503, "{target}");
            answer.header("retry-after");
        }
        network.set(WORKING);
        // The failure must not be cached.
        eventually("the new publication is served", || {
            served.get("/tea/llm.json").status == 200
        });
        assert_eq!(served.get(&delta).status, 200);
        assert_eq!(served.get_with("/llm-sitemap.json", &token).status, 200);
    }
}
