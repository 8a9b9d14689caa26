//! A web server on loopback for tests. It serves a folder correctly, and misbehaves on request.
//!
//! It listens on a real socket, so that tests cover the whole client. It shares no code with `sitecast-serve`, so that the
//! two cannot have the same mistake.
//!
//! ```
//! use sitecast_testserver::{Answer, Fault, Server};
//!
//! let server = Server::start(|request| match request.path.as_str() {
//!     "/robots.txt" => Answer::text(200, "User-agent: *\nAllow: /\n"),
//!     "/cut" => Answer::text(200, "not all of this").with_fault(Fault::Truncate(3)),
//!     _ => Answer::text(404, "nothing here"),
//! })?;
//! assert!(server.url("/cut").starts_with("http://127.0.0.1:"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod folder;
pub mod hostile;
mod server;

pub use answer::{Answer, Fault};
pub use folder::Folder;
pub use server::{Request, Server};
