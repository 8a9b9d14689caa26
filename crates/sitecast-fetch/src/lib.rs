//! A polite and defensive HTTP client for agents that visit sites of strangers.
//!
//! Polite: the client reads robots.txt first and obeys it (RFC 9309), opens one connection to a host at
//! a time, waits between requests, honours `Retry-After` and sends a `User-Agent`. Defensive: it speaks only
//! http and https, connects only to public addresses unless told otherwise (checked after names are resolved, and
//! again on every redirect), and limits everything: bytes, time, redirects, attempts.
//!
//! The interface is synchronous: a call blocks its thread, which must not be one of an asynchronous runtime. Bodies are
//! returned as the server sent them, compressed or not.
//!
//! ```no_run
//! use sitecast_fetch::{Client, Options, Request};
//!
//! let client = Client::new(Options::new("examplebot/1.0 (+https://example.com/bot)"))?;
//! let response = client.get(&Request::new("https://example.com/sitemap.xml".parse()?, 1_000_000))?;
//! println!("{} {} bytes", response.head.status, response.body.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | fetch something small | [`Client::get`], [`Client::head`] |
//! | fetch a large file, and resume it after an interruption, even in another process | [`Client::download`] |
//! | ask whether a resource has changed | [`Validators`] |
//! | read the rules of robots.txt | [`Client::robots`] |
//! | limit the time of a visit, and measure its requests and bytes | [`Client::for_visit`], [`Cost`] |

mod address;
mod body;
mod client;
mod cost;
mod deadline;
mod disk_reserve;
mod download;
mod encoding;
mod error;
mod exchange;
mod options;
mod pace;
mod pool;
mod range;
mod request;
mod response;
mod retry;
mod robots;
mod tls;

pub use address::is_public;
pub use client::Client;
pub use cost::Cost;
pub use download::{Download, Downloaded};
pub use error::{FetchError, RedirectProblem, TimeBound};
pub use options::{Addresses, Options, StandIn, StandInScheme};
pub use request::{Coding, Request};
pub use response::{Head, Response, Validators};
pub use robots::Permission;
