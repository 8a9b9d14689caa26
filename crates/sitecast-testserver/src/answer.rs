//! Responses of the server, and faults.

use std::time::Duration;

/// A response, and the fault with which it is sent.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status code.
    pub status: u16,
    /// The headers. The server adds `Content-Length`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The fault.
    pub fault: Fault,
}

/// A fault of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// No fault.
    #[default]
    None,
    /// Close the connection after this many bytes of the body.
    Truncate(usize),
    /// Send the body one byte at a time, with this pause after each.
    Drip(Duration),
    /// Send nothing for this time, then close the connection.
    Silence(Duration),
    /// Send the headers one byte at a time, with this pause after each.
    DripHeaders(Duration),
    /// Close the connection without a response.
    Close,
    /// Send no `Content-Length`, and end the body by closing the connection.
    NoLength,
    /// Send chunks without an end.
    Endless,
}

impl Answer {
    /// Builds a response without headers and body.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            fault: Fault::None,
        }
    }

    /// Builds a plain text response.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self {
            body: text.into().into_bytes(),
            ..Self::status(status)
        }
        .with("Content-Type", "text/plain")
    }

    /// Builds an HTML response with status 200.
    pub fn html(text: impl Into<String>) -> Self {
        Self {
            body: text.into().into_bytes(),
            ..Self::status(200)
        }
        .with("Content-Type", "text/html; charset=utf-8")
    }

    /// Builds a redirect (302).
    pub fn redirect(to: impl Into<String>) -> Self {
        Self::status(302).with("Location", to)
    }

    /// Adds a header.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the fault.
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }
}
