use crate::{Answer, Fault};

/// Sends a body without an end and without `Content-Length`.
pub fn endless_body() -> Answer {
    Answer::status(200)
        .with("Content-Type", "application/scp")
        .with("ETag", "\"endless\"")
        .with_fault(Fault::Endless)
}
