//! Which requests are understood to the last byte. What can come otherwise (a body, a range, a list of tags, an escape in
//! the path, a header that is not known) is not for the quick way.

use crate::http::encoding::{Codings, accepted_of};
use crate::http::{host, target};

/// What is understood of a request.
pub(super) struct Request<'r> {
    pub(super) is_head: bool,
    pub(super) path: &'r str,
    pub(super) codings: Codings,
    /// The only one, and without conditions beside it that would count.
    pub(super) if_none_match: Option<&'r [u8]>,
    pub(super) agent: Option<&'r [u8]>,
    pub(super) referrer: Option<&'r [u8]>,
}

impl<'r> Request<'r> {
    /// The request, if all of it is understood.
    pub(super) fn understand(parsed: &httparse::Request<'_, 'r>) -> Option<Self> {
        let is_head = match parsed.method? {
            "GET" => false,
            "HEAD" => true,
            _ => return None,
        };
        if parsed.version? != 1 {
            return None;
        }
        let path = parsed.path?;
        // A query, a fragment, an escape: there is more to it.
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
                // Any other is refused on the usual way.
                4 if is("host") && host::is_valid(header.value) => hosts += 1,
                13 if is("if-none-match") => once(&mut if_none_match)?,
                10 if is("user-agent") => once(&mut agent)?,
                15 if is("accept-encoding") => once(&mut accept_encoding)?,
                7 if is("referer") => once(&mut referrer)?,
                // Does not count beside the one above (RFC 9110, section 13.1.3).
                17 if is("if-modified-since") => since = true,
                10 if is("connection") && header.value.eq_ignore_ascii_case(b"keep-alive") => {}
                // Means nothing to us.
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
    use super::super::HEADERS;
    use super::*;

    fn is_understood(text: &str) -> bool {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let is_whole = parsed
            .parse(text.as_bytes())
            .is_ok_and(|status| status.is_complete());
        is_whole && Request::understand(&parsed).is_some()
    }

    #[test]
    fn what_agents_send_is_understood() {
        for rest in [
            "",
            "If-None-Match: \"a\"\r\n",
            "if-none-match: \"a\"\r\nIf-Modified-Since: Thu, 15 Jan 2026 10:00:00 GMT\r\n",
            "User-Agent: sitecast/0.1\r\nAccept: */*\r\nAccept-Encoding: gzip, zstd\r\n",
            "Connection: keep-alive\r\nReferer: https://example.com/\r\nSec-Fetch-Mode: cors\r\n",
        ] {
            for line in ["GET /a/llm.json HTTP/1.1", "HEAD / HTTP/1.1"] {
                let text = format!("{line}\r\nHost: x\r\n{rest}\r\n");
                assert!(is_understood(&text), "{text}");
            }
        }
    }

    #[test]
    fn what_could_mean_something_else_is_left_alone() {
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
            assert!(!is_understood(&text), "{text}");
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
            assert!(!is_understood(&text), "{text}");
        }
        assert!(!is_understood("GET / HTTP/1.1\r\n\r\n"));
        assert!(!is_understood("GET / HTTP/1.1\r\nHost: x\r\n"));
        let many = "Accept: */*\r\n".repeat(HEADERS);
        assert!(!is_understood(&format!(
            "GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n"
        )));
    }
}
