use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Answer, Request};

/// A site whose links redirect to one host each. All hosts are loopback addresses of this server, which must listen on all
/// addresses. The site itself is `127.0.0.1`.
#[derive(Debug, Clone)]
pub struct ManyHosts {
    /// The port of all hosts.
    pub port: u16,
    /// The number of hosts that links redirect to.
    pub hosts: usize,
    /// Rules in the robots.txt of each host, which is small on the wire.
    pub rules: usize,
}

impl ManyHosts {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let host = request.header("host").unwrap_or_default();
        let is_site = host.starts_with("127.0.0.1:");
        if request.path == "/robots.txt" && !is_site {
            return self.robots();
        }
        let number = request.path.strip_prefix("/p").map(str::parse::<usize>);
        let text =
            "Everything that is worth knowing is written down here, in sentences of some length. ";
        match (request.path.as_str(), number) {
            (_, Some(Ok(n))) if is_site => {
                let (third, fourth) = (n / 250, n % 250 + 1);
                Answer::redirect(format!("http://127.1.{third}.{fourth}:{}/a", self.port))
            }
            ("/" | "/a", _) => {
                let links = (0..self.hosts).map(|n| format!("<a href=/p{n}>{n}</a> "));
                let links = links.collect::<String>();
                Answer::html(format!(
                    "<!DOCTYPE html><html lang=en><title>Home</title><main><h1>Home</h1><p>{}</p></main>{links}",
                    text.repeat(5)
                ))
            }
            _ => Answer::status(404),
        }
    }

    fn robots(&self) -> Answer {
        let rules = (0..self.rules).map(|n| format!("Disallow: /{n}\n"));
        let text = format!("User-agent: *\n{}", rules.collect::<String>());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        // Writing into memory does not fail.
        let _ = encoder.write_all(text.as_bytes());
        let mut answer = Answer::text(200, "").with("Content-Encoding", "gzip");
        answer.body = encoder.finish().unwrap_or_default();
        answer
    }
}
