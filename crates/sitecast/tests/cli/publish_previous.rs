//! `sitecast publish --previous URL`: what a website may do to a publisher that reads from it.

use sitecast_testserver::{Answer, Server};

use crate::publish::{Site, text};

fn refused(server: &Server, arguments: &[&str]) -> (Option<i32>, String) {
    let site = Site::new(3);
    let previous = server.url("/");
    let mut all = vec!["--out", "out", "--no-cache", "--previous", &previous];
    all.extend(arguments);
    let output = site.publish(&all);
    assert!(!site.folder.path().join("out/sitemap.xml").exists());
    (output.status.code(), text(&output.stderr))
}

#[test]
fn a_private_address_is_refused_unless_permitted() {
    let server = Server::start(|_| Answer::status(404)).unwrap();
    let (code, said) = refused(&server, &[]);
    assert_eq!(code, Some(6), "{said}");
    assert!(said.contains("--allow-private"), "{said}");
    assert_eq!(server.take_paths(), [""; 0], "nothing was asked");
}

#[test]
fn a_redirect_to_another_host_is_refused() {
    let inner = Server::start(|_| Answer::text(200, "secret")).unwrap();
    let target = inner.url("/sitemap.xml").replace("127.0.0.1", "localhost");
    let server = Server::start(move |request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => Answer::redirect(target.clone()),
    })
    .unwrap();
    let (code, said) = refused(&server, &["--allow-private"]);
    assert_eq!(code, Some(6), "{said}");
    assert!(
        said.contains("redirects to another host: `localhost`"),
        "{said}"
    );
    assert_eq!(inner.take_paths(), [""; 0], "the other host was not asked");
}

#[test]
fn an_answer_that_is_no_publication_is_refused() {
    let server = Server::start(|request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => Answer::html("<!doctype html><title>Welcome</title><p>This domain is parked."),
    })
    .unwrap();
    let (code, said) = refused(&server, &["--allow-private"]);
    assert_eq!(code, Some(5), "{said}");
    assert!(said.contains("there is no publication in"), "{said}");
    assert!(said.contains("leave it out for a first"), "{said}");
}
