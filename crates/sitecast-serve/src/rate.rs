//! Rate limiting: a token bucket for each client.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

/// The rate limit for each client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Sustained requests per second.
    pub per_second: f64,
    /// Requests that a client may make at once: the size of its bucket.
    pub burst: u32,
}

/// Clients that are remembered. Beyond that, those with the fullest buckets are forgotten: a client that is over its
/// limit must not get a new bucket because many others arrive. A quarter is evicted at once, so that the search is not
/// repeated for each request.
const MAX_CLIENTS: usize = 1 << 16;
const EVICTED_AT_ONCE: usize = MAX_CLIENTS / 4;

/// The outcome of a request for a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RateDecision {
    pub(crate) allowed: bool,
    remaining: u32,
    /// Seconds until a token is available.
    retry_seconds: u64,
    /// Seconds until the bucket is full.
    reset_seconds: u64,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

#[derive(Debug)]
pub(crate) struct Limiter {
    limit: RateLimit,
    clients: Mutex<HashMap<IpAddr, Bucket>>,
    policy: Option<HeaderValue>,
}

impl Limiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let window = (f64::from(limit.burst) / limit.per_second).ceil();
        Self {
            limit,
            clients: Mutex::default(),
            policy: HeaderValue::from_str(&format!("\"client\";q={};w={window}", limit.burst)).ok(),
        }
    }

    /// Takes a token from the client's bucket if there is one.
    pub(crate) fn take(&self, client: IpAddr, now: Instant) -> RateDecision {
        let burst = f64::from(self.limit.burst);
        let refilled = |bucket: &Bucket| {
            let since = now.saturating_duration_since(bucket.at).as_secs_f64();
            (bucket.tokens + since * self.limit.per_second).min(burst)
        };
        let client = client_network(client);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS && !clients.contains_key(&client) {
            let fullness = |(&client, bucket): (&IpAddr, &Bucket)| (refilled(bucket), client);
            let mut all: Vec<_> = clients.iter().map(fullness).collect();
            let (fullest, _, _) =
                all.select_nth_unstable_by(EVICTED_AT_ONCE, |(a, _), (b, _)| b.total_cmp(a));
            for (_, client) in fullest {
                clients.remove(client);
            }
        }
        let bucket = clients.entry(client).or_insert(Bucket {
            tokens: burst,
            at: now,
        });
        let mut tokens = refilled(bucket);
        let allowed = tokens >= 1.0;
        if allowed {
            tokens -= 1.0;
        }
        *bucket = Bucket { tokens, at: now };
        let seconds = |missing: f64| (missing.max(0.0) / self.limit.per_second).ceil() as u64;
        RateDecision {
            allowed,
            remaining: tokens as u32,
            retry_seconds: seconds(1.0 - tokens).max(1),
            reset_seconds: seconds(burst - tokens),
        }
    }

    /// Adds the headers of draft-ietf-httpapi-ratelimit-headers, and `Retry-After` to a refusal.
    pub(crate) fn add_headers(&self, decision: RateDecision, headers: &mut HeaderMap) {
        const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
        const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
        if let Some(policy) = &self.policy {
            headers.insert(POLICY, policy.clone());
        }
        let value = format!(
            "\"client\";r={};t={}",
            decision.remaining, decision.reset_seconds
        );
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(LIMIT, value);
        }
        if !decision.allowed {
            headers.insert(
                hyper::header::RETRY_AFTER,
                HeaderValue::from(decision.retry_seconds),
            );
        }
    }
}

/// Returns the address that identifies a client. For IPv6 it is the /64 network, because a host usually has a whole
/// one.
pub(crate) fn client_network(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => IpAddr::V4(address),
            None => {
                let bits = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(bits.into())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn buckets_empty_and_refill() {
        let limiter = Limiter::new(RateLimit {
            per_second: 2.0,
            burst: 3,
        });
        let client: IpAddr = "192.0.2.1".parse().unwrap();
        let start = Instant::now();
        for left in [2, 1, 0] {
            let decision = limiter.take(client, start);
            assert!(decision.allowed);
            assert_eq!(decision.remaining, left);
        }
        let refused = limiter.take(client, start);
        assert!(!refused.allowed);
        assert_eq!((refused.retry_seconds, refused.reset_seconds), (1, 2));
        assert!(limiter.take("192.0.2.2".parse().unwrap(), start).allowed);
        let later = start + Duration::from_millis(500);
        assert!(limiter.take(client, later).allowed);
        assert!(!limiter.take(client, later).allowed);
        let mut headers = HeaderMap::new();
        limiter.add_headers(refused, &mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"client\";q=3;w=2");
        assert_eq!(headers["ratelimit"], "\"client\";r=0;t=2");
        assert_eq!(headers["retry-after"], "1");
    }

    #[test]
    fn counts_addresses_of_one_network_as_one_client() {
        let of = |text: &str| client_network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    }

    #[test]
    fn remembers_a_limited_number_of_clients() {
        let limiter = Limiter::new(RateLimit {
            per_second: 1.0,
            burst: 1,
        });
        let now = Instant::now();
        for number in 0..(MAX_CLIENTS as u32 * 2) {
            limiter.take(IpAddr::V4(number.into()), now);
        }
        assert!(limiter.clients.lock().unwrap().len() <= MAX_CLIENTS);
    }

    #[test]
    fn remembers_a_limited_client_when_many_others_arrive() {
        let limiter = Limiter::new(RateLimit {
            per_second: 1.0,
            burst: 2,
        });
        let (greedy, now) = ("192.0.2.1".parse().unwrap(), Instant::now());
        while limiter.take(greedy, now).allowed {}
        for number in 0..(MAX_CLIENTS as u32 * 2) {
            limiter.take(IpAddr::V4(number.into()), now);
        }
        assert!(!limiter.take(greedy, now).allowed);
    }
}
