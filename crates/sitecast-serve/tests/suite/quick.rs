//! What is answered from bytes that are ready is answered as everything else.

use crate::client::Answer;
use crate::fixture::Site;

/// A header that means nothing, and keeps a request from being answered the quick way.
const USUAL: (&str, &str) = ("X-Usual", "way");

fn sorted(answer: &Answer) -> (u16, Vec<(String, String)>, &[u8]) {
    let mut headers = answer.headers.clone();
    headers.retain(|(name, _)| name != "date");
    headers.sort();
    (answer.status, headers, &answer.body)
}

#[test]
fn the_quick_way_gives_the_same_answers() {
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
                let mut usual = headers.clone();
                usual.push(USUAL);
                let place = format!("{method} {target} {headers:?}");
                let usual = served.request(method, target, &usual);
                // Twice: now it is in memory, in this compression as well.
                let mut connection = served.connect();
                for _ in 0..2 {
                    let quick = connection.request(method, target, &headers);
                    assert_eq!(sorted(&quick), sorted(&usual), "{place}");
                    let date = quick.header("date");
                    assert!(date.ends_with(" GMT") && date.len() == 29, "{date}");
                }
            }
        }
    }
}

/// Whatever comes after whatever, in whichever pieces.
#[test]
fn the_quick_way_and_the_usual_one_take_turns_on_a_connection() {
    let served = Site::published().serve();
    let page = served.get("/tea/llm.json");
    let etag = page.header("etag");
    let quick = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let same = format!("GET /tea/llm.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: {etag}\r\n\r\n");
    let usual = "GET /tea/llm.json HTTP/1.1\r\nHost: x\r\nX-Usual: way\r\n\r\n".to_owned();
    let html = "GET /tea/ HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let orders: [&[(&String, u16)]; 4] = [
        &[
            (&quick, 200),
            (&same, 304),
            (&quick, 200),
            (&html, 200),
            (&same, 304),
        ],
        &[(&html, 200), (&quick, 200)],
        &[(&same, 304), (&usual, 200), (&same, 304), (&quick, 200)],
        &[(&quick, 200)],
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

/// More answers than are written at once, to a client that takes them late.
#[test]
fn many_requests_at_once_are_all_answered() {
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
