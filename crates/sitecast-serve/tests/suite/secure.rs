//! HTTPS and HTTP/2.

use std::path::PathBuf;
use std::sync::Arc;

use hyper::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use sitecast_serve::TlsFiles;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::fixture::{Served, Site};

fn files() -> TlsFiles {
    files_named("")
}

/// The files that replace them.
fn next_files() -> TlsFiles {
    files_named("next-")
}

fn files_named(prefix: &str) -> TlsFiles {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    TlsFiles {
        certificate: folder.join(format!("{prefix}certificate.pem")),
        key: folder.join(format!("{prefix}key.pem")),
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

async fn secure(served: &Served, protocol: &[u8]) -> tokio_rustls::client::TlsStream<TcpStream> {
    secure_by(served, protocol, &files()).await.unwrap()
}

/// A connection that trusts this certificate only.
async fn secure_by(
    served: &Served,
    protocol: &[u8],
    files: &TlsFiles,
) -> std::io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(&files.certificate).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(served.server.address()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

type Nothing = http_body_of_hyper::Empty;

/// An empty body, which saves another dependency.
mod http_body_of_hyper {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use hyper::body::{Body, Bytes, Frame};

    #[derive(Default)]
    pub(crate) struct Empty;

    impl Body for Empty {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(None)
        }

        fn is_end_stream(&self) -> bool {
            true
        }
    }
}

async fn body(mut incoming: hyper::body::Incoming) -> Vec<u8> {
    use hyper::body::Body;
    let mut bytes = Vec::new();
    while let Some(frame) =
        std::future::poll_fn(|context| std::pin::Pin::new(&mut incoming).poll_frame(context)).await
    {
        if let Ok(data) = frame.unwrap().into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    bytes
}

/// Starts an HTTP/2 connection.
async fn http_2<S>(stream: S) -> hyper::client::conn::http2::SendRequest<Nothing>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(stream);
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream);
    let (sender, connection) = handshake.await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn two<S>(served: &Served, stream: S, scheme: &str)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let mut sender = http_2(stream).await;
    let request = |method: &str, target: &str, header: Option<(&str, &str)>| {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{scheme}://localhost{target}"));
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        request.body(Nothing::default()).unwrap()
    };
    let response = sender
        .send_request(request("GET", "/tea/llm.json", None))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let etag = response.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(etag, format!("\"{}\"", served_hash(served)));
    let mut full = response.headers().clone();
    full.remove("date");
    let bytes = body(response.into_body()).await;
    assert_eq!(
        bytes,
        std::fs::read(served.site.path().join("tea/llm.json")).unwrap()
    );
    let matched = request("GET", "/tea/llm.json", Some(("if-none-match", &etag)));
    let response = sender.send_request(matched).await.unwrap();
    assert_eq!(response.status(), 304);
    for name in ["etag", "cache-control", "vary", "link", "last-modified"] {
        assert_eq!(response.headers()[name], full[name], "{name}");
    }
    assert!(body(response.into_body()).await.is_empty());
    let response = sender
        .send_request(request("HEAD", "/tea/llm.json", None))
        .await
        .unwrap();
    let mut head = response.headers().clone();
    head.remove("date");
    assert_eq!(head, full);
    assert_eq!(head["content-length"], bytes.len().to_string());
    assert!(body(response.into_body()).await.is_empty());
    // Concurrent requests, one for a large file.
    let large = sender.send_request(request("GET", "/big.bin", None));
    let small: Vec<_> = (0..50)
        .map(|_| sender.clone().send_request(request("GET", "/", None)))
        .collect();
    let large = tokio::spawn(large);
    for response in small {
        assert_eq!(response.await.unwrap().status(), 200);
    }
    let large = body(large.await.unwrap().unwrap().into_body()).await;
    assert!(large == vec![7; 5 << 20]);
}

fn served_hash(served: &Served) -> String {
    let text = std::fs::read(served.site.path().join("tea/llm.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    json["hash"].as_str().unwrap().to_owned()
}

fn site() -> Site {
    let site = Site::published();
    std::fs::write(site.path().join("big.bin"), vec![7; 5 << 20]).unwrap();
    site
}

/// TCT, MUST 5: HEAD and 304 are the same with HTTP/2.
#[test]
fn serves_http_2_with_and_without_tls() {
    let plain = site().serve();
    run(async {
        let stream = TcpStream::connect(plain.server.address()).await.unwrap();
        two(&plain, stream, "http").await;
    });
    let tls = site().serve_with(|options| options.tls = Some(files()));
    run(async {
        let stream = secure(&tls, b"h2").await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        two(&tls, stream, "https").await;
    });
}

#[test]
fn serves_http_1_1_with_tls() {
    let served = site().serve_with(|options| options.tls = Some(files()));
    run(async {
        let stream = secure(&served, b"http/1.1").await;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake::<_, Nothing>(TokioIo::new(stream))
                .await
                .unwrap();
        tokio::spawn(connection);
        let request = Request::get("/big.bin")
            .header("host", "localhost")
            .body(Nothing::default())
            .unwrap();
        // Twice from memory, then something else.
        let expected = std::fs::read(served.site.path().join("tea/llm.json")).unwrap();
        for _ in 0..3 {
            let request = Request::get("/tea/llm.json")
                .header("host", "localhost")
                .body(Nothing::default())
                .unwrap();
            let response = sender.send_request(request).await.unwrap();
            assert_eq!(body(response.into_body()).await, expected);
        }
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(body(response.into_body()).await == vec![7; 5 << 20]);
    });
    served.server.reload().unwrap();
}

#[test]
fn closes_clients_that_do_not_finish_the_tls_handshake() {
    use std::io::Read;
    use std::time::{Duration, Instant};

    let served = site().serve_with(|options| {
        options.tls = Some(files());
        options.limits.idle = Duration::from_millis(400);
    });
    let started = Instant::now();
    let mut silent = std::net::TcpStream::connect(served.server.address()).unwrap();
    assert!(matches!(silent.read(&mut [0; 10]), Ok(0) | Err(_)));
    assert!(started.elapsed() < Duration::from_secs(5));
    let patient = site().serve_with(|options| options.tls = Some(files()));
    let _silent = std::net::TcpStream::connect(patient.server.address()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    assert!(patient.server.stop());
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn names_the_file_of_an_invalid_certificate() {
    let site = Site::published();
    let store = Arc::new(sitecast_storage::Folder::new(site.path()).unwrap());
    let mut options = crate::fixture::test_options();
    options.tls = Some(TlsFiles {
        certificate: files().key,
        key: files().key,
    });
    let error = sitecast_serve::Server::start(store, options, None, Arc::new(|_| {}));
    let message = error.err().unwrap().to_string();
    assert!(message.contains("key.pem` for HTTPS"), "{message}");
}

#[test]
fn reloads_certificates_and_keeps_the_old_one_if_the_new_is_invalid() {
    let folder = tempfile::tempdir().unwrap();
    let used = TlsFiles {
        certificate: folder.path().join("certificate.pem"),
        key: folder.path().join("key.pem"),
    };
    let put = |files: &TlsFiles| {
        std::fs::copy(&files.certificate, &used.certificate).unwrap();
        std::fs::copy(&files.key, &used.key).unwrap();
    };
    put(&files());
    let served = site().serve_with(|options| options.tls = Some(used.clone()));
    let has = |files: &TlsFiles| run(secure_by(&served, b"h2", files)).is_ok();
    assert!(has(&files()) && !has(&next_files()));
    put(&next_files());
    assert!(has(&files()), "it is not told yet");
    served.server.reload().unwrap();
    assert!(has(&next_files()) && !has(&files()));
    // A certificate with another one's key, and no certificate at all.
    std::fs::copy(files().key, &used.key).unwrap();
    assert!(served.server.reload().is_err());
    assert!(has(&next_files()));
    std::fs::write(&used.certificate, "rubbish").unwrap();
    assert!(served.server.reload().is_err());
    assert!(has(&next_files()));
}

/// The status must be the same in both versions of HTTP.
#[test]
fn http_2_has_ranges_conditions_tokens_and_limits() {
    let site = site();
    let served = site.serve_with(|options| {
        options.protected = vec![sitecast_serve::ProtectedPrefix::new("/members/", ["open"])];
        options.rate_limit = Some(sitecast_serve::RateLimit {
            per_second: 0.001,
            burst: 8,
        });
    });
    run(async {
        let stream = TcpStream::connect(served.server.address()).await.unwrap();
        let mut sender = http_2(stream).await;
        for (target, header, status, told) in [
            ("/big.bin", ("range", "bytes=5-9"), 206, "content-range"),
            ("/big.bin", ("range", "bytes=0-0,9-"), 206, "content-type"),
            (
                "/big.bin",
                ("range", "bytes=99999999-"),
                416,
                "content-range",
            ),
            ("/tea/llm.json", ("if-match", "\"x\""), 412, "ratelimit"),
            ("/members/club/", ("accept", "*/*"), 401, "www-authenticate"),
            (
                "/llm-sitemap.json",
                ("accept", "*/*"),
                401,
                "www-authenticate",
            ),
            (
                "/members/club/",
                ("authorization", "Bearer open"),
                200,
                "etag",
            ),
            ("/nothing", ("accept", "*/*"), 404, "cache-control"),
            ("/", ("accept", "*/*"), 429, "retry-after"),
        ] {
            let request = Request::get(format!("http://localhost{target}"))
                .header(header.0, header.1)
                .body(Nothing::default())
                .unwrap();
            let response = sender.send_request(request).await.unwrap();
            assert_eq!(response.status(), status, "{target} {header:?}");
            let told = response.headers().get(told);
            assert!(told.is_some(), "{target} {header:?}");
            let length = &response.headers()["content-length"];
            let length: usize = length.to_str().unwrap().parse().unwrap();
            assert_eq!(body(response.into_body()).await.len(), length, "{target}");
        }
    });
}

/// A paused video while its viewer reads on: the client sends more bytes than it receives, but is not idle.
#[test]
fn keeps_http_2_connections_open_while_requests_arrive() {
    use std::time::{Duration, Instant};

    let served = site().serve_with(|options| {
        options.limits.idle = Duration::from_millis(400);
        options.limits.stalled = Duration::from_millis(400);
    });
    run(async {
        let stream = TcpStream::connect(served.server.address()).await.unwrap();
        let mut sender = http_2(stream).await;
        let get = |target: &str| Request::get(format!("http://localhost{target}"));
        let film = get("/big.bin").body(Nothing::default()).unwrap();
        let film = sender.send_request(film).await.unwrap();
        let started = Instant::now();
        let mut number = 0;
        while started.elapsed() < Duration::from_secs(2) {
            number += 1;
            let request = get("/tea/llm.json")
                .header("if-none-match", "*")
                // A different one each time, so that HPACK cannot shorten it.
                .header("x-long", format!("{number}").repeat(100))
                .body(Nothing::default())
                .unwrap();
            assert_eq!(sender.send_request(request).await.unwrap().status(), 304);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(body(film.into_body()).await == vec![7; 5 << 20]);
    });
}

/// RFC 9113 §8.3.1.
#[test]
fn http_2_requests_must_name_one_valid_host() {
    let served = site().serve();
    run(async {
        let stream = TcpStream::connect(served.server.address()).await.unwrap();
        let mut sender = http_2(stream).await;
        for (authority, host, status) in [
            ("localhost", None, 200),
            ("localhost", Some("LOCALHOST:80"), 200),
            ("localhost", Some("other.example"), 400),
            ("localhost", Some("a b/\\@c"), 400),
            ("user@localhost", None, 400),
        ] {
            let mut request = Request::get(format!("http://{authority}/tea/llm.json"));
            if let Some(host) = host {
                request = request.header("host", host);
            }
            let request = request.body(Nothing::default()).unwrap();
            let response = sender.send_request(request).await.unwrap();
            assert_eq!(response.status(), status, "{authority} {host:?}");
        }
    });
}
