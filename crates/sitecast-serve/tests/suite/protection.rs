//! Protected prefixes and tokens.

use std::sync::Arc;
use std::time::Duration;

use sitecast_serve::{ProtectedPrefix, Server};
use sitecast_storage::Folder;

use crate::fixture::{FIRST, SECOND, Served, Site, html, test_options, words};

const TOKEN: (&str, &str) = ("Authorization", "Bearer open-sesame");

fn served() -> Served {
    let mut site = Site::new();
    site.options.artefacts.llms_txt = true;
    site.options.artefacts.markdown = true;
    site.publish(FIRST);
    site.serve_with(|options| {
        options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame", "other"])];
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
        // Conditions must not reveal anything either.
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
fn pages_outside_of_the_prefixes_are_open() {
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
    site.publish(FIRST);
    // The delta names the removed page.
    std::fs::remove_dir_all(site.path().join("members")).unwrap();
    site.page("tea", &words("a new tea"));
    site.publish(SECOND);
    let served = site.serve_with(|options| {
        options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame"])];
    });
    let status = |part: &str| served.get(&served.collection(part, ".zst")).status;
    assert_eq!(status("tea-snapshot"), 200);
    assert_eq!(status("tea-delta"), 200);
    assert_eq!(status("all-snapshot"), 401);
    assert_eq!(status("all-delta"), 401);
}

#[test]
fn list_of_two_protected_parts_needs_a_token_for_both() {
    let site = Site::published();
    let served = site.serve_with(|options| {
        options.protected = vec![
            ProtectedPrefix::new("/members/", ["one", "both"]),
            ProtectedPrefix::new("/tea", ["two", "both"]),
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

/// Serves a site with these prefixes protected.
fn protecting(site: Site, prefixes: &[&str]) -> Served {
    site.serve_with(|options| {
        let protected = |prefix: &&str| ProtectedPrefix::new(prefix, ["open-sesame"]);
        options.protected = prefixes.iter().map(protected).collect();
    })
}

fn needs_a_token(served: &Served, targets: &[&str]) {
    for target in targets {
        assert_eq!(served.get(target).status, 401, "{target}");
        assert_eq!(served.get_with(target, &[TOKEN]).status, 200, "{target}");
    }
}

fn all_artefacts() -> Site {
    let mut site = Site::new();
    site.options.artefacts.llms_txt = true;
    site.options.artefacts.markdown = true;
    site
}

#[test]
fn the_markdown_of_a_protected_page_is_protected() {
    let site = all_artefacts();
    site.write("members.html", &html("Members", &words("the members")));
    site.publish(FIRST);
    site.write("members.md", "By another name.");
    site.write("members.f422c82d6db73d91.md", "With a query.");
    let served = protecting(site, &["/members/"]);
    needs_a_token(
        &served,
        &[
            "/members",
            "/members.html",
            "/members.html.md",
            "/members.html.llm.json",
            "/members.md",
            "/members.f422c82d6db73d91.md",
        ],
    );
    assert_eq!(served.get("/plain.html.md").status, 200);
}

#[test]
fn prefix_may_be_escaped_as_in_a_url() {
    for prefix in ["/käse/", "/k%C3%A4se/", "/k%c3%a4se/index.html"] {
        let site = all_artefacts();
        site.publish(FIRST);
        let served = protecting(site, &[prefix]);
        let snapshot = served.collection("snapshot", ".gz");
        needs_a_token(
            &served,
            &[
                "/k%C3%A4se/",
                "/k%C3%A4se/llm.json",
                "/k%C3%A4se/index.md",
                "/llm-sitemap.json",
                "/sitemap.xml",
                "/llms.txt",
                &snapshot,
            ],
        );
        assert_eq!(served.get("/tea/").status, 200);
    }
}

#[test]
fn a_prefix_that_is_one_name_of_a_page_protects_the_others() {
    let site = all_artefacts();
    site.publish(FIRST);
    let served = protecting(site, &["/plain", "/members/club/index.html"]);
    needs_a_token(
        &served,
        &[
            "/plain",
            "/plain.html",
            "/plain.html.md",
            "/plain.html.llm.json",
            "/members/club/",
            "/members/club/llm.json",
            "/members/club/index.md",
            "/sitemap.xml",
            "/llms.txt",
        ],
    );
}

#[test]
fn a_prefix_that_would_protect_nothing_is_an_error() {
    let site = Site::published();
    for prefix in ["members/", "/members/*", "/page?id=7"] {
        let store = Arc::new(Folder::new(site.path()).unwrap());
        let mut options = test_options();
        options.protected = vec![ProtectedPrefix::new(prefix, ["open-sesame"])];
        let error = Server::start(store, options, None, Arc::new(|_| {}));
        let message = error.err().unwrap().to_string();
        assert!(message.contains(prefix), "{message}");
    }
}

/// Lists that the server has not read as part of a publication yet.
#[test]
fn list_outside_of_the_publication_in_force_is_protected() {
    let site = all_artefacts();
    let served = site.serve_with(|options| {
        options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame"])];
        // Effectively never polls.
        options.poll = Duration::from_secs(3_600);
        options.notifications = false;
    });
    served.site.publish(FIRST);
    let feed =
        "<rss><channel><item><link>https://example.com/members/club/</link></item></channel></rss>";
    served.site.write("feed.xml", feed);
    served
        .site
        .write("search.json", r#"[{"url":"\/members\/club\/"}]"#);
    served
        .site
        .write("old/sitemap_index.xml", "<sitemapindex/>");
    served.site.write("pages.txt.gz", "who knows");
    served.site.write("manifest.json", r#"{"start_url":"/"}"#);
    served.site.write("ads.txt", "none");
    needs_a_token(
        &served,
        &[
            "/llm-sitemap.json",
            "/sitemap.xml",
            "/llms.txt",
            "/feed.xml",
            "/search.json",
            "/old/sitemap_index.xml",
            "/pages.txt.gz",
        ],
    );
    let cache = served
        .get_with("/feed.xml", &[TOKEN])
        .header("cache-control");
    assert!(cache.starts_with("private"), "{cache}");
    for target in ["/robots.txt", "/manifest.json", "/ads.txt", "/tea/"] {
        assert_eq!(served.get(target).status, 200, "{target}");
    }
    // A new version is scanned again.
    served.site.write("search.json", r#"[{"url":"/tea/"}]  "#);
    assert_eq!(served.get("/search.json").status, 200);
}

/// Readers skip the entries, but the server sends their bytes.
#[test]
fn protects_lists_by_entries_that_readers_skip() {
    let site = Site::published();
    let robots = "Sitemap: https://example.com/relative.xml\nSitemap: /broken.xml\nSitemap: https://example.com/open.xml\n";
    site.write("robots.txt", robots);
    let urlset = |loc: &str| {
        format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>{loc}</loc></url></urlset>"
        )
    };
    site.write("relative.xml", &urlset("members/club/"));
    site.write("broken.xml", &urlset("https:///members\u{0}/"));
    site.write("open.xml", &urlset("tea/"));
    let sitemap = site.path().join("llm-sitemap.json");
    let text = std::fs::read_to_string(&sitemap).unwrap();
    let item = r#""items":[{"cUrl":"/members/club/"},"#;
    std::fs::write(&sitemap, text.replacen(r#""items":["#, item, 1)).unwrap();
    let served = protecting(site, &["/members/club", "/never"]);
    needs_a_token(
        &served,
        &["/relative.xml", "/broken.xml", "/llm-sitemap.json"],
    );
    assert_eq!(served.get("/open.xml").status, 200);
}

#[test]
fn tells_only_clients_with_a_token_that_a_page_is_missing() {
    let site = Site::published();
    site.write(
        "404.html",
        &html("Nothing", "There is nothing here, sorry."),
    );
    let served = protecting(site, &["/"]);
    assert_eq!(served.get("/nothing").status, 401);
    let missing = served.get_with("/nothing", &[TOKEN]);
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("sorry"));
}

#[cfg(unix)]
#[test]
fn a_link_to_a_protected_page_is_as_protected_as_the_page() {
    use std::os::unix::fs::symlink;

    let site = Site::published();
    let at = |name: &str| site.path().join(name);
    std::fs::create_dir_all(at("open")).unwrap();
    symlink("../members/club/index.html", at("open/soft.html")).unwrap();
    symlink("members/club", at("folder")).unwrap();
    symlink("open/soft.html", at("twice.html")).unwrap();
    std::fs::hard_link(at("members/club/index.html"), at("open/hard.html")).unwrap();
    symlink("open/hard.html", at("mixed.html")).unwrap();
    site.write("sitecast.toml", "tokens");
    symlink("sitecast.toml", at("settings.txt")).unwrap();
    // Two unprotected names of one file, and a link that leads out of a protected folder.
    std::fs::hard_link(at("tea/index.html"), at("open/tea.html")).unwrap();
    symlink("../tea/index.html", at("members/tea.html")).unwrap();
    let collection = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../conformance/scp/valid/minimal.scp"
    );
    std::fs::copy(collection, at("members/own.scp")).unwrap();
    symlink("../members/own.scp", at("open/soft.scp")).unwrap();
    std::fs::hard_link(at("members/own.scp"), at("open/hard.scp")).unwrap();
    let served = protecting(site, &["/members/"]);
    needs_a_token(
        &served,
        &[
            "/open/soft.html",
            "/open/soft",
            "/folder/",
            "/folder/index.html",
            "/twice.html",
            "/open/hard.html",
            "/mixed.html",
        ],
    );
    assert_eq!(served.get_with("/settings.txt", &[TOKEN]).status, 404);
    assert_eq!(served.get("/open/tea.html").status, 200);
    assert_eq!(served.get("/tea/").status, 200);
    let cache = served
        .get_with("/open/hard.html", &[TOKEN])
        .header("cache-control");
    assert!(cache.starts_with("private"), "{cache}");
    // Collections are checked by content and by link target.
    let names = ["/open/soft.scp", "/open/hard.scp"];
    needs_a_token(&served, &names);
    // A link created while the server runs.
    std::fs::hard_link(
        served.site.path().join("members/club/index.html"),
        served.site.path().join("later.html"),
    )
    .unwrap();
    needs_a_token(&served, &["/later.html"]);
}

#[cfg(unix)]
#[test]
fn document_that_links_to_a_protected_file_is_protected() {
    let site = Site::published();
    site.write("members/hints.txt", "for members");
    std::fs::remove_file(site.path().join("robots.txt")).unwrap();
    std::os::unix::fs::symlink("members/hints.txt", site.path().join("robots.txt")).unwrap();
    let served = protecting(site, &["/members/"]);
    needs_a_token(&served, &["/robots.txt"]);
}

#[test]
fn file_that_mentions_a_protected_part_needs_a_token() {
    use std::io::Write;

    let site = Site::published();
    let mentions = [
        ("nav.yaml", "- url: https://example.com/members/club/"),
        ("notes.md", "See [the club](/members/club/)."),
        ("feeds.opml", "<outline htmlUrl='/members/club/'/>"),
        (
            "dates.ics",
            "BEGIN:VCALENDAR\r\nURL:https://example.com/mem\r\n bers/club/\r\nEND:VCALENDAR\r\n",
        ),
        (
            "page.jsonld",
            r#"{"@id":"https:\/\/example.com\/members\/club\/"}"#,
        ),
        ("map.geojson", r#"{"url":"\u002fmembers\u002fclub"}"#),
        (
            "map.svg",
            "<svg><a href=\"&#47;members&#x2F;club/\"/></svg>",
        ),
        (
            "named.svg",
            "<svg><a href=\"&sol;members&sol;club/\"/></svg>",
        ),
        ("feed", "https://example.com/members/club/"),
        ("twice.txt", "https://example.com%252Fmembers%252Fclub"),
        ("mixed.json", r#"{"url":"&amp;#47;members"}"#),
        (
            "searchindex.js",
            r#"Search.setIndex({"docnames":["members/club"]})"#,
        ),
        ("list.txt", "members/club/\ntea/\n"),
        ("second.txt", "tea/\nmembers/club/\n"),
        ("clubs.csv", "address,name\r\nmembers/club/,Club\r\n"),
        ("clubs.yaml", "- Club: members/club/index.html"),
        ("links.md", "[club]: members/club/"),
        ("braces.json5", r"{url: '\u{2f}members\u{2f}club'}"),
        ("rows.parquet", "PAR1 and what nobody can read"),
    ];
    for (name, text) in mentions {
        site.write(name, text);
    }
    let gzip = |name: &str, bytes: &[u8]| {
        let file = std::fs::File::create(site.path().join(name)).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap();
    };
    gzip(
        "en_1.pf_fragment",
        br#"pagefind_dcd{"url":"/members/club/"}"#,
    );
    gzip("en_2.pf_fragment", br#"pagefind_dcd{"url":"/tea/"}"#);
    let mut tar = vec![0; 1024];
    tar[..12].copy_from_slice(b"members/club");
    tar[257..262].copy_from_slice(b"ustar");
    gzip("site.tar.gz", &tar);
    gzip("bomb.gz", &vec![0; 17 << 20]);
    site.write("site.zip", "PK\u{3}\u{4}");
    let utf16: Vec<u8> = "\u{feff}https://example.com/members/"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    std::fs::write(site.path().join("unmarked.txt"), &utf16[2..]).unwrap();
    std::fs::write(site.path().join("wide.txt"), utf16).unwrap();
    site.write(
        "plain.yaml",
        "- url: https://example.com/tea/ # for members, too",
    );
    site.write("app.js", "location = '/members/'");
    let said = Arc::new(std::sync::Mutex::new(String::new()));
    let store = Arc::new(Folder::new(site.path()).unwrap());
    let mut options = test_options();
    options.protected = vec![ProtectedPrefix::new("/members/", ["open-sesame"])];
    let log = Arc::clone(&said);
    let on_notice = move |notice| log.lock().unwrap().push_str(&format!("{notice:?}\n"));
    let server = Server::start(store, options, None, Arc::new(on_notice)).unwrap();
    let served = Served { site, server };
    let names = mentions.iter().map(|(name, _)| *name);
    for name in names.chain([
        "en_1.pf_fragment",
        "site.tar.gz",
        "bomb.gz",
        "site.zip",
        "wide.txt",
        "unmarked.txt",
    ]) {
        needs_a_token(&served, &[&format!("/{name}")]);
        let said = said.lock().unwrap();
        let lines = said.matches(&format!("`{name}` is served only")).count();
        assert_eq!(lines, 1, "{name}: {said}");
    }
    assert!(said.lock().unwrap().contains("it mentions `/members/`"));
    for target in ["/en_2.pf_fragment", "/plain.yaml", "/app.js", "/style.css"] {
        assert_eq!(served.get(target).status, 200, "{target}");
    }
}

/// The page itself is open and has the same link.
#[test]
fn markdown_of_an_open_page_is_open_despite_its_links() {
    let site = all_artefacts();
    let text = format!("{} <a href=\"/members/club/\">The club</a>.", words("tea"));
    site.page("tea", &text);
    site.publish(FIRST);
    let served = protecting(site, &["/members/"]);
    let markdown = served.get("/tea/index.md");
    assert_eq!(markdown.status, 200);
    assert!(markdown.text().contains("/members/club/"));
}
