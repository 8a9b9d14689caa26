//! An HTTP server for publications, with the headers that SCP and TCT require.
//!
//! A [`Server`] serves a folder or a bucket that `sitecast-publish` wrote: collections, sitemaps, machine pages, the
//! policy, and the unchanged HTML. It is not a general web server: it accepts GET, HEAD and OPTIONS only, and generates
//! no content.
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
//! # Map
//!
//! | file | contents |
//! |---|---|
//! | `site/` | the publication: an immutable catalogue, read from the store |
//! | `current.rs` | the publication in force, and the thread that looks for the next one |
//! | `answer/` | routing: from a request to a reply, by kind of resource |
//! | `reply.rs`, `http/` | conditions, ranges, compressions, bodies: RFC 9110 |
//! | `connection/`, `server.rs` | sockets, TLS, time-outs, threads, shutdown |
//! | `protection.rs`, `rate.rs` | access tokens, rate limits |
//! | `proxy.rs` | the client behind trusted proxies |
//! | `descriptors.rs`, `quota.rs` | limits on concurrent connections and files, in all and per client |
//! | `observe/`, `admin.rs` | metrics and the access log |

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
mod reply;
mod server;
mod signals;
mod site;

pub use current::Notice;
pub use error::ServeError;
pub use observe::log::LogFormat;
pub use options::{Limits, Options, TlsFiles};
pub use protection::ProtectedPrefix;
pub use proxy::{ForwardedHeader, Proxies};
pub use rate::RateLimit;
pub use server::{NoticeHandler, Server};
pub use signals::SignalLoop;
pub use site::load::LoadError;

pub(crate) use observe::Kind;
