use std::collections::BTreeMap;
use std::process::Command;

use proptest::prelude::*;

use super::*;

const KINDS: [HostKind; 4] = [
    HostKind::Netlify,
    HostKind::Apache,
    HostKind::Nginx,
    HostKind::Caddy,
];

fn file(path: &str, headers: &[(&'static str, &str)]) -> HostedFile {
    HostedFile {
        path: path.to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
    }
}

fn machine_page(page: &str) -> HostedFile {
    let digits = page.len().to_string().repeat(32);
    file(
        &format!("{page}llm.json"),
        &[
            ("Content-Type", "application/json"),
            ("Cache-Control", "max-age=0, must-revalidate"),
            ("ETag", &format!("\"sha256-{digits}\"")),
            (
                "Link",
                &format!("<https://example.com{page}>; rel=\"canonical\""),
            ),
        ],
    )
}

fn collection(name: &str, etag: &str) -> HostedFile {
    file(
        &format!("/scp/{name}.scp.zst"),
        &[
            ("Content-Type", "application/scp"),
            ("Content-Encoding", "zstd"),
            ("ETag", etag),
        ],
    )
}

fn site() -> Vec<HostedFile> {
    vec![
        file(
            "/",
            &[(
                "Link",
                "</llm-sitemap.json>; rel=\"index\"; type=\"application/json\"",
            )],
        ),
        machine_page("/"),
        machine_page("/k%C3%A4se%20b/"),
        collection("all-snapshot-20250115T100000Z", "\"sha256:aa\""),
        collection("all-snapshot-20250215T100000Z", "\"sha256:bb\""),
        collection("all-delta-20250216T100000Z", "\"sha256:cc\""),
    ]
}

fn text(kind: HostKind, existing: Option<&str>, files: &[HostedFile]) -> String {
    let merged = merge(kind, existing.map(str::as_bytes), files).unwrap();
    String::from_utf8(merged).unwrap()
}

#[test]
fn netlify_and_cloudflare() {
    let expected = r#"# sitecast: begin
/scp/all-snapshot-*.scp.zst
  Content-Type: application/scp
  Content-Encoding: zstd
/*llm.json
  Content-Type: application/json
  Cache-Control: max-age=0, must-revalidate
/
  Link: </llm-sitemap.json>; rel="index"; type="application/json"
/llm.json
  ETag: "sha256-11111111111111111111111111111111"
  Link: <https://example.com/>; rel="canonical"
/k%C3%A4se%20b/llm.json
  ETag: "sha256-1515151515151515151515151515151515151515151515151515151515151515"
  Link: <https://example.com/k%C3%A4se%20b/>; rel="canonical"
/scp/all-snapshot-20250115T100000Z.scp.zst
  ETag: "sha256:aa"
/scp/all-snapshot-20250215T100000Z.scp.zst
  ETag: "sha256:bb"
/scp/all-delta-20250216T100000Z.scp.zst
  Content-Type: application/scp
  Content-Encoding: zstd
  ETag: "sha256:cc"
# sitecast: end
"#;
    assert_eq!(text(HostKind::Netlify, None, &site()), expected);
}

#[test]
fn apache() {
    let written = text(HostKind::Apache, None, &site());
    for line in [
        r#"SetEnvIf Request_URI "^/scp/all-snapshot-.*\.scp\.zst$" "SITECAST_CONTENT_TYPE=application/scp" "SITECAST_CONTENT_ENCODING=zstd" no-gzip=1"#,
        r#"SetEnvIf Request_URI "^/scp/all-snapshot-20250115T100000Z\.scp\.zst$" "SITECAST_ETAG=\"sha256:aa\"""#,
        r#"SetEnvIf Request_URI "^/.*llm\.json$" "SITECAST_CONTENT_TYPE=application/json" "SITECAST_CACHE_CONTROL=max-age=0, must-revalidate""#,
        r#"Header set ETag "%{SITECAST_ETAG}e" env=SITECAST_ETAG"#,
        r#"<FilesMatch "\.scp\.(gz|zst)$">"#,
        r#"Header add Link "%{SITECAST_LINK}e" env=SITECAST_LINK"#,
        r#"RequestHeader set If-None-Match "*" "expr=-n reqenv('SITECAST_ETAG') && req_novary('If-None-Match') -strmatch '*%{reqenv:SITECAST_ETAG}*'""#,
    ] {
        assert!(
            written.lines().any(|found| found == line),
            "{line}\n{written}"
        );
    }
    assert!(written.contains("\"^/käse b/llm\\.json$\""), "{written}");
}

#[test]
fn nginx() {
    let written = text(HostKind::Nginx, None, &site());
    for part in [
        "location = \"/index.html\" {\n    add_header Link \"</llm-sitemap.json>; rel=\\\"index\\\"; type=\\\"application/json\\\"\";\n}\n",
        "location = \"/scp/all-delta-20250216T100000Z.scp.zst\" {\n    types { } default_type \"application/scp\";\n    \
         gzip off;\n    add_header Content-Encoding \"zstd\";\n    etag off;\n    \
         if ($http_if_none_match ~ \"\\\"sha256\\:cc\\\"|^\\*$\") { return 304; }\n    add_header ETag \"\\\"sha256:cc\\\"\";\n}\n",
        "location = \"/käse b/llm.json\" {\n    types { } default_type \"application/json\";\n",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
    assert!(!written.contains("location ~"), "{written}");
}

#[test]
fn caddy() {
    let written = text(HostKind::Caddy, None, &site());
    for line in [
        "map {path} {sitecast_link} {sitecast_content_type} {sitecast_cache_control} {sitecast_etag} {sitecast_content_encoding} {",
        "\t`/scp/all-delta-20250216T100000Z.scp.zst` `` `application/scp` `` `\"sha256:cc\"` `zstd`",
        "\tdefault `` `` `` `` ``",
        "@sitecast_etag not vars {sitecast_etag} ``",
        "header @sitecast_link +Link {sitecast_link}",
        "respond @sitecast_fresh 304",
    ] {
        assert!(
            written.lines().any(|found| found == line),
            "{line}\n{written}"
        );
    }
    assert!(written.contains("\t`/käse b/llm.json` "), "{written}");
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
            let merged = text(kind, Some(existing), &site());
            let ours = text(kind, None, &site());
            assert_eq!(merged, format!("{before}{ours}{after}"), "{kind:?}");
            assert_eq!(merge(kind, Some(merged.as_bytes()), &site()), None);
            let without = text(kind, Some(&merged), &[]);
            assert_eq!(without, format!("{before}{after}"), "{kind:?}");
        }
        assert_eq!(merge(kind, None, &[]), None);
        assert_eq!(merge(kind, Some(b"# mine"), &[]), None);
    }
}

#[test]
fn line_ends_are_those_of_the_file() {
    let merged = text(HostKind::Netlify, Some("/a\r\n  X: y\r\n"), &site());
    assert!(merged.lines().count() > 10);
    assert_eq!(merged.matches('\n').count(), merged.matches("\r\n").count());
    assert_eq!(
        merge(HostKind::Netlify, Some(merged.as_bytes()), &site()),
        None
    );
}

#[test]
fn cloudflare_reads_the_patterns_before_it_stops() {
    let files: Vec<_> = (0..200).map(|n| machine_page(&format!("/{n}/"))).collect();
    let own: String = (0..30).map(|n| format!("/own/{n}\n  X: y\n")).collect();
    let merged = text(HostKind::Netlify, Some(&own), &files);
    let read = merged
        .split("# Cloudflare Pages stops reading here")
        .next()
        .unwrap();
    let rules: Vec<_> = read.lines().filter(|line| line.starts_with('/')).collect();
    assert_eq!(rules.len(), 100);
    assert_eq!(rules[30], "/*llm.json");
    assert_eq!(
        merged.lines().filter(|line| line.starts_with('/')).count(),
        231
    );
}

#[test]
fn many_files_are_matched_by_patterns() {
    let files: Vec<_> = (0..10_002)
        .map(|n| machine_page(&format!("/{n}/")))
        .collect();
    let apache = text(HostKind::Apache, None, &files);
    assert_eq!(apache.matches("SetEnvIf").count(), 501);
    assert!(
        apache.contains("# 9502 more files are not named"),
        "{}",
        apache.len()
    );
    let nginx = text(HostKind::Nginx, None, &files);
    assert_eq!(nginx.matches("location = ").count(), 10_000);
    assert!(nginx.contains("location ~ \"^/.*llm\\.json$\" {\n    types"));
    let caddy = text(HostKind::Caddy, None, &files);
    assert_eq!(
        caddy
            .lines()
            .filter(|line| line.starts_with("\t`/"))
            .count(),
        10_000
    );
    assert!(
        caddy
            .contains("\t`~^/.*llm\\.json$` `application/json` `max-age=0, must-revalidate` `` ``")
    );
}

#[test]
fn what_cannot_be_written_is_left_out_and_said() {
    let odd = |path: &str, value: &str| vec![file(path, &[("Link", value)]), machine_page("/")];
    for (kind, path, value) in [
        (HostKind::Netlify, "/a:b", "x"),
        (HostKind::Netlify, "/a*b.json", "x"),
        (HostKind::Apache, "/a%5Cb", "x"),
        (HostKind::Apache, "/a%7Bb%7D", "x"),
        (HostKind::Nginx, "/a$b.json", "x"),
        (HostKind::Nginx, "/a.json", "$x"),
        (HostKind::Nginx, "/about", "x"),
        (HostKind::Caddy, "/a%60.json", "x"),
        (HostKind::Caddy, "/a.json", "{x}"),
    ] {
        let written = text(kind, None, &odd(path, value));
        assert!(
            written.contains("# One file is left out"),
            "{kind:?} {path} {written}"
        );
        assert!(written.contains("llm"), "{kind:?} {path} {written}");
    }
    for kind in KINDS {
        for path in ["/a\nb", "a", "/%zz", "/a%0Ab", "/a b"] {
            assert_eq!(
                merge(kind, None, &[file(path, &[("Link", "x")])]),
                None,
                "{path:?}"
            );
        }
        assert_eq!(
            merge(kind, None, &[file("/a.b", &[("Link", "x\ny")])]),
            None
        );
        assert_eq!(merge(kind, None, &[file("/a.b", &[])]), None);
    }
}

#[test]
fn a_path_is_named_once() {
    let twice = [machine_page("/"), machine_page("/")];
    for kind in KINDS {
        assert_eq!(text(kind, None, &twice), text(kind, None, &twice[..1]));
    }
}

/// Files with odd but writable names.
fn odd_site() -> Vec<HostedFile> {
    let mut files = site();
    for page in [
        "/a'b/",
        "/a%22b/",
        "/a;b/",
        "/a%23b%25/",
        "/(a+b)/",
        "/~a!b@c/",
        "/a&b,c=d/",
    ] {
        files.push(machine_page(page));
    }
    files
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
        ("sitecast", text(HostKind::Nginx, None, &odd_site())),
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
        ("sitecast", text(HostKind::Caddy, None, &odd_site())),
    ];
    check("caddy", &files, &["validate", "--config", "Caddyfile"]);
}

/// Some files of some kinds, with headers of which some are shared.
fn files() -> impl Strategy<Value = Vec<HostedFile>> {
    let path = prop::sample::select(vec![
        "/llm.json",
        "/a/llm.json",
        "/a/b.llm.json",
        "/c/llm.json",
        "/a.md",
        "/a/b.md",
        "/notllm.json",
        "/",
        "/sitemap.xml",
        "/scp/all-snapshot-1.scp.zst",
        "/scp/all-snapshot-2.scp.zst",
        "/scp/all-snapshot-2.scp.gz",
        "/scp/all-snapshot-3.scp",
        "/scp/all-delta-2.scp.zst",
        "/scp/all-delta-3.scp.zst",
        "/scp/b-delta-3.scp.zst",
        "/scp/all-snapshot-4/llm.json",
        "/all-snapshot-1.scp.zst",
    ]);
    let header = (
        prop::sample::select(vec!["Link", "ETag", "Content-Type", "Vary"]),
        prop::sample::select(vec!["a", "b", "\"c\""]),
    );
    prop::collection::vec(
        (path, prop::collection::vec(header, 0..4))
            .prop_map(|(path, headers)| file(path, &headers)),
        0..20,
    )
}

/// What a host that applies all matching rules makes of them.
fn applied(rules: &[Rule], path: &str) -> BTreeMap<&'static str, Vec<String>> {
    let mut headers: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for rule in rules.iter().filter(|rule| rule.target.matches(path)) {
        for (name, value) in &rule.headers {
            headers.entry(*name).or_default().push(value.clone());
        }
    }
    headers
}

/// The rules of a `_headers`.
fn parsed(text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("  ") {
            let (name, value) = header.split_once(": ").unwrap();
            let names = ["Link", "ETag", "Content-Type", "Vary"];
            let name = names.into_iter().find(|known| *known == name).unwrap();
            rules
                .last_mut()
                .unwrap()
                .headers
                .push((name, value.to_owned()));
        } else {
            let target = match line.split_once('*') {
                Some((start, end)) => Target::Pattern {
                    start: start.to_owned(),
                    end: end.to_owned(),
                },
                None => Target::File(line.to_owned()),
            };
            rules.push(Rule {
                target,
                headers: Vec::new(),
            });
        }
    }
    rules
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_file_gets_its_headers_and_each_once(files in files()) {
        let rules = rules(&files);
        for file in distinct(&files) {
            let expected: BTreeMap<_, _> = file
                .headers
                .iter()
                .map(|(name, value)| (*name, vec![value.clone()]))
                .collect();
            prop_assert_eq!(applied(&rules, file.path), expected, "{}", file.path);
        }
        let first_file = rules.iter().position(|rule| matches!(rule.target, Target::File(_)));
        let patterns = rules.iter().filter(|rule| matches!(rule.target, Target::Pattern { .. })).count();
        prop_assert_eq!(first_file.unwrap_or(rules.len()), patterns);
        if let Some(written) = merge(HostKind::Netlify, None, &files) {
            prop_assert_eq!(parsed(&String::from_utf8(written).unwrap()), rules);
        }
    }

    #[test]
    fn merging_again_changes_nothing(
        lost_begin in prop::sample::select(vec!["", "# sitecast: end\n"]),
        existing in prop::collection::vec(
            prop_oneof!["[ -~]{0,10}[\r\n]{0,2}", "(\n# sitecast: begin\n[a-z\n]{0,5}\n# sitecast: end\r?\n)"], 0..6),
        lost_end in prop::sample::select(vec!["", "\n# sitecast: begin\n"]),
        first in files(),
        second in files(),
    ) {
        let existing = format!("{lost_begin}{}{lost_end}", existing.concat());
        for kind in KINDS {
            let bytes = existing.as_bytes();
            let once = merge(kind, Some(bytes), &first).unwrap_or_else(|| bytes.to_vec());
            prop_assert_eq!(merge(kind, Some(&once), &first), None);
            let other = merge(kind, Some(&once), &second).unwrap_or_else(|| once.clone());
            prop_assert_eq!(merge(kind, Some(&other), &second), None);
            // All that is not ours is still there, and in its order.
            if !distinct(&first).is_empty() && !distinct(&second).is_empty() {
                prop_assert_eq!(around(&once), around(&other));
            }
        }
    }
}
