//! Our server next to nginx: the same files, the same number of workers, the same load (wrk), one after the
//! other and again, on the same machine.
//!
//! `cargo bench -p sitecast-serve -- [SECONDS] [ROUNDS]`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::fmt::Write as _;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use sitecast_publish::{HostKind, LinesSource, Options as PublishOptions, publish};
use sitecast_serve::{Options, Server};
use sitecast_storage::Folder;

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse::<u32>().ok());
    let seconds = numbers.next().unwrap_or(5);
    let rounds = numbers.next().unwrap_or(3);
    for program in ["nginx", "wrk"] {
        if Command::new(program).arg("-v").output().is_err() {
            println!("there is no {program} here: nothing is measured");
            return;
        }
    }
    let site = tempfile::tempdir().unwrap();
    let collection = make_site(site.path());
    let size = fs::metadata(site.path().join(&collection)).unwrap().len();
    let page = fs::metadata(site.path().join("page/llm.json"))
        .unwrap()
        .len();
    println!(
        "machine page: {page} bytes; collection: {size} bytes; {rounds} rounds of {seconds} s each, best of them"
    );
    for workers in [1, 2] {
        let store = Arc::new(Folder::new(site.path()).unwrap());
        let options = Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            workers,
            ..Options::default()
        };
        let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
        let nginx = Nginx::start(site.path(), workers);
        println!("\n{workers} worker(s), wrk with {workers} thread(s)");
        println!(
            "{:<34}{:>14}{:>14}{:>9}{:>12}{:>12}",
            "", "sitecast", "nginx", "ratio", "p99 ours", "p99 nginx"
        );
        let etag = etag(server.address());
        let script = site.path().join("match.lua");
        fs::write(
            &script,
            format!("wrk.headers[\"If-None-Match\"] = '{etag}'\n"),
        )
        .unwrap();
        let cases: [(&str, &str, bool, u32); 3] = [
            ("304 of a machine page, /s", "page/llm.json", true, 64),
            ("machine page, /s", "page/llm.json", false, 64),
            ("collection, MB/s", &collection, false, 8),
        ];
        for (name, path, matching, connections) in cases {
            let script = matching.then_some(script.as_path());
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for round in 0..rounds {
                let one = |address| wrk(address, path, workers, connections, seconds, script);
                // Not always the same one first.
                if round % 2 == 0 {
                    ours.push(one(server.address()));
                    theirs.push(one(nginx.address));
                } else {
                    theirs.push(one(nginx.address));
                    ours.push(one(server.address()));
                }
            }
            let rate = |run: &Run| {
                if name.ends_with("MB/s") {
                    run.bytes / 1e6
                } else {
                    run.requests
                }
            };
            let best = |runs: &[Run]| runs.iter().map(rate).fold(0.0, f64::max);
            let p99 = |runs: &[Run]| runs.iter().map(|run| run.p99).fold(f64::INFINITY, f64::min);
            println!(
                "{name:<34}{:>14.0}{:>14.0}{:>9.2}{:>9.2} ms{:>9.2} ms",
                best(&ours),
                best(&theirs),
                best(&ours) / best(&theirs),
                p99(&ours),
                p99(&theirs)
            );
        }
        drop(nginx);
        server.stop();
    }
}

/// A page of about 1 KB, and a collection of some 50 MB; returns the collection's path.
fn make_site(folder: &Path) -> String {
    let mut lines = String::new();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let page = |lines: &mut String, path: &str, text: &str| {
        let _ = writeln!(
            lines,
            "{{\"url\":\"https://example.com/{path}\",\"title\":\"A page\",\"description\":\"\",\
             \"modified\":\"2026-01-15T10:00:00Z\",\"language\":\"en\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}"
        );
    };
    page(&mut lines, "page/", &"What this page says. ".repeat(38));
    // Text that hardly compresses: 102 pages of 960 kB in hexadecimal digits.
    for number in 0..102 {
        let mut text = String::with_capacity(960_000);
        while text.len() < 960_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let _ = write!(text, "{state:016x} ");
        }
        page(&mut lines, &format!("large/{number}/"), &text);
    }
    let mut options = PublishOptions::new("https://example.com/".parse().unwrap());
    options.artefacts.hosts = vec![HostKind::Nginx];
    options.compressions = vec![sitecast_scp::Compression::Gzip];
    let source = LinesSource::spooled("lines", lines.as_bytes(), options.limits.clone()).unwrap();
    let store = Folder::new(folder).unwrap();
    let now = "2026-01-15T12:00:00Z".parse().unwrap();
    publish(&source, &store, None, &options, now, &()).unwrap();
    let file = fs::read_dir(folder.join("scp"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    format!("scp/{}", file.file_name().to_str().unwrap())
}

struct Nginx {
    child: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Nginx {
    fn start(root: &Path, workers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let (here, root) = (folder.path().display(), root.display());
        let config = format!(
            "daemon off; user root; worker_processes {workers}; error_log stderr crit; pid {here}/pid;\n\
             events {{ worker_connections 4096; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;\n\
             open_file_cache max=1000; include /etc/nginx/mime.types;\n\
             client_body_temp_path {here}/a; proxy_temp_path {here}/b; fastcgi_temp_path {here}/c;\n\
             uwsgi_temp_path {here}/d; scgi_temp_path {here}/e;\n\
             server {{ listen {address} reuseport; root {root}; include {root}/sitecast.nginx.conf; }} }}"
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, config).unwrap();
        let child = Command::new("nginx")
            .args(["-p", ".", "-c", path.to_str().unwrap()])
            .current_dir(folder.path())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        for _ in 0..200 {
            if TcpStream::connect(address).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Self {
            child,
            address,
            _folder: folder,
        }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The signal that lets the master end its workers.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &pid]).status();
        let _ = self.child.wait();
    }
}

fn etag(address: SocketAddr) -> String {
    use std::io::{Read, Write};
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(b"HEAD /page/llm.json HTTP/1.0\r\nHost: x\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("etag: "))
        .unwrap();
    line.trim().to_owned()
}

struct Run {
    requests: f64,
    bytes: f64,
    p99: f64,
}

fn wrk(
    address: SocketAddr,
    path: &str,
    threads: usize,
    connections: u32,
    seconds: u32,
    script: Option<&Path>,
) -> Run {
    let mut command = Command::new("wrk");
    command.args([
        "--latency",
        "-t",
        &threads.to_string(),
        "-c",
        &connections.to_string(),
        "-d",
        &format!("{seconds}s"),
    ]);
    if let Some(script) = script {
        command.arg("-s").arg(script);
    }
    let output = command
        .arg(format!("http://{address}/{path}"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("Non-2xx"), "{text}");
    let value = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(name))
            .unwrap_or_else(|| panic!("{text}"));
        line.split_whitespace().last().unwrap().to_owned()
    };
    let scaled = |text: &str, units: &[(&str, f64)]| {
        let (unit, factor) = units.iter().find(|(unit, _)| text.ends_with(unit)).unwrap();
        text.strip_suffix(unit).unwrap().parse::<f64>().unwrap() * factor
    };
    Run {
        requests: value("Requests/sec:").parse().unwrap(),
        bytes: scaled(
            &value("Transfer/sec:"),
            &[
                ("GB", 1_073_741_824.0),
                ("MB", 1_048_576.0),
                ("KB", 1_024.0),
                ("B", 1.0),
            ],
        ),
        p99: scaled(
            &value("99%"),
            &[("us", 0.001), ("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0)],
        ),
    }
}
