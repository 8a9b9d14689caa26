//! Memory under many requests, and with many idle connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::load::Load;
use crate::servers::Running;
use crate::site::{PAGE, Site};

const CONNECTIONS: usize = 10_000;

pub(crate) fn measure(site: &Site, requests: u32) {
    requests_in_a_row(site, requests);
    idle_connections(site);
}

/// Sends the requests in ten portions, and prints the memory after each.
fn requests_in_a_row(site: &Site, requests: u32) {
    let server = Running::sitecast(site, 2);
    println!("\nmemory, 2 workers: {} kB at the start", server.memory());
    let page = Load {
        path: PAGE,
        matching: None,
        threads: 1,
        connections: 64,
        seconds: 1,
    };
    let loads = [
        page,
        Load {
            matching: Some(&site.etag),
            ..page
        },
        Load {
            path: &site.collection,
            connections: 8,
            ..page
        },
    ];
    let (mut done, mut portion) = (0, 1);
    while done < u64::from(requests) {
        for load in loads {
            done += load.run(server.address, site.folder.path()).requests;
        }
        if done >= u64::from(requests) / 10 * portion {
            println!("{done:>10} requests: {:>7} kB", server.memory());
            while done >= u64::from(requests) / 10 * portion {
                portion += 1;
            }
        }
    }
}

/// Prints the memory for each idle connection, before and after one request.
fn idle_connections(site: &Site) {
    println!("\n{CONNECTIONS} idle connections, 2 workers");
    for server in [Running::sitecast(site, 2), Running::nginx(site, 2)] {
        let ask = |stream: &mut TcpStream| {
            let request = format!("HEAD /{PAGE} HTTP/1.1\r\nHost: example.com\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = [0; 15];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200 OK");
        };
        let connect = || {
            let stream = TcpStream::connect(server.address).unwrap();
            let timeout = Some(Duration::from_secs(20));
            stream.set_read_timeout(timeout).unwrap();
            stream
        };
        ask(&mut connect());
        let before = server.memory();
        let mut held: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connect()).collect();
        ask(&mut connect());
        std::thread::sleep(Duration::from_millis(500));
        let silent = server.memory();
        for stream in &mut held {
            ask(stream);
        }
        let used = server.memory();
        let each = |after: u64| after.saturating_sub(before) * 1024 / CONNECTIONS as u64;
        println!(
            "{:<14}{:>8} kB, {:>6} bytes each; after a request on each {:>8} kB, {:>6} bytes each",
            server.name,
            silent,
            each(silent),
            used,
            each(used)
        );
    }
}
