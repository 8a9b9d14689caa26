//! The fast path sends the same responses as the normal path.

use crate::client::Answer;
use crate::fixture::Site;

/// A header without a meaning, which keeps a request off the fast path.
const NORMAL: (&str, &str) = ("X-Normal", "path");

fn sorted(answer: &Answer) -> (u16, Vec<(String, String)>, &[u8]) {
    let mut headers = answer.headers.clone();
    headers.retain(|(name, _)| name != "date");
    headers.sort();
    (answer.status, headers, &answer.body)
}

#[test]
fn fast_path_returns_the_same_responses() {
    let served = Site::published().serve();
    for target in [
        "/tea/llm.json",
        "/llm.json",
        "/plain.html.llm.json",
        "/llm-sitemap.json",
        "/.well-known/llm-sitemap.json",
        "/llm-policy.json",
        "/sitemap.xml",
        "/robots.txt",
        "/tea/",
        "/nothing",
        "/nothing/llm.json",
    ] {
        let etag = served.get(target).get("etag").unwrap_or_default();
        let list = format!("\"x\", {etag}");
        let weak = format!("W/{etag}");
        for headers in [
            vec![],
            vec![("If-None-Match", etag.as_str())],
            vec![("If-None-Match", list.as_str())],
            vec![("If-None-Match", weak.as_str())],
            vec![("If-None-Match", "*")],
            vec![("If-None-Match", "\"other\"")],
            vec![
                ("If-None-Match", etag.as_str()),
                ("If-Modified-Since", "Mon, 01 Jan 2024 00:00:00 GMT"),
            ],
            vec![("Accept-Encoding", "gzip, zstd")],
            vec![("Accept-Encoding", "gzip")],
            vec![("Accept-Encoding", "identity;q=0, gzip;q=0.5")],
            vec![("Accept-Encoding", "br")],
            vec![("Accept", "*/*"), ("User-Agent", "GPTBot/1.2")],
        ] {
            for method in ["GET", "HEAD"] {
                let mut normal = headers.clone();
                normal.push(NORMAL);
                let place = format!("{method} {target} {headers:?}");
                let normal = served.request(method, target, &normal);
                // Twice: the second time the response is cached in this coding.
                let mut connection = served.connect();
                for _ in 0..2 {
                    let fast = connection.request(method, target, &headers);
                    assert_eq!(sorted(&fast), sorted(&normal), "{place}");
                    let date = fast.header("date");
                    assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
                }
            }
        }
    }
}

/// In any order, and split anywhere.
#[test]
fn fast_and_normal_path_alternate_on_a_connection() {
    let served = Site::published().serve();
    let page = served.get("/tea/llm.json");
    let etag = page.header("etag");
    let fast = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let same = format!("GET /tea/llm.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: {etag}\r\n\r\n");
    let normal = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\nX-Normal: path\r\n\r\n".to_owned();
    let html = "GET /tea/ HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let orders: [&[(&String, u16)]; 4] = [
        &[
            (&fast, 200),
            (&same, 304),
            (&fast, 200),
            (&html, 200),
            (&same, 304),
        ],
        &[(&html, 200), (&fast, 200)],
        &[(&same, 304), (&normal, 200), (&same, 304), (&fast, 200)],
        &[(&fast, 200)],
    ];
    for order in orders {
        let all: String = order.iter().map(|(text, _)| text.as_str()).collect();
        for size in [1, 7, 50, all.len()] {
            let mut connection = served.connect();
            connection.stream.set_nodelay(true).unwrap();
            for piece in all.as_bytes().chunks(size) {
                connection.send(piece);
                if size < all.len() && size > 1 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
            for (text, status) in order {
                let answer = connection.answer("GET").unwrap();
                assert_eq!(answer.status, *status, "{text}");
                if text.contains("llm.json") && *status == 200 {
                    assert_eq!(answer.body, page.body);
                }
            }
        }
    }
}

/// More responses than are written at once, to a client that reads late.
#[test]
fn answers_all_pipelined_requests_to_a_slow_reader() {
    let served = Site::published().serve();
    let page = served.get("/tea/llm.json").body;
    let one = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut connection = served.connect();
    let mut writer = connection.stream.try_clone().unwrap();
    let sender = std::thread::spawn(move || {
        use std::io::Write;
        writer.write_all(one.repeat(20_000).as_bytes()).unwrap();
    });
    std::thread::sleep(std::time::Duration::from_millis(300));
    for _ in 0..20_000 {
        assert_eq!(connection.answer("GET").unwrap().body, page);
    }
    sender.join().unwrap();
}
