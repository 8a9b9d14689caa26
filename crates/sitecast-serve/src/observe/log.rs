//! The access log: one line for each request, written when the response ends.

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use hyper::Version;
use hyper::header::{HeaderValue, REFERER, USER_AGENT};
use hyper::http::request::Parts as RequestParts;
use hyper::http::uri::PathAndQuery;
use sitecast_sitemap::Date;

use super::Kind;
use super::metrics::Metrics;

/// The format of the access log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// The Combined Log Format: the Common Log Format followed by referrer and user agent.
    Common,
}

/// Lines that may wait to be written. Further ones are dropped and counted: a slow disk must not stop the server.
const MAX_QUEUED_LINES: usize = 8_192;
/// Bytes of a client's text that are logged.
const MAX_TEXT_BYTES: usize = 1_024;

/// The method, target and version of a request that could not be parsed.
const UNKNOWN: &str = "-";

/// A sender to the thread that writes lines.
#[derive(Debug, Clone)]
pub(crate) struct AccessLog {
    format: LogFormat,
    lines: SyncSender<String>,
    metrics: Arc<Metrics>,
}

impl AccessLog {
    /// Starts the thread, which ends when the last sender is dropped.
    pub(crate) fn start(
        format: LogFormat,
        mut out: Box<dyn Write + Send>,
        metrics: &Arc<Metrics>,
    ) -> std::io::Result<(Self, std::thread::JoinHandle<()>)> {
        let (lines, receiver) = sync_channel::<String>(MAX_QUEUED_LINES);
        let thread = std::thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || write_all(&receiver, &mut *out))?;
        let log = Self {
            format,
            lines,
            metrics: Arc::clone(metrics),
        };
        Ok((log, thread))
    }
}

fn write_all(lines: &Receiver<String>, out: &mut dyn Write) {
    let mut dirty = false;
    loop {
        match lines.recv_timeout(Duration::from_millis(200)) {
            Ok(line) => {
                // The reader of a pipe may be closed; the server continues without a log.
                let _ = out.write_all(line.as_bytes());
                dirty = true;
            }
            Err(RecvTimeoutError::Timeout) => {
                if dirty {
                    let _ = out.flush();
                    dirty = false;
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let _ = out.flush();
                return;
            }
        }
    }
}

/// A line of the log: a request and its response.
#[derive(Debug)]
pub(crate) struct Record {
    log: AccessLog,
    started: Instant,
    client: IpAddr,
    method: String,
    target: String,
    version: &'static str,
    status: u16,
    kind: Kind,
    agent: Option<String>,
    referrer: Option<String>,
}

/// The request's part of a line.
pub(crate) struct RequestInfo<'r> {
    pub(crate) client: IpAddr,
    pub(crate) method: &'r str,
    pub(crate) target: &'r str,
    pub(crate) version: &'static str,
    pub(crate) agent: Option<&'r [u8]>,
    pub(crate) referrer: Option<&'r [u8]>,
}

impl<'r> RequestInfo<'r> {
    pub(crate) fn of(client: IpAddr, request: &'r RequestParts) -> Self {
        let value = |name| request.headers.get(name).map(HeaderValue::as_bytes);
        Self {
            client,
            method: request.method.as_str(),
            target: request
                .uri
                .path_and_query()
                .map_or_else(|| request.uri.path(), PathAndQuery::as_str),
            version: match request.version {
                Version::HTTP_10 => "HTTP/1.0",
                Version::HTTP_11 => "HTTP/1.1",
                _ => "HTTP/2.0",
            },
            agent: value(USER_AGENT),
            referrer: value(REFERER),
        }
    }

    /// A request that could not be parsed.
    pub(crate) fn unparsed(client: IpAddr) -> Self {
        Self {
            client,
            method: UNKNOWN,
            target: UNKNOWN,
            version: UNKNOWN,
            agent: None,
            referrer: None,
        }
    }
}

impl Record {
    pub(crate) fn new(
        log: &AccessLog,
        started: Instant,
        asked: &RequestInfo<'_>,
        status: u16,
        kind: Kind,
    ) -> Self {
        let text = |bytes: Option<&[u8]>| bytes.map(|b| String::from_utf8_lossy(b).into_owned());
        Self {
            log: log.clone(),
            started,
            client: asked.client,
            method: asked.method.to_owned(),
            target: asked.target.to_owned(),
            version: asked.version,
            status,
            kind,
            agent: text(asked.agent),
            referrer: text(asked.referrer),
        }
    }

    pub(crate) fn write(&self, bytes: u64) {
        let line = match self.log.format {
            LogFormat::Json => self.json(bytes),
            LogFormat::Common => self.common(bytes),
        };
        if self.log.lines.try_send(line).is_err() {
            self.log.metrics.lost_log_line();
        }
    }

    fn json(&self, bytes: u64) -> String {
        let line = serde_json::json!({
            "time": now().map(|date| date.to_string()),
            "client": self.client,
            "method": self.method,
            "target": truncated(&self.target),
            "protocol": self.version,
            "status": self.status,
            "bytes": bytes,
            "kind": self.kind.name(),
            "duration_ms": self.started.elapsed().as_secs_f64() * 1_000.0,
            "agent": self.agent.as_deref().map(truncated),
            "referrer": self.referrer.as_deref().map(truncated),
        });
        format!("{line}\n")
    }

    fn common(&self, bytes: u64) -> String {
        let or_dash = |text: &Option<String>| escaped(text.as_deref().unwrap_or("-"));
        let time = clf_time(SystemTime::now());
        let (method, target) = (escaped(&self.method), escaped(&self.target));
        // As other servers log requests they could not parse.
        let line = match self.version {
            UNKNOWN => UNKNOWN.to_owned(),
            version => format!("{method} {target} {version}"),
        };
        format!(
            "{} - - [{time}] \"{line}\" {} {} \"{}\" \"{}\"\n",
            self.client,
            self.status,
            bytes,
            or_dash(&self.referrer),
            or_dash(&self.agent),
        )
    }
}

fn now() -> Option<Date> {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Date::from_unix(
        i64::try_from(since.as_secs()).ok()?,
        since.subsec_millis() * 1_000_000,
    )
}

/// `16/Nov/2026:19:05:06 +0000`, from `Mon, 16 Nov 2026 19:05:06 GMT`.
fn clf_time(time: SystemTime) -> String {
    let date = httpdate::fmt_http_date(time);
    let mut parts = date.split(' ').skip(1);
    let mut part = || parts.next().unwrap_or_default();
    format!("{}/{}/{}:{} +0000", part(), part(), part(), part())
}

fn truncated(text: &str) -> &str {
    let end = (0..=MAX_TEXT_BYTES)
        .rev()
        .find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or_default()).unwrap_or(text)
}

/// Escapes text as nginx does, so that clients cannot end the quotation or the line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in truncated(text).chars() {
        match c {
            '"' | '\\' => escaped.push_str(&format!("\\x{:02X}", u32::from(c))),
            c if c.is_control() => escaped.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_times_and_texts_of_the_common_log_format() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_855_906);
        assert_eq!(clf_time(time), "16/Nov/2026:19:05:06 +0000");
        assert_eq!(escaped("a\"b\\c\nd"), "a\\x22b\\x5Cc\\x0Ad");
    }
}
