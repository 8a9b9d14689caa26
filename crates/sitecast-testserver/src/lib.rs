//! For tests: a web server on loopback that serves a folder well, and misbehaves when asked to.
//!
//! It really listens, so that clients are tried over real sockets. It knows nothing of Sitecast's own
//! server, so that the two cannot agree on a mistake.
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
