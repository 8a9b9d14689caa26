use std::process::Command;

use proptest::prelude::*;

use super::*;

const KINDS: [HostKind; 5] = HostKind::ALL;

fn machine_page(page: &str) -> MachinePage {
    let path = if page.ends_with('/') {
        format!("{page}llm.json")
    } else {
        format!("{page}.llm.json")
    };
    MachinePage {
        path,
        canonical: format!("<https://example.com{page}>; rel=\"canonical\""),
        etag: Some(format!("\"sha256-{}\"", page.len().to_string().repeat(32))),
    }
}

fn query_page(number: usize) -> MachinePage {
    MachinePage {
        path: format!("/post.{number:016x}.llm.json"),
        canonical: format!("<https://example.com/post?id={number}>; rel=\"canonical\""),
        etag: None,
    }
}

/// A site with a number of pages, and a number of pages whose URLs have queries.
fn sized(pages: usize, odd: usize) -> Hosting {
    let mut all = vec![machine_page("/")];
    all.extend((1..pages).map(|n| machine_page(&format!("/{n}/"))));
    all.truncate(pages);
    let odd: Vec<_> = (0..odd).map(query_page).collect();
    all.extend(odd.clone());
    Hosting {
        origin: "https://example.com".to_owned(),
        base: "/".to_owned(),
        collections: Some(Collections {
            folder: "/scp/".to_owned(),
            caching: vec![
                Caching {
                    sections: vec!["all".to_owned()],
                    kind: "snapshot",
                    value: "public, max-age=86400".to_owned(),
                },
                Caching {
                    sections: vec!["all".to_owned()],
                    kind: "delta",
                    value: "public, max-age=3600".to_owned(),
                },
            ],
        }),
        machine: Some(Machine {
            cache_control: "max-age=0, must-revalidate".to_owned(),
            index: "</llm-sitemap.json>; rel=\"index\"".to_owned(),
            policy: Some("</llm-policy.json>; rel=\"describedby\"".to_owned()),
            count: all.len(),
            first: all.into_iter().take(100).collect(),
            odd_count: odd.len(),
            odd,
        }),
    }
}

fn site() -> Hosting {
    sized(2, 0)
}

fn text(kind: HostKind, existing: Option<&str>, hosting: Option<&Hosting>) -> String {
    let merged = merge(kind, existing.map(str::as_bytes), hosting).unwrap();
    String::from_utf8(merged).unwrap()
}

fn paths(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('/')).collect()
}

#[test]
fn a_small_site_has_a_rule_for_each_page_on_every_host_with_a_headers_file() {
    let expected = r#"# sitecast: begin
/scp/*.scp.zst
  Content-Type: application/scp
  Content-Encoding: zstd
/scp/*.scp.gz
  Content-Type: application/scp
  Content-Encoding: gzip
/scp/*.scp
  Content-Type: application/scp
/scp/all-snapshot-*
  Cache-Control: public, max-age=86400
/scp/all-delta-*
  Cache-Control: public, max-age=3600
/llm-sitemap*.json
  Content-Type: application/json
  Cache-Control: max-age=0, must-revalidate
  Vary: Accept-Encoding
  Link: </llm-policy.json>; rel="describedby"
/
  Link: </llm-sitemap.json>; rel="index"
/*llm.json
  Content-Type: application/json
  Cache-Control: max-age=0, must-revalidate
  Vary: Accept-Encoding
/llm.json
  Link: <https://example.com/>; rel="canonical", </llm-sitemap.json>; rel="index", </llm-policy.json>; rel="describedby"
  ETag: "sha256-11111111111111111111111111111111"
/1/llm.json
  Link: <https://example.com/1/>; rel="canonical", </llm-sitemap.json>; rel="index", </llm-policy.json>; rel="describedby"
  ETag: "sha256-33333333333333333333333333333333"
# sitecast: end
"#;
    assert_eq!(text(HostKind::Netlify, None, Some(&site())), expected);
}

#[test]
fn a_large_site_has_as_many_rules_as_any() {
    for kind in KINDS {
        let large = text(kind, None, Some(&sized(6_000, 0)));
        assert!(large.len() < 8_000, "{kind:?}: {} bytes", large.len());
        assert!(large.lines().count() < 80, "{kind:?}\n{large}");
        if kind != HostKind::Netlify {
            assert_eq!(large, text(kind, None, Some(&site())), "{kind:?}");
        }
    }
    let netlify = text(HostKind::Netlify, None, Some(&sized(6_000, 0)));
    assert!(!netlify.contains("/1/llm.json"), "{netlify}");
    assert!(netlify.contains("# The 6000 machine pages have no `Link"));
}

#[test]
fn no_more_rules_are_written_than_cloudflare_reads() {
    let own: String = (0..30).map(|n| format!("/own/{n}\n  X: y\n")).collect();
    for kind in [HostKind::Netlify, HostKind::Cloudflare] {
        for hosting in [
            sized(61, 0),
            sized(62, 0),
            sized(63, 0),
            sized(5, 50),
            sized(5, 90),
            sized(5, 500),
        ] {
            let merged = text(kind, Some(&own), Some(&hosting));
            assert!(
                paths(&merged).len() <= 100,
                "{kind:?} {}",
                paths(&merged).len()
            );
        }
    }
    let whole = text(HostKind::Netlify, Some(&own), Some(&sized(62, 0)));
    assert_eq!(paths(&whole).len(), 100);
    let patterns = text(HostKind::Netlify, Some(&own), Some(&sized(63, 0)));
    assert_eq!(paths(&patterns).len(), 38);
    // A site of many sections.
    let mut hosting = sized(10, 0);
    for caching in &mut hosting.collections.as_mut().unwrap().caching {
        caching.sections = (0..500).map(|n| format!("s{n}")).collect();
    }
    let merged = text(HostKind::Cloudflare, Some(&own), Some(&hosting));
    assert!(paths(&merged).len() <= 100, "{}", paths(&merged).len());
    assert!(
        merged.contains("*/llm.json") && merged.contains("are left out"),
        "{merged}"
    );
}

/// What Cloudflare makes of a `_headers`: all rules that match, in order; `! Name` takes away, the star is `:splat`.
fn on_cloudflare(text: &str, path: &str, name: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    let mut splat = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('/') {
            splat = match line.split_once('*') {
                None => (line == path).then(String::new),
                Some((start, end)) => path
                    .strip_prefix(start)
                    .and_then(|rest| rest.strip_suffix(end))
                    .map(str::to_owned),
            };
        } else if let Some(splat) = &splat {
            if line.trim() == format!("! {name}") {
                values.clear();
            } else if let Some(value) = line.trim().strip_prefix(&format!("{name}: ")) {
                values.push(value.replace(":splat", splat));
            }
        }
    }
    values
}

#[test]
fn on_cloudflare_every_machine_page_names_its_page() {
    let text = text(HostKind::Cloudflare, None, Some(&sized(6_000, 20)));
    for (path, page) in [
        ("/llm.json", "/"),
        ("/tea/llm.json", "/tea/"),
        ("/a/b/k%C3%A4se/llm.json", "/a/b/k%C3%A4se/"),
        ("/plain.html.llm.json", "/plain.html"),
        ("/a/post.llm.json", "/a/post"),
        ("/post.0000000000000007.llm.json", "/post?id=7"),
    ] {
        let expected = format!("<https://example.com{page}>; rel=\"canonical\", ");
        let links = on_cloudflare(&text, path, "Link");
        assert_eq!(links.len(), 1, "{path}: {links:?}");
        assert!(links[0].starts_with(&expected), "{path}: {links:?}");
        assert_eq!(
            on_cloudflare(&text, path, "Content-Type"),
            ["application/json"]
        );
    }
    // Too many pages that a pattern is not right for: no page gets a wrong one.
    let text = self::text(HostKind::Cloudflare, None, Some(&sized(6_000, 200)));
    for path in ["/post.0000000000000007.llm.json", "/plain.html.llm.json"] {
        let links = on_cloudflare(&text, path, "Link");
        assert!(!links.join("").contains("canonical"), "{path}: {links:?}");
    }
    assert!(on_cloudflare(&text, "/tea/llm.json", "Link")[0].contains("canonical"));
    assert!(
        text.contains("# Machine pages named `….llm.json` have no"),
        "{text}"
    );
}

#[test]
fn a_section_whose_name_begins_with_anothers_gets_no_second_value() {
    let mut hosting = site();
    for caching in &mut hosting.collections.as_mut().unwrap().caching {
        caching.sections = vec!["a".to_owned(), "a-snapshot-b".to_owned()];
    }
    let text = text(HostKind::Netlify, None, Some(&hosting));
    let values = on_cloudflare(
        &text,
        "/scp/a-snapshot-b-delta-20250101T000000Z.scp.gz",
        "Cache-Control",
    );
    assert_eq!(values, ["public, max-age=3600"]);
}

#[test]
fn pages_with_queries_are_named_up_to_a_number() {
    for (kind, part) in [
        (
            HostKind::Nginx,
            "location = \"/post.0000000000000001.llm.json\" {",
        ),
        (
            HostKind::Caddy,
            "\t`~^/post\\.0000000000000001\\.llm\\.json(?:\\?|$)` `<https://example.com/post?id=1>; rel=",
        ),
        (
            HostKind::Apache,
            "SetEnvIf Request_URI \"^/post\\.0000000000000001\\.llm\\.json$\" \"SITECAST_LINK=<https://example.com/post?id=1>",
        ),
    ] {
        let written = text(kind, None, Some(&sized(3, 20)));
        assert!(written.contains(part), "{kind:?}\n{written}");
        assert!(!written.contains("# 1"), "{written}");
        let many = text(kind, None, Some(&sized(3, 10_001)));
        assert!(
            many.contains("machine pages have no `rel=\"canonical\"` here"),
            "{kind:?}"
        );
    }
}

/// Odd but possible: a path in the base, and names that mean something to the host.
fn odd_site() -> Hosting {
    let mut hosting = sized(5, 3);
    hosting.base = "/k%C3%A4se%20(b)+{c}.d/".to_owned();
    let machine = hosting.machine.as_mut().unwrap();
    for name in [
        "a'b", "a%22b", "a;b", "a%23b%25", "(a+b)", "~a!b@c", "a&b,c=d", "a$b", "a{b}", "a%60b",
        "a%5Cb",
    ] {
        machine.odd.push(MachinePage {
            path: format!("/{name}.0000000000000001.llm.json"),
            canonical: format!("<https://example.com/{name}?x>; rel=\"canonical\""),
            etag: None,
        });
        machine.odd_count += 1;
    }
    hosting
}

#[test]
fn the_page_of_a_machine_page_is_told_by_its_url() {
    for (machine, page) in [
        ("https://example.com/llm.json", Some("https://example.com/")),
        (
            "https://example.com/a/llm.json",
            Some("https://example.com/a/"),
        ),
        (
            "https://example.com/a.llm.json",
            Some("https://example.com/a"),
        ),
        ("https://example.com/allm.json", None),
        ("https://example.com/a.json", None),
    ] {
        assert_eq!(page_of(machine), page, "{machine}");
    }
}

#[test]
fn what_a_site_has_already_stays() {
    for kind in KINDS {
        for (existing, before, after) in [
            ("", "", ""),
            ("# mine\n", "# mine\n", ""),
            ("# mine", "# mine\n", ""),
            (
                "# a\n# sitecast: begin\nold\n# sitecast: end\n# b",
                "# a\n",
                "# b",
            ),
            (
                "# sitecast: begin\n# lost its end\n",
                "# sitecast: begin\n# lost its end\n",
                "",
            ),
            ("# sitecast: end\n", "# sitecast: end\n", ""),
            (
                "a\n# sitecast: begin\n# sitecast: end\nb\n# sitecast: begin\nold\n# sitecast: end\nc",
                "a\n",
                "b\nc",
            ),
        ] {
            let merged = text(kind, Some(existing), Some(&site()));
            let ours = text(kind, None, Some(&site()));
            assert_eq!(merged, format!("{before}{ours}{after}"), "{kind:?}");
            assert_eq!(merge(kind, Some(merged.as_bytes()), Some(&site())), None);
            let without = text(kind, Some(&merged), None);
            assert_eq!(without, format!("{before}{after}"), "{kind:?}");
        }
        assert_eq!(merge(kind, None, None), None);
        assert_eq!(merge(kind, Some(b"# mine"), None), None);
    }
}

#[test]
fn line_ends_are_those_of_the_file() {
    let merged = text(HostKind::Netlify, Some("/a\r\n  X: y\r\n"), Some(&site()));
    assert!(merged.lines().count() > 10);
    assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count());
    assert_eq!(
        merge(HostKind::Netlify, Some(merged.as_bytes()), Some(&site())),
        None
    );
}

/// Writes what the program is to check, and runs it.
#[expect(clippy::print_stderr, reason = "says that a test did not test")]
fn check(program: &str, files: &[(&str, String)], arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let content = content.replace("FOLDER", folder.path().to_str().unwrap());
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let run = Command::new(program)
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_DATA_HOME", folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .output();
    match run {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program}: {said}");
        }
        Err(_) => eprintln!("skipped: there is no {program} here"),
    }
}

#[test]
fn nginx_takes_it() {
    let config = "error_log stderr; pid FOLDER/pid; events { }\nhttp { access_log off;\n\
        client_body_temp_path FOLDER/a; proxy_temp_path FOLDER/b; fastcgi_temp_path FOLDER/c;\n\
        uwsgi_temp_path FOLDER/d; scgi_temp_path FOLDER/e;\n\
        server { listen 127.0.0.1:65530; root FOLDER; include FOLDER/sitecast; } }";
    let files = [
        ("nginx.conf", config.to_owned()),
        ("sitecast", text(HostKind::Nginx, None, Some(&odd_site()))),
    ];
    check(
        "nginx",
        &files,
        &["-t", "-q", "-p", ".", "-c", "nginx.conf"],
    );
}

#[test]
fn caddy_takes_it() {
    let config =
        "http://127.0.0.1:65531 {\n\troot * FOLDER\n\timport FOLDER/sitecast\n\tfile_server\n}\n";
    let files = [
        ("Caddyfile", config.to_owned()),
        ("sitecast", text(HostKind::Caddy, None, Some(&odd_site()))),
    ];
    check("caddy", &files, &["validate", "--config", "Caddyfile"]);
}

proptest! {
    #[test]
    fn merging_again_changes_nothing(
        lost_begin in prop::sample::select(vec!["", "# sitecast: end\n"]),
        existing in prop::collection::vec(
            prop_oneof!["[ -~]{0,10}[\r\n]{0,2}", "(\n# sitecast: begin\n[a-z\n]{0,5}\n# sitecast: end\r?\n)"], 0..6),
        lost_end in prop::sample::select(vec!["", "\n# sitecast: begin\n"]),
        first in (0_usize..120, 0_usize..5),
        second in (0_usize..120, 0_usize..5),
    ) {
        let existing = format!("{lost_begin}{}{lost_end}", existing.concat());
        let (first, second) = (sized(first.0, first.1), sized(second.0, second.1));
        for kind in KINDS {
            let bytes = existing.as_bytes();
            let once = merge(kind, Some(bytes), Some(&first)).unwrap_or_else(|| bytes.to_vec());
            prop_assert_eq!(merge(kind, Some(&once), Some(&first)), None);
            let other = merge(kind, Some(&once), Some(&second)).unwrap_or_else(|| once.clone());
            prop_assert_eq!(merge(kind, Some(&other), Some(&second)), None);
            // All that is not ours is still there, and in its order.
            prop_assert_eq!(around(&once), around(&other));
        }
    }
}
