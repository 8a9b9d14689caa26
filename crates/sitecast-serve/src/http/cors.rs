//! Headers for browsers: `nosniff`, and permission for scripts of other origins to read what is published for everyone
//! (CORS, <https://fetch.spec.whatwg.org/#http-cors-protocol>).

use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};

/// The same headers as bytes, for the fast path.
pub(crate) const NO_SNIFF_LINE: &[u8] = b"x-content-type-options: nosniff\r\n";
pub(crate) const ANY_ORIGIN_LINES: &[u8] =
    b"access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";

/// Forbids browsers to guess another type from the content.
pub(crate) fn no_sniff(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Lets scripts of any origin read the response and its headers. `*` does not apply to requests with credentials.
pub(crate) fn allow_any_origin(headers: &mut HeaderMap) {
    let any = HeaderValue::from_static("*");
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, any);
}

/// Adds the headers of a preflight's response: scripts may send conditions and ranges, but no token.
pub(crate) fn add_preflight_headers(headers: &mut HeaderMap) {
    allow_any_origin(headers);
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD"),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "If-None-Match, If-Modified-Since, If-Match, If-Unmodified-Since, If-Range, Range",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}
