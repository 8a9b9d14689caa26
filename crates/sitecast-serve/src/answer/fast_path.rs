//! Answers requests from memory without parsing them with hyper: machine pages and sitemaps, in full or as a 304.
//!
//! Responses are assembled from serialized headers, which saves half of the time that such a response takes in user
//! space. They equal those of the normal path, which handles every request that is not completely understood, and all
//! requests on servers with rate limits, protected prefixes or digests. A test compares the two.

mod request;

use std::cell::RefCell;
use std::net::IpAddr;
use std::time::{Instant, SystemTime};

use sitecast_tct::{CACHE_CONTROL, canonical_link};

use super::Answerer;
use crate::Kind;
use crate::http::cors::{ANY_ORIGIN_LINES, NO_SNIFF_LINE};
use crate::http::date;
use crate::observe::agent;
use crate::observe::log::{Record, RequestInfo};
use crate::options::Limits;
use crate::site::Site;
use crate::site::pages::Page;
use crate::site::prepared::PreparedResponse;
use request::SimpleRequest;

/// Limits of a request. Larger ones are left to the normal path, which enforces the settings.
const MAX_HEADERS: usize = 24;
const MAX_REQUEST_BYTES: usize = 8 << 10;
/// Size up to which bodies are copied into the response.
const MAX_BODY_BYTES: usize = 64 << 10;

/// The result of an attempt to answer.
pub(crate) enum FastAnswer {
    /// A request of this many bytes was answered.
    Answered(usize),
    /// The bytes are left to the normal path.
    Unhandled,
}

impl Answerer {
    /// Returns true if the settings allow the fast path.
    pub(crate) fn has_fast_path(&self, limits: &Limits) -> bool {
        self.limiter.is_none()
            && self.protection.is_empty()
            && !self.content_digest
            && limits.headers >= MAX_HEADERS
            && limits.header_bytes >= MAX_REQUEST_BYTES
    }

    /// Answers the request at the start of `bytes` if that needs no waiting.
    pub(crate) fn answer_fast(
        &self,
        client: IpAddr,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> FastAnswer {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let Ok(httparse::Status::Complete(length)) = parsed.parse(bytes) else {
            return FastAnswer::Unhandled;
        };
        if length > MAX_REQUEST_BYTES {
            return FastAnswer::Unhandled;
        }
        let Some(request) = SimpleRequest::parse(&parsed) else {
            return FastAnswer::Unhandled;
        };
        let started = self.log.as_ref().map(|_| Instant::now());
        let site = self.current.borrow_site();
        let Some(path) = site.relative(request.path) else {
            return FastAnswer::Unhandled;
        };
        let answered = match site.pages.by_machine(path) {
            Some(page) => self.fast_machine_page(&site, page, &request, out),
            None => site.documents.get(path).and_then(|document| {
                let (status, sent) = write(&document.response, &request, out)?;
                Some((document.response.head.kind, status, sent))
            }),
        };
        let Some((kind, status, sent)) = answered else {
            return FastAnswer::Unhandled;
        };
        self.count(&request, kind, status, sent);
        if let (Some(log), Some(started)) = (&self.log, started) {
            let asked = RequestInfo {
                client,
                method: if request.is_head { "HEAD" } else { "GET" },
                target: request.path,
                version: "HTTP/1.1",
                agent: request.agent,
                referrer: request.referrer,
            };
            Record::new(log, started, &asked, status, kind).write(sent);
        }
        FastAnswer::Answered(length)
    }

    /// Answers for a machine page. A 304 needs its hash only, not its content.
    fn fast_machine_page(
        &self,
        site: &Site,
        page: &Page,
        request: &SimpleRequest<'_>,
        out: &mut Vec<u8>,
    ) -> Option<(Kind, u16, u64)> {
        let (status, sent) = match request.if_none_match {
            None => write(&*self.cached_page(site, page)?, request, out)?,
            Some(tag) if tag == page.hash.etag().as_bytes() => {
                not_modified(site, page, tag, out);
                (304, 0)
            }
            // Another version, or a list of tags.
            Some(_) => return None,
        };
        Some((Kind::MachinePage, status, sent))
    }

    fn count(&self, request: &SimpleRequest<'_>, kind: Kind, status: u16, sent: u64) {
        self.metrics.request(kind, agent::of(request.agent), status);
        if sent > 0 {
            self.metrics.add_bytes(sent);
        }
    }
}

/// Writes the response, and returns its status and the length of its body.
fn write(
    response: &PreparedResponse,
    request: &SimpleRequest<'_>,
    out: &mut Vec<u8>,
) -> Option<(u16, u64)> {
    match request.if_none_match {
        Some(tag) if Some(tag) == response.head.etag() => {
            out.extend_from_slice(response.not_modified());
            write_date(out);
            Some((304, 0))
        }
        // Another version, or a list of tags.
        Some(_) => None,
        None => {
            let (block, body) = response.whole(&request.codings)?;
            if body.len() > MAX_BODY_BYTES {
                return None;
            }
            out.extend_from_slice(block);
            write_date(out);
            if request.is_head {
                return Some((200, 0));
            }
            out.extend_from_slice(&body);
            Some((200, body.len() as u64))
        }
    }
}

/// Writes the 304 of a machine page: the headers of `machine_page::head`, in the same order.
fn not_modified(site: &Site, page: &Page, tag: &[u8], out: &mut Vec<u8>) {
    let mut add = |parts: &[&[u8]]| {
        for part in parts {
            out.extend_from_slice(part);
        }
    };
    add(&[b"HTTP/1.1 304 Not Modified\r\netag: ", tag, b"\r\n"]);
    if let Some(modified) = page.modified.and_then(date::text) {
        add(&[b"last-modified: ", modified.as_bytes(), b"\r\n"]);
    }
    add(&[b"cache-control: ", CACHE_CONTROL.as_bytes(), b"\r\n"]);
    let canonical = canonical_link(&page.url);
    let others = site.machine_links.as_bytes();
    add(&[b"link: ", canonical.as_bytes(), others, b"\r\n"]);
    add(&[
        b"vary: Accept-Encoding\r\n",
        NO_SNIFF_LINE,
        ANY_ORIGIN_LINES,
    ]);
    write_date(out);
}

thread_local! {
    /// The current second and its `Date` line.
    static DATE: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
}

/// Writes `Date` and the empty line after the headers.
fn write_date(out: &mut Vec<u8>) {
    let now = SystemTime::now();
    let second = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    DATE.with_borrow_mut(|(known, text)| {
        if *known != second || text.is_empty() {
            *known = second;
            *text = format!("date: {}\r\n\r\n", httpdate::fmt_http_date(now));
        }
        out.extend_from_slice(text.as_bytes());
    });
}
