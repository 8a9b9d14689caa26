//! Signal handling. A separate test binary, because handlers apply to the whole process.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use sitecast_serve::{Options, Server, TlsFiles};
use sitecast_storage::Folder;

fn send(name: &str) {
    let own = std::process::id().to_string();
    let status = Command::new("kill").args([name, &own]).status().unwrap();
    assert!(status.success());
}

#[test]
fn keeps_a_stop_signal_that_arrives_during_a_reload() {
    let (site, keys) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let given = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls");
    for file in ["certificate.pem", "key.pem"] {
        fs::copy(given.join(file), keys.path().join(file)).unwrap();
    }
    let options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: 1,
        tls: Some(TlsFiles {
            certificate: keys.path().join("certificate.pem"),
            key: keys.path().join("key.pem"),
        }),
        ..Options::default()
    };
    let store = Arc::new(Folder::new(site.path()).unwrap());
    let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
    let server = server.handle_signals().unwrap();
    // Makes the reload fail, so that the callback runs in the middle of it.
    fs::write(keys.path().join("certificate.pem"), "rubbish").unwrap();
    let (told, is_told) = channel();
    let (ended, has_ended) = channel();
    std::thread::spawn(move || {
        let stopped = server.run(&|_| {
            send("-TERM");
            let _ = told.send(());
        });
        let _ = ended.send(stopped.unwrap());
    });
    send("-HUP");
    is_told.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(has_ended.recv_timeout(Duration::from_secs(20)), Ok(true));
}
