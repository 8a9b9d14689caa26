//! The fast path of a connection: answers requests from memory without hyper. The first request that it cannot answer
//! is handed over to hyper with the rest of the connection.
//!
//! An idle connection has no buffers: bytes are read into one that all connections of the thread share. A request that
//! arrives in pieces is handed over, too, so no byte is parsed twice.

use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::limited_stream::LimitedStream;
use crate::answer::{Answerer, FastAnswer, Peer};

/// Bytes read at once.
const READ_BYTES: usize = 16 << 10;
/// Responses that may wait to be sent. Beyond that no further requests are parsed.
const MAX_QUEUED_BYTES: usize = 128 << 10;
/// The largest response buffer that is kept while a client goes on sending requests.
const KEPT_BYTES: usize = 16 << 10;

thread_local! {
    static SPACE: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into());
}

/// The end of the fast path.
pub(super) enum Outcome {
    /// The connection is over: the client closed it, or the server stops.
    Closed,
    /// hyper has to continue, starting with these bytes.
    HandOver(Vec<u8>),
}

/// The fast path of one connection.
pub(super) struct FastPath<'c, S> {
    stream: &'c mut LimitedStream<S>,
    answerer: &'c Answerer,
    peer: &'c Peer,
    /// Bytes that were read and not answered.
    rest: Vec<u8>,
    /// The next request is not for the fast path.
    hands_over: bool,
    /// Responses, and the number of their bytes that were sent.
    out: Vec<u8>,
    sent: usize,
}

impl<'c, S: AsyncRead + AsyncWrite + Unpin> FastPath<'c, S> {
    pub(super) fn new(
        stream: &'c mut LimitedStream<S>,
        answerer: &'c Answerer,
        peer: &'c Peer,
    ) -> Self {
        Self {
            stream,
            answerer,
            peer,
            rest: Vec::new(),
            hands_over: false,
            out: Vec::new(),
            sent: 0,
        }
    }

    /// Returns true unless a response is being sent.
    pub(super) fn is_idle(&self) -> bool {
        self.out.is_empty()
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            match self.poll_send(context) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(Outcome::Closed),
                Poll::Pending => return Poll::Pending,
            }
            let rest = std::mem::take(&mut self.rest);
            if self.hands_over {
                return Poll::Ready(Outcome::HandOver(rest));
            }
            if !rest.is_empty() {
                self.answer(&rest);
                continue;
            }
            match SPACE.with_borrow_mut(|space| self.poll_receive(space, context)) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(Outcome::Closed),
                Poll::Pending => {
                    // Idle connections keep no buffer.
                    self.out = Vec::new();
                    return Poll::Pending;
                }
            }
        }
    }

    /// Sends the queued responses; `false` if the connection is closed.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if self.out.is_empty() {
            return Poll::Ready(true);
        }
        while let Some(left) = self.out.get(self.sent..).filter(|left| !left.is_empty()) {
            match Pin::new(&mut *self.stream).poll_write(context, left) {
                Poll::Ready(Ok(sent @ 1..)) => self.sent += sent,
                Poll::Ready(_) => return Poll::Ready(false),
                Poll::Pending => return Poll::Pending,
            }
        }
        // TLS may still buffer some of it.
        match Pin::new(&mut *self.stream).poll_flush(context) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) => return Poll::Ready(false),
            Poll::Pending => return Poll::Pending,
        }
        self.sent = 0;
        self.out.clear();
        self.out.shrink_to(KEPT_BYTES);
        self.peer.activity.end();
        Poll::Ready(true)
    }

    /// Reads and answers requests; `false` at the end of the stream.
    fn poll_receive(&mut self, space: &mut [u8], context: &mut Context<'_>) -> Poll<bool> {
        let mut buffer = ReadBuf::new(space);
        match Pin::new(&mut *self.stream).poll_read(context, &mut buffer) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {}
            Poll::Ready(_) => return Poll::Ready(false),
        }
        self.answer(buffer.filled());
        Poll::Ready(true)
    }

    /// Answers the requests in `bytes` and keeps the unanswered rest.
    fn answer(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.out.len() < MAX_QUEUED_BYTES {
            match self
                .answerer
                .answer_fast(self.peer.address, bytes, &mut self.out)
            {
                FastAnswer::Answered(length) => {
                    self.peer.activity.count();
                    bytes = bytes.get(length..).unwrap_or_default();
                }
                FastAnswer::Unhandled => {
                    self.hands_over = true;
                    break;
                }
            }
        }
        self.rest.extend_from_slice(bytes);
        if !self.out.is_empty() {
            self.peer.activity.begin();
        }
    }
}
