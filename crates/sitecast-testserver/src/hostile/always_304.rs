use crate::Answer;

/// Answers 304 to every request.
pub fn always_304() -> Answer {
    Answer::status(304).with("ETag", "\"same\"")
}
