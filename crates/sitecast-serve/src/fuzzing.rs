//! Entry points for fuzz targets; not a public interface.

use std::net::{IpAddr, Ipv4Addr};

use hyper::header::{HeaderName, HeaderValue, RANGE};
use hyper::{HeaderMap, Request};

use crate::http::conditions::{Validators, evaluate};
use crate::http::range::{RequestedRange, parse_range};
use crate::http::{encoding, host, target};
use crate::protection::{ProtectedPrefix, Protection};
use crate::proxy::{ForwardedHeader, Proxies};

/// Reads the first line of a text as a request target and the other lines as headers, and asserts what holds for every
/// request.
pub fn request(text: &[u8]) {
    const SIZE: u64 = 1_000;
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut request = Request::new(());
    if let Ok(uri) = hyper::Uri::try_from(first) {
        *request.uri_mut() = uri;
    }
    for line in lines.take(100) {
        let Some(colon) = memchr::memchr(b':', line) else {
            continue;
        };
        let (name, value) = line.split_at_checked(colon).unwrap_or_default();
        let value = HeaderValue::from_bytes(value.get(1..).unwrap_or_default());
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), value) {
            request.headers_mut().append(name, value);
        }
    }
    let (request, ()) = request.into_parts();
    host::problem(&request);
    if let Ok(path) = target::decode(request.uri.path()) {
        assert!(path.starts_with('/') && !path.contains(['\\', '\0']));
        assert!(path.split('/').all(|part| part != ".." && part != "."));
        target::is_private(&path);
    }
    let headers = &request.headers;
    assert!(encoding::accepted(headers).len() <= 3);
    evaluate(headers, || Validators {
        etag: None,
        modified: Some(0),
    });
    if let Some(Ok(range)) = headers.get(RANGE).map(HeaderValue::to_str)
        && let RequestedRange::Parts(parts) = parse_range(range, SIZE)
    {
        assert!(
            parts
                .iter()
                .all(|part| part.start < part.end && part.end <= SIZE)
        );
    }
    client(headers);
}

/// Asserts that only a trusted proxy can change the client's address.
fn client(headers: &HeaderMap) {
    let peer = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));
    assert_eq!(Proxies::default().client(peer, headers), peer);
    for header in [ForwardedHeader::XForwardedFor, ForwardedHeader::Forwarded] {
        if let Ok(proxies) = Proxies::new(&["203.0.113.0/24"], header) {
            proxies.client(peer, headers);
        }
    }
}

/// Returns true if a text in the root folder of a site needs a token for the prefix `/members/`.
pub fn mentions_members(text: &[u8]) -> bool {
    let protection = Protection::new(vec![ProtectedPrefix::new("/members/", ["token"])]);
    !protection.of_text(text, "/").is_empty()
}
