//! Headers that say how browsers may use an answer: what its type is, and that scripts of other sites may read what is
//! published for everyone (CORS, <https://fetch.spec.whatwg.org/#http-cors-protocol>).

use hyper::HeaderMap;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};

/// The same headers as bytes, for answers that are put together without a table.
pub(crate) const NO_SNIFF_LINE: &[u8] = b"x-content-type-options: nosniff\r\n";
pub(crate) const SHARE_LINES: &[u8] =
    b"access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";

/// The type is the one that is said: browsers are not to guess another one from the bytes.
pub(crate) fn no_sniff(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Scripts of any site may read the answer and its headers. `*` never holds for requests with credentials.
pub(crate) fn share(headers: &mut HeaderMap) {
    let any = HeaderValue::from_static("*");
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, any);
}

/// The answer to a preflight: scripts may ask with conditions and ranges, and not with a token.
pub(crate) fn allow_requests(headers: &mut HeaderMap) {
    share(headers);
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
