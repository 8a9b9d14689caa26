//! The servers that are compared, each a process of its own.

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

/// A server that runs; ended when it is dropped.
pub(crate) struct Running {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    child: Child,
    _folder: Option<tempfile::TempDir>,
}

impl Running {
    /// Ours.
    pub(crate) fn sitecast(site: &Site, workers: usize) -> Self {
        let root = site.folder.path().to_str().unwrap();
        Self::this("sitecast", &["serve", root, &workers.to_string()])
    }

    /// hyper alone, which sends the page from memory to whoever asks for anything: what our server is built on can
    /// do no more.
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

    /// nginx as fast as it gets: `sendfile`, no log, descriptors of files kept open, a socket for each worker.
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

    /// Its processes.
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

    /// Seconds of processor time that it has used.
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
        // The kernel's unit for user space is a hundredth of a second.
        ticks as f64 / 100.0
    }

    /// Kilobytes of memory that it has for itself.
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
        // The signal that lets nginx's master end its workers.
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &pid]).status();
        let _ = self.child.wait();
    }
}

/// The process that is our server: `FOLDER WORKERS`.
pub(crate) fn sitecast(arguments: &[String]) {
    let store = Arc::new(Folder::new(&arguments[0]).unwrap());
    let mut options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: arguments[1].parse().unwrap(),
        ..Options::default()
    };
    // All that is measured comes from one address.
    options.limits.connections_per_client = 0;
    options.limits.files_per_client = 0;
    let server = Server::start(store, options, None, Arc::new(|_| {})).unwrap();
    println!("{}", server.address());
    loop {
        std::thread::park();
    }
}

/// The process that is hyper alone: `FOLDER WORKERS`.
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

/// A body that is all there.
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
