//! Parts of a site that need a token.

use sitecast_serve::Protected;

use crate::fixture::{SECOND, Served, Site, words};

const TOKEN: (&str, &str) = ("Authorization", "Bearer open-sesame");

fn served() -> Served {
    let mut site = Site::new();
    site.options.artefacts.llms_txt = true;
    site.options.artefacts.markdown = true;
    site.publish(crate::fixture::FIRST);
    site.serve_with(|options| {
        options.protected = vec![Protected::new("/members/", ["open-sesame", "other"])];
    })
}

/// TCT, MUST 8.
#[test]
fn sitemaps_that_list_protected_pages_must_be_protected_alike() {
    let served = served();
    let snapshot = served.collection("snapshot", ".gz");
    for target in [
        "/members/club/",
        "/members/club/index.html",
        "/members/club/llm.json",
        "/members/club/index.md",
        "/Members/club/",
        "/members/nothing",
        "/llm-sitemap.json",
        "/.well-known/llm-sitemap.json",
        "/sitemap.xml",
        "/llms.txt",
        snapshot.as_str(),
    ] {
        for method in ["GET", "HEAD"] {
            let refused = served.request(method, target, &[]);
            assert_eq!(refused.status, 401, "{target}");
            assert_eq!(refused.header("www-authenticate"), "Bearer");
        }
        for wrong in [
            "Bearer wrong",
            "Basic open-sesame",
            "Bearer",
            "Bearer open-sesame2",
        ] {
            let refused = served.get_with(target, &[("Authorization", wrong)]);
            assert_eq!(refused.status, 401, "{target} {wrong}");
        }
        // Nothing is given away by conditions either.
        let refused = served.get_with(target, &[("If-None-Match", "*")]);
        assert_eq!(refused.status, 401, "{target}");
        let answer = served.get_with(target, &[TOKEN]);
        let expected = if target.ends_with("nothing") || target.starts_with("/Members") {
            404
        } else {
            200
        };
        assert_eq!(answer.status, expected, "{target}");
        let cache = answer.header("cache-control");
        assert!(cache.starts_with("private"), "{target}: {cache}");
    }
}

#[test]
fn the_rest_is_open() {
    let served = served();
    for target in [
        "/",
        "/tea/",
        "/tea/llm.json",
        "/robots.txt",
        "/llm-policy.json",
        "/style.css",
    ] {
        let answer = served.get(target);
        assert_eq!(answer.status, 200, "{target}");
        let cache = answer.get("cache-control").unwrap_or_default();
        assert!(!cache.contains("private"), "{target}: {cache}");
    }
}

#[test]
fn a_collection_without_protected_pages_is_open() {
    let mut site = Site::new();
    site.options.sections = vec![
        sitecast_publish::Section::all(),
        sitecast_publish::Section {
            name: "tea".parse().unwrap(),
            paths: vec!["/tea/**".to_owned()],
            update_frequency: sitecast_sitemap::UpdateFrequency::Daily,
        },
    ];
    site.publish(crate::fixture::FIRST);
    // The delta names the page that is gone.
    std::fs::remove_dir_all(site.path().join("members")).unwrap();
    site.page("tea", &words("a new tea"));
    site.publish(SECOND);
    let served = site.serve_with(|options| {
        options.protected = vec![Protected::new("/members/", ["open-sesame"])];
    });
    let status = |part: &str| served.get(&served.collection(part, ".zst")).status;
    assert_eq!(status("tea-snapshot"), 200);
    assert_eq!(status("tea-delta"), 200);
    assert_eq!(status("all-snapshot"), 401);
    assert_eq!(status("all-delta"), 401);
}

#[test]
fn what_lists_two_protected_parts_needs_a_token_of_both() {
    let site = Site::published();
    let served = site.serve_with(|options| {
        options.protected = vec![
            Protected::new("/members/", ["one", "both"]),
            Protected::new("/tea", ["two", "both"]),
        ];
    });
    let status = |target: &str, token: &str| {
        let value = format!("Bearer {token}");
        served.get_with(target, &[("Authorization", &value)]).status
    };
    assert_eq!(status("/tea/", "two"), 200);
    assert_eq!(status("/tea/", "one"), 401);
    assert_eq!(status("/llm-sitemap.json", "one"), 401);
    assert_eq!(status("/llm-sitemap.json", "two"), 401);
    assert_eq!(status("/llm-sitemap.json", "both"), 200);
}
