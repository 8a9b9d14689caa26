//! Operation: shutdown, metrics, the access log.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sitecast_serve::{ForwardedHeader, LogFormat, Proxies, Server};
use sitecast_storage::Folder;

use crate::client::Connection;
use crate::fixture::{Site, eventually, test_options};

#[test]
fn finishes_running_downloads_before_stopping() {
    let site = Site::published();
    let size = 32 << 20;
    std::fs::write(site.path().join("big.bin"), vec![7; size]).unwrap();
    let served = site.serve();
    let address = served.server.address();
    let mut idle = served.connect();
    assert_eq!(idle.request("GET", "/", &[]).status, 200);
    let mut download = served.connect();
    download.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut first = [0; 1000];
    download.stream.read_exact(&mut first).unwrap();
    let stopping = std::thread::spawn(move || {
        let ended = served.server.stop();
        (ended, served.site)
    });
    eventually("no more connections are taken", || {
        std::net::TcpStream::connect(address).is_err()
    });
    assert!(idle.is_closed());
    std::thread::sleep(Duration::from_millis(200));
    assert!(!stopping.is_finished());
    let mut rest = Vec::new();
    download.stream.read_to_end(&mut rest).unwrap();
    assert!(first.len() + rest.len() > size);
    assert!(stopping.join().unwrap().0);
}

#[test]
fn cuts_off_downloads_that_outlast_the_shutdown_time() {
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 64 << 20]).unwrap();
    let served = site.serve_with(|options| options.shutdown = Duration::from_millis(300));
    let mut download = served.connect();
    download.send(b"GET /big.bin HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut first = [0; 1000];
    download.stream.read_exact(&mut first).unwrap();
    assert!(!served.server.stop());
}

#[test]
fn metrics_count_requests_by_kind_agent_and_status() {
    let served = Site::published().serve_with(|options| {
        options.metrics = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    });
    let agent = ("User-Agent", "Mozilla/5.0 (compatible; GPTBot/1.2)");
    let answer = served.get_with("/tea/llm.json", &[agent]);
    let etag = answer.header("etag");
    served.get_with("/tea/llm.json", &[agent, ("If-None-Match", &etag)]);
    served.get("/nothing");
    served.get(&served.collection("snapshot", ".gz"));
    // Not available on the public address.
    assert_eq!(served.get("/metrics").status, 404);
    let address = served.server.metrics_address().unwrap();
    let metrics = || {
        let answer = Connection::open(address).request("GET", "/metrics", &[]);
        assert!(
            answer
                .header("content-type")
                .starts_with("text/plain; version=0.0.4")
        );
        answer.text()
    };
    let text = metrics();
    for line in [
        "sitecast_requests_total{kind=\"machine-page\",agent=\"GPTBot\",status=\"200\"} 1",
        "sitecast_requests_total{kind=\"machine-page\",agent=\"GPTBot\",status=\"304\"} 1",
        "sitecast_requests_total{kind=\"none\",agent=\"other\",status=\"404\"} 2",
        "sitecast_requests_total{kind=\"collection\",agent=\"other\",status=\"200\"} 1",
        "sitecast_not_modified_total 1",
        "sitecast_pages 6",
        "sitecast_collections 2",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    eventually("all bodies are counted", || {
        let text = metrics();
        let sent = text
            .lines()
            .find_map(|line| line.strip_prefix("sitecast_sent_bytes_total "));
        sent.unwrap().parse::<usize>().unwrap() >= answer.body.len()
    });
    let health = Connection::open(address).request("GET", "/healthz", &[]);
    assert_eq!(health.json()["status"], "ok");
    assert_eq!(served.get("/healthz").json()["pages"], 6);
}

/// A writer whose content can be inspected.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(format: LogFormat) -> Vec<String> {
    let site = Site::published();
    let log = Shared::default();
    let store = Arc::new(Folder::new(site.path()).unwrap());
    let out: Box<dyn Write + Send> = Box::new(log.clone());
    let server =
        Server::start(store, test_options(), Some((format, out)), Arc::new(|_| {})).unwrap();
    let mut connection = Connection::open(server.address());
    connection.request(
        "GET",
        "/tea/llm.json?a=b",
        &[
            ("User-Agent", "a \"b\" c"),
            ("Referer", "https://r.example/"),
        ],
    );
    connection.request("HEAD", "/nothing", &[]);
    drop(connection);
    // A request that cannot be parsed.
    let mut connection = Connection::open(server.address());
    connection.send(b"GET /a b c HTTP/1.1\r\n\r\n");
    assert_eq!(connection.answer("GET").unwrap().status, 400);
    assert!(connection.is_closed());
    assert!(server.stop());
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn access_log_is_json_or_common_log_format() {
    let lines = logged(LogFormat::Json);
    assert_eq!(lines.len(), 3);
    let first: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(first["method"], "GET");
    assert_eq!(first["target"], "/tea/llm.json?a=b");
    assert_eq!(first["status"], 200);
    assert_eq!(first["kind"], "machine-page");
    assert_eq!(first["agent"], "a \"b\" c");
    assert_eq!(first["client"], "127.0.0.1");
    assert!(first["bytes"].as_u64().unwrap() > 100);
    let second: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!(
        (&second["status"], &second["bytes"]),
        (&404.into(), &0.into())
    );
    let third: serde_json::Value = serde_json::from_str(&lines[2]).unwrap();
    assert_eq!(
        (&third["status"], &third["method"], &third["client"]),
        (&400.into(), &"-".into(), &"127.0.0.1".into())
    );

    let lines = logged(LogFormat::Common);
    assert!(lines[0].starts_with("127.0.0.1 - - ["), "{}", lines[0]);
    assert!(lines[0].contains("\"GET /tea/llm.json?a=b HTTP/1.1\" 200 "));
    assert!(
        lines[0].ends_with("\"https://r.example/\" \"a \\x22b\\x22 c\""),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].ends_with("\"HEAD /nothing HTTP/1.1\" 404 0 \"-\" \"-\""),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].ends_with("] \"-\" 400 0 \"-\" \"-\""),
        "{}",
        lines[2]
    );
}

/// Also if the other process is a server of ours, which could share the address: the two would take turns.
#[test]
fn rejects_an_address_in_use() {
    let served = Site::published().serve();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for address in [taken.local_addr().unwrap(), served.server.address()] {
        let mut options = test_options();
        options.listen = address;
        let store = Arc::new(Folder::new(served.site.path()).unwrap());
        let error = Server::start(store, options, None, Arc::new(|_| {}))
            .err()
            .unwrap();
        let expected = format!("cannot listen on `{address}`");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn access_log_names_the_client_of_trusted_proxies_only() {
    for (trusted, expected) in [("127.0.0.1", "192.0.2.1"), ("192.0.2.0/24", "127.0.0.1")] {
        let site = Site::published();
        let log = Shared::default();
        let store = Arc::new(Folder::new(site.path()).unwrap());
        let mut options = test_options();
        options.proxies = Proxies::new(&[trusted], ForwardedHeader::default()).unwrap();
        let out: Box<dyn Write + Send> = Box::new(log.clone());
        let log_to = Some((LogFormat::Common, out));
        let server = Server::start(store, options, log_to, Arc::new(|_| {})).unwrap();
        let forwarded = ("X-Forwarded-For", "192.0.2.1");
        Connection::open(server.address()).request("GET", "/tea/llm.json", &[forwarded]);
        assert!(server.stop());
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        assert!(text.starts_with(&format!("{expected} - - [")), "{text}");
    }
}
