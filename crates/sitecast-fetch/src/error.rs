//! Why something could not be fetched.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Why something could not be fetched.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Another scheme than http or https, or no host.
    #[error("`{url}` is no http or https URL")]
    NotHttp {
        /// What it is.
        url: String,
    },
    /// The host is on a private network, on this machine or nowhere.
    #[error("`{host}` is at {address}, which is not a public address")]
    Address {
        /// The host as it was asked for.
        host: String,
        /// Where it is.
        address: IpAddr,
    },
    /// It belongs to another site than the one that a server stands in for.
    #[error("`{url}` is on another site, and no other is visited")]
    Elsewhere {
        /// Where we would have gone.
        url: String,
    },
    /// robots.txt does not want us there.
    #[error("robots.txt disallows `{url}`")]
    Disallowed {
        /// Where we would have gone.
        url: String,
    },
    /// robots.txt cannot be had, and without it nothing may be fetched (RFC 9309, 2.3.1.4).
    #[error("cannot read `{url}`, and without it nothing may be fetched: {reason}{}", asked(*wait))]
    Robots {
        /// The robots.txt.
        url: String,
        /// Why not.
        reason: String,
        /// How long the server wants us to wait, where it says so.
        wait: Option<Duration>,
    },
    /// A redirect leads back, on and on, or to where it must not.
    #[error("`{url}` redirects {problem}")]
    Redirect {
        /// Where it began.
        url: String,
        /// What is wrong with it.
        problem: RedirectProblem,
    },
    /// There is no connection, or it broke.
    #[error("cannot reach `{url}`: {reason}")]
    Connection {
        /// What was asked for.
        url: String,
        /// Why not.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("`{url}` was silent for {} s", after.as_secs_f32())]
    Silent {
        /// What was asked for.
        url: String,
        /// How long was waited.
        after: Duration,
    },
    /// It comes in drips.
    #[error("`{url}` came at less than {rate} bytes a second")]
    Slow {
        /// What was asked for.
        url: String,
        /// What is asked for at least.
        rate: u64,
    },
    /// It took longer than it may.
    #[error("{}", too_long(url, *bound, *after))]
    OutOfTime {
        /// What was asked for when the time was over.
        url: String,
        /// Which time.
        bound: TimeBound,
        /// How long it was.
        after: Duration,
    },
    /// It is larger than what is wanted.
    #[error("`{url}` is larger than {limit} bytes")]
    TooLarge {
        /// What was asked for.
        url: String,
        /// The most that is taken.
        limit: u64,
    },
    /// It ended before its end.
    #[error("`{url}` broke off after {received} bytes")]
    Truncated {
        /// What was asked for.
        url: String,
        /// How much came.
        received: u64,
    },
    /// The server does not go on where a download broke off.
    #[error("`{url}` broke off, and answers {status} to a request for the rest")]
    NotContinued {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
    },
    /// The server says that nothing changed, and was not asked that (RFC 9110, 15.4.5).
    #[error(
        "`{url}` answers 304 to a request without a condition, which is an error of the server"
    )]
    Unconditional304 {
        /// What was asked for.
        url: String,
    },
    /// It would fill the disk.
    #[error(
        "`{url}` does not fit on the disk of `{}`: {free} bytes are free, and {reserve} are to stay free",
        folder.display()
    )]
    NoRoom {
        /// What was asked for.
        url: String,
        /// Where it was to go.
        folder: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are to stay free.
        reserve: u64,
    },
    /// The server cannot, or says that it is too much.
    #[error("`{url}` answers {status}{}", asked(*wait))]
    Status {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
        /// How long the server wants us to wait, where it says so.
        wait: Option<Duration>,
    },
    /// It is compressed in a way that was not asked for, or badly.
    #[error("`{url}` cannot be decompressed: {reason}")]
    Encoding {
        /// What was asked for.
        url: String,
        /// Why not.
        reason: String,
    },
    /// A file of ours cannot be written or read.
    #[error("cannot write `{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: Arc<io::Error>,
    },
    /// The client itself cannot be made.
    #[error("cannot begin: {0}")]
    Setup(String),
}

/// Which time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeBound {
    /// That of one URL.
    Url,
    /// That of the visit.
    Visit,
}

/// What is wrong with a redirect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectProblem {
    /// Too often.
    #[error("more than {0} times")]
    TooMany(usize),
    /// To where it has been.
    #[error("in a circle")]
    Circle,
    /// From https to http.
    #[error("from https to http")]
    Downgrade,
    /// To nowhere.
    #[error("to no http or https URL")]
    Nowhere,
    /// To another host, where that is not wanted.
    #[error("to another host: `{0}`")]
    OtherHost(String),
}

fn too_long(url: &str, bound: TimeBound, after: Duration) -> String {
    let seconds = after.as_secs_f32();
    match bound {
        TimeBound::Url => format!("`{url}` was not there after {seconds} s, the most for one URL"),
        TimeBound::Visit => {
            format!("stopped at `{url}`: {seconds} s are over, the most for one site")
        }
    }
}

fn asked(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(" and asks to wait for {} s", wait.as_secs()))
        .unwrap_or_default()
}

impl FetchError {
    /// A short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotHttp { .. } => "not-http",
            Self::Address { .. } => "private-address",
            Self::Elsewhere { .. } => "elsewhere",
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
            Self::NoRoom { .. } => "no-room",
            Self::Truncated { .. } => "truncated",
            Self::Status { .. } => "status",
            Self::Encoding { .. } => "encoding",
            Self::File { .. } => "file",
            Self::Setup(_) => "setup",
        }
    }

    /// Whether another attempt may well go better.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Connection { .. }
                | Self::Silent { .. }
                | Self::Truncated { .. }
                | Self::NotContinued { .. }
                | Self::Status { .. }
        )
    }

    /// Whether it is the site that cannot be reached or has enough of us, rather than one thing on it
    /// that is wrong.
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

    /// Whether the server said when to come again, which is not now.
    pub fn asks_to_wait(&self) -> bool {
        self.wait().is_some()
    }

    /// How long the server wants to be left alone (`Retry-After`), if it said so.
    pub fn wait(&self) -> Option<Duration> {
        match self {
            Self::Status { wait, .. } | Self::Robots { wait, .. } => *wait,
            _ => None,
        }
    }

    /// Whether the time of the visit is over.
    pub fn is_out_of_visit_time(&self) -> bool {
        matches!(
            self,
            Self::OutOfTime {
                bound: TimeBound::Visit,
                ..
            }
        )
    }

    /// Whether nothing more can be asked in this visit: its time is over, or the server asks to wait.
    pub fn ends_visit(&self) -> bool {
        self.asks_to_wait() || self.is_out_of_visit_time()
    }
}
