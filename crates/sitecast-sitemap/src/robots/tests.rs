use proptest::prelude::*;

use super::*;

fn allowed(robots: &str, agent: &str, url: &str) -> bool {
    Robots::parse(robots.as_bytes()).is_allowed(agent, url)
}

/// Returns true if rules for all agents disallow a path. A rule is `path`, or `!path` for an `Allow`.
fn blocked(rules: &[&str], path: &str) -> bool {
    let lines = rules.iter().map(|rule| match rule.strip_prefix('!') {
        Some(path) => format!("Allow: {path}\n"),
        None => format!("Disallow: {rule}\n"),
    });
    let robots = format!("User-agent: *\n{}", lines.collect::<String>());
    !allowed(&robots, "bot", path)
}

#[test]
fn without_rules_everything_is_allowed() {
    for robots in [
        "",
        "User-agent: *\nDisallow:\n",
        "Disallow: /\n",
        "# nothing\n\n",
    ] {
        assert!(allowed(robots, "bot", "/a"), "{robots}");
    }
}

#[test]
fn matches_groups_by_product_token_case_insensitively() {
    let robots = "User-agent: Foo/2.1 (x)\nDisallow: /foo\n\nUser-agent: BAR baz\nDisallow: /bar\n\n\
                  User-agent: *\nDisallow: /all\n";
    for (agent, path, expected) in [
        ("foo", "/foo", false),
        ("FOO/3", "/foo", false),
        ("foo", "/all", true),
        ("bar", "/bar", false),
        ("foobar", "/foo", true),
        ("foobar", "/all", false),
        ("other", "/all", false),
        ("", "/all", false),
    ] {
        assert_eq!(allowed(robots, agent, path), expected, "{agent} {path}");
    }
}

#[test]
fn groups_with_the_same_agent_must_be_combined() {
    let robots = "User-agent: a\nDisallow: /1\n\nUser-agent: b\nUser-agent: a\nDisallow: /2\n\n\
                  User-agent: *\nDisallow: /3\n";
    for (agent, blocked) in [("a", "/1 /2"), ("b", "/2"), ("c", "/3")] {
        for path in ["/1", "/2", "/3"] {
            assert_eq!(
                !allowed(robots, agent, path),
                blocked.contains(path),
                "{agent} {path}"
            );
        }
    }
}

#[test]
fn other_lines_do_not_end_the_agents_of_a_group() {
    let robots = "User-agent: a\nSitemap: https://example.com/s.xml\nFoo: bar\n\nUser-agent: b\nDisallow: /\n";
    assert!(!allowed(robots, "a", "/x"));
    assert!(!allowed(robots, "b", "/x"));
    // Neither does a delay, which RFC 9309 does not define; but each agent has its own delay.
    let robots = "User-agent: a\nCrawl-delay: 5\n\nUser-agent: b\nCrawl-delay: 6\nDisallow: /\n";
    assert!(!allowed(robots, "a", "/x"));
    assert!(!allowed(robots, "b", "/x"));
    let delay = |agent| Robots::parse(robots.as_bytes()).crawl_delay(agent);
    assert_eq!(delay("a"), Some(Duration::from_secs(5)));
    assert_eq!(delay("b"), Some(Duration::from_secs(6)));
    assert_eq!(delay("c"), None);
}

#[test]
fn the_longest_match_must_be_used_and_allow_wins_a_tie() {
    assert!(!blocked(&["/a", "!/a/b"], "/a/b/c"));
    assert!(blocked(&["!/a", "/a/b"], "/a/b/c"));
    assert!(!blocked(&["/a", "!/a"], "/a"));
    assert!(!blocked(&["/", "!/$"], "/"));
    assert!(blocked(&["/", "!/$"], "/page"));
    assert!(blocked(&["*.html", "!/page"], "/page.html"));
    assert!(!blocked(&["/*.htm", "!/page."], "/page.htm"));
}

#[test]
fn star_matches_anything_and_dollar_matches_the_end() {
    for (rule, matching, other) in [
        (
            "/fish",
            vec!["/fish", "/fish.html", "/fishheads/a", "/fish?id=1"],
            vec!["/Fish", "/catfish"],
        ),
        ("/fish*", vec!["/fish", "/fishes"], vec!["/catfish"]),
        (
            "/*.php",
            vec!["/a.php", "/a/b.php?c", "/.php"],
            vec!["/a.PHP", "/php"],
        ),
        (
            "/*.php$",
            vec!["/a.php", "/a.php.php"],
            vec!["/a.php?b", "/a.php5"],
        ),
        (
            "/a*b*c$",
            vec!["/abc", "/abcbc", "/a/b/c"],
            vec!["/abcd", "/acb"],
        ),
        ("/a**b", vec!["/ab", "/axb"], vec!["/ba"]),
        ("*/x", vec!["/x", "/a/x"], vec!["/y"]),
        ("/a$b", vec!["/a$b"], vec!["/a", "/ab"]),
        ("/$", vec!["/"], vec!["/a"]),
        ("/*$", vec!["/", "/anything"], vec![]),
        ("/a*a$", vec!["/aa", "/aba"], vec!["/a"]),
    ] {
        for path in matching {
            assert!(blocked(&[rule], path), "{rule} {path}");
        }
        for path in other {
            assert!(!blocked(&[rule], path), "{rule} {path}");
        }
    }
}

#[test]
fn octets_outside_of_ascii_must_be_compared_percent_encoded() {
    for (rule, path) in [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        (
            "/foo/bar?baz=https://foo.bar",
            "/foo/bar?baz=https://foo.bar",
        ),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/~joe", "/%7Ejoe"),
        ("/%7Ejoe", "/~joe"),
        ("/a%2fb", "/a%2Fb"),
        ("/file-with-a-%2A.html", "/file-with-a-%2a.html"),
        ("/foo-%24", "/foo-%24"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/a b", "/a%20b"),
    ] {
        assert!(blocked(&[rule], path), "{rule} {path}");
    }
    assert!(
        !blocked(&["/a%2Fb"], "/a/b"),
        "an escaped slash does not match a slash"
    );
    assert!(
        !blocked(&["/%2A"], "/anything"),
        "an escaped star is not a wildcard"
    );
}

#[test]
fn robots_txt_itself_is_always_allowed() {
    assert!(!blocked(&["/"], "https://example.com/robots.txt"));
    assert!(blocked(&["/"], "https://example.com/robots.txt?x"));
}

#[test]
fn reduces_urls_to_path_and_query() {
    for (url, path) in [
        ("https://example.com", "/"),
        ("https://example.com/", "/"),
        ("https://example.com?a=b", "/?a=b"),
        ("https://example.com/a/b?c=d#e", "/a/b?c=d"),
        (
            "https://example.com/?u=http://other.example/x",
            "/?u=http://other.example/x",
        ),
        ("//example.com/a", "/a"),
        ("/a?b", "/a?b"),
        ("example.com/a", "/a"),
        ("", "/"),
        ("#x", "/"),
    ] {
        assert_eq!(path::path_and_query(url), path, "{url}");
    }
}

#[test]
fn accepts_all_line_ends_and_ignores_comments() {
    let robots = "\u{feff}User-agent: * # all\rDisallow: /a#b\r\n  disALLOW :\t/c  \nDisallow:/d";
    let robots = Robots::parse(robots.as_bytes());
    for path in ["/a", "/c", "/d"] {
        assert!(!robots.is_allowed("bot", path), "{path}");
    }
    assert_eq!(robots.warnings(), []);
    assert_eq!((robots.group_count(), robots.rule_count()), (1, 3));
}

#[test]
fn detects_utf_16_by_its_byte_order_mark() {
    let text = "\u{feff}User-agent: *\nDisallow: /é";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let robots = Robots::parse(&bytes);
    assert!(!robots.is_allowed("bot", "/%C3%A9"));
    assert_eq!(robots.warnings()[0].problem, RobotsProblem::Encoding);
    let latin = Robots::parse(b"User-agent: *\nDisallow: /caf\xe9\n");
    assert!(!latin.is_allowed("bot", "/caf%E9"));
    assert_eq!(
        latin.warnings()[0],
        RobotsWarning {
            line: 2,
            problem: RobotsProblem::NotUtf8
        }
    );
}

#[test]
fn at_least_500_kib_must_be_parsed() {
    let filler = "#".repeat(99) + "\n";
    let within = format!("User-agent: *\n{}Disallow: /a\n", filler.repeat(5_119));
    assert!(within.len() <= MAX_ROBOTS_BYTES);
    assert!(!allowed(&within, "bot", "/a"));
    let beyond = format!("User-agent: *\n{}Disallow: /a\n", filler.repeat(5_120));
    let robots = Robots::parse(beyond.as_bytes());
    assert!(robots.is_allowed("bot", "/a"));
    assert_eq!(
        robots.warnings().last().unwrap().problem,
        RobotsProblem::TooLarge
    );
    // A line that crosses the limit is ignored: its beginning would disallow too much.
    let cut = format!(
        "User-agent: *\n{}Disallow: /{}",
        filler.repeat(5_119),
        "a".repeat(200)
    );
    assert!(allowed(&cut, "bot", "/aaa"));
    assert!(
        Robots::read(beyond.as_bytes(), None)
            .unwrap()
            .is_allowed("bot", "/a")
    );
}

#[test]
fn reads_crawl_delays_and_sitemaps() {
    let robots = Robots::parse(
        b"Sitemap: https://example.com/a.xml\nUser-agent: a\nCrawl-delay: 2.5\nSitemap: /relative.xml\n\
          User-agent: *\nCrawl-delay: soon\nsitemap:https://example.com/\xc3\xbc.xml\nCrawl-delay: -1\n",
    );
    assert_eq!(
        robots.sitemaps(),
        [
            "https://example.com/a.xml",
            "https://example.com/%C3%BC.xml"
        ]
    );
    let base = Url::parse("https://example.com/robots.txt").unwrap();
    let at = Robots::parse_at(
        b"Sitemap: /s.xml\nSitemap: https://example.com/s.xml",
        Some(&base),
    );
    assert_eq!(at.sitemaps(), ["https://example.com/s.xml"]);
    assert_eq!(robots.crawl_delay("a"), Some(Duration::from_millis(2_500)));
    assert_eq!(robots.crawl_delay("b"), None);
    let problems: Vec<_> = robots
        .warnings()
        .iter()
        .map(|w| (w.line, w.problem.code()))
        .collect();
    assert_eq!(
        problems,
        [(4, "sitemap-url"), (6, "crawl-delay"), (8, "crawl-delay")]
    );
}

#[test]
fn reports_problems_with_their_lines() {
    let robots = Robots::parse(
        b"Disallow: /early\nUser-agent:\nDisallow: /x\nUseragent: *\nDissallow: /a\nDisallow /b\n\
          Disallow: c\nHost: example.com\nwhat is this\n<html>\n",
    );
    let problems: Vec<_> = robots
        .warnings()
        .iter()
        .map(|w| (w.line, w.problem.code()))
        .collect();
    let expected = [
        (1, "outside-of-group"),
        (2, "no-agent"),
        (4, "misspelled-directive"),
        (5, "misspelled-directive"),
        (6, "no-colon"),
        (7, "path-without-slash"),
        (8, "unknown-directive"),
        (9, "not-a-directive"),
        (10, "not-a-directive"),
    ];
    assert_eq!(problems, expected);
    for path in ["/a", "/b", "/c"] {
        assert!(!robots.is_allowed("bot", path), "{path}");
    }
    assert!(robots.is_allowed("bot", "/x") && robots.is_allowed("bot", "/early"));
}

#[test]
fn rules_for_one_agent_are_small_and_equivalent() {
    let others: String = (0..5_000)
        .map(|n| format!("User-agent: b{n}\nDisallow: /{n}\n\n"))
        .collect();
    let text = format!(
        "User-agent: bot\nUser-agent: *\nCrawl-delay: 2\nDisallow: /a\nAllow: /a/b\n{others}\
         User-agent: *\nDisallow: /c\n{}Sitemap: https://example.com/s.xml\n",
        "Disallow: /c\n".repeat(5_000)
    );
    let whole = Robots::parse(text.as_bytes());
    assert!(whole.memory() > 1_000_000, "{}", whole.memory());
    for agent in ["bot", "b7", "other", ""] {
        let own = whole.clone().for_agent(agent);
        assert!(own.memory() < 2_000, "{}", own.memory());
        for path in ["/a", "/a/b", "/c", "/7", "/8"] {
            let expected = whole.is_allowed(agent, path);
            assert_eq!(own.is_allowed(agent, path), expected, "{agent} {path}");
        }
        assert_eq!(own.crawl_delay(agent), whole.crawl_delay(agent));
        assert_eq!(own.sitemaps(), whole.sitemaps());
    }
    let empty = Robots::default().for_agent("bot");
    assert!(empty.is_allowed("bot", "/a"));
}

#[test]
fn matches_hostile_patterns_in_bounded_time() {
    // The time is linear in the number of agents and rules, as many as the size limit allows.
    let robots = "user-agent:*\n".repeat(19_000) + &"allow:*a\n".repeat(27_000);
    assert!(allowed(&robots, "bot", "/b"));
    let rule = "/".to_owned() + &"*a".repeat(5_000) + "$";
    let path = "/".to_owned() + &"a".repeat(100_000) + "b";
    assert!(!blocked(&[&rule], &path));
}

proptest! {
    /// The matcher agrees with a naive implementation of the definition.
    #[test]
    fn matching_agrees_with_a_naive_matcher(pattern in "/[ab*]{0,8}\\$?", path in "/[ab]{0,8}") {
        fn slow(pattern: &[u8], path: &[u8]) -> bool {
            match pattern {
                [] => true,
                [b'$'] => path.is_empty(),
                [b'*', rest @ ..] => (0..=path.len()).any(|at| slow(rest, path.get(at..).unwrap())),
                [first, rest @ ..] => path.first() == Some(first) && slow(rest, path.get(1..).unwrap()),
            }
        }
        let expected = slow(pattern.as_bytes(), path.as_bytes());
        prop_assert_eq!(Pattern::new(pattern.as_bytes()).matches(path.as_bytes()), expected);
    }

    #[test]
    fn reads_any_bytes_and_normalises_idempotently(bytes in prop::collection::vec(any::<u8>(), 0..300), url in "\\PC{0,40}") {
        let robots = Robots::parse(&bytes);
        robots.is_allowed("bot", &url);
        let once = path::normalize(&bytes);
        prop_assert_eq!(path::normalize(&once), once);
    }
}
