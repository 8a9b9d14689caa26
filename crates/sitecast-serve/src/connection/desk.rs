//! The quick way, as long as it goes: requests that can be answered from memory are, and the rest of the connection, from
//! the first other request on, is handed over with the bytes that have come.
//!
//! A connection that waits here has no buffers of its own: what comes is read into one that all connections of the thread
//! share. A request that comes in pieces is handed over, too, so nothing is ever looked at twice.

use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::guarded::Guarded;
use crate::answer::{Answerer, Peer, Quick};

/// What is read at once.
const READ: usize = 16 << 10;
/// Answers that wait to be sent; no more requests are looked at before they are.
const MOST_WAITING: usize = 128 << 10;
/// The largest buffer for answers that is kept from one to the next while a client goes on asking.
const KEPT: usize = 16 << 10;

thread_local! {
    static SPACE: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ].into());
}

/// How it ended.
pub(super) enum Outcome {
    /// The client is gone, or the server stops.
    Ended,
    /// There is something else to be answered, beginning with these bytes.
    Other(Vec<u8>),
}

pub(super) struct Desk<'d, S> {
    stream: &'d mut Guarded<S>,
    answerer: &'d Answerer,
    peer: &'d Peer,
    /// What has come and is not answered.
    rest: Vec<u8>,
    /// What comes next is not for us.
    is_over: bool,
    /// Answers, and how much of them is sent.
    out: Vec<u8>,
    sent: usize,
}

impl<'d, S: AsyncRead + AsyncWrite + Unpin> Desk<'d, S> {
    pub(super) fn new(stream: &'d mut Guarded<S>, answerer: &'d Answerer, peer: &'d Peer) -> Self {
        Self {
            stream,
            answerer,
            peer,
            rest: Vec::new(),
            is_over: false,
            out: Vec::new(),
            sent: 0,
        }
    }

    /// Whether no answer is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.out.is_empty()
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            match self.poll_send(context) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(Outcome::Ended),
                Poll::Pending => return Poll::Pending,
            }
            let rest = std::mem::take(&mut self.rest);
            if self.is_over {
                return Poll::Ready(Outcome::Other(rest));
            }
            if !rest.is_empty() {
                self.answer(&rest);
                continue;
            }
            match SPACE.with_borrow_mut(|space| self.poll_take(space, context)) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(Outcome::Ended),
                Poll::Pending => {
                    // Who is silent has no claim to a buffer.
                    self.out = Vec::new();
                    return Poll::Pending;
                }
            }
        }
    }

    /// Sends what is there to be sent; `false` if nobody takes it.
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
        // TLS may still hold some of it.
        match Pin::new(&mut *self.stream).poll_flush(context) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(_)) => return Poll::Ready(false),
            Poll::Pending => return Poll::Pending,
        }
        self.sent = 0;
        self.out.clear();
        self.out.shrink_to(KEPT);
        self.peer.activity.end();
        Poll::Ready(true)
    }

    /// Takes in what has come, and answers it; `false` if there is nothing more to come.
    fn poll_take(&mut self, space: &mut [u8], context: &mut Context<'_>) -> Poll<bool> {
        let mut buffer = ReadBuf::new(space);
        match Pin::new(&mut *self.stream).poll_read(context, &mut buffer) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {}
            Poll::Ready(_) => return Poll::Ready(false),
        }
        self.answer(buffer.filled());
        Poll::Ready(true)
    }

    /// Answers one request after the other, and keeps what is left.
    fn answer(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && self.out.len() < MOST_WAITING {
            match self.answerer.quick(self.peer.address, bytes, &mut self.out) {
                Quick::Answered(length) => {
                    self.peer.activity.count();
                    bytes = bytes.get(length..).unwrap_or_default();
                }
                Quick::Other => {
                    self.is_over = true;
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
