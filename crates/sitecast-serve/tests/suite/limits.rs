//! Limits on clients: rates, connections, sizes, time-outs.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use sitecast_serve::{ForwardedHeader, Proxies, RateLimit};

use crate::client::{Answer, Connection};
use crate::fixture::{Served, Site, eventually};

#[test]
fn too_many_requests_return_429_and_retry_after() {
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

/// hyper answers malformed requests itself, before our code sees them.
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
fn closes_connections_over_the_limit() {
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
fn closes_connections_of_one_client_over_its_limit() {
    let served = Site::published().serve_with(|options| options.limits.connections_per_client = 2);
    let mut open: Vec<_> = (0..2).map(|_| served.connect()).collect();
    for connection in &mut open {
        assert_eq!(connection.request("GET", "/", &[]).status, 200);
    }
    assert!(served.connect().is_closed());
}

#[test]
fn rejects_huge_headers() {
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
fn closes_silent_connections() {
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
fn closes_connections_that_send_requests_slowly() {
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
fn closes_connections_that_read_nothing_and_keeps_slow_readers() {
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
    // A little now and then, for three times the limit: slow, but not stalled.
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
    // The stalled client gets what was in the buffers, and no more.
    let mut got = 0;
    while let Ok(read @ 1..) = stalled.stream.read(&mut buffer) {
        got += read;
    }
    assert!(got < size, "{got}");
}

/// A connection from another address of this machine.
#[cfg(target_os = "linux")]
fn connect_from(served: &Served, host: u8) -> Connection {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::from(([127, 0, 0, host], 0)))
            .unwrap();
        let stream = socket.connect(served.server.address()).await.unwrap();
        stream.into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    Connection::over(stream)
}

#[test]
#[cfg(target_os = "linux")]
fn one_client_cannot_lock_out_the_others() {
    let served = Site::published().serve();
    let mut all: Vec<_> = (0..300).map(|_| served.connect()).collect();
    let mut open = 0;
    for connection in &mut all {
        let asked = connection.try_send(b"GET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n");
        open += usize::from(asked.is_ok() && connection.answer("GET").is_some());
    }
    // Fewer if the system has few descriptors.
    assert!((1..=256).contains(&open), "{open}");
    let answer = connect_from(&served, 2).request("GET", "/tea/llm.json", &[]);
    assert_eq!(answer.status, 200);
}

fn behind(
    proxies: &[&str],
    header: ForwardedHeader,
    change: impl FnOnce(&mut sitecast_serve::Options),
) -> Served {
    Site::published().serve_with(|options| {
        options.proxies = Proxies::new(proxies, header).unwrap();
        change(options);
    })
}

fn ask_for(served: &Served, header: (&str, &str)) -> Answer {
    served.get_with("/tea/llm.json", &[header])
}

#[test]
fn each_client_of_a_trusted_proxy_has_its_own_rate_limit() {
    let limit = |options: &mut sitecast_serve::Options| {
        options.rate_limit = Some(RateLimit {
            per_second: 0.001,
            burst: 2,
        });
    };
    let served = behind(&["127.0.0.0/8"], ForwardedHeader::XForwardedFor, limit);
    for (forwarded, status) in [
        ("192.0.2.1", 200),
        ("192.0.2.1", 200),
        ("192.0.2.1", 429),
        // Addresses that the client adds itself do not count.
        ("192.0.2.77, 192.0.2.1", 429),
        ("192.0.2.2", 200),
        ("192.0.2.3, 127.0.0.9", 200),
    ] {
        let answer = ask_for(&served, ("X-Forwarded-For", forwarded));
        assert_eq!(answer.status, status, "{forwarded}");
    }
    // The header that this proxy does not write comes from the client.
    for status in [200, 200, 429] {
        let answer = ask_for(&served, ("Forwarded", "for=192.0.2.9"));
        assert_eq!(answer.status, status);
    }
    let served = behind(&["127.0.0.1"], ForwardedHeader::Forwarded, limit);
    for (forwarded, status) in [
        ("for=192.0.2.1", 200),
        ("for=192.0.2.1", 200),
        ("for=192.0.2.9, for=\"192.0.2.1:80\"", 429),
        ("for=192.0.2.9", 200),
    ] {
        let answer = ask_for(&served, ("Forwarded", forwarded));
        assert_eq!(answer.status, status, "{forwarded}");
    }
    for trusted in [&[][..], &["192.0.2.0/24"]] {
        let served = behind(trusted, ForwardedHeader::XForwardedFor, limit);
        for (number, status) in [200, 200, 429].into_iter().enumerate() {
            let forwarded = format!("192.0.2.{number}");
            let answer = ask_for(&served, ("X-Forwarded-For", &forwarded));
            assert_eq!(answer.status, status, "{trusted:?}");
        }
    }
}

#[test]
fn connections_of_a_trusted_proxy_are_not_limited_by_its_address() {
    let few = |options: &mut sitecast_serve::Options| options.limits.connections_per_client = 2;
    let served = behind(&["127.0.0.1"], ForwardedHeader::XForwardedFor, few);
    let mut open: Vec<_> = (0..10).map(|_| served.connect()).collect();
    for connection in &mut open {
        assert_eq!(connection.request("GET", "/", &[]).status, 200);
    }
}

/// A file larger than the socket buffers, so that it stays open until its client has read it.
fn site_with_a_large_file() -> Site {
    let site = Site::published();
    let file = std::fs::File::create(site.path().join("big.bin")).unwrap();
    file.set_len(256 << 20).unwrap();
    site
}

/// Requests the large file, reads the beginning of the response, and returns its status.
fn begin_to_read(connection: &mut Connection) -> String {
    use std::io::Read;

    connection.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut first = [0; 12];
    connection.stream.read_exact(&mut first).unwrap();
    String::from_utf8_lossy(&first[9..]).into_owned()
}

#[test]
fn too_many_concurrent_files_return_503() {
    let served = site_with_a_large_file().serve_with(|options| {
        options.limits.files = 3;
        options.metrics = Some(([127, 0, 0, 1], 0).into());
    });
    let mut slow: Vec<_> = (0..3).map(|_| served.connect()).collect();
    for connection in &mut slow {
        assert_eq!(begin_to_read(connection), "200");
    }
    let refused = served.get("/style.css");
    assert_eq!(
        (refused.status, &*refused.header("retry-after")),
        (503, "1")
    );
    // Resources in memory need no file.
    assert_eq!(served.get("/sitemap.xml").status, 200);
    let metrics = served.server.metrics_address().unwrap();
    let text = Connection::open(metrics)
        .request("GET", "/metrics", &[])
        .text();
    assert!(
        text.contains("\nsitecast_refused_files_total 1\n"),
        "{text}"
    );
    slow.pop();
    eventually("there is room again", || {
        served.get("/style.css").status == 200
    });
}

#[test]
#[cfg(target_os = "linux")]
fn slow_readers_at_one_address_do_not_keep_files_from_others() {
    let served = site_with_a_large_file().serve_with(|options| {
        options.limits.files_per_client = 4;
    });
    let mut slow: Vec<_> = (0..6).map(|_| served.connect()).collect();
    let statuses: Vec<_> = slow.iter_mut().map(begin_to_read).collect();
    assert_eq!(statuses, ["200", "200", "200", "200", "503", "503"]);
    let other = connect_from(&served, 2).request("GET", "/style.css", &[]);
    assert_eq!(other.status, 200);
}
