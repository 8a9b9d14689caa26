//! Retries: transient statuses, `Retry-After` and exponential backoff.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::{FetchError, Options};

/// Returns true for statuses that may change with another attempt.
pub(crate) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// Parses `Retry-After`: seconds, or an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>()
        && !value.starts_with('+')
    {
        return Some(Duration::from_secs(seconds));
    }
    let time = httpdate::parse_http_date(value).ok()?;
    Some(time.duration_since(now).unwrap_or_default())
}

/// Returns the wait before the next attempt; `None` to give up.
pub(crate) fn wait_after(error: &FetchError, attempts: u32, options: &Options) -> Option<Duration> {
    if attempts >= options.attempts || !error.is_transient() {
        return None;
    }
    if let FetchError::Status {
        wait: Some(wait), ..
    } = error
    {
        // A server that asks for a longer wait than we allow is not asked again earlier.
        return (*wait <= options.longest_wait).then_some(*wait);
    }
    let doubled = options
        .backoff
        .saturating_mul(1 << attempts.saturating_sub(1).min(16));
    let most = doubled.min(options.longest_wait);
    // Between half of it and all of it, so that agents that were refused together do not return together.
    Some(most.mul_f64(0.5 + 0.5 * random()))
}

/// Returns a number from 0 up to 1. The keys of a new hasher are random enough for jitter.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 11;
    bits as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn status(status: u16, wait: Option<u64>) -> FetchError {
        FetchError::Status {
            url: String::new(),
            status,
            wait: wait.map(Duration::from_secs),
        }
    }

    #[test]
    fn backs_off_exponentially_and_gives_up() {
        let options = Options::new("test");
        for attempts in 1..4 {
            let wait = wait_after(&status(500, None), attempts, &options).unwrap();
            let most = Duration::from_secs(1 << (attempts - 1));
            assert!(
                wait <= most && wait >= most / 2,
                "{attempts}: {wait:?} of {most:?}"
            );
        }
        assert_eq!(wait_after(&status(500, None), 4, &options), None);
        let disallowed = FetchError::Disallowed { url: String::new() };
        assert_eq!(wait_after(&disallowed, 1, &options), None);
    }

    #[test]
    fn randomises_waits() {
        let options = Options::new("test");
        let waits: std::collections::HashSet<Duration> = (0..50)
            .filter_map(|_| wait_after(&status(503, None), 3, &options))
            .collect();
        assert!(waits.len() > 40, "{waits:?}");
        let most = waits.iter().max().unwrap().as_secs_f64();
        let least = waits.iter().min().unwrap().as_secs_f64();
        assert!(most - least > 1.0, "from {least} to {most} s");
    }

    #[test]
    fn honours_retry_after_or_gives_up() {
        let options = Options::new("test");
        let wait = |seconds| wait_after(&status(429, Some(seconds)), 1, &options);
        assert_eq!(wait(7), Some(Duration::from_secs(7)));
        assert_eq!(wait(121), None);
    }

    #[test]
    fn parses_retry_after_as_seconds_or_date() {
        let now = httpdate::parse_http_date("Tue, 21 Oct 2025 07:28:00 GMT").unwrap();
        for (text, seconds) in [
            ("120", Some(120)),
            ("0", Some(0)),
            ("Tue, 21 Oct 2025 07:28:30 GMT", Some(30)),
            ("Tue, 21 Oct 2025 07:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("+1", None),
            ("99999999999999999999", None),
            ("Tue, 99 Oct 2025 07:28:30 GMT", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            assert_eq!(
                retry_after(&headers, now),
                seconds.map(Duration::from_secs),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn parses_any_retry_after_without_panicking(text in "[ -~]{0,40}", seconds in any::<u64>()) {
            let asked = |text: &str| {
                let mut headers = HeaderMap::new();
                headers.insert(RETRY_AFTER, text.parse().unwrap());
                retry_after(&headers, SystemTime::UNIX_EPOCH)
            };
            asked(&text);
            prop_assert_eq!(asked(&format!(" {seconds}")), Some(Duration::from_secs(seconds)));
        }
    }
}
