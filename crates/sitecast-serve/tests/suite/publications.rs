//! Replacing the publication while the server runs.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use sitecast_serve::Server;

use crate::client::Connection;
use crate::fixture::{SECOND, Site, eventually, test_options, words};
use crate::patched_store::PatchedStore;

#[test]
fn picks_up_a_new_publication_without_restart() {
    let served = Site::published().serve();
    let before = served.get("/tea/llm.json");
    served.site.page("tea", &words("a quite different tea"));
    served.site.page("cocoa", &words("cocoa"));
    fs::remove_dir_all(served.site.path().join("coffee")).unwrap();
    served.site.publish(SECOND);
    eventually("the new page is there", || {
        served.get("/cocoa/llm.json").status == 200
    });
    let after = served.get("/tea/llm.json");
    assert_ne!(before.header("etag"), after.header("etag"));
    assert_eq!(
        after.header("etag"),
        format!("\"{}\"", served.hash_of("/tea/"))
    );
    assert_eq!(served.get("/coffee/llm.json").status, 410);
    eventually("the sitemap is the new one, too", || {
        served.get("/sitemap.xml").text().contains("all-delta-")
    });
    assert_eq!(served.get(&served.collection("delta", ".gz")).status, 200);
}

/// The publisher writes machine pages first and the sitemap that names them later. A request in between gets the page
/// that the sitemap in force names, or waits for the next publication.
#[test]
fn sitemap_and_content_never_disagree() {
    let site = Site::published();
    // Without a cache every request reads the file.
    let served = site.serve_with(|options| {
        options.cache_bytes = 0;
        options.publication_wait = Duration::from_secs(10);
    });
    let ended = AtomicBool::new(false);
    let compared = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut connection = served.connect();
                while !ended.load(Ordering::Relaxed) {
                    let before = connection.request("GET", "/llm-sitemap.json", &[]).text();
                    let page = connection.request("GET", "/tea/llm.json", &[]);
                    let after = connection.request("GET", "/llm-sitemap.json", &[]).text();
                    assert_eq!(page.status, 200);
                    let hash = page.header("etag").trim_matches('"').to_owned();
                    assert_eq!(page.json()["hash"], hash);
                    assert!(
                        before.contains(&hash) || after.contains(&hash),
                        "{hash} is in no sitemap"
                    );
                    compared.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Collections must exist as long as a sitemap names them, even if they expire meanwhile.
        scope.spawn(|| {
            let mut connection = served.connect();
            while !ended.load(Ordering::Relaxed) {
                let sitemap = connection.request("GET", "/sitemap.xml", &[]).text();
                for path in collections_of(&sitemap) {
                    let collection = connection.request("GET", &path, &[]);
                    if collection.status != 200 {
                        assert!(matches!(collection.status, 404 | 410), "{path}");
                        let now = connection.request("GET", "/sitemap.xml", &[]).text();
                        assert!(!now.contains(&path), "{path} is named and not there");
                    }
                    compared.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        for round in 0..15 {
            served
                .site
                .page("tea", &words(&format!("tea number {round}")));
            served
                .site
                .publish(&format!("2026-02-{:02}T10:00:00Z", round + 1));
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert!(compared.load(Ordering::Relaxed) > 30);
}

/// The paths of the collections that a sitemap names.
fn collections_of(sitemap: &str) -> Vec<String> {
    let parts = sitemap.split("https://example.com/scp/").skip(1);
    parts
        .map(|part| format!("/scp/{}", part.split(['"', '<']).next().unwrap()))
        .collect()
}

/// The publisher removes an expired collection after writing a sitemap that no longer names it. The server may not have
/// read that sitemap yet, so it checks before it returns a 410.
#[test]
fn returns_410_only_for_collections_that_no_sitemap_names() {
    // Never polls.
    let served = Site::published().serve_with(|options| {
        options.poll = Duration::from_secs(3_600);
        options.notifications = false;
    });
    let path = served.collection("snapshot", ".gz");
    assert!(served.get("/sitemap.xml").text().contains(&path));
    served.site.page("tea", &words("a quite different tea"));
    served.site.publish("2026-06-16T10:00:00Z");
    assert!(!served.site.path().join(&path[1..]).exists());
    assert_eq!(served.get(&path).status, 410);
    assert!(!served.get("/sitemap.xml").text().contains(&path));
    assert_eq!(served.get("/scp/never.scp.gz").status, 404);
}

#[test]
fn reads_a_sitemap_again_if_its_collections_disappear_meanwhile() {
    let site = Arc::new(Site::published());
    let publisher = Arc::clone(&site);
    let is_first = AtomicBool::new(true);
    let store = PatchedStore::new(site.path(), move |path, opened| {
        if path.as_str() == "sitemap.xml" && is_first.swap(false, Ordering::Relaxed) {
            publisher.page("tea", &words("a quite different tea"));
            publisher.publish("2026-06-16T10:00:00Z");
        }
        opened
    });
    let mut options = test_options();
    // Effectively never polls.
    options.poll = Duration::from_secs(3_600);
    let server = Server::start(Arc::new(store), options, None, Arc::new(|_| {})).unwrap();
    let mut connection = Connection::open(server.address());
    let sitemap = connection.request("GET", "/sitemap.xml", &[]).text();
    let named = collections_of(&sitemap);
    assert!(!named.is_empty());
    for path in named {
        let collection = connection.request("GET", &path, &[]);
        assert_eq!(collection.status, 200, "{path}");
    }
}

#[test]
fn waits_for_a_page_that_no_sitemap_names_and_then_refuses() {
    let site = Site::published();
    let served = site.serve_with(|options| {
        options.cache_bytes = 0;
        options.publication_wait = Duration::from_millis(200);
    });
    let path = served.site.path().join("tea/llm.json");
    let old = fs::read_to_string(&path).unwrap();
    let hash = served.hash_of("/tea/");
    // A publisher that has just started: the page is new, the sitemap is not.
    let new = old.replace(
        &hash,
        &hash
            .replace("sha256-", "sha256-0")
            .chars()
            .take(71)
            .collect::<String>(),
    );
    fs::write(&path, new).unwrap();
    let answer = served.get("/tea/llm.json");
    assert_eq!(answer.status, 503);
    answer.header("retry-after");
    // The client's copy still matches the sitemap.
    let tag = format!("\"{hash}\"");
    assert_eq!(
        served
            .get_with("/tea/llm.json", &[("If-None-Match", &tag)])
            .status,
        304
    );
    fs::write(&path, old).unwrap();
    assert_eq!(served.get("/tea/llm.json").status, 200);
}

/// `rsync -a` and `cp -p` keep the times of files, so these do not tell when a page arrived.
#[test]
fn serves_a_page_with_an_old_time_once_its_publisher_is_presumed_dead() {
    let site = Site::published();
    let served = site.serve_with(|options| {
        options.cache_bytes = 0;
        options.publication_wait = Duration::from_millis(100);
        options.abandoned_after = Duration::from_secs(2);
    });
    let path = served.site.path().join("tea/llm.json");
    let old = fs::read_to_string(&path).unwrap();
    let hash = served.hash_of("/tea/");
    let other = format!("sha256-{}", "0".repeat(64));
    fs::write(&path, old.replace(&hash, &other)).unwrap();
    let hour_ago = SystemTime::now() - Duration::from_secs(3_600);
    let file = fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(hour_ago).unwrap();
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(1_500) {
        assert_eq!(served.get("/tea/llm.json").status, 503);
    }
    // No sitemap named it in time.
    eventually("it is served as it is", || {
        served.get("/tea/llm.json").status == 200
    });
    let answer = served.get("/tea/llm.json");
    assert_eq!(answer.header("etag"), format!("\"{other}\""));
}

#[test]
fn keeps_the_last_publication_if_the_next_is_invalid() {
    let served = Site::published().serve();
    let before = served.get("/llm-sitemap.json").body;
    served
        .site
        .write("llm-sitemap.json", "{\"items\":[{\"cUrl\"");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(served.get("/llm-sitemap.json").body, before);
    assert_eq!(served.get("/tea/llm.json").status, 200);
    served.site.page("tea", &words("a tea that mends it"));
    served.site.publish(SECOND);
    eventually("the next one is served", || {
        served.get("/llm-sitemap.json").body != before
    });
}

/// A disk that is not mounted, or a build that starts by deleting everything, must not make pages seem deleted.
#[test]
fn keeps_serving_a_publication_that_disappears_without_404_or_410() {
    let served = Site::published().serve_with(|options| {
        options.publication_wait = Duration::from_millis(100);
    });
    let sitemap = served.get("/llm-sitemap.json").body;
    let page = served.get("/tea/llm.json").body;
    let aside = tempfile::tempdir().unwrap();
    let away = aside.path().join("away");
    fs::rename(served.site.path(), &away).unwrap();
    eventually("it is noticed", || served.get("/tea/").status == 503);
    served.get("/tea/").header("retry-after");
    assert_eq!(served.get("/nothing").status, 503);
    // Resources in memory are served; others get a 503.
    assert_eq!(served.get("/llm-sitemap.json").body, sitemap);
    assert_eq!(served.get("/tea/llm.json").body, page);
    assert_eq!(served.get("/coffee/llm.json").status, 503);
    fs::rename(&away, served.site.path()).unwrap();
    eventually("it is back", || served.get("/nothing").status == 404);
    assert_eq!(served.get("/tea/").status, 200);
    assert_eq!(served.get("/coffee/llm.json").status, 200);
}

/// A polling interval that leaves only notifications.
#[cfg(target_os = "linux")]
const NEVER: Duration = Duration::from_secs(3_600);

/// The sitemap is served from memory, so requesting it triggers no check.
#[cfg(target_os = "linux")]
fn names(connection: &mut Connection, part: &str) -> bool {
    let sitemap = connection.request("GET", "/llm-sitemap.json", &[]);
    sitemap.text().contains(part)
}

#[test]
#[cfg(target_os = "linux")]
fn notifies_of_a_new_publication() {
    let served = Site::published().serve_with(|options| options.poll = NEVER);
    let mut connection = served.connect();
    for (topic, time) in [("cocoa", SECOND), ("mate", "2026-01-17T10:00:00Z")] {
        served.site.page(topic, &words(topic));
        served.site.publish(time);
        eventually("the new page is named", || names(&mut connection, topic));
    }
}

/// The served folder is replaced: by changing a link, or by renaming folders.
#[test]
#[cfg(target_os = "linux")]
fn notifies_of_a_replaced_folder() {
    for is_link in [true, false] {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("current");
        let put = |site: &Site| {
            let next = place.path().join("next");
            if is_link {
                std::os::unix::fs::symlink(site.path(), &next).unwrap();
            } else {
                fs::create_dir(&next).unwrap();
                for entry in fs::read_dir(site.path()).unwrap() {
                    let entry = entry.unwrap();
                    fs::rename(entry.path(), next.join(entry.file_name())).unwrap();
                }
                if root.exists() {
                    fs::rename(&root, place.path().join("old")).unwrap();
                }
            }
            fs::rename(&next, &root).unwrap();
        };
        let (first, second) = (Site::published(), Site::new());
        put(&first);
        let mut options = test_options();
        options.poll = NEVER;
        let store = Arc::new(sitecast_storage::Folder::new(&root).unwrap());
        let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
        let mut connection = Connection::open(server.address());
        assert!(!names(&mut connection, "cocoa"));
        second.page("cocoa", &words("cocoa"));
        second.publish(SECOND);
        put(&second);
        eventually("the new folder is served", || {
            names(&mut connection, "cocoa")
        });
        // The new folder is watched from now on.
        let sitemap = root.join("llm-sitemap.json");
        let text = fs::read_to_string(&sitemap).unwrap();
        let other = place.path().join("other");
        fs::write(&other, text.replace("cocoa", "drink")).unwrap();
        fs::rename(&other, &sitemap).unwrap();
        eventually("the new folder is watched", || {
            names(&mut connection, "drink")
        });
    }
}

#[test]
#[cfg(target_os = "linux")]
fn notifications_can_be_switched_off() {
    let served = Site::published().serve_with(|options| {
        options.poll = NEVER;
        options.notifications = false;
    });
    served.site.page("cocoa", &words("cocoa"));
    served.site.publish(SECOND);
    std::thread::sleep(Duration::from_millis(500));
    assert!(!names(&mut served.connect(), "cocoa"));
}
