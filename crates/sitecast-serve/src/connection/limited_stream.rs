//! A stream with time-outs and a limit for floods.
//!
//! A client can hold a connection without using it: send nothing, send its request a byte at a time, or read nothing of
//! the response. The stream detects all three by checking four times within each time limit whether there was progress,
//! so no timer is set for a single request.
//!
//! Over HTTP/2 a client can also make the server write without reading a response, because each PING is answered by a
//! frame of the same length. So only bytes written beyond the bytes read count as progress, or another request: a 304
//! can be shorter than its request when both are compressed.
//!
//! And it can send frames that are not requests but cost work: PING, SETTINGS, PRIORITY and the like. The bytes between
//! two requests are limited, with an allowance for the window updates that acknowledge what is sent to the client.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::observe::Activity;
use crate::options::Limits;

/// Checks for progress within the shorter time limit.
const CHECKS_PER_LIMIT: u32 = 4;

/// A stream with time-outs and a limit for floods.
pub(crate) struct LimitedStream<S> {
    stream: S,
    /// Bytes that the fast path has read and hyper reads again.
    replayed: Bytes,
    activity: Arc<Activity>,
    timer: Pin<Box<Sleep>>,
    every: Duration,
    idle: Duration,
    stalled: Duration,
    /// Requests at the last check.
    requests: u64,
    /// Bytes written and read, now and at the last check.
    written: u64,
    written_then: u64,
    read: u64,
    read_then: u64,
    /// Requests at the last read, and the bytes read and written when that number last changed.
    asked: u64,
    read_when_asked: u64,
    written_when_asked: u64,
    /// Bytes that may arrive between two requests.
    unrequested: u64,
    /// Set during a lingering close, which discards input so that the last response is not lost.
    lingering: Option<Lingering>,
    /// Start of the current idle period, and of the current stall.
    silent_since: Instant,
    stalled_since: Instant,
}

impl<S> LimitedStream<S> {
    pub(crate) fn new(stream: S, activity: Arc<Activity>, limits: &Limits) -> Self {
        let every = limits.idle.min(limits.stalled) / CHECKS_PER_LIMIT;
        let every = every.max(Duration::from_millis(10));
        let now = Instant::now();
        Self {
            stream,
            replayed: Bytes::new(),
            activity,
            timer: Box::pin(tokio::time::sleep(every)),
            every,
            idle: limits.idle,
            stalled: limits.stalled,
            requests: 0,
            written: 0,
            written_then: 0,
            read: 0,
            read_then: 0,
            asked: 0,
            read_when_asked: 0,
            written_when_asked: 0,
            unrequested: MAX_UNREQUESTED + limits.header_bytes as u64,
            lingering: None,
            silent_since: now,
            stalled_since: now,
        }
    }

    /// Puts back bytes that were read, to be read again.
    pub(crate) fn replay(&mut self, bytes: Vec<u8>) {
        self.replayed = bytes.into();
    }

    /// Returns true if a time limit has passed. Called when I/O is pending.
    fn has_timed_out(&mut self, context: &mut Context<'_>) -> bool {
        while self.timer.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            self.timer.as_mut().reset(now + self.every);
            let requests = self.activity.requests.load(Ordering::Relaxed);
            if self.activity.in_flight.load(Ordering::Relaxed) > 0 {
                // A response is being prepared or sent.
                self.silent_since = now;
                let taken = self.written - self.written_then > self.read - self.read_then;
                if taken || requests != self.requests {
                    self.stalled_since = now;
                }
                if now.duration_since(self.stalled_since) >= self.stalled {
                    return true;
                }
            } else {
                self.stalled_since = now;
                if requests != self.requests {
                    self.silent_since = now;
                }
                if now.duration_since(self.silent_since) >= self.idle {
                    return true;
                }
            }
            self.requests = requests;
            (self.written_then, self.read_then) = (self.written, self.read);
        }
        false
    }
}

/// Bytes that may arrive between two requests, in addition to the limit for headers. A PING has 17.
const MAX_UNREQUESTED: u64 = 64 << 10;
/// One more byte may arrive for this number of bytes sent: the window updates for 16 KiB of a download take 13 or 26.
const SENT_PER_UNREQUESTED: u64 = 64;

impl<S> LimitedStream<S> {
    /// Counts bytes read; `false` if there were too many since the last request.
    fn count_read(&mut self, bytes: usize) -> bool {
        self.read += bytes as u64;
        let requests = self.activity.requests.load(Ordering::Relaxed);
        if requests != self.asked {
            self.asked = requests;
            (self.read_when_asked, self.written_when_asked) = (self.read, self.written);
        }
        let sent = self.written - self.written_when_asked;
        self.read - self.read_when_asked <= self.unrequested + sent / SENT_PER_UNREQUESTED
    }
}

/// Limits of a lingering close.
const LINGER: Duration = Duration::from_millis(500);
const LINGER_BYTES: usize = 1 << 20;

struct Lingering {
    until: Pin<Box<Sleep>>,
    bytes: usize,
}

fn timed_out<T>() -> Poll<io::Result<T>> {
    Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
}

impl<S: AsyncRead + Unpin> AsyncRead for LimitedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.replayed.is_empty() {
            let length = self.replayed.len().min(buffer.remaining());
            buffer.put_slice(&self.replayed.split_to(length));
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending if self.has_timed_out(context) => timed_out(),
            other => {
                let came = buffer.filled().len().saturating_sub(before);
                match self.count_read(came) {
                    true => other,
                    false => Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into())),
                }
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LimitedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.count_written(result, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // `write` is cheaper than `writev` for a response in one piece.
        let result = match bytes {
            [one] => Pin::new(&mut self.stream).poll_write(context, one),
            _ => Pin::new(&mut self.stream).poll_write_vectored(context, bytes),
        };
        self.count_written(result, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending if self.has_timed_out(context) => timed_out(),
            other => other,
        }
    }

    /// Closes the writing side, then discards input for a moment: closing a socket with unread input resets the
    /// connection, and the client could lose the last response.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            match Pin::new(&mut this.stream).poll_shutdown(context) {
                Poll::Ready(Ok(())) => {}
                Poll::Pending if this.has_timed_out(context) => return timed_out(),
                other => return other,
            }
        }
        let lingering = this.lingering.get_or_insert_with(|| Lingering {
            until: Box::pin(tokio::time::sleep(LINGER)),
            bytes: 0,
        });
        let mut space = [0; 4096];
        while lingering.bytes < LINGER_BYTES && lingering.until.as_mut().poll(context).is_pending()
        {
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut this.stream).poll_read(context, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    lingering.bytes += buffer.filled().len();
                }
                Poll::Ready(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S> LimitedStream<S> {
    fn count_written(
        &mut self,
        result: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match &result {
            Poll::Ready(Ok(bytes)) => self.written += *bytes as u64,
            Poll::Pending if self.has_timed_out(context) => return timed_out(),
            _ => {}
        }
        result
    }
}
