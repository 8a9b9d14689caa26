//! A store behind a network, as a bucket is: objects are read by ranges, and reading may fail for a while.

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
use crate::opening::OpenedOtherwise;

/// How the network is.
#[derive(Debug, Clone, Default)]
struct Weather(Arc<AtomicU8>);

const FAIR: u8 = 0;
/// The server says no to every read.
const REFUSED: u8 = 1;
/// Every read breaks off.
const BROKEN_OFF: u8 = 2;

impl Weather {
    fn set(&self, weather: u8) {
        self.0.store(weather, Ordering::Relaxed);
    }
}

/// A folder as if it were behind that network.
fn elsewhere(folder: &Path) -> (OpenedOtherwise, Weather) {
    let weather = Weather::default();
    let here = weather.clone();
    let store = OpenedOtherwise::new(folder, move |_, mut opened| {
        if let Content::File(file) = opened.content {
            opened.content = Content::Remote(Arc::new(Parts {
                file,
                weather: here.clone(),
            }));
        }
        opened
    });
    (store, weather)
}

#[derive(Debug)]
struct Parts {
    file: Arc<File>,
    weather: Weather,
}

impl Ranged for Parts {
    fn read(&self, range: Range<u64>) -> Result<Box<dyn Read + Send>, StoreError> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap()];
        self.file.read_exact_at(&mut bytes, range.start).unwrap();
        match self.weather.0.load(Ordering::Relaxed) {
            FAIR => Ok(Box::new(Cursor::new(bytes))),
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

fn served(change: impl FnOnce(&mut sitecast_serve::Options)) -> (Served, Weather) {
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 3 << 20]).unwrap();
    let (store, weather) = elsewhere(site.path());
    (site.serve_from(Arc::new(store), change), weather)
}

#[test]
fn a_store_behind_a_network_is_served_as_a_folder_is() {
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

/// Who is told 404 or 410 deletes what it has: a network that fails is no reason for that.
#[test]
fn a_network_that_fails_for_a_while_makes_nothing_gone() {
    for bad in [REFUSED, BROKEN_OFF] {
        let (served, weather) = served(|options| {
            options.cache_bytes = 0;
            // So seldom that it does not look by itself.
            options.poll = Duration::from_secs(3_600);
            options.notifications = false;
            options.protected = vec![sitecast_serve::Protected::new("/members/", ["open"])];
        });
        let token = [("Authorization", "Bearer open")];
        served.site.page("tea", &words("a new tea"));
        served.site.publish(SECOND);
        let delta = served.collection("delta", ".gz");
        weather.set(bad);
        for target in ["/tea/llm.json", delta.as_str()] {
            let answer = served.get_with(target, &token);
            assert_eq!(answer.status, 503, "{target}");
            answer.header("retry-after");
        }
        weather.set(FAIR);
        // And nothing is remembered of it.
        eventually("the new publication is served", || {
            served.get("/tea/llm.json").status == 200
        });
        assert_eq!(served.get(&delta).status, 200);
        assert_eq!(served.get_with("/llm-sitemap.json", &token).status, 200);
    }
}
