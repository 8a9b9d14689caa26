//! Malformed and unusual requests: none crashes the server, hangs it, or reads a file outside of the folder.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::fixture::{Served, Site};

/// Content of a file outside of the root, which no response may contain.
const SECRET: &str = "what-nobody-may-see";

/// A pseudorandom generator with a fixed seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn one_of<'a>(&mut self, choices: &[&'a [u8]]) -> &'a [u8] {
        choices[self.roll(choices.len())]
    }
}

/// Builds a request from unusual pieces.
fn odd_request(dice: &mut Dice, secret: &str) -> Vec<u8> {
    let methods: [&[u8]; 12] = [
        b"GET", b"GET", b"GET", b"HEAD", b"POST", b"get", b"G\0T", b"", b"OPTIONS", b"CONNECT",
        b"PRI", b"GET GET",
    ];
    let up = format!("/../{secret}");
    let escaped = format!("/%2e%2e/{secret}");
    let double = format!("/%252e%252e/{secret}");
    let slashes = format!("/..%2f..%2f{secret}");
    let backslash = format!("/..\\{secret}");
    let overlong = format!("/%c0%ae%c0%ae/{secret}");
    let fullwidth = format!("/\u{ff0e}\u{ff0e}/{secret}");
    let link = "/outside/secret.txt".to_owned();
    let null = format!("/tea/llm.json%00/../../{secret}");
    let absolute = format!("http://example.com/../{secret}");
    let long = format!("/{}", "a/".repeat(20_000));
    let dots = format!("/{}{secret}", "../".repeat(50));
    let targets: Vec<&[u8]> = vec![
        up.as_bytes(),
        escaped.as_bytes(),
        double.as_bytes(),
        slashes.as_bytes(),
        backslash.as_bytes(),
        overlong.as_bytes(),
        fullwidth.as_bytes(),
        link.as_bytes(),
        null.as_bytes(),
        absolute.as_bytes(),
        long.as_bytes(),
        dots.as_bytes(),
        b"/",
        b"*",
        b"",
        b"/tea/llm.json",
        b"/big.bin",
        b"/sitemap.xml",
        b"/%",
        b"/%zz",
        b"/\xff\xfe",
        b"/\0",
        b"/a b",
        b"/tea/\r\nX: y",
        b"/?\xf0\x9f\x98\x80",
        b"/#x",
        b"//",
        b"///etc/passwd",
        b"/.",
        b"/tea/.",
        b"/%E0%A4%A",
        b"/tea//llm.json",
        b"http://",
        b"ftp://x/",
        b"/COM1",
        b"/tea/llm.json/",
        b"/scp/",
        b"/.sitecast-tmp/",
        b"/:",
        b"/~root",
        b"/$(id)",
        b"/{}",
    ];
    let versions: [&[u8]; 8] = [
        b"HTTP/1.1",
        b"HTTP/1.1",
        b"HTTP/1.1",
        b"HTTP/1.0",
        b"HTTP/0.9",
        b"HTTP/2.0",
        b"HTTP/9.9",
        b"",
    ];
    let big = format!("X-Big: {}", "y".repeat(100_000));
    let many_ranges = format!("Range: bytes={}", "0-0,".repeat(2_000));
    let many_tags = format!("If-None-Match: {}", "\"a\",".repeat(2_000));
    let headers: Vec<&[u8]> = vec![
        b"Host: x",
        b"Host: x",
        b"Host:",
        b"Host: a\r\nHost: b",
        b"Range: bytes=0-",
        b"Range: bytes=-1",
        b"Range: bytes=5-1",
        b"Range: bytes=99999999999999999999-",
        b"Range: bytes=0-0,1-1,2-2,-1",
        b"Range: bytes=--1",
        b"Range: octets=1",
        b"Range: bytes=0-1\r\nRange: bytes=2-3",
        many_ranges.as_bytes(),
        many_tags.as_bytes(),
        b"If-None-Match: *",
        b"If-None-Match: W/\"",
        b"If-Match: \"\xff\"",
        b"If-Modified-Since: Thu, 99 Foo 2099 99:99:99 GMT",
        b"If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT",
        b"If-Range: \"x\"",
        b"Accept-Encoding: gzip;q=9, *;q=x",
        b"Accept-Encoding: identity;q=0",
        b"Accept-Encoding: \xff",
        b"Authorization: Bearer \xff",
        b"Expect: 100-continue",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5",
        b"Content-Length: -1",
        b"Content-Length: 99999999999999999999",
        b"Content-Length: 3\r\nContent-Length: 4",
        b"Connection: close",
        b"Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
        b"User-Agent: \xf0\x9f\x98\x80",
        b"X\0Y: z",
        b"No colon",
        b" folded",
        b": empty",
        big.as_bytes(),
        b"Upgrade: websocket",
    ];
    let mut request = Vec::new();
    request.extend_from_slice(dice.one_of(&methods));
    request.push(b' ');
    request.extend_from_slice(dice.one_of(&targets));
    request.push(b' ');
    request.extend_from_slice(dice.one_of(&versions));
    let line: &[u8] = if dice.roll(20) == 0 { b"\n" } else { b"\r\n" };
    request.extend_from_slice(line);
    for _ in 0..dice.roll(5) {
        request.extend_from_slice(dice.one_of(&headers));
        request.extend_from_slice(line);
    }
    match dice.roll(12) {
        // Truncated.
        0 => request.truncate(dice.roll(request.len().max(1))),
        1 => {}
        _ => request.extend_from_slice(line),
    }
    request
}

/// Longer than any time-out of the server, even on a busy machine.
const HANGS: Duration = Duration::from_secs(10);

/// Sends the bytes, and reads until the server closes the connection.
fn exchange(served: &Served, bytes: &[u8], half_closed: bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(served.server.address()).unwrap();
    stream.set_read_timeout(Some(HANGS)).unwrap();
    stream.set_write_timeout(Some(HANGS)).unwrap();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    if half_closed {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return answer,
            Ok(read) => answer.extend_from_slice(&buffer[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("it hangs: {:?}", String::from_utf8_lossy(bytes));
            }
            // A reset, because the server did not read everything.
            Err(_) => return answer,
        }
    }
}

#[test]
fn survives_a_thousand_malformed_requests_without_leaks() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret.txt"), SECRET).unwrap();
    let site = Site::published();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), site.path().join("outside")).unwrap();
    // Beside the root, where `..` would find it.
    let name = format!(
        "{}/secret.txt",
        folder.path().file_name().unwrap().to_str().unwrap()
    );
    std::fs::write(site.path().join("big.bin"), vec![b'.'; 1 << 20]).unwrap();
    let served = site.serve_with(|options| {
        options.limits.idle = Duration::from_millis(500);
        options.limits.stalled = Duration::from_millis(500);
    });
    let started = Instant::now();
    let served = &served;
    let name = name.as_str();
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            scope.spawn(move || {
                let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ (thread + 1));
                for number in 0..130 {
                    let mut bytes = odd_request(&mut dice, name);
                    // Pipelined: several on one connection.
                    for _ in 0..dice.roll(3) {
                        bytes.extend_from_slice(&odd_request(&mut dice, name));
                    }
                    let answer = exchange(served, &bytes, dice.roll(2) == 0);
                    let found = answer
                        .windows(SECRET.len())
                        .any(|part| part == SECRET.as_bytes());
                    assert!(
                        !found,
                        "{thread}/{number}: {:?}",
                        String::from_utf8_lossy(&bytes)
                    );
                    assert!(
                        answer.is_empty()
                            || answer.starts_with(b"HTTP/1.")
                            || answer.starts_with(b"\0\0"),
                        "{:?}",
                        String::from_utf8_lossy(&answer)
                    );
                }
            });
        }
    });
    assert!(started.elapsed() < Duration::from_secs(400));
    let answer = served.get("/tea/llm.json");
    assert_eq!(answer.status, 200);
    let etag = answer.header("etag");
    assert_eq!(
        served
            .get_with("/tea/llm.json", &[("If-None-Match", &etag)])
            .status,
        304
    );
}

#[test]
fn answers_pipelined_requests_in_order() {
    let served = Site::published().serve();
    let mut connection = served.connect();
    let one = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n";
    let two = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n";
    let three = "HEAD /llm.json HTTP/1.1\r\nHost: x\r\n\r\n";
    connection.send(format!("{one}{two}{three}{one}").repeat(50).as_bytes());
    for _ in 0..50 {
        for (method, status) in [("GET", 200), ("GET", 404), ("HEAD", 200), ("GET", 200)] {
            assert_eq!(connection.answer(method).unwrap().status, status);
        }
    }
}

#[test]
fn answers_a_half_closed_client() {
    let served = Site::published().serve();
    let answer = exchange(&served, b"GET /tea/ HTTP/1.1\r\nHost: x\r\n\r\n", true);
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(answer.ends_with(b"</html>"));
}

/// RFC 9112 §3.2.
#[test]
fn request_without_exactly_one_valid_host_must_be_refused() {
    let served = Site::published().serve();
    let target = "http://user@example.com/ HTTP/1.1\r\nHost: example.com";
    let user = format!("GET {target}\r\n\r\n");
    // For the fast path, for hyper, and with another fault.
    let invalid = [
        "GET /tea/llm.json HTTP/1.1",
        "GET /tea/ HTTP/1.1",
        "GET / HTTP/1.0",
        "POST / HTTP/1.1",
    ]
    .map(|line| format!("{line}\r\nHost: a b/\\@c\r\n\r\n"));
    let [first, second, third, fourth] = &invalid;
    for (request, status) in [
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
        (first, "400"),
        (second, "400"),
        (third, "400"),
        (fourth, "400"),
        (&user, "400"),
        ("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "200"),
        ("GET / HTTP/1.0\r\n\r\n", "200"),
        (
            "GET http://example.com/tea/llm.json HTTP/1.1\r\nHost: example.com\r\n\r\n",
            "200",
        ),
    ] {
        let answer = exchange(&served, request.as_bytes(), true);
        let first = String::from_utf8_lossy(&answer[..12]).into_owned();
        assert!(first.ends_with(status), "{request:?}: {first}");
    }
}

#[test]
fn ignores_unexpected_request_bodies() {
    let served = Site::published().serve();
    let mut connection = served.connect();
    connection.send(b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(connection.answer("GET").unwrap().status, 200);
    let second = connection.answer("GET");
    assert!(second.is_none_or(|answer| answer.status == 200));
}
