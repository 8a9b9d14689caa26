use std::time::Duration;

/// What the server says, and what goes wrong meanwhile.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers; `Content-Length` is added.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// What goes wrong.
    pub fault: Fault,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// The connection ends after so many bytes of the body.
    Truncate(usize),
    /// The body comes one byte at a time, with so much time in between.
    Drip(Duration),
    /// Nothing comes for so long, then the connection ends.
    Silence(Duration),
    /// The headers come one byte at a time.
    DripHeaders(Duration),
    /// The connection ends before anything is said.
    Close,
    /// No length is said; the end of the connection is the end of the body.
    NoLength,
    /// Chunks without an end.
    Endless,
}

impl Answer {
    /// An answer with a status and nothing else.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            fault: Fault::None,
        }
    }

    /// Text.
    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self {
            body: text.into().into_bytes(),
            ..Self::status(status)
        }
        .with("Content-Type", "text/plain")
    }

    /// HTML.
    pub fn html(text: impl Into<String>) -> Self {
        Self {
            body: text.into().into_bytes(),
            ..Self::status(200)
        }
        .with("Content-Type", "text/html; charset=utf-8")
    }

    /// A redirect.
    pub fn redirect(to: impl Into<String>) -> Self {
        Self::status(302).with("Location", to)
    }

    /// The same with a header.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The same, but something goes wrong.
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }
}
