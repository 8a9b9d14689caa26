//! Defence: private addresses, redirects, oversized bodies, silent and slow servers.

use std::time::{Duration, Instant};

use sitecast_fetch::{Addresses, Client, FetchError, Options, RedirectProblem};
use sitecast_testserver::{Answer, Fault};

use crate::{client, get, options, request, serve};

fn public_only() -> Client {
    Client::new(Options {
        addresses: Addresses::Public,
        attempts: 1,
        ..options()
    })
    .unwrap()
}

#[test]
fn refuses_private_addresses_as_literals_and_by_name() {
    let server = serve(|_| Answer::text(200, "secret"));
    let port = server.url("/").rsplit(':').next().unwrap().to_owned();
    for url in [
        server.url("/"),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("http://[::ffff:127.0.0.1]:{port}"),
    ] {
        let refused = get(&public_only(), &url);
        assert!(
            matches!(refused, Err(FetchError::Address { .. })),
            "{url}: {refused:?}"
        );
    }
    assert_eq!(server.take_paths(), [""; 0], "a request was sent");
}

/// Each hop is checked like the first: a public site could redirect to hosts that only this machine can reach.
#[test]
fn refuses_redirects_to_private_addresses() {
    let server = serve(|request| {
        let port = request
            .header("host")
            .unwrap()
            .rsplit(':')
            .next()
            .unwrap()
            .to_owned();
        match request.path.as_str() {
            "/literal" => Answer::redirect(format!("http://127.0.0.2:{port}/secret")),
            "/metadata" => Answer::redirect("http://169.254.169.254/latest/meta-data/"),
            "/mapped" => Answer::redirect(format!("http://[::ffff:10.0.0.1]:{port}/")),
            _ => Answer::text(200, "secret"),
        }
    });
    // Treats 127.0.0.1 as public.
    let client = Client::new(Options {
        addresses: Addresses::PublicAnd(vec!["127.0.0.1".parse().unwrap()]),
        attempts: 1,
        ..options()
    })
    .unwrap();
    assert!(get(&client, &server.url("/public")).is_ok());
    for path in ["/literal", "/metadata", "/mapped"] {
        let refused = get(&client, &server.url(path));
        assert!(
            matches!(refused, Err(FetchError::Address { .. })),
            "{path}: {refused:?}"
        );
    }
}

#[test]
fn follows_redirects_within_limits() {
    let server = serve(|request| {
        let number: Option<u32> = request
            .path
            .strip_prefix("/hop/")
            .and_then(|n| n.parse().ok());
        match (request.path.as_str(), number) {
            ("/loop", _) => Answer::redirect("/loop/back"),
            ("/loop/back", _) => Answer::redirect("/loop#again"),
            ("/file", _) => Answer::redirect("file:///etc/passwd"),
            (_, Some(0)) => Answer::text(200, "arrived"),
            (_, Some(n)) => Answer::redirect(format!("{}", n - 1)),
            _ => Answer::redirect(format!("/long/{}", request.path.len())),
        }
    });
    let client = client();
    let answer = get(&client, &server.url("/hop/5")).unwrap();
    assert_eq!(answer.body, b"arrived");
    assert!(answer.head.redirected && answer.head.url.path() == "/hop/0");
    for (path, expected) in [
        ("/hop/6", RedirectProblem::TooMany(5)),
        ("/loop", RedirectProblem::Loop),
        ("/file", RedirectProblem::NotHttp),
    ] {
        match get(&client, &server.url(path)) {
            Err(FetchError::Redirect { problem, .. }) => assert_eq!(problem, expected, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn refuses_bodies_over_the_limit() {
    let server = serve(|request| match request.path.as_str() {
        "/said" => Answer::text(200, "x".repeat(2_000)),
        "/unsaid" => Answer::text(200, "x".repeat(2_000)).with_fault(Fault::NoLength),
        _ => Answer::text(200, "").with_fault(Fault::Endless),
    });
    for path in ["/said", "/unsaid", "/endless"] {
        let mut request = request(&server.url(path));
        request.limit = 1_000;
        let refused = client().get(&request);
        assert!(
            matches!(refused, Err(FetchError::TooLarge { limit: 1_000, .. })),
            "{path}: {refused:?}"
        );
    }
}

#[test]
fn gives_up_on_silent_and_slow_servers() {
    let server = serve(|request| match request.path.as_str() {
        "/silent" => Answer::status(200).with_fault(Fault::Silence(Duration::from_secs(20))),
        "/headers" => {
            Answer::status(200).with_fault(Fault::DripHeaders(Duration::from_millis(100)))
        }
        _ => {
            Answer::text(200, "x".repeat(10_000)).with_fault(Fault::Drip(Duration::from_millis(20)))
        }
    });
    let client = Client::new(Options {
        attempts: 1,
        ..options()
    })
    .unwrap();
    let start = Instant::now();
    for (path, code) in [
        ("/silent", "silent"),
        ("/headers", "silent"),
        ("/drip", "slow"),
    ] {
        let error = get(&client, &server.url(path)).unwrap_err();
        assert_eq!(error.code(), code, "{path}: {error}");
    }
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn reports_broken_connections_with_their_url() {
    let server = serve(|request| match request.path.as_str() {
        "/close" => Answer::status(200).with_fault(Fault::Close),
        _ => Answer::text(200, "x".repeat(1_000)).with_fault(Fault::Truncate(10)),
    });
    let error = get(&client(), &server.url("/close")).unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. }), "{error:?}");
    let error = get(&client(), &server.url("/cut")).unwrap_err();
    assert!(
        matches!(error, FetchError::Truncated { received: 10, .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("/cut"), "{error}");
    let nobody = get(&client(), "http://127.0.0.1:1/");
    assert!(
        matches!(nobody, Err(FetchError::Robots { .. })),
        "{nobody:?}"
    );
}
