//! HTTP dates (RFC 9110 §5.6.7).

use std::time::{Duration, SystemTime};

use hyper::header::HeaderValue;

/// Parses a date into seconds since 1970; `None` for earlier dates and malformed ones.
pub(crate) fn parse(text: &str) -> Option<i64> {
    seconds(httpdate::parse_http_date(text.trim()).ok()?)
}

/// Returns whole seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    seconds(SystemTime::now()).unwrap_or_default()
}

/// Formats seconds since 1970 as `Wed, 15 Jan 2025 23:00:00 GMT`.
pub(crate) fn text(seconds: i64) -> Option<String> {
    // The format ends with the year 9999.
    let seconds = u64::try_from(seconds)
        .ok()
        .filter(|&s| s < 253_402_300_800)?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Some(httpdate::fmt_http_date(time))
}

/// Formats seconds since 1970 as a header value.
pub(crate) fn header(seconds: i64) -> Option<HeaderValue> {
    HeaderValue::from_str(&text(seconds)?).ok()
}
