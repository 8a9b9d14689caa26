//! The compared servers, each in its own process.

use std::convert::Infallible;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hyper::Response;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use sitecast_serve::{Options, Server};
use sitecast_storage::Folder;

use crate::site::{PAGE, Site};

/// A running server, stopped when dropped.
pub(crate) struct Running {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    child: Child,
    _folder: Option<tempfile::TempDir>,
}

impl Running {
    /// Our server.
    pub(crate) fn sitecast(site: &Site, workers: usize) -> Self {
        let root = site.folder.path().to_str().unwrap();
        Self::this("sitecast", &["serve", root, &workers.to_string()])
    }

    /// hyper alone, which sends the page from memory for every request: an upper bound for our server.
    pub(crate) fn hyper(site: &Site, workers: usize) -> Self {
        let root = site.folder.path().to_str().unwrap();
        Self::this("hyper alone", &["hyper", root, &workers.to_string()])
    }

    fn this(name: &'static str, arguments: &[&str]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self {
            name,
            address: line.trim().parse().unwrap(),
            child,
            _folder: None,
        }
    }

    /// nginx at its fastest: `sendfile`, no log, cached descriptors, a socket for each worker.
    pub(crate) fn nginx(site: &Site, workers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        let (here, root) = (folder.path().display(), site.folder.path().display());
        let config = format!(
            "daemon off; user root; worker_processes {workers}; worker_rlimit_nofile 20000;\n\
             error_log stderr crit; pid {here}/pid;\n\
             events {{ worker_connections 16384; }}\n\
             http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;\n\
             open_file_cache max=1000; include /etc/nginx/mime.types;\n\
             client_body_temp_path {here}/a; proxy_temp_path {here}/b; fastcgi_temp_path {here}/c;\n\
             uwsgi_temp_path {here}/d; scgi_temp_path {here}/e;\n\
             server {{ listen {address} reuseport; root {root}; include {root}/sitecast.nginx.conf; }} }}"
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, config).unwrap();
        drop(free);
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
            name: "nginx",
            address,
            child,
            _folder: Some(folder),
        }
    }

    /// Returns the ids of its processes.
    fn processes(&self) -> Vec<u32> {
        let own = self.child.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
        let children = children.unwrap_or_default();
        let mut all: Vec<u32> = children
            .split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect();
        all.push(own);
        all
    }

    /// Returns the processor time used, in seconds.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let ticks: u64 = self
            .processes()
            .iter()
            .filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok())
            .map(|stat| {
                let (_, fields) = stat.rsplit_once(") ").unwrap();
                let fields: Vec<&str> = fields.split(' ').collect();
                fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
            })
            .sum();
        // USER_HZ is 100.
        ticks as f64 / 100.0
    }

    /// Returns the anonymous memory, in kilobytes.
    pub(crate) fn memory(&self) -> u64 {
        self.processes()
            .iter()
            .filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/status")).ok())
            .filter_map(|status| {
                let line = status
                    .lines()
                    .find_map(|line| line.strip_prefix("RssAnon:"))?;
                line.trim().trim_end_matches(" kB").parse::<u64>().ok()
            })
            .sum()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SIGQUIT makes nginx's master stop its workers.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &pid]).status();
        let _ = self.child.wait();
    }
}

/// Main function of the process with our server: `FOLDER WORKERS`.
pub(crate) fn sitecast(arguments: &[String]) {
    let store = Arc::new(Folder::new(&arguments[0]).unwrap());
    let mut options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: arguments[1].parse().unwrap(),
        ..Options::default()
    };
    // All load comes from one address.
    options.limits.connections_per_client = 0;
    options.limits.files_per_client = 0;
    let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
    println!("{}", server.address());
    loop {
        std::thread::park();
    }
}

/// Main function of the process with hyper alone: `FOLDER WORKERS`.
pub(crate) fn hyper(arguments: &[String]) {
    let page = fs::read(Path::new(&arguments[0]).join(PAGE)).unwrap();
    let page = hyper::body::Bytes::from(page);
    let workers: usize = arguments[1].parse().unwrap();
    let mut address = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut threads = Vec::new();
    for _ in 0..workers {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let inside = runtime.enter();
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_reuseport(true).unwrap();
        socket.bind(address).unwrap();
        let listener = socket.listen(1_024).unwrap();
        address = listener.local_addr().unwrap();
        drop(inside);
        let page = page.clone();
        threads.push(std::thread::spawn(move || {
            runtime.block_on(async move {
                loop {
                    let (stream, _) = listener.accept().await.unwrap();
                    stream.set_nodelay(true).unwrap();
                    let page = page.clone();
                    let service = service_fn(move |_| {
                        let answer = Response::new(Whole(Some(page.clone())));
                        async { Ok::<_, Infallible>(answer) }
                    });
                    tokio::spawn(
                        hyper::server::conn::http1::Builder::new()
                            .serve_connection(TokioIo::new(stream), service),
                    );
                }
            });
        }));
    }
    println!("{address}");
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A body in memory.
struct Whole(Option<hyper::body::Bytes>);

impl hyper::body::Body for Whole {
    type Data = hyper::body::Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Self::Data>, Infallible>>> {
        std::task::Poll::Ready(
            self.0
                .take()
                .map(|bytes| Ok(hyper::body::Frame::data(bytes))),
        )
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }
}
