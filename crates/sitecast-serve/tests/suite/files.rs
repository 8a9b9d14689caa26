//! HTML and other static files.

use std::fs;

use crate::fixture::{Site, html, words};

#[test]
fn finds_pages_by_all_their_addresses() {
    let site = Site::published();
    site.write(
        "404.html",
        &html("Nothing", "There is nothing here, sorry."),
    );
    let served = site.serve();
    let page = fs::read(served.site.path().join("tea/index.html")).unwrap();
    for target in ["/tea/", "/tea/index.html", "/tea/?a=b"] {
        let answer = served.get(target);
        assert_eq!((answer.status, &answer.body), (200, &page), "{target}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    }
    for target in ["/plain", "/plain.html", "/plain/"] {
        assert_eq!(served.get(target).status, 200, "{target}");
    }
    for (target, location) in [
        ("/tea", "/tea/"),
        ("/tea?a=b", "/tea/?a=b"),
        ("/k%C3%A4se", "/k%C3%A4se/"),
    ] {
        let answer = served.get(target);
        assert_eq!(
            (answer.status, answer.header("location")),
            (301, location.to_owned())
        );
    }
    let missing = served.get("/nothing/here");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("sorry"));
    assert_eq!(missing.get("etag"), None);
    // There are no directory listings.
    assert_eq!(served.get("/scp/").status, 404);
    assert_eq!(served.get("/members/").status, 404);
}

#[test]
fn the_homepage_and_html_responses_name_the_json_sitemap() {
    let served = Site::published().serve();
    let link = "<https://example.com/llm-sitemap.json>; rel=\"index\"; type=\"application/json\"";
    for target in ["/", "/tea/", "/plain"] {
        let answer = served.get(target);
        assert_eq!(answer.header("link"), link, "{target}");
        let etag = answer.header("etag");
        let again = served.get_with(target, &[("If-None-Match", &etag)]);
        assert_eq!((again.status, again.header("link")), (304, link.to_owned()));
    }
    assert_eq!(served.get("/style.css").get("link"), None);
}

#[test]
fn validators_change_with_the_file() {
    let served = Site::published().serve();
    let css = served.get("/style.css");
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
    let (etag, modified) = (css.header("etag"), css.header("last-modified"));
    assert!(etag.starts_with('"'));
    assert_eq!(
        served
            .get_with("/style.css", &[("If-None-Match", &etag)])
            .status,
        304
    );
    assert_eq!(
        served
            .get_with("/style.css", &[("If-Modified-Since", &modified)])
            .status,
        304
    );
    assert_eq!(
        served
            .get_with("/style.css", &[("Range", "bytes=0-3")])
            .text(),
        "body"
    );
    std::thread::sleep(std::time::Duration::from_millis(20));
    served.site.write("style.css", "body { color: green }");
    let changed = served.get_with("/style.css", &[("If-None-Match", &etag)]);
    assert_eq!(
        (changed.status, changed.text().as_str()),
        (200, "body { color: green }")
    );
}

#[test]
fn compresses_text_for_clients_that_accept_it() {
    let site = Site::published();
    let files = [
        (
            "long.css",
            "a { color: black }\n".repeat(1_000).into_bytes(),
        ),
        (
            "map.svg",
            "<svg><path d='M 0 0'/></svg>\n".repeat(100).into_bytes(),
        ),
        ("photo.jpg", b"not really".repeat(1_000)),
    ];
    for (name, bytes) in &files {
        fs::write(site.path().join(name), bytes).unwrap();
    }
    let page = fs::read(site.path().join("tea/index.html")).unwrap();
    let served = site.serve();
    let expected = files
        .iter()
        .map(|(name, bytes)| (format!("/{name}"), bytes));
    for (target, bytes) in expected.chain([("/tea/".to_owned(), &page)]) {
        let plain = served.get(&target);
        assert_eq!((plain.get("content-encoding"), &plain.body), (None, bytes));
        if target == "/photo.jpg" {
            let answer = served.get_with(&target, &[("Accept-Encoding", "gzip")]);
            assert_eq!((answer.get("vary"), &answer.body), (None, bytes));
            continue;
        }
        assert_eq!(plain.header("vary"), "Accept-Encoding");
        for coding in ["gzip", "zstd"] {
            // The second response comes from the cache.
            for _ in 0..2 {
                let accept = ("Accept-Encoding", coding);
                let answer = served.get_with(&target, &[accept]);
                assert_eq!(answer.header("content-encoding"), coding, "{target}");
                assert_eq!(answer.header("vary"), "Accept-Encoding");
                assert_eq!(answer.get("link"), plain.get("link"));
                assert!(answer.body.len() < bytes.len());
                assert_eq!(&answer.decoded(), bytes, "{target}");
                // Compressed bytes differ from the plain file, so the tag is weak (RFC 9110 §8.8.1).
                let etag = answer.header("etag");
                assert_eq!(etag, format!("W/{}", plain.header("etag")));
                let same = served.get_with(&target, &[accept, ("If-None-Match", &etag)]);
                assert_eq!((same.status, same.header("etag")), (304, etag));
                let part = served.get_with(&target, &[accept, ("Range", "bytes=0-3")]);
                assert_eq!((part.status, &part.body[..]), (206, &bytes[..4]));
            }
        }
    }
    // A new version gets a new response.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let changed = "b { color: green }\n".repeat(1_000);
    served.site.write("long.css", &changed);
    let answer = served.get_with("/long.css", &[("Accept-Encoding", "gzip")]);
    assert_eq!(answer.decoded(), changed.as_bytes());
}

#[cfg(unix)]
#[test]
fn never_serves_files_outside_of_the_folder() {
    use std::os::unix::fs::symlink;

    let site = Site::published();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.html"), "secret").unwrap();
    symlink(
        outside.path().join("secret.html"),
        site.path().join("link.html"),
    )
    .unwrap();
    symlink(outside.path(), site.path().join("folder")).unwrap();
    symlink("../../../../../../../../etc", site.path().join("etc")).unwrap();
    symlink("tea", site.path().join("inside")).unwrap();
    site.write(".env", "secret");
    site.write(".git/config", "secret");
    let name = outside
        .path()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let served = site.serve();
    for target in [
        "/link.html".to_owned(),
        "/link".to_owned(),
        "/folder/secret.html".to_owned(),
        "/folder/secret".to_owned(),
        "/etc/passwd".to_owned(),
        format!("/../{name}/secret.html"),
        format!("/%2e%2e/{name}/secret.html"),
        format!("/..%2f{name}%2fsecret.html"),
        format!("/tea/..%5c..%5c{name}/secret.html"),
        format!("//{name}/secret.html"),
        "/.env".to_owned(),
        "/%2eenv".to_owned(),
        "/.git/config".to_owned(),
        "/_headers".to_owned(),
        "/.sitecast-tmp/x".to_owned(),
    ] {
        let answer = served.get(&target);
        assert!(
            matches!(answer.status, 400 | 404),
            "{target}: {}",
            answer.status
        );
        assert!(!answer.text().contains("secret"), "{target}");
    }
    // Links within the folder are followed.
    assert_eq!(served.get("/inside/").status, 200);
}

#[test]
fn never_serves_backups_of_editors() {
    let site = Site::published();
    let copies = [
        "sitecast.toml~",
        "sitecast.toml.bak",
        "sitecast.toml.swp",
        "tea/sitecast.toml.2026-01-15",
        "tea/index.html.orig",
        "tea/index.html.save",
        "tea/index.html.save.1",
        "tea/index.html~",
        "tea/%23index.html%23",
    ];
    for copy in copies {
        site.write(&copy.replace("%23", "#"), "secret");
    }
    let served = site.serve();
    for copy in copies {
        let answer = served.get(&format!("/{copy}"));
        assert_eq!(answer.status, 404, "{copy}");
        assert!(!answer.text().contains("secret"), "{copy}");
    }
}

#[test]
fn finishes_sending_a_replaced_file() {
    let site = Site::published();
    let old = vec![b'a'; 8 << 20];
    fs::write(site.path().join("big.bin"), &old).unwrap();
    let served = site.serve();
    let mut connection = served.connect();
    connection.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    std::thread::sleep(std::time::Duration::from_millis(100));
    // As a publisher replaces files: by renaming another one.
    fs::write(served.site.path().join("new.bin"), vec![b'b'; 1000]).unwrap();
    fs::rename(
        served.site.path().join("new.bin"),
        served.site.path().join("big.bin"),
    )
    .unwrap();
    let answer = connection.answer("GET").unwrap();
    assert!(answer.body == old);
    assert_eq!(served.get("/big.bin").body, vec![b'b'; 1000]);
}

#[test]
fn serves_an_unpublished_page_without_a_machine_page() {
    let site = Site::published();
    site.page("later", &words("what comes later"));
    let served = site.serve();
    assert_eq!(served.get("/later/").status, 200);
    assert_eq!(served.get("/later/llm.json").status, 404);
}

/// RFC 9110 §8.8.2.1, §13.1.5.
#[test]
fn future_times_are_neither_sent_nor_trusted() {
    use std::time::{Duration, SystemTime};

    let served = Site::published().serve();
    let touch = |time: SystemTime| {
        let path = served.site.path().join("style.css");
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    };
    touch(SystemTime::now() + Duration::from_secs(86_400));
    let css = served.get("/style.css");
    let (modified, date) = (css.header("last-modified"), css.header("date"));
    let seconds = |text: &str| httpdate::parse_http_date(text).unwrap();
    assert!(seconds(&modified) <= seconds(&date), "{modified} {date}");
    let status = |modified: &str| {
        let conditions = [("Range", "bytes=0-3"), ("If-Range", modified)];
        served.get_with("/style.css", &conditions).status
    };
    assert_eq!(status(&modified), 200);
    touch(SystemTime::now() - Duration::from_secs(3_600));
    let modified = served.get("/style.css").header("last-modified");
    assert_eq!(status(&modified), 206);
}

#[test]
fn serves_files_whose_names_only_end_like_machine_pages() {
    let site = Site::published();
    site.write("data/vllm.json", "{}");
    let served = site.serve();
    assert_eq!(served.get("/data/vllm.json").status, 200);
    assert_eq!(served.get("/data/llm.json").status, 404);
}
