//! Limits on time, bytes and attempts, against servers that try to exceed them.

use std::fs;
use std::time::{Duration, Instant};

use sitecast_fetch::{Client, Coding, Downloaded, FetchError, Options, Request, TimeBound};
use sitecast_testserver::{Answer, Fault, Server, hostile};

use crate::{client, download, get, options, request, serve};

/// Far more than the client takes, far less than it would take without the limit.
const SOON: Duration = Duration::from_secs(30);

fn stored(server: &Server, limit: u64) -> Request {
    Request {
        coding: Coding::Stored,
        ..Request::new(server.url("/all.scp.zst").parse().unwrap(), limit)
    }
}

/// Every attempt receives more than a megabyte, and none more than the one before.
#[test]
fn gives_up_on_a_download_that_restarts_forever() {
    let server = serve(|request| hostile::no_continuation(request, 1_200_000));
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let error = download(&client(), &stored(&server, 10_000_000), &to).unwrap_err();
    assert!(
        matches!(error, FetchError::NotContinued { status: 416, .. }),
        "{error:?}"
    );
    let asked = server.take_paths().len();
    assert!(asked <= 10, "{asked} requests");
}

#[test]
fn gives_up_on_a_server_that_ignores_ranges() {
    // Each attempt receives a megabyte more than the last, so that each makes progress.
    let length = std::sync::atomic::AtomicUsize::new(0);
    let server = serve(move |_| {
        let more = 1_100_000;
        let bytes = more + length.fetch_add(more, std::sync::atomic::Ordering::SeqCst);
        let mut answer = Answer::status(200).with("ETag", "\"same\"");
        answer.body = vec![b'x'; 40_000_000];
        answer.with_fault(Fault::Truncate(bytes))
    });
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let error = download(&client(), &stored(&server, 100_000_000), &to).unwrap_err();
    assert!(matches!(error, FetchError::Truncated { .. }), "{error:?}");
    let asked = server.take_paths().len();
    assert!(asked <= 8, "{asked} requests");
}

#[test]
fn applies_the_url_time_limit_to_slow_headers() {
    let server = serve(|_| hostile::slow_head());
    let client = Client::new(Options {
        silence: Duration::from_secs(300),
        url_time: Duration::from_secs(1),
        ..options()
    })
    .unwrap();
    let start = Instant::now();
    let error = get(&client, &server.url("/a")).unwrap_err();
    assert!(
        matches!(
            error,
            FetchError::OutOfTime {
                bound: TimeBound::Url,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn counts_all_attempts_for_a_url_together() {
    let server = serve(|_| Answer::status(200).with_fault(Fault::Silence(Duration::from_secs(60))));
    let client = Client::new(Options {
        attempts: 1_000,
        url_time: Duration::from_secs(2),
        ..options()
    })
    .unwrap();
    let start = Instant::now();
    get(&client, &server.url("/a")).unwrap_err();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn extends_the_url_time_limit_for_steady_bodies() {
    let server = serve(|_| {
        Answer::text(200, "x".repeat(150)).with_fault(Fault::Drip(Duration::from_millis(20)))
    });
    let client = Client::new(Options {
        url_time: Duration::from_millis(1_000),
        least_rate: 1,
        ..options()
    })
    .unwrap();
    assert_eq!(get(&client, &server.url("/a")).unwrap().body.len(), 150);
}

#[test]
fn ends_a_visit_during_any_operation() {
    let server = serve(|request| match request.path.as_str() {
        "/head" => hostile::slow_head(),
        "/body" => {
            Answer::text(200, "x".repeat(10_000)).with_fault(Fault::Drip(Duration::from_millis(50)))
        }
        "/busy" => Answer::status(503).with("Retry-After", "100"),
        _ => Answer::text(200, "hello"),
    });
    let options = Options {
        visit_time: Duration::from_secs(1),
        silence: Duration::from_secs(300),
        grace: Duration::from_secs(300),
        longest_wait: Duration::from_secs(300),
        ..options()
    };
    for path in ["/head", "/body", "/busy"] {
        let client = Client::new(options.clone()).unwrap().for_visit();
        let start = Instant::now();
        let error = get(&client, &server.url(path)).unwrap_err();
        let is_visit = matches!(
            error,
            FetchError::OutOfTime {
                bound: TimeBound::Visit,
                ..
            }
        );
        assert!(is_visit && error.ends_visit(), "{path}: {error:?}");
        assert!(start.elapsed() < SOON, "{path}: {:?}", start.elapsed());
        // The visit sends nothing more, and another visit has its own time.
        server.take_log();
        assert!(get(&client, &server.url("/good")).unwrap_err().ends_visit());
        assert_eq!(server.take_paths(), [""; 0]);
        assert!(get(&client.for_visit(), &server.url("/good")).is_ok());
    }
}

/// A timeout of one visit must not count as an unreachable robots.txt for the next.
#[test]
fn does_not_cache_robots_txt_after_a_visit_timeout() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let slow = AtomicBool::new(true);
    let server = Server::start(move |request| match request.path.as_str() {
        "/robots.txt" if slow.swap(false, Ordering::SeqCst) => hostile::slow_head(),
        "/robots.txt" => Answer::status(404),
        _ => Answer::text(200, "hello"),
    })
    .unwrap();
    let all = Client::new(Options {
        silence: Duration::from_secs(300),
        visit_time: Duration::from_secs(1),
        ..options()
    })
    .unwrap();
    let error = get(&all.for_visit(), &server.url("/a")).unwrap_err();
    assert!(error.ends_visit(), "{error:?}");
    assert!(get(&all.for_visit(), &server.url("/a")).is_ok());
}

#[test]
fn limits_bodies_of_unknown_length_and_removes_the_part() {
    let server = serve(|_| hostile::endless_body());
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let mut request = stored(&server, 50_000_000_000);
    request.unannounced_limit = 5_000_000;
    let error = download(&client(), &request, &to).unwrap_err();
    assert!(
        matches!(
            error,
            FetchError::TooLarge {
                limit: 5_000_000,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn keeps_disk_space_free_and_removes_the_part() {
    let server = serve(|_| hostile::endless_body());
    let client = Client::new(Options {
        free_bytes: u64::MAX,
        ..options()
    })
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let error = download(&client, &stored(&server, 1 << 40), &to).unwrap_err();
    assert!(matches!(error, FetchError::DiskFull { .. }), "{error:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(client.cost().bytes < 100_000_000, "{:?}", client.cost());
}

#[test]
fn rejects_304_to_unconditional_requests() {
    let server = serve(|_| hostile::always_304());
    let error = get(&client(), &server.url("/a")).unwrap_err();
    assert!(
        matches!(error, FetchError::Unconditional304 { .. }),
        "{error:?}"
    );
    let error = client().head(&request(&server.url("/a"))).unwrap_err();
    assert_eq!(error.code(), "unconditional-304");
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let error = download(&client(), &stored(&server, 1_000), &to).unwrap_err();
    assert_eq!(error.code(), "unconditional-304");
    let permission = Client::new(options()).unwrap();
    let strange = Server::start(|_| hostile::always_304()).unwrap();
    let error = get(&permission, &strange.url("/a")).unwrap_err();
    assert!(matches!(error, FetchError::Robots { .. }), "{error:?}");
}

/// `If-Range` is not a condition that a 304 can answer: the download restarts.
#[test]
fn restarts_after_304_to_a_range_request() {
    let bytes = vec![b'x'; 100_000];
    let first = std::sync::atomic::AtomicBool::new(true);
    let server = serve(move |request| {
        if request.header("range").is_some() {
            return hostile::always_304();
        }
        let mut answer = Answer::status(200).with("ETag", "\"same\"");
        answer.body = bytes.clone();
        match first.swap(false, std::sync::atomic::Ordering::SeqCst) {
            true => answer.with_fault(Fault::Truncate(1_000)),
            false => answer,
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("here");
    let mut request = stored(&server, 1_000_000);
    request.known.etag = Some("\"older\"".to_owned());
    let done = download(&client(), &request, &to).unwrap();
    assert!(
        matches!(done, Downloaded::Complete { bytes: 100_000, .. }),
        "{done:?}"
    );
    let asked: Vec<bool> = server
        .take_log()
        .iter()
        .skip(1)
        .map(|request| request.header("range").is_some())
        .collect();
    assert_eq!(asked, [false, true, false]);
}

/// RFC 9309 §2.5.
#[test]
fn obeys_the_first_part_of_a_huge_robots_txt() {
    for gzip in [false, true] {
        let server = Server::start(move |request| match request.path.as_str() {
            "/robots.txt" => {
                let mut answer =
                    hostile::large_robots("User-agent: *\nDisallow: /private/\n", 8_000_000);
                if gzip {
                    answer.body = compressed(&answer.body);
                    answer = answer.with("Content-Encoding", "gzip");
                }
                answer
            }
            _ => Answer::text(200, "hello"),
        })
        .unwrap();
        let client = client();
        assert!(get(&client, &server.url("/a")).is_ok(), "gzip: {gzip}");
        let refused = get(&client, &server.url("/private/a")).unwrap_err();
        assert!(
            matches!(refused, FetchError::Disallowed { .. }),
            "{refused:?}"
        );
        assert!(client.cost().bytes < 2_000_000, "{:?}", client.cost());
    }
}

/// gzip with stored blocks, about as large as the text.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Without validators, or with compression on the fly, every attempt starts from the first byte.
#[test]
fn gives_up_on_a_growing_download_that_cannot_resume() {
    for (coding, etag) in [(Coding::Stored, false), (Coding::Gzip, true)] {
        let length = std::sync::atomic::AtomicUsize::new(0);
        let server = serve(move |_| {
            let more = 1_100_000;
            let bytes = more + length.fetch_add(more, std::sync::atomic::Ordering::SeqCst);
            let mut answer = Answer::status(200);
            if etag {
                answer = answer.with("ETag", "\"same\"");
            }
            answer.body = vec![b'x'; 40_000_000];
            answer.with_fault(Fault::Truncate(bytes))
        });
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("here");
        let mut request = stored(&server, 100_000_000);
        request.coding = coding;
        let error = download(&client(), &request, &to).unwrap_err();
        assert!(matches!(error, FetchError::Truncated { .. }), "{error:?}");
        let asked = server.take_paths().len();
        assert!(asked <= 8, "{coding:?}: {asked} requests");
    }
}

/// Starts a server on every loopback address.
#[cfg(target_os = "linux")]
fn serve_everywhere(
    handler: impl Fn(&sitecast_testserver::Request, u16) -> Answer + Send + Sync + 'static,
) -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::listen(listener, move |request| handler(request, port)).unwrap();
    // Keeps it running until the process ends: the caller gets only the port.
    std::mem::forget(server);
    port
}

#[cfg(target_os = "linux")]
#[test]
fn counts_robots_txt_of_redirect_targets() {
    let port = serve_everywhere(|request, port| {
        let host = request.header("host").unwrap_or_default();
        let number: u32 = host.split([':', '.']).nth(3).unwrap().parse().unwrap();
        match (request.path.as_str(), number) {
            // Takes half a second.
            ("/robots.txt", _) => {
                Answer::text(404, "x".repeat(10)).with_fault(Fault::Drip(Duration::from_millis(50)))
            }
            (_, 5) => Answer::text(200, "hello"),
            _ => Answer::redirect(format!("http://127.0.0.{}:{port}/x", number + 1)),
        }
    });
    let client = |url_time| {
        let grace = Duration::from_secs(300);
        let options = Options {
            url_time,
            grace,
            ..options()
        };
        Client::new(options).unwrap()
    };
    let url = format!("http://127.0.0.1:{port}/x");
    let error = get(&client(Duration::from_millis(1_200)), &url).unwrap_err();
    let is_over = matches!(
        error,
        FetchError::OutOfTime {
            bound: TimeBound::Url,
            ..
        }
    );
    assert!(is_over, "{error:?}");
    assert!(get(&client(Duration::from_secs(60)), &url).is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn limits_idle_connections_to_few_hosts() {
    let port = serve_everywhere(|request, _| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => Answer::text(200, "hello"),
    });
    let client = client();
    for host in 0..300 {
        let url = format!("http://127.1.{}.{}:{port}/", host / 250, host % 250 + 1);
        get(&client, &url).unwrap();
    }
    // Established connections from this process to that port.
    let open = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let to = format!(":{port:04X}");
    let open = open.lines().skip(1).filter(|line| {
        let mut words = line.split_whitespace().skip(2);
        let is_there = words.next().is_some_and(|there| there.ends_with(&to));
        is_there && words.next() == Some("01")
    });
    assert!(open.count() < 150);
}
