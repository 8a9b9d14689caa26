use crate::{Answer, Fault};

/// Sends bytes without an end, and does not say how many.
pub fn endless_body() -> Answer {
    Answer::status(200)
        .with("Content-Type", "application/scp")
        .with("ETag", "\"endless\"")
        .with_fault(Fault::Endless)
}
