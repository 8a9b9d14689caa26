//! What clients cannot do.

use std::time::{Duration, Instant};

use sitecast_serve::RateLimit;

use crate::client::Connection;
use crate::fixture::{Site, eventually};

#[test]
fn too_many_requests_are_answered_with_429_and_when_to_come_back() {
    let served = Site::published().serve_with(|options| {
        options.rate_limit = Some(RateLimit {
            per_second: 0.5,
            burst: 3,
        });
    });
    let mut connection = served.connect();
    for left in [2, 1, 0] {
        let answer = connection.request("GET", "/tea/llm.json", &[]);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=3;w=6");
        assert!(
            answer
                .header("ratelimit")
                .starts_with(&format!("\"client\";r={left};t="))
        );
    }
    let refused = connection.request("GET", "/tea/llm.json", &[]);
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), "2");
    assert!(refused.header("ratelimit").starts_with("\"client\";r=0;"));
    std::thread::sleep(Duration::from_millis(2_100));
    assert_eq!(connection.request("GET", "/tea/llm.json", &[]).status, 200);
}

/// hyper answers them itself, before anything of ours sees them.
#[test]
fn requests_that_the_parser_refuses_count_against_the_rate_limit() {
    let served = Site::published().serve_with(|options| {
        options.rate_limit = Some(RateLimit {
            per_second: 0.001,
            burst: 4,
        });
        options.metrics = Some(([127, 0, 0, 1], 0).into());
    });
    let large = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n",
        "y".repeat(40_000)
    );
    for (request, status) in [
        ("GET /a b c HTTP/1.1\r\n\r\n", 400),
        ("\x16\x03\x01 no request\r\n\r\n", 400),
        (&large, 431),
        ("GET / HTTP/1.1\r\nbad header\r\n\r\n", 400),
    ] {
        let mut connection = served.connect();
        connection.send(request.as_bytes());
        let answer = connection.answer("GET").unwrap();
        assert_eq!(answer.status, status, "{request}");
        assert!(connection.is_closed());
    }
    let metrics = served.server.metrics_address().unwrap();
    eventually("all are counted", || {
        let text = Connection::open(metrics)
            .request("GET", "/metrics", &[])
            .text();
        text.contains("{kind=\"none\",agent=\"other\",status=\"400\"} 4\n")
    });
    assert_eq!(served.get("/tea/llm.json").status, 429);
}

#[test]
fn more_connections_than_allowed_are_closed() {
    let served = Site::published().serve_with(|options| options.limits.connections = 3);
    let mut open: Vec<_> = (0..3).map(|_| served.connect()).collect();
    for connection in &mut open {
        assert_eq!(connection.request("GET", "/", &[]).status, 200);
    }
    assert!(served.connect().is_closed());
    open.pop();
    eventually("there is room again", || {
        let mut connection = served.connect();
        connection.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        connection.answer("GET").is_some()
    });
}

#[test]
fn more_connections_of_one_client_than_allowed_are_closed() {
    let served = Site::published().serve_with(|options| options.limits.connections_per_client = 2);
    let mut open: Vec<_> = (0..2).map(|_| served.connect()).collect();
    for connection in &mut open {
        assert_eq!(connection.request("GET", "/", &[]).status, 200);
    }
    assert!(served.connect().is_closed());
}

#[test]
fn huge_headers_are_refused() {
    let served = Site::published().serve_with(|options| {
        options.limits.header_bytes = 16 << 10;
        options.limits.headers = 50;
    });
    let large = "x".repeat(20_000);
    let answer = served.get_with("/", &[("X-Large", &large)]);
    assert_eq!(answer.status, 431);
    let many: Vec<(String, &str)> = (0..60).map(|n| (format!("X-{n}"), "y")).collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    assert_eq!(served.get_with("/", &many).status, 431);
    assert_eq!(served.get_with("/", &many[..20]).status, 200);
}

#[test]
fn clients_that_say_nothing_are_let_go() {
    let served = Site::published().serve_with(|options| {
        options.limits.idle = Duration::from_millis(400);
    });
    let started = Instant::now();
    let mut silent = served.connect();
    assert!(silent.is_closed());
    let mut once = served.connect();
    assert_eq!(once.request("GET", "/", &[]).status, 200);
    assert!(once.is_closed());
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn clients_that_send_a_byte_at_a_time_are_let_go() {
    use std::io::Write;

    let served = Site::published().serve_with(|options| {
        options.limits.idle = Duration::from_millis(400);
    });
    let started = Instant::now();
    let mut slow = served.connect();
    slow.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    let cut_off = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(25));
        slow.stream.write_all(b"x").is_err()
    });
    assert!(cut_off, "it went on for {:?}", started.elapsed());
}

#[test]
fn clients_that_take_nothing_are_let_go_and_slow_ones_are_not() {
    use std::io::Read;

    let site = Site::published();
    let size = 64 << 20;
    std::fs::write(site.path().join("big.bin"), vec![7; size]).unwrap();
    let served = site.serve_with(|options| {
        options.limits.stalled = Duration::from_millis(1_000);
        options.limits.idle = Duration::from_millis(1_000);
    });
    let mut stalled = served.connect();
    stalled.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut slow = served.connect();
    slow.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    // A little now and then, for three times the limit: that is slow, but it is alive.
    let mut buffer = vec![0; 2 << 20];
    let mut taken = 0;
    for _ in 0..60 {
        std::thread::sleep(Duration::from_millis(50));
        taken += slow.stream.read(&mut buffer).unwrap();
    }
    loop {
        match slow.stream.read(&mut buffer).unwrap() {
            0 => break,
            read => taken += read,
        }
        if taken > size {
            break;
        }
    }
    assert!(taken > size, "{taken}");
    // The other one gets what was under way, and no more.
    let mut got = 0;
    while let Ok(read @ 1..) = stalled.stream.read(&mut buffer) {
        got += read;
    }
    assert!(got < size, "{got}");
}

/// Pieces of HTTP/2: RFC 9113, section 4.1.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// It asks for something large, allows not a byte of it to be sent, and keeps the connection busy.
#[test]
fn a_client_of_http_2_that_takes_nothing_is_let_go_whatever_else_it_sends() {
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 5 << 20]).unwrap();
    let served = site.serve_with(|options| {
        options.limits.idle = Duration::from_millis(400);
        options.limits.stalled = Duration::from_millis(400);
    });
    let mut connection = served.connect();
    connection.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    // SETTINGS_INITIAL_WINDOW_SIZE: nothing.
    connection.send(&frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
    // GET, http, and two literals: the host and the path (RFC 7541, appendix A).
    let mut headers = vec![0x82, 0x86, 0x41, 1, b'x', 0x44, 8];
    headers.extend_from_slice(b"/big.bin");
    connection.send(&frame(HEADERS, 0x5, 1, &headers));
    let started = Instant::now();
    let ping = frame(PING, 0, 0, b"are you?");
    while started.elapsed() < Duration::from_secs(10) {
        // The answers are read, too, so that it is not by them that the connection is stuck.
        if connection.try_send(&ping).is_err() || connection.try_read() == Some(0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it is still there");
}
