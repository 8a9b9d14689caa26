//! Polite and paranoid HTTP for agents that visit strangers.
//!
//! Polite: robots.txt is read first and obeyed (RFC 9309), there is one connection to a host at a
//! time, with a delay, `Retry-After` is honoured, and the agent says who it is. Paranoid: only http
//! and https, only public addresses unless told otherwise (after names are resolved, and again on
//! every redirect), and nothing without an end: bytes, time, redirects, attempts.
//!
//! It is synchronous: whoever asks waits on its own thread, which must not be one of an asynchronous
//! runtime. Bodies are handed out as they came, compressed or not.
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
//! | fetch something large, and go on where it broke off, even in another process | [`Client::download`] |
//! | ask whether something changed | [`Validators`] |
//! | know what robots.txt says | [`Client::robots`] |
//! | visit a site within a time, and know what it cost | [`Client::counted`], [`Cost`] |

mod address;
mod body;
mod client;
mod cost;
mod deadline;
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
mod room;
mod tls;

pub use address::is_public;
pub use client::Client;
pub use cost::Cost;
pub use download::{Download, Downloaded};
pub use error::{FetchError, RedirectProblem, TimeBound};
pub use options::{Addresses, Options, Speaks, StandIn};
pub use request::{Coding, Request};
pub use response::{Head, Response, Validators};
pub use robots::Permission;
