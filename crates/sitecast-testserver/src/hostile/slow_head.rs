use std::time::Duration;

use crate::{Answer, Fault};

/// Sends its headers one byte at a time, which takes more than 13 minutes.
pub fn slow_head() -> Answer {
    Answer::status(200)
        .with("X-Padding", "x".repeat(4_000))
        .with_fault(Fault::DripHeaders(Duration::from_millis(200)))
}
