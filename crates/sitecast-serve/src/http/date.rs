//! Dates as HTTP writes them.

use std::time::{Duration, SystemTime};

use hyper::header::HeaderValue;

/// Seconds since 1970. Dates before, and what is no date, are none.
pub(crate) fn parse(text: &str) -> Option<i64> {
    seconds(httpdate::parse_http_date(text.trim()).ok()?)
}

/// Whole seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}

/// This second.
pub(crate) fn now() -> i64 {
    seconds(SystemTime::now()).unwrap_or_default()
}

/// `Wed, 15 Jan 2025 23:00:00 GMT`.
pub(crate) fn text(seconds: i64) -> Option<String> {
    // Later than the year 9999 there is no such date.
    let seconds = u64::try_from(seconds)
        .ok()
        .filter(|&s| s < 253_402_300_800)?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Some(httpdate::fmt_http_date(time))
}

/// The same as the value of a header.
pub(crate) fn header(seconds: i64) -> Option<HeaderValue> {
    HeaderValue::from_str(&text(seconds)?).ok()
}
