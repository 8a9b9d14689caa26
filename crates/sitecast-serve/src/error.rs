use std::io;
use std::net::SocketAddr;

use crate::site::load::LoadError;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The publication cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The address cannot be had.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The certificate or its key is wrong.
    #[error("cannot use `{path}` for HTTPS: {problem}")]
    Tls {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting is wrong.
    #[error("{0}")]
    Settings(String),
    /// The system does not give what it takes.
    #[error("cannot start: {0}")]
    System(io::Error),
}
