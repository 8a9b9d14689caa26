use crate::{Answer, Fault, Request};

/// Sends `bytes` bytes, breaks off, and answers 416 to a request for the rest.
pub fn no_continuation(request: &Request, bytes: usize) -> Answer {
    let announced = bytes * 4;
    if request.header("range").is_some() {
        return Answer::status(416).with("Content-Range", format!("bytes */{announced}"));
    }
    let mut answer = Answer::status(200)
        .with("Content-Type", "application/scp")
        .with("ETag", "\"unsteady\"")
        .with_fault(Fault::Truncate(bytes));
    answer.body = vec![b'x'; announced];
    answer
}
