//! Serves a publication over HTTP, with the headers that the protocols live by.
//!
//! A [`Server`] answers for what `sitecast-publish` put into a folder or a bucket: collections,
//! sitemaps, machine pages, the policy, and the HTML as it was. It is not a general web server: it
//! answers GET, HEAD and OPTIONS, and makes nothing up.
//!
//! ```no_run
//! use std::sync::Arc;
//! use sitecast_serve::{Options, Server};
//! use sitecast_storage::Folder;
//!
//! let store = Arc::new(Folder::new("public")?);
//! let server = Server::start(store, Options::default(), None, Arc::new(|_| {}))?;
//! println!("http://{}/", server.address());
//! # server.stop();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! | file | holds |
//! |---|---|
//! | `site/` | the publication: an immutable catalogue, read from the store |
//! | `current.rs` | which publication is served, and the thread that looks for the next one |
//! | `answer/` | from a request to what it asks for, by kind |
//! | `reply.rs`, `http/` | conditions, ranges, compressions, bodies: RFC 9110 |
//! | `connection/`, `server.rs` | sockets, TLS, time-outs, threads, stopping |
//! | `protection.rs`, `rate.rs` | who may see what, and how much of it |
//! | `proxy.rs` | the client behind trusted proxies |
//! | `descriptors.rs`, `quota.rs` | connections and files at a time, of all clients and of one |
//! | `observe/`, `admin.rs` | counters and the access log |

mod admin;
mod answer;
mod cache;
mod connection;
mod current;
mod descriptors;
mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod observe;
mod options;
mod protection;
mod proxy;
mod quota;
mod rate;
mod refusal;
mod reply;
mod server;
mod signals;
mod site;

pub use current::Notice;
pub use error::ServeError;
pub use observe::log::LogFormat;
pub use options::{Limits, Options, TlsFiles};
pub use protection::Protected;
pub use proxy::{ForwardedHeader, Proxies};
pub use rate::RateLimit;
pub use server::{Server, Tell};
pub use signals::Obedient;
pub use site::base::Base;
pub use site::load::LoadError;

pub(crate) use observe::Kind;
