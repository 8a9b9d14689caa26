//! The JSON sitemap, the XML sitemap, the policy, robots.txt.

use sitecast_tct::ContentHash;

use crate::fixture::Site;

#[test]
fn json_sitemap_has_validators_and_links_to_the_policy() {
    let served = Site::published().serve();
    let answer = served.get("/llm-sitemap.json");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("etag"), ContentHash::of(&answer.body).etag());
    assert_eq!(answer.header("vary"), "Accept-Encoding");
    assert_eq!(
        answer.header("cache-control"),
        "max-age=0, must-revalidate, stale-while-revalidate=60, stale-if-error=86400"
    );
    assert_eq!(
        answer.header("link"),
        "<https://example.com/llm-policy.json>; rel=\"describedby\"; type=\"application/json\""
    );
    answer.header("last-modified");
    let etag = answer.header("etag");
    let again = served.get_with("/llm-sitemap.json", &[("If-None-Match", &etag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    let gzip = served.get_with("/llm-sitemap.json", &[("Accept-Encoding", "gzip")]);
    assert_eq!(gzip.header("content-encoding"), "gzip");
    assert!(gzip.body.len() < answer.body.len());
    // The well-known path, for agents that have not read a header.
    let known = served.get("/.well-known/llm-sitemap.json");
    assert_eq!((known.status, known.body), (200, answer.body));
}

#[test]
fn the_sitemap_the_policy_and_robots_txt_have_their_types() {
    let served = Site::published().serve();
    for (target, kind) in [
        ("/sitemap.xml", "application/xml"),
        ("/llm-policy.json", "application/json"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = served.get(target);
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(answer.header("content-type"), kind, "{target}");
        assert_eq!(
            answer.header("cache-control"),
            "public, max-age=300, must-revalidate"
        );
        let etag = answer.header("etag");
        assert_eq!(
            served.get_with(target, &[("If-None-Match", &etag)]).status,
            304
        );
        let file = std::fs::read(served.site.path().join(&target[1..])).unwrap();
        assert_eq!(answer.body, file);
    }
}

#[test]
fn serves_a_site_below_its_path() {
    let mut site = Site::new();
    site.options = sitecast_publish::Options::new("https://example.com/docs/".parse().unwrap());
    site.publish(crate::fixture::FIRST);
    let served = site.serve();
    let machine = served.get("/docs/tea/llm.json");
    assert_eq!(machine.status, 200);
    assert!(
        machine
            .header("link")
            .starts_with("<https://example.com/docs/tea/>; rel=\"canonical\"")
    );
    assert_eq!(served.get("/docs/tea/").status, 200);
    assert_eq!(
        served
            .get("/docs/")
            .header("link")
            .matches("/docs/llm-sitemap.json")
            .count(),
        1
    );
    assert_eq!(served.get("/docs").header("location"), "/docs/");
    assert_eq!(served.get("/tea/").status, 404);
    let snapshot = format!("/docs{}", served.collection("snapshot", ".gz"));
    assert_eq!(
        served.get(&snapshot).header("content-type"),
        "application/scp"
    );
    // Private files stay private below a path.
    for file in ["sitecast.toml", "_headers", "sitecast.caddy", ".env"] {
        served.site.write(file, "secret");
        assert_eq!(served.get(&format!("/docs/{file}")).status, 404, "{file}");
    }
}

#[test]
fn serves_a_folder_without_a_publication() {
    let served = Site::new().serve();
    assert_eq!(served.get("/").status, 200);
    assert_eq!(served.get("/").get("link"), None);
    assert_eq!(served.get("/llm-sitemap.json").status, 404);
}
