//! The errors of the client, with stable codes.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An error of the client. Its message names the URL.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL has another scheme than http or https, or no host.
    #[error("`{url}` is not an http or https URL")]
    NotHttp {
        /// The refused URL.
        url: String,
    },
    /// The host's address is private, local or reserved, and the options do not allow it.
    #[error("`{host}` is at {address}, which is not a public address")]
    Address {
        /// The host as the URL names it.
        host: String,
        /// The refused address of the host.
        address: IpAddr,
    },
    /// The URL is not on the site of the stand-in, and the options allow no other.
    #[error("`{url}` is on another site than the one that is visited")]
    OtherSite {
        /// The refused URL.
        url: String,
    },
    /// robots.txt disallows the URL.
    #[error("robots.txt disallows `{url}`")]
    Disallowed {
        /// The disallowed URL.
        url: String,
    },
    /// robots.txt is unreachable, so nothing may be fetched (RFC 9309 §2.3.1.4).
    #[error("cannot read `{url}`, and without it nothing may be fetched: {reason}{}", asked(*wait))]
    Robots {
        /// The URL of the robots.txt.
        url: String,
        /// The cause, in words.
        reason: String,
        /// The server's `Retry-After`, if it sent one.
        wait: Option<Duration>,
    },
    /// A redirect was refused.
    #[error("`{url}` redirects {problem}")]
    Redirect {
        /// The URL of the request, before all redirects.
        url: String,
        /// The reason of the refusal.
        problem: RedirectProblem,
    },
    /// The connection could not be established, or broke before any byte of the body.
    #[error("cannot reach `{url}`: {reason}")]
    Connection {
        /// The requested URL.
        url: String,
        /// The cause, in words.
        reason: String,
    },
    /// The server sent nothing for too long.
    #[error("`{url}` sent nothing for {} s", after.as_secs_f32())]
    Silent {
        /// The requested URL.
        url: String,
        /// The time that was waited.
        after: Duration,
    },
    /// The body arrives more slowly than [`Options::least_rate`](crate::Options::least_rate).
    #[error("`{url}` is too slow: less than {rate} bytes a second")]
    Slow {
        /// The requested URL.
        url: String,
        /// The least rate, in bytes a second.
        rate: u64,
    },
    /// A time limit is over.
    #[error("{}", too_long(url, *bound, *after))]
    OutOfTime {
        /// The URL that was being fetched when the time was over.
        url: String,
        /// The limit: that of the URL or that of the visit.
        bound: TimeBound,
        /// The time that the limit allows.
        after: Duration,
    },
    /// The body is larger than the limit.
    #[error("`{url}` is larger than {limit} bytes")]
    TooLarge {
        /// The requested URL.
        url: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The body ended early.
    #[error("`{url}` broke off after {received} {}", if *received == 1 { "byte" } else { "bytes" })]
    Truncated {
        /// The requested URL.
        url: String,
        /// Bytes received before the end.
        received: u64,
    },
    /// The server does not continue an interrupted download.
    #[error("`{url}` broke off, and the server answers {status} to a request for the rest")]
    NotContinued {
        /// The requested URL.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// The server answered 304 to a request without a condition (RFC 9110 §15.4.5).
    #[error(
        "`{url}` answers 304 to a request without a condition, which is a mistake of the server"
    )]
    Unconditional304 {
        /// The requested URL.
        url: String,
    },
    /// The download would leave less disk space free than [`Options::free_bytes`](crate::Options::free_bytes).
    #[error(
        "`{url}` does not fit on the disk of `{}`: {free} bytes are free, and {reserve} must stay free",
        folder.display()
    )]
    DiskFull {
        /// The requested URL.
        url: String,
        /// The folder of the target file.
        folder: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that must stay free.
        reserve: u64,
    },
    /// The server answered with a transient error status, for example 429 or 503.
    #[error("`{url}` answers {status}{}", asked(*wait))]
    Status {
        /// The requested URL.
        url: String,
        /// The status of the answer.
        status: u16,
        /// The server's `Retry-After`, if it sent one.
        wait: Option<Duration>,
    },
    /// The body has a content encoding that was not requested, or is damaged.
    #[error("`{url}` cannot be decompressed: {reason}")]
    Encoding {
        /// The requested URL.
        url: String,
        /// The cause, in words.
        reason: String,
    },
    /// A local file cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: Arc<io::Error>,
    },
    /// The client cannot be built.
    #[error("cannot set up the HTTP client: {0}")]
    Setup(String),
}

/// The time limit that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeBound {
    /// The limit for one URL, [`Options::url_time`](crate::Options::url_time).
    Url,
    /// The limit for the visit, [`Options::visit_time`](crate::Options::visit_time).
    Visit,
}

/// The reason why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectProblem {
    /// More redirects in a row than this limit.
    #[error("more than {0} times")]
    TooMany(usize),
    /// To a URL earlier in the same chain.
    #[error("in a circle")]
    Loop,
    /// From https to http.
    #[error("from https to http")]
    Downgrade,
    /// To a malformed URL, or one with another scheme.
    #[error("to something that is not an http or https URL")]
    NotHttp,
    /// To another host, where the options do not allow that.
    #[error("to another host: `{0}`")]
    OtherHost(String),
}

fn too_long(url: &str, bound: TimeBound, after: Duration) -> String {
    let seconds = after.as_secs_f32();
    match bound {
        TimeBound::Url => {
            format!("`{url}` was not complete after {seconds} s, the time limit for one URL")
        }
        TimeBound::Visit => {
            format!("stopped at `{url}` after {seconds} s, the time limit for one site")
        }
    }
}

fn asked(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" and asks to wait for {} s", wait.as_secs()))
        .unwrap_or_default()
}

impl FetchError {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotHttp { .. } => "not-http",
            Self::Address { .. } => "private-address",
            Self::OtherSite { .. } => "elsewhere",
            Self::Disallowed { .. } => "robots-txt",
            Self::Robots { .. } => "robots-unreachable",
            Self::Redirect { .. } => "redirect",
            Self::Connection { .. } => "connection",
            Self::Silent { .. } => "silent",
            Self::Slow { .. } => "slow",
            Self::OutOfTime { .. } => "out-of-time",
            Self::TooLarge { .. } => "too-large",
            Self::NotContinued { .. } => "not-continued",
            Self::Unconditional304 { .. } => "unconditional-304",
            Self::DiskFull { .. } => "no-room",
            Self::Truncated { .. } => "truncated",
            Self::Status { .. } => "status",
            Self::Encoding { .. } => "encoding",
            Self::File { .. } => "file",
            Self::Setup(_) => "setup",
        }
    }

    /// Returns true if another attempt may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Connection { .. }
                | Self::Silent { .. }
                | Self::Truncated { .. }
                | Self::NotContinued { .. }
                | Self::Status { .. }
        )
    }

    /// Returns true if the whole site is unreachable, too slow or limits our requests; false if only this URL failed.
    pub fn is_unreachable(&self) -> bool {
        matches!(
            self,
            Self::Connection { .. }
                | Self::Silent { .. }
                | Self::Slow { .. }
                | Self::OutOfTime { .. }
                | Self::Robots { .. }
                | Self::Address { .. }
                | Self::Status {
                    status: 429 | 503,
                    ..
                }
        )
    }

    /// Returns true if the server sent `Retry-After`.
    pub fn asks_to_wait(&self) -> bool {
        self.wait().is_some()
    }

    /// Returns the wait that the server asked for (`Retry-After`).
    pub fn wait(&self) -> Option<Duration> {
        match self {
            Self::Status { wait, .. } | Self::Robots { wait, .. } => *wait,
            _ => None,
        }
    }

    /// Returns true if the visit's time limit is over.
    pub fn is_out_of_visit_time(&self) -> bool {
        matches!(
            self,
            Self::OutOfTime {
                bound: TimeBound::Visit,
                ..
            }
        )
    }

    /// Returns true if the visit cannot go on: its time is over, or the server asks to wait.
    pub fn ends_visit(&self) -> bool {
        self.asks_to_wait() || self.is_out_of_visit_time()
    }
}
