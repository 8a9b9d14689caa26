use std::io;
use std::net::SocketAddr;

use crate::site::load::LoadError;

/// The reason why a server could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The publication cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The server cannot listen on the address.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The certificate or its key cannot be used.
    #[error("cannot use `{path}` for HTTPS: {problem}")]
    Tls {
        /// The file.
        path: String,
        /// The problem, in words.
        problem: String,
    },
    /// A setting has an invalid value.
    #[error("{0}")]
    Settings(String),
    /// The system refused a thread, a socket or another resource.
    #[error("cannot start: {0}")]
    System(io::Error),
}
