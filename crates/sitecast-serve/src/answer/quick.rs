//! What agents ask for all day: a machine page or a sitemap, in full or whether it is what they have.
//!
//! The answer is put together from bytes that are ready, without hyper and without a table of headers; that is where half
//! of the time that such an answer takes outside of the kernel went. It is the same answer: what is not understood to the
//! last byte is left to the usual way, and so is everything on servers that limit rates, protect parts or send digests. A test
//! compares the two.

mod request;

use std::cell::RefCell;
use std::net::IpAddr;
use std::time::{Instant, SystemTime};

use sitecast_tct::{CACHE_CONTROL, canonical_link};

use super::Answerer;
use crate::Kind;
use crate::http::date;
use crate::http::open::{NO_SNIFF_LINE, SHARE_LINES};
use crate::observe::agent;
use crate::observe::log::{Asked, Record};
use crate::options::Limits;
use crate::site::Site;
use crate::site::held::Held;
use crate::site::pages::Page;
use request::Request;

/// Headers of a request, and its bytes; with more it is left to the usual way, where the limits are.
const HEADERS: usize = 24;
const LONGEST: usize = 8 << 10;
/// Bodies that are copied into the answer; larger ones are left to the usual way.
const LARGEST: usize = 64 << 10;

/// What became of the bytes that have come.
pub(crate) enum Quick {
    /// This many were a request, which is answered.
    Answered(usize),
    /// They are left to the usual way.
    Other,
}

impl Answerer {
    /// Whether there is a quick way at all.
    pub(crate) fn is_quick(&self, limits: &Limits) -> bool {
        self.limiter.is_none()
            && self.protection.is_empty()
            && !self.content_digest
            && limits.headers >= HEADERS
            && limits.header_bytes >= LONGEST
    }

    /// Answers the request that the bytes begin with, if it can be done at once.
    pub(crate) fn quick(&self, client: IpAddr, bytes: &[u8], out: &mut Vec<u8>) -> Quick {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let Ok(httparse::Status::Complete(length)) = parsed.parse(bytes) else {
            return Quick::Other;
        };
        if length > LONGEST {
            return Quick::Other;
        }
        let Some(request) = Request::understand(&parsed) else {
            return Quick::Other;
        };
        let started = self.log.as_ref().map(|_| Instant::now());
        let site = self.current.glance();
        let Some(path) = site.relative(request.path) else {
            return Quick::Other;
        };
        let answered = match site.pages.by_machine(path) {
            Some(page) => self.quick_page(&site, page, &request, out),
            None => site.documents.get(path).and_then(|document| {
                let (status, sent) = write(&document.held, &request, out)?;
                Some((document.held.head.kind, status, sent))
            }),
        };
        let Some((kind, status, sent)) = answered else {
            return Quick::Other;
        };
        self.count(&request, kind, status, sent);
        if let (Some(log), Some(started)) = (&self.log, started) {
            let asked = Asked {
                client,
                method: if request.is_head { "HEAD" } else { "GET" },
                target: request.path,
                version: "HTTP/1.1",
                agent: request.agent,
                referrer: request.referrer,
            };
            Record::new(log, started, &asked, status, kind).write(sent);
        }
        Quick::Answered(length)
    }

    /// A machine page: whether the client has it is known without looking at it.
    fn quick_page(
        &self,
        site: &Site,
        page: &Page,
        request: &Request<'_>,
        out: &mut Vec<u8>,
    ) -> Option<(Kind, u16, u64)> {
        let (status, sent) = match request.if_none_match {
            None => write(&*self.remembered(site, page)?, request, out)?,
            Some(tag) if tag == page.hash.etag().as_bytes() => {
                not_modified(site, page, tag, out);
                (304, 0)
            }
            // It may be another version, or a list.
            Some(_) => return None,
        };
        Some((Kind::MachinePage, status, sent))
    }

    fn count(&self, request: &Request<'_>, kind: Kind, status: u16, sent: u64) {
        self.metrics.request(kind, agent::of(request.agent), status);
        if sent > 0 {
            self.metrics.add_bytes(sent);
        }
    }
}

/// Writes the answer; its status, and how long the body is.
fn write(held: &Held, request: &Request<'_>, out: &mut Vec<u8>) -> Option<(u16, u64)> {
    match request.if_none_match {
        Some(tag) if Some(tag) == held.head.etag() => {
            out.extend_from_slice(held.not_modified());
            end(out);
            Some((304, 0))
        }
        // It may be another version, or a list.
        Some(_) => None,
        None => {
            let (block, body) = held.whole(&request.codings)?;
            if body.len() > LARGEST {
                return None;
            }
            out.extend_from_slice(block);
            end(out);
            if request.is_head {
                return Some((200, 0));
            }
            out.extend_from_slice(&body);
            Some((200, body.len() as u64))
        }
    }
}

/// The 304 of a machine page: with the headers of `machine_page::head`, in their order, and without making a table of them.
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
    add(&[b"vary: Accept-Encoding\r\n", NO_SNIFF_LINE, SHARE_LINES]);
    end(out);
}

thread_local! {
    /// The second, and how it is written.
    static DATE: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
}

/// The date, and the end of the headers.
fn end(out: &mut Vec<u8>) {
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
