//! Headers for browsers: `nosniff`, `OPTIONS` and CORS.

use sitecast_serve::ProtectedPrefix;

use crate::client::Answer;
use crate::fixture::{FIRST, Served, Site};

const ORIGIN: (&str, &str) = ("Origin", "https://app.example");
const TOKEN: (&str, &str) = ("Authorization", "Bearer open-sesame");

fn preflight(served: &Served, target: &str) -> Answer {
    let headers = [
        ORIGIN,
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "if-none-match"),
    ];
    served.request("OPTIONS", target, &headers)
}

#[test]
fn every_response_has_nosniff() {
    let served = Site::published().serve_with(|options| {
        options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame"])];
    });
    let snapshot = served.collection("snapshot", ".gz");
    for (method, target, status) in [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("GET", "/tea", 301),
        ("GET", "/style.css", 200),
        ("GET", "/tea/llm.json", 200),
        ("GET", "/robots.txt", 200),
        ("GET", snapshot.as_str(), 401),
        ("GET", "/members/club/", 401),
        ("GET", "/nothing", 404),
        ("GET", "/%zz", 400),
        ("GET", "/healthz", 200),
        ("POST", "/", 405),
        ("OPTIONS", "/", 204),
    ] {
        let answer = served.request(method, target, &[]);
        assert_eq!(answer.status, status, "{method} {target}");
        assert_eq!(
            answer.header("x-content-type-options"),
            "nosniff",
            "{method} {target}"
        );
    }
    let etag = served.get("/style.css").header("etag");
    let same = served.get_with("/style.css", &[("If-None-Match", &etag)]);
    assert_eq!(same.status, 304);
    assert_eq!(same.header("x-content-type-options"), "nosniff");
}

#[test]
fn options_lists_the_methods() {
    let served = Site::published().serve();
    for target in ["/", "*", "/tea/", "/tea/llm.json", "/nothing", "/.env"] {
        let answer = served.request("OPTIONS", target, &[]);
        assert_eq!(answer.status, 204, "{target}");
        assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS", "{target}");
        assert_eq!(answer.get("content-length"), None, "{target}");
    }
    // The connection stays usable.
    let mut connection = served.connect();
    assert_eq!(connection.request("OPTIONS", "/", &[]).status, 204);
    assert_eq!(connection.request("GET", "/", &[]).status, 200);
}

#[test]
fn scripts_of_other_sites_may_read_what_is_published_for_everyone() {
    let served = Site::published().serve();
    let snapshot = served.collection("snapshot", ".zst");
    for target in [
        "/tea/llm.json",
        "/llm-sitemap.json",
        "/.well-known/llm-sitemap.json",
        "/llm-policy.json",
        "/sitemap.xml",
        "/robots.txt",
        snapshot.as_str(),
    ] {
        let etag = served.get(target).header("etag");
        for headers in [
            vec![],
            vec![ORIGIN],
            vec![ORIGIN, ("If-None-Match", etag.as_str())],
            vec![ORIGIN, ("If-Match", "\"other\"")],
        ] {
            let answer = served.get_with(target, &headers);
            let place = format!("{target} {headers:?}: {answer:?}");
            assert_eq!(answer.header("access-control-allow-origin"), "*", "{place}");
            assert_eq!(
                answer.header("access-control-expose-headers"),
                "*",
                "{place}"
            );
            assert_eq!(answer.get("access-control-allow-credentials"), None);
        }
        let answer = preflight(&served, target);
        assert_eq!(answer.status, 204, "{target}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(answer.header("access-control-allow-methods"), "GET, HEAD");
        let allowed = answer.header("access-control-allow-headers");
        assert!(allowed.contains("If-None-Match") && allowed.contains("Range"));
        assert!(!allowed.contains("Authorization"), "{allowed}");
    }
    // HTML and other files get no CORS headers.
    for target in ["/", "/style.css", "/nothing"] {
        let answer = served.get_with(target, &[ORIGIN]);
        assert_eq!(answer.get("access-control-allow-origin"), None, "{target}");
        let answer = preflight(&served, target);
        assert_eq!(answer.get("access-control-allow-origin"), None, "{target}");
    }
}

#[test]
fn scripts_of_other_sites_may_never_read_protected_parts() {
    let site = Site::new();
    site.publish(FIRST);
    let served = site.serve_with(|options| {
        options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame"])];
    });
    let snapshot = served.collection("snapshot", ".gz");
    for target in [
        "/members/club/llm.json",
        "/llm-sitemap.json",
        "/sitemap.xml",
        "/members/none.scp",
        snapshot.as_str(),
    ] {
        for headers in [vec![ORIGIN], vec![ORIGIN, TOKEN]] {
            let answer = served.get_with(target, &headers);
            assert_eq!(answer.get("access-control-allow-origin"), None, "{target}");
        }
        let answer = preflight(&served, target);
        assert_eq!(answer.status, 204, "{target}");
        assert_eq!(answer.get("access-control-allow-origin"), None, "{target}");
    }
    let open = served.get_with("/tea/llm.json", &[ORIGIN]);
    assert_eq!(open.header("access-control-allow-origin"), "*");
    let open = preflight(&served, "/tea/llm.json");
    assert_eq!(open.header("access-control-allow-origin"), "*");
}
