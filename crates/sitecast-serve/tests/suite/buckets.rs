//! A bucket on a real S3 server, compared with a folder that has the same publication.

use std::sync::Arc;

use sitecast_publish::{FolderSource, publish};
use sitecast_storage::Store;

use crate::fixture::{FIRST, SECOND, Served, Site, eventually, words};
use crate::weed::weed;

fn publish_into(store: &dyn Store, site: &Site, now: &str) {
    let source = FolderSource::open(site.path()).unwrap();
    let now = now.parse().unwrap();
    publish(&source, store, None, &site.options, now, &()).unwrap();
}

/// Sends the same request to both and compares what depends on the publication only.
fn assert_alike(bucket: &Served, folder: &Served, target: &str, headers: &[(&str, &str)]) {
    for method in ["GET", "HEAD"] {
        let ours = bucket.request(method, target, headers);
        let theirs = folder.request(method, target, headers);
        let what = format!("{method} {target} {headers:?}");
        assert_eq!(ours.status, theirs.status, "{what}");
        assert_eq!(ours.body, theirs.body, "{what}");
        for name in [
            "content-type",
            "content-encoding",
            "content-length",
            "content-range",
            "cache-control",
            "etag",
            "last-modified",
            "link",
            "vary",
            "accept-ranges",
        ] {
            let (ours, theirs) = (ours.get(name), theirs.get(name));
            // The dates of lists are those of their files, which were written one after the other.
            if name == "last-modified" && target.starts_with("/llm-") {
                assert_eq!(ours.is_some(), theirs.is_some(), "{name} of {what}");
            } else {
                assert_eq!(ours, theirs, "{name} of {what}");
            }
        }
    }
}

#[test]
fn serves_a_bucket_like_a_folder() {
    let Some(weed) = weed() else { return };
    let store = Arc::new(weed.bucket("s3://test/served"));
    let site = Site::new();
    publish_into(store.as_ref(), &site, FIRST);
    let bucket = site.serve_from(store, |_| {});
    let folder = Site::published().serve();
    let etag = folder.get("/tea/llm.json").header("etag");
    for (snapshot, target) in [".zst", ".gz"].map(|end| {
        let path = folder.collection("snapshot", end);
        (folder.get(&path).header("etag"), path)
    }) {
        for headers in [
            &[][..],
            &[("Range", "bytes=5-99")],
            &[("Range", "bytes=-10")],
            &[("Range", "bytes=999999999-")],
            &[("Range", "bytes=5-99"), ("If-Range", snapshot.as_str())],
            &[("Range", "bytes=5-99"), ("If-Range", "\"another\"")],
            &[("If-None-Match", snapshot.as_str())],
            &[("If-Match", "\"another\"")],
        ] {
            assert_alike(&bucket, &folder, &target, headers);
        }
    }
    for target in ["/tea/llm.json", "/llm.json", "/k%C3%A4se/llm.json"] {
        assert_alike(&bucket, &folder, target, &[]);
        assert_alike(&bucket, &folder, target, &[("Accept-Encoding", "gzip")]);
    }
    assert_alike(
        &bucket,
        &folder,
        "/tea/llm.json",
        &[("If-None-Match", &etag)],
    );
    assert_alike(&bucket, &folder, "/llm-sitemap.json", &[]);
    assert_alike(&bucket, &folder, "/llm-policy.json", &[]);
    assert_eq!(bucket.get("/nothing/llm.json").status, 404);
}

#[test]
fn picks_up_a_publication_in_a_bucket() {
    let Some(weed) = weed() else { return };
    let site = Site::new();
    publish_into(&weed.bucket("s3://test/picked-up"), &site, FIRST);
    let served = site.serve_from(Arc::new(weed.bucket("s3://test/picked-up")), |_| {});
    let before = served.get("/tea/llm.json").header("etag");
    served.site.page("tea", &words("another tea"));
    publish_into(&weed.bucket("s3://test/picked-up"), &served.site, SECOND);
    eventually("the new page is served", || {
        let page = served.get("/tea/llm.json");
        assert_eq!(page.status, 200);
        page.header("etag") != before
    });
    let now = served.get("/tea/llm.json").header("etag");
    assert_eq!(now, format!("\"{}\"", served.hash_of("/tea/")));
}
