use std::io::Read;

use sitecast_storage::{Store, StoreError, StorePath};
use sitecast_testserver::{Answer, Fault, Server};

use super::Website;

const LARGEST: u64 = 1_000;

fn path(text: &str) -> StorePath {
    text.parse().unwrap()
}

fn serve(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        asked => answer(asked),
    })
    .unwrap()
}

fn website(server: &Server) -> Website {
    Website::open(&server.url("/site/"), true, LARGEST).unwrap()
}

fn failure(store: &Website, name: &str) -> String {
    store.get(&path(name)).err().unwrap().to_string()
}

#[test]
fn reads_a_file_as_it_is_served() {
    let server = serve(|asked| match asked {
        "/site/100%25%20%231%3F/a%20b.json" => Answer::text(200, "small").with("ETag", "\"x\""),
        "/site/gone.xml" => Answer::status(410),
        _ => Answer::status(404),
    });
    let store = website(&server);
    let mut object = store.get(&path("100% #1?/a b.json")).unwrap().unwrap();
    let mut text = String::new();
    object.reader.read_to_string(&mut text).unwrap();
    assert_eq!(
        (text.as_str(), object.size, object.tag.0.as_str()),
        ("small", 5, "\"x\"")
    );
    assert!(store.get(&path("gone.xml")).unwrap().is_none());
    assert!(store.get(&path("nothing/here")).unwrap().is_none());
    let asked = server.take_log();
    let coding = asked.last().and_then(|last| last.header("accept-encoding"));
    assert_eq!(coding, Some("identity"));
}

#[test]
fn only_a_missing_file_is_missing() {
    for status in [204, 304, 403] {
        let server = serve(move |_| Answer::status(status));
        let message = failure(&website(&server), "a b.scp");
        assert!(message.contains(&status.to_string()), "{message}");
        assert!(message.contains("/site/a%20b.scp"), "{message}");
    }
}

/// A server that was taken over, or a name that was bound anew, must not make the publisher ask other machines.
#[test]
fn follows_no_redirect_to_another_host() {
    let inner = serve(|_| Answer::text(200, "secret"));
    let other = inner.url("/secret").replace("127.0.0.1", "localhost");
    let port = inner.url("/secret");
    for target in [other, port] {
        let server = serve(move |_| Answer::redirect(target.clone()));
        let message = failure(&website(&server), "sitemap.xml");
        assert!(message.contains("redirects to another host"), "{message}");
    }
    assert_eq!(
        inner.take_paths(),
        [""; 0],
        "the other server was not asked"
    );
    // On the same host a redirect is followed.
    let server = serve(|asked| match asked {
        "/site/sitemap.xml" => Answer::redirect("/site/other.xml"),
        _ => Answer::text(200, "here"),
    });
    assert!(
        website(&server)
            .get(&path("sitemap.xml"))
            .unwrap()
            .is_some()
    );
}

#[test]
fn private_addresses_need_permission() {
    let server = serve(|_| Answer::text(200, "secret"));
    let by_name = server.url("/site/").replace("127.0.0.1", "localhost");
    for location in [server.url("/site/"), by_name] {
        let store = Website::open(&location, false, LARGEST).unwrap();
        let message = failure(&store, "sitemap.xml");
        assert!(message.contains("not a public address"), "{message}");
        assert!(message.contains("--allow-private"), "{message}");
    }
    assert_eq!(server.take_paths(), [""; 0], "nothing was asked");
}

#[test]
fn a_file_larger_than_the_limit_is_an_error() {
    let server = serve(|_| Answer::text(200, "x".repeat(2_000)));
    let store = website(&server);
    let message = failure(&store, "scp/all-snapshot-20250601T120000Z.scp.zst");
    assert!(message.contains("larger than 1000 bytes"), "{message}");
    assert!(store.get(&path("sitemap.xml")).unwrap().is_some());
}

#[test]
fn a_file_that_breaks_off_is_an_error() {
    let server = serve(|_| Answer::text(200, "x".repeat(900)).with_fault(Fault::Truncate(100)));
    let mut options = website(&server).client.options().clone();
    options.attempts = 1;
    let store = Website {
        client: sitecast_fetch::Client::new(options).unwrap(),
        ..website(&server)
    };
    let message = failure(&store, "sitemap.xml");
    assert!(message.contains("broke off"), "{message}");
}

#[test]
fn no_password_is_shown() {
    let store = Website::open("http://me:secret@127.0.0.1:1/site", false, LARGEST).unwrap();
    assert_eq!(store.name(), "http://127.0.0.1:1/site");
    let message = failure(&store, "sitemap.xml");
    assert!(
        !message.contains("secret") && !message.contains("me:"),
        "{message}"
    );
}

#[test]
fn refuses_to_write() {
    let store = Website::open("https://example.com/site", false, LARGEST).unwrap();
    let refused = |error: StoreError| {
        assert!(matches!(error, StoreError::ReadOnly(name) if name == store.name()));
    };
    refused(store.delete(&path("a")).unwrap_err());
    refused(store.lock().err().unwrap());
    refused(store.scratch().unwrap_err());
    assert!(store.list(None).is_err());
    assert!(Website::open("https://example.com/?a", false, LARGEST).is_err());
}
