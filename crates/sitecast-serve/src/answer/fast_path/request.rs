//! The subset of requests that the fast path understands completely. Bodies, ranges, lists of tags, escapes in the path
//! and unknown headers are left to the normal path.

use crate::http::encoding::{Codings, accepted_of};
use crate::http::{host, target};

/// A request on the fast path.
pub(super) struct SimpleRequest<'r> {
    pub(super) is_head: bool,
    pub(super) path: &'r str,
    pub(super) codings: Codings,
    /// The only condition; `If-Modified-Since` beside it does not count.
    pub(super) if_none_match: Option<&'r [u8]>,
    pub(super) agent: Option<&'r [u8]>,
    pub(super) referrer: Option<&'r [u8]>,
}

impl<'r> SimpleRequest<'r> {
    /// Returns the request if all of it is understood.
    pub(super) fn parse(parsed: &httparse::Request<'_, 'r>) -> Option<Self> {
        let is_head = match parsed.method? {
            "GET" => false,
            "HEAD" => true,
            _ => return None,
        };
        if parsed.version? != 1 {
            return None;
        }
        let path = parsed.path?;
        // Left to the normal path: a query, a fragment or an escape.
        if memchr::memchr3(b'?', b'#', b'%', path.as_bytes()).is_some()
            || target::decode(path).is_err()
            || target::is_private(path)
        {
            return None;
        }
        let (mut hosts, mut since) = (0, false);
        let (mut if_none_match, mut agent, mut referrer) = (None, None, None);
        let mut accept_encoding: Option<&[u8]> = None;
        for header in parsed.headers.iter() {
            let is = |name: &str| header.name.eq_ignore_ascii_case(name);
            let once = |place: &mut Option<&'r [u8]>| match place.replace(header.value) {
                None => Some(()),
                Some(_) => None,
            };
            match header.name.len() {
                // The normal path refuses invalid hosts.
                4 if is("host") && host::is_valid(header.value) => hosts += 1,
                13 if is("if-none-match") => once(&mut if_none_match)?,
                10 if is("user-agent") => once(&mut agent)?,
                15 if is("accept-encoding") => once(&mut accept_encoding)?,
                7 if is("referer") => once(&mut referrer)?,
                // Ignored beside `If-None-Match` (RFC 9110 §13.1.3).
                17 if is("if-modified-since") => since = true,
                10 if is("connection") && header.value.eq_ignore_ascii_case(b"keep-alive") => {}
                // No effect on the response.
                6 if is("accept") || is("cookie") || is("pragma") || is("origin") => {}
                15 if is("accept-language") => {}
                13 if is("cache-control") => {}
                4 if is("from") => {}
                3 if is("dnt") => {}
                _ if header
                    .name
                    .as_bytes()
                    .get(..4)?
                    .eq_ignore_ascii_case(b"sec-") => {}
                _ => return None,
            }
        }
        if hosts != 1 || (since && if_none_match.is_none()) {
            return None;
        }
        let codings = accepted_of(accept_encoding.into_iter());
        if codings.is_empty() {
            return None;
        }
        Some(Self {
            is_head,
            path,
            codings,
            if_none_match,
            agent,
            referrer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_HEADERS;
    use super::*;

    fn is_simple(text: &str) -> bool {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let is_whole = parsed
            .parse(text.as_bytes())
            .is_ok_and(|status| status.is_complete());
        is_whole && SimpleRequest::parse(&parsed).is_some()
    }

    #[test]
    fn accepts_requests_of_agents() {
        for rest in [
            "",
            "If-None-Match: \"a\"\r\n",
            "if-none-match: \"a\"\r\nIf-Modified-Since: Thu, 15 Jan 2026 10:00:00 GMT\r\n",
            "User-Agent: sitecast/0.1\r\nAccept: */*\r\nAccept-Encoding: gzip, zstd\r\n",
            "Connection: keep-alive\r\nReferer: https://example.com/\r\nSec-Fetch-Mode: cors\r\n",
        ] {
            for line in ["GET /a/llm.json HTTP/1.1", "HEAD / HTTP/1.1"] {
                let text = format!("{line}\r\nHost: x\r\n{rest}\r\n");
                assert!(is_simple(&text), "{text}");
            }
        }
    }

    #[test]
    fn leaves_other_requests_to_the_normal_path() {
        for line in [
            "POST / HTTP/1.1",
            "GET / HTTP/1.0",
            "GET /a?b HTTP/1.1",
            "GET /%61 HTTP/1.1",
            "GET /../a HTTP/1.1",
            "GET /.git/config HTTP/1.1",
            "GET //a HTTP/1.1",
            "GET http://x/ HTTP/1.1",
            "GET * HTTP/1.1",
            "PRI * HTTP/2.0",
        ] {
            let text = format!("{line}\r\nHost: x\r\n\r\n");
            assert!(!is_simple(&text), "{text}");
        }
        for header in [
            "Host: y",
            "Host: a b/\\@c",
            "Content-Length: 0",
            "Transfer-Encoding: chunked",
            "Connection: close",
            "Connection: keep-alive, upgrade",
            "Expect: 100-continue",
            "Upgrade: h2c",
            "Range: bytes=0-1",
            "If-Match: *",
            "If-Unmodified-Since: Thu, 15 Jan 2026 10:00:00 GMT",
            "If-Modified-Since: Thu, 15 Jan 2026 10:00:00 GMT",
            "Accept-Encoding: identity;q=0",
            "If-None-Match: \"a\"\r\nIf-None-Match: \"b\"",
            "Authorization: Bearer x",
            "TE: trailers",
            "X: y",
        ] {
            let text = format!("GET / HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n");
            assert!(!is_simple(&text), "{text}");
        }
        assert!(!is_simple("GET / HTTP/1.1\r\n\r\n"));
        assert!(!is_simple("GET / HTTP/1.1\r\nHost: x\r\n"));
        let many = "Accept: */*\r\n".repeat(MAX_HEADERS);
        assert!(!is_simple(&format!(
            "GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"
        )));
    }
}
