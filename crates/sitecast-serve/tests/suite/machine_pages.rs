//! TCT: validators, conditional requests, 304, HEAD, parity, precedence.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::client::Answer;
use crate::fixture::{SECOND, Site, words};

const MACHINE_CACHE: &str =
    "max-age=0, must-revalidate, stale-while-revalidate=60, stale-if-error=86400";

/// MUST 1: from the page to its machine page and back.
#[test]
fn discovery_must_be_bidirectional() {
    let served = Site::published().serve();
    for page in ["/", "/tea/", "/k%C3%A4se/", "/plain.html"] {
        let html = served.get(page).text();
        let (_, rest) = html
            .split_once("<link rel=\"alternate\" type=\"application/json\" href=\"")
            .unwrap_or_else(|| panic!("{html}"));
        let (machine, _) = rest.split_once('"').unwrap();
        let machine = machine.trim_start_matches("https://example.com");
        let link = served.get(machine).header("link");
        let canonical = format!("<https://example.com{page}>; rel=\"canonical\"");
        assert!(link.starts_with(&canonical), "{machine}: {link}");
    }
}

/// MUST 2 and 6, for everything that the sitemap lists.
#[test]
fn sitemap_parity_must_hold_for_every_item() {
    let served = Site::published().serve();
    let sitemap = served.get("/llm-sitemap.json").json();
    let items = sitemap["items"].as_array().unwrap();
    assert_eq!(items.len(), 6);
    for item in items {
        let machine = item["mUrl"].as_str().unwrap();
        let machine = machine.strip_prefix("https://example.com").unwrap();
        let answer = served.get(machine);
        let hash = item["contentHash"].as_str().unwrap();
        assert_eq!(answer.header("etag"), format!("\"{hash}\""), "{machine}");
        assert_eq!(answer.json()["hash"], hash);
        assert_eq!(answer.json()["canonical_url"], item["cUrl"]);
        assert_eq!(answer.header("content-type"), "application/json");
    }
}

/// MUST 2, 3 and 6.
#[test]
fn etag_must_be_strong_and_equal_the_hashes_of_page_and_sitemap() {
    let served = Site::published().serve();
    for (page, machine) in [
        ("/", "/llm.json"),
        ("/tea/", "/tea/llm.json"),
        ("/k%C3%A4se/", "/k%C3%A4se/llm.json"),
        ("/plain.html", "/plain.html.llm.json"),
    ] {
        let answer = served.get(machine);
        assert_eq!(answer.status, 200, "{machine}");
        let hash = served.hash_of(page);
        assert_eq!(answer.header("etag"), format!("\"{hash}\""), "{machine}");
        assert_eq!(answer.json()["hash"], hash);
        let digits = hash.strip_prefix("sha256-").unwrap();
        assert!(
            digits.len() == 64
                && digits
                    .bytes()
                    .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        );
    }
}

/// MUST 1, and "M-URL Response Format".
#[test]
fn machine_page_must_name_its_page_and_have_its_headers() {
    let served = Site::published().serve();
    let answer = served.get("/tea/llm.json");
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), MACHINE_CACHE);
    assert_eq!(answer.header("vary"), "Accept-Encoding");
    assert_eq!(
        answer.header("link"),
        "<https://example.com/tea/>; rel=\"canonical\", \
         <https://example.com/llm-sitemap.json>; rel=\"index\"; type=\"application/json\", \
         <https://example.com/llm-policy.json>; rel=\"describedby\"; type=\"application/json\""
    );
    let modified = answer.json()["modified"].as_str().unwrap().to_owned();
    let date = answer.header("last-modified");
    assert!(
        modified.starts_with("20") && date.ends_with("GMT"),
        "{modified} {date}"
    );
    assert_eq!(answer.get("content-encoding"), None);
    let body = std::fs::read(served.site.path().join("tea/llm.json")).unwrap();
    assert_eq!(answer.body, body);
}

/// MUST 3 and 4.
#[test]
fn if_none_match_must_be_honored_with_304_without_body_but_with_etag() {
    let served = Site::published().serve();
    let full = served.get("/tea/llm.json");
    let etag = full.header("etag");
    let list = format!("\"a\", W/{etag}, \"b\"");
    for value in [etag.as_str(), "*", list.as_str()] {
        for method in ["GET", "HEAD"] {
            let mut connection = served.connect();
            let condition = [("If-None-Match", value)];
            let answer = connection.request(method, "/tea/llm.json", &condition);
            assert_eq!(answer.status, 304, "{method} {value}");
            for name in ["etag", "cache-control", "vary", "link", "last-modified"] {
                assert_eq!(answer.get(name), full.get(name), "{name}");
            }
            // A body would be read as the beginning of the next response.
            let next = connection.request("GET", "/tea/llm.json", &[]);
            assert_eq!(next.body, full.body, "{method} {value}");
        }
    }
    let other = served.get_with("/tea/llm.json", &[("If-None-Match", "\"sha256-ab\"")]);
    assert_eq!(other.status, 200);
}

/// MUST 3. The draft's own step 3 says otherwise; RFC 9110 takes precedence.
#[test]
fn if_none_match_must_have_precedence_over_if_modified_since() {
    let served = Site::published().serve();
    let full = served.get("/tea/llm.json");
    let modified = full.header("last-modified");
    let since = ("If-Modified-Since", modified.as_str());
    assert_eq!(served.get_with("/tea/llm.json", &[since]).status, 304);
    let none = ("If-None-Match", "\"sha256-other\"");
    assert_eq!(served.get_with("/tea/llm.json", &[none, since]).status, 200);
}

/// MUST 3, on `If-Range`.
#[test]
fn weak_or_different_if_range_must_return_the_whole() {
    let served = Site::published().serve();
    let full = served.get("/tea/llm.json");
    let etag = full.header("etag");
    let range = ("Range", "bytes=0-9");
    let good = served.get_with("/tea/llm.json", &[range, ("If-Range", &etag)]);
    assert_eq!((good.status, good.body.len()), (206, 10));
    for value in [format!("W/{etag}"), "\"other\"".to_owned()] {
        let answer = served.get_with("/tea/llm.json", &[range, ("If-Range", &value)]);
        assert_eq!(answer.status, 200, "{value}");
        assert_eq!(answer.body, full.body);
    }
    // All codings share one tag, so ranges of compressed content are never sent.
    let gzip = served.get_with("/tea/llm.json", &[range, ("Accept-Encoding", "gzip")]);
    assert_eq!(gzip.status, 200);
    assert_eq!(gzip.header("content-encoding"), "gzip");
    assert_eq!(gzip.get("accept-ranges"), None);
}

/// MUST 5.
#[test]
fn head_must_have_the_headers_of_get_and_no_body() {
    let served = Site::published().serve();
    let sorted = |answer: &Answer| {
        let mut headers = answer.headers.clone();
        headers.retain(|(name, _)| name != "date");
        headers.sort();
        headers
    };
    for target in [
        "/tea/llm.json",
        "/llm-sitemap.json",
        "/sitemap.xml",
        "/llm-policy.json",
        "/",
        "/nothing",
    ] {
        for encoding in ["identity", "gzip", "zstd"] {
            let headers = [("Accept-Encoding", encoding)];
            let mut connection = served.connect();
            let head = connection.request("HEAD", target, &headers);
            // On the same connection, where a body would be read as the next response.
            let get = connection.request("GET", target, &headers);
            assert_eq!(head.status, get.status);
            assert_eq!(sorted(&head), sorted(&get), "{target} {encoding}");
        }
    }
}

/// MUST 5: no hop-by-hop headers, no transfer-codings.
#[test]
fn machine_pages_and_sitemaps_must_have_no_hop_by_hop_headers() {
    let served = Site::published().serve();
    for target in ["/tea/llm.json", "/llm-sitemap.json"] {
        let answer = served.get(target);
        for name in [
            "connection",
            "keep-alive",
            "transfer-encoding",
            "trailer",
            "upgrade",
            "te",
        ] {
            assert_eq!(answer.get(name), None, "{target} {name}");
        }
        answer.header("content-length");
    }
}

#[test]
fn negotiates_codings_by_weight() {
    let served = Site::published().serve();
    let plain = served.get("/tea/llm.json").body;
    for (accept, coding) in [
        ("gzip", Some("gzip")),
        ("gzip, br, zstd", Some("zstd")),
        ("gzip;q=1.0, zstd;q=0.9", Some("gzip")),
        ("identity;q=0, gzip", Some("gzip")),
        ("gzip;q=0", None),
        ("br", None),
        ("identity, gzip;q=0.5", None),
    ] {
        let answer = served.get_with("/tea/llm.json", &[("Accept-Encoding", accept)]);
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.get("content-encoding").as_deref(),
            coding,
            "{accept}"
        );
        assert_eq!(answer.header("vary"), "Accept-Encoding");
        assert_eq!(
            answer.header("etag"),
            format!("\"{}\"", served.hash_of("/tea/"))
        );
        assert_eq!(answer.decoded(), plain, "{accept}");
    }
    let refused = served.get_with("/tea/llm.json", &[("Accept-Encoding", "identity;q=0, br")]);
    assert_eq!(refused.status, 406);
}

/// MUST 10.
#[test]
fn listings_have_no_machine_page_and_return_404() {
    let site = Site::new();
    site.page("tag/tea", &words("a list of things about tea"));
    site.publish(crate::fixture::FIRST);
    let served = site.serve();
    assert_eq!(served.get("/tag/tea/").status, 200);
    assert_eq!(served.get("/tag/tea/llm.json").status, 404);
    assert_eq!(served.get("/style.css.llm.json").status, 404);
}

#[test]
fn removed_pages_return_410() {
    let site = Site::published();
    std::fs::remove_dir_all(site.path().join("coffee")).unwrap();
    site.publish(SECOND);
    // A server started afterwards learns of removed pages from the delta.
    let served = site.serve();
    for target in ["/coffee/llm.json", "/coffee/"] {
        assert_eq!(served.get(target).status, 410, "{target}");
    }
    assert_eq!(served.get("/never/llm.json").status, 404);
    assert_eq!(served.get("/tea/llm.json").status, 200);
}

#[test]
fn redirects_legacy_slugs_with_308() {
    let served =
        Site::published().serve_with(|options| options.legacy_slug = Some("llm/".to_owned()));
    for (old, new) in [
        ("/tea/llm/", "/tea/llm.json"),
        ("/llm/", "/llm.json"),
        ("/k%C3%A4se/llm/", "/k%C3%A4se/llm.json"),
    ] {
        let answer = served.get(old);
        assert_eq!(answer.status, 308, "{old}");
        assert_eq!(answer.header("location"), new);
    }
    assert_eq!(served.get("/nothing/llm/").status, 404);
}

/// RFC 9530, if enabled: the digest is of the bytes as they are sent.
#[test]
fn content_digest_covers_the_sent_bytes() {
    let served = Site::published().serve_with(|options| options.content_digest = true);
    for encoding in ["identity", "gzip"] {
        let answer = served.get_with("/tea/llm.json", &[("Accept-Encoding", encoding)]);
        let digest = answer.header("content-digest");
        let hash = sitecast_tct::ContentHash::of(&answer.body);
        let encoded = digest
            .strip_prefix("sha-256=:")
            .unwrap()
            .strip_suffix(':')
            .unwrap();
        assert_eq!(BASE64_STANDARD.decode(encoded).unwrap(), hash.bytes());
    }
    let part = served.get_with("/tea/llm.json", &[("Range", "bytes=0-1")]);
    assert_eq!((part.status, part.get("content-digest")), (206, None));
    assert_eq!(
        Site::published()
            .serve()
            .get("/tea/llm.json")
            .get("content-digest"),
        None
    );
}
