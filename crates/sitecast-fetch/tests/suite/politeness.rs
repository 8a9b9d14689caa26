//! Politeness and protocol: robots.txt, delays, retries, conditions, stand-ins.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sitecast_fetch::{
    Addresses, Client, FetchError, Options, Request, StandIn, StandInScheme, Validators,
};
use sitecast_testserver::{Answer, Fault, Server};

use crate::{client, get, options, request, serve};

#[test]
fn reads_robots_txt_once_and_obeys_it() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::text(
            200,
            "User-agent: *\nDisallow: /\n\nUser-agent: sitecast-test\nDisallow: /private/\n\
             Sitemap: /maps/one.xml\n",
        ),
        _ => Answer::text(200, "hello"),
    })
    .unwrap();
    let client = client();
    assert_eq!(get(&client, &server.url("/a")).unwrap().body, b"hello");
    get(&client, &server.url("/b")).unwrap();
    let refused = get(&client, &server.url("/private/a"));
    assert!(
        matches!(refused, Err(FetchError::Disallowed { .. })),
        "{refused:?}"
    );
    assert_eq!(server.take_paths(), ["/robots.txt", "/a", "/b"]);
    let robots = client.robots(&server.url("/").parse().unwrap()).unwrap();
    assert_eq!(robots.sitemaps(), [server.url("/maps/one.xml")]);
}

#[test]
fn refuses_redirects_to_disallowed_urls() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::text(200, "User-agent: *\nDisallow: /private/\n"),
        "/a" => Answer::redirect("/private/b"),
        _ => Answer::text(200, "secret"),
    })
    .unwrap();
    let refused = get(&client(), &server.url("/a"));
    assert!(
        matches!(refused, Err(FetchError::Disallowed { .. })),
        "{refused:?}"
    );
    assert_eq!(server.take_paths(), ["/robots.txt", "/a"]);
}

/// RFC 9309 §2.3.1.3 and §2.3.1.4.
#[test]
fn allows_all_if_robots_txt_is_missing_and_nothing_if_it_is_unreachable() {
    for (status, allowed) in [
        (404, true),
        (403, true),
        (410, true),
        (500, false),
        (503, false),
    ] {
        let server = Server::start(move |request| match request.path.as_str() {
            "/robots.txt" => Answer::status(status),
            _ => Answer::text(200, "hello"),
        })
        .unwrap();
        let answer = get(&client(), &server.url("/a"));
        assert_eq!(answer.is_ok(), allowed, "{status}: {answer:?}");
        if !allowed {
            assert!(
                matches!(answer, Err(FetchError::Robots { .. })),
                "{answer:?}"
            );
        }
    }
}

#[test]
fn sends_the_user_agent() {
    let server = serve(|_| Answer::text(200, "hello"));
    get(&client(), &server.url("/a")).unwrap();
    for request in server.take_log() {
        let name = request.header("user-agent").unwrap();
        assert_eq!(name, "sitecast-test/1.0 (+https://example.com/bot)");
    }
}

#[test]
fn delays_requests_to_one_host() {
    let server = serve(|_| Answer::text(200, "hello"));
    let client = Client::new(Options {
        delay: Duration::from_millis(80),
        burst: 2,
        ..options()
    })
    .unwrap();
    let start = Instant::now();
    for _ in 0..4 {
        get(&client, &server.url("/a")).unwrap();
    }
    // Five requests with robots.txt, two of them without a delay.
    assert!(
        start.elapsed() >= Duration::from_millis(240),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn obeys_crawl_delay_up_to_a_limit() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::text(200, "User-agent: *\nCrawl-delay: 1000\n"),
        _ => Answer::text(200, "hello"),
    })
    .unwrap();
    let client = Client::new(Options {
        longest_delay: Duration::from_millis(100),
        ..options()
    })
    .unwrap();
    let start = Instant::now();
    for _ in 0..3 {
        get(&client, &server.url("/a")).unwrap();
    }
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(200), "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn sends_one_request_per_host_at_a_time() {
    static AT_ONCE: AtomicU32 = AtomicU32::new(0);
    static MOST: AtomicU32 = AtomicU32::new(0);
    let server = serve(|_| {
        let now = AT_ONCE.fetch_add(1, Ordering::SeqCst) + 1;
        MOST.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        AT_ONCE.fetch_sub(1, Ordering::SeqCst);
        Answer::text(200, "hello")
    });
    let client = client();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| get(&client, &server.url("/a")).unwrap());
        }
    });
    assert_eq!(MOST.load(Ordering::SeqCst), 1);
}

#[test]
fn retries_transient_failures() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let server = serve(|_| match ASKED.fetch_add(1, Ordering::SeqCst) {
        0 => Answer::status(500),
        1 => Answer::status(503).with("Retry-After", "0"),
        2 => Answer::text(200, "hello").with_fault(Fault::Truncate(2)),
        _ => Answer::text(200, "hello"),
    });
    assert_eq!(get(&client(), &server.url("/a")).unwrap().body, b"hello");
    assert_eq!(ASKED.load(Ordering::SeqCst), 4);
}

#[test]
fn limits_attempts_and_does_not_retry_permanent_statuses() {
    let server = serve(|request| match request.path.as_str() {
        "/500" => Answer::status(500),
        _ => Answer::status(404),
    });
    let error = get(&client(), &server.url("/500")).unwrap_err();
    assert!(
        matches!(error, FetchError::Status { status: 500, .. }),
        "{error:?}"
    );
    assert_eq!(server.take_paths().len(), 1 + 4);
    assert_eq!(
        get(&client(), &server.url("/404")).unwrap().head.status,
        404
    );
    assert_eq!(server.take_paths().len(), 1 + 1);
}

#[test]
fn gives_up_when_asked_to_wait_too_long() {
    let server = serve(|_| Answer::status(429).with("Retry-After", "3600"));
    let error = get(&client(), &server.url("/a")).unwrap_err();
    let wait = Duration::from_secs(3600);
    assert!(
        matches!(error, FetchError::Status { status: 429, wait: Some(asked), .. } if asked == wait),
        "{error:?}"
    );
    assert_eq!(server.take_paths(), ["/robots.txt", "/a"]);
}

#[test]
fn sends_conditions_and_returns_not_modified() {
    let server = serve(|request| match request.header("if-none-match") {
        Some("\"v1\"") => Answer::status(304).with("ETag", "\"v1\""),
        _ => Answer::text(200, "hello")
            .with("ETag", "\"v1\"")
            .with("Last-Modified", "Wed, 15 Jan 2025 23:00:00 GMT"),
    });
    let client = client();
    let first = get(&client, &server.url("/a")).unwrap();
    let expected = Validators {
        etag: Some("\"v1\"".to_owned()),
        last_modified: Some("Wed, 15 Jan 2025 23:00:00 GMT".to_owned()),
    };
    assert_eq!(first.head.validators, expected);
    let again = client
        .get(&request(&server.url("/a")).unless_matches(expected))
        .unwrap();
    assert!(again.head.is_not_modified() && again.body.is_empty());
    let asked = server.take_log().pop().unwrap();
    assert_eq!(
        asked.header("if-modified-since"),
        Some("Wed, 15 Jan 2025 23:00:00 GMT")
    );
}

#[test]
fn returns_bodies_undecoded() {
    let gzipped = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    let server = serve(move |_| {
        let mut answer = Answer::text(200, "").with("Content-Encoding", "gzip");
        answer.body = gzipped.to_vec();
        answer
    });
    let response = get(&client(), &server.url("/a")).unwrap();
    assert_eq!(response.body, gzipped);
    assert_eq!(response.decoded(100).unwrap(), b"");
}

#[test]
fn counts_requests_and_bytes_of_a_visit() {
    let server = serve(|_| Answer::text(200, "x".repeat(1000)));
    let all = client();
    let one = all.for_visit();
    one.get(&Request::new(server.url("/a").parse().unwrap(), 2000))
        .unwrap();
    let cost = one.cost();
    assert_eq!(cost.requests, 2, "robots.txt counts");
    assert!((1000..1400).contains(&cost.bytes), "{cost:?}");
    assert_eq!(all.cost().requests, 0);
}

#[test]
fn requests_only_its_own_site_from_a_stand_in() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::text(200, "User-agent: *\nDisallow: /private\n"),
        "/moved" => Answer::redirect("https://site.example/a"),
        "/out" => Answer::redirect("https://127.0.0.1:9/"),
        _ => Answer::text(200, "here"),
    })
    .unwrap();
    let url = server.url("");
    let address = url.strip_prefix("http://").unwrap();
    let client = Client::new(Options {
        // Forbids every other address of this machine.
        addresses: Addresses::Public,
        stand_in: Some(StandIn {
            site: "https://site.example/".parse().unwrap(),
            address: address.parse().unwrap(),
            scheme: StandInScheme::Http,
        }),
        ..options()
    })
    .unwrap();
    let response = get(&client, "https://site.example/moved").unwrap();
    assert_eq!(response.head.url.as_str(), "https://site.example/a");
    assert_eq!(response.body, b"here");
    let asked = server.take_log();
    assert!(
        asked
            .iter()
            .all(|request| request.header("host") == Some("site.example")),
        "{asked:?}"
    );
    assert!(matches!(
        get(&client, "https://site.example/private"),
        Err(FetchError::Disallowed { .. })
    ));
    for other in ["https://site.example/out", &server.url("/a")] {
        assert!(
            matches!(get(&client, other), Err(FetchError::Address { .. })),
            "{other}"
        );
    }
    let only = Client::new(Options {
        addresses: Addresses::StandInOnly,
        ..client.options().clone()
    })
    .unwrap();
    assert!(get(&only, "https://site.example/a").is_ok());
    // Names of hosts that exist are not resolved, either.
    for other in ["https://site.example/out", "https://example.com/"] {
        let before = only.cost().requests;
        assert!(
            matches!(get(&only, other), Err(FetchError::OtherSite { .. })),
            "{other}"
        );
        let asked = only.cost().requests - before;
        assert_eq!(asked, u64::from(other.ends_with("/out")), "{other}");
    }
}
