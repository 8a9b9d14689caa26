//! HTTP/2 clients that write frames by hand.

use std::io::Read;
use std::time::{Duration, Instant};

use crate::client::Connection;
use crate::fixture::{Served, Site};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;

/// A frame (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend_from_slice(&[kind, flags]);
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}

/// The client requests a large file, keeps its window at zero, and keeps the connection busy with PINGs.
#[test]
fn closes_http_2_connections_that_read_nothing() {
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 5 << 20]).unwrap();
    let served = site.serve_with(|options| {
        options.limits.idle = Duration::from_millis(400);
        options.limits.stalled = Duration::from_millis(400);
    });
    let mut connection = served.connect();
    connection.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    // SETTINGS_INITIAL_WINDOW_SIZE = 0.
    connection.send(&frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]));
    // GET, http, and two literals, the host and the path (RFC 7541, appendix A).
    let mut headers = vec![0x82, 0x86, 0x41, 1, b'x', 0x44, 8];
    headers.extend_from_slice(b"/big.bin");
    connection.send(&frame(HEADERS, 0x5, 1, &headers));
    let started = Instant::now();
    let ping = frame(PING, 0, 0, b"are you?");
    while started.elapsed() < Duration::from_secs(10) {
        // Reads the PING responses, so that they do not block the connection.
        if connection.try_send(&ping).is_err() || connection.try_read() == Some(0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it is still there");
}

/// Opens an HTTP/2 connection.
fn begin(served: &Served, settings: &[u8]) -> Connection {
    let mut connection = served.connect();
    connection.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    connection.send(&frame(SETTINGS, 0, 0, settings));
    connection
}

/// A request for a file: GET, http, and two literals, the host and the path (RFC 7541, appendix A).
fn request(stream: u32, path: &str) -> Vec<u8> {
    let mut headers = vec![0x82, 0x86, 0x41, 1, b'x', 0x44];
    headers.push(u8::try_from(path.len()).unwrap());
    headers.extend_from_slice(path.as_bytes());
    frame(HEADERS, 0x5, stream, &headers)
}

/// Each frame costs work, and most get a response. Without a limit a client could continue forever.
#[test]
fn closes_connections_that_flood_frames_without_requests() {
    let served = Site::published().serve();
    for (name, flood) in [
        ("PING", frame(PING, 0, 0, b"are you?")),
        ("SETTINGS", frame(SETTINGS, 0, 0, &[])),
        (
            "SETTINGS with values",
            frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 64, 0]),
        ),
        ("PRIORITY", frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 7])),
        ("an unknown kind", frame(0x42, 0, 0, b"nobody knows")),
    ] {
        let mut connection = begin(&served, &[]);
        let flood = flood.repeat(100);
        let mut sent = 0;
        while sent < 16 << 20 {
            // Reads the responses, so that they do not block the flood.
            while let Some(1..) = connection.try_read() {}
            if connection.try_send(&flood).is_err() || connection.try_read() == Some(0) {
                break;
            }
            sent += flood.len();
        }
        assert!(sent < 8 << 20, "{name}: {sent} bytes");
        assert_eq!(served.get("/tea/llm.json").status, 200);
    }
}

/// More acknowledgement than any client sends: two window updates and a PING for each frame.
#[test]
fn does_not_mistake_long_downloads_for_floods() {
    let site = Site::published();
    let size = 64 << 20;
    let file = std::fs::File::create(site.path().join("big.bin")).unwrap();
    file.set_len(size).unwrap();
    let served = site.serve();
    let mut connection = begin(&served, &[]);
    connection.send(&request(1, "/big.bin"));
    let mut left = size;
    let mut said = 0;
    while left > 0 {
        let mut head = [0; 9];
        connection.stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        connection.stream.read_exact(&mut payload).unwrap();
        if head[3] == DATA && length > 0 {
            left -= u64::from(length);
            let mut answer = Vec::new();
            for stream in [0, 1] {
                answer.extend(frame(WINDOW_UPDATE, 0, stream, &length.to_be_bytes()));
            }
            answer.extend(frame(PING, 0, 0, b"are you?"));
            said += answer.len();
            if left > 0 {
                connection.send(&answer);
            }
        }
    }
    assert!(said > 128 << 10, "{said}");
}

#[test]
fn does_not_mistake_frames_between_requests_for_a_flood() {
    let served = Site::published().serve();
    let mut connection = begin(&served, &[]);
    let started = Instant::now();
    for number in 0..300 {
        let mut all = request(2 * number + 1, "/nothing");
        all.extend(frame(PING, 0, 0, b"are you?").repeat(50));
        connection.send(&all);
        // Until the response is complete.
        loop {
            let mut head = [0; 9];
            connection.stream.read_exact(&mut head).unwrap();
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
            let mut payload = vec![0; length as usize];
            connection.stream.read_exact(&mut payload).unwrap();
            if head[3] == DATA && head[4] & 1 == 1 {
                break;
            }
        }
    }
    assert!(started.elapsed() < Duration::from_secs(60));
}
