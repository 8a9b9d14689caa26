//! The HTTP/1.1 server.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{Answer, Fault};

/// A server that runs until it is dropped.
pub struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Vec<Request>>>,
    stopped: Arc<AtomicBool>,
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method, such as `GET`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The headers in their order.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// Returns the first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

type Handler = dyn Fn(&Request) -> Answer + Send + Sync;

impl Server {
    /// Starts a server on a free port of 127.0.0.1.
    pub fn start(handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        Self::listen(listener, handler)
    }

    /// Starts a server on a listener, for handlers that need to know the port.
    pub fn listen(
        listener: TcpListener,
        handler: impl Fn(&Request) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let handler: Arc<Handler> = Arc::new(handler);
        thread::spawn({
            let (log, stopped) = (Arc::clone(&log), Arc::clone(&stopped));
            move || {
                for stream in listener.incoming() {
                    if stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    let Ok(stream) = stream else { continue };
                    let (log, handler) = (Arc::clone(&log), Arc::clone(&handler));
                    thread::spawn(move || {
                        // Connection errors are ignored: clients may close a connection at any time.
                        let _ = serve_connection(stream, &log, &*handler);
                    });
                }
            }
        });
        Ok(Self {
            address,
            log,
            stopped,
        })
    }

    /// Returns the URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests since the last call.
    pub fn take_log(&self) -> Vec<Request> {
        std::mem::take(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the paths of the requests since the last call.
    pub fn take_paths(&self) -> Vec<String> {
        self.take_log()
            .into_iter()
            .map(|request| request.path)
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread in `accept`, so that it sees the flag.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_millis(100));
    }
}

fn serve_connection(
    stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    handler: &Handler,
) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_request(&mut reader)? {
        log.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        let answer = handler(&request);
        if !write_answer(&mut writer, &request, &answer)? {
            break;
        }
    }
    Ok(())
}

fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.take(64 << 10).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (method, path) = (words.next(), words.next());
    let mut request = Request {
        method: method.unwrap_or_default().to_owned(),
        path: path.unwrap_or_default().to_owned(),
        headers: Vec::new(),
    };
    loop {
        let mut line = String::new();
        reader.take(64 << 10).read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some(request));
        }
        if let Some((name, value)) = line.split_once(':') {
            request
                .headers
                .push((name.to_owned(), value.trim().to_owned()));
        }
    }
}

/// Writes a response. Returns true if the connection stays open.
fn write_answer(out: &mut TcpStream, request: &Request, answer: &Answer) -> io::Result<bool> {
    let length = answer.body.len();
    let mut head = format!("HTTP/1.1 {} Status\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.fault {
        Fault::Close => return Ok(false),
        Fault::Silence(time) => {
            thread::sleep(time);
            return Ok(false);
        }
        Fault::NoLength => head.push_str("Connection: close\r\n"),
        Fault::Endless => head.push_str("Transfer-Encoding: chunked\r\n"),
        _ if answer.status == 304 => {}
        _ => head.push_str(&format!("Content-Length: {length}\r\n")),
    }
    head.push_str("\r\n");
    if let Fault::DripHeaders(time) = answer.fault {
        for byte in head.as_bytes() {
            out.write_all(&[*byte])?;
            thread::sleep(time);
        }
    } else {
        out.write_all(head.as_bytes())?;
    }
    if request.method == "HEAD" || answer.status == 304 {
        return Ok(true);
    }
    match answer.fault {
        Fault::Truncate(bytes) => {
            out.write_all(answer.body.get(..bytes).unwrap_or(&answer.body))?;
            Ok(false)
        }
        Fault::Drip(time) => {
            for byte in &answer.body {
                out.write_all(&[*byte])?;
                thread::sleep(time);
            }
            Ok(true)
        }
        Fault::Endless => loop {
            out.write_all(b"400\r\n")?;
            out.write_all(&[b'x'; 1024])?;
            out.write_all(b"\r\n")?;
        },
        fault => {
            out.write_all(&answer.body)?;
            Ok(fault != Fault::NoLength)
        }
    }
}
