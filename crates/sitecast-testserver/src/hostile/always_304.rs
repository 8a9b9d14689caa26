use crate::Answer;

/// Says that nothing changed, whatever is asked.
pub fn always_304() -> Answer {
    Answer::status(304).with("ETag", "\"same\"")
}
